"""The words of a life: whom somebody has, what they are, what they have, what they are asked about. English."""

from __future__ import annotations

from collections.abc import Mapping

CLASSES: Mapping[str, str] = {
    # Whom somebody has. A word may stand in the plural.
    "person": r"""
        mum mom mother mummy mommy dad father daddy parent wife husband hubby spouse partner boyfriend girlfriend bf gf
        fianc[eé]e? son daughter kid child children baby toddler newborn twin triplet brother bro sister sis sibling
        aunt auntie uncle cousin gran nan nana grandma grandmother granny grandpa grandfather grand-?dad grandparent
        grandson granddaughter grandchild grandchildren grandkid nephew niece step-?(?:son|daughter|dad|mum|mom|father)
        step-?(?:mother|brother|sister|kid|child|children) half-?(?:brother|sister) god(?:son|daughter|father|mother)
        (?:mother|father|sister|brother|son|daughter|parents)-?_?in-?_?law in-laws
        ex(?:-?_?(?:wife|husband|boyfriend))?
        ex-?_?girlfriend best_friend bestie friend roommate room_mate flatmate housemate boss manager colleague
        co-?worker carer caregiver nanny family
    """,
    "pet": r"""
        dog cat puppy puppies kitten pup horse pony rabbit bunny bunnies hamster guinea_pig parrot budgie bird gerbil
        ferret tortoise turtle snake lizard gecko goldfish fish rat chicken goat pet tabby labrador lab poodle beagle
        retriever spaniel terrier dachshund corgi collie shepherd husky greyhound bulldog pug chihuahua
    """,
    # What somebody is, by one word after "am".
    "condition": r"""
        allergic intolerant vegan vegetarian veggie pescatarian pescetarian flexitarian keto kosher halal
        gluten-?_?free
        dairy-?_?free teetotal sober clean pregnant expecting diabetic asthmatic epileptic coeliac celiac deaf blind
        hard_of_hearing colou?r-?_?blind dyslexic dyspraxic autistic bipolar schizophrenic neurodivergent disabled
        immunocompromised an[a]?emic infertile menopausal insomniac an?orexic bulimic paraplegic quadriplegic
        paraly[sz]ed short-?sighted near-?sighted terminal(?:ly_ill)? chronically_ill hiv[-_]positive in_remission
        in_recovery in_rehab in_a_wheelchair adhd depressed left-?_?handed right-?_?handed lactose_intolerant
        (?:lactose|gluten|nut|dairy|egg|soy|wheat|histamine|fructose|caffeine|sulphite|alcohol)[-_](?:intolerant|sensitive)
        (?:type_(?:1|2|one|two)_)?diabetic addicted in_menopause on_dialysis ivf
        on_(?:medication|meds|insulin|chemo|antidepressants|antibiotics|blood_thinners|the_pill|birth_control|statins)
        on_(?:lithium|metformin|ssris|steroids|warfarin|hrt|testosterone|o?estrogen|benefits|disability|parole|a_visa)
        on_(?:maternity|paternity|parental|sick|medical|compassionate|bereavement)_leave
        (?:\w+_)?(?:weeks|months)_pregnant
    """,
    "standing": r"""
        single married engaged divorced separated widowed retired unemployed jobless self-?_?employed out_of_work
        laid_off made_redundant redundant fired sacked hired promoted adopted orphaned homeless bankrupt an_orphan
        a_widow a_widower an_only_child newly-?wed(?:s)? polyamorous poly childless child-?free in_a_relationship
        long-?_?distance freelance(?:_now)? semi-?retired between_jobs homeschooled
    """,
    "creed": r"""
        jewish muslim christian catholic protestant orthodox buddhist hindu sikh atheist agnostic mormon quaker baptist
        lutheran anglican methodist evangelical religious secular pagan wiccan jain baha'?i shia sunni lds spiritual
        gay lesbian bi bisexual pansexual asexual aromantic queer trans transgender transsexual non-?binary nonbinary
        genderfluid intersex straight cis closeted
        (?:gen_z|a_millennial|a_boomer) introverted extroverted
    """,
    "looks": r"""
        bald balding tall short obese overweight underweight ginger blond blonde red-?_?haired freckled albino tattooed
        undocumented stateless mute non-?verbal house-?bound bed-?bound incontinent ambidextrous double-?jointed
        tone-?deaf face-?blind sensitive_to_\w+ flat-?footed bow-?legged knock-?kneed scarred
        a_(?:redhead|blonde|brunette)
    """,
    "body": r"""
        knee back hip shoulder heart kidney liver thyroid eyesight hearing lungs? spine neck ankle wrist foot feet leg
        arm thumb finger toe elbow ribs? collarbone shin skull nose tooth teeth calf thigh tendon ligament
        hand eye ear jaw pancreas bladder womb uterus ovar(?:y|ies) prostate hips knees kidneys immune_system memory
    """,
    "nation": r"""
        american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss
        austrian danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek
        turkish russian ukrainian serbian croatian bosnian albanian slovenian estonian latvian lithuanian georgian
        armenian israeli lebanese syrian iraqi iranian persian kurdish afghan pakistani indian bengali bangladeshi
        tamil
        nepali sri_lankan chinese taiwanese japanese korean vietnamese thai filipino filipina indonesian malaysian
        singaporean australian canadian mexican brazilian argentinian argentine chilean colombian peruvian venezuelan
        cuban jamaican haitian dominican puerto_rican nigerian ghanaian kenyan ethiopian somali sudanese egyptian
        moroccan algerian tunisian south_african zimbabwean european asian african latino latina hispanic black white
        mixed-?_?race biracial indigenous s[aá]mi inuit romani basque catalan native_american m[aā]ori
    """,
    # What somebody is, after "am a"; also told by its ending, see _ROLE.
    "role": r"""
        nurse vet chef cook dentist accountant architect lawyer solicitor barrister judge doctor gp surgeon physician
        midwife paramedic pharmacist therapist psychologist psychiatrist physio vicar priest pastor imam rabbi nun monk
        soldier sailor veteran pilot mechanic electrician plumber carpenter joiner welder builder bricklayer roofer
        farmer fisherman butcher baker barista bartender waiter waitress cashier clerk secretary receptionist
        translator interpreter journalist editor author novelist poet musician dj artist painter photographer actor
        actress dancer teacher tutor professor lecturer academic scientist chemist physicist biologist researcher
        engineer developer programmer coder devops designer sysadmin analyst consultant recruiter estate_agent realtor
        broker banker trader auditor bookkeeper economist entrepreneur founder freelancer contractor civil_servant
        social_worker care_worker carer nanny au_pair cleaner caretaker janitor guard police_officer cop detective
        firefighter lifeguard librarian archivist curator gardener florist hairdresser barber beautician tailor
        seamstress driver trucker courier postman mailman student undergrad postgrad phd_student freshman sophomore
        apprentice intern trainee pensioner retiree immigrant refugee expat citizen veteran diabetic coeliac celiac
        vegan vegetarian pescatarian muslim christian catholic jew buddhist hindu sikh atheist agnostic quaker mormon
        introvert extrovert morning_person night_owl early_bird smoker non-?smoker recovering_alcoholic alcoholic
        addict
        lefty twin triplet widow widower orphan mum mom mother dad father parent grandma grandpa grandmother
        grandfather
        grandparent stay-at-home_(?:mum|mom|dad|parent) single_(?:mum|mom|mother|dad|father|parent) newlywed
        foster_carer
        landlord landlady homeowner tenant politician councillor manager director ceo cto cfo lesbian man woman
        trans_(?:man|woman) virgin virgo libra scorpio sagittarius capricorn aquarius pisces aries taurus gemini
    """,
    # What somebody has of health.
    "illness": r"""
        asthma adhd add diabetes epilepsy migraines? cancer leuk[a]?emia lymphoma melanoma tumou?r ocd ptsd bpd pcos
        endometriosis crohn'?s colitis ibs ibd arthritis osteoporosis scoliosis fibromyalgia lupus ms als parkinson'?s
        alzheimer'?s dementia autism dyslexia dyspraxia bipolar schizophrenia depression anxiety insomnia
        sleep_apn[o]?ea
        narcolepsy tinnitus vertigo eczema psoriasis rosacea gout hepatitis hiv aids herpes tb tuberculosis anorexia
        bulimia anemia anaemia hemophilia haemophilia hypertension hypothyroidism hyperthyroidism hashimoto'?s celiac
        coeliac(?:_disease)? long_covid (?:cochlear_)?implant chronic_(?:pain|fatigue|migraines)
        (?:high|low)_blood_pressure high_cholesterol
        heart_(?:condition|disease|failure|murmur) kidney_(?:disease|stones|failure)
        thyroid_(?:problems|issues|disease)
        panic_attacks social_anxiety postpartum_depression arrhythmia afib stroke heart_attack aneurysm miscarriage
        seizures? pacemaker prosthe(?:tic|sis)(?:_leg|_arm|_hand)? hearing_aids? stoma wheelchair c-?section
        hysterectomy
        vasectomy mastectomy transplant surgery chemo herniated_dis[ck] slipped_dis[ck] torn_acl
        (?:\w+_)?(?:allergy|allergies|intolerance|disorder|syndrome|disease|deficiency|phobia) sciatica carpal_tunnel
        stutter stammer lisp limp squint scar birthmark lazy_eye food_aversion glaucoma cataracts astigmatism
        down'?s_syndrome cerebral_palsy aphantasia synesthesia tourette'?s
    """,
    "belonging": r"""
        house home flat apartment cottage farm mortgage garden allotment degree phd masters? bachelors? mba diploma
        (?:new|full-time|part-time|second|day|night|remote)_job business company start-?up shop restaurant salon
        green_card visa citizenship passport driving_licence driver'?s_licen[cs]e tattoos?
    """,
    "instrument": r"""
        guitar piano violin cello viola flute clarinet oboe bassoon sax(?:ophone)? trumpet trombone tuba horn drums?
        bass
        ukulele banjo mandolin harp organ accordion keyboard percussion harmonica fiddle recorder football soccer rugby
        tennis badminton squash table_tennis golf hockey cricket baseball softball basketball volleyball netball
        handball
        lacrosse chess poker polo padel d&d
    """,
    # What follows "my" and says who somebody is.
    "attribute": r"""
        name names surname (?:first|last|middle|maiden|full|real|legal|given|family|nick|pet)_?name nickname age
        birthday
        bday date_of_birth dob anniversary due_date job jobs occupation profession career hometown home_town
        home_address
        address birthplace religion faith pronouns nationality ethnicity citizenship blood_type star_sign zodiac_sign
        native_language mother_tongue first_language height weight shoe_size salary income employer workplace major
        degree
        university school grade allergy allergies diet condition diagnosis medication meds prescription
        (?:favou?rite|fav|fave)(?:_\w+){0,2} orientation gender ethnic_background heritage
        wedding(?:_day|_date|_anniversary)?
    """,
    # What befalls somebody, after "I've been".
    "befell": r"""
        named appointed elected promoted demoted accepted admitted nominated shortlisted selected knighted ordained
        naturali[sz]ed commissioned recruited enrolled tenured diagnosed misdiagnosed hospitali[sz]ed sectioned
        discharged prescribed operated_on vaccinated engaged widowed orphaned bereaved adopted fostered evicted
        burgled
        robbed mugged assaulted sentenced acquitted arrested deported conscripted drafted posted_to transferred_to
        seconded head-?hunted cast_as cast_in baptised baptized christened confirmed_as certified licensed
        called_to_the_bar called_up sworn_in struck_off laid_off let_go made_redundant made_permanent made_partner
        furloughed awarded granted
    """,
    # What may follow one of those and makes it a matter of work or of machines.
    "no_honour": r"""
        access permissions? by_default as_(?:an?_|the_)?(?:default|answer|\w+_answer)
        the_(?:wrong|default|terms) wrong correctly
        incorrectly automatically an?_(?:error|task|ticket|list|file|prompt|question|message)
        in_an?_(?:error|bug|call)
        on_(?:a|this)_call in_this
    """,
    "rank": r"""
        head chief captain partner manager director principal dean professor chair(?:man|woman|person)? leader lead
        foreman supervisor president secretary treasurer godmother godfather guardian permanent redundant homeless
        sergeant colonel deputy editor executor trustee associate
    """,
    # What somebody is given or earns.
    "gain": r"""
        citizenship asylum custody tenure residency visa green_card scholarship grant fellowship bursary award prize
        medal promotion job position post role place contract pension notice diagnosis degree phd doctorate masters
        thesis dissertation licen[cs]e certificate diploma raise transplant kidney all-clear belt apprenticeship
        internship marathon
    """,
    # What people belong to.
    "group": r"""
        choir band orchestra club team circle gym church parish mosque temple synagogue congregation army navy police
        marines air_force union party society association guild league squad troupe ensemble theatre theater school
        class_of course charity company firm law_firm start-?up regiment crew fire_brigade reserves cult sect convent
        monastery co-?op co-?operative book_club support_group
    """,
    "vehicle": r"""
        bike bicycle motorbike motorcycle scooter car van camper(?:_?van)? boat yacht canoe caravan piano house
        flat home
        apartment condo cottage cabin farm plot houseboat narrowboat
    """,
    "pastime": r"""
        smoking drinking meat knitting running climbing pottery painting sailing surfing swimming gardening cycling
        fencing boxing yoga pilates archery ceramics crochet birdwatching beekeeping weaving woodworking carpentry
        judo karate ballet salsa tango teaching nursing photography
    """,
    # What is ahead of somebody or behind them, after "my" or "I have a".
    "event": r"""
        interview job_interview surgery operation biopsy mammogram colonoscopy scan ultrasound mri wedding honeymoon
        funeral baptism christening bar_mitzvah bat_mitzvah quincea[nñ]era graduation audition recital marathon
        triathlon court_date hearing custody_hearing divorce viva thesis_defen[cs]e sabbatical pilgrimage anniversary
        due_date chemo radiotherapy dialysis transplant baby_shower hen_do stag_do deployment retirement internship
        parole oath_ceremony citizenship_(?:test|ceremony) driving_test maternity_leave paternity_leave
    """,
    # Who tells somebody of their own life, and by what.
    "teller": r"""
        doctor doctors doc gp midwife vet dentist orthodontist optician optometrist physio physiotherapist consultant
        surgeon specialist paediatrician pediatrician therapist counsellor nutritionist dietitian dietician
        obstetrician sonographer health_visitor social_worker embassy adoption_agency physician allergist
    """,
    "probe": r"""
        (?:dna|ancestry|blood|pregnancy|genetic|paternity|allergy|eye|hearing|skin|smear|hiv)_tests? biopsy mri
        x-?ray ultrasound mammogram bloods sonogram colonoscopy
        ct_scan pet_scan cat_scan bone_scan 23andme
    """,
    "growth": "tumou?r lump cyst mole polyp fibroid nodule cancer growth hernia clot",
    # What others do to somebody and changes a life, before "me".
    "does_to": r"""
        accepted hired fired sacked promoted rejected evicted adopted fostered elected appointed divorced widowed
        dumped proposed_to raised deported naturali[sz]ed conscripted drafted sectioned
    """,
    # What "I'm a ..." and what ends like a person but is none.
    "passing_noun": r"""
        bit little tad touch lot couple few number big_fan fan huge_fan quarter half third hundred million step day
        week minute hour while moment potato mess wreck ghost goner loser sucker slow terrible_(?:liar|person) bad
        bot robot early_adopter user
    """,
    "no_person": r"""
        number matter whatever never ever over after under further longer later other another rather either better
        bigger smaller faster higher lower easier harder monster disaster sucker goner loser winner hater liar killer
        computer paper water letter order error factor vector tensor color colour floor door poor for or nor mirror
        cluster server answer tester fee degree coffee tree committee see agree employee_id burger hamburger
        human spider tiger hamster lobster flower master fever cover offer buffer timer counter tier layer header
        footer folder router container power tower corner finger shoulder weather winter summer dinner
        chatterbox list persist exist assist twist wrist mist stranger bummer downer
    """,
    "no_origin": r"""
        done way through finished asleep awake sure dead certain right hour blind there here mad crazy tempted of and
        human robot machine time year mile dozen the this that off on serious
    """,
    # What stands before a colon and a value, and is nobody's but one's own.
    "label": r"""
        pronouns diet star_sign zodiac_sign blood_type mother_tongue hometown birthday bday dob date_of_birth
        nationality ethnicity religion kids children husband wife hubby boyfriend girlfriend siblings mum mom dad
        sisters? brothers? sons? daughters? pets partner spouse fianc[eé]e? hobbies
    """,
    "allergic_label": "allergies allergic(?:_to)? allergy intolerances meds medications? conditions diagnosis",
    "weak_label": "city town country location from status languages? gender sex lives? family interests profession",
}
"""Words that concern a life, by what they are; ``_`` stands for a space. Nothing else here knows a word of a life."""
