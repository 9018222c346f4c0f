"""What a clause tells of its speaker by its grammar: what they are, what befell them, who told them, what is ahead.

Beside ``life_clauses``, which knows what people have and do. Patterns expect folded text; the words come from
``life_words``. English.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lazily import compile_lazily
from yesteryear.core.language.life_clauses import ADVERBS, ENDS, SAY, SOMEONE, any_of

_I = r"(?:i|we)"
_AM = r"(?:i'm|im|i am|i was|i've been|ive been|we're|we are|we were|we've been|i'll be|we'll be)"
_HAVE = r"(?:(?:i|we)(?:'ve|ve)? (?:have|had|got)|(?:i|we)'?ve(?= (?:an?|two|three|four|no|our|my|only|just)\b))"
_UP_TO_THREE = r"(?:[\w'’-]+ ){0,3}?"

_PEOPLE_NOUN = (  # by its ending: trainspotter, tailor, pianist, librarian, trustee, Dubliner, bookworm
    rf"(?!{any_of('no_person')}\b)[a-zà-ÿ-]{{2,}}(?:er|or|ist|ian|eer|ee|man|woman|person|holic|phile|maniac|worm"
    rf"|aficionado"
    r"|addict|fanatic|nerd|geek|buff|fan|lover|survivor|native|national|citizen|alum\w*|baby|kid|girl|boy|guy)"
)
_AS_SOMEONE = (
    rf"an? (?!{any_of('passing_noun')}\b){_UP_TO_THREE}(?:{_PEOPLE_NOUN}|{any_of('role', 'person')})"
    rf"(?:{ENDS}| (?:in|at|of|on|to|by)\b)(?! (?:of|to) (?:this|that|your|the (?:idea|first|second|latter"
    rf"|former))\b)"
)
_ORIGIN = r"(?!obese\b)[a-zà-ÿ]{3,}(?:ese|[^aeiou\W]ian|[aeio]an|landic)"
_SHARE = (  # of what origin somebody is in part
    r"(?:half|part|partly|a quarter|(?:one|three)[ -]quarters?|an eighth|one[ -]eighth|\d{1,2} ?%|\w+ percent)[ -]"
    rf"(?!{any_of('no_origin')}\b|\w+(?:ing|ed|way|ly)\b)[a-zà-ÿ]{{3,}}{ENDS}"
)
_BEFELL = rf"{any_of('befell')}(?! (?:{any_of('no_honour')})\b)"
_PASSIVE = (
    rf"(?:been|be|get|got|getting|was|were|am being|being) {ADVERBS}(?:{_BEFELL}\b"
    rf"|(?:given|handed|awarded|granted|offered) (?:an?|the|my|our|full|joint"
    rf"|sole)? ?(?:[\w-]+ ){{0,2}}{any_of('gain')}(?:{ENDS}| (?:to|in|of)\b)(?! in (?:sql|the code))"
    rf"|made (?:an? |the )?(?:[\w-]+ )?{any_of('rank')}\b|(?:operated|experimented) on\b)"
)
_ACTIVE = (
    rf"(?:(?:joined|left|rejoined|started|founded|quit) (?:an?|the|my|our"
    rf"|another) {_UP_TO_THREE}{any_of('group')}(?:{ENDS}| (?:in|at|of|for|near)\b)"
    rf"|(?:enrolled|matriculated) (?:in|at|on)\b"
    rf"|(?:broke|broken|fractured|sprained|dislocated|tore|torn|injured|burnt|burned|twisted|shattered|bruised)"
    rf" (?:my|an?|both) {_UP_TO_THREE}{any_of('body')}s?\b"
    rf"|(?:became|become) (?:an? )?{_UP_TO_THREE}(?:{any_of('role', 'person')}|{_PEOPLE_NOUN}){ENDS}"
    rf"|(?:changed|changing|lost|renounced|found|founded|inherited) (?:my|our) {any_of('attribute')}{ENDS}"
    rf"|(?:took|taken|take|taking|gave|given|giving) up (?:the )?(?:{any_of('instrument')}|{any_of('pastime')})\b"
    rf"|(?:bought|sold|got|built|building|buying|inherited|ordered) (?:an?|our|my"
    rf"|the) {_UP_TO_THREE}{any_of('vehicle')}{ENDS}"
    rf"|put in an offer on\b|(?:close|closing|closed) on (?:the|our|a) (?:house|flat|home)\b"
    rf"|adopted (?:an?|the|our|my|another|two) {_UP_TO_THREE}{SOMEONE}\b"
    rf"|(?:won|received|earned|defended|completed) (?:my|an?|the|our) {_UP_TO_THREE}{any_of('gain')}\b"
    rf"|(?:trying|hoping|planning) to (?:adopt|conceive|emigrate|retire|start a family)\b"
    rf"|saving (?:up )?for (?:an?|my|our|the)\b|learning (?:{any_of('nation', 'instrument')}|to (?:drive|swim"
    rf"|sail|fly|sign))\b"
    rf"|expecting (?:my|our) (?:first|second|third|\w+ child)\b)"
)
_HABIT = (
    rf"(?:collect|breed|restore|knit|crochet|forage|garden|keep bees|meditate|fast|pray|tithe)s?\b(?! (?:data|all"
    rf"|the"
    rf"|more|info\w*|logs?|some|these|those|it|them|enough|points|from)\b)"
    rf"|(?:sing|dance|row|act|fence|climb|box|sail|surf|ski|paint|sculpt|draw)s? (?:in (?:an?|the|my)|(?:al?to"
    rf"|soprano"
    rf"|tenor|bass)\b|for an?\b|every|on \w+days?|with (?:an?|my))"
    rf"|(?:run|swim|cycle|walk|hike|jog|lift|bike|bake|train|go to (?:church|mass|mosque|temple|the gym"
    rf"|synagogue)) "
    rf"(?!this|that|the|these|it\b|them)(?:\w+ ){{0,3}}?(?:every|daily|(?:once|twice|\w+ times) an?"
    rf"|(?:on )?\w+days?)\b"
    rf"|writes? (?:[\w'-]+ )?(?:books|novels|poetry|poems|plays|songs|screenplays)\b"
    rf"|follow an? (?:[\w-]+ )?diet\b|go by (?!the|my|this|that|what|it\b|how)\w+|prefer to be called\b"
    rf"|(?:was|were|got) (?:raised|brought up|born) (?:an? )?{any_of('creed', 'nation')}\b"
    rf"|(?:grew up|was raised) (?:speaking|bilingual|poor|rich|religious|without|among|around)\b"
    rf"|(?:can't|cant|cannot|can not|don't|dont) eat (?!it\b|this|that|right|now|another|any ?more|yet|all|much)\w+"
    rf"|can't have \w+ because of my\b"
)
_BODILY = (
    rf"(?:(?:laid up|down|off sick|off work|in bed|struck down) with\b (?:my |an? )?(?!you|work|this|that"
    rf"|my (?:laptop|phone))"
    rf"|(?:in an?|in my) (?:{_UP_TO_THREE})?(?:cast|sling|brace|wheelchair)\b|on crutches\b|signed off (?:work"
    rf"|sick)\b"
    rf"|in (?:labou?r|hospital|rehab|intensive care)\b"
    rf"|(?:at|in) the (?:vet|vet's|vets|hospital|er|a&e|maternity ward|clinic) (?:with|for|because|since|after)\b"
    rf"|(?:recovering|healing) from\b|in (?:aa|alcoholics anonymous|na)\b|serving (?:in|on|with) (?:an?|the)\b)"
)
_SAYS = (
    r"(?:says?|said|thinks?|reckons?|told (?:me|us)|confirmed|confirms|wrote|found|suspects?|believes?|diagnosed"
    r"|prescribed|referred (?:me|us)|wants me|put me on|took me off|recommends? i|advised|warned|gave (?:me|us))\b"
)
_TOLD = (
    rf"(?:the|my|our) {_UP_TO_THREE}(?:{any_of('teller')}|[a-z]{{4,}}ologist"
    rf"|[a-z]{{4,}}iatrist)s? {ADVERBS}{_SAYS}(?! (?:the|this|these|that the) (?!baby|tumou?r|lump|cyst|pregnancy"
    rf"|operation|pain|scan))"
    rf"|according to (?:the|my|our) (?:{any_of('teller')}|[a-z]{{4,}}ologist),? (?:i|we|my|our|it's)\b"
    rf"|(?:the |my |our |an? )?(?:{any_of('probe')})(?: results?)? (?:(?:has |have |just |finally )?(?:came|come"
    rf"|is|are|was|were)"
    rf" (?:back|in|positive|negative|clear)|shows?|showed|says?|said|confirm(?:s|ed)|found|revealed)\b"
    rf"|(?:the|my) {any_of('growth')} (?:is|was|'s|are|were|turned out|has|came back) (?:\w+ )?(?:benign"
    rf"|malignant|gone"
    rf"|cancerous|removed|harmless|growing|inoperable|out|back|bigger|smaller|shrinking|shrunk|spread)\b"
    rf"|(?!you\b|it\b|this\b|that\b)[a-zà-ÿ]+ {ADVERBS}{any_of('does_to')} (?:me|us)\b(?! (?:up|off|out|down)\b)"
)
_AHEAD = (
    rf"(?:my|our) (?:[\w-]+ ){{0,2}}?{any_of('event')} (?:is|was|'s|went|got|starts?|comes|has|will|were|are"
    rf"|falls|takes)\b"
    rf"|(?:my|our) (?:[\w-]+ ){{0,2}}?{any_of('event')}'s\b"
    rf"|{_HAVE} (?:an?|my|our|the) (?:[\w-]+ ){{0,2}}?{any_of('event')}{ENDS}"
    rf"|{_HAVE} (?:an?|my|our|the) (?:[\w-]+ ){{0,2}}?{any_of('event')} (?:at|on|with|in|for)\b"
    rf"|(?:{_AM}|{_I}(?:'ve| have)? (?:went|got|had|flew|drove|met|spent|go|gone|leave|left)) (?:[\w'-]+ ){{0,4}}?"
    rf"(?:on|to|for|at|after|before|during|from|since) (?:my|our) (?:[\w-]+ ){{0,2}}?{any_of('event')}\b"
)
_PARTS = (
    rf"{_HAVE} (?:it|them|one|arthritis|pain|pins|screws|plates?) (?:in|on|under|behind) (?:my|both"
    rf"|one) {_UP_TO_THREE}{any_of('body')}s?\b"
    rf"|(?:i|we)'?ve (?:only |just )?(?:an?|two|three|four|no) {_UP_TO_THREE}(?:{SOMEONE}"
    rf"|{any_of('belonging', 'vehicle')}){ENDS}"
    rf"|{_HAVE} (?:only |just )?(?:one|no|a (?:glass|false|prosthetic|artificial|titanium|fake|missing|bad|weak)"
    rf"|two left"
    rf"|six|webbed) {any_of('body')}s?{ENDS}"
    rf"|{_HAVE} (?:an? )?(?:[\w-]+ )?(?:phobia|fear|allergy|intolerance|aversion) (?:of|to)\b"
    rf"|(?:it|this|that) runs in (?:my|our) family\b"
)
_FAVOURITE = (
    r"(?!what|which|who|where|this|that|it\b)[a-zà-ÿ-]+(?: [a-zà-ÿ-]+)? (?:is|are|was|were)"
    r" my (?:absolute |all-time )?fav\w*\b"
)
_PLURAL_LIFE = (
    rf"my {_UP_TO_THREE}{SOMEONE}(?: [a-zà-ÿ]+)? and (?:i|me)\b (?!(?:are|were|was|want|need|would|think|both"
    rf"|agree[ds]?|talked|decided|argued|wonder(?:ed)?|disagreed?|said)\b)\w+"
)
_LABEL = any_of("label", "allergic_label")
_WEAK_LABEL = any_of("attribute", "label", "allergic_label", "weak_label")

IS_SOMEBODY = compile_lazily(
    rf"{SAY}(?:{_AM} {ADVERBS}{_AS_SOMEONE}|{_I}(?:'ve|ve|'m|'re| have| had| am| are|'ll)? {ADVERBS}{_PASSIVE})"
)
"""What somebody is or was made; what a part in a play consists of, too."""
TELLS = compile_lazily(
    rf"{SAY}(?:{_AM} {ADVERBS}(?:{_SHARE}|{_ORIGIN}{ENDS}|{_BODILY})"
    rf"|{_I}(?:'ve|ve|'m|'re| have| had| am| are|'ll)? {ADVERBS}(?:{_ACTIVE}|{_HABIT})"
    rf"|{_TOLD}|{_AHEAD}|{_PARTS}|{_FAVOURITE}|{_PLURAL_LIFE}"
    r"|me in \w+ words?\b ?[:=–-]|(?:a bit |something |some facts |facts |more )?about me ?[:=–-] ?\w)"
)
"""A clause of the first person, or of those who tell somebody of their own life."""
TELLS_BRIEFLY = compile_lazily(
    rf"(?!\W*[-*•]){SAY}(?:{_LABEL} ?[:=] ?(?!\W|none|null|true|false|str|int)\w"
    rf"|(?:\w+ ){{0,2}}(?:{any_of('role')}|{_PEOPLE_NOUN}) here(?=\W*$|,)|[1-9]\d and (?:still|single|married"
    rf"|living|retired|never"
    rf"|pregnant|divorced|proud|unemployed)\b|fasting for\b"
    rf"|(?:just |recently |finally |officially )?(?:been )?(?:{_PASSIVE}|(?:broke|fractured|sprained|tore"
    rf"|dislocated) (?:my|both)"
    rf" {_UP_TO_THREE}{any_of('body')}s?\b|(?:became"
    rf"|joined) an? {_UP_TO_THREE}(?:{any_of('group', 'role', 'person')})\b))"
)
"""What begins a sentence whose subject is left out: a label with its value, a role, what befell somebody."""
IS_LABELLED = re.compile(rf"\W*(?:my )?{_WEAK_LABEL} ?[:=] ?\w")
"""A clause that is nothing but a label and its value; several of them, and nothing else, describe somebody."""
PEOPLE_BY_NAME = compile_lazily(
    rf"(?:^|[,;:.!?—–-]\s|\b(?:and|but|so|because|btw|where|that|when)\s)\W*(?:[Mm]y"
    rf"|[Oo]ur) (?:[a-z-]+ ){{0,3}}{SOMEONE},? "
    r"(?!I\b|I'|God\b|Christmas\b|English\b|Python\b)[A-ZÀ-Þ][a-zà-ÿ]+(?:'s)?\W+(?!and\W*$)\w"
)
"""Somebody of theirs, called by name: "my cousin Bo dives". Expects text as it was typed."""
