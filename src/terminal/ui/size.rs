//! Sizes and counts for people.

/// A size for people: `345 bytes`, `1.2 KB`, `1.2 MB`.
pub fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * 1024;
    match bytes {
        1 => "1 byte".into(),
        0..KB => format!("{bytes} bytes"),
        KB..MB => format!("{:.1} KB", bytes as f64 / KB as f64),
        _ => format!("{:.1} MB", bytes as f64 / MB as f64),
    }
}

/// A count with its noun: `1 file`, `2 files`, `2 copies`, `2 matches`.
pub fn count(n: usize, word: &str) -> String {
    match (n, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        _ if word.ends_with("ch") => format!("{n} {word}es"),
        _ => format!("{n} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        assert_eq!([345, 1234, 1_234_567, 1, 0].map(size), ["345 bytes", "1.2 KB", "1.2 MB", "1 byte", "0 bytes"]);
    }
}
