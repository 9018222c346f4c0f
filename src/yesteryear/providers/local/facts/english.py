"""The words that the rewriting rules go by: verb forms, short forms of chat, openers and tails.

Data only. A word is listed for how people use it when they speak of themselves, not for all that it can mean.
"""

from __future__ import annotations

from collections.abc import Mapping

from yesteryear.core.language.tokens import word_set

SHORT_FORMS: Mapping[str, str] = {
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "have to",
    "hafta": "have to",
    "kinda": "kind of",
    "sorta": "sort of",
    "lemme": "let me",
    "dunno": "do not know",
    "idk": "I do not know",
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "couldnt": "couldn't",
    "wouldnt": "wouldn't",
    "shouldnt": "shouldn't",
    "isnt": "isn't",
    "arent": "aren't",
    "wasnt": "wasn't",
    "werent": "weren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "hadnt": "hadn't",
    "thats": "that's",
    "whats": "what's",
    "rn": "right now",
    "atm": "at the moment",
    "bc": "because",
    "bcos": "because",
    "bcoz": "because",
    "cuz": "because",
    "coz": "because",
    "thru": "through",
    "tho": "though",
    "pls": "please",
    "plz": "please",
    "ppl": "people",
    "rly": "really",
    "bday": "birthday",
    "appt": "appointment",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tomoz": "tomorrow",
    "yday": "yesterday",
    "wknd": "weekend",
    "smth": "something",
    "ofc": "of course",
    "u": "you",
    "ur": "your",
    "w/": "with",
    "w/o": "without",
    "b/c": "because",
}
"""What is written in small letters and without ado, and what it stands for."""

CONTRACTIONS: Mapping[str, str] = {
    "can't": "cannot",
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "i'm": "I am",
    "i've": "I have",
    "i'll": "I will",
    "we're": "we are",
    "we've": "we have",
    "we'll": "we will",
}
"""Those that are not "n't", and those of the speaker; "'d" is told by what follows."""

MODALS = word_set("can cannot could will would shall should may might must ought")
BE_HAVE_DO = word_set("am is are was were have has had do does did")
AUXILIARIES = MODALS | BE_HAVE_DO

ADVERBS = word_set("""
    also always never ever often sometimes usually normally generally seldom just still already now then even only
    almost not both either simply sure soon once twice again maybe perhaps somehow somewhat quite rather pretty too
    mostly really actually honestly basically literally hardly barely rarely probably definitely finally currently
    recently lately nearly clearly truly fully easily quickly slowly secretly absolutely totally completely
    personally constantly regularly occasionally deliberately originally initially previously formerly temporarily
    permanently immediately officially strongly deeply firmly kindly badly
    longer much further myself
""")
"""What stands between a subject and its verb. "no longer" ends in one of them."""
NO_ADVERBS = word_set("apply supply reply comply imply multiply family belly bully rally italy ally")
"""Words in "ly" that are none."""

IRREGULAR_PAST = word_set("""
    was were had did went got came saw made took gave felt thought met bought left found began knew wrote ran broke
    fell kept won built paid sold sent slept spoke spent stood taught grew told said lost heard held brought caught
    chose drank drove ate flew forgot forgave froze unfroze hid led lay lent lit meant rode rang rose sang sank sat shot
    shook shone showed stole struck stuck swam swore swept threw understood woke wore wept wound withdrew became
    overcame undertook fought sought fed fled bit bled blew drew dug dreamt learnt burnt hung slid spun sprang stung
    swung tore dealt crept clung bent bound bred ground leapt knelt laid quit split hit
""")
"""Past forms that are not the plain verb too; "quit", "hit" and "split" are mostly past."""
PARTICIPLES = word_set("""
    been done gone begun become written seen taken given eaten driven chosen forgotten forgiven broken spoken stolen
    grown known shown flown drawn sung swum worn torn frozen hidden woken beaten
""")
"""Participles that are no past forms."""
SAME_IN_PAST = word_set("put cut set let read shut cost hurt bet cast spread burst")
"""Verbs whose past only the rest of the sentence tells."""
NO_PAST = word_set("""
    need feed bleed breed speed seed weed heed exceed succeed proceed indeed red bed shed embed wed sled sped hundred
    sacred kindred naked wicked aged biased
""")
"""Words in "ed" that are no past forms."""
NO_PARTICIPLE = word_set("""
    bring sing ring king thing nothing something anything everything spring string swing sting fling cling wing sling
    morning evening during being wedding ceiling sibling darling sterling boring interesting exciting amazing
    building meeting
""")
"""Words in "ing" that are no forms of a verb, or not where they open a sentence."""

BASE_VERBS = word_set("""
    add admire adore agree aim answer apply argue ask attend avoid bake believe book borrow bring build buy call care
    carry change check choose clean climb close code collect come commute cook count cry cut cycle dance deal decide
    delete do draw dream drink drive earn eat end enjoy exercise expect fall fear feel fight find finish fish fix fly
    focus follow forget freelance get give go grow handle hate have hear help hike hold hope hunt ignore invest jog
    join keep knit know lead learn leave lie lift like listen live look lose love make manage meditate meet mentor miss
    move need open order organise organize own paint pay plan plant play practice practise pray prefer prepare quit
    raise read refuse remember rent rest ride run save say see sell send sew share shave shop show sing sit skip sleep
    smoke speak spend stand start stay stop stretch struggle study suffer swim switch take talk teach tell tend think
    track train translate travel trust try turn understand use visit volunteer wait wake walk want wash watch wear
    weigh wish wonder work worry write
""")
"""Verbs that people say of themselves, in their plain form: these take the third person after "and" too."""

OPENING_VERBS = word_set("love hate want need have like prefer enjoy live work hope think believe feel miss own wish")
"""Plain verbs with which somebody who leaves out "I" begins."""
STATES = word_set("""
    allergic intolerant vegan vegetarian pescatarian married divorced engaged single widowed separated retired
    unemployed pregnant diabetic asthmatic scared afraid terrified proud happy sad tired exhausted stuck lonely
    worried nervous anxious stressed excited bored sick ill sober addicted obsessed used fluent dyslexic deaf blind
    based originally
""")
"""What somebody says of themselves without "I am"."""
REQUEST_VERBS = word_set("""
    suggest recommend give tell call ask send remind write show explain mention say bring talk address speak reply
    answer respond keep use stop start make put list skip avoid include leave remember note quiz book schedule
    translate summarise summarize format greet lecture push nag praise apologise apologize offer assume let be
""")
"""What one asks an assistant to do or not to do."""

OPENERS = (
    *("yo", "ya", "ja", "aye", "eish", "dude", "bro"),
    *("oh", "ah", "hmm", "hm", "um", "uh", "haha", "hey", "hi", "hello", "wow", "ugh", "yay", "ok", "okay", "yes"),
    *("yeah", "yep", "yup", "nope", "nah", "thanks", "thank you", "ok so", "okay so", "so yeah", "and yeah", "sure"),
    *("btw", "by the way", "fyi", "fun fact", "honestly", "frankly", "to be honest", "tbh", "to be fair", "tbf"),
    *("actually", "basically", "literally", "anyway", "anyways", "apparently", "turns out", "it turns out", "imo"),
    *("in my opinion", "i mean", "you know", "you see", "look", "listen", "guess what", "good news", "bad news"),
    *(
        "god",
        "update",
        "quick update",
        "as i said",
        "like i said",
        "as you know",
        "as usual",
        "sorry",
        "lol",
        "omg",
        "man",
    ),
    *("just so you know", "for the record", "the thing is", "truth is", "the truth is", "note to self", "sadly"),
    *("unfortunately", "luckily", "thankfully", "seriously", "confession", "i swear", "anyhow", "speaking of which"),
)
"""What opens a sentence and says nothing."""
OPENERS_BEFORE_COMMA = (
    *("no", "well", "then", "right", "so", "and", "but", "also", "true", "fine", "good", "great", "now", "still"),
    *("plus", "or", "exactly", "correct", "agreed", "not really", "not yet", "of course", "indeed", "finally"),
)
"""What opens a sentence and says nothing where a comma or a dash follows."""
CONJUNCTIONS = ("and", "but", "so", "because", "cause", "'cause", "plus", "also", "or")
"""What joins a sentence to the one before, which is not told."""
TAILS = (
    "please",
    *("lol", "haha", "hehe", "lmao", "tbh", "imo", "though", "i swear", "i guess", "you know", "to be honest", "btw"),
    *("write it down", "write that down", "note it", "note that down", "remember that", "remember this", "right"),
    *("for the record", "just saying", "that's all", "no joke", "seriously", "period", "full stop", "end of story"),
    *("fyi", "thanks", "thank you", "please remember", "don't forget", "so yeah", "and all that", "or something"),
    *("or whatever", "if that helps", "in case it matters", "as you know", "obviously", "of course", "by the way"),
)
"""What closes a sentence and says nothing; after a comma or a dash."""
