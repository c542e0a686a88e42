//! The Grundy values of a game by the size of its piles.

use super::{
    Column, Report, Section, Table,
    words::{count_with_noun, enum_word, join_items},
};
use lastnim_proto::pb;

/// The maximum number of rows shown.
const MAX_ROWS: usize = 200;
/// The maximum number of sizes in a sentence.
const MAX_LISTED: usize = 50;

/// Reports the values, and the rule that all of them follow, if one is proven.
pub fn sequence_report(sequence: &pb::ListGrundyValuesResponse) -> Report {
    let set = match sequence.set.as_slice() {
        [] => String::new(),
        set => format!(" {{{}}}", join_items(set, ",")),
    };
    let ending = enum_word(sequence.ending().as_str_name(), "ENDING_");
    let about = format!(
        "{}{set}: piles by size, for two seats that both want to win. Ending: {ending}.",
        sequence.ruleset
    );
    let hidden = sequence.terms.len().saturating_sub(MAX_ROWS);
    let hidden = (hidden > 0).then(|| format!("and {hidden} more, which --json and --csv list"));
    let listed =
        Section::new().paragraph(about).table(Table { max_shown: Some(MAX_ROWS), ..term_table(sequence) });
    let law = law_sentences(sequence).into_iter().fold(Section::new(), Section::paragraph);
    Report::from(listed.list(hidden)).with_section(law)
}

fn term_table(sequence: &pb::ListGrundyValuesResponse) -> Table {
    Table::of_items(&sequence.terms)
        .column(Column::integer("size"), |term| term.size)
        .column(Column::text("outcome"), |term| {
            term.outcome().as_str_name().trim_start_matches("OUTCOME_").to_owned()
        })
        .column(Column::integer("Grundy value"), |term| term.grundy)
        .into_table()
}

/// Describes the rule that all values follow, or says that no rule is proven.
fn law_sentences(sequence: &pb::ListGrundyValuesResponse) -> Vec<String> {
    match (sequence.law(), &sequence.period) {
        (pb::SequenceLaw::Identity, _) => {
            vec!["A pile's value is its size (Bouton 1901): only the empty pile is P.".to_owned()]
        }
        (pb::SequenceLaw::Periodic, Some(period)) => period_sentences(period, &sequence.set),
        (pb::SequenceLaw::NotFound, _) => vec![format!(
            "The first {} do not prove a period; later values may still have one.",
            count_with_noun(sequence.values_searched, "value", "values")
        )],
        _ => vec![
            "No period is claimed: no theorem is known for this game that derives all later values from the first ones.".to_owned(),
        ],
    }
}

fn period_sentences(period: &pb::SequencePeriod, set: &[u64]) -> Vec<String> {
    let pb::SequencePeriod { start, length, checked_to, .. } = period;
    let proof = if period.theorem == "octal_game" {
        "by the theorem of Guy and Smith (1956) on octal games".to_owned()
    } else {
        let largest = set.last().copied().unwrap_or_default();
        format!(
            "because {} all later values",
            count_with_noun(largest, "value that repeats determines", "values that repeat determine")
        )
    };
    let repeats = format!(
        "From size {start} on, the values repeat with period {length}. The values of sizes up to {checked_to} prove this, {proof}."
    );
    let zero = match period.zero_remainders.as_slice() {
        [] => format!("No pile of size {start} or more is P."),
        all if all.len() as u64 == *length => format!("Every pile of size {start} or more is P."),
        some => {
            let one_of = if some.len() == 1 { "" } else { "one of " };
            format!(
                "From size {start} on, a size is P exactly if its remainder modulo {length} is {one_of}{}.",
                listed_sizes(some)
            )
        }
    };
    let exceptions = (!period.exceptions.is_empty()).then(|| {
        format!(
            "Sizes before {start} whose value differs from the period: {}.",
            listed_sizes(&period.exceptions)
        )
    });
    [repeats, zero].into_iter().chain(exceptions).collect()
}

fn listed_sizes(sizes: &[u64]) -> String {
    let more = sizes.len().saturating_sub(MAX_LISTED);
    let listed = join_items(&sizes[..sizes.len() - more], ", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::csv_text;

    fn sequence(law: pb::SequenceLaw, period: Option<pb::SequencePeriod>) -> pb::ListGrundyValuesResponse {
        let term =
            |size, outcome: pb::Outcome, grundy| pb::SequenceTerm { size, outcome: outcome.into(), grundy };
        pb::ListGrundyValuesResponse {
            ruleset: "subtraction".into(),
            set: vec![1, 2],
            ending: pb::Ending::LastMoverWins.into(),
            terms: vec![term(0, pb::Outcome::P, 0), term(1, pb::Outcome::N, 1)],
            law: law.into(),
            period,
            values_searched: 7,
        }
    }

    #[test]
    fn sequence_laws_are_described() {
        let text_of = |law, period| {
            sequence_report(&sequence(law, period)).paragraphs().skip(1).collect::<Vec<_>>().join(" ")
        };
        let period =
            pb::SequencePeriod { start: 4, length: 3, zero_remainders: vec![0], ..Default::default() };
        assert_eq!(
            text_of(
                pb::SequenceLaw::Periodic,
                Some(pb::SequencePeriod { exceptions: (0..60).collect(), ..period.clone() })
            )
            .split(". ")
            .nth(3)
            .map(|exceptions| exceptions.ends_with("48, 49 and 10 more.")),
            Some(true)
        );
        let every = pb::SequencePeriod { zero_remainders: vec![0, 1, 2], ..period };
        assert!(
            text_of(pb::SequenceLaw::Periodic, Some(every)).ends_with("Every pile of size 4 or more is P.")
        );
        assert!(
            text_of(pb::SequenceLaw::NotFound, None)
                .starts_with("The first 7 values do not prove a period; ")
        );
        assert!(text_of(pb::SequenceLaw::NoCriterion, None).starts_with("No period is claimed: "));
    }

    #[test]
    fn the_table_has_a_row_for_each_size() {
        let csv = csv_text(&sequence_report(&sequence(pb::SequenceLaw::Identity, None)));
        assert_eq!(csv, "size,outcome,grundy_value\n0,P,0\n1,N,1\n");
    }
}
