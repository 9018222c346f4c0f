"""Words and emoji that show how a person feels and how they stand to what they are doing (English).

The names of emotions and states are those of the labelled talks in ``labelled``. Whoever wrote these lists had read
``dialogs.jsonl`` and ``dialogs-2.jsonl``: figures on those are optimistic, figures on ``dialogs-3.jsonl`` are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from yesteryear.core.episode import UserState
from yesteryear.providers.local.patterns import any_of
from yesteryear.providers.local.reading import Sentence

Cues: TypeAlias = Mapping[str, Sequence[int]]
"""How often each emotion or state is shown in each sentence."""

NO_FACES: Mapping[str, str] = MappingProxyType({})
"""For what has no emoji."""
_NEGATED = re.compile(
    r"\b(?:not|never|no|without|hardly|barely|nor|isn't|aren't|wasn't|weren't|don't|doesn't|didn't)"
    r"(?:\s+\w+){0,2}\s*$"
)
_LOOK_BACK = 32
"""Characters before a cue in which a negation takes its sense away."""


EMOTIONS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "joy": any_of(
            r"""
            happy happier happiest happiness joy\w* delight\w* thrilled excited exciting ecstatic
            overjoyed elated cheerful yay+ woo+\s?hoo+ hooray wonderful fantastic magical
            over_the_moon on_cloud_nine buzzing stoked
            (?:can't|cannot|couldn't)_stop_(?:smiling|grinning|laughing) smil\w+ grin\w* laugh\w*
            giggl\w+ danc(?:ed|ing) best_(?:day|night|week|thing|feeling)(?:_\w+)? so_(?:much_)?fun
            such_fun i_love(?:d)?_(?:it|this|that|every) good_news great_news dream_come_true
            """
        ),
        "pride": any_of(
            r"""
            proud\w* pride i_(?:actually_|really_|finally_)?(?:did|made|nailed|managed|finished)_it
            we_(?:did|made)_it nailed_it never_(?:thought|believed|dreamed|dreamt)
            (?:didn't|did_not)_think_i_could by_myself on_my_own all_alone achiev\w+ accomplish\w+
            personal_best new_record (?:first|best)_in_(?:my|the)_\w+ medal award\w* honou?r\w*
            trophy i_(?:won|passed|built|earned|graduated) with_distinction top_of_(?:my|the)
            without_help look_what_i
            """
        ),
        "relief": any_of(
            r"""
            reliev\w+ relief phew thank_(?:god|goodness|heavens) thank_the_lord alhamdulillah
            finally_over it(?:'s|_is)_over all_clear benign negative_result
            (?:a_)?(?:weight|load|stone)_(?:is_)?(?:off|lifted|fell|gone)
            off_my_(?:chest|shoulders|mind)
            (?:can|could)_(?:finally_)?(?:breathe|sleep|relax|exhale)(?:_again)? breathe_again
            breathing_again at_last false_alarm nothing_(?:serious|bad|broken)
            slept_(?:well|through|like) lighter calmer calm_again dodged
            no_more_(?:waiting|worry\w*) turned_out_(?:fine|ok|okay|well) safe_and_sound
            """
        ),
        "gratitude": any_of(
            r"""
            grateful\w* gratitude thankful\w* thank(?:s|_you)_(?:so_much|for|to) appreciat\w+
            bless(?:ed|ing|ings)? bless_(?:you|her|him|them) means_(?:a_lot|so_much|the_world)
            (?:couldn't|could_not|wouldn't)_have_(?:done|made|got|managed)(?:_\w+){0,3}_without
            i_owe_(?:you|her|him|them) indebted so_kind kindness generous\w* how_lucky_(?:i|we)
            i(?:'m|_am)_(?:so_|very_)?lucky
            """
        ),
        "anxiety": any_of(
            r"""
            anxious\w* anxiety nervous\w* worr(?:y|ied|ies|ying|isome) stress\w* overwhelm\w* uneasy
            on_edge tense restless panic\w* butterflies overthink\w*
            (?:can't|cannot|couldn't|not)_sleep\w* lie_awake lying_awake awake_at_\w+ sleepless
            what_if (?:heart|mind|thoughts)_(?:is_|are_)?rac\w+ knot_in_my
            stomach_(?:is|in|hurts|churn\w*) jitter\w* dread\w* no_idea_(?:if|whether) pressure
            sweat\w* palpitations deadline too_much_at_once
            """
        ),
        "fear": any_of(
            r"""
            afraid scar(?:ed|es|y|ing) terrif\w+ frighten\w* fears? feared fearful petrified horror
            horrified nightmares? phobia i_don't_want_to_(?:die|lose) shak(?:ing|es|en) trembl\w+
            threat\w* danger\w* unsafe not_safe hide hiding alarmed might_(?:die|lose)
            could_(?:die|lose) going_to_die what_will_happen_to
            """
        ),
        "anger": any_of(
            r"""
            angr\w+ anger furious fury rag(?:e|ing) livid mad_(?:at|with) pissed outrag\w+ how_dare
            fuming seeth\w+ hate_(?:him|her|them|it|that|this) betray\w+ lied liars? lies unfair
            injustice insult\w* disgust\w* disrespect\w* cheat(?:ed|ing)? stole stolen thief thieves
            bastards? idiots? assholes? damn\w* bloody bullshit fuck\w* shit\w* hell_with shout\w*
            yell(?:ed|ing) scream\w* slam\w* the_nerve the_cheek how_could_(?:he|she|they|you)
            enough_is_enough blood_boil\w* revenge never_forgive
            """
        ),
        "sadness": any_of(
            r"""
            sad\w* cr(?:y|ied|ies|ying) tears? weep\w* wept sob\w*
            miss(?:ed|ing)?_(?:him|her|them|you|my|it|the|our) lonel\w+ grie(?:f|v\w+) mourn\w* died
            dead death passed_away funeral buried heartbr\w+ broken_heart empty emptiness depress\w*
            hopeless\w* sorrow\w* lost_(?:him|her|my|our|them|everything) gone_now is_gone
            without_(?:him|her) last_time_i_saw goodbye hollow numb unhappy hurts
            put_(?:him|her)_to_sleep nobody_(?:calls|comes|left)
            """
        ),
        "frustration": any_of(
            r"""
            frustrat\w+ annoy\w+ irritat\w* fed_up sick_of tired_of enough_of argh+ ugh+ grr+
            pointless useless ridiculous waste_of
            keeps?_(?:fail\w*|break\w*|crash\w*|losing|forgetting|happening|coming_back|getting)
            no_matter_(?:what|how) every_(?:single_)?time
            (?:still|again)_(?:not|no|nothing|doesn't|won't|broken|failing) doesn't_work won't_work
            not_working didn't_work nothing_works
            for_the_(?:third|fourth|fifth|tenth|hundredth|umpteenth)_time again_and_again
            over_and_over driv(?:es|ing)_me_(?:crazy|mad|nuts|insane) going_in_circles stuck give_up
            giving_up gave_up same_(?:mistake|error|answer|thing)_(?:again|every) impossible
            hopelessly i_could_scream
            """
        ),
    }
)
"""Cues of each emotion; without any the talk is neutral."""

FACES: Mapping[str, str] = MappingProxyType(
    {
        "joy": "😀😃😄😁😊🥰😍🤩🎉🎊🥳🎈💃🕺☀🌞😻",
        "pride": "💪🏆🥇🏅🎓😎",
        "relief": "😌😮🙌",
        "gratitude": "🙏🤗💐",
        "anxiety": "😰😥😓😬🫣😖",
        "fear": "😱😨😧",
        "anger": "😡😠🤬👿",
        "sadness": "😢😭💔😔😞🥺😿🖤",
        "frustration": "😤😩😫🙄😣🤦",
    }
)
"""Emoji that show an emotion."""

STATES: Mapping[UserState, re.Pattern[str]] = MappingProxyType(
    {
        UserState.BLOCKED: any_of(
            r"""
            wait(?:ing|ed)_(?:for|on|until|till) still_waiting on_hold
            can't_(?:\w+_){1,4}(?:until|till|before|without|because) until_(?:they|he|she|it|the)
            won't_(?:let|give|allow|approve|sign|answer|release|start) not_allowed refus\w+ rejected
            denied turned_(?:me|us|it)_down blocked blocks
            (?:stops?|stopping|keeps?|keeping|holds?|holding)_(?:me|us|everything|it|things)_(?:from|back|up)
            no_(?:answer|reply|permit|visa|money|budget) depends_on
            need(?:s)?_(?:a_|the_|their_|his_|her_)?(?:permit|approval|signature|licen[cs]e|visa|certificate|papers?)
            missing_(?:a|the|one|part) nothing_i_can_do out_of_my_hands broken injur\w+
            closed cancel+ed delayed shut_down locked_out frozen out_of_stock without_it_i
            """
        ),
        UserState.STUCK: any_of(
            r"""
            stuck no_idea don't_know_(?:how|what|where|which|if|whether|why)
            not_sure_(?:how|what|where|which|if|whether) going_(?:round_)?in_circles clueless
            can't_(?:decide|start|finish|begin|bring_myself|make_myself|seem_to|figure|find_a_way|stop|focus|write)
            can't_(?:get_(?:past|started|myself|anything))
            keep_(?:\w+_){0,2}(?:failing|rewriting|deleting|putting|postponing|forgetting)
            keep_(?:\w+_){0,2}(?:losing|starting|falling|making)
            procrastinat\w+ putting_it_off nothing_works tried_everything give_up giving_up gave_up
            again_and_again every_time same_(?:mistake|place|problem|sentence|page) blank
            back_to_(?:square_one|zero|the_start) torn lost relaps\w+ failed hopeless pointless
            going_nowhere no_progress for_(?:weeks|months)_now plateau
            """
        ),
        UserState.PROGRESSING: any_of(
            r"""
            progress\w*
            (?:getting|got|feels?|goes|going|is|much|a_bit|already)_(?:a_(?:bit|little|lot)_)?(?:better|easier|faster)
            (?:getting|got|feels?|goes|going|is|much|a_bit|already)_(?:a_(?:bit|little|lot)_)?(?:stronger|lighter|longer)
            improv\w+ better_than more_than_(?:last|before) so_far halfway half_way
            (?:finished|done|completed|wrote|managed|fixed|sorted)_(?:\w+_){0,3}(?:chapter|page|part|draft|step)
            (?:finished|done|completed|learned|learnt|cleared)_(?:\w+_){0,3}(?:level|module|lesson|one|two|three|\d+)
            up_(?:to|from) down_(?:to|from) from_\d+_to_\d+ now_i_can i_can_(?:now|already)
            for_the_first_time on_track step_by_step every_day_(?:now|this)
            \d+_(?:days|weeks|months)_(?:in|now|clean|sober|without|so_far|straight) in_a_row
            works_now working_now it_works it_worked keeps?_growing healing healed
            started_(?:to|with|the|my) moved_(?:to|my|the|it) second_(?:draft|week|month)
            this_(?:week|month)_i turns_out helped helps little_by_little
            """
        ),
        UserState.CELEBRATING: any_of(
            r"""
            we_(?:did|made|won)_it i_(?:did|made|won)_it i_(?:passed|got_in|got_the|got_it|won)
            passed got_(?:the|a|my)_(?:job|place|offer|visa|grant|flat|house|keys|prize|role|degree)
            accepted_me they_said_yes (?:she|he)_said_yes hired promoted signed engaged married
            was_born is_born it's_a_(?:boy|girl) birthday anniversary wedding graduat\w+ celebrat\w+
            champagne prosecco cake party toast(?:ed|ing)? cheers fireworks best_day dream_come_true
            finally!+ yes+!+ we_won sold_out first_(?:prize|place) medal trophy all_clear remission
            paid_off debt[-_]free can't_believe_it over_the_moon
            """
        ),
        UserState.PLANNING: any_of(
            r"""
            plan(?:s|ned|ning)? (?:i'm|i_am|we're|we_are)_(?:going_to|gonna)
            (?:i'll|i_will|we'll|we_will)_\w+ want_to i'd_like_to would_like_to hope_to intend\w*
            goal aim
            next_(?:week|month|year|spring|summer|autumn|fall|winter|step|time|\w+day)
            first_step step_one
            by_(?:the_end|january|february|march|april|may|june|july|august)
            by_(?:september|october|november|december|christmas|easter|\d+)
            in_(?:january|february|march|april|may|june|july|august)
            in_(?:september|october|november|december|spring|summer|autumn|winter)
            schedul\w+ timetable prepar\w+ book(?:ed|ing)?_(?:a|the|my|our) budget save_up
            saving_for thinking_(?:of|about) consider\w* options? how_(?:should|do|can|would)_i
            which_(?:one|way) start(?:ing|s)?_(?:on|in|from|with|next) list_of figure_out_how
            """
        ),
    }
)
"""Cues of each state; without any, or with two alike, the state is neutral."""


def count_cues(
    sentences: Sequence[Sentence],
    patterns: Mapping[str, re.Pattern[str]] | Mapping[UserState, re.Pattern[str]],
    faces: Mapping[str, str] = NO_FACES,
    *,
    give_way: Callable[[], None],
) -> Cues:
    """Return how often each name is shown in each sentence; what is denied does not count.

    Args:
        sentences: Of the users.
        patterns: Words, by name.
        faces: Emoji, by name; however many stand in a sentence, they count once.
        give_way: Called before each name.
    """
    found = {}
    for name, pattern in patterns.items():
        give_way()
        shown = faces.get(name, "")
        found[str(name)] = [_count(sentence, pattern, shown) for sentence in sentences]
    return found


def _count(sentence: Sentence, pattern: re.Pattern[str], faces: str) -> int:
    words = sum(
        1
        for cue in pattern.finditer(sentence.folded)
        if not _NEGATED.search(sentence.folded, max(0, cue.start() - _LOOK_BACK), cue.start())
    )
    return words + any(face in sentence.text for face in faces)
