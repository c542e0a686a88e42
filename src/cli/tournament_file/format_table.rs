//! The table `[format]`: who meets whom.

use crate::cli::toml_file::{Entry, Reading, Section};
use crate::{game::closest_word, tournament::Measure, wire::pb};
use pb::tournament_settings::Format;

/// The kinds, each with its keys.
const KINDS: [(&str, &[&str]); 6] = [
    ("round-robin", &["kind", "groups"]),
    ("gauntlet", &["kind", "bot", "groups"]),
    ("swiss", &["kind", "rounds", "table_groups"]),
    ("knockout", &["kind", "advance", "table_groups"]),
    ("ladder", &["kind", "groups", "table_groups", "suspend_after"]),
    (
        "sprt",
        &[
            "kind",
            "candidate",
            "baseline",
            "measure",
            "effect_none",
            "effect_some",
            "alpha",
            "beta",
            "groups",
        ],
    ),
];
/// A bot that a format names, and where.
pub struct NamedBot {
    pub name: String,
    pub key: String,
    pub line: usize,
}

/// What the table says.
#[derive(Default)]
pub struct FormatTable {
    /// The format; none for a round robin of all sets.
    pub format: Option<Format>,
    /// The bots that it is about.
    pub named: Vec<NamedBot>,
}

/// Reads who meets whom; a round robin of all sets where the file says nothing.
pub fn read_format(top: &Section<'_>, reading: &mut Reading<'_>) -> FormatTable {
    let Some(entry) = top.setting("format", "format", reading) else { return FormatTable::default() };
    let Some((kind, known)) = kind_of(&entry, reading) else { return FormatTable::default() };
    let Some(section) = entry.section(known, reading) else { return FormatTable::default() };
    let mut table = Table { section, kind, named: Vec::new(), reading };
    let format = table.format();
    FormatTable { format, named: table.named }
}

/// Finds out the kind before the table is read: which keys are known depends on it.
fn kind_of(entry: &Entry<'_>, reading: &mut Reading<'_>) -> Option<(&'static str, &'static [&'static str])> {
    // What is found wrong here is found again once the kind is known.
    let mut unheard = Reading::new("");
    let Some(peek) = entry.section(&[], &mut unheard) else {
        entry.refuse("a table", reading);
        return None;
    };
    let names = || KINDS.iter().map(|&(name, _)| name);
    let list = names().collect::<Vec<_>>().join(", ");
    let Some(kind) = peek.entry("kind", reading) else {
        reading.report(entry.line, format_args!("format.kind: it is missing, and needed: one of {list}"));
        return None;
    };
    let word = kind.text(reading)?;
    let found = KINDS.iter().find(|&&(name, _)| name == word).copied();
    if found.is_none() {
        let meant =
            closest_word(word, names()).map(|name| format!("did you mean {name:?}? ")).unwrap_or_default();
        reading.report(kind.line, format_args!("format.kind: {word:?}: {meant}it is one of {list}"));
    }
    found
}

struct Table<'r, 'd, 't> {
    section: Section<'d>,
    kind: &'static str,
    named: Vec<NamedBot>,
    reading: &'r mut Reading<'t>,
}

impl<'d> Table<'_, 'd, '_> {
    fn format(&mut self) -> Option<Format> {
        Some(match self.kind {
            "gauntlet" => Format::Gauntlet(pb::GauntletFormat {
                bot: self.bot("bot")?,
                groups: self.count("groups").into(),
            }),
            "swiss" => Format::Swiss(pb::SwissFormat {
                rounds: self.needed_count("rounds")?,
                table_groups: self.count("table_groups"),
            }),
            "knockout" => Format::Knockout(pb::KnockoutFormat {
                advance: self.count("advance"),
                table_groups: self.count("table_groups"),
            }),
            "ladder" => Format::Ladder(pb::LadderFormat {
                groups: self.count("groups").into(),
                table_groups: self.count("table_groups"),
                suspend_after: self.count("suspend_after"),
                // The server takes the newest.
                pairing: pb::LadderPairing::Unspecified.into(),
            }),
            "sprt" => return self.sprt().map(Format::Sprt),
            _ => Format::RoundRobin(pb::RoundRobinFormat { groups: self.count("groups").into() }),
        })
    }

    fn sprt(&mut self) -> Option<pb::SprtFormat> {
        let candidate = self.bot("candidate");
        let baseline = self.bot("baseline");
        let measure = self.measure();
        let effect_none = self.number("effect_none").unwrap_or_default();
        let effect_some = if self.is_there("effect_some") { self.number("effect_some") } else { None };
        let rates = (self.rate("alpha"), self.rate("beta"));
        let groups = self.needed_count("groups");
        Some(pb::SprtFormat {
            candidate: candidate?,
            baseline: baseline?,
            measure: measure.into(),
            effect_none,
            effect_some: effect_some?,
            alpha: rates.0,
            beta: rates.1,
            groups: groups?.into(),
        })
    }

    fn setting(&mut self, key: &str) -> Option<Entry<'d>> {
        let field = format!("{}.{key}", self.kind.replace('-', "_"));
        self.section.setting(key, &field, self.reading)
    }

    fn is_there(&mut self, key: &str) -> bool {
        self.section.needed(key, self.reading).is_some()
    }

    fn count(&mut self, key: &str) -> u32 {
        let entry = self.setting(key);
        entry.and_then(|entry| entry.count(self.reading)).unwrap_or_default()
    }

    fn needed_count(&mut self, key: &str) -> Option<u32> {
        if self.is_there(key) { self.setting(key)?.count(self.reading) } else { None }
    }

    fn number(&mut self, key: &str) -> Option<f64> {
        self.setting(key)?.number(self.reading)
    }

    /// Reads an error rate: where the protocol reads 0 as "not given", a file that says 0 is wrong.
    fn rate(&mut self, key: &str) -> f64 {
        let Some(entry) = self.setting(key) else { return 0.0 };
        let Some(rate) = entry.number(self.reading) else { return 0.0 };
        if rate == 0.0 {
            entry.refuse("a number from 0.0001 to 0.5", self.reading);
        }
        rate
    }

    fn bot(&mut self, key: &str) -> Option<String> {
        if !self.is_there(key) {
            return None;
        }
        let entry = self.setting(key)?;
        let name = entry.text(self.reading)?.to_owned();
        self.named.push(NamedBot { name: name.clone(), key: entry.key, line: entry.line });
        Some(name)
    }

    fn measure(&mut self) -> pb::Measure {
        let Some(entry) = self.setting("measure") else { return pb::Measure::Unspecified };
        let Some(word) = entry.text(self.reading) else { return pb::Measure::Unspecified };
        match word.parse::<Measure>() {
            Ok(measure) => measure.into(),
            Err(error) => {
                self.reading.report(entry.line, error);
                pb::Measure::Unspecified
            }
        }
    }
}
