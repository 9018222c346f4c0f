"""Word lists that tell what a statement is like: its tense, its cues of change, whom it is about.

English, general knowledge of words; nothing about any data. Patterns expect text that went through ``fold``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from yesteryear.core.language.lexicon import phrases
from yesteryear.core.language.tokens import stem, word_set, words


def _groups(listed: str) -> dict[str, str]:
    """Map the stem of each word of a line to the stem of its first word."""
    return {
        stem(word): stem(line.split()[0])
        for line in listed.strip().split("\n")
        for word in words(line.replace("_", " "))
    }


SAME_WORD = _groups("""
    mother mum mom mama mummy mam
    father dad papa daddy
    grandmother gran granny grandma nan
    grandfather grandad grandpa granddad
    child kid kids children youngster
    baby newborn infant
    flat apartment
    bicycle bike bikes
    motorbike motorcycle
    car automobile
    lift elevator
    sofa couch settee
    phone mobile smartphone cellphone
    television tv telly
    film movie
    photo picture photograph
    shop store
    job post position
    holiday vacation
    doctor gp physician
    euro euros eur
    pound pounds gbp
    big large
    start begin began begun
    buy bought purchase
    licence license
    colour color
    grey gray
    centre center
    programme program
    favourite favorite fave
    mathematics maths math
    exam test examination
    boss manager supervisor
    firm company employer
    laptop notebook
    colleague coworker
    neighbour neighbor
    deadline due
    surgery operation operated
    tablet pill
    quick fast
    speak speaks spoke spoken
    study studies studied
    teach taught teaches
    run ran runs
    eat ate eaten
    drive drove driven
    write wrote written
    meet met
    leave left
    go went gone goes
    get got gotten
    give gave given
    take took taken
    make made
    sell sold
    lose lost
    win won
    pay paid
    say said
    tell told
    think thought
    know knew known
    keep kept
    sleep slept
    grow grew grown
    break broke broken
    fall fell fallen
    choose chose chosen
    swim swam swum
    ride rode ridden
    wear wore worn
    feel felt
    bring brought
    build built
    spend spent
    lend lent
    send sent
    sing sang sung
    die died dead death
    marry married marriage wedding wed
    birth born
    weigh weight weighs
    earn earns salary wage
    live lives lived
    reside residence
    name named called
    own owns owner
    work works working
    allergic allergy
    woman women
    man men
    foot feet
    tooth teeth
    wife wives
    person people
    nothing nobody none
    adviser advisor
    repair fix mend
    rent rental
    fridge refrigerator
    cooker stove oven
    afraid scared frightened
    ill sick unwell
    cancel cancelled canceled
    organise organize
    finish complete
    daycare nursery kindergarten
""")
"""Words that mean nearly the same, and irregular forms, by stem; what is compared is the first of its line."""

KIN = frozenset(
    stem(word)
    for word in words("""
    mother father parent parents sister brother sibling siblings twin son daughter child wife husband spouse
    partner boyfriend girlfriend fiance fiancee ex grandmother grandfather grandparent grandparents grandson
    granddaughter grandchild aunt auntie uncle cousin nephew niece godmother godfather godson goddaughter friend
    mate pal buddy colleague boss neighbour landlord landlady flatmate roommate housemate lodger tenant
    stepfather stepmother stepson stepdaughter dog puppy cat kitten rabbit tortoise parrot hamster horse python
    team
""")
)
"""Whom or what a possessive may lead to, by stem: another subject than the owner."""

_CONTRASTS = """
left | right
front | back rear
upper top | lower bottom
inside indoors indoor | outside outdoors outdoor
elder older eldest oldest | younger youngest | middle
first | second | third | fourth | last final
morning mornings breakfast dawn | noon lunch afternoon afternoons | evening evenings dinner supper | night nights
weekday weekdays | weekend weekends
summer | winter | spring | autumn
home house flat | office work desk | school
work business company professional | private personal
north northern | south southern | east eastern | west western
mother's maternal mum's | father's paternal dad's
coffee | tea | milk | juice | water
knee | shoulder | back | hip | elbow | ankle | wrist | neck | ear | eye | tooth | foot | hand | head
breakfast | lunch | dinner
ios iphone | android
frontend | backend
production live prod | staging test
old former previous ex | new current present
car | bike bicycle motorbike | train | bus tram | plane
upstairs | downstairs
red | blue | green | yellow | black | white
city town | country village countryside
"""


def _sides(listed: str) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for contrast, line in enumerate(listed.strip().split("\n")):
        for side, members in enumerate(line.split("|")):
            for word in members.split():
                found[word] = (*found.get(word, ()), (contrast, side))
    return found


CONTRASTS = _sides(_CONTRASTS)
"""Words that tell two cases of one thing apart, with the number of their contrast and of their side in it: what is said
of one case does not touch the other."""

VAGUE = phrases(
    r"""
    some(?:one|thing|where|body|time|how|what)? a_few several certain any(?:one|thing)? kind_of sort_of a_kind one_of
    thing things stuff a_while an?_(?:animal|instrument|sport|pet|language|hobby|job|place|problem|person|vehicle|event)
    in_the_(?:north|south|east|west)
    has_to_do_with around about roughly approximately various lately recently soon sometimes problem problems trouble
    issue issues relative abroad away going_away big little bit
    """
)
CHANGE = phrases(
    r"""
    now no_longer not_any_?more anymore any_more nowadays these_days currently since switched switch changed change
    moved moves moving left quit stopped gave_up given_up giving_up started starts began replaced instead became becomes
    has_become swapped sold new newly again back finally at_last up_to down_to used_to promoted postponed pushed_back
    moved_to rescheduled brought_forward cancel+ed reversed changed_\w+_mind after_all got finished finally just
    has_been turned grown dropped raised cut recovered healed gone passed retired resigned hired fired married divorced
    engaged separated broke_up split_up died born reopened closed migrated upgraded last_(?:week|month) as_of
    from_now_on over_to in_the_end meanwhile by_now ended is_over done_with already went_up went_down lost found
    accepted rejected turned_down withdrew signed fixed resolved solved repaired arrived came_through granted
    """
)
STILL = phrases(
    "still always never has_always ever remains as_ever lifelong all_(?:his|her|their)_life since_childhood"
)
CORRECTION = phrases(
    r"""
    correction corrected correct actually in_fact not_as mistaken mistake wrong wrongly misheard in_truth rather_than
    contrary_to despite was_right after_all never_mind real really as_noted as_recorded turns_out typo misremembered
    """
)
PLAN = phrases(
    r"""
    plans? planned planning will going_to wants? wanted hopes? hoping intends? would_like would_love about_to next
    tomorrow considering thinking_of thinks_about looking_for applied applying waiting wait training_to learning_to
    dreams_of decided_to expects? due ambition aims? wishes trying_to tries_to signed_up until soon
    """
)
USED_TO = phrases(
    r"""
    used_to once as_a_(?:child|kid|boy|girl|teenager|student) formerly former previously at_school back_then before old
    """
)
PAST = phrases(
    r"""
    was were did didn't wasn't weren't had went got came left met took gave made saw said told bought sold lost won ran
    ate drove wrote thought knew kept slept grew broke fell chose swam rode wore felt brought built spent lent sent sang
    stood sat read heard held led became began began forgot taught caught fought spoke stole threw woke hit cut put set
    paid beat hurt let cost found flew drew drank shot shut won \w{2,}[^e\W]ed
    """
)
PERFECT = phrases(
    r"(?:has|have|hasn't|haven't|had|'s|'ve)_(?:\w+ly_|just_|never_|been_|not_|already_|finally_)?\w+(?:ed|en|own|ung|ought|aught|one|ade|old|eft|et)"
)
PRESENT = phrases(
    r"""
    is are am isn't aren't has have does doesn't do don't can can't cannot likes? lives? works? wants? knows? keeps?
    plays? owns?
    """
)
TIMELESS = phrases(
    r"""
    born birthday birthplace birth blood_(?:type|group) native mother_tongue surname maiden_name grew_up twin
    biological was_named middle_name star_sign zodiac nationality height eldest youngest graduated degree_in
    died met first in_(?:19|20)\d\d
    """
)
SINGLE = phrases(
    r"""
    favou?rite lives? weighs? is_(?:a|an|the)? age aged years_old tall single main only best usual current capital
    (?:line_)?manager boss landlord landlady husband wife surname name birthday address job salary earns? deadline due
    reports_to runs_on drives married home number costs? starts_at ends_at opens closes begins takes_place
    headquarters size budget rate status version date price rent title role works_(?:at|for|as)
    """
)
MULTI = phrases(
    r"""
    likes? loves? enjoys? hates? dislikes? knows? speaks? owns? has plays? collects? allergic afraid visited been_to
    read watched bought ate cooks? friends? hobby hobbies also another other besides too as_well one_of uses can
    certified good_at bad_at worked_on spoke_at wrote met went_to plans_to wants_to
    """
)
ALSO = phrases(
    "also another other too besides as_well in_addition additionally second extra apart_from both either plus"
)
UNIVERSAL = phrases(
    r"""
    all every everyone everybody everything always never none nobody no_one nothing nowhere anything anyone anybody only
    nobody_but nothing_but exclusively entire whole each completely at_all one_and_only without_exception not_once
    """
)
NEGATORS = word_set("""
    not no never none nobody nothing neither nor without cannot cant can't don't dont doesn't doesnt didn't didnt isn't
    isnt aren't wasn't weren't won't wont hasn't hasnt haven't hadn't wouldn't shouldn't couldn't mustn't needn't ain't
    hardly barely scarcely nowhere lacks lack nor
""")
EXCEPTION = phrases("except but apart_from unless other_than only_when only_on only_if besides aside_from save_for")
DETAIL = phrases(
    r"""
    because so_that which who whose called named with namely such_as especially above_all particularly including when
    where after before by_the mostly mainly for_example about from made_of every
    """
)
OPENERS = re.compile(
    r"^(?:(?:so|um+|uh+|yeah|well|ok(?:ay)?|btw|fyi|oh|hey|like|you know|please|note|remember(?: that)?|"
    r"user says?(?: that)?|correction(?: from [^:,]{1,30})?)[:,]?\s+)+"
)
"""Words before what is stated."""

ORDINARY = word_set("""
    after before since until during when while although though because if as at by for from in into of on onto to with
    without despite thanks today yesterday tomorrow tonight now then here there people someone somebody everyone
    everybody nobody no every each all both most many some any little young old new last next first second third only
    even still just never always often sometimes nothing something everything correction mother father mum dad grandma
    grandpa uncle aunt sister brother lunch dinner breakfast meetings work home sales winter summer spring autumn
    evenings mornings weekends weekdays not neither either half put give feed ask tell money one two three four five six
    seven eight nine ten eleven twelve
""")
"""Words that begin sentences and are nobody's name there."""

_UNITS = """
mass: kg kilo kilos kilogram kilograms 1, g gram grams .001, lb lbs .4536, stone 6.35, t tonnes tons 1000
length: m metre metres meter meters 1, cm centimetres .01, mm .001, ft foot feet .3048, inch inches .0254
distance: km kilometre kilometres kilometers 1, mile miles 1.609
money: euro euros eur pound pounds dollar dollars usd kroner kronor francs yen rupees quid 1, cents .01, grand 1000
share: percent 1
hours: hour hours hr hrs h 1, minute minutes min mins .016667
days: day days 1, fortnight 14, week weeks 7, month months 30.4
years: year years yr yrs 1, decade decades 10
volume: litre litres liter liters l 1, ml .001, gallon gallons 4.546
heat: degrees celsius 1
data: gb 1, tb 1000, mb .001
"""


def _units(listed: str) -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for kind, _, sizes in (line.partition(": ") for line in listed.strip().split("\n")):
        for group in sizes.split(", "):
            *names, size = group.split()
            found |= {name: (kind, float(size)) for name in names}
    return found


UNITS = _units(_UNITS)
"""Kind of quantity of each unit, and how much of the kind's own unit it is. One kind of money is not told from
another: statements about one thing seldom differ in that alone."""
MONEY = frozenset(name for name, (kind, _) in UNITS.items() if kind == "money")
TENS = {
    name: 10.0 * ten
    for ten, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
NUMBERS: Mapping[str, float] = {
    **{
        name: float(number)
        for number, name in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen".split()
        )
    },
    **TENS,
    "dozen": 12.0,
    "couple": 2.0,
    "pair": 2.0,
    "half": 0.5,
    "once": 1.0,
    "twice": 2.0,
}
POWERS: Mapping[str, float] = {"hundred": 100.0, "thousand": 1000.0, "k": 1000.0, "million": 1_000_000.0}
TIMES = frozenset({"once", "twice"})
NUMBER_WORDS = frozenset(NUMBERS) | frozenset(POWERS)
A_WEEK: Mapping[str, float] = {"day": 7.0, "daily": 7.0, "week": 1.0, "month": 0.25, "year": 0.02}
"""How often a week something is that happens once in this period."""
