//! The sections of a skill by what they are for, in the three languages of the built-in templates.

use std::ops::Range;

use super::sentence::Language;

/// A part of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What is done, step by step.
    Work,
    /// What goes in and what comes out.
    Inputs,
    /// How one sees that it is right.
    Verify,
    /// What must not be done.
    DoNot,
    /// What the skill rests on.
    Sources,
    /// What files say, where a skill has none of the other sections.
    Taken,
}

impl Part {
    /// How the heading reads; that of the work begins with the task.
    #[must_use]
    pub fn heading(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Work, Language::En) => ", step by step",
            (Self::Work, Language::Pt) => ", passo a passo",
            (Self::Work, Language::Es) => ", paso a paso",
            (Self::Inputs, Language::En) => "Inputs and results",
            (Self::Inputs, Language::Pt) => "Entradas e resultados",
            (Self::Inputs, Language::Es) => "Entradas y resultados",
            (Self::Verify, Language::En) => "Verify the result",
            (Self::Verify, Language::Pt) => "Conferir o resultado",
            (Self::Verify, Language::Es) => "Comprobar el resultado",
            (Self::DoNot, Language::En) => "Do not",
            (Self::DoNot, Language::Pt) => "Não faça",
            (Self::DoNot, Language::Es) => "No hagas",
            (Self::Sources, Language::En) => "Sources",
            (Self::Sources, Language::Pt) => "Fontes",
            (Self::Sources, Language::Es) => "Fuentes",
            (Self::Taken, Language::En) => "What the files say",
            (Self::Taken, Language::Pt) => "O que dizem os arquivos",
            (Self::Taken, Language::Es) => "Lo que dicen los archivos",
        }
    }

    fn is(self, heading: &str, language: Language) -> bool {
        let own = self.heading(language);
        if self == Self::Work { heading.ends_with(own) } else { heading == own }
    }
}

/// The section of a text, heading included, up to the end of its last line that is not empty, as bytes.
#[must_use]
pub fn section(text: &str, part: Part, language: Language) -> Option<Range<usize>> {
    let (mut at, mut end, mut begin, mut fence) = (0, 0, None, false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fence = !fence;
        }
        if let (false, Some(heading)) = (fence, bare.strip_prefix("## ")) {
            if let Some(begin) = begin {
                return Some(begin..end);
            }
            begin = part.is(heading, language).then_some(at);
        }
        at += line.len();
        if !bare.is_empty() {
            end = at;
        }
    }
    begin.map(|begin| begin..end)
}

/// The points of a section's lists, each on one line, without those that ask to be filled in.
#[must_use]
pub fn points(text: &str, part: Part, language: Language) -> Vec<String> {
    let Some(section) = section(text, part, language).and_then(|range| text.get(range)) else { return Vec::new() };
    let mut points: Vec<String> = Vec::new();
    let mut fence = false;
    for line in section.lines() {
        fence ^= line.starts_with("```") || line.starts_with("~~~");
        match (line.strip_prefix("- "), points.last_mut()) {
            _ if fence => {}
            (Some(point), _) => points.push(point.trim().to_owned()),
            (None, Some(point)) if line.starts_with("  ") => point.push_str(&format!(" {}", line.trim())),
            _ => {}
        }
    }
    points.retain(|point| super::template::gaps(point) == 0);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text =
            "# X\n\n## Do it, step by step\n\n```\n## Do not\n```\n\n\n## Do not\n\n- A\n  b.\n- [FILL IN: c?]\n- D\n";
        let of = |part| section(text, part, Language::En).and_then(|range| text.get(range));
        assert_eq!(of(Part::Work), Some("## Do it, step by step\n\n```\n## Do not\n```\n"));
        assert_eq!(of(Part::Verify), None);
        assert_eq!(points(text, Part::DoNot, Language::En), ["A b.", "D"]);
        assert!(points(text, Part::DoNot, Language::Pt).is_empty());
    }
}
