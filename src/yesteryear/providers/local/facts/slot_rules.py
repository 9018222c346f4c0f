"""The forms in which statements tell a slot, as patterns. Data only; English.

``<name>`` stands for a piece of ``PIECES``. Each pattern is matched right after the person's name, ``DOES`` after a
space and ``OWNS`` after "'s ", and names what it finds ``value``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from yesteryear.core.fact import Cardinality


class Form(NamedTuple):
    """One form in which a slot is told."""

    attribute: str
    """May hold the name of a group of the pattern in braces."""
    cardinality: Cardinality
    pattern: str


def _one(attribute: str, *parts: str) -> Form:
    return Form(attribute, Cardinality.SINGLE, "".join(parts))


def _many(attribute: str, *parts: str) -> Form:
    return Form(attribute, Cardinality.MULTI, "".join(parts))


PIECES: Mapping[str, str] = {
    "lately": r"(?:(?:just|recently|finally|now|also|still|currently|already|officially|actually|both|happily) )*",
    "place": r"(?P<value>[A-Z][\w'.-]*(?:(?: (?:de|del|da|do|dos|la|le|of|the|am|upon))* [A-Z][\w'.-]*)*)",
    "home": (
        r"(?P<value>[A-Z][\w'.-]*(?:(?: (?:de|del|da|do|dos|la|le|of|the|am|upon))* [A-Z][\w'.-]*)*|(?:an?|the"
        r"|their|his|her) (?:[\w-]+ )?(?:flat|house|apartment|village|city|town|countryside|coast|farm|boat|van"
        r"|island|suburbs?|studio|dorm|cabin|mountains|[\w-]+ floor)(?: (?:in|near|on|of) [A-Z]\w+)?)"
    ),
    "any": r"(?P<value>[^,.;:()]+?)",
    "name": r"(?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)",
    "number": r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|many)",
    "called": r"(?: (?:called |named )?[A-Z]\w+)?",
    "hour": r"(?P<value>(?:about |around )?\d[\d:.]*(?: ?[ap]m)?|noon|midnight|dawn)",
    "date": r"(?P<value>(?:[A-Z]\w+day )?\d[\w: ]*?|[A-Z]\w+ \d[\w: ]*?)",
    "time of day": (
        r"(?:in the )?(?P<value>(?:early |late )?(?:mornings?|afternoons?|evenings?)|at (?:night|lunch(?:time)?"
        r"|noon|dawn|\d[\d:.]*(?: ?[ap]m)?)|(?:before|after|during) (?:work|breakfast|lunch|dinner|school|sunrise"
        r"|dark))"
    ),
    "end": (
        r"(?=$|[,.;:()]|\s[-\u2013\u2014]\s| (?:and|but|or|with|since|for|because|when|who|which|that|now|again"
        r"|until|till|so|where|while|if|as|after|before|at|instead|these days|right now|around \d|last|this|next"
        r"|today|yesterday|only|any ?more|in (?:the )?(?:\d{4}|January|February|March|April|May|June|July|August"
        r"|September|October|November|December|week|spring|summer|autumn|winter|early|mid|late)|on (?:the|\d|Mon"
        r"|Tues|Wednes|Thurs|Fri|Satur|Sun))\b)"
    ),
    "job": (
        r"(?P<value>(?:[\w-]+ ){0,2}?(?:nurse|teacher|doctor|surgeon|gp|vet|dentist|midwife|paramedic|pharmacist"
        r"|physio(?:therapist)?|therapist|psychologist|psychiatrist|carer|lawyer|solicitor|judge|notary"
        r"|accountant|bookkeeper|auditor|banker|economist|engineer|developer|programmer|designer|architect"
        r"|analyst|scientist|researcher|postdoc|professor|lecturer|student|librarian|journalist|editor|writer"
        r"|author|poet|translator|interpreter|photographer|painter|illustrator|musician|composer|cellist|pianist"
        r"|violinist|actor|actress|dancer|chef|cook|baker|butcher|barista|waiter|waitress|bartender|farmer"
        r"|shepherd|gardener|beekeeper|fisherman|forester|carpenter|joiner|plumber|electrician|mechanic|welder"
        r"|mason|builder|roofer|tailor|seamstress|cobbler|hairdresser|barber|beautician|cleaner|janitor|caretaker"
        r"|guard|driver|courier|pilot|sailor|captain|firefighter|policeman|policewoman|soldier|officer|priest"
        r"|pastor|imam|rabbi|nun|monk|salesman|saleswoman|shopkeeper|cashier|manager|secretary|receptionist"
        r"|consultant|recruiter|founder|entrepreneur|freelancer|intern|apprentice|miner|postman|postwoman"
        r"|astronomer|biologist|chemist|physicist|geologist|statistician|mathematician|historian|archaeologist"
        r"|curator|social worker|au pair|nanny|coach|trainer|referee|guide|stewardess|attendant|trucker))"
    ),
    "pet": (
        r"(?:[\w-]+ ){0,2}?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|hamsters?|rabbits?|guinea pigs?|parrots?"
        r"|budgies?|canary|canaries|tortoises?|turtles?|snakes?|lizards?|geckos?|horses?|pony|ponies|donkeys?"
        r"|goats?|sheep|chickens|hens|ferrets?|rats?|goldfish|parakeets?|greyhounds?|labradors?|poodles?"
        r"|terriers?|dachshunds?|spaniels?)"
    ),
    "child": r"(?:sons?|daughters?|kids?|child(?:ren)?|baby|babies|twins?|toddlers?)",
    "faith": r"(?P<value>Muslim|Christian|Catholic|Protestant|Orthodox|Hindu|Jewish|Buddhist|Sikh|atheist|agnostic)",
    "occasion": (
        r"(?P<which>(?:(?:next|final|driving|thesis|job|dentist|doctor|eye|visa|school|first|half) )*(?:wedding"
        r"|appointment|exam|interview|deadline|flight|surgery|operation|defen[cs]e|viva|test|move|recital|concert"
        r"|trip|start date|last day|first day|due date|graduation|hearing|check-up|scan|presentation|marathon"
        r"|race))"
    ),
}
"""Parts that several forms share."""

DOES: tuple[Form, ...] = (
    _one("residence", r"<lately>(?:lives|is living|is based|resides) <lately>(?:alone )?(?:in|at|near|on) <home>"),
    _one("residence", r"has <lately>(?:lived|been living|been based) in <place><end>"),
    _one(
        "residence",
        r"(?:has )?<lately>(?:moved|relocated|emigrated)",
        r" (?:back )?(?:from [A-Z]\w+ )?(?:back )?to <home>",
    ),
    _one("household", r"<lately>lives (?P<value>alone)<end>"),
    _many("household", r"<lately>(?:lives|moved in) with <any><end>"),
    _one("job", r"<lately>(?:works|started|is working|got a job|has been working) as (?:an? |the )?<any><end>"),
    _one("job", r"(?:is|became) <lately>an? <job><end>"),
    _one("job", r"has <lately>(?:been|become) an? <job><end>"),
    _one("job", r"(?:is|has been) <lately>(?P<value>retired|unemployed|self-employed)<end>"),
    _one(
        "employer",
        r"<lately>(?:works|is working|has been working|is employed) <lately>(?:at|for)",
        r" (?P<value>(?:an?|the|their|his|her) (?:[a-z][\w'&-]* ){0,2}[\w'&-]+?",
        r"|[A-Z][\w'&.-]*(?: [A-Z][\w'&.-]*)*)<end>",
    ),
    _one(
        "employer",
        r"(?:has )?<lately>(?:joined|started (?:work |working |a (?:new )?job )?at|got a",
        r" (?:new )?job at|took a job at)",
        r" (?:the )?(?P<value>[A-Z][\w'&.-]*(?: [A-Z][\w'&.-]*)*)<end>",
    ),
    _one("age", r"is (?:now )?(?P<value>1?\d?\d)(?: years old)?(?=$|[,;]|\.(?!\d)| and\b| now\b)"),
    _one("age", r"(?:has )?(?:just )?turned (?P<value>1?\d\d)\b"),
    _one("birthday", r"was born on (?:the )?<date><end>"),
    _one("birthplace", r"was born (?:and raised )?in <place><end>"),
    _one("birth year", r"was born in (?P<value>(?:19|20)\d\d)\b"),
    _one("hometown", r"<lately>(?:grew up in|(?:is|comes) (?:originally )?from) <place><end>"),
    _one(
        "form of address",
        r"(?:goes by|prefers to be called|likes to be called|wants (?:the assistant )?to",
        r" (?:be called|call them)) <name>",
    ),
    _one(
        "marital status",
        r"(?:is|got|has been) <lately>(?P<value>married|divorced|engaged|separated|widowed",
        r"|single|a widow(?:er)?)<end>",
    ),
    _one("marital status", r"(?:is|got) (?P<value>married|engaged) to\b"),
    _one("partner", r"is (?:dating|seeing|married to|engaged to) <name><end>"),
    _one(
        "number of children",
        r"has (?P<value>no|\d+|one|two|three|four|five|six|seven) (?:kids?|child(?:ren)?)<end>",
    ),
    _many("children", r"has (?P<value>(?:<number> )?(?:[\w-]+ ){0,2}?<child><called>)<end>"),
    _many("pet", r"has (?:got )?(?P<value>(?:<number> )?<pet><called>)<end>"),
    _many("pet", r"(?:has )?<lately>(?:adopted|got) (?P<value><number> <pet><called>)<end>"),
    _one(
        "diet",
        r"(?:is|became|went|has (?:gone|been",
        r"|become)) <lately>(?:an? )?(?:strict(?:ly)? )?(?P<value>vegan|vegetarian",
        r"|pescatarian|keto)<end>",
    ),
    _many("allergy", r"(?:is|has been) <lately>(?:severely |badly |highly )?allergic to <any><end>"),
    _many("allergy", r"has an? (?P<value>[\w ]+?) allergy<end>"),
    _many("allergy", r"is (?P<value>[\w-]+)[ -]intolerant<end>"),
    _many(
        "languages",
        r"(?:also |only )?speaks (?:fluent |some |good )?(?P<value>[A-Z]\w+(?:(?:, | and ",
        r"|, and )(?:some |a bit of |a little )?[A-Z]\w+)*)",
    ),
    _one(
        "weight",
        r"<lately>weighs (?:about |around )?(?P<value>\d[\d.,]*(?: ?(?:kg|kilos?|kilograms?",
        r"|lbs?|pounds|stone))?)",
    ),
    _one("height", r"is (?P<value>\d[\d.,]* ?(?:m|cm|metres?|meters?)(?: \d\d)?)(?: tall)?(?=$|[,.;]| and\b)"),
    _one("wake-up time", r"<lately>(?:wakes up|gets up|rises) <lately>(?:every (?:day|morning) )?at <hour>"),
    _one("bedtime", r"<lately>(?:goes to bed|goes to sleep) <lately>at <hour>"),
    _one(
        "{activity} time",
        r"<lately>(?:usually |always )?(?P<activity>runs|jogs|trains|works out|swims|studies",
        r"|writes|meditates|practises|practices) (?:every day )?<time of day>",
    ),
    _one(
        "{activity} time",
        r"(?:has )?<lately>(?:moved|switched|shifted) (?:their|his|her|the)",
        r" (?:[\w-]+ )?(?P<activity>runs?|running|training|workouts|gym|swims?|swimming",
        r"|studying|writing|meditation|practice)(?: sessions?)?(?: from [\w ]+?)? to",
        r" (?:the )?(?P<value>[\w:]+(?: [\w:]+)?)<end>",
    ),
    _one("religion", r"is (?:an? |a practising )?<faith><end>"),
    _one("handedness", r"is (?P<value>left-handed|right-handed|ambidextrous)\b"),
    _one("car", r"drives (?P<value>an? (?:[a-z]+ )?[A-Z][\w-]*(?: [A-Z\d][\w-]*)?)<end>"),
    _one("salary", r"earns (?P<value>[€$£]?\d[\d.,]*k?(?: ?(?:euros?|dollars?|pounds|[€$£]))?(?: (?:a|per) \w+)?)"),
)
"""What the person does or is: attribute, cardinality, pattern."""

OWNS: tuple[Form, ...] = (
    _one("residence", r"(?:home|residence) is (?:in )?<place><end>"),
    _one("job", r"(?:job|profession|occupation) is (?:an? |to be an? )?(?P<value>[a-z][\w-]*(?: [a-z][\w-]*)?)<end>"),
    _one("birthday", r"birthday is (?:on )?(?:the )?<date><end>"),
    _one("hometown", r"home ?town is <place><end>"),
    _one(
        "{which} name",
        r"(?P<which>full|last|maiden|married|first|middle|real|family) name is",
        r" (?:actually )?<name>",
    ),
    _one("name", r"name is (?:actually |really )?<name>"),
    _one("partner", r"(?:wife|husband|partner|boyfriend|girlfriend|fianc[ée]e?) is (?:called |named )<name><end>"),
    _one("favourite {which}", r"favou?rite (?P<which>[\w-]+(?: [\w-]+){0,2}?) is (?:still |now )?<any><end>"),
    _one("weight", r"weight is (?:now )?(?P<value>\d[\d.,]*(?: ?[a-z]+)?)"),
    _one("height", r"height is (?P<value>\d[\d.,]*(?: ?[a-z]+)?)"),
    _one(
        "{which}",
        r"<occasion> (?:is|was moved to|has been moved to|got moved to|is now)",
        r" (?:now )?(?:on |at |in )?(?:the )?<date><end>",
    ),
    _one(
        "{which}",
        r"(?P<which>(?:phone )?number|e-?mail(?: address)?|address|blood type|shoe size",
        r"|ring size|budget|rent|salary|pronouns|star sign|gpa|handicap) (?:is|are)",
        r" (?:now )?(?P<value>[^,;()]+?)(?=$|\.(?:\s|$)|[,;()])",
    ),
    _many(
        "{which}",
        r"(?P<which>therapist|doctor|dentist|boss|manager|supervisor|landlord|landlady",
        r"|trainer|tutor|dog|cat|horse|boat|son|daughter|sister|brother|best friend) is",
        r" (?:called|named) <name>",
    ),
)
"""What is the person's."""

ACTIVITIES: Mapping[str, str] = {
    **dict.fromkeys(("run", "runs", "running", "jogs"), "running"),
    **dict.fromkeys(("trains", "training", "workouts", "works out", "gym"), "training"),
    **dict.fromkeys(("swim", "swims", "swimming"), "swimming"),
    **dict.fromkeys(("studies", "studying"), "studying"),
    **dict.fromkeys(("writes", "writing"), "writing"),
    **dict.fromkeys(("meditates", "meditation"), "meditation"),
    **dict.fromkeys(("practises", "practices", "practice"), "practice"),
}
"""What one does at a regular time of the day, by the words for it."""

RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(("mother", "mum", "mom"), "mother"),
    **dict.fromkeys(("father", "dad"), "father"),
    **dict.fromkeys(("grandmother", "grandma", "gran"), "grandmother"),
    **dict.fromkeys(("grandfather", "grandpa"), "grandfather"),
    **dict.fromkeys(("partner", "fiancé", "fiancée"), "partner"),
    **dict.fromkeys(("flatmate", "roommate", "housemate"), "flatmate"),
    **{
        word: word
        for word in (
            *("wife", "husband", "boyfriend", "girlfriend", "son", "daughter", "sister", "brother", "aunt", "uncle"),
            *("cousin", "niece", "nephew", "grandchild", "grandson", "granddaughter", "mother-in-law", "father-in-law"),
            *("best friend", "friend", "boss", "colleague", "neighbour", "ex"),
        )
    },
}
"""Words for people of whom something may be told, and the one used in the attribute."""
ONLY_ONE = frozenset(
    {"mother", "father", "wife", "husband", "partner", "boyfriend", "girlfriend", "boss", "best friend"}
)
"""Relations of which one mostly has one: what is single for them is single in the slot as well."""
