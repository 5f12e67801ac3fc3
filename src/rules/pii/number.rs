//! Numbers that belong to one person or firm: tax numbers, cards, accounts, telephones.

use std::ops::Range;

use super::Personal;
use crate::rules::behind;

/// Numbers printed in documentation everywhere.
const SAMPLES: &str = "\
    12345678909 12345678000195 4111111111111111 4242424242424242 4012888888881881 4000056655665556 \
    4000000000000002 5555555555554444 5105105105105100 2223003122003222 378282246310005 371449635398431 \
    6011111111111117 6011000990139424 30569309025904 3530111333300000 4222222222222 DE89370400440532013000 \
    GB82WEST12345698765432 GB29NWBK60161331926819 FR1420041010050500013M02606 NL91ABNA0417164300 078051120 \
    123456789 219099999";

/// The longest and the shortest of these forms that begin with a digit, in bytes.
const LONGEST: usize = 19;
const SHORTEST: usize = 11;
/// How far before a bare number its label is searched for, in bytes.
const CONTEXT: usize = 24;
/// The longest account number with its blanks, in bytes.
const LONGEST_IBAN: usize = 44;
/// Every such number in a text, by its written form and its check digits.
pub(super) fn scan(text: &str) -> Vec<Personal> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    let first = |from: usize| bytes.get(from..)?.iter().position(|b| b.is_ascii_digit() || *b == b'+');
    while let Some(digit) = first(from).map(|step| from + step) {
        // An account number begins with two letters in front of its first digit.
        let letters = digit.checked_sub(2).filter(|at| {
            *at >= from && bytes.get(*at..digit).is_some_and(|country| country.iter().all(u8::is_ascii_uppercase))
        });
        let at = letters.unwrap_or(digit);
        from = match begins(bytes, at).then(|| number(text, at)) {
            Some(Ok((length, title))) => {
                found.push(Personal { span: at..at + length, title, minor: false });
                at + length
            }
            Some(Err(next)) => next.max(digit + 1),
            None => digit + 1,
        };
    }
    found
}

fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'-' | b'_' | b'/'))
}

/// The number at an offset: its length in bytes, and what it is. Errors: an offset before which none begins.
fn number(text: &str, at: usize) -> Result<(usize, &'static str), usize> {
    let bytes = text.as_bytes();
    let rest = text.get(at..).unwrap_or("");
    let read = match rest.as_bytes().first() {
        Some(b'+') => telephone(rest).map(|length| (length, "a telephone number")),
        Some(b'0'..=b'9') => {
            let end = end_of_run(bytes, at);
            if end - at > LONGEST {
                return Err(end - LONGEST);
            }
            let goes_on = bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
            let written = text.get(at..end).filter(|written| !goes_on && written.len() >= SHORTEST);
            written.and_then(|written| digits(written, || behind(text, at, CONTEXT)))
        }
        _ => iban(rest).map(|length| (length, "a bank account number (IBAN)")),
    };
    read.ok_or(at)
}

/// The end of the run of digits and separators at this offset.
fn end_of_run(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(b) = bytes.get(end) {
        let between = matches!(b, b'.' | b'-' | b'/' | b' ') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !b.is_ascii_digit() && !between {
            break;
        }
        end += 1;
    }
    end
}

fn digits<'t>(written: &str, before: impl Fn() -> &'t str) -> Option<(usize, &'static str)> {
    let said = |word: &str| before().to_ascii_lowercase().contains(word);
    for (form, title, holds) in [
        ("ddd.ddd.ddd-dd", "a Brazilian personal tax number (CPF)", is_cpf as fn(&[u8]) -> bool),
        ("dd.ddd.ddd/dddd-dd", "a Brazilian company number (CNPJ)", is_cnpj),
        ("ddddddddddd", "a Brazilian personal tax number (CPF)", |digits| is_cpf(digits)),
        ("dddddddddddddd", "a Brazilian company number (CNPJ)", |digits| is_cnpj(digits)),
        ("ddd-dd-dddd", "a US social security number", is_ssn),
        ("dddd dddd dddd dddd", "a payment card number", is_card),
        ("dddd-dddd-dddd-dddd", "a payment card number", is_card),
        ("dddddddddddddddd", "a payment card number", is_card),
        ("dddd dddddd ddddd", "a payment card number", is_card),
        ("dddd-dddddd-ddddd", "a payment card number", is_card),
        ("ddddddddddddddd", "a payment card number", is_card),
    ] {
        if has_form(written, form) {
            let text: String = written.chars().filter(char::is_ascii_digit).collect();
            let plain: Vec<u8> = text.bytes().map(|b| b - b'0').collect();
            let bare = matches!(form.len(), 11 | 14) && form.bytes().all(|b| b == b'd');
            let named = !bare || said(if form.len() == 11 { "cpf" } else { "cnpj" });
            let real = named
                && !SAMPLES.split(' ').any(|sample| sample == text)
                && plain.windows(2).any(|pair| pair.first() != pair.last());
            return (real && holds(&plain)).then_some((written.len(), title));
        }
    }
    None
}

fn has_form(written: &str, form: &str) -> bool {
    written.len() == form.len()
        && written.bytes().zip(form.bytes()).all(|(b, f)| if f == b'd' { b.is_ascii_digit() } else { b == f })
}

/// Whether the digits end in the two check digits these weights give, each counted over all digits before it.
fn has_check_digits(digits: &[u8], weights: &[u32]) -> bool {
    let Some(body) = digits.len().checked_sub(2) else { return false };
    (body..digits.len()).all(|end| {
        let skip = weights.len().saturating_sub(end);
        let sum: u32 = digits.iter().zip(weights.iter().skip(skip)).take(end).map(|(d, w)| u32::from(*d) * w).sum();
        let check = match sum % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        };
        digits.get(end).is_some_and(|digit| u32::from(*digit) == check)
    })
}

fn is_cpf(digits: &[u8]) -> bool {
    has_check_digits(digits, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
}

fn is_cnpj(digits: &[u8]) -> bool {
    has_check_digits(digits, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
}

fn is_ssn(digits: &[u8]) -> bool {
    let part = |range: Range<usize>| digits.get(range).unwrap_or(&[]).iter().fold(0_u32, |n, d| n * 10 + u32::from(*d));
    let (area, group, serial) = (part(0..3), part(3..5), part(5..9));
    !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0
}

fn is_card(digits: &[u8]) -> bool {
    let head = digits.iter().take(4).fold(0_u32, |n, d| n * 10 + u32::from(*d));
    let issuer = match digits.len() {
        15 => matches!(head / 100, 34 | 37),
        16 => matches!(head, 4000..=4999 | 5100..=5599 | 2221..=2720 | 6011 | 6500..=6599 | 3528..=3589),
        _ => false,
    };
    let weighed = |(nth, digit): (usize, &u8)| match u32::from(*digit) * if nth % 2 == 1 { 2 } else { 1 } {
        big @ 10.. => big - 9,
        small => small,
    };
    let luhn: u32 = digits.iter().rev().enumerate().map(weighed).sum();
    let invented = digits.windows(5).any(|run| run.iter().all(|digit| *digit == 0));
    issuer && !invented && luhn.is_multiple_of(10)
}

/// The two letters of each country, and the length of an IBAN there.
const IBAN_LENGTHS: &str = "\
    AE23 AT20 BE16 BG22 BR29 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 IL23 IS26 \
    IT27 LI21 LT20 LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 SA24 SE24 SI19 SK24 TR26 UA29 AD24 AL28 BA20 \
    CR22 DO28 EG29 GE22 GI23 KW30 KZ20 LB28 MD24 ME22 MK19 MU30 PK24 PS29 QA29 RS22 SM27 SV28 TN24 VG24 XK20";

fn iban(rest: &str) -> Option<usize> {
    let row = memchr::memmem::find(IBAN_LENGTHS.as_bytes(), rest.as_bytes().get(..2)?)?;
    let known: usize = IBAN_LENGTHS.get(row + 2..row + 4)?.parse().ok()?;
    let mut text = [0; LONGEST_IBAN];
    let mut places = text.iter_mut().take(known);
    let mut length = 0;
    for byte in rest.bytes().take(LONGEST_IBAN) {
        match byte {
            _ if places.len() == 0 => break,
            b'A'..=b'Z' | b'0'..=b'9' => *places.next()? = byte,
            b' ' => {}
            _ => break,
        }
        length += 1;
    }
    let held = known - places.len();
    let bytes = text.get(..held)?;
    let length = rest.get(..length)?.trim_end().len();
    let shape = known == bytes.len()
        && bytes.get(2..4)?.iter().all(u8::is_ascii_digit)
        && bytes.iter().skip(4).filter(|b| b.is_ascii_digit()).count() >= 8
        && !rest.as_bytes().get(length).is_some_and(u8::is_ascii_alphanumeric);
    let remainder = || {
        bytes.iter().skip(4).chain(bytes.iter().take(4)).fold(0_u32, |rest, b| match b {
            b'0'..=b'9' => (rest * 10 + u32::from(b - b'0')) % 97,
            b => (rest * 100 + u32::from(b.saturating_sub(b'A')) + 10) % 97,
        })
    };
    (shape && remainder() == 1 && !SAMPLES.split(' ').any(|sample| sample.as_bytes() == bytes)).then_some(length)
}

/// `+55 11 98765-4321` with or without parentheses and blanks.
fn telephone(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("+55")?;
    let length =
        after.bytes().take(18).take_while(|b| b.is_ascii_digit() || matches!(b, b' ' | b'-' | b'(' | b')')).count();
    let digits: String = after.get(..length)?.chars().filter(char::is_ascii_digit).collect();
    let local = digits.get(2..)?;
    let mobile = digits.len() == 11 && local.starts_with('9');
    let fixed = digits.len() == 10 && local.starts_with(['2', '3', '4', '5']);
    let varied = (b'0'..=b'9').filter(|digit| local.as_bytes().contains(digit)).count() > 3;
    ((mobile || fixed) && varied && !local.starts_with("5555")).then_some(3 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<&'static str> {
        scan(text).into_iter().map(|one| one.title).collect()
    }

    #[test]
    fn look_alikes_pass() {
        for text in ["4000 0000 0000 9995", "000-12-3456", "+1 555 0100", "+55 11 99999-9999"] {
            assert_eq!(titles(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_number_is_found_wherever_blocks_are_cut() {
        let number = ["529.982", ".247-25"].concat();
        let account = ["BR15000000", "00000010932840814P2"].concat();
        for length in 0..70 {
            let text = format!("{} {number}; {} {account}", "a".repeat(length), "1 ".repeat(length));
            assert_eq!(titles(&text).len(), 2, "{text}");
        }
    }
}
