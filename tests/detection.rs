//! How well credentials are told from what only looks like them: sets made anew from a seed, and the bars they must reach.
//!
//! Every value is put together while the test runs, so that nothing in this project looks like a credential.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

use hefesto::rules::secrets;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
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

/// Formats: the parts of what they begin with, the letters behind it, how many, and what ends it.
const FORMATS: &[(&[&str], &str, usize)] = &[
    (&["AK", "IA"], UPPER, 16),
    (&["AS", "IA"], UPPER, 16),
    (&["gh", "p_"], ALNUM, 36),
    (&["gh", "s_"], ALNUM, 36),
    (&["gl", "pat-"], ALNUM, 20),
    (&["AI", "za"], ALNUM, 35),
    (&["GOC", "SPX-"], ALNUM, 28),
    (&["sk-", "proj-"], ALNUM, 120),
    (&["sk-", "ant-", "api03-"], ALNUM, 95),
    (&["sk-", "ant-", "oat01-"], ALNUM, 95),
    (&["sk-", "or-v1-"], HEX, 64),
    (&["gs", "k_"], ALNUM, 52),
    (&["xa", "i-"], ALNUM, 80),
    (&["r8", "_"], ALNUM, 37),
    (&["pp", "lx-"], ALNUM, 48),
    (&["tv", "ly-"], ALNUM, 32),
    (&["sk_", "live_"], ALNUM, 24),
    (&["wh", "sec_"], ALNUM, 32),
    (&["shp", "at_"], HEX, 32),
    (&["np", "m_"], ALNUM, 36),
    (&["dckr_", "pat_"], ALNUM, 27),
    (&["dop", "_v1_"], HEX, 64),
    (&["hv", "s."], ALNUM, 92),
    (&["dp.", "pt."], ALNUM, 43),
    (&["pu", "l-"], HEX, 40),
    (&["da", "pi"], HEX, 32),
    (&["lin_", "api_"], ALNUM, 40),
    (&["fi", "gd_"], ALNUM, 40),
    (&["sgp", "_"], HEX, 40),
    (&["ts", "key-", "auth-"], ALNUM, 24),
];
const NAMES: &[&str] = &[
    "API_KEY",
    "client_secret",
    "authToken",
    "db_password",
    "SESSION_SECRET",
    "x-api-key",
    "webhook_secret",
    "refresh_token",
    "DEEPGRAM_API_KEY",
    "encryption_key",
    "adminPassword",
    "private_token",
];

/// A skill's body with a credential in it.
fn with_a_secret(chance: &mut Chance, number: usize) -> String {
    match number % 3 {
        0 => {
            let (parts, letters, length) = FORMATS[number / 3 % FORMATS.len()];
            let value = format!("{}{}", parts.concat(), chance.text(letters, length));
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
            match number / 3 % 8 {
                0 => format!("postgres://app:{word}@db.acme.io/x\n"),
                1 => format!("redis://:{word}@cache.acme.io:6379\n"),
                2 => format!("Authorization: Bearer {word}{word}\n"),
                3 => format!("machine a.io\n  login bot\n  password {word}\n"),
                4 => format!("curl -u bot:{word} https://ci.acme.io\n"),
                5 => format!("aws_secret_access_key = {}\n", chance.text(ALNUM, 40)),
                6 => format!("-----BEGIN {} KEY-----\nMIIE{long}\n", "PRIVATE"),
                _ => format!("AccountName=acme;AccountKey={}==;\n", chance.text(ALNUM, 86)),
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
    match number % 30 {
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
        13 => format!("{name}: {}-4a1b-4c2d-8e3f-{}\n", &hex[..8], &hex[8..20]),
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
