//! The shape of a word: identifier case, call, address, file, and hints from neighbouring words.

/// Names in PascalCase that are not classes.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &[
    "AngularJS", "AppImage", "BitBucket", "CircleCI", "CloudFlare", "CodeQL", "CouchDB", "DataDog", "DevOps",
    "DevTools", "DigitalOcean", "DuckDB", "DynamoDB", "FastAPI", "FreeBSD", "GitHub", "GitLab", "GraphQL",
    "HashiCorp", "HomeBrew", "InfluxDB", "JavaScript", "JetBrains", "JupyterLab", "LangChain", "LaTeX",
    "LibreOffice", "LinkedIn", "MariaDB", "MongoDB", "MySQL", "NestJS", "NextJS", "NumPy", "OAuth", "OpenAI",
    "OpenAPI", "OpenSSL", "OpenTelemetry", "PhpStorm", "PostgreSQL", "PowerPoint", "PowerShell", "PyCharm", "PyPI",
    "PyTorch", "QuickBooks", "RabbitMQ", "ReactJS", "SciPy", "SQLite", "StackOverflow", "TensorFlow", "TypeScript",
    "VirtualBox", "VSCode", "VueJS", "WebAssembly", "WebSocket", "WhatsApp", "WordPress", "YouTube",
];
/// Suffixes that mark a type name in prose without the word `class`.
#[rustfmt::skip]
const TYPE_ENDINGS: &[&str] = &[
    "Adapter", "Buffer", "Builder", "Cache", "Client", "Config", "Context", "Controller", "Engine", "Error",
    "Exception", "Factory", "Handler", "Helper", "Iterator", "Listener", "Loader", "Manager", "Memory",
    "Middleware", "Model", "Observer", "Parser", "Processor", "Provider", "Queue", "Reader", "Repository",
    "Request", "Resolver", "Response", "Router", "Runner", "Scanner", "Serializer", "Server", "Service", "Session",
    "Settings", "State", "Store", "Strategy", "Test", "Validator", "View", "Visitor", "Worker", "Writer",
];
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "and", "assert", "await", "catch", "do", "elif", "else", "except", "false", "fn", "for", "func", "function",
    "if", "in", "is", "let", "match", "new", "none", "not", "null", "or", "pub", "raise", "return", "self",
    "sizeof", "super", "switch", "this", "throw", "true", "typeof", "while", "with", "yield",
];
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "None", "True", "False", "Some", "Ok", "Err", "Null", "Nil", "NaN",
];

/// The case a word is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `UserManager`, `User`
    Pascal,
    /// `userName`
    Camel,
    /// `user_name`
    Snake,
    /// `MAX_SIZE`
    Upper,
    /// `user`
    Lower,
    /// Anything else, such as `TDD` or `x86`.
    Other,
}

impl Shape {
    pub(super) fn of(word: &str) -> Self {
        let inner = word.trim_matches('_');
        let (upper, lower) = (inner.contains(|c: char| c.is_ascii_uppercase()), inner.contains(is_lower));
        let (joined, first) = (inner.contains('_'), inner.chars().next());
        match first {
            _ if VALUES.contains(&word) => Self::Other,
            Some('A'..='Z') if joined && !lower => Self::Upper,
            Some('a'..='z') if joined && !upper && inner.len() > 3 => Self::Snake,
            Some('A'..='Z') if !joined && lower && inner.len() > 1 => Self::Pascal,
            Some('a'..='z') if !joined && upper && inner.chars().take(2).all(is_lower) => Self::Camel,
            Some('a'..='z') if !joined && !upper => Self::Lower,
            _ => Self::Other,
        }
    }
}

/// What the neighbouring words say a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// `class`, `struct`, `trait` …
    Type,
    /// `method`, `function`
    Function,
    /// `variable`, `field` …
    Variable,
    /// `=` follows.
    Assignment,
    Silent,
}

impl Neighbour {
    pub(super) fn of(before: Option<&str>, after: Option<&str>) -> Self {
        if matches!(after, Some("=" | ":=" | "+=" | "-=")) {
            return Self::Assignment;
        }
        for word in [after, before].into_iter().flatten() {
            match word.to_ascii_lowercase().as_str() {
                "class" | "classes" | "struct" | "interface" | "trait" | "enum" | "dataclass" | "classe" | "clase" => {
                    return Self::Type;
                }
                "method" | "function" | "func" | "methods" | "functions" | "método" | "função" | "función" => {
                    return Self::Function;
                }
                "variable" | "field" | "parameter" | "argument" | "property" | "constant" | "attribute" | "column"
                | "variável" | "campo" | "parâmetro" | "parámetro" => return Self::Variable,
                _ => {}
            }
        }
        Self::Silent
    }

    /// Whether this word of code is followed by the name of a new type.
    pub(super) fn declares(word: &str) -> bool {
        matches!(word, "class" | "struct" | "interface" | "trait" | "enum" | "type" | "impl" | "new" | "extends")
    }
}

fn is_lower(c: char) -> bool {
    c.is_ascii_lowercase()
}

/// A word without surrounding punctuation; balanced parentheses stay.
pub(super) fn bare(word: &str) -> &str {
    let mut word = word.trim_start_matches(['(', '[', '{', '<', '"', '\'', '*', '~', '“', '‘', '«', '¿', '¡']);
    loop {
        let cut = match word.chars().next_back() {
            Some(')') if word.matches('(').count() >= word.matches(')').count() => break,
            Some(
                ')' | ']' | '>' | '"' | '\'' | '*' | '~' | '.' | ',' | ';' | ':' | '!' | '?' | '”' | '’' | '»' | '…',
            ) => 1,
            Some('}') if !word.starts_with("${") => 1,
            Some('s') if word.ends_with("'s") || word.ends_with("’s") => 2,
            _ => break,
        };
        let kept: usize = word.chars().rev().take(cut).map(char::len_utf8).sum();
        word = word.get(..word.len() - kept).unwrap_or_default();
    }
    word
}

/// Whether it is a URL or an e-mail address.
pub(super) fn address(word: &str) -> bool {
    #[rustfmt::skip]
const HOSTS: &[&str] = &[
    "com", "org", "net", "io", "dev", "edu", "gov", "app", "ai", "co", "br", "uk", "de",
];
    let word = bare(word);
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    let top = host.rsplit_once('.').map(|(_, top)| top.split(':').next().unwrap_or_default().to_ascii_lowercase());
    word.contains("://")
        || word.starts_with("www.")
        || word.starts_with("mailto:")
        || word == "docs.rs"
        || word.starts_with("docs.rs/")
        || (!host.starts_with('.') && top.is_some_and(|top| HOSTS.contains(&top.as_str())))
        || word
            .split_once('@')
            .is_some_and(|(user, host)| !user.is_empty() && host.contains('.') && !word.contains('/'))
}

pub(super) fn identifier(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    rest.is_empty() && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Whether it may be the name of a class: PascalCase, no abbreviation, no value such as `None`.
pub(super) fn pascal(word: &str) -> bool {
    identifier(word) && Shape::of(word) == Shape::Pascal
}

/// Whether it is PascalCase of several words and not the name of a known product.
pub(super) fn several_humps(word: &str) -> bool {
    pascal(word) && word.len() > 3 && word.chars().skip(1).any(|c| c.is_ascii_uppercase()) && !PRODUCTS.contains(&word)
}

pub(super) fn type_ending(word: &str) -> bool {
    TYPE_ENDINGS.iter().any(|ending| word.ends_with(ending) && word.len() > ending.len())
}

pub(super) fn keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Owner and name of `owner.name`, `Owner::name`, `owner->name`; the owner is optional.
pub(super) fn owned(code: &str) -> (Option<&str>, &str) {
    let code = code.trim_start_matches('&');
    let split = ["::", "->", "."].into_iter().filter_map(|mark| code.rsplit_once(mark)).max_by_key(|one| one.0.len());
    match split {
        Some((owner, name)) => {
            let owner = owner.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
            (owner.filter(|owner| !owner.is_empty()), name)
        }
        None => (None, code),
    }
}

/// Owner and name if the whole text is a call: `name()`, `Owner.name(a, b)`.
pub(super) fn call(code: &str) -> Option<(Option<&str>, &str)> {
    let (callee, arguments) = code.split_once('(')?;
    let arguments = arguments.strip_suffix(')')?;
    if arguments.contains('(') && !arguments.contains(')') {
        return None;
    }
    named(callee)
}

/// The same in prose, where `file(s)` is a plural: with arguments the name must look like code.
pub(super) fn prose_call(word: &str) -> Option<(Option<&str>, &str)> {
    let (callee, arguments) = word.split_once('(')?;
    let (owner, name) = named(callee)?;
    let like_code = owner.is_some() || matches!(Shape::of(name), Shape::Snake | Shape::Camel);
    (arguments.starts_with(')') || like_code).then_some((owner, name))
}

fn named(callee: &str) -> Option<(Option<&str>, &str)> {
    let (owner, name) = owned(callee);
    let shape = Shape::of(name);
    let fits = identifier(name) && name.len() > 1 && !keyword(name) && !matches!(shape, Shape::Upper | Shape::Other);
    (fits || name.starts_with("__") && identifier(name)).then_some((owner, name))
}

/// The name in `$NAME` or `${NAME}`.
pub(super) fn dollar(word: &str) -> Option<&str> {
    let rest = word.strip_prefix('$')?;
    let name = match rest.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}')?,
        None => rest,
    };
    (identifier(name) && name.len() > 1).then_some(name)
}

pub(super) fn assigns(ahead: &str) -> bool {
    let ahead = ahead.trim_start_matches(' ');
    ahead.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>', '~'])) || ahead.starts_with(":=")
}

/// The identifiers of a line of code with their positions.
pub(super) fn identifiers(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = line.get(from..)?;
            let start = from + rest.find(inside)?;
            let tail = line.get(start..)?;
            let length = tail.find(|c| !inside(c)).unwrap_or(tail.len());
            from = start + length;
            let word = tail.get(..length)?;
            if identifier(word) {
                return Some((start, word));
            }
        }
    })
}

#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "adoc", "astro", "awk", "bash", "bat", "bib", "bin", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp",
    "cs", "css", "csv", "cts", "cxx", "dart", "db", "diff", "docx", "ejs", "env", "erl", "ex", "exs", "fish", "gd",
    "gif", "go", "gradle", "graphql", "groovy", "gz", "h", "hbs", "hpp", "hs", "html", "ico", "ini", "ipynb",
    "java", "jinja", "jpeg", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lock",
    "log", "lua", "map", "md", "mdx", "mjs", "mk", "ml", "mts", "nim", "nix", "odt", "pdf", "php", "pl", "plist",
    "pm", "png", "pptx", "prisma", "properties", "proto", "ps1", "psql", "pug", "py", "pyi", "pyx", "r", "rb",
    "rego", "rmd", "rs", "rst", "sass", "scala", "scss", "sh", "sol", "sql", "sqlite", "svelte", "svg", "swift",
    "tar", "tex", "tf", "tfvars", "toml", "ts", "tsv", "tsx", "txt", "vb", "vue", "wasm", "webp", "xls", "xlsx",
    "xml", "yaml", "yml", "zig", "zip", "zsh",
];
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Brewfile", "Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "Makefile", "Procfile", "Rakefile",
    "Vagrantfile", ".bashrc", ".dockerignore", ".editorconfig", ".env", ".eslintrc", ".gitattributes", ".gitignore",
    ".npmrc", ".prettierrc", ".vimrc", ".zshrc",
];
/// Libraries whose names look like files.
#[rustfmt::skip]
const LIBRARIES: &[&str] = &[
    "alpine.js", "backbone.js", "chart.js", "d3.js", "ember.js", "express.js", "htmx.js", "moment.js", "nest.js",
    "next.js", "node.js", "nuxt.js", "react.js", "socket.io", "three.js", "vue.js",
];

/// The file a word names, without a leading `./` and without a line suffix (`:12`, `:12:3`, `#L12`).
pub(super) fn file(word: &str) -> Option<&str> {
    let word = word.split("#L").next().unwrap_or(word);
    let word = without_line(without_line(word));
    let word = word.strip_prefix("./").or_else(|| word.strip_prefix(".\\")).unwrap_or(word);
    let path = match word.get(1..3) {
        Some(":\\" | ":/") if word.starts_with(|c: char| c.is_ascii_alphabetic()) => word.get(3..).unwrap_or_default(),
        _ => word,
    };
    let fits = |c: char| c.is_alphanumeric() || "_-./\\~+@".contains(c);
    if !path.chars().all(fits) || path.starts_with(['-', '+']) || path.contains("//") || path.contains("...") {
        return None;
    }
    let (directory, last) = path.rsplit_once(['/', '\\']).map_or((None, path), |(dir, last)| (Some(dir), last));
    if NAMES.contains(&last) {
        return Some(word);
    }
    let (stem, extension) = last.rsplit_once('.')?;
    let lower = extension.to_ascii_lowercase();
    let cased = extension == lower || extension.bytes().all(|byte| byte.is_ascii_uppercase());
    let known = EXTENSIONS.contains(&lower.as_str()) && cased;
    let lettered = |part: &str| part.chars().any(char::is_alphabetic);
    let spoken = lettered(stem) || stem.contains(['-', '_']) || directory.is_some_and(lettered);
    let long_enough = directory.is_some() || extension.len() > 1 || (stem.len() > 1 && !stem.contains('.'));
    let product = directory.is_none() && LIBRARIES.contains(&last.to_ascii_lowercase().as_str());
    let named = stem.chars().any(char::is_alphanumeric) || stem.contains('_');
    (known && spoken && named && long_enough && !product).then_some(word)
}

/// Whether this continues an identifier as a file name.
pub(super) fn extended(ahead: &str) -> bool {
    let Some(rest) = ahead.strip_prefix('.') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let called = rest.get(end..).is_some_and(|after| after.starts_with('('));
    !called && rest.get(..end).is_some_and(|extension| EXTENSIONS.contains(&extension))
}

fn without_line(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => word,
    }
}
