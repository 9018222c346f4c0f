"""What the frames of brought-along text look like (English): the patterns that ``framing`` reads sentences with.

Written for plain apostrophes and any case. Families of words, not sample sentences: verbs that work on text, nouns that
name a text, verbs of saying, and how they are put together.
"""

from __future__ import annotations

import re

from yesteryear.core.language.handing import CRAFT
from yesteryear.core.language.lazily import compile_lazily


def _form(pattern: str) -> re.Pattern[str]:
    return compile_lazily(pattern, re.IGNORECASE)


_TEXT = (
    r"(?:texts?|messages?|msgs?|e-?mails?|mails?|letters?|notes?|paragraphs?|passages?|articles?|pages?|posts?|tweets?"
    r"|threads?|sentences?|phrases?|lines?|poems?|lyrics|songs?|chansons?|ballads?|anthems?|hymns?|tunes?|raps?"
    r"|jingles?|rhymes?|limericks?|haikus?|sonnets?|shant(?:y|ies)"
    r"|verses?|chorus|stor(?:y|ies)|essays?|drafts?|paper"
    r"|statements?|abstracts?|docs?|documents?|pdfs?|files?|contracts?|agreements?|lease|terms|polic(?:y|ies)|clauses?"
    r"|leaflets?|flyers?|brochures?|labels?|signs?|posters?|notices?|captions?|subtitles?|screenshots?|screen|images?"
    r"|pictures?|photos?|pics?|scans?|transcripts?|transcriptions?|recordings?|voicemails?|voice (?:notes?|memos?)"
    r"|chats?"
    r"|chat ?logs?|logs?|dialogues?|conversations?|speech(?:es)?|scripts?|reports?|comments?|repl(?:y|ies)|quotes?"
    r"|quotations?|excerpts?|extracts?|snippets?|code|errors?|output|json|csv|tables?|spreadsheets?|recipes?|menus?"
    r"|manuals?|prescriptions?|test results|forms?|cards?|invitations?|invites?|ads?|adverts?|headlines?|newsletters?"
    r"|blogs?|websites?|sites?|wikipedia|wiki|entry|entries|cv|resume|résumé|bio|homework|assignments?|exercises?"
    r"|quiz(?:zes)?|tests?|riddles?|jokes?|prompts?|copy|content|words?|writing|handwriting|slides?|tattoos?|receipts?"
    r"|bills?|invoices?|tickets?|books?|chapters?|scenes?|novel|monologues?|listings?|bullet points?|t-?shirt"
    r"|inscription"
    r"|announcements?|memos?|minutes|summary|translation|wording|terms and conditions|packag(?:e|ing)|box|plaque|banner"
    r"|caption|reviews?|complaints?|press release|diary|journal|obituary|story line|dictation|fanfic)"
)
"""What names a text."""
_TO_COME = (
    r"(?:(?<!tell me )what(?:ever)? (?:follows|comes (?:next|after|below)|(?:i|i'm|im|i'll)(?: am| will)?(?: \w+){0,3}?"
    r" (?:paste|send|post|share|type|copy|pasting|sending|posting)(?: \w+)?)|my next (?:messages?|msgs?|texts?|one"
    r"|lines?)"
    r"|the next (?:messages?|msgs?|texts?|thing|one|bit|part|paragraph|lines?|few lines|sentences?)|the next(?= *$))"
)
"""Text that the next message holds."""
_THIS = (
    r"(?:this|that|these|those|it|them|the following|the above|the below|below|above|following|here|"
    rf"{_TO_COME})"
)
_WHOSE = r"(?:the|this|that|these|those|a|an|my|our|your|his|her|their|its|some|one|another|any|\w+'s)"
_NOUN = rf"(?:{_WHOSE} )(?:[\w'-]+ ){{0,3}}?{_TEXT}"
_AT_HAND = rf"(?:{_NOUN}|{_THIS}|him|her|them)"

_STRONG_VERB = (
    r"(?:summari[sz]e|sum up|recap|tl;?dr|translate|proof-?read|paraphrase|rephrase|reword|re-?write|transcribe"
    r"|decipher"
    r"|spell-?check|proof|sub-?edit|grammar-?check|fact-?check|copy-?edit|condense|shorten|read (?:out|aloud))"
)
_WEAK_VERB = (
    r"(?:check|chk|fix|sort out|smooth(?: out)?|tighten(?: up)?|punctuate|capitali[sz]e|vet|sanity-?check|explain"
    r"|correct|edit|improve|polish|tidy(?: up)?|clean(?: up)?|simplify|format|reformat|review"
    r"|critique"
    r"|analy[sz]e|interpret|read|look (?:at|over|through)|go (?:over|through)|reply to|respond to|answer|comment on"
    r"|convert|extract|classify|label|rate|grade|score|decode|ocr|parse|debug|run|solve|finish|continue|complete|expand"
    r"|elaborate on|rework|adapt|turn|make|give me (?:feedback|your opinion|your thoughts) on|tell me what|help with"
    r"|understand|make sense of|figure out|type (?:up|out)|annotate|outline|quiz me on|memori[sz]e|lookup|look up"
    r"|digest"
    r"|spot|find|identify|count|compare|list|highlight|evaluate|assess|judge|react to|draft a reply to|write back to)"
)
_OPENER = (
    r"(?:(?:please|pls|plz|plse|pleez|now|ok|okay|and|so|then|hey|hi|hello|also|btw|next|first|actually|well|oh|yo"
    r"|sorry|thanks"
    r"|just"
    r"|quickly|kindly|again|hmm|um|but|anyway|finally|lastly|alright|cool|great|^\^+)[,!. ]+)*"
)
_MODAL = (
    r"(?:(?:can|cn|could|cld|cud|would|wld|wud|will|may|might) (?:you|u|ya|yu|i|we|someone|anyone"
    r"|somebody)(?: get you to| have you| please"
    r"| pls"
    r"| kindly| just| quickly| possibly| maybe| perhaps| also)* (?:help (?:me|us)(?: to)? |be able to )?(?:please )?"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like|love)(?: for)? (?:you|u|help|someone|a hand) (?:to |with )?"
    r"|i need (?:this|it|that) |(?:would|do) you mind (?:helping me )?|any chance (?:you|u) (?:can|could) "
    r"|(?:are|r) (?:you|u) able to |is it possible to |help (?:me|us) (?:to |out and )?|let's |try to |go ahead and "
    r"|(?:your|the) (?:task|job|mission)(?: is)?:? (?:to )?|(?:how|what) about |how (?:would|should|do|can) (?:i|you"
    r"|we) )?"
)
_LANG = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi"
    r"|urdu|bengali|chinese|mandarin|cantonese|japanese|korean|greek|swedish|norwegian|danish|finnish|czech|hungarian"
    r"|romanian|bulgarian|croatian|serbian|latin|thai|vietnamese|indonesian|malay|swahili|welsh|irish|catalan|persian"
    r"|farsi|another language|any language|other languages|sign language|morse(?: code)?|emoji|pig latin)"
)


_PLEASE = r"(?:please|pls|plz|for me|quickly|asap|thanks|thank you|thx|now|again|real quick|if you can|too|then)"
REQUEST = _form(
    rf"(?:^|[,;.!?]\s+|\s[-–—]\s+|\b(?:and|then|but|so)\s+){_OPENER}{_MODAL}"
    rf"(?:please |pls |quickly |just |also )*(?:{_STRONG_VERB}|summari[sz]ing|translating|proof-?reading|rewriting"
    rf"|rephrasing|checking|fixing|explaining|replying to|{_WEAK_VERB})\b"
)
"""The opening of a wish that something be done; what it is done with follows."""
OBJECT = _form(
    rf"[\s,]*(?:(?:me|us|{_PLEASE}|whether|if|what|how|to|out|the meaning of|the (?:tone|grammar|spelling|typos"
    rf"|mistakes"
    rf"|errors|main points?|key points?|gist|sentiment|language)|all|any|in|of|up|over|through|with|a reply|an answer)"
    rf"[\s,]+)*(?:(?:{_AT_HAND}|(?:the |my |any |all )?{CRAFT})\b.*|(?:[\s,]*(?:(?:in|into|to|from"
    rf"|as)(?: [\w-]+){{1,4}}|{_PLEASE})){{0,3}})[\s.!?…)]*"
)
"""What may be worked on: text at hand, or nothing named at all; it runs to the end of the sentence."""
AT_HAND = _form(rf"\b{_AT_HAND}\b")
"""Text at hand."""
QUESTION_OF_TEXT = _form(
    rf"\b(?:what(?:'s| is| does| do| did| are)? (?:{_NOUN}|{_THIS}|he|she|they|\w+'s {_TEXT})(?: (?:\w+ ){{0,3}}?| )"
    rf"(?:say|says|said|saying|mean|means|meant|meaning|read|reads|stand for|about|trying to say|telling|claims?"
    rf"|imply|implies|argues?)\b"
    rf"(?! (?:for|about (?:my|me|us|our)|to (?:me|us)|if|when|that)\b)"
    rf"|what(?:'s| is| does) (?:written|printed|engraved) (?:here|there|on)|what(?:'s"
    rf"| is) the meaning of {_AT_HAND}"
    rf"|(?:is|are|was|isn't) (?:{_NOUN}|this|that|it|the following|these) (?:really |actually |even |all |still )?"
    rf"(?:true(?! that)|correct|accurate|legit\w*|a scam|scam|spam|phishing|real|fake|(?:good|proper|correct) english"
    rf"|grammatical\w*|written (?:well|correctly)|well written|a hoax|plagiari[sz]ed|too (?:long|formal|harsh))\b"
    rf"|(?:key|main|salient|important) (?:points|takeaways|ideas|facts) (?:of|from|in) (?:{_NOUN}|this"
    rf"|the following|these)"
    rf"|(?:gist|essence|takeaways|highlights|upshot|crux) of (?:{_NOUN}|this|the following|these)"
    rf"|(?:true or false|fact or fiction)\b|which (?:one |of (?:these|the following) )?(?:is|are"
    rf"|sounds?) (?:more )?(?:correct|right|better|natural|true)\b|(?:fact[- ]check|verify) (?:this|that"
    rf"|the following)\b"
    rf"|(?:thoughts|feedback|opinions?|comments?|take|views?|ideas?) (?:on|about|of) (?:{_NOUN}|this|the following"
    rf"|these)"
    rf"|what do (?:you|u|we) (?:think|make|reckon)(?: of| about) (?:{_NOUN}|this|the following|these)\b"
    rf"|(?:how does|does|do|how do) (?:{_NOUN}|this|it|these) (?:sound|read|come across|look)\b"
    rf"(?! (?:for|to (?:do|go|be))\b)|who (?:said|wrote|sings|sang) (?:this|that|it|{_NOUN})\b"
    rf"|(?:what|which) language is (?:this|that|it|{_NOUN})|where (?:is|does) (?:this|{_NOUN}) (?:come )?from\b"
    rf"|can (?:you|u) (?:read|make out|decipher) (?:{_NOUN}|this|that|it)\b"
    rf")|^{_OPENER}(?:(?:a |the |any )?(?:quick |short |brief |rough )?(?:translation|summary|tl;?dr|transcription"
    rf"|meaning"
    rf"|proof-?read|interpretation|paraphrase)(?: (?:of (?:this|that|it)|please|pls|plz|in \w+|into \w+|for me))*"
    rf"|in {_LANG}|\^+.{{0,60}})[\s.?!…]*$"
)
"""A question about a text, not about what the person tells."""
STRONG = _form(rf"\b(?:{_STRONG_VERB}|summari[sz]ing|translating)\b|{QUESTION_OF_TEXT.pattern}")
"""Requests behind which text stands even in the same line, with nothing between."""
ABOUT_THE_TALK = _form(
    r"\b(?:say|tell you|reveal) about me\b"
    r"|\b(?:remember|memori[sz]e this"
    r"|(?:make|take) (?:a |some |me a )?notes?|note (?:that|this|it|down)|keep|store|save"
    r"|put (?:it|this|that)|consider (?:this|it)|(?:on|for the) record|have (?:this|it|that) (?:on|in)|file (?:this|it)"
    r"|stay with you|dog ear|for your (?:files|notes|records|eyes)|between (?:you and me|us))\b"
    r"|\b(?:notes?|fwd?|memos?|messages?|msg|reminders?|e-?mail|texts?) to (?:self|myself|you)\b"
    r"|\b(?:what|everything|all|anything|things?|stuff|bits?)(?: that)?(?: (?:i|we"
    r"|you)(?:'ve|'d| have| had)?(?: \w+)?"
    r" (?:told|said|say|mentioned|talked|discussed|shared|know|remember|learned|did|wrote|covered|agreed|decided"
    r"|have)\b"
    r"| (?:about|so far))|\b(?:our|this whole|the whole) (?:last |previous |recent |entire )?(?:chat|conversation|talk"
    r"|discussion|session)s?\b|\b(?:this|the) (?:chat|conversation|discussion|talk) so far\b|\bso far\b"
    r"|^\W*(?:edit|update)\W*$|\bmy (?:day|morning|evening|weekend|week|month|summer|holidays?|vacation"
    r"|year|life|situation|progress|goals?|preferences|options|mood|memory|memories|profile"
    r"|trip)\b"
    r"|\bwhat you (?:know|remember|have)\b|\b(?:check|try) (?:this|it|that|these) out\b|\bmake (?:it|this"
    r"|that)\b(?! (?:more"
    r"|less|shorter|longer|sound|read|better|clearer|simpler|formal|polite|nicer|concise|funny|friendlier))"
    r"|\b(?:turn|run|count|list|finish|continue|complete|solve|fix|answer|find|compare|judge|look (?:at|over|through)"
    r"|figure out|understand|make sense of|help with|elaborate on) (?:it|that|them|him|her)\b"
    r"|\b(?:look|read|check) (?:it|that) up\b|\bmake me\b|\bget this\b|\bhere'?s? (?:is )?(?:what"
    r"|how)'?s? (?:is )?new\b"
)
"""Speaks of what was said in the talk, or of things that are no text."""
NOT_NOW = _form(
    r"\b(?:later|tomorrow|tonight|next (?:time|week|month|year)|some ?day|one day|sometimes?|yesterday|usually|often"
    r"|always"
    r"|every \w+|when i|once i|after i|before i|if i)\b"
)
"""Puts a request off, or makes it a habit."""
AFTER_A_REQUEST = _form(
    r"(?:(?:and|but|because|since|also|sorry|so),? )*(?:(?:i|we)(?:'ve|'m| have| am)? (?:\w+ )?(?:need|want|got|found"
    r"|received|have|understand|wrote|sent|know|read|get|saw|copied|can't|cannot|don't|didn't|must|should|trust|send"
    r"|tell|hand|submit|post)\b(?:[^.!?]*\b(?:it|this|that|them)\b[^.!?]{0,40}|(?: \w+){0,2} (?:understand|get it"
    r"|know))"
    r"[.!?…\s]*$|(?:it|this|that|they)(?:'s|'re| is| was| are| were| came| comes)"
    r" (?:from|for|by|in|on|at|due|a|an|the|my|our|his|her|urgent|important|short|long|quite|very|so|really|kind)\b"
    r"|(?:\w+ ){0,3}(?:thanks?|thank you|cheers|please|pls|ty|thx)\b[^.!?]{0,20}[.!?…\s]*$"
    r"|(?:in|into|to) (?:\w+ ){0,2}(?:english|french|german|spanish|words?|sentences?"
    r"|bullet points?)\b[^.!?]{0,40}[.!?]*$"
    r"|(?:keep|make) (?:it|this|the \w+) (?:\w+ ?){1,5}[.!?]*$|(?:here|there) (?:it|you) (?:is|goes?|are)\b.{0,10}$)"
)
"""Says more about the request and not yet the text."""
CORRECTS_ITSELF = _form(
    r"\s*[\"'(]?(?:no,? wait|wait|actually|hold on|hang on|never ?mind|sorry|oh wait|scratch that|on second thought"
    r"|first[,:]"
    r"|but first|before that|later\b)"
)
"""Takes a request back in the same line."""
COURTESY = _form(
    r"(?:(?:please|pls|plz|thanks?(?: you)?(?: so much| a lot| in advance)?|thx|ty|cheers|hi|hey|hello|hi there"
    r"|hey there"
    r"|good (?:morning|evening|afternoon)|morning|ok(?:ay)?|sorry|sure|lol|haha|hmm+|um+|so|quick question|one more"
    r"|another one|a favou?r|question|help|urgent|asap|no rush|many thanks|much appreciated|appreciate it)[\s,.!?-]*)*"
)
"""Says nothing."""
POINTS_AHEAD = _form(
    r"\b(?:the following|below|what follows|(?<!tell me )what comes next|next (?:message|text|thing|one|part|bit"
    r"|paragraph)|(?:i'll|i will|let me"
    r"|going to"
    r"|gonna|about to|i'm) (?:\w+ )?(?:paste|copy|send|share|post|forward|upload|pasting|sending|sharing|forwarding)"
    r"|paste (?:it|this|that|the \w+) (?:next|below|now|here)|coming (?:up|next)|in a (?:sec|second|moment))\b"
)
"""Says that text is to come."""
POINTS_BACK = _form(r"\b(?:above|previous|last (?:message|text|one|thing)|i (?:just )?(?:sent|pasted|posted))\b|\^")
"""Says that text was there before."""

_SAYS = (
    r"(?:wrote|writes|written|says?|said|sez|text(?:s|ed)|post(?:s|ed)|tweet(?:s|ed)|repl(?:ies|ied)|answer(?:s|ed)"
    r"|messag(?:es|ed)|e-?mail(?:s|ed)|mail(?:s|ed)|goes|reads|read|states?|stated|comment(?:s|ed)|ask(?:s|ed)"
    r"|tells|told"
    r"|shout(?:s|ed)|yell(?:s|ed)|whisper(?:s|ed)|announc(?:es|ed)|claim(?:s|ed)|(?:is|was|were|are|be|'s|'re"
    r"|just) (?:all |just )?"
    r"like|quot(?:es?|ed)|sent|sends|forward(?:s|ed)|dm(?:s|'d|ed)|sings?|sang|sung|explain(?:s|ed)|insist(?:s|ed)"
    r"|add(?:s|ed)"
    r"|not(?:es|ed)|runs|report(?:s|ed)|went|shared|pinged|whatsapped|left|recited|dictated|scribbled|mutter(?:s|ed)"
    r"|argu(?:es|ed)|declar(?:es|ed)|warn(?:s|ed)|mention(?:s|ed)|quoth)"
)
_TAIL = r"(?:[ ,]+(?!(?:i|i'll|i'm|i've|we|and|but|so|because)\b)[\w'@#.&()/:-]+){0,7}"
_OWNER = (
    r"(?:(?:my|your|his|her|our|their|the|a|an|this|that|some|one|another|\w+'s) (?:[\w'-]+ ){0,4}?[\w'-]+"
    r"|he|she|they|it|this|that|someone|somebody|everyone|everybody|people|who|which|there|both"
    r"|\w[\w'.-]*(?: \w[\w'.-]*)?)"
)
ATTRIBUTION = _form(
    rf"(?:^|[\s,(])(?!(?:i|we|you|i've|we've|i'd|i'm)\b){_OWNER}(?:\)|,)? (?:(?:has|have|had|just|then|also|even"
    rf"|literally"
    rf"|actually|still|again|once|always|only|later|simply|in|\w+ly) ){{0,3}}(?!(?:left|went)$){_SAYS}"
    rf"{_TAIL}$|\b(?:and i )?quote$|\bto quote (?:\w+ ?){{1,4}}$|\bin (?:his|her|their|its|\w+'s) (?:own )?words$"
    rf"|\b(?:quoting|according to|cited from|per|via|as per)(?: [\w'-]+){{1,6}}$"
)
"""Gives a colon to another's words; whoever says it of themselves gives their own."""
OWN_SAYING = _form(
    rf"^\W*(?:as|like) (?:they|people|we|you) (?:always |all )?say\b|\b(?:i"
    rf"|we)(?:'\w+)?(?: [\w']+){{0,5}}? and (?:{_SAYS}){_TAIL}$"
    rf"|\b(?:i|we|you)(?:'\w+)?(?: (?:have|had|haven't|hadn't|did|didn't|should|just|also|already|then|always"
    rf"|never|even"
    rf"|only|once|will|said|not|rather)){{0,3}} (?:{_SAYS}|tell|say|write)"
    rf"{_TAIL}$|\b(?:to|gotta|must|should|can|have) (?:say|add|write|tell|ask|mention|note|report|put)\b{_TAIL}$"
)
"""Gives a colon to the speaker's own words."""
ARRIVAL = _form(
    rf"(?:\b(?:sent|forwarded|texted|emailed|e-mailed|mailed|gave|handed|wrote|posted|shared|left|showed|messaged"
    rf"|dm'?e?d"
    rf"|whatsapped|slacked|faxed|dictated)(?: (?:to|it to|for))?(?: (?:me|us|him|her|them|everyone|\w+))? ?(?:back )?"
    rf"(?:this|these|the following|{_NOUN})\b"
    rf"|\b(?:got|found|received|saw|read|copied|pasted|heard|came across|spotted|have|here'?s?|here (?:is|are|comes"
    rf"|goes)"
    rf"|there(?:'s| is| was)|below (?:is|are)|attached(?: is)?|following is|see|wrote|made|drafted|started|typed"
    rf"|translated"
    rf"|generated|downloaded|scanned|photographed) (?:\w+ )?(?:this|these|the following|{_NOUN})"
    r"|\b(?:auto-?)?(?:transcribed|captioned|subtitled|ocr'?e?d|dictated|recited)(?: (?:by|from|with|via"
    r"|off) .{1,30})?$"
    r"|^from [\w.'-]+(?: [\w.'-]+){0,2},? (?:by|via|per|over|on|in an?|through) (?:the )?(?:sms|text|whatsapp"
    r"|e-?mail|mail"
    r"|voicemail|telegram|signal|messenger|facebook|instagram|discord|slack|post|letter|phone|fax|irc|chat)$"
    rf"|^(?:ok(?:ay)? |so |and |but |hi |hey |hello |look |lol |btw )*[,]?(?:this|that|it)(?:'s| is| was| came)"
    rf"(?: just| all)? (?:from )?(?:{_NOUN}|what (?!i\b|we\b|you\b)[\w ']{{1,40}} {_SAYS}|from \w+)"
    rf"|(?:^|\b)(?:(?:copied|pasted|taken|quoted|excerpt(?:ed)?|extract(?:ed)?|forwarded|transcribed"
    rf"|screenshot(?:ted)?|fwd"
    rf"|an excerpt|a quote|a bit|straight|direct) )?from {_NOUN}"
    rf"|\b(?:fwd|fw|forwarded message|copy[- ]?paste[d]?|cut and paste|begin quote|start quote|quote unquote)\b"
    rf"|\b(?:{_NOUN}) (?:from|by|of|on|in|about|to) (?:[\w'.-]+ ?){{1,5}}|^(?:[\w']+ ){{0,3}}?{_NOUN})"
    rf"(?:(?: (?:from|by|on|in|at|to|about|of|for|today|yesterday|this|last|just|earlier|online|here|the|my|our|his"
    rf"|her|a|an"
    rf"|so far|back|via|with))(?: [\w'@./-]+){{0,5}}"
    rf"|(?: (?:that|which))? (?:i|we|he|she|they|my \w+|\w+)(?: \w+)? (?:wrote|got|found|made|sent|received|need|have"
    rf"|saw|read"
    rf"|wants?|like|posted|gave)(?: \w+){{0,3}})?$"
)
"""Says that a text came, or gives it a name, and stops."""
ARRIVED = _form(
    rf"\b(?:sent|forwarded|texted|emailed|e-mailed|mailed|gave|handed|wrote|posted|shared|left|showed|messaged|got"
    rf"|found"
    rf"|received|saw|copied|pasted|came across|dm'?e?d|whatsapped|slacked)(?: (?:to|it to))?(?: (?:me|us|him|her|them"
    rf"|everyone))?"
    rf" (?:this|these|the following)(?: (?!is\b|was\b|morning\b|week\b|year\b|month\b)[\w'-]+){{0,6}}$"
    rf"|^(?:ok(?:ay)?,? |so,? |and |look,? |btw,? )*(?:here'?s?|here (?:is|are|comes)|this is|below is|attached is"
    rf"|following is"
    rf"|(?:copied|pasted|taken|quoted|forwarded|fwd|an excerpt|excerpt|straight)? ?from|fwd?:?"
    rf"|fw:?) {_NOUN}(?: [\w'.@/-]+){{0,5}}$"
    rf"|^{_NOUN}(?: (?:from|by|of|to) (?:[\w'.-]+ ?){{1,4}})?$|^(?:\w+ )?(?:lyrics|poem|song)(?: (?:to|of|from"
    rf"|by) .{{1,40}})?$"
)
"""Says that this text came, and ends the line."""
SAYS_DIRECTLY = _form(
    rf"\b(?:{_NOUN}|it|he|she|they|[A-Z]\w+) (?:says|reads|wrote|said|goes|texted|posted|replied|states|writes|was like"
    rf"|is like)(?: (?:this|to me|me|me this|back|on \w+|in \w+|today|yesterday|that))?$"
)
"""Another's words are announced, and the line ends."""
LABEL = _form(
    rf"(?:(?:first |second |third |last |opening |original |full |raw |source |input |user |sample |example |my "
    rf"|the |auto-?generated )*(?:{_TEXT}|image"
    rf"|photo|picture"
    rf"|screenshot|ocr(?: (?:text|result|output))?|caption|alt(?: text)?|transcript(?:ion)?|subtitles?|lyrics|poem"
    rf"|song|verse"
    rf"|chorus|voicemail|voice (?:note|memo)|recording|scan|attachment|document|file|clipboard|paste[d]?|copied"
    rf"|quote[d]?"
    rf"|excerpt|extract|translate|translation|summari[sz]e|proof-?read|rewrite|tl;?dr|homework|quiz|exercise|question"
    rf"|problem"
    rf"|true or false|fill in the blanks?|multiple choice|scene|chapter|prologue|act|int\.|ext\.|narrator|subject|fwd?"
    rf"|fw|re"
    rf"|begin forwarded message|tool output|output|stdout|stderr|response|body|payload|prompt|q|dictation|riddle|story"
    rf"|novel"
    rf"|draft|script|speech|essay|letter|context|article|text)(?: (?:\d+|[ivx]+|[a-d]|text|content|says|shows|reads"
    rf"|below"
    rf"|above|to \w+|into \w+|from .{{1,40}}|of .{{1,40}}|\(.{{0,40}}\))){{0,3}} ?){{1,3}}"
)
"""A word or two that name the text behind them."""
REVERSE_SOURCE = _form(
    rf"[\s(\[*_~—–-]*(?:\^+.{{0,80}}|(?:source|via|from|copied from|taken from|quoted from|quote from|c/o|credit"
    rf"|h/t)[: ]"
    rf"(?:{_NOUN}|\w+'s {_TEXT})\b.{{0,40}}"
    rf"|(?:that|this|it|the above|these)(?:'s| is| was| are| were| came)(?: just| all)? (?:from|by|what (?!i\b"
    rf"|we\b)[\w ']{{1,40}}"
    rf" {_SAYS}|what (?:{_NOUN}|it) (?:says|said|reads)|{_NOUN} (?:from|by|i got|that|my|he|she|they)).{{0,60}}"
    rf"|(?:\w+ ){{1,3}}(?:wrote|sent|posted|texted|said|forwarded)(?: me)? (?:that|this|it|the above)(?: .{{0,40}})?"
    rf"|(?:said|wrote|says|writes) (?!i\b|we\b)(?:\w+ ?){{1,4}}|(?:this|that) is (?:only |just )?(?:an example"
    rf"|a sample|a test"
    rf"|lyrics|a song|a poem|a quote|from a \w+).{{0,40}})[\s.!?)\]]*"
)
"""Says, behind a text, whose it is."""
BARE_REQUEST = _form(
    rf"(?:^|[,.!?]\s+){_OPENER}{_MODAL}(?:{_STRONG_VERB}|check|fix|correct|explain|read) "
    rf"(?:this|that|the following|(?:this|that|the following) {_TEXT})(?: (?:please|pls|for me|to me|(?:in"
    rf"|in)to {_LANG}"
    rf"|to {_LANG}|in {_LANG}))*(?:[ ,]+)(?=(?:i|i'm|i've|i'd|my|we|we're|forget|delete|erase|wipe|remember|you|he|she"
    rf"|please (?:forget|delete|erase|remember))\b(?! (?:need|want|got|found|received|have it|wrote|sent|saw|don't"
    rf"|can't)\b))"
)
"""A request and its text with nothing between."""
_REST = r"(?P<words>.+)"
_I = (
    r"(?:i|i'm|i've|i'd|i'll|im|my|we|we're|we've|you|you're|he|she|it's|it is|they|there|forget|delete|erase"
    r"|remember|please)"
)
SPEAK_AFTER = _form(
    rf"^{_OPENER}{_MODAL}(?:please )?(?:repeat|say|sing|write|type|print|echo|output|recite|spell|pronounce|copy|post"
    rf"|reply|respond"
    rf"|answer|tell (?:him|her|them|[A-Z]\w+|my \w+)|text (?:him|her|them|\w+)|send (?:him|her|them|[A-Z]\w+))"
    rf"(?: (?:after me|back|out|this|that|the following|exactly|these words|word for word|with|in \w+|out loud"
    rf"|aloud)){{0,3}}$"
)
"""Dictates words that are to be said or written."""
_ASKS_HOW = (
    r"\bhow (?:do|would|can|should|does|did)(?: (?:you|u|i|we|one|people|someone|they)) (?:say|write|pronounce"
    r"|spell|phrase"
    r"|translate|express|put|sign)"
)
_NO_OBJECT = (
    r"(?!(?:this|that|it|the following|something|me|no|yes|sorry|hello|goodbye|thanks|thank you)\b(?! is\b| was\b))"
)
PHRASE_IN_LANGUAGE = _form(
    rf"(?:{_ASKS_HOW}|\b(?<!\bi )(?<!\bwe )(?<!\bto )(?:"
    rf"what(?:'s| is)|what would be|say|type|write|put|translate|pronounce|spell)"
    rf"(?: the (?:\w+ )?(?:word|translation|phrase|term|expression|sign) (?:for|of))?)"
    rf" {_NO_OBJECT}(?P<words>\w[^:]*?) (?:in|into|to|as) (?:\w+ )?{_LANG}\b"
    rf"|(?:{_ASKS_HOW}|\bwhat(?:'s| is) the {_LANG} (?:word |translation |phrase |term |expression )?(?:for|of))"
    rf" {_NO_OBJECT}(?P<more>\w[^:]*?)(?: correctly| politely| properly| more \w+|\?|$"
    r"|[.!]+ (?=(?:also|btw|by the way|anyway|oh|and)\b))"
)
"""A phrase to be put in another language, without quotation marks."""
_RELATIVE = (
    r"(?:\w+ )?(?:read|wrote|write|said|say|got|told|sent|heard|saw|found|used|use|likes?|liked|love|quoted"
    r"|quote|meant|mean|made"
    r"|gave|put|need|wants?|wanted|know|chose|picked|remember|hate|posted|copied|mentioned|had|typed|marked"
    r"|added|changed|sing"
    r"|highlighted|have (?:written|said|read|heard|used|in)|can|could|would|should|must)\b"
)
"""What makes "the sentence I …" a sentence that somebody has to do with, and not its words."""
SENTENCE_OF_TEXT = _form(
    rf"\b(?:the|this|a|an|my|your|which|example|sample) (?:\w+ )?(?:sentences?|phrase|expression|statement|words"
    rf"|string|headline"
    rf"|caption|title|subject line|slogan|prompt|input|text|line|lyrics?|quote|proverb|saying|utterance|example)"
    rf"(?: (?:like|such as|as in|is|was|being|goes like|which says|that says|with))?:? "
    rf"(?P<words>(?:i(?! {_RELATIVE})|i'm|i've|i'll|im|my|we(?! {_RELATIVE})|we're|(?:please )?(?:forget|delete"
    rf"|erase|remember))\b.+)"
)
"""A sentence that is spoken of and not said."""
DICTATION = _form(
    rf"\b(?:{_WHOSE} )?(?:[\w'-]+ ){{0,3}}?{_TEXT}(?: (?:to|for|from) (?:[\w'-]+ ?){{1,4}}?)?,? ?"
    rf"\b(?:that|which|where it|to) (?:says?|reads|goes like|tells (?:\w+ ){{1,3}}?(?:that )?|states?"
    rf"|explains?(?: that)?)[:, ]+{_REST}"
    rf"|\b(?:write|draft|compose|send|make|create|post|type|text|generate|prepare|reply|answer|respond"
    rf"|pretend)\b[^:.?!]{{0,80}}?"
    rf"\b(?:saying|stating|claiming|with the words?|that says|that starts with|beginning with"
    rf"|telling \w+)(?: that)?[:, ]+"
    rf"(?P<dictated>.+)"
)
MENTION = _form(
    rf"\b(?:if|suppose|supposing|imagine|assume|assuming|say|let's say|pretend|what if|in case)(?: that)?"
    rf" (?:i|you|we|someone|somebody|a \w+|an \w+|the \w+|he|she|they|people|my \w+)(?: were to| was to|'d| would"
    rf"| ever)?"
    rf" (?:said|says?|wrote|writes?|told (?:you|me|someone|them)|tells? (?:you|me|someone|them)|typed?|claims?)"
    rf"(?: (?:to|that|you|me|like|something like))*[:, ]+(?P<words>{_I}\b.+)"
)
"""A saying that is only put as a case."""
TEXT_SAYS = _form(
    rf"(?:\b{_NOUN}|\bit|\bthere(?:'s| is| was) {_NOUN})(?: (?:from|by|of|on|in|at|about|for|to|outside|inside|near"
    rf"|behind|over"
    rf"|above|that|which|we|i|he|she|they|got|sent|gave|the|my|our|his|her|a|an|door|wall)(?: [\w'-]+)?){{0,4}}"
    rf" (?:(?:just|also|clearly|even|only|now|still|here) )?(?:says|said|reads|goes like|states|stated|claims|claimed"
    rf"|saying|reading|tells me|tells us|told me|begins with|starts with)"
    rf"(?! (?:nothing|otherwise|hello|hi|a lot|so)\b)(?: that)?[:, ]+{_REST}"
)
"""A text that says something, in the same sentence."""
DIRECT_SPEECH = _form(
    r"\b(?:he|she|they|it|who|(?:my|the|our|her|his) (?:\w+ )?\w+|[A-Z]\w+) (?:(?:goes|went|(?:is|was|were"
    r"|'s) (?:all |just )?like)"
    r"[, ]+(?P<words>(?:i|i'm|i've|my|forget|delete|erase|remember|hey|please)\b.+)"
    r"|(?:says|said|wrote|writes|texted|replied|posted|shouted|yelled|told me)[, ]+(?P<order>(?:please |hey |ok "
    r"|just |don't )*"
    r"(?:forget|delete|erase|wipe|remember|ignore|disregard|remove)\b.+))"
)
"""Another's words without a mark before them."""
ACCORDING = _form(
    rf"\b(?:according to|as per|per|as stated (?:in|on)|it says (?:in|on)|as (?:written|seen|read) (?:in"
    rf"|on)) (?:{_NOUN}|wikipedia"
    rf"|google|the internet|the web|reddit|facebook|chatgpt)\b|\b(?:as|like) {_NOUN} (?:says|said|states|puts it"
    rf"|claims)\b"
    rf"|, (?:says|said|reads|states|claims) {_NOUN}\W*$|, it (?:says|said)\W*$"
)
"""A sentence whose source is a text."""


def _beginnings(pattern: str, further: str = "") -> frozenset[str]:
    """Return the first three letters of the words of a pattern, and more words."""
    return frozenset(word[:3] for word in [*re.findall(r"(?<!\\)\b[a-z]{3,}", pattern), *further.split()])


SAYING = _beginnings(_SAYS, "dm dms dmed tells begins starts per quoting") - frozenset(
    "is are was wer jus all lik".split()
)
NAMING = _beginnings(
    _TEXT,
    """ad ads cv t-shirt image photo caption transcript attachment clipboard paste copied quoted homework question
    problem
    true fill multiple chapter scene act prologue subject fwd fw re q tool output body payload narrator example
    expression
    slogan utterance proverb saying stating claiming telling with this these following here begin int ext excerpt
    riddle from captioned subtitled recited""",
)
LIKENING = frozenset({"lik"})
"""What people say before another's words, and about much else."""
QUOTING = _beginnings(
    "",
    "sentence phrase expression statement words string headline caption title subject slogan prompt input text"
    " lines lyrics quote proverb saying utterance example",
)
WORKING = _beginnings(
    f"{_STRONG_VERB}{_WEAK_VERB}",
    """key main salient important gist essence takeaways highlights upshot crux tl tldr ocr what whats which true
    fact correct accurate legit scam spam phishing real fake good proper
    grammatical written
    well hoax plagiarised too thoughts feedback opinion comment take view idea think make reckon sound sounds come
    look who
    where can translation summary transcription meaning interpretation paraphrase in into ^ verify translating
    summarising
    proofreading rewriting rephrasing checking fixing explaining replying""",
)
"""How the words begin of which a frame needs at least one: a look at these spares most sentences the patterns."""
