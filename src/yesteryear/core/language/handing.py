"""How people hand over a text without naming it as one: where it came from, for whom it is drafted, what is checked.

English, plain apostrophes, any case. The counterpart is news: where a letter, a result or a doctor arrives, what it
means for the person behind the colon is their own. Families of verbs, nouns and places, not sample sentences; each
pattern reads one head of bounded length.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lazily import compile_lazily


def _form(pattern: str) -> re.Pattern[str]:
    return compile_lazily(pattern, re.IGNORECASE)


_OPENER = (
    r"(?:(?:ok(?:ay)?|so|and|but|hi|hey|hello|look|lol|haha|btw|also|please|pls|plz|well|um+|hmm+|guys|omg|wow)"
    r"[,!. ]+)*"
)
_ARRIVES = (
    r"(?:landed|arrived|came|comes|turned up|showed up|shows up|popped up|pops up|appeared|appears|dropped|fell"
    r"|(?:is|was|were|are|got|gets|been|be|'s)(?: just| been)? (?:found|left|stuck|taped|pinned|nailed|glued|tucked"
    r"|slipped"
    r"|pushed|posted|delivered|handed|sent|written|printed|engraved|carved|scrawled|scribbled|stamped|painted|stitched"
    r"|sewn|on|in|under|inside|behind|between|with|at|by|beside)"
    r"|reached (?:me|us)|hangs?|hung|sits?|sat|stood|stands?|lay|lies|ran|runs|flashed|scrolled|blinked|played|plays)"
)
_PASSED = (
    r"(?:found|got|received|caught|spotted|copied|typed|pasted|scanned|photographed|transcribed|snapped|saw|picked up"
    r"|overheard|read|slipped|left|stuck|taped|pinned|dropped|pushed|posted|sent|handed|gave|put|wrote|printed|shoved)"
)
_DEIXIS = r"(?:this|these|the following|the below|the text below)"
_OTHERS = (
    r"(?:(?:my|our|a|an|the|some|his|her|their|this) (?!(?:sake|record|time|being|moment|best|first|life|future|new"
    r"|next"
    r"|work|job)\b)[\w'-]+|\w+'s|someone|somebody|mum|mom|dad|grandpa|grandma|granny|gran|him|her|them|auntie"
    r"|(?-i:[A-Z][a-z]+))"
)
"""Somebody else, for whom one writes."""
_PIECE = (
    r"(?:cover letter|letter|e-?mail|text|message|note|toast|speech|eulogy|apology|vows?|bio|profile|statement|essay"
    r"|poem"
    r"|application|cv|resume|résumé|reference|complaint|reply|review|testimonial|invitation|card|post|caption|script"
    r"|monologue|scene|story|obituary|ad|advert|listing|pitch|report|article|song|lyrics|paragraph|blurb|affidavit"
    r"|draft"
    r"|entry|answer|line|dialogue)s?"
)
"""What people draft."""
CRAFT = (
    r"(?:grammar|spellings?|punctuation|typo(?:e?s|'s)?|mistakes?|errors?|tone|commas?|apostrophes?|wording|phrasing"
    r"|capitals"
    r"|capitali[sz]ation|formatting|tenses?|word (?:order|choice)|register|hyphens?|line breaks|vocab(?:ulary)?|syntax"
    r"|prepositions?|full stops)"
)
"""What a text is checked for."""
_PROPERTY = (
    rf"(?:{CRAFT}|rhymes?|rhyme scheme|rhyming|metre|meter|syllables?|genre|author|verbs?|nouns?|adjectives?"
    rf"|adverbs?|pronouns"
    r"|metaphors?|similes?|alliteration|narrator|plot|moral|main idea|thesis statement|dialect|bug|sentiment|gist"
    r"|stanzas?|sarcasm|irony|clich[eé]s?)"
)
_PRINTED = (
    r"(?:horoscopes?|fortune cookies?|fortunes?|name ?tags?|slogans?|taglines?|captions?|comments?|reviews?"
    r"|testimonials?"
    r"|tweets?|toots?|posts?|bios?|lyrics?|songs?|chorus|verses?|subtitles?|auto-?captions?|transcripts?"
    r"|transcriptions?"
    r"|stickers?|graffiti|billboards?|plaques?|notifications?|pop-?ups?|prompts?|t-?shirts?|tees?|mugs?|magnets?"
    r"|postcards?"
    r"|tattoos?|epitaphs?|gravestones?|headstones?|tombstones?|inscriptions?|engravings?|error messages?|stack ?traces?"
    r"|console|terminal|tool (?:outputs?|results?)|(?:test|sample|example|dummy) (?:inputs?|data|strings?|texts?"
    r"|sentences?"
    r"|answers?|responses?|dialogues?|essays?|solutions?)|model answers?|survey (?:answers?|responses?)"
    r"|(?:respondents?|participants?) \d+"
    r"|interviewees?|questionnaires?|worksheets?|textbooks?|flash ?cards?|duolingo|monologues?"
    r"|screenplays?"
    r"|fan ?fic(?:tion)?|quotations?|proverbs?|riddles?|memes?|obituar(?:y|ies)|press release|voice ?mails?"
    r"|voice (?:notes?|memos?|messages?)|snippets?|excerpts?|haikus?|limericks?|chain letter|chatbot|bot|answer key"
    r"|(?:door|road|street|shop|yard|neon|warning) signs?|(?:license|number) plates?|badges?|flyers?|std(?:err|out)"
    r"|curl|clipboard|paste|ctrl ?\+ ?[cv]|notes?(?= (?:under|through|behind|from the|on (?:my|the|his|her"
    r"|our) (?:desk|door"
    r"|car|fridge|windscreen|windshield|table|window|pillow|doorstep|bike|gate|wall|chair))\b)"
    r"|cover letter|eulogy)"
)
"""What holds or shows words that are seldom its bearer's own."""
_SITE = (
    r"(?:reddit|twitter|tiktok|youtube|insta|instagram|facebook|fb|linkedin|quora|tumblr|yelp|tripadvisor|google maps"
    r"|glassdoor|imdb|amazon|airbnb|goodreads|trustpilot|mumsnet|wikipedia|craigslist|tinder|hinge|bumble)"
)
_NOT_A_LABEL = (
    r"(?!(?:[\w'-]+ ){0,4}?(?:i|i'm|i've|i'd|im|we|we're|we've|you|got|get|have|had|need|want|love|like|hate|is|are"
    r"|was|were"
    r"|favou?rites?|fave|quick|small|side|brief|final|last|general|personal|own|no|aside|went|came|arrived|sells?"
    r"|makes?|prints?|writes?|reads?|sings?|loves?"
    r"|designs?|collects?|draws?)\b)"
)

_STYLED = (
    r"(?:(?:can|could) (?:you|u) )?(?:(?:please|pls) )?(?:(?:say|put|phrase|word|make|write|type|turn) (?:this|it"
    r"|that|these)"
    r" (?:sound |a bit |much |way )*)?(?:(?:more|less) (?:formal|polite|casual|professional|concise|friendly|rude"
    r"|wordy|stiff)"
    r"|nicer|shorter|longer|simpler|funnier|formal|polite|rhyme|(?:in|into|as) (?:bullet points|a (?:table|list"
    r"|haiku|poem"
    r"|tweet)|plain \w+|other words|one sentence|proper \w+)|add (?:commas|punctuation|paragraphs)|dumb (?:it"
    r"|this) down|eli5"
    r"|what would (?:this|that|it) be in \w+)"
)
"""How a text is to be put."""

HANDS_OVER = _form(
    # "This landed in my inbox", "Somebody slipped the following under my door", "Found taped to the fridge"
    rf"^{_OPENER}{_DEIXIS} (?:[\w'-]+ ){{0,4}}?{_ARRIVES}\b(?! (?:true|new|me|a surprise|as|to me|up (?:to|in|at"
    rf"|during)|about"
    rf"|out|in my (?:body|blood|brain|breast|lungs?|head|life|family))\b).*$"
    rf"|\b{_PASSED} {_DEIXIS}(?: (?:under|on|in|into|at|to|through|behind|inside|by|from|off|between|near|over|with"
    rf"|outside)"
    rf"\b.*)?$"
    rf"|^{_OPENER}(?:over-?heard|engraved|written|hand-?written|scrawled|scribbled|carved|sprayed|stencilled|stitched"
    rf"|embroidered|printed|painted|stamped|taped|pinned|glued|transcribed|copied|pasted|typed)"
    rf" (?:on|in|at|under|over|to|into|inside|behind|outside|above|by|near|off|from|across)"
    rf"\b(?! my (?:heart|mind|brain|skin|memory)).*$"
    rf"|^{_OPENER}(?:i )?(?:found|spotted|saw) (?:(?:taped|pinned|stuck|glued|tucked|written|carved|scrawled|printed)\b"
    rf"|(?:in|on|under|behind|between|inside|through|among) (?!the end\b|my (?:new|body|blood|heart|head|brain|life"
    rf"|family|job|own)\b)"
    rf"(?:my|the|our|an?|his|her)\b).*$"
    rf"|^{_OPENER}it {_ARRIVES}(?: with| in| on| through| under| from| off| by| inside)? (?:my|the|our|an?|his"
    rf"|her)\b.*$"
    # "drafting a cover letter for my nephew", "a letter for grandpa to his phone company"
    rf"|\b(?:draft(?:ing|ed)?|writ(?:e|ing)|composing|typing|editing|preparing|ghost-?writing|working on"
    rf"|finishing) (?:[\w'-]+ )"
    rf"{{1,4}}?{_PIECE} (?:for|on behalf of|in the name of) {_OTHERS}\b.*$"
    rf"|^{_OPENER}(?:i'm |we're )?helping {_OTHERS} (?:[\w'-]+ ){{0,2}}?(?:(?:write|draft|word|phrase|apply)\b"
    rf"|with (?:[\w'-]+ ){{0,3}}?{_PIECE}\b).*$"
    rf"|^{_OPENER}(?:this is |it's |need )?(?:an? |the )?(?:[\w'-]+ ){{0,2}}?{_PIECE} (?:for|on behalf of) "
    rf"(?!(?:the|my|our) (?:record|work|week|day)\b){_OTHERS}\b.*$"
    rf"|^{_OPENER}(?:this|it)(?:'s| is) for \w*(?:[\w'-]+ )*?(?:[\w'-]+'s) (?:[\w'-]+ ){{0,2}}?{_PIECE}$"
    # "Write three sentences in the past tense"
    rf"|^{_OPENER}(?:(?:can|could) (?:you|u) )?(?:write|make(?: up)?|form|give(?: me)?|come up with|compose|build"
    rf"|create"
    rf"|complete|fill in|put|change|turn|conjugate|conjugation) (?:[\w'-]+ ){{0,4}}?(?:sentences?|phrases?|haikus?"
    rf"|limericks?"
    rf"|verses?|blanks?|gaps?|passive|past tense|present tense|future tense|plural|negative|reported speech)\b.*$"
    rf"|^{_OPENER}(?:choose|pick|select|tick|circle|mark) (?:[\w'-]+ ){{0,4}}?(?:options?|answers?|forms?|word"
    rf"|sentence|box)\b.*$"
    rf"|^{_OPENER}what(?:'?s| is) (?:wrong|off|missing) (?:with|in|here)(?: (?:this|it|that))?$"
    rf"|\b(?:in|from) the (?:voice|pov|point of view|perspective|shoes) of\b.*$|^in character$|\brole-?play\b.*$"
    rf"|\b(?:character|hero|heroine|villain|narrator|protagonist) (?:introduces|describes|says|speaks|talks"
    rf"|thinks)\b.*$"
    rf"|^{_OPENER}(?:siri|alexa|auto-?correct|google|the (?:dictaphone|app|machine|scanner|ocr)) (?:heard|typed"
    rf"|wrote|gave|made)\b.*$"
    rf"|^(?:[\w'-]+ ){{0,3}}?(?:exercise|ex|question|item|task|q)\.? ?\d+ ?[a-z]?$|\bform,? (?:section|field|part)\b.*$"
    rf"|^{_OPENER}{_NOT_A_LABEL}(?!my\b|new\b)(?:[\w'-]+ ){{0,4}}?{_SITE}(?: [\w'-]+){{0,3}}$"
    # "customer review", "song stuck in my head", "top comment under the video"
    rf"|^{_OPENER}{_NOT_A_LABEL}(?!my (?:[\w-]+ )?(?:reviews?|survey|quiz|posts?"
    rf"|comments?)\b)(?:[\w'.#-]+ ){{0,4}}?{_PRINTED}"
    rf"(?:,? (?:on|in|at|from|by|of|for|under|below|above|to|about|outside|inside|near|stuck|today|this|\d+"
    rf"|\w{{2,}}(?:ed|ing)|text|number|slogan|practice|check|quote|output|frame|post)"
    rf"(?: (?!(?:is|are|was|were|went|came|arrived|i)\b)[\w'@#:.-]+){{0,6}})?$"
    rf"|\btranscribed$|^{_OPENER}(?:some|a|an|the|this|that|one|another|random)"
    rf" (?:[\w'-]+ ){{0,2}}?(?:guy|man|woman|person|user|stranger|dude|girl|lady|kid|hero|heroine|villain|character"
    rf"|narrator"
    rf"|actor|anon|redditor|tiktoker|influencer|troll) (?:on|in|at|under|behind)"
    rf" (?!.*\b(?:my|our|work|school|uni|class|church)\b).{{1,40}}$"
)
"""What stands before a colon, an arrow or the end of a line where somebody else's text follows."""
CHECKS = _form(
    rf"(?:^{_OPENER}|[,;] )(?:is|are|r|any|anything|how'?s|how (?:is|are)|what'?s?(?: is| are)?|which|who'?s?|does"
    rf"|do|where'?s?"
    rf"|count|spot|find|name|underline|identify|highlight|circle|mark|correct|check|chk|fix)\b"
    rf" (?:[\w'-]+ ){{0,4}}?{_PROPERTY}\b(?: (?:is|are|in|of|here|there|ok(?:ay)?|right|fine|correct|good|wrong|this"
    rf"|these|it|that"
    rf"|below|used|please|pls|plz|the|my|following|any|sound|scheme)\b)*$"
    rf"|^{_OPENER}why (?:does|do|is|won't|doesn't|isn't|can't) (?:this|it|the code|my code)\b.{{0,30}}\b(?:compile"
    rf"|parse|run|build"
    rf"|rhyme|scan)\w*$|^{_OPENER}(?:caption|title|name) this$"
)
"""Asks what only a text has: its commas, its rhymes, its author."""
VERDICT = _form(
    rf"[\s(]*{_OPENER}(?:(?:is|was) (?:it|this|that|he|she) (?:a |an |for )?|should i |do i |shall i )?"
    rf"(?:(?:delete|report|block|ignore|reply|respond|answer|trash|bin|click|forward|keep|cringe|cute|creepy|sweet"
    rf"|rude|harsh|funny|scam|spam|phishing|phish"
    rf"|fake|legit"
    rf"|hoax|real|genuine|junk)(?: (?:it|this|that))?(?:,? or (?:should i |is it )?(?:a |an )?|, | / |/)?)+[\s?!.)]*"
)
"""The reader's choice about a text: "delete or report?"."""
VERDICT_OF_TEXT = _form(r"\b(?:delete|report|block|trash|bin|cringe|scam|spam|phish\w*|fake|legit|hoax|junk)\b")
"""One of them that people do not face about their own lives."""
ABOUT_A_BLOCK = _form(
    rf"[\s(]*{_OPENER}(?:who (?:even |on earth |the hell )?(?:writes?|wrote|says?|said|sends?|sent|talks?"
    rf"|speaks?)(?: (?:this|that"
    rf"|it|stuff|like))*"
    rf"|(?:is|was) (?:this|that) (?:guy|man|woman|person|lady|dude|author|writer|kid|sender) .{{1,40}}"
    rf"|(?:do )?(?:you|u) (?:think|reckon) (?:it|this|that)(?:'s| is) (?:a )?(?:scam|spam|phishing|fake|legit|real"
    rf"|true)"
    rf"|(?:what do|how do|do) (?:you|u) (?:make|think|like|feel)(?: of| about)? the (?:writer|author|sender|narrator"
    rf"|tone|style)"
    rf"|(?:seen |found |taken |copied |it's )?(?:from|off|on|in) (?:an?|the|some|my) (?:[\w'-]+ ){{0,2}}?(?:forum"
    rf"|wall|fridge|book"
    rf"|film|movie|site|website|blog|newspaper|magazine|poster|subreddit|leaflet|flyer|bus|pub|toilet|novel|song)"
    rf"|(?:that|this)(?:'s| is| was) what (?:was|it)\b.{{0,50}}"
    rf"|{_STYLED}(?: (?:please|pls|plz|version|thanks))*"
    rf"|what(?:'s|s| is| would) (?:this|that|it)(?: be)? in \w+|.{{0,40}}\b(?:summary|translation|gist|paraphrase"
    rf"|explanation"
    rf"|rundown|meaning)"
    rf" of (?:the above|this|that|it|these)\b.{{0,40}})[\s?!.)]*"
)
"""Asks, behind a text, who wrote it or what it comes to."""
STYLE = _form(rf"{_OPENER}{_STYLED}(?: (?:please|pls|plz))*")
"""Asks for another way of putting a text, before it."""
BARE_CHECK = _form(rf"{_OPENER}(?:any )?{CRAFT}(?: (?:ok|okay|right|fine|good|correct|check))?\?")
"""Asks of a text in a word, before it in the same line."""
NEWS = _form(
    r"^(?:an? )?(?:[\w-]+ )?note (?:on|about) (?:my|our|me)\b(?! (?:desk|door|car|fridge|bike|windscreen"
    r"|windshield|table|window|pillow|doorstep|gate|wall|chair)\b)|"
    r"^(?!(?:this|these|it|that|the following)\b).*\b(?:arrived|came(?: back| in| through| today)?|is (?:here|in"
    r"|back|out)"
    r"|are (?:here|in|back|out)|has come(?: back)?|have come(?: back)?|called|rang|phoned|went \w+|got (?:here"
    r"|approved|accepted)"
    r"|was approved|landed|confirmed it)(?: (?:today|yesterday|finally|this \w+|last \w+))?$"
    r"|\babout (?:me|us|myself)$|\b(?:note|info|update|news|message|context) for (?:you|u)$"
    r"|^(?:i|we)(?:'ve)? (?:just |finally )?(?:got|have|bought) (?:an? |my |the |two |new )(?:\w+ )?(?:tattoos?"
    r"|tickets?|books?)$"
    r"|^(?:i )?(?:just |finally )?(?:got|received|have) (?:my|our) (?:[\w-]+ )?\w+$"
    r"|^my (?:new|favou?rite|fave|first|own|current) (?:[\w-]+ ?){1,2}$|^my (?:[\w-]+ )?reviews? (?:at|from) \w+$"
)
"""What happened to the person, behind which they say what it means for them in the same line."""
LATER = _form(r"\b(?:later|tomorrow|tonight|next (?:week|month|year|time)|some ?day)\b")
"""Puts a request off, when a dash and news follow."""
PRINTED_SAYS = _form(
    rf"(?:^|[.,;]\s+|\s)(?:(?:the|my|a|an|his|her|this|that|your) )?(?:[\w'-]+ )?{_PRINTED}(?: (?:on|in|at|for|from|of)"
    rf"(?: [\w'-]+){{1,4}}?)? (?:says|said|reads|read|printed|prints|goes|claims|claimed|tells me|told me|promised"
    rf"|announced)"
    rf"(?: that)?[:, ]+(?P<words>.+)"
)
"""A printed thing that says something, in the same sentence."""
PRINTING = frozenset("say sai rea pri goe cla tel tol pro ann".split())
"""How the words begin of which such a sentence has one."""


def hands_over(head: str) -> bool:
    """Tell whether what stands before a mark or the end of a line hands over the text behind it."""
    head = head.strip(" *_#>(-•")
    return bool(HANDS_OVER.search(head) or CHECKS.search(head))


def is_news(head: str) -> bool:
    """Tell whether what stands before a colon is the person's news, which goes on behind it."""
    return NEWS.search(head.strip()) is not None


def asks_about_block(line: str) -> bool:
    """Tell whether a line behind a text asks about it as its reader does."""
    return bool(
        (VERDICT.fullmatch(line) and VERDICT_OF_TEXT.search(line))
        or ABOUT_A_BLOCK.fullmatch(line)
        or CHECKS.search(line.rstrip(" ?!.)"))
    )


def asks_for_style(head: str) -> bool:
    """Tell whether what stands before a mark says how the text behind it is to be put."""
    return STYLE.fullmatch(head.strip()) is not None


def is_bare_check(sentence: str) -> bool:
    """Tell whether a question is no more than what the text behind it is checked for."""
    return BARE_CHECK.fullmatch(sentence.strip()) is not None
