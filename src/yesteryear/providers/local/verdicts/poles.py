"""Scales with two ends: words and phrases that say opposite things, and which say the same.

English, general knowledge of words; nothing about any data. One scale a line, its ends divided by ``|``, entries by
commas. Entries are compared by stems, small words included, so "gives up" is found by "give up".
"""

from __future__ import annotations

from yesteryear.core.language.tokens import stem, words

_SCALES = """
allow, let, permit, tolerate, authorise, authorize, entitled, welcome, is allowed, allowed to, legal
  | forbid, forbidden, ban, bar, prohibit, rule out, off limits, not allowed, must not, veto, illegal, disallow, block
accept, say yes, agree to, take the offer, approve, sign up, took the job, welcome, green light, go ahead
  | reject, refuse, decline, turn down, say no, withdraw, back out, pull out, deny, veto
love, adore, like, fond of, enjoy, keen on, fan of, crazy about, passionate, soft spot for, into
  | hate, loathe, detest, dislike, cannot stand, can't stand, can't bear, despise, sick of, allergic to, fed up, avoid
prefer, favour | avoid, dislike
win, won, beat, first place, champion, victory, come out on top | lose, lost, defeat, beaten, empty handed, trail
pass, succeed, manage, make it, achieve, get through, success | fail, flunk, failure, did not make it, fall through
hire, employ, join, get the job, appoint, take on, work at, work for
  | fire, sack, lay off, dismiss, resign, quit, leave, redundant, unemployed, out of work, jobless, hand in notice
marry, married, husband, wife, wed, spouse
  | single, divorced, divorce, separate, split up, bachelor, widowed, broke up
alive, living, survive, live | dead, die, death, pass away, perish, kill, deceased
healthy, well, fit, recover, cure, better, all clear, fine, no trouble, in the pink, fit as a fiddle, heal
  | ill, sick, unwell, disease, suffer, ache, pain, injured, off sick, worse, death's door, hospital, hurt, infection
healthy | underweight, overweight, obese, unhealthy
open | closed, close, shut, locked, lock
begin, start, launch, open, take up, commence | end, finish, stop, quit, close, cease, give up, done, complete
continue, go on, keep, carry on, stay | stop, quit, give up, no longer, drop, cancel, leave, abandon, any more
plan, going to, intend | cancel, call off, drop, abandon
arrive, in one piece, turn up, deliver | leave, depart, gone, miss, smash
increase, raise, rise, grow, go up, up to, gain, climb, double, more, higher, expand
  | decrease, reduce, fall, drop, shrink, go down, down to, lose, cut, halve, less, lower, fewer
all, every, everyone, everybody, everything, whole, entire, always | none, nobody, no one, nothing, never, not one
always, every time, constantly, all the time, often, regularly | never, rarely, hardly ever, seldom, not once
everywhere | nowhere
many, lot, plenty, a great deal, numerous | few, hardly any, little, scarcely, barely
easy, simple, effortless, breeze | hard, difficult, tough, struggle, tricky
big, large, huge, enormous, giant, spacious | small, tiny, little, mini, cramped
long | short
tall, high | short, low
heavy | light
thick | thin, slim
fast, quick, rapid, speedy | slow, take ages
cheap, affordable, bargain, inexpensive | expensive, costly, pricey
free, no charge, for nothing | paid, charge, cost, fee
rich, wealthy, well to do, well off, roll in it, come from money, rolling in
  | poor, broke, strapped, hard up, short of money, penniless, bankrupt
debt, owe, in the red, overdraft, loses money | debt free, profit, in the black, paid off, owe nothing, breaks even
paid, settle, pay | unpaid, overdue, outstanding, owe, behind, due
new, brand new, fresh, replaced | old, worn, used, second hand, battered, original
young, younger, youngest, junior | old, older, elder, eldest, elderly, oldest, senior
junior, trainee, apprentice, intern, assistant, deputy, student | senior, manager, qualified, boss
strong, powerful | weak, feeble, fragile
clean, tidy, spotless, neat | dirty, messy, filthy, mess, untidy
safe, harmless, edible, good to eat | dangerous, deadly, risky, poisonous, unsafe, toxic
loud, noisy | quiet, silent
near, close, next door, round the corner, nearby | far, remote, distant, miles away, abroad
remote, from home, work from home, home office | office, on site, in person, in the office, commute
online, remote, virtual | in person, face to face, on site
full time | part time, half time
permanent, indefinite, for good | temporary, fixed term, for now
functioning, repaired, fixed, fix, repair | broken, break, out of order, crash, fail, act up
green | red, outage
public, open | private, secret, closed
alone, single handed, by himself, by herself, on his own, on her own, solo, only child
  | together, with others, siblings, shared, share, team
busy, booked, booked up, sold out, full | free, empty, vacant, available, unsold
full | empty
hot, warm | cold, cool, freeze, chilly
wet, rain, downpour, soaked | dry, drought
sunny | cloudy, rain, storm
bright | dark, dim
happy, glad, content, satisfied, delighted, pleased, thrilled
  | sad, unhappy, depressed, miserable, disappointed, upset, dissatisfied, regret
calm, relaxed, patient, laid back | anxious, nervous, stress, worried, tense, impatient
confident, sure, certain, convinced | unsure, doubt, insecure, undecided, two minds, hesitant
brave, fearless, not afraid | afraid, scared, fear, terrified, frightened, phobia, terrify
trust | distrust, suspect
friendly, get on, close to, good terms, fond
  | hostile, quarrel, fight, enemy, not on speaking terms, daggers drawn, fall out, bad blood, feud, argue, rival
forgive, reconcile, make up | grudge, resent, never forgave
sober, teetotal, on the wagon, does not drink, stopped drinking, no alcohol
  | drink, drunk, alcohol, back on the bottle, wine, beer
non smoker, stop smoking, quit smoking, gave up smoking | smoke, smoker, cigarette
vegetarian, vegan, no meat, gave up meat, plant based | meat, chicken, beef, pork, bacon, steak, lamb, carnivore
believe, religious, devout, faith, church, pray | atheist, lost faith, no longer believe, not religious
beginner, novice, new to, not a clue, know nothing, closed book, no idea
  | expert, fluent, master, skilled, experienced, at home with, proficient, good at
good at, talent, excel, gifted | bad at, hopeless, useless, struggle, terrible at
good, great, excellent, fine, perfect | bad, poor, terrible, awful, dreadful
best | worst
like a log, sleep well, through the night, sleep through
  | insomnia, badly, awake, cannot sleep, can't sleep, sleepless
remember, recall, recognise | forget, forgot, do not recognise
know | unaware, not know, no idea, ignorant
keep, retain, hold on to, own, still have | sell, sold, discard, get rid, throw away, give away, lose, scrap, drop
buy, bought, purchase, acquire | sell, sold
own, owner, homeowner, bought | rent, tenant, lodger, lease
borrow | lend, lent
give, gave, send | receive, take
add, include, contain | remove, without, exclude, omit, lack
own, possess | lack, without, have no, do not have
true, real, genuine, correct | false, made up, fake, wrong, invented, untrue, incorrect
natural | artificial
voluntary, free will, of her own, of his own, own accord, choose, want
  | forced, fired, strong arm, made to, compulsory
optional, need not, needn't, voluntary | required, must, mandatory, compulsory, obligatory, have to, need
early, ahead, before time, on time, punctual, on the dot, on schedule
  | behind, delay, overdue, postponed, push back, behind schedule
on time | miss the deadline
sign, signed | unsigned, not signed, terminated
male, boy, man | female, girl, woman
mother tongue, native, first language | foreign language, second language
same | different
before | after
elder, older, eldest, first born | younger, youngest
outlive, survive | die first, outlived by
in front | behind
above | below, under, beneath
inside, indoors | outside, outdoors
north | south
east | west
morning, morning person, early bird, early riser | evening, night owl, late riser, night
straight | curly
left handed | right handed
introvert, shy, reserved | extrovert, outgoing, sociable
optimist | pessimist
smooth | rough
soft | hard
sweet, sugar | bitter, sugarless, unsweetened, without sugar, no sugar, black coffee
mild | spicy
raw | cooked
organised, organized, tidy | chaotic, messy, disorganised, disorganized
generous | stingy, miser
lazy | hardworking, diligent, workaholic
talkative, chatty | quiet, silent, taciturn
polite, kind | rude, cruel
guilty, convicted, criminal, prison, burglary | innocent, acquitted, never been in trouble, clean record
homeless, without a roof | flat, house, home, roof over, keys
pregnant, expecting, in the family way | gave birth, baby, born, childless, not pregnant
childless, no children | children, kids, mother of, father of
pet free | dog, cat, pet
driving licence, drive, license | cannot drive, can't drive, lost licence
blind, deaf | hear perfectly
member | not a member, non member
support, in favour | oppose, anti, object
agree | disagree, object, dispute
success | failure
progress, ahead, moving | stuck, stall, blocked, halted, held up, on hold, blocker
solved, resolve, fixed, sorted, unblocked, came through, cleared
  | stuck, blocked, problem, issue, waiting, stand still
granted, came through, approved, issued | denied, pending, waiting, refused
enough | not enough, shortage, lack, too little
thin, slender, lose weight | fat, gain weight, put on weight, overweight
improve, get better, recover | deteriorate, get worse, decline
appear, show up | disappear, vanish
wake, awake, get up | asleep, sleep, go to bed
stay, remain | leave, move, move away, move out
move in | move out
employed, in work | unemployed, looking for work, retired
retire, retired, pension | employed, career
student, study, enrolled | graduate, drop out, degree
attend, go to, came to | skip, miss, absent, stay away
visible | hidden, invisible
legal | illegal
possible | impossible
reachable | unreachable, out of reach
watch | miss, did not see
whole, intact, unharmed, undamaged, not a scratch, in one piece
  | broken, cracked, smashed, damaged, to bits, in pieces
taken, steal, stolen, clear out, rob | nothing taken, untouched
connected, online | offline, disconnected, cut off
backed up, saved | lost, deleted
day | night
summer | winter
parent | child
teacher, teach | pupil, learn
in love, together with, seeing someone, dating | single, broke up, split up
urgent, important, priority | unimportant, trivial, can wait
"""


def _key(entry: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(entry))


def _read(scales: str) -> dict[tuple[str, ...], frozenset[tuple[int, int]]]:
    """Return, for each entry, the ends it stands for: number of the scale, and 1 or -1."""
    found: dict[tuple[str, ...], set[tuple[int, int]]] = {}
    for number, scale in enumerate(scales.strip().replace("\n  |", " |").split("\n")):
        for end, entries in zip((1, -1), scale.split("|"), strict=True):
            for entry in entries.split(","):
                found.setdefault(_key(entry), set()).add((number, end))
    return {entry: frozenset(ends) for entry, ends in found.items()}


POLES = _read(_SCALES)
"""Entries as tuples of stems, and what they stand for."""
LONGEST = max(map(len, POLES))
"""Words in the longest entry."""
