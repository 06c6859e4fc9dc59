//! The words of the English grammar: verbs with their forms, and the nouns that decide an attribute.

use crate::text::list::Words;
use crate::words;

/// A verb form, as far as tense matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Base,
    Third,
    Ing,
    Past,
}

/// Base, third person, -ing, past, participle.
#[rustfmt::skip]
const VERBS: &[[&str; 5]] = &[
    ["try", "tries", "trying", "tried", "tried"], ["live", "lives", "living", "lived", "lived"], ["reside", "resides", "residing", "resided", "resided"],
    ["move", "moves", "moving", "moved", "moved"], ["grow", "grows", "growing", "grew", "grown"],
    ["come", "comes", "coming", "came", "come"], ["work", "works", "working", "worked", "worked"],
    ["study", "studies", "studying", "studied", "studied"],
    ["major", "majors", "majoring", "majored", "majored"],
    ["attend", "attends", "attending", "attended", "attended"],
    ["graduate", "graduates", "graduating", "graduated", "graduated"],
    ["learn", "learns", "learning", "learned", "learnt"],
    ["teach", "teaches", "teaching", "taught", "taught"], ["like", "likes", "liking", "liked", "liked"],
    ["love", "loves", "loving", "loved", "loved"], ["enjoy", "enjoys", "enjoying", "enjoyed", "enjoyed"],
    ["adore", "adores", "adoring", "adored", "adored"],
    ["prefer", "prefers", "preferring", "preferred", "preferred"],
    ["hate", "hates", "hating", "hated", "hated"],
    ["dislike", "dislikes", "disliking", "disliked", "disliked"],
    ["detest", "detests", "detesting", "detested", "detested"],
    ["stand", "stands", "standing", "stood", "stood"], ["have", "has", "having", "had", "had"],
    ["own", "owns", "owning", "owned", "owned"], ["drive", "drives", "driving", "drove", "driven"],
    ["use", "uses", "using", "used", "used"], ["speak", "speaks", "speaking", "spoke", "spoken"],
    ["play", "plays", "playing", "played", "played"], ["eat", "eats", "eating", "ate", "eaten"],
    ["drink", "drinks", "drinking", "drank", "drunk"], ["smoke", "smokes", "smoking", "smoked", "smoked"],
    ["decide", "decides", "deciding", "decided", "decided"],
    ["plan", "plans", "planning", "planned", "planned"],
    ["intend", "intends", "intending", "intended", "intended"],
    ["quit", "quits", "quitting", "quit", "quit"], ["stop", "stops", "stopping", "stopped", "stopped"],
    ["start", "starts", "starting", "started", "started"],
    ["suffer", "suffers", "suffering", "suffered", "suffered"],
    ["take", "takes", "taking", "took", "taken"], ["marry", "marries", "marrying", "married", "married"],
    ["buy", "buys", "buying", "bought", "bought"], ["adopt", "adopts", "adopting", "adopted", "adopted"],
    ["get", "gets", "getting", "got", "gotten"], ["visit", "visits", "visiting", "visited", "visited"],
    ["travel", "travels", "traveling", "traveled", "travelled"], ["go", "goes", "going", "went", "gone"],
    ["run", "runs", "running", "ran", "run"], ["fly", "flies", "flying", "flew", "flown"],
    ["read", "reads", "reading", "read", "read"], ["write", "writes", "writing", "wrote", "written"],
    ["swim", "swims", "swimming", "swam", "swum"], ["cook", "cooks", "cooking", "cooked", "cooked"],
    ["walk", "walks", "walking", "walked", "walked"],
    ["volunteer", "volunteers", "volunteering", "volunteered", "volunteered"],
    ["practice", "practices", "practicing", "practiced", "practised"],
    ["collect", "collects", "collecting", "collected", "collected"],
    ["exercise", "exercises", "exercising", "exercised", "exercised"],
    ["meditate", "meditates", "meditating", "meditated", "meditated"],
    ["wake", "wakes", "waking", "woke", "woken"], ["die", "dies", "dying", "died", "died"],
    ["pass", "passes", "passing", "passed", "passed"],
    ["break", "breaks", "breaking", "broke", "broken"], ["sprain", "sprains", "spraining", "sprained", "sprained"], ["fracture", "fractures", "fracturing", "fractured", "fractured"], ["tear", "tears", "tearing", "tore", "torn"], ["lose", "loses", "losing", "lost", "lost"], ["finish", "finishes", "finishing", "finished", "finished"], ["join", "joins", "joining", "joined", "joined"], ["win", "wins", "winning", "won", "won"], ["publish", "publishes", "publishing", "published", "published"], ["sell", "sells", "selling", "sold", "sold"], ["retire", "retires", "retiring", "retired", "retired"], ["give", "gives", "giving", "gave", "given"], ["meet", "meets", "meeting", "met", "met"], ["return", "returns", "returning", "returned", "returned"], ["split", "splits", "splitting", "split", "split"], ["turn", "turns", "turning", "turned", "turned"], ["propose", "proposes", "proposing", "proposed", "proposed"], ["inherit", "inherits", "inheriting", "inherited", "inherited"], ["wear", "wears", "wearing", "wore", "worn"], ["do", "does", "doing", "did", "done"], ["code", "codes", "coding", "coded", "coded"], ["manage", "manages", "managing", "managed", "managed"], ["lead", "leads", "leading", "led", "led"], ["weigh", "weighs", "weighing", "weighed", "weighed"], ["coach", "coaches", "coaching", "coached", "coached"], ["sing", "sings", "singing", "sang", "sung"], ["support", "supports", "supporting", "supported", "supported"], ["cycle", "cycles", "cycling", "cycled", "cycled"], ["commute", "commutes", "commuting", "commuted", "commuted"], ["keep", "keeps", "keeping", "kept", "kept"], ["avoid", "avoids", "avoiding", "avoided", "avoided"], ["stick", "sticks", "sticking", "stuck", "stuck"], ["struggle", "struggles", "struggling", "struggled", "struggled"], ["rent", "rents", "renting", "rented", "rented"], ["share", "shares", "sharing", "shared", "shared"], ["make", "makes", "making", "made", "made"], ["need", "needs", "needing", "needed", "needed"], ["expect", "expects", "expecting", "expected", "expected"], ["train", "trains", "training", "trained", "trained"], ["save", "saves", "saving", "saved", "saved"], ["prepare", "prepares", "preparing", "prepared", "prepared"], ["raise", "raises", "raising", "raised", "raised"], ["recover", "recovers", "recovering", "recovered", "recovered"], ["look", "looks", "looking", "looked", "looked"], ["build", "builds", "building", "built", "built"], ["renovate", "renovates", "renovating", "renovated", "renovated"], ["see", "sees", "seeing", "saw", "seen"], ["switch", "switches", "switching", "switched", "switched"], ["drop", "drops", "dropping", "dropped", "dropped"],
];

/// The base and the form of a folded word.
pub fn verb(word: &str) -> Option<(&'static str, Form)> {
    VERBS.iter().find_map(|forms| {
        let at = forms.iter().position(|form| *form == word)?;
        Some((forms[0], [Form::Base, Form::Third, Form::Ing, Form::Past, Form::Past][at]))
    })
}

/// `lives` of `live`; regular spelling for a verb outside the table.
pub fn third_person(base: &str) -> String {
    if let Some(forms) = VERBS.iter().find(|forms| forms[0] == base) {
        return forms[1].to_owned();
    }
    match base {
        "be" => "is".to_owned(),
        _ if base.ends_with(['s', 'x', 'o']) || base.ends_with("ch") || base.ends_with("sh") => {
            format!("{base}es")
        }
        _ => match base.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
            _ => format!("{base}s"),
        },
    }
}

/// `live` of `lives`, for telling users their facts.
pub fn base_of_third(word: &str) -> Option<&'static str> {
    VERBS.iter().find(|forms| forms[1] == word).map(|forms| forms[0])
}

#[rustfmt::skip]
pub const RELATIVES: Words = words![
    "wife", "husband", "partner", "girlfriend", "boyfriend", "fiancé", "fiance", "fiancée", "fiancee",
    "spouse", "son", "daughter", "child", "kid", "kids", "children", "baby", "brother", "sister",
    "brothers", "sisters", "sons", "daughters", "siblings", "sibling", "mom", "mum", "mother", "dad",
    "father", "parents", "grandma", "grandmother", "grandpa", "grandfather", "grandparents", "uncle",
    "aunt", "cousin", "niece", "nephew", "friend", "roommate", "twins", "grandson", "granddaughter", "boss",
    "mentor", "boys", "girls", "nan", "gran", "granny", "grandad", "granddad", "ex", "stepson", "stepdaughter",
    "flatmate", "housemate", "landlord", "landlady", "brother-in-law", "sister-in-law", "mother-in-law",
    "father-in-law", "in-laws", "bf", "gf", "hubby", "eldest", "oldest", "youngest", "stepmom", "stepdad",
    "toddler", "toddlers", "newborn", "boy", "girl",
];

pub const PETS: Words = words![
    "dog", "dogs", "cat", "cats", "puppy", "kitten", "kittens", "rabbit", "rabbits", "hamster", "hamsters",
    "bird", "parrot", "goldfish", "fish", "turtle", "tortoise", "horse", "pet", "snake", "lizard", "ferret",
    "parakeet", "guinea", "pup", "pets",
];

#[rustfmt::skip]
pub const AILMENTS: Words = words![
    "asthma", "diabetes", "epilepsy", "arthritis", "migraine", "migraines", "anxiety", "depression", "adhd",
    "autism", "insomnia", "eczema", "hypertension", "cancer", "celiac", "anemia", "dyslexia", "allergy",
    "allergies", "pressure", "disorder", "disease", "syndrome", "intolerance", "tinnitus", "scoliosis",
    "pollen", "hay",
];

#[rustfmt::skip]
pub const POSSESSIONS: Words = words![
    "car", "bike", "bicycle", "motorcycle", "motorbike", "scooter", "house", "apartment", "flat", "garden",
    "piano", "guitar", "violin", "boat", "van", "truck", "laptop", "macbook", "camera", "telescope",
    "tattoo", "tattoos", "degree", "phd", "license", "licence", "company", "business", "blog", "podcast",
    "channel", "shop", "restaurant", "cottage", "cabin", "caravan", "motorhome", "allotment", "drone",
];

#[rustfmt::skip]
pub const LANGUAGES: Words = words![
    "english", "japanese", "chinese", "mandarin", "cantonese", "korean", "french", "german", "spanish",
    "italian", "portuguese", "russian", "arabic", "hindi", "thai", "vietnamese", "indonesian", "dutch",
    "swedish", "turkish", "polish", "greek", "hebrew", "latin", "tagalog", "ukrainian", "danish",
    "norwegian", "finnish", "czech", "bengali", "urdu", "persian", "swahili", "malay", "tamil",
];

#[rustfmt::skip]
const NATIONALITIES: Words = words![
    "american", "british", "canadian", "australian", "indian", "mexican", "brazilian", "irish", "scottish",
    "welsh", "spanish", "taiwanese", "singaporean", "filipino", "argentinian", "belgian", "swiss",
    "austrian", "egyptian", "nigerian", "kenyan", "african", "european", "asian",
];

/// States and traits worth keeping that stand after "I am" without an article.
#[rustfmt::skip]
pub const TRAITS: Words = words![
    "vegetarian", "vegan", "pescatarian", "married", "single", "divorced", "engaged", "retired",
    "unemployed", "pregnant", "left-handed", "right-handed", "bilingual", "transgender", "gay", "lesbian",
    "bisexual", "nonbinary", "deaf", "blind", "colorblind", "colourblind", "dyslexic", "widowed",
    "self-employed", "adopted", "buddhist", "christian", "catholic", "muslim", "jewish", "atheist", "hindu",
    "lactose", "gluten", "diabetic", "autistic", "introverted", "extroverted", "sober", "agnostic", "sikh",
    "asthmatic", "nearsighted", "shortsighted", "anaemic", "anemic", "coeliac", "trans", "queer",
];

#[rustfmt::skip]
pub const HEALTH_TRAITS: Words = words![
    "pregnant", "deaf", "blind", "lactose", "gluten", "diabetic", "autistic", "dyslexic", "asthmatic",
    "colorblind",
];

/// What "I am a …" may end in: work, roles and ways of living.
pub fn is_occupation(noun: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: Words = words![
        "nurse", "chef", "student", "freshman", "sophomore", "junior", "senior", "pilot", "architect",
        "accountant", "consultant", "assistant", "freelancer", "artist", "musician", "engineer", "lawyer",
        "attorney", "judge", "coach", "clerk", "intern", "monk", "priest", "athlete", "scientist",
        "housewife", "homemaker", "ceo", "cto", "model", "guide", "agent", "receptionist", "therapist",
        "postdoc", "undergrad", "undergraduate", "graduate", "researcher", "analyst", "developer",
        "programmer", "teacher", "professor", "doctor", "designer", "writer", "author", "manager",
        "salesperson", "salesman", "barista", "waiter", "waitress", "cook", "baker", "farmer",
        "firefighter", "policeman", "paramedic", "soldier", "veterinarian", "vet", "dentist", "pharmacist",
        "electrician", "plumber", "carpenter", "mechanic", "driver", "photographer", "journalist", "editor",
        "translator", "interpreter", "librarian", "secretary", "entrepreneur", "founder", "director",
        "producer", "actor", "actress", "singer", "dancer", "painter", "psychologist", "counselor",
        "counsellor", "physicist", "chemist", "biologist", "mathematician", "economist", "statistician",
        "technician", "administrator", "supervisor", "trainer", "instructor", "tutor", "nanny", "caregiver",
        "recruiter", "marketer", "trader", "banker", "broker", "realtor", "surgeon", "physician",
        "novelist", "poet", "composer", "potter", "gardener", "gamer", "streamer", "blogger", "youtuber",
        "volunteer", "activist", "vegetarian", "vegan", "pescatarian", "parent", "mother", "father", "mom",
        "dad", "mum", "grandmother", "grandfather", "twin", "introvert", "extrovert", "buddhist", "christian",
        "catholic", "muslim", "atheist", "native", "citizen", "veteran", "dev", "owner",
    ];
    #[rustfmt::skip]
    const NOT: Words = words![
        "beginner", "believer", "loser", "sucker", "lover", "newcomer", "member", "customer", "user", "number",
        "monster", "stranger", "foreigner", "outsider", "sleeper", "eater", "follower", "admirer", "quitter",
        "former", "learner", "sinner", "human", "man", "woman", "bother", "winner", "caller", "minor", "error",
        "better", "bigger", "never", "over", "other", "sister", "brother", "visitor", "passenger", "tester",
        "starter", "poser", "hater", "prisoner", "rider", "speaker", "reader", "listener", "person", "drinker",
        "player", "gambler", "smoker", "slacker", "leader", "helper", "lurker", "noob", "subscriber", "buyer",
        "seller", "voter", "owner", "survivor", "hiker", "runner",
    ];
    let is_doer = noun.len() > 5
        && ["er", "or", "ist", "ian", "eer", "man", "woman"].iter().any(|end| noun.ends_with(end))
        && !NOT.contains(noun);
    WORDS.contains(noun) || is_doer
}

/// A given name that many have and that is no word that could stand after "I'm".
pub fn is_given_name(word: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: Words = words![
        "james", "john", "robert", "michael", "david", "william", "richard", "joseph", "thomas", "charles",
        "christopher", "daniel", "matthew", "anthony", "mark", "steven", "paul", "andrew", "joshua", "kenneth",
        "kevin", "brian", "george", "timothy", "ronald", "edward", "jason", "jeffrey", "ryan", "jacob", "gary",
        "nicholas", "eric", "jonathan", "stephen", "larry", "justin", "scott", "brandon", "benjamin", "samuel",
        "gregory", "alexander", "patrick", "jack", "dennis", "jerry", "tyler", "aaron", "jose", "adam", "nathan",
        "henry", "peter", "zachary", "kyle", "noah", "ethan", "jeremy", "sean", "oliver", "liam", "lucas", "leo",
        "bob", "tom", "ben", "sam", "dan", "mike", "steve", "jim", "joe", "tony", "nick", "chris", "alex", "max",
        "luke", "harry", "oscar", "kev", "dave", "andy", "matt", "josh", "greg", "phil", "simon", "martin", "ian",
        "mary", "patricia", "jennifer", "linda", "elizabeth", "barbara", "susan", "jessica", "sarah", "karen",
        "lisa", "nancy", "betty", "margaret", "sandra", "ashley", "kimberly", "emily", "donna", "michelle",
        "carol", "amanda", "melissa", "deborah", "stephanie", "rebecca", "laura", "sharon", "cynthia",
        "kathleen", "amy", "angela", "shirley", "anna", "brenda", "pamela", "emma", "nicole", "helen",
        "samantha", "katherine", "christine", "debra", "rachel", "carolyn", "janet", "catherine", "maria",
        "heather", "diane", "ruth", "julie", "olivia", "joyce", "virginia", "victoria", "kelly", "lauren",
        "christina", "joan", "evelyn", "judith", "megan", "andrea", "cheryl", "hannah", "jacqueline", "martha",
        "gloria", "teresa", "ann", "sara", "madison", "frances", "kathryn", "janice", "jean", "alice", "julia",
        "sophia", "sophie", "grace", "chloe", "zoe", "lucy", "ella", "mia", "kate", "liz", "beth", "jane", "jo",
        "priya", "raj", "arjun", "ananya", "deepak", "ahmed", "mohammed", "fatima", "omar", "ali", "yusuf",
        "pierre", "marie", "claire", "camille", "hans", "klaus", "jurgen", "ingrid", "lars", "sven", "carlos",
        "juan", "luis", "miguel", "sofia", "elena", "ivan", "dmitri", "olga", "natasha", "marco", "giulia",
        "yuki", "hana", "kenji", "akiko", "haruka", "sakura", "takeshi", "hiroshi", "naomi", "ken", "emi",
    ];
    NAMES.contains(word)
}

pub fn is_nationality(word: &str) -> bool {
    LANGUAGES.contains(word) && word != "mandarin" && word != "latin" || NATIONALITIES.contains(word)
}

/// Nouns of "my … is …" whose value is a lasting trait; each has one value.
#[rustfmt::skip]
pub const STABLE_NOUNS: Words = words![
    "car", "bike", "blood type", "native language", "mother tongue", "first language", "height",
    "shoe size", "zodiac sign", "star sign", "company", "boss", "school", "university", "college", "laptop",
    "computer", "phone", "hobby", "hobbies", "major", "religion", "pronouns", "timezone", "time zone",
    "dream job", "ethnicity", "nationality", "instrument", "surname", "last name", "family name",
    "middle name", "wedding anniversary", "anniversary", "goal", "dream", "pronouns",
];

/// Words that may come between the subject and the verb without changing what is said.
#[rustfmt::skip]
pub const ADVERBS: Words = words![
    "really", "just", "also", "still", "actually", "always", "usually", "often", "currently", "recently",
    "absolutely", "mostly", "now", "only", "both", "totally", "definitely", "especially", "particularly",
    "quite", "truly", "simply", "personally", "honestly", "mainly", "sometimes", "generally", "typically",
    "originally", "presently", "finally", "once", "very", "so", "kinda", "super", "genuinely", "certainly",
    "sure", "do", "myself", "much", "even", "all", "already", "lately",
];

/// Words that may open a clause before its subject.
#[rustfmt::skip]
pub const OPENERS: Words = words![
    "well", "yes", "yeah", "yep", "oh", "hi", "hello", "hey", "actually", "btw", "also", "and", "but", "so",
    "honestly", "personally", "no", "nope", "ok", "okay", "fyi", "nowadays", "currently", "ah", "hmm",
    "haha", "lol", "wow", "thanks", "because", "although", "though", "while", "since", "great", "right",
    "anyway", "sure", "recently", "now", "then", "however", "plus", "too", "unfortunately", "sadly",
    "luckily", "basically", "today", "correction", "sorry",
];

/// Marks of what isn't asserted: wishes, guesses, conditions, reports.
#[rustfmt::skip]
pub const UNASSERTED: Words = words![
    "if", "unless", "would", "could", "might", "may", "maybe", "perhaps", "suppose", "imagine", "pretend",
    "wish", "hypothetically", "whether", "should", "i'd", "probably", "possibly", "wonder", "hopefully",
    "let's", "would've", "were", "said", "says", "told", "asked", "kidding", "joking", "j/k", "jk",
    "wouldn't", "couldn't", "guess", "seems",
];

/// Where an object ends.
#[rustfmt::skip]
pub const STOPS: Words = words![
    "especially", "including", "because", "since", "when", "so", "but", "which", "who", "whose", "although",
    "though", "while", "if", "where", "cause", "cuz", "as", "after", "before", "until", "till", "whenever",
    "thanks", "please", "then", "than", "how", "what", "why", "he", "she", "they", "it's", "that's", "i",
    "i'm", "we", "you",
];

/// What may trail an object without belonging to it.
#[rustfmt::skip]
pub const TRAILERS: Words = words![
    "such", "especially", "sometimes", "recently", "ever", "next", "including", "too", "also", "now",
    "much", "lot", "lately", "days", "moment", "currently", "anymore", "though", "haha", "lol", "well",
    "very", "a", "so", "these", "right", "at", "the", "as", "really", "myself", "actually", "either",
    "anyway", "again", "just", "best", "more", "most", "all", "and", "or", "with", "of", "any", "longer",
    "already", "btw", "atm", "tho", "rn", "tbh", "ngl", "imo", "fwiw", "currently",
];

/// Objects that refer to what was said before.
#[rustfmt::skip]
pub const POINTERS: Words = words![
    "it", "that", "this", "them", "those", "these", "him", "her", "one", "ones", "you", "your", "yours",
    "something", "anything", "everything", "nothing", "what", "how", "the", "both", "all", "some", "there",
    "here", "his", "their", "its", "someone", "everyone", "me", "us", "more", "when", "where", "such",
    "same", "other", "others", "things", "stuff", "so", "too", "not", "seeing", "being", "hearing",
    "having", "to", "at",
];
