"""What a statement about a person bears on that nobody may lose by one sentence: their safety, and who they are.

Word lists and what they tell, in one place. English, general knowledge of words. A statement bears on a matter by its
slot or by its words, whether it affirms or denies it: "is not allergic to nuts" bears on allergies as "is allergic to
nuts" does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from yesteryear.core.fact import Slot
from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.language.tokens import stem, stems, words

_CHARS = 600
"""Characters read of a statement, which is a sentence."""
_REACH = 5
"""Most words between what denies and the matter that it denies."""


@dataclass(frozen=True, slots=True)
class Matter:
    """Something about a person that must not be lost."""

    words: re.Pattern[str]
    """What tells of it, in folded text."""
    slots: re.Pattern[str]
    """Attributes that belong to it; what is told of a relative has the relation in front."""
    is_safety: bool = True
    """Whether somebody may come to harm where it is not known; else it is about who somebody is."""
    ends_lightly: bool = False
    """Whether it commonly ends or changes, so that "no longer" or "now" tells that it did; else it takes more."""


_DRUG = (
    r"\w*(?:cillin|mycin|floxacin|conazole|prazole|\wpril|sartan|\wolol|dipine|statin|formin|gliptin|gliflozin|glutide"
    r"|oxetine|triptyline|azepam|azolam|codone|profen|coxib|nisone|nisolone|setron|xaban|thiazide|semide|thyroxine"
    r"|phylline|lukast|\wcycline|zumab|ximab|umab|tinib|virine|ciclovir|peridone|etiapine|pentin|gabalin|triptan)s?"
)
MATTERS: Mapping[str, Matter] = {
    "allergy": Matter(
        phrases(
            r"""
            allerg\w+ \w*-?intoleran\w+ intoleran(?:t|ce|ces) anaphyla\w+ epi-?pens? c(?:o)?eliac hay_fever
            reacts?_(?:badly|to) reaction_to sensitive_to sensitivity_to brings?_(?:\w+_)?out_in
            """
        ),
        re.compile(r"\b(?:allerg(?:y|ies)|intolerances?)$"),
    ),
    "restriction": Matter(
        phrases(
            r"""
            (?:can't|cannot|can_not|must_not|mustn't|may_not|shouldn't|should_not|not_allowed_to|not_supposed_to|unable_to|forbidden_to|has_to_avoid|must_avoid|have_to_avoid)_(?:\w+_){0,2}(?:eat|drink|take|swallow|ingest|inhale|tolerate)
            (?:has|have)_to_avoid must_avoid (?:not|n't)_tolerate(?:_\w+)?
            """
        ),
        re.compile(r"\brestrictions?$"),
    ),
    "medicine": Matter(
        phrases(
            rf"""
            medications? medicines? meds pills? tablets? inhalers? insulin antibiotics? blood_thinners? painkillers?
            steroids? antidepressants? antihistamines? beta_?-?blockers? statins? contracepti\w+ chemo(?:therapy)?
            radiotherapy dialysis hormone_(?:therapy|replacement)_?(?:therapy)? hrt vaccin\w+ injections? prescri\w+
            (?:\d[\d.,]*)_?(?:mg|mcg|micrograms?|milligrams?|iu) warfarin aspirin paracetamol acetaminophen lithium
            methotrexate levodopa valpro\w+ lamotrigine carbamazepine phenytoin digoxin heparin morphine codeine
            tramadol methadone naltrexone bupropion mirtazapine salbutamol ventolin ritalin adderall ozempic ssris?
            dos(?:e|es|age) {_DRUG}
            """
        ),
        re.compile(r"\b(?:medications?|medicines?|drugs?|dos(?:e|age)|treatments?)$"),
        ends_lightly=True,
    ),
    "illness": Matter(
        phrases(
            r"""
            diabet\w+ asthma\w* epilep\w+ seizures? cancer\w* tumou?rs? leuka?emia lymphoma melanoma carcinoma
            hypertension (?:high|low)_blood_pressure heart_(?:disease|condition|failure|attack|murmur|problems?)
            arrhythmia strokes? copd emphysema h\.?i\.?v\.?(?:-positive)? aids crohn\w* ib[sd] lupus
            multiple_sclerosis parkinson\w* alzheimer\w* dementia migraines? clinical_depression depressi(?:on|ve)
            bipolar schizo\w+ anxiety_disorder panic_(?:disorder|attacks?) ptsd ocd adhd autis\w+ asperger\w*
            anorexi\w+ bulimi\w+ ana?emi[ac] ha?emophili\w+ thyroid\w* hypothyroid\w+ hyperthyroid\w+ cystic_fibrosis
            sickle_cell endometriosis pcos osteoporosis glaucoma tuberculosis malaria covid\w* psoriasis eczema
            scoliosis cirrhosis thrombosis embolism fibromyalgia neuralgia neuropathy apn(?:o)?ea insomnia narcolepsy
            \w+itis alcoholi(?:c|sm) addict(?:ed|ion) sober immunocompromised immunosuppressed transplant\w*
            pacemaker stent (?:disease|disorder|syndrome|deficiency|infection|illness|health_condition)s?
            diagnos(?:ed|is) suffers?_from suffering_from chronic(?:ally)?
            """
        ),
        re.compile(r"\b(?:illness(?:es)?|conditions?|diseases?|diagnos[ei]s|health)$"),
    ),
    "pregnancy": Matter(
        phrases(
            r"""
            pregnan\w+ expecting_(?:an?|our|my|their|her|another|twins) trimester breast-?_?feed\w* miscarr\w+
            baby_on_the_way trying_(?:to_conceive|for_a_baby)
            """
        ),
        re.compile(r"\bpregnan\w+$"),
        ends_lightly=True,
    ),
    "blood": Matter(
        phrases(r"blood_(?:type|group) rh(?:esus)?[-_](?:positive|negative) (?:a|b|ab|o)[-_](?:positive|negative)"),
        re.compile(r"\bblood (?:type|group)$"),
    ),
    "disability": Matter(
        phrases(
            r"""
            disab\w+ wheelchairs? blind deaf hard_of_hearing paraly[sz]\w+ \w+plegi[ac]s? amput\w+ prosthe\w+ crutches
            guide_dog hearing_aids? cochlear (?:visually|hearing|mobility)[-_]impaired colou?r-?_?blind\w* dyslexi\w+
            """
        ),
        re.compile(r"\bdisabilit\w+$"),
    ),
    "diet": Matter(
        phrases(
            r"""
            vegans? vegetarians? pescatarians? halal kosher \w+-free (?:sugar|salt|gluten|dairy|lactose|nut)_free
            teetotal\w* (?:doesn't|does_not|don't|do_not|never)_(?:eats?|drinks?|touch(?:es)?) eats?_no drinks?_no
            low-?_?(?:salt|sodium|carb|fodmap|fat|sugar) diet
            """
        ),
        re.compile(r"\bdiets?$"),
        ends_lightly=True,
    ),
    "name": Matter(
        phrases(r"(?:\w+_)?(?:sur)?name_(?:is|was) (?:is|am|be|was)_(?:called|named) goes_by go_by maiden_name"),
        re.compile(r"\b(?:name|form of address)$"),
        is_safety=False,
        ends_lightly=True,
    ),
    "birth": Matter(
        phrases(r"(?:was|were|is)_born birthday birthdate birth_?date date_of_birth birth_?place year_of_birth"),
        re.compile(r"\b(?:birthday|birth ?date|date of birth|birth ?place|birth year|age at birth)$"),
        is_safety=False,
    ),
    "gender": Matter(
        phrases(
            r"""
            pronouns? (?:he|she|they)/(?:him|her|them) transgender cisgender non-?_?binary gender\w*
            (?:is|am)_an?_(?:(?:cis|trans)_)?(?:woman|man|girl|boy|male|female) trans_(?:wo)?man identif(?:y|ies)_as
            gay lesbian bisexual asexual pansexual queer heterosexual homosexual sexual_orientation
            """
        ),
        re.compile(r"\b(?:pronouns|gender|sex|sexual orientation)$"),
        is_safety=False,
        ends_lightly=True,
    ),
    "origin": Matter(
        phrases(
            r"""
            nationalit\w+ citizen\w* passport ethnic\w* native_(?:language|tongue|speaker) mother_tongue
            (?:comes|come|is|am)_(?:originally_)?from home_?town grew_up_in
            (?:is|am)_(?:half_|part_|an?_)*(?:french|german|dutch|greek|czech|swiss|thai|welsh|roma|arab|american|african)
            """
        ),
        re.compile(r"\b(?:nationality|citizenship|ethnicity|hometown|birthplace|native language)$"),
        is_safety=False,
    ),
    "faith": Matter(
        phrases(
            r"""
            religio(?:n|us) muslim islam christian catholic protestant orthodox hindu jewish jew buddhist sikh atheist
            agnostic mormon
            """
        ),
        re.compile(r"\b(?:religion|faith)$"),
        is_safety=False,
        ends_lightly=True,
    ),
}
"""All matters, by name."""

_DEMONYM = re.compile(
    r"\b(?:is|am) (?:half |part |originally |an? |both )*[A-Z]\w{2,}(?:ese|ish|ian|ean|can|ani|aqi|abi|aeli)\b"
)
"""Of which people somebody is, in text as it was written."""
_DENIALS = phrases(
    r"""
    not no never none n't neither nor without cannot cant free_of clear_of off lost lacks? wasn't isn't doesn't don't
    didn't hasn't haven't aren't won't dont doesnt isnt hasnt no_longer stop(?:s|ped)? quits? gave_up given_up
    discontinued outgr[eo]w\w* grew_out_of cured recovered negative_for rid_of misdiagnosed ruled_out
    """
)
"""What denies the matter that follows within a few words."""
_OVER = phrases(
    r"""
    is_gone has_gone went_away gone_away is_over cleared_up in_remission any_?more cured came_back_negative
    ruled_out was_wrong was_a_mistake has_ended has_healed
    """
)
"""What says after a matter that it is no more."""
_RESTRICTS = phrases(
    r"""
    (?:can't|cannot|can_not|must_not|mustn't|may_not|shouldn't|should_not|not_allowed_to|not_supposed_to|unable_to)(?:_\w+){0,2}_(?:eat|drink|take|swallow|ingest|inhale|tolerate|touch)
    (?:doesn't|does_not|don't|never)(?:_\w+){0,2}_(?:eats?|drinks?|tolerates?|touch(?:es)?) must_avoid has_to_avoid
    avoids
    """
)
"""What says that somebody is to keep off something: the denial in it denies no allergy."""
_CONSUMES = phrases(
    r"""
    (?:can|may|could|able_to|allowed_to|fine|ok(?:ay)?|safe_to)(?:_\w+){0,2}_(?:eat|drink|take|have|eating|tolerate)
    eats? drinks? takes?_(?!part|place|care|time) is_fine_with is_ok(?:ay)?_with
    """
)
"""What says that somebody takes something in, or may."""
_EATING = frozenset({"allergy", "restriction", "diet"})
"""Matters that keep somebody from taking something in."""

_FOUND = phrases(
    r"""
    turn(?:s|ed)?_out after_all (?:came|come|comes|was|were|is|are)_back_(?:\w+_)?(?:negative|clear|clean|fine|normal)
    test(?:ed|s)_negative_for tested_negative tests?_(?:was|were)_negative misdiagnosed wrong(?:ly)?_diagnos\w+
    false_positive ruled_out outgr[eo]w\w* gr[eo]wn?_out_of cured recovered in_remission all[-_]clear cleared_of
    desensiti[sz]ed gave_birth given_birth was_born were_born is_born had_(?:the|our|my|her|their)_baby delivered
    miscarr\w+ lost_the_baby abortion terminat\w+
    (?:doctors?|gp|allergist|specialist|consultant|midwife|nurse|surgeon|psychiatrist|cardiologist|pharmacist|hospital|clinic|lab)_(?:has_|have_|just_)*(?:says?|said|told|confirmed|took|taken|stopped|switched|put|ruled|cleared|changed|found)
    (?:took|taken|take|weaned|came|come|coming|got)_(?:\w+_){0,2}off stopped_(?:taking|using|my|the|his|her|their)
    chang(?:ed|ing)_(?:my|her|his|their|our|the|its)(?:_\w+)?_(?:name|surname|pronouns|gender|nationality|citizenship|birthday|religion|diet|dose|medication|meds)
    legally deed_poll renamed naturali[sz]ed became_an?_(?:\w+_)?citizen
    got_(?:my|the|an?|her|his|their)_(?:\w+_)?(?:citizenship|passport)
    transition(?:ed|ing) came_out_as convert(?:ed|ing)_to
    took_(?:my|his|her|their)_(?:husband|wife|partner|spouse|maiden)'?s?
    switched_(?:from|to|me) replaced_(?:by|with)
    (?:i|we|they|you|he|she|it)_(?:was|were|got_it|had_it)_(?:wrong|mistaken) made_a_mistake my_mistake typo misspoke
    mis-?remembered mixed_(?:it|that|them)_up correction to_correct correcting_myself
    not_\w+(?:_\w+)?_as_i_(?:said|told)
    """
)
"""What tells that something was found out, done or corrected: more than that it is otherwise."""
_CHANGED = phrases(
    r"""
    no_longer any_?more now nowadays these_days used_to stopped quit gave_up given_up started began switched changed
    became become becoming went_(?:vegan|vegetarian|back) as_of from_now_on since finished done_with ended
    last_(?:week|month|year) until_(?:last|recently) recently new
    """
)
"""What tells that something is otherwise than before, and no more than that."""

_GENERAL = frozenset(
    stem(word)
    for word in words("""
    allergy allergies allergic intolerance intolerances intolerant anything any anymore more longer all everything
    nothing something medication medications medicine medicines meds pill pills tablet tablets drug drugs take takes
    taking took taken eat eats eating drink drinks have has had having got get illness illnesses disease condition
    conditions health healthy problem problems disability disabilities disabled pregnant pregnancy expecting baby blood
    type group diet food foods now still currently off on stop stopped quit know known knows at really actually anymore
    suffer suffers suffering diagnosed diagnosis diagnose longer no not never free turn turns turned after use uses
    using used can could may must allow allowed able fine safe avoid avoids severe severely bad badly mild mildly
    slight slightly strong strongly deadly terribly very highly life long lifelong time day daily week today since
    """)
)
"""Stems that say of a matter nothing but that it is there."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """What a statement says of the matters it bears on."""

    matters: frozenset[str]
    denies: bool
    """Whether it says that it is not so, or no more."""
    consumes: bool
    """Whether it says that somebody takes something in, or may."""
    objects: frozenset[str]
    """Stems of what it is about: penicillin, epilepsy; empty where it is about all or nothing."""

    @property
    def is_guarded(self) -> bool:
        """Whether one sentence must not end it."""
        return bool(self.matters)

    @property
    def is_safety(self) -> bool:
        """Whether somebody may come to harm where it is not known."""
        return any(MATTERS[name].is_safety for name in self.matters)


@lru_cache(maxsize=20_000)
def read_bearing(statement: str, subject: str = "", slot: Slot | None = None) -> Bearing:
    """Return which matters of safety or identity a statement in the third person bears on, and what it says of them.

    Args:
        statement: One sentence.
        subject: The person's name as it stands in the statement; it says nothing.
        slot: What the statement fills in, where that is known.
    """
    text = fold(statement[:_CHARS])
    if subject:
        text = re.sub(rf"\b{re.escape(fold(subject))}\b('s)?", " they ", text)
    found = {name: match.start() for name, matter in MATTERS.items() if (match := matter.words.search(text))}
    if slot is not None:
        attribute = slot.attribute.casefold()
        found = {name: len(text) for name, each in MATTERS.items() if each.slots.search(attribute)} | found
    if _DEMONYM.search(statement[:_CHARS]):
        found.setdefault("origin", len(text))
    restricts = _RESTRICTS.search(text) is not None
    if restricts and not found:
        found["restriction"] = 0
    return Bearing(
        matters=frozenset(found),
        denies=bool(found) and not restricts and _is_denied(text, min(found.values())),
        consumes=not restricts and _CONSUMES.search(text) is not None and not _is_denied(text, len(text)),
        objects=frozenset(stems(text)) - _GENERAL,
    )


def _is_denied(text: str, at: int) -> bool:
    """Tell whether something before a place denies what stands there, or something behind it says that it is over."""
    before = [match.end() for match in _DENIALS.finditer(text, 0, at)] if at else []
    is_near = any(len(words(text[end:at])) <= _REACH for end in before) if at < len(text) else bool(before)
    return is_near or _OVER.search(text) is not None


def disagree(one: Bearing, other: Bearing) -> bool:
    """Tell whether of two statements about one person only one can hold, since one flatly denies the other.

    They bear on the same matter and the same thing, or one of them on all things of its kind ("has no allergies").
    """
    is_same = bool(one.objects & other.objects) or not one.objects or not other.objects
    if not is_same:
        return False
    if one.matters & other.matters and one.denies != other.denies:
        return True
    return any(
        keeps.matters & _EATING and not keeps.denies and takes.consumes and bool(keeps.objects & takes.objects)
        for keeps, takes in ((one, other), (other, one))
        if not takes.matters & _EATING or takes.denies
    )


def tells_change(text: str, matters: frozenset[str]) -> bool:
    """Tell whether words say that what they bear on has changed, was found out or corrected, not only that it is so.

    For what commonly ends (a medicine, a pregnancy, a name) "no longer" or "now" suffices; an allergy, an illness or a
    birth date takes more: "turns out", "the test came back negative", "I was wrong".

    Args:
        text: As the person said it.
        matters: Those that the older statement bears on.
    """
    folded = fold(text[: 4 * _CHARS])
    is_light = all(MATTERS[name].ends_lightly for name in matters)
    return _FOUND.search(folded) is not None or (is_light and _CHANGED.search(folded) is not None)
