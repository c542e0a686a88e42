//! A page and its blocks.

/// The readers that a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Track {
    /// Everyone.
    Common,
    Python,
    TypeScript,
    Rust,
    AnyLanguage,
}

impl Track {
    /// Returns the track of the blocks below a heading.
    fn below(heading: &str) -> Self {
        match heading {
            "Python" => Self::Python,
            "TypeScript" => Self::TypeScript,
            "Rust" => Self::Rust,
            "Any other language" => Self::AnyLanguage,
            _ => Self::Common,
        }
    }
}

/// A page of Markdown.
pub struct Page {
    pub name: &'static str,
    pub text: &'static str,
}

/// A block of code.
#[derive(Debug)]
pub struct Block {
    pub track: Track,
    pub language: &'static str,
    pub text: String,
    /// Where it begins, as `PAGE:LINE`.
    pub place: String,
}

impl Page {
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        let mut lines = self.text.lines().enumerate();
        let mut track = Track::Common;
        std::iter::from_fn(move || {
            loop {
                let (number, line) = lines.next()?;
                if let Some(language) = line.strip_prefix("```") {
                    let mut text = String::new();
                    for line in lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```") {
                        text.push_str(line);
                        text.push('\n');
                    }
                    return Some(Block {
                        track,
                        language,
                        text,
                        place: format!("{}:{}", self.name, number + 1),
                    });
                }
                if line.starts_with('#') {
                    track = Track::below(line.trim_start_matches('#').trim());
                }
            }
        })
    }
}

impl Block {
    /// Returns the file name in the comment on its first line, and the lines of the file.
    pub fn file(&self) -> (&str, &str) {
        let (first, rest) = self.text.split_once('\n').unwrap_or_default();
        let name = first.strip_prefix("# ").or_else(|| first.strip_prefix("// "));
        (name.unwrap_or_else(|| panic!("{}: the first line names no file: {first:?}", self.place)), rest)
    }
}

/// Returns whether a page shows what was printed; a line `...` of the page matches any lines.
pub fn is_shown(shown: &str, printed: &str) -> bool {
    fn agree(shown: &[&str], printed: &[&str]) -> bool {
        match (shown.split_first(), printed.split_first()) {
            (None, None) => true,
            (Some((&"...", shown)), _) => {
                (0..=printed.len()).any(|skipped| agree(shown, &printed[skipped..]))
            }
            (Some((first, shown)), Some((line, printed))) => first == line && agree(shown, printed),
            _ => false,
        }
    }
    agree(&shown.lines().collect::<Vec<_>>(), &printed.lines().collect::<Vec<_>>())
}
