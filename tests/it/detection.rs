//! How well credentials, personal data and private addresses are told from what only looks like them: sets made anew
//! from a seed, and the bars they must reach.
//!
//! Every value is put together while the test runs, so that nothing in this project looks like a credential.

use hefesto::rules::{self, secrets};
use hefesto::skill::tree::Blob;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ALNUM_SIGNS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A small generator: the same seed, the same set.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn text(&mut self, letters: &str, length: usize) -> String {
        (0..length).map(|_| char::from(letters.as_bytes()[self.below(letters.len())])).collect()
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Formats: the parts of what they begin with, the letters behind it, and how many.
const FORMATS: &str = include_str!("../../fixtures/detection/formats.txt");
const NAMES: &[&str] = &[
    "API_KEY", "client_secret", "authToken", "db_password", "SESSION_SECRET", "x-api-key", "webhook_secret",
    "refresh_token", "DEEPGRAM_API_KEY", "encryption_key", "adminPassword", "private_token",
];

/// A version 4 UUID.
fn uuid(chance: &mut Chance) -> String {
    let part = |chance: &mut Chance, length| chance.text(HEX, length);
    let (a, b, c) = (part(chance, 8), part(chance, 4), part(chance, 3));
    format!("{a}-{b}-4{c}-8{}-{}", part(chance, 3), part(chance, 12))
}

/// A skill's body with a credential in it.
fn with_a_secret(chance: &mut Chance, number: usize) -> String {
    match number % 3 {
        0 => {
            let line = FORMATS.lines().nth(number / 3 % FORMATS.lines().count()).unwrap();
            let [parts, letters, length] = line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
            let letters = match letters {
                "HEX" => HEX,
                "UPPER" => UPPER,
                "ALNUM" => ALNUM,
                _ => ALNUM_SIGNS,
            };
            let value = parts.replace(' ', "") + &chance.text(letters, length.parse().unwrap());
            match chance.below(7) {
                0 => format!("Use the key {value} when you call it.\n"),
                1 => format!("Set it to `{value}` first.\n"),
                2 => format!("```sh\nexport KEY={value}\n```\n"),
                3 => format!("{{\"env\": {{\"KEY\": \"{value}\"}}}}\n"),
                4 => format!("curl -H \"Authorization: Bearer {value}\" https://api.acme.io\n"),
                5 => format!("| name | value |\n|---|---|\n| key | {value} |\n"),
                _ => format!("metadata:\n  key: \"{value}\"\n"),
            }
        }
        1 => {
            let name = chance.one(NAMES);
            let length = [16, 24, 32, 40][chance.below(4)];
            let letters = [ALNUM, HEX][usize::from(length >= 32 && chance.below(2) == 0)];
            let value = chance.text(letters, length);
            match chance.below(9) {
                0 => format!("{name}={value}\n"),
                1 => format!("{name}: {value}\n"),
                2 => format!("{{\"{name}\": \"{value}\"}}\n"),
                3 => format!("const {} = '{value}';\n", name.replace('-', "_")),
                4 => format!("- {name}: `{value}`\n"),
                5 => format!("tool --{} {value}\n", name.replace('_', "-")),
                6 => format!("<add key=\"{name}\" value=\"{value}\"/>\n"),
                7 => format!("The {name} is `{value}`.\n"),
                _ => format!("| {name} | `{value}` |\n"),
            }
        }
        _ => {
            let word = chance.text(ALNUM, 20);
            let long = chance.text(ALNUM, 60);
            match number / 3 % 12 {
                0 => format!("postgres://app:{word}@db.acme.io/x\n"),
                1 => format!("redis://:{word}@cache.acme.io:6379\n"),
                2 => format!("Authorization: Bearer {word}{word}\n"),
                3 => format!("machine a.io\n  login bot\n  password {word}\n"),
                4 => format!("curl -u bot:{word} https://ci.acme.io\n"),
                5 => format!("aws_secret_access_key = {}\n", chance.text(ALNUM, 40)),
                6 => format!("-----BEGIN {} KEY-----\nMIIE{long}\n", "PRIVATE"),
                7 => format!("AccountName=acme;AccountKey={}==;\n", chance.text(ALNUM, 86)),
                8 => format!("{}={}\n", chance.one(&["HEROKU_API_KEY", "EXA_API_KEY", "SNYK_TOKEN"]), uuid(chance)),
                9 => format!("{}_KEY={}7\n", chance.one(&["AZURE_MAPS", "MERAKI", "FERNET"]), chance.text(ALNUM, 39)),
                10 => format!("{}_key: {}\n", chance.one(&["deepgram", "alchemy"]), chance.text(HEX, 40)),
                _ => format!("https://{}aB19@pypi.acme.io/simple\n", chance.text(ALNUM, 28)),
            }
        }
    }
}

/// A line that talks about credentials, or looks like one, and holds none.
fn without_a_secret(chance: &mut Chance, number: usize) -> String {
    let name = chance.one(NAMES);
    let hex = chance.text(HEX, 40);
    let word = chance.one(&["alpha", "queue", "report", "handler", "summary", "deploy"]);
    let small = chance.below(90) + 10;
    match number % 34 {
        0 => format!("{name}=your-{word}-here-{small}\n"),
        1 => format!("{name}: ${{{name}}}\n"),
        2 => format!("{name}: {{{{ secrets.{word}{small} }}}}\n"),
        3 => format!("{name} = os.environ[\"{name}\"]\n"),
        4 => format!("{name} = \"{}\"\n", "x".repeat(32)),
        5 => format!("uses: actions/checkout@{hex}\n"),
        6 => format!("checksum = \"{hex}{}\"\n", chance.text(HEX, 24)),
        7 => format!("\"integrity\": \"sha512-{}==\"\n", chance.text(ALNUM, 86)),
        8 => format!("The commit {hex} broke it.\n"),
        9 => format!("max_tokens: {small}000; the token limit is {small}0000.\n"),
        10 => format!("{name}: /run/secrets/{word}_{small}\n"),
        11 => format!("![x](data:image/png;base64,{})\n", chance.text(ALNUM, 160)),
        12 => format!("id: {}-4a1b-4c2d-8e3f-{}\n", &hex[..8], &hex[8..20]),
        13 => format!("{}: {}\n", chance.one(&["client_id", "request_token", "CSRF_TOKEN", "tenantId"]), uuid(chance)),
        14 => format!("{}{}\n", ["AK", "IA"].concat(), "IOSFODNN7EXAMPLE"),
        15 => format!("{}{}\n", ["gh", "p_"].concat(), "x".repeat(36)),
        16 => format!("{}your-key-{word}-000000000000\n", ["sk", "-"].concat()),
        17 => "postgres://postgres:postgres@localhost:5432/app\n".to_owned(),
        18 => format!("https://user:password@{word}.example.com/\n"),
        19 => format!("redis://:${{PASSWORD_{small}}}@cache:6379\n"),
        20 => "Authorization: Bearer <token>\n".to_owned(),
        21 => format!("Authorization: Bearer ${name}\n"),
        22 => "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n".to_owned(),
        23 => format!("-----BEGIN PUBLIC KEY-----\nMIIB{}\n", chance.text(ALNUM, 60)),
        24 => format!("Rotate API keys, tokens and passwords every {small} days.\n"),
        25 => format!("tokenizer = \"{word}-base-v{small}-2026\"\n"),
        26 => format!("primary_key: {word}_id_{small}\n"),
        27 => format!("grep -E '{}[0-9A-Z]{{16}}' .\n", ["AK", "IA"].concat()),
        28 => format!("{name} = get_{word}_from_vault({small})\n"),
        29 => format!(
            "{}: {hex}\n",
            chance.one(&["cache_key", "partition_key", "IDEMPOTENCY_KEY", "GPG_KEY", "PUBLIC_KEY"])
        ),
        30 => format!("{name}=550e8400-e29b-41d4-a716-446655440000\n"),
        31 => format!("Sample token: {}\n", chance.text(ALNUM, 24)),
        32 => format!("https://{}@o{small}.ingest.sentry.io/{small}\n", &hex[..32]),
        _ => format!("secretName: {word}-tls-{small}\n"),
    }
}

fn skill(body: &str) -> String {
    format!("---\nname: x\ndescription: Calls a service. Use when asked.\n---\n\n# Use\n\n{body}")
}

#[test]
fn credentials_are_found_and_look_alikes_are_not() {
    const EACH: usize = 900;
    let mut chance = Chance(20_260_205);
    let missed: Vec<String> = (0..EACH)
        .map(|number| with_a_secret(&mut chance, number))
        .filter(|body| secrets::scan(&skill(body)).is_empty())
        .collect();
    let wrong: Vec<String> = (0..EACH)
        .map(|number| without_a_secret(&mut chance, number))
        .filter(|body| !secrets::scan(&skill(body)).is_empty())
        .collect();
    let found = EACH - missed.len();
    assert!(found * 100 >= EACH * 95, "recall {found} of {EACH}; missed {missed:#?}");
    assert!(found * 100 >= (found + wrong.len()) * 98, "precision: {} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn no_more_than_four_characters_of_a_value_are_ever_shown() {
    let mut chance = Chance(7);
    for number in 0..600 {
        let body = with_a_secret(&mut chance, number);
        for hit in secrets::scan_input(&body) {
            assert!(hit.hint.chars().count() <= 4, "{}", hit.rule);
        }
    }
}

/// The two check digits of a Brazilian number: weights from 2 upwards, from the right, back to 2 after `most`.
fn brazilian(mut digits: Vec<u32>, most: u32) -> Vec<u32> {
    for _ in 0..2 {
        let (mut sum, mut weight) = (0, 2);
        for digit in digits.iter().rev() {
            sum += digit * weight;
            weight = if weight == most { 2 } else { weight + 1 };
        }
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits
}

/// The digit that makes a number pass Luhn's check.
fn luhn(digits: &[u32]) -> u32 {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    (10 - sum % 10) % 10
}

/// An account number with its check digits (ISO 13616).
fn iban(country: &str, account: &str) -> String {
    let value = |c: char| c.to_digit(36).unwrap().to_string();
    let turned: String = format!("{account}{country}00").chars().map(value).collect();
    let rest = turned.bytes().fold(0_u32, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97);
    format!("{country}{:02}{account}", 98 - rest)
}

fn written(digits: &[u32], form: &str) -> String {
    let mut digits = digits.iter();
    form.chars().map(|c| if c == 'd' { char::from_digit(*digits.next().unwrap(), 10).unwrap() } else { c }).collect()
}

/// What a number or an address of one person or one network looks like, and by which rule each is found.
fn personal(chance: &mut Chance) -> Vec<(&'static str, String)> {
    let mut set = Vec::new();
    for _ in 0..6 {
        let mut digits =
            |count: usize| (0..count).map(|_| u32::try_from(chance.below(8)).unwrap() + 1).collect::<Vec<u32>>();
        let cpf = brazilian(digits(9), 99);
        set.push(("pii", written(&cpf, "ddd.ddd.ddd-dd")));
        set.push(("pii", format!("CPF {}", written(&cpf, "ddddddddddd"))));
        let cnpj = brazilian([digits(8), vec![0, 0, 0, 1]].concat(), 9);
        set.push(("pii", written(&cnpj, "dd.ddd.ddd/dddd-dd")));
        let mut card = [vec![4], digits(14)].concat();
        card.push(luhn(&card));
        set.push(("pii", written(&card, "dddd dddd dddd dddd")));
        set.push(("pii", written(&card, "dddd-dddd-dddd-dddd")));
        set.push(("pii", iban("DE", &written(&digits(18), &"d".repeat(18)))));
        set.push(("pii", format!("+55 11 9{}", written(&digits(8), "dddd-dddd"))));
        set.push(("pii", format!("5{}", written(&digits(8), "dd-dd-dddd"))));
        let octet = chance.below(200) + 20;
        let word = chance.text("abcdefgh", 6);
        set.push(("private-url", format!("http://10.{octet}.3.{octet}/x")));
        set.push(("private-url", format!("https://{word}.{}/page", chance.one(&["internal", "corp", "local", "lan"]))));
        set.push(("private-url", format!("\\\\{word}01\\share")));
    }
    set.extend([
        ("private-url", "http://192.168.7.20:8443".into()),
        ("private-url", "https://172.20.3.9/".into()),
        ("private-url", "http://[fd12:3456::1]/".into()),
        ("private-url", ["http://169.254", ".169.254/latest"].concat()),
        ("private-url", "http://billing.prod.svc.cluster.local".into()),
        ("private-url", "smb://files/share".into()),
    ]);
    set
}

/// What only looks like it.
const NOBODYS: &str = include_str!("../../fixtures/detection/nobodys.txt");

#[test]
fn what_belongs_to_one_person_or_network_is_found_and_look_alikes_pass() {
    let blocked = |text: &str| -> Vec<String> {
        let blob = Blob { bytes: format!("Some words.\n\nUse {text} here.\n").into_bytes(), executable: false };
        rules::unkeepable("references/a.md", &blob).into_iter().map(|finding| finding.rule).collect()
    };
    let set = personal(&mut Chance(20_260_206));
    let missed: Vec<_> = set.iter().filter(|(rule, text)| blocked(text) != [format!("T0-HEFESTO-11.{rule}")]).collect();
    assert!(missed.len() * 20 <= set.len(), "{} of {} missed: {missed:#?}", missed.len(), set.len());
    let wrong: Vec<_> = NOBODYS.lines().filter(|text| !blocked(text).is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
