//! Whether a word is a file: a path whose last part has an extension or a known file name.

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
const PRODUCTS: &[&str] = &[
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
    let product = directory.is_none() && PRODUCTS.contains(&last.to_ascii_lowercase().as_str());
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
