//! The guides that readers of the pages need.

use std::fmt;

/// A guide.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Guide {
    /// The name of its file in `docs/`, without the end.
    pub name: &'static str,
    /// For whom it is.
    pub audience: &'static str,
    /// What it is about, in a few words.
    pub about: &'static str,
    /// The file.
    pub markdown: &'static str,
}

macro_rules! guides {
    ($($audience:literal { $($name:literal: $about:literal;)+ })+) => {
        &[$($(Guide {
            name: $name,
            audience: $audience,
            about: $about,
            markdown: include_str!(concat!("../../../../docs/", $name, ".md")),
        },)+)+]
    };
}

/// All of them, in the order in which they are listed.
static GUIDES: &[Guide] = guides! {
    "For everybody" {
        "glossary": "every term in a line";
        "pages": "what the pages show, and their twins for programs";
        "oracle": "what optimal play is, and how it is found";
        "games": "the other games that the oracle solves";
    }
    "For authors of bots" {
        "bots": "names, tokens, sessions, and every message of a bot's life";
        "house-bots": "the bots to practise against, and how well they play";
        "conformance": "whether a bot does what the protocol asks";
        "benchmark": "how well a bot plays: a signed card to cite";
        "ai-tournaments": "language models as bots";
        "environments": "environments for training";
        "datasets": "labelled positions for training and evaluation";
        "json": "how messages are written as JSON";
    }
    "For organisers" {
        "tournaments": "formats, settings, and a tournament in one file";
        "ratings": "how bots are rated, and what is assumed";
        "audits": "accuracy, regret, favouritism, and how often they are wrong";
        "records": "records that prove themselves, and how to verify them";
    }
    "For hosts" {
        "operating": "from a machine to a public server";
        "metrics": "what the server measures of itself";
        "limits": "what each client may use up";
        "reading": "whose turn it is to read";
        "storage": "databases, backups, and what happens when a disk is full";
        "history": "logs of sessions, and what a server is held to by them";
        "performance": "what a server carries, as measured";
        "simulation": "how the whole server is tested from one seed";
    }
};

impl fmt::Display for Guide {
    /// Writes the name by which an address knows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Guide {
    /// Returns all guides.
    pub(super) fn all() -> &'static [Self] {
        GUIDES
    }

    /// Returns the guide of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        GUIDES.iter().find(|guide| guide.name == name)
    }

    /// Returns its title: the first line.
    pub(super) fn title(&self) -> &'static str {
        self.markdown.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_of_the_folder_is_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter_map(|file| Some(file.strip_suffix(".md")?.to_owned()))
            .collect();
        files.sort_unstable();
        let mut named: Vec<_> = GUIDES.iter().map(|guide| guide.name.to_owned()).collect();
        named.sort_unstable();
        assert_eq!(named, files);
    }

    #[test]
    fn guides_begin_with_their_title() {
        for guide in GUIDES {
            assert!(guide.markdown.starts_with("# ") && !guide.title().is_empty(), "{}", guide.name);
        }
    }
}
