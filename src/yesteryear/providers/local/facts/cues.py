"""Named cues that a clause states a fact, and of which kind (English).

A cue is a word list or a form; it proves nothing by itself, heads weigh it. Names stand in the trained heads: whoever
changes a cue trains them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from yesteryear.core.language import lexicon
from yesteryear.core.language.lexicon import phrases

_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"


def _opens(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that must begin a clause, after words that only link it to the one before."""
    return re.compile(rf"^(?:(?:and|but|so|also|well|btw|because|since|please|hi|ok|yes|no),? )*(?:{pattern})")


CUES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "self": lexicon.SELF,
        "my": lexicon.MY,
        "we": lexicon.WE,
        "you": lexicon.YOU,
        "others": lexicon.OTHERS,
        "close_people": lexicon.CLOSE_PEOPLE,
        "identity": lexicon.IDENTITY,
        "lasting": lexicon.LASTING,
        "commitment": lexicon.COMMITMENT,
        "life_event": lexicon.LIFE_EVENT,
        "emotion": lexicon.EMOTION,
        "past": lexicon.PAST,
        "future": lexicon.FUTURE,
        "date": lexicon.DATE,
        "passing": lexicon.PASSING,
        "fiction": lexicon.FICTION,
        "condition": lexicon.CONDITION,
        "role": lexicon.ROLE,
        "modal": lexicon.MODAL,
        "undecided": lexicon.UNDECIDED,
        "negation": lexicon.NEGATION,
        "mockery": lexicon.MOCKERY,
        "health": lexicon.HEALTH,
        "taste": lexicon.TASTE,
        "occupation": lexicon.OCCUPATION,
        "home": lexicon.HOME,
        "retain": lexicon.RETAIN,
        "source": lexicon.SOURCE,
        "assistant": lexicon.ASSISTANT,
        "correction": lexicon.CORRECTION,
        "bare_answer": lexicon.BARE_ANSWER,
        "asks": re.compile(r"\?|^(?:" + lexicon.QUESTION.pattern + ")"),
        "task": re.compile(r"^(?:" + lexicon.TASK.pattern + ")"),
        "number": re.compile(r"\d"),
        "laughs": re.compile("[\U0001f600-\U0001f64f\U0001f900-\U0001f9ff]" + r"|\b(?:lol|haha\w*|hehe\w*|lmao|xd)\b"),
        "exclaims": re.compile("!"),
        "subject_first": re.compile(
            r"^(?:(?:and|but|so|because|when|if|then|also|now|well|yes|no),? )*"
            r"(?:i|we|he|she|it|they|you|there|this|that|my|our|the|his|her|\w+'(?:m|s|ve|re|ll|d))\b"
        ),
        "place_first": re.compile(
            r"^(?:in|on|at|for|with|from|to|of|by|as|like|near|since|until|till|after|before|about|without|than|under)\b"
        ),
        "verb": phrases(
            r"""
            am is are was were have has had do does did will would can could may might should must
            \w+'(?:m|s|re|ve|ll|d) \w+n't \w+ed got get go goes went make made want need know think like love hate
            work live feel keep take took say says said come came give gave run ran
            """
        ),
        "refers": phrases("it it's that that's this these them those there here such same so too either"),
        "fragment": re.compile(r"^\W*(?:\w+\W+){0,3}\w+\W*$"),
        "ing_first": re.compile(r"^(?:and |but |not )?\w{3,}ing\b"),
        "past_first": re.compile(
            r"^(?:and |but |so |then |just |finally )?(?:\w{2,}ed|got|had|went|did|made|ran|took|was)\b"
        ),
        "being": phrases(
            r"""
            (?:i'm|im|i_am|i_was)_(?:an?|the|from|in_my|\d+) as_an?
            i'm_(?:married|single|divorced|retired|sober|pregnant|deaf) \d+_years?_old (?:turn(?:ed|ing)|aged?)_\d+
            diagnosed type_\d (?:first|second|third|fourth|final)[-_]year
            my_(?:name|job|work|company|shop|stand|studio|clinic|school|major|flat|house|boat|van|savings) saved
            """
        ),
        "tells_of_self": _opens(
            r"(?:i|we)(?:'ve|'d|'m| have| am| would)?"
            r" (?:\w+ly |also |still |always |never |often |don't |do not |only )*"
            r"(?:prefer|rather|love|hate|live|work|study|teach|own|speak|play|drive|run|read|cook|write|sing|eat|drink"
            r"|rent|collect|practi[sc]e|grew up|was born|come from|believe|enjoy|avoid|train|learn|struggle|suffer"
            r"|volunteer)(?:ing)?\b(?! (?:it|that|this|you|your|the (?:second|first|other|last))\b)"
        ),
        "is_so": _opens(
            r"(?:i'm|i am) (?:an? )?(?:\w+ )?(?:vegan|vegetarian|allergic|intolerant|diabetic|coeliac|celiac|dyslexic"
            r"|colou?r-?blind|left-handed|deaf|blind|jewish|muslim|christian|catholic|hindu|buddhist|atheist|gay"
            r"|lesbian|trans|married|single|divorced|engaged|widowed|retired|pregnant|sober|bilingual|autistic|\d\d)\b"
        ),
        "mine_is": _opens(
            r"(?:my|our) (?:[\w']+ ){1,3}"
            r"(?:is|are|was|were|has|have|had|lives?|works?|moved|died|plays?|starts?|calls?)\b"
        ),
        "asks_always": _opens(
            r"(?:please )?(?:always|never|don't|do not|keep (?:your|it)|call me|no more)\b"
            r".*\b(?:me|your|answers?|use|give|say)\b"
        ),
        "stuck_on": _opens(r"(?:i'm|i am|we're|i) (?:\w+ )?(?:stuck|blocked|struggl\w+|behind|can't|cannot|never)\b"),
        "lasted": phrases(r"\w+_(?:years?|months?|weeks?|yrs) since_\w+"),
        "trade": phrases(
            r"""
            nurse teacher driver engineer carpenter translator lawyer doctor cook chef baker farmer fisherman student
            builder plumber electrician firefighter officer tailor welder machinist carrier cleaner waiter waitress
            barber writer editor designer developer programmer manager director clerk cashier accountant architect
            resident intern captain pilot sailor soldier priest pastor imam judge coach trainer singer drummer painter
            potter beekeeper \w+(?:ologist|ician|grapher|apist|opist|eer) phd master's shift
            """
        ),
        "am": phrases("i'm im i_am we're we_are i've_been i_was we_were"),
        "have": phrases("i_have i've_got i_had we_have we've_got i_own have_got i_got we_got"),
        "do": phrases(
            "i_(?:work|live|study|teach|run|own|speak|play|drive|write|sing|cook|use|keep|take|make|do|go|get|sleep)"
        ),
        "prefer": phrases(
            r"""
            (?:please_)?(?:don't|dont|do_not|never|no|stop|always|keep|give_me|call_me|send_me|use|skip|spare_me)_\w+
            prefer\w* favou?rite rather can't_stand hate love[ds]? like[ds]? enjoy not_a_fan fond_of instead_of please
            allergic_to sick_of no_\w+_please bullet_points short_answers
            """
        ),
        "routine": phrases(
            rf"""
            every (?:on_)?{_DAY} mornings? evenings? nights? weekends? weekdays usually normally always whenever each
            once twice times_a_\w+ before_(?:work|breakfast|bed|lunch|dinner)
            after_(?:work|breakfast|lunch|dinner|school) at_\d{{1,2}} \d{{1,2}}(?:am|pm|:\d\d) from_\d shifts? routine
            habit daily weekly
            """
        ),
        "blocks": phrases(
            r"""
            can't cannot couldn't stuck blocked block(?:s|ing) stop(?:s|ping)_me keep(?:s)?_me_from problem trouble
            struggl\w+ fail(?:s|ed|ing)? won't nobody_\w+ no_(?:time|money|energy|way|idea) too_\w+_to waiting_for
            refus\w+ reject\w+ denied behind hurts? pain broken lost late delayed not_enough exhaust\w+ overwhelm\w+
            freez\w+ keep(?:s)?_\w+ing hard_to difficult missing without doesn't_work isn't_working in_the_way unable
            afford
            """
        ),
        "strong": phrases(
            r"""
            good_at great_at best strong(?:est|er|ly)? proud\w* talent\w* gift skill\w* expert fluent native can_\w+
            never_(?:miss|forget|lose)\w* by_heart without_\w+ing won award first_(?:prize|place)
            people_(?:say|come|ask|tell|trust) know_how years_of fast(?:est|er)? experience\w* everybody_\w+
            comes?_easy know_\w+_by patient calm ear_for eye_for nose_for
            """
        ),
        "aims": phrases(
            r"""
            want_to wanna want goal dream\w* aim\w* hop(?:e|ing) plan(?:s|ning)? would_like_to i'd_(?:like|love)_to
            going_to gonna by_(?:the_end|next|\w+day|\w+_\d+|summer|spring|christmas) target train(?:ing)?_for
            sav(?:e|ing)_(?:up|for) working_(?:on|towards) trying_to some_?day one_day before_i intend wish(?:es|ed)?
            need_to have_to deadline learn(?:ing)?_(?:to|\w+ese|\w+ish|\w+ian) finish\w* apply\w* applied
            """
        ),
        "believes": phrases(
            r"""
            (?:i|i_really|i_still|i_just|i_always|we)_(?:think|believe|feel|suspect|reckon|doubt|guess|know)
            in_my_(?:opinion|experience|view|book) i'm_(?:convinced|sure|certain|persuaded) if_you_ask_me the_truth
            people_(?:are|who|should|don't) everyone should shouldn't must nobody_can nothing_is matters?
            is_(?:overrated|overvalued|worth|wrong|right|better|never|always) trust
            you_(?:can't|have_to|need_to|should|don't) real(?:ly)?_\w+ life_is there's_no makes_(?:people|you)
            """
        ),
        "succeeds": phrases(
            r"""
            works? helps? worked helped works_(?:best|better|for_me) best_when better_when only_when whenever if_i
            when_i the_(?:only_)?(?:thing|way)_that trick finally managed_to since_i once_i as_soon_as
            get_(?:things|it|more)_done productive focus\w* i_actually never_fails the_moment_i keeps_me learned_that
            instead_of stick(?:s)? then_i as_long_as so_i otherwise
            """
        ),
        "decides": phrases(
            r"""
            decided decision settled final chose chosen picked opted i'll i_will i_won't we'll quit\w* resign\w*
            cancel\w* stopp\w+ stop from_now_on from_(?:tomorrow|today|monday|next) no_more never_again no_longer
            signed booked gave_notice going_with done_with not_(?:going|doing|applying|buying|renewing|selling)
            write_it_down that's_(?:it|settled|final) changed_my_mind i'm_\w+ing we're_\w+ing said_(?:yes|no)
            turned_\w+_down agreed accept\w* enrol\w* it_is_then switch\w*
            """
        ),
        "relates": phrases(
            r"""
            (?:my|our|his|her)_(?:\w+_){0,2}(?:wife|husband|partner|boyfriend|girlfriend|fianc[eé]e?|mum|mom|mother|dad|father|parents?|sons?
            |daughters?|kids?|children|brothers?|sisters?|twins?|uncle|aunt|auntie|cousins?|gran\w*|nan|boss|manager|friends?|colleagues?|neighbou?rs?
            |roommate|flatmate|teacher|mentor|coach|landlord|landlady|ex|in-laws|\w+-in-law|niece|nephew|team|dog|cat|therapist|doctor)
            married divorced engaged dating together_(?:for|since) broke_up split_up fell_out best_friend named called
            """.replace("\n            |", "|")
        ),
        "happens": phrases(
            rf"""
            yesterday today tonight tomorrow last_\w+ this_(?:week|month|morning|year|spring|summer|autumn|winter)
            next_\w+ (?:on_){_DAY} just got came went moved started passed died born bought sold lost won broke booked
            appointment interview exam wedding surgery finished signed arrived left met happened had_(?:a|an|my|to)
            been was were on_the_\d+\w+ ago
            """
        ),
        "told": phrases(
            r"(?:he|she|they|who|people|everyone|\w+)_(?:says?|said|told|asked|thinks|thought|wrote|wants|calls?|called)"
        ),
        "simile": phrases(
            r"like_an?_(?:\w+_){0,2}\w+ as_if as_though turned_into such_a feels?_like sounds?_like looks?_like"
        ),
        "reacts": phrases(
            "thanks? thank_you ok okay great nice haha good_(?:idea|point|question) true exactly fair sure lovely"
            " perfect will_do sounds_good no_idea never_mind got_it good_night bye see_you ah oh wow hm+ huh"
        ),
    }
)
"""Word lists and forms looked for in a clause; the text must have gone through ``lexicon.fold``."""


def read_cues(text: str) -> dict[str, float]:
    """Return for each cue whether ``text`` shows it: 1 or 0."""
    folded = lexicon.fold(text)
    return {name: float(cue.search(folded) is not None) for name, cue in CUES.items()}


def any_cues(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return for each cue whether any of the texts shows it; none does where there are no texts."""
    texts = list(found)
    return {name: max((cues[name] for cues in texts), default=0.0) for name in CUES}
