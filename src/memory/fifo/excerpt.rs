//! The excerpt that a search shows of a text: the words that were searched, each in its place.

/// How many characters of one piece, and how many of them stand before its first match.
const PIECE: usize = 90;
const BEFORE: usize = 30;
/// How many pieces an excerpt has at most, where the words are far from each other.
const PIECES: usize = 3;

/// One line with as many of these words as fit, cut between words, with `dots` where something is left out. `None` if
/// the text contains none of them.
pub fn excerpt(text: &str, words: &[&str], dots: &str) -> Option<String> {
    let line: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let mut matches = matches(&line, words);
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    while let Some((from, to, shown)) = densest(&matches).filter(|_| pieces.len() < PIECES) {
        pieces.push(piece(&line, from, to));
        matches.retain(|one| !shown.contains(&one.word));
    }
    pieces.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (from, to) in pieces {
        match joined.last_mut() {
            Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    let (first, last) = (*joined.first()?, *joined.last()?);
    let said: Vec<String> = joined.iter().map(|(from, to)| line[*from..*to].iter().collect()).collect();
    let before = if first.0 > 0 { dots } else { "" };
    let after = if last.1 < line.len() { dots } else { "" };
    Some(format!("{before}{}{after}", said.join(&format!(" {dots} "))))
}

struct Match {
    from: usize,
    to: usize,
    word: usize,
}

/// Every place of every word, in any case, in the order of the text.
fn matches(line: &[char], words: &[&str]) -> Vec<Match> {
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let line: Vec<char> = line.iter().map(|c| lower(*c)).collect();
    let mut all = Vec::new();
    for (word, text) in words.iter().enumerate() {
        let text: Vec<char> = text.chars().map(lower).collect();
        let places = line.windows(text.len().max(1)).enumerate().filter(|(_, window)| *window == text);
        all.extend(places.map(|(from, _)| Match { from, to: from + text.len(), word }));
    }
    all.sort_by_key(|one| one.from);
    all
}

/// The first stretch with the most different words, and these words.
fn densest(matches: &[Match]) -> Option<(usize, usize, Vec<usize>)> {
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, first) in matches.iter().enumerate() {
        let (mut to, mut words) = (first.to, vec![first.word]);
        for one in matches.iter().skip(at + 1).take_while(|one| one.from < first.from + PIECE - BEFORE) {
            if !words.contains(&one.word) && one.to <= first.from + PIECE - BEFORE {
                to = to.max(one.to);
                words.push(one.word);
            }
        }
        if best.as_ref().is_none_or(|(.., most)| words.len() > most.len()) {
            best = Some((first.from, to, words));
        }
    }
    best
}

/// A stretch with what stands around it, cut between words where there are any.
fn piece(line: &[char], from: usize, to: usize) -> (usize, usize) {
    let start = from.saturating_sub(BEFORE);
    let end = (start + PIECE).max(to).min(line.len());
    // In JSON without spaces its marks divide words.
    let divides = |c: &char| " ,{[".contains(*c);
    let start = if start == 0 {
        0
    } else {
        let cut = line[start - 1..from].iter().position(divides).map_or(start, |at| start + at);
        cut + usize::from(line.get(cut) == Some(&' '))
    };
    let end = if end == line.len() { end } else { line[to..=end].iter().rposition(divides).map_or(end, |at| to + at) };
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_around_the_match_cut_between_words() {
        let text = format!("{}the\nNEEDLE here {}", "hay ".repeat(30), "straw ".repeat(30));
        let shown = excerpt(&text, &["needle"], "…").unwrap();
        assert!(
            shown.starts_with("…hay ") && shown.ends_with(" straw…") && shown.contains("the NEEDLE here"),
            "{shown}"
        );
        assert_eq!(excerpt("a needle", &["needle"], "…").unwrap(), "a needle");
        assert_eq!(excerpt("Straße", &["straße"], "…").unwrap(), "Straße");
        assert_eq!(excerpt("nothing", &["needle"], "…"), None);
        assert_eq!(excerpt("", &["needle"], "…"), None);
    }

    #[test]
    fn every_word_that_was_searched_is_shown() {
        let far = format!("pin first {}thread last {}", "hay ".repeat(60), "hay ".repeat(60));
        let shown = excerpt(&far, &["thread", "pin"], "...").unwrap();
        assert!(
            shown.starts_with("pin first hay") && shown.contains(" ... hay") && shown.contains("thread last"),
            "{shown}"
        );
        // One piece where they are together, although one stands alone before.
        let near = format!("pin alone {}pin and thread {}", "hay ".repeat(60), "hay ".repeat(60));
        let shown = excerpt(&near, &["pin", "thread"], "...").unwrap();
        assert!(shown.starts_with("...hay") && shown.contains("pin and thread") && !shown.contains("alone"), "{shown}");
    }

    #[test]
    fn a_text_without_spaces_is_cut_beside_the_match() {
        let json = format!("{{\"before\":\"{0}\",\"a\":\"needle\",\"after\":\"{0}\"}}", "x".repeat(80));
        assert_eq!(excerpt(&json, &["needle"], "...").unwrap(), "...\"a\":\"needle\"...");
        let text = format!("{}needle{}", "x".repeat(200), "é".repeat(200));
        let shown = excerpt(&text, &["needle"], "...").unwrap();
        assert!(shown.contains("needle") && shown.chars().count() == PIECE + 6, "{shown}");
    }
}
