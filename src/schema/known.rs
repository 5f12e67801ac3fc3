//! Whether the types in the table of answers are known, computed while the table is compiled.

use super::RECORDS;

const PLAIN: [&str; 6] = ["text", "number", "decimal", "flag", "any", "map"];

/// Whether every field in `name: type, name: type` has a type that is known.
pub(super) const fn fields(fields: &str) -> bool {
    let bytes = fields.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        while at < bytes.len() && bytes[at] != b':' {
            at += 1;
        }
        let begins = at + 1;
        while at < bytes.len() && bytes[at] != b',' {
            at += 1;
        }
        if begins >= bytes.len() || !kind(bytes, begins, at) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether the bytes from here to there, without blanks, brackets and `|null`, name a type.
const fn kind(bytes: &[u8], mut from: usize, mut to: usize) -> bool {
    while from < to && bytes[from] == b' ' {
        from += 1;
    }
    let list = from < to && bytes[from] == b'[';
    if list {
        from += 1;
    }
    let mut end = from;
    while end < to && bytes[end].is_ascii_lowercase() | (bytes[end] == b'_') {
        end += 1;
    }
    while to > end && bytes[to - 1] == b' ' {
        to -= 1;
    }
    let rest = bytes.split_at(to).0.split_at(end).1;
    let ends = match list {
        true => same(rest, b"]") || same(rest, b"]|null") || same(rest, b"|null]"),
        false => rest.is_empty() || same(rest, b"|null"),
    };
    let name = bytes.split_at(end).0.split_at(from).1;
    ends && named(name)
}

const fn named(name: &[u8]) -> bool {
    let mut at = 0;
    while at < PLAIN.len() {
        if same(PLAIN[at].as_bytes(), name) {
            return true;
        }
        at += 1;
    }
    at = 0;
    while at < RECORDS.len() {
        if same(RECORDS[at].0.as_bytes(), name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_type_is_found_wherever_it_stands() {
        for good in ["", "a: text", "a: text, b?: [number|null]", "a: [finding]|null, b: map"] {
            assert!(fields(good), "{good}");
        }
        for bad in ["a: real", "a: text, b: [real]", "a: text|nil", "a", "a: ", "a: [[text]", "a: text, b: findings"] {
            assert!(!fields(bad), "{bad}");
        }
    }
}
