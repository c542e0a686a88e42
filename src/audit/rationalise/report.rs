//! The rows that explain a bot's play, as text and as JSON.

use super::command::{RationaliseFindings, SeatCountFindings};
use crate::text::row_sets;
use lastnim_analysis::{
    Contradiction, DeclaredRow, KnowledgeReading, Minimality, RationalisableRows, TakeOfGame,
};
use lastnim_core::{
    game::{Row, SeatCount},
    oracle::Budget,
    shown_number::shown_number,
};
use lastnim_proto::{
    declaration::{NamedTake, RowSetLimits, TakeInPosition, rationalisable_message},
    json::message_to_json,
};
use lastnim_report::{
    Report, Section,
    words::{count_with_noun, join_items},
};
use serde_json::{Value, json};

/// The maximum number of steps for counting rows. This many steps take a few seconds.
const MAX_COUNTING_STEPS: u64 = 10_000_000;

/// A report on all matches with the same number of seats.
pub struct SeatCountReport<'a> {
    /// The names of the files, indexed by file number.
    pub files: &'a [String],
    pub findings: &'a RationaliseFindings,
    pub seats: SeatCount,
    pub found: &'a SeatCountFindings,
    /// For each reading, the takes that contradict each other; `None` if some row explains every take.
    pub contradictions: [Option<Contradiction>; 2],
}

impl SeatCountReport<'_> {
    /// Reports the rows; if the declared row is among them, it is the first example.
    pub fn report(&self, examples: usize) -> Report {
        let [first, _] = &self.found.readings;
        let matches = count_with_noun(first.game_count(), "match", "matches");
        let takes = count_with_noun(first.take_count(), "take", "takes");
        let declared = match first.declared() {
            DeclaredRow::Always(row) => format!("the declared row is {row}"),
            DeclaredRow::Nothing | DeclaredRow::Various => "different rows were declared".to_owned(),
        };
        let mut section =
            Section::new().paragraph(format!("{matches} with {} seats, {takes}; {declared}.", self.seats));
        for (rows, contradiction) in self.found.readings.iter().zip(&self.contradictions) {
            let reading = match rows.reading() {
                KnowledgeReading::CommonKnowledge => "If every seat knows the row",
                KnowledgeReading::DeclaredBelieved => "If the others believe the declared row",
            };
            section = match contradiction {
                Some(contradiction) => self.with_contradiction(section, reading, contradiction),
                None => self.with_rows(section, reading, rows, examples),
            };
            let left_out = rows.games_left_out();
            let were = count_with_noun(
                left_out,
                "match was left out, because its analysis takes",
                "matches were left out, because their analysis takes",
            );
            section = section.list((left_out > 0).then(|| format!("{were} too long")));
        }
        section.into()
    }

    fn with_rows(
        &self,
        section: Section,
        reading: &str,
        rows: &RationalisableRows,
        examples: usize,
    ) -> Section {
        let all = row_sets::count_all_rows(self.seats);
        let count = rows.rows().count_rows(&mut Budget::of_steps(MAX_COUNTING_STEPS));
        let declared = match rows.is_declared_rational() {
            Some(true) => ", the declared one among them",
            Some(false) => ", but not the declared one",
            None => "",
        };
        let explain = if count.at_least() == 1 && count.is_exact() { "explains" } else { "explain" };
        let share = 100.0 * count.share_of_all_rows(self.seats);
        let sentence =
            format!("{reading}: {count} of {all} rows {explain} every take ({share:.3}%){declared}");
        row_sets::with_example_rows(
            section.paragraph(sentence),
            rows.rows(),
            &self.example_rows(rows, examples),
        )
    }

    fn with_contradiction(&self, section: Section, reading: &str, contradiction: &Contradiction) -> Section {
        let shortest = match contradiction.minimality {
            Minimality::Proved => "no smaller set does".to_owned(),
            Minimality::ProvedAmong(takes) => format!("no smaller set of the {takes} takes searched does"),
            Minimality::AtLeast(takes) => {
                format!(
                    "at least {takes} takes are needed, but the search ended before it found the smallest set"
                )
            }
        };
        let takes = contradiction.takes.iter().map(|&take| {
            let NamedTake { seat, name, details } = self.name_take(take);
            let details = details.map(|TakeInPosition { piles, take }| {
                let rest = piles.iter().rev().find(|&&pile| pile > 0).copied().unwrap_or_default();
                format!(": took {take} of {rest}, piles {}", join_items(piles, ","))
            });
            format!("{name}, take {}, by seat {seat}{}", shown_number(take.ply), details.unwrap_or_default())
        });
        section
            .paragraph(format!(
                "{reading}: no row explains every take. These takes contradict each other; {shortest}:"
            ))
            .list(takes)
    }

    /// Returns the rows as JSON.
    pub fn json(&self, limits: RowSetLimits) -> Value {
        let name_take = |take| self.name_take(take);
        let readings = self.found.readings.iter().zip(&self.contradictions).map(|(rows, contradiction)| {
            let count = rows.rows().count_rows(&mut Budget::of_steps(MAX_COUNTING_STEPS));
            message_to_json(&rationalisable_message(rows, count, contradiction.as_ref(), name_take, limits))
        });
        json!({
            "seats": self.seats.get(),
            "readings": readings.collect::<Value>(),
            "passed_over": {
                "without_bot": self.findings.without_bot,
                "without_rows": self.findings.without_rows,
            },
        })
    }

    fn example_rows(&self, rows: &RationalisableRows, most: usize) -> Vec<Row> {
        let declared = match rows.declared() {
            DeclaredRow::Always(row) => row.clone(),
            DeclaredRow::Nothing | DeclaredRow::Various => Row::standard(self.seats),
        };
        rows.rows().examples(&declared, most)
    }

    /// Identifies a take by its file, seat and position.
    fn name_take(&self, take: TakeOfGame) -> NamedTake {
        let source = &self.found.sources[usize::try_from(take.game).expect("a parsed game fits in memory")];
        let line = source.line.map(|line| format!(":{line}")).unwrap_or_default();
        NamedTake {
            seat: source.seat,
            name: format!("{}{line}", self.files[source.file as usize]),
            details: source
                .played
                .as_ref()
                .and_then(|played| TakeInPosition::of_ply(&played.0, &played.1, take.ply)),
        }
    }
}
