//! The settings of a tournament as the fields of a form.

use lastnim_proto::json::field_words;
use lastnim_proto::pb;

/// How a field is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// As it is.
    Text,
    /// A whole number.
    Number,
    /// A number.
    Real,
    /// One of the words of an enumeration, or nothing.
    Word,
    /// One of these words.
    Choice(&'static [(&'static str, &'static str)]),
    /// Positions, one a line.
    Positions,
    /// The rows of a matrix, one a line.
    Matrix,
}

/// A setting as a field of a form. Its name is the path of the setting in the message, so that what the service says of the setting stands beside it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SettingField {
    /// The path in [`pb::TournamentSettings`].
    pub name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What may stand there.
    pub hint: &'static str,
    /// What stands there at first.
    pub default: &'static str,
    /// How it is typed.
    pub kind: FieldKind,
}

/// Fields that stand together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FieldGroup {
    /// What they are about.
    pub legend: &'static str,
    /// When they count.
    pub condition: GroupCondition,
    /// The fields.
    pub fields: &'static [SettingField],
}

/// When the fields of a group count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupCondition {
    /// In any tournament.
    Always,
    /// In any tournament; few change them.
    Seldom,
    /// In tournaments of a format.
    Format(&'static str),
    /// With positions that come about in a way.
    PositionSource(&'static str),
}

/// The field that says which format the tournament has.
pub(super) const FORMAT: &str = "format";
/// The field that says how positions come about.
pub(super) const POSITION_SOURCE: &str = "position_source";

const fn field(
    name: &'static str,
    label: &'static str,
    kind: FieldKind,
    default: &'static str,
    hint: &'static str,
) -> SettingField {
    SettingField { name, label, hint, default, kind }
}

const FORMATS: &[(&str, &str)] = &[
    ("round_robin", "round robin: all sets of bots, or a balanced sample"),
    ("gauntlet", "gauntlet: one bot against the field"),
    ("swiss", "Swiss: bots of like scores meet"),
    ("knockout", "knockout: the best of each table go on"),
    ("ladder", "ladder: bots of like strength, until it is stopped"),
    ("sprt", "sequential test: is one bot better than another?"),
];

const POSITION_SOURCES: &[(&str, &str)] = &[
    ("positions", "listed here"),
    ("drawn_positions", "drawn from the seed"),
    ("paper_positions", "the 12 positions of the paper's tables"),
];

use FieldKind::{Choice, Matrix, Number, Positions, Real, Text, Word};

/// All groups, in the order in which they stand in the form.
pub(super) const GROUPS: &[FieldGroup] = &[
    FieldGroup {
        legend: "Tournament",
        condition: GroupCondition::Always,
        fields: &[
            field("title", "Title", Text, "", "1 to 100 characters"),
            field("seats", "Seats a match", Number, "3", "2 to 32"),
            field(
                "start_at",
                "Starts with",
                Number,
                "",
                "so many bots; nothing: it waits until you start it",
            ),
            field(FORMAT, "Format", Choice(FORMATS), "round_robin", ""),
        ],
    },
    FieldGroup {
        legend: "Round robin",
        condition: GroupCondition::Format("round_robin"),
        fields: &[field(
            "round_robin.groups",
            "Duplicate groups",
            Number,
            "",
            "a balanced sample of so many; nothing: all sets of bots on every position",
        )],
    },
    FieldGroup {
        legend: "Gauntlet",
        condition: GroupCondition::Format("gauntlet"),
        fields: &[
            field("gauntlet.bot", "Bot", Text, "", "the bot that sits at every table"),
            field(
                "gauntlet.groups",
                "Duplicate groups",
                Number,
                "",
                "in all; nothing: so many that each opponent sits at as many tables as it has opponents, on every position",
            ),
        ],
    },
    FieldGroup {
        legend: "Swiss",
        condition: GroupCondition::Format("swiss"),
        fields: &[
            field("swiss.rounds", "Rounds", Number, "5", "1 to 1,000"),
            field(
                "swiss.table_groups",
                "Groups a table",
                Number,
                "1",
                "duplicate groups that each table plays in a round",
            ),
        ],
    },
    FieldGroup {
        legend: "Knockout",
        condition: GroupCondition::Format("knockout"),
        fields: &[
            field("knockout.advance", "Go on", Number, "1", "bots of each table, fewer than it has seats"),
            field(
                "knockout.table_groups",
                "Groups a table",
                Number,
                "1",
                "duplicate groups that each table plays in a round",
            ),
        ],
    },
    FieldGroup {
        legend: "Ladder",
        condition: GroupCondition::Format("ladder"),
        fields: &[
            field("ladder.groups", "Duplicate groups", Number, "", "in all; nothing: until it is stopped"),
            field(
                "ladder.table_groups",
                "Groups a table",
                Number,
                "1",
                "duplicate groups that each table plays in a round",
            ),
            field(
                "ladder.suspend_after",
                "Suspends after",
                Number,
                "5",
                "so many matches in a row in which a bot lost its seat",
            ),
        ],
    },
    FieldGroup {
        legend: "Sequential test",
        condition: GroupCondition::Format("sprt"),
        fields: &[
            field("sprt.candidate", "Candidate", Text, "", "the bot that may be better"),
            field("sprt.baseline", "Baseline", Text, "", "the bot that it is held against"),
            field("sprt.measure", "Measure", Word, "", "what better means; nothing: regret"),
            field("sprt.effect_none", "No better", Real, "0", "if it is better by this a match, or less"),
            field("sprt.effect_some", "Better", Real, "", "if it is better by this a match, or more"),
            field(
                "sprt.alpha",
                "Alpha",
                Real,
                "0.05",
                "how often a candidate may be called better that is not",
            ),
            field("sprt.beta", "Beta", Real, "0.05", "how often a candidate may be called no better that is"),
            field("sprt.groups", "Duplicate groups", Number, "1000", "after which it ends undecided"),
        ],
    },
    FieldGroup {
        legend: "Positions",
        condition: GroupCondition::Always,
        fields: &[field(POSITION_SOURCE, "Positions", Choice(POSITION_SOURCES), "positions", "")],
    },
    FieldGroup {
        legend: "Listed positions",
        condition: GroupCondition::PositionSource("positions"),
        fields: &[field(
            "positions",
            "Piles",
            Positions,
            "3 4 5",
            "one position a line: the counters of each pile, the last one is played first",
        )],
    },
    FieldGroup {
        legend: "Drawn positions",
        condition: GroupCondition::PositionSource("drawn_positions"),
        fields: &[
            field("drawn_positions.count", "How many", Number, "20", "1 to 1,000"),
            field("drawn_positions.min_piles", "Fewest piles", Number, "2", ""),
            field("drawn_positions.max_piles", "Most piles", Number, "4", ""),
            field("drawn_positions.min_counters", "Fewest counters", Number, "1", "of a pile"),
            field("drawn_positions.max_counters", "Most counters", Number, "5", "of a pile"),
        ],
    },
    FieldGroup {
        legend: "The game",
        condition: GroupCondition::Seldom,
        fields: &[
            field(
                "ending",
                "Ending",
                Word,
                "",
                "who wins when no counter is left; nothing: the seat to move",
            ),
            field(
                "alliance",
                "Rows",
                Word,
                "",
                "how rows come about; nothing: standard for two seats, declared for more",
            ),
            field(
                "alliance_matrix.rows",
                "Matrix",
                Matrix,
                "",
                "for given rows: the row of each seat on a line, as 0 2 1",
            ),
            field(
                "scoring",
                "Scoring",
                Word,
                "",
                "nothing: win where rows are declared, satisfaction otherwise",
            ),
            field(
                "oracle",
                "Oracle",
                Word,
                "",
                "whether its bots may ask the oracle while it runs; nothing: open",
            ),
            field("seed", "Seed", Number, "0", "what everything random derives from"),
            field("strikes", "Strikes", Number, "3", "the strike that forfeits a seat"),
            field("max_plies", "Most plies", Number, "10000", "after which the oracle decides"),
        ],
    },
    FieldGroup {
        legend: "Clocks, in milliseconds",
        condition: GroupCondition::Seldom,
        fields: &[
            field("clock.initial_ms", "Bank", Number, "10000", "what every seat starts with"),
            field("clock.increment_ms", "Increment", Number, "100", "what a seat gains with each take"),
            field("clock.lag_quota_ms", "Lag a take", Number, "100", "given back at most"),
            field("clock.lag_total_ms", "Lag in all", Number, "10000", "given back at most, in one match"),
            field(
                "clock.declaration_ms",
                "Declaration",
                Number,
                "10000",
                "how long seats have to declare their rows",
            ),
        ],
    },
    FieldGroup {
        legend: "At once, and kept",
        condition: GroupCondition::Seldom,
        fields: &[
            field("concurrency", "Matches at once", Number, "64", "1 to 10,000"),
            field("bot_concurrency", "Of one bot", Number, "", "nothing: as many as there are"),
            field(
                "retention.matches",
                "Records kept",
                Number,
                "",
                "of so many newest matches; nothing in both: all",
            ),
            field("retention.days", "Days kept", Number, "", "records of matches that ended in so many days"),
        ],
    },
];

impl SettingField {
    /// Returns the words to choose from, and what they mean.
    pub(super) fn choices(&self) -> Vec<(String, String)> {
        match self.kind {
            Choice(choices) => {
                choices.iter().map(|&(word, meaning)| (word.to_owned(), meaning.to_owned())).collect()
            }
            Word => {
                let words = field_words::<pb::TournamentSettings>(self.name).into_iter();
                let words = words.map(|word| if word == "unspecified" { String::new() } else { word });
                words.map(|word| (word.clone(), word.replace('_', " "))).collect()
            }
            Text | Number | Real | Positions | Matrix => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::json::message_keys;

    #[test]
    fn every_setting_has_a_field() {
        let fields: Vec<_> = GROUPS.iter().flat_map(|group| group.fields).map(|field| field.name).collect();
        // There is one version of the methods.
        for key in message_keys::<pb::TournamentSettings>() {
            let is_there = fields.iter().any(|field| *field == key || field.starts_with(&format!("{key}.")));
            assert!(is_there || ["methods", "paper_positions"].contains(&key.as_str()), "{key}");
        }
    }

    #[test]
    fn words_are_those_of_the_protocol() {
        for field in GROUPS.iter().flat_map(|group| group.fields).filter(|field| field.kind == Word) {
            let choices = field.choices();
            assert!(choices.len() > 2 && choices[0].0.is_empty(), "{}: {choices:?}", field.name);
        }
    }
}
