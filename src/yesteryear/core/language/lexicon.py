"""Word lists behind the signals that several stages read: who is spoken of, how it feels, how long it will hold.

English. Patterns expect text that went through ``fold``. A match is evidence, never proof: what it means is for the
policy that weighs it.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lazily import compile_lazily

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u2032\uff07`\u00b4", "'"))

_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "(?:january|february|march|april|june|july|august|september|october|november|december)"
_PERIOD = "(?:day|night|morning|afternoon|evening|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)"
_THEY = "(?:i|we|he|she|they|it)(?:'ve|'d|_have|_had|_finally|_just|_never|_also)?"


def fold(text: str) -> str:
    """Return ``text`` casefolded, with every kind of apostrophe as ``'``."""
    return text.translate(_APOSTROPHES).casefold()


def phrases(entries: str) -> re.Pattern[str]:
    """Compile patterns divided by white space into one that matches any of them whole; ``_`` stands for a space."""
    return compile_lazily(rf"(?<!\w)(?:{'|'.join(entry.replace('_', ' ') for entry in entries.split())})(?!\w)")


SPEAKER = phrases("i i'm i've i'd i'll im ive id me my mine myself we we're we've we'd we'll us our ours ourselves")
"""The speaker, alone or with others."""

WE = phrases("we we're we've we'd we'll us our ours ourselves")
"""The speaker together with others."""

CLOSE_PEOPLE = phrases(
    r"""
    mum mums mom moms mother mothers mama dad dads father papa parents? wife husband hubby spouse partner
    boyfriend girlfriend bf gf fianc[eé]e? sons? daughters? kids? child children baby babies toddler newborn
    twins? brothers? bro sisters? sis siblings? aunts? auntie uncles? cousins? gran nan nana grandma grandmother
    granny grandpa gran+dad grandfather grandparents grandsons? granddaughters? grandchild grandchildren grandkids
    nephews? nieces? family folks step(?:son|daughter|dad|mum|mom|father|mother) god(?:son|daughter|father|mother)
    \w+-in-law in-laws widow widower ex friends? mates? bestie roommate flatmate housemate neighbou?rs? bride
    groom mentor co-?founder
    (?:my|our)_(?:\w+_)?(?:dog|cat|puppy|kitten|horse|rabbit|boss|manager|team|colleagues?|co-?workers?|doctor|therapist)
    (?:my|our)_(?:\w+_)?(?:teacher|tutor|supervisor|coach|landlord|landlady|students?|clients?|class|band|choir|crew)
    """
)
"""Family, friends and others in the speaker's life."""

EMOTION = phrases(
    r"""
    love[ds]? hate[ds]? adore scared afraid terrified frightened anxious anxiety worr(?:y|ied|ies) nervous
    panic\w* cr(?:y|ied|ying) tears sob(?:bed|bing) heartbr\w+ grief griev\w+ mourn\w*
    miss(?:ed)?_(?:him|her|them|you) lonely loneliness alone proud pride ashamed shame guilty guilt relieved
    relief thrilled excited happ(?:y|ier|iest) sad sadness furious angry anger livid jealous devastated hurts?
    overwhelmed stressed depress\w+ hopeless grateful gratitude thankful touched dread\w* embarrass\w+ humiliat\w+
    betray\w+ disappointed upset regret shak(?:ing|en) ecstatic overjoyed laugh(?:ed|ing) joy delighted
    forg[ai]ven? apologi[sz]e[d]? sorry trust(?:ed)? burn(?:ed|t)_out frustrat\w+ fed_up
    """
)
"""Feelings named or shown."""

LIFE_EVENT = phrases(
    r"""
    died dies dying dead death passed_away funeral buried ashes hospice hospital cancer tumou?r diagnos\w+ chemo
    biopsy surgery operation stroke miscarr\w+ pregnant expecting born birth wedding marr(?:y|ied|ying) engaged
    engagement proposed divorc\w+ separated split_up broke_up breakup adopt(?:ed|ing|ion) birthday anniversary
    baptis\w+ christening graduat\w+ retire\w* laid_off fired redundan\w+ promot(?:ed|ion) hired emigrat\w+
    immigrat\w+ evicted accident promised? promises swore vow(?:ed)? estranged reconciled made_up_with fell_out
    """
)
"""What divides a life into before and after, and what binds people."""

BOND = phrases(
    r"""
    you_(?:called|taught|helped|believed|listened|stayed|always|made_me|got_me|kept_me|were_(?:right|there)|and_i)
    (?:thank_you|thanks|grateful)_for_\w+ing thanks_to_you because_of_you without_you love_you i_trust_you
    missed_you our_(?:\w+_)?(?:jokes?|game|song|ritual|tradition|talks?|chats?|story|stories|secret|thing)
    sorry_(?:for|about|i) we_always talking_(?:to|with)_you i(?:'ve)?_(?:told|tell|never_told)_you
    proud_of_(?:you|me) you(?:'re|_are)_(?:the_(?:only|first|best)|my|like_a)
    """
)
"""What is between the speaker and the one they talk to."""

COMMITMENT = phrases(
    rf"""
    decided decision decisions made_up_my_mind chosen chose opted settled final signed booked bought ordered
    enrolled registered applied accepted declined turned_(?:it|him|her|them)_down (?:said|saying)_(?:yes|no)
    resign(?:ed|ing) quit(?:ting)? gave_notice handed_in cancel+ed committed agreed voted picked hired paid
    deposit contract (?:going|go|goes|went|gone)_(?:with|for|ahead|back_to)
    (?:stick|sticking|stay|staying)_(?:with|to)
    (?:switch|switched|switching|moving|moved|migrat\w+)_(?:to|from|over) (?:sign|signing)_up drop(?:ped|ping)
    ditch(?:ed|ing) scrapp(?:ed|ing) freez(?:e|ing) no_more no_longer not_(?:going_to|doing|renewing) done_with
    instead_of from_(?:today|now_on|tomorrow|next_\w+|{_DAY}|{_MONTH})
    as_of_(?:today|now|next_\w+|{_DAY}|{_MONTH})
    (?:i|we)(?:'m|'re|_am|_are)_(?!not|so|in|on|at|just|still|too|very|trying|looking|sure|going)\w+ing
    (?:i|we)(?:'m|'re|_am|_are)_(?:going_to|gonna) (?:i|we)(?:'ll|_will|_won't|_shall)_\w+ plan_is the_plan
    start(?:ing|s)?_(?:on_|in_|from_)?(?:{_DAY}|{_MONTH}|today|tomorrow|next_\w+) will_be
    end_of_(?:discussion|story|debate) final_answer unanimous\w* confirmed_(?:it|the|my|our|for) settled?
    (?:so|then|ok|okay|right)_\w+_it_is put_(?:my|our)_names?_down called_(?:it|the_\w+)_off
    green_light withdr[ae]w\w* backed_out pulled_out
    """
)
"""A choice made, or a step that follows from one."""

LASTING = phrases(
    rf"""
    (?:every|each|most)_(?:\w+_)?(?:{_PERIOD}s?|{_DAY}s?|time|christmas) {_DAY}s weekends nights mornings always
    never usually generally normally whenever all_my_life my_(?:whole|entire)_life since
    for_(?:\w+_){{0,2}}(?:years|months|weeks) for_(?:decades|ages) years?_(?:ago|now|old|later) used_to
    as_a_(?:kid|child|boy|girl|teenager|rule) growing_up grew_up these_days once_a twice_a \w+_times_a still
    anymore any_more native by_heart lifelong
    """
)
"""What holds for long: habits and histories."""

IDENTITY = phrases(
    r"""
    i(?:'m|_am|m)_(?:\w+_)?(?:a|an|the|from|allergic|vegan|vegetarian|coeliac|celiac|diabetic|dyslexic|deaf|blind|married)
    i(?:'m|_am|m)_(?:\w+_)?(?:single|divorced|retired|left-handed|autistic|colou?rblind|\d{2}|in_my|terrible_at|bad_at)
    i(?:'m|_am|m)_(?:\w+_)?(?:good_at|scared_of|afraid_of|used_to|learning|training|studying|writing|building|saving)
    my_(?:\w+_)?(?:name|age|job|work|role|goal|dream|aim|favou?rites?|condition|diagnosis|religion|faith|pronouns|birthday)
    my_(?:\w+_)?(?:back|knees?|hip|hearing|eyesight|eyes|asthma|adhd|anxiety|allergy|diet|blood|surname|language|accent)
    my_(?:\w+_)?(?:thesis|startup|company|novel|book|project|degree|phd|shop|garden|house|home|flat|apartment|village)
    my_(?:\w+_)?(?:country|problem|weakness|strength|style|routine|habit|shifts?|salary|budget|rule|hometown|school)
    as_an?_(?:\w+_){0,2}\w+(?:er|ist|or|ian|ant|nurse|parent)
    i_(?:work|live|study|teach|run|own|speak|play|moved|suffer|sleep|wake|cook|collect|freelance|manage|lead|volunteer)
    i_(?:struggle|learn|build|practi[sc]e|grew|was_born|come_from|came_from|got_an?|had_an?|tend_to|avoid|believe)
    i_have_(?:an?|two|three|four|no|never|been)
    i_(?:don't|dont|never)_(?:eat|drink|own|drive|have|do|like|use|want)
    i_(?:can't|cant|cannot)_(?:eat|drink|stand|hear|see|swim|drive|read|cook|do|bear) not_a_fan big_fan
    (?:i|i'd|i_would|we)_(?:\w+_)?(?:prefer|rather|like|love|hate|enjoy|loathe|detest|dislike|adore)
    (?:please_|pls_)?(?:don't|dont|never|always)_(?:call|give|use|ask|suggest|send|tell|say|show)_?(?:me)?
    works?_(?:\w+_)?for_me drives_me_\w+ allerg\w+ intoleran\w+ vegan vegetarian diabet\w+ asthma epilep\w+
    migraines? arthritis insomnia dyslexi\w+ autis\w+ adhd wheelchair sober panic_attacks? medication transplant
    disab(?:led|ility) i(?:'ve|_have)_been_(?:on|in|a|an) been_(?:on|a)_\w+_since i_take i_(?:always|never|usually)_\w+
    (?:like|than|as)_mine mine (?:for|to)_someone_(?:with|like) makes?_me helps_me (?:blocks|stops|bothers|scares)_me
    (?:hate|love|prefer|avoid)_\w+,? when_i(?:'m|_am)_\w+
    i_(?:understand|remember|learn|talk|think|write|focus)_(?:\w+_)?when
    when_it_comes_to that's_me leave_out no_\w+_please
    """
)
"""Who the speaker is: work, place, health, belief, ability, taste, possession."""

PAST = phrases(
    rf"""
    {_THEY}_\w+ed
    {_THEY}_(?:went|gone|got|had|told|said|took|made|met|saw|bought|left|lost|found|began|came|gave|knew|felt|thought)
    {_THEY}_(?:wrote|ran|broke|fell|kept|won|built|paid|sold|sent|slept|spoke|spent|stood|taught|put|grew|been|done)
    {_THEY}_(?:was|were|did)
    """
)
"""Something that happened to people."""

DATE = phrases(
    rf"""
    {_DAY} {_MONTH} (?:in|on|by|since|until|till)_may jan feb mar apr jun jul aug sept? oct nov dec tomorrow
    yesterday (?:next|last|this)_{_PERIOD} \d{{1,2}}(?:st|nd|rd|th) (?:19|20)\d\d
    in_(?:spring|summer|autumn|winter) easter christmas ramadan eid diwali
    """
)
"""A day, month, season or year."""

PASSING = phrases(
    r"""
    right_now rn at_the_moment currently just_now this_(?:minute|second|instant) brb be_right_back back_in
    (?:in|for|last|another|only|got|about)_(?:\w+_)?(?:\d+|five|ten|two|few)_?(?:more_)?(?:minutes?|mins?|secs?|seconds?)
    hungry starving thirsty sleepy yawn\w* hiccups sneez\w+ headache nap stuck_in waiting_(?:for|in|on) queue
    in_line on_(?:the|a)_(?:bus|train|tram|plane|phone|way|speaker|hold|loo|sofa|couch)
    on_my_(?:way|phone|break|lunch) about_to loading buffering battery charger timer almost_(?:home|there|done)
    nearly_(?:home|there|done) raining snowing freezing boiling wifi wi-fi signal
    (?:standing|sitting)_(?:in|at|on) oven kettle doorbell hang_on hold_on one_sec (?:got_to|gotta)_(?:go|run)
    heading_(?:out|home|to) traffic red_lights? parked platform checkout out_of_\w+ lunch screen tab keyboard
    typing half_asleep just_woke running_late late_for spilled spilt can't_find
    so_(?:tired|hot|cold|bored|full|hungry|sleepy) (?:i_)?feel_like_(?:an?_)?\w+ for_(?:the|this)_(?:moment|minute)
    just_(?:now|for_this|for_now|a_sec|a_minute) give_(?:me|us)_(?:a|five|ten|two)
    been_(?:in|on|waiting|standing|sitting)_\w+_(?:since|for) on_hold at_the_(?:door|stop|station|counter|till|gate)
    (?:be|back)_(?:right_)?back (?:still|currently)_(?:in|at|on|waiting)
    """
)
"""A state of the next minutes or hours, of no use tomorrow."""

FICTION = phrases(
    r"""
    imagine pretend suppose supposing hypothetical\w* what_if would_(?:you|u)_rather
    if_(?:i|you|we)_(?:was|were|had|ever|won) let's_say say_i(?:'d|_had|_was|_were) role-?_?play\w*
    play(?:ing)?_(?:the|a) in_character characters? plot fiction\w* fanfic novel scene monologue dialogue
    screenplay sketch poem limerick haiku lyrics scenario thought_experiment act_as
    in_(?:the|this|my)_(?:story|game|dream|book|scenario|film) you(?:'re|_are)_(?:an?|the|my)_\w+ once_upon
    write_(?:me_)?(?:an?|his|her|the)_(?:\w+_)?(?:story|scene|speech|diary|letter|line) superpower\w* time_travel\w*
    dragons? wizards? zombies? aliens? vampires? unicorns? the_lottery desert_island
    """
)
"""Invented worlds, parts played, cases put."""

FANTASY = phrases(
    r"""
    ghosts? witch(?:es)? elf elves pirates? knights? castles? kingdoms? throne crown swords? potions? spells? quest
    guild dungeon tavern queen king prince(?:ss)? duke duchess sir lord captain emperor robots? superhero villain heist
    galaxy spaceship mars moon roll_(?:for|a|the) dice dare (?:my|our)_character the_hero
    """
)
"""Whom and what invented worlds are full of, and real ones have too: no proof of invention by itself."""

MOCKERY = phrases(
    r"""
    yeah_right sure,_and oh_sure as_if when_(?:pigs|hell)_\w+ obviously
    oh_(?:brilliant|great|joy|wonderful|lovely|fantastic) i_hereby clearly_i world_domination overlords? sentient
    my_(?:evil|secret)_\w+ in_(?:my|a|another)_(?:past|previous|next|former)_life officially_\w+ 🙄 😏 🤡 💀 /s
    just_what_i_needed how_(?:nice|lovely|kind)_of wouldn't_it_be_(?:funny|nice|great) i(?:'m|_am)_secretly_(?:an?|the)
    """
)
"""Irony, and jokes told with a straight face."""

MEMORY_FRAME = phrases(
    r"""
    your_(?:\w+_){0,2}(?:summary|recap|digest|notes?|list|profile|log|words|file|memory|memories|card|entry|overview)
    your_(?:\w+_){0,2}(?:report|version|wording|dashboard|pop-?up|banner|message|records?)
    you_(?:just_)?(?:wrote|said|listed|noted|stored|saved|printed|posted|read|summari[sz]ed|recorded|have_me|had_me)
    you_keep_(?:saying|showing|repeating|telling|printing) quoting_you word_for_word copied paste[ds]? screenshot
    tooltip
    (?:the_)?user(?:'s)?_(?:is|likes|prefers|has|wants|lives|works|decided|feels|hates|loves|state|profile|said|plans)
    confidence mentioned_\w+_times mentioned_\d+x? user_state emotions?_detected key_points? episode_\d+
    from_memory memory_(?:context|entry|item|page|list|card) relevant_memories recent_conversation_history
    known_(?:challenges|strengths) it_(?:says|reads) according_to_(?:you|your_\w+)
    (?:have|got|had|has)_me_(?:down|as)
    your_own_words read(?:ing)?_(?:it|that|this)_(?:back|out)
    """
)
"""The wording of memory shown back: summaries, lists and labels of the assistant's own."""

FILLERS = frozenset(
    """
    hi hey hello yo hiya howdy morning evening afternoon night goodnight bye goodbye ciao later thanks thank thx
    ty ta cheers please pls ok okay k kk yes yeah yep yup ya no nope nah oh ah aha ooh wow ha haha hahaha hehe lol
    lmao rofl omg hmm hm mm um uh er well right sure fine cool great nice good perfect awesome brilliant lovely
    super excellent amazing neat sweet fantastic wonderful alright got gotcha it makes sense understood noted true
    exactly indeed you u there friend buddy so much very really all that that's is a the and too again welcome
    back see problem worries one test testing ping done ready go on next continue bravo congrats happy day how are
    doing here me same agreed
    """.split()
)
"""Words of greeting, thanks and assent; a message of these alone says nothing."""

OTHER_LANGUAGES = frozenset(
    """
    und der das ich nicht ist ein eine mit auf für von zu wir sie es den dem haben habe bin mein meine auch aber
    le les des et je est pas une du que qui dans pour nous vous mon ma mes mais avec sur c'est j'ai suis el los
    las un una y en es por con para mi mis pero muy como yo lo il gli che di non per sono ho mio della o os uma
    não eu com meu minha na no het een ik niet van mijn jag och är inte det som att jeg og ikke
    """.split()
)
"""Function words of German, French, Spanish, Italian, Portuguese, Dutch and Scandinavian."""

TASK = re.compile(
    r"(?:(?:please|pls|now|ok|okay|and|so|then|hey|hi|let's|(?:can|could|would|will) (?:you|u)|i (?:want|need) you to)"
    r",? )*(?:write|tell|give|show|make|translate|summari[sz]e|list|explain|play|set|find|search|look up|calculate"
    r"|convert|read|draft|rewrite|fix|check|compare|describe|define|generate|create|suggest|recommend|sort|format"
    r"|shorten|proofread|correct|edit|turn|put|open|add|pick|name|spell|count|repeat|ask|say|send|run|print|plan|draw"
    r"|sing|guess|skip|undo|order|call|paste|refactor|review|help|teach|quiz|rank|estimate|solve|choose)\b"
)
"""The opening of a sentence that sets the assistant a task; to be matched at its start."""

QUESTION = re.compile(
    r"(?:(?:and|so|but|ok|okay|hey|hi|um|also|btw)[ ,:.]+)*(?:who|what|when|where|why|how|which|whose|who's|what's"
    r"|when's|where's|how's|whos|whats|wheres|is|are|was|were|do|does|did|can|could|would|will|should|has|have|any"
    r"|am i|isn't|aren't|doesn't|won't)\b"
)
"""The opening of a question, which shows it also where the mark was left out; to be matched at its start."""

MEMORY_QUESTION = phrases(
    r"""
    do_you_(?:remember|recall|know) did_i have_i am_i
    what(?:'s|s|_is|_was|_are|_were|_did)_(?:\w+_)?(?:i|my|our|we) (?:when|where|who)(?:'s|s|_is|_was)_my
    how_(?:did|many|old|much|long)_(?:do_|did_|am_|have_|is_)?(?:i|my) remind_me_(?:what|who|where|when|how|which)
    what_do_you_(?:know|think) you_(?:said|told|mentioned) my_(?:last|next)
    """
)
"""A question about the speaker that the other side is to answer."""

YOU = phrases("you you're you've you'd you'll your yours yourself u ur ya")
"""The one who is spoken to."""

OTHERS = phrases("he he's him his she she's her hers they they're them their theirs someone somebody everyone")
"""People spoken of."""

FUTURE = phrases(
    rf"""
    will won't shall i'll we'll he'll she'll they'll it'll going_to gonna plan(?:s|ning)?_(?:to|on) hop(?:e|ing)_to
    want_to aim(?:ing)?_to intend_to (?:next|this|coming)_(?:{_PERIOD}|{_DAY}|{_MONTH}) tomorrow soon upcoming
    """
)
"""What is to come."""

MODAL = phrases("would wouldn't could couldn't might may should shouldn't i'd we'd he'd she'd they'd you'd")
"""What is put as possible rather than said."""

NEGATION = phrases(r"not no never none nothing nobody nor neither without \w+n't dont cant wont didnt isnt doesnt")
"""Denials."""

CONDITION = phrases(
    r"""
    if_i if_we if_you if_my if_there if_someone if_it were_i were_we unless assum(?:e|ing) suppos(?:e|ing)
    let's_assume picture_(?:this|a|me) in_theory theoretically for_(?:the_sake|argument) wish_i i_wish
    would_(?:it|that|i|we|you|they)_\w+ what_would
    """
)
"""Cases that are put, and wishes."""

ROLE = phrases(
    r"""
    you(?:'re|_are|_play|_be)_(?:an?|the|my)_\w+ i(?:'m|_am|'ll_be|_play)_(?:an?|the)_\w+(?:_\w+)?,_you
    be_(?:the|my)_\w+ stay_in_character in_this_(?:game|story|scene|round|world) chapter_\w+
    your_(?:highness|majesty|honou?r|line|turn|move) as_(?:the|a)_(?:king|queen|pirate|detective|villain|wizard)
    narrator (?:begin|continue|action|go)! new_scene your_move my_turn
    """
)
"""Parts that are given out in a game."""

UNDECIDED = phrases(
    r"""
    maybe perhaps not_sure unsure undecided torn thinking_(?:of|about) (?:can't|cannot|haven't|couldn't)_decide\w*
    consider(?:ing)? wondering whether either or_should should_i might leaning tempted on_the_fence dunno
    don't_know no_idea weighing nothing(?:'s|_is|_has_been)?_(?:decided|settled|chosen|signed|fixed)
    not_(?:deciding|choosing|planning)\w* (?:don't|do_not|didn't)_plan
    (?:just|only)_(?:running|asking|curious|a_question)
    could_be pros_and_cons out_of_curiosity for_comparison
    """
)
"""Choices not made yet."""

RETAIN = phrases(
    r"""
    remember\w* rmbr memori[sz]\w* memory memories keep\w* kept note[ds]? noting jot\w* record\w* stor(?:e|ed|ing|age)
    sav(?:e|ed|ing) log log(?:ged|ging) fil(?:e|ed|ing) hold\w* hang_on\w* track know knew known retain\w* mind
    pin(?:ned)? archive\w* carry preserve\w* write_(?:it|this|that)?_?down stick survive\w* learn(?:ed|t)? recall
    remind\w* bear bookmark\w* look_after lock\w* list notes notebook profile
    """
)
"""Verbs and places of keeping something in mind."""

DISCARD = phrases(
    r"""
    forget\w* forgot\w* delet\w+ eras\w+ wip(?:e|ed|ing) scrub\w* remov\w+ purg\w+ clear(?:ed|ing)? drop(?:ped|ping)?
    discard\w* bin trash scrap los(?:e|ing) redact\w* un-?\w*(?:sa(?:id|y|ve|ved)|remember|learn|note|know|send)
    strike shred burn bury gone disappear\w* vanish\w* get_rid take_(?:it|that)_back let_(?:it|that)_go
    never_happened stop_\w+ing cease
    """
)
"""Verbs of letting something go from mind."""

LATER = phrases(
    r"""
    later next_time next_(?:week|month|year|session|season|time) tomorrow again when_(?:i|we|you|my) whenever
    in_(?:a|the)_(?:week|month|year|future|morning|autumn|spring|summer|winter) for_(?:good|ever|later|next|now|when)
    forever until till from_now_on permanent\w* always long[_-]term someday one_day future ever_again every_time
    """
)
"""A later occasion."""

DISCRETION = phrases(
    r"""
    secret\w* private\w* privacy confidential\w* between_(?:us|you_and_me) embarrass\w* ashamed off_the_record
    shouldn't_have (?:anyone|anybody|nobody|no_one)_else overshar\w+ tmi regret\w* sensitive
    privileged nda (?:not|isn't|aren't)_(?:for|meant) uncomfortable trace
    slipped_out vent(?:ed|ing)? rant(?:ed|ing)?
    """
)
"""Why something is not to be kept."""

SAID = phrases(
    r"""
    (?:i|we|i've|we've|i'd|i_have|i_had)_(?:just_)?(?:said|told|mentioned|wrote|shared|sent|typed|gave|asked|pasted)
    what_i_(?:said|told|wrote) (?:last|earlier|previous|above|these|those|next)_(?:\w+_)?(?:messages?|bits?|part|chat)
    the_(?:bit|part|stuff|thing|things|story|detail|details|conversation)_(?:about|on|with|where|from|i|we)
    (?:this|our|the)_(?:conversation|chat|talk|session|thread|evening|exchange)
    """
)
"""What was said before, pointed at."""

SOURCE = phrases(
    r"""
    (?:page|site|website|email|e-mail|mail|article|letter|leaflet|flyer|sign|label|poster|banner|pdf|document|file
    |log|ticket|readme|comment|review|forum|post|caption|footer|header|newsletter|advert|ad|invoice|receipt|recipe
    |subtitle|transcript|sms|voicemail|pop-?up|code|repo|package|commit|app|notice|booklet|brochure|ticket|csv|html|json|contract|clause)s?
    it_says says_here (?:it|that|which)_(?:says|said|reads) reads: says: copied pasted? found_(?:this|in|on)
    translate proofread summari[sz]e
    """.replace("\n    |", "|")
)
"""Texts that are somebody else's."""

ASSISTANT = phrases(
    r"""
    ais? llms? gpt\w* chatgpt chat-?bots? bots? assistants? agents? copilots? (?:language_)?models? machines? robots?
    users? prompts? system_(?:prompt|message|note) memory_(?:update|directive|bank) (?:your|its|their)_(?:human|owner)
    """
)
"""Words for assistants and for those they serve, as orders to them use."""

CORRECTION = phrases(
    r"""
    correction i_meant i_mean no_wait not_\w+_but isn't_\w+_any_?more (?:was|were)_wrong actually i_misspoke mistake
    rather_than instead scratch_that scrap_that changed_my_mind not_\w+,_\w+ typo
    """
)
"""Taking back one thing for another."""

HEALTH = phrases(
    r"""
    allerg\w+ intoleran\w+ diabet\w+ asthma migraines? arthritis insomnia pills? tablets? medication meds dos(?:e|age)
    doctor hospital clinic physio therap(?:y|ist) surgery injur\w+ knees? shoulder hip pregnan\w+ blood heart adhd
    diagnos\w+ symptoms? pain ill sick chronic disabled wheelchair deaf blind dyslexi\w+ colou?r-?blind
    """
)
"""The body and its troubles."""

TASTE = phrases(
    r"""
    prefer\w* favou?rite love[ds]? hate[ds]? can't_stand adore enjoy\w* like[ds]? dislike\w* fan_of rather allergic_to
    sick_of fed_up_with never_(?:eat|drink|use|wear|take) always_(?:eat|drink|use|wear|take|have) obsessed addicted
    """
)
"""Likes and dislikes."""

OCCUPATION = phrases(
    r"""
    work(?:s|ed|ing)?_(?:as|at|for|in|on|from|with) job boss manager colleagues? clients? customers? patients? pupils?
    students? shift office school university uni college team company startup shop business freelance thesis phd
    degree exam course salary career retired unemployed promoted project deadline studio
    """
)
"""Work and study."""

HOME = phrases(
    r"""
    (?:live|lives|living|lived|moved|moving|from|grew_up|born|based)_(?:in|to|here|at|near|with|alone) flat house home
    apartment village garden kitchen town city hometown country abroad rent mortgage landlord neighbou?rs? allotment
    """
)
"""Where somebody lives."""

BARE_ANSWER = phrases(
    "yes yep yeah yup no nope nah the_\\w+_one both neither first second final go_for_it do_it call_it"
)
"""Answers that only the question before makes news."""

OWN_MEMORY = phrases(
    r"""
    i(?:'ll|_will|'ve|_have|'d|_would|_do|_don't|_didn't|_can|_can't|_could|_couldn't)?_(?:\w+_)?(?:remember\w*|forg[eo]t\w*)
    (?:i'll|i_will|we'll)_(?:\w+_)?(?:keep|note|save|bear|write|log|know|hold|recall|look_it)
    (?:reminds?|reminded)_me_of have_to_remember
    """
)
"""What the speaker remembers or forgets themselves."""

SELF = phrases("i i'm i've i'd i'll im ive me myself")
"""The speaker alone."""

MY = phrases("my mine our ours")
"""What is the speaker's."""

LIST_LINE = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])[ \t]|\b\d\. ", re.MULTILINE)
"""An entry of a list."""
