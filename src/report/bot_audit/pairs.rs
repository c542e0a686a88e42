//! Who costs whom and who feeds whom.

use super::figures::RANKS;
use crate::{
    auditing::{AuditFindings, AuditSubject, Favouritism, PairFindings, REPLICATES, UntestedReason},
    report::{
        Column, NumberUnit, Section, Table,
        words::{count_words, join_words},
    },
};

/// The pairs of a field that people are shown.
const MAX_PAIRS: usize = 40;
/// The pairs that they are shown although nothing is known of them.
const MIN_PAIRS: usize = 4;

/// Reports the ordered pairs: the ledger and the test.
pub(super) fn pair_section(findings: &AuditFindings) -> Section {
    let ranked = ranked_pairs(findings);
    let known = ranked.iter().take(MAX_PAIRS).filter(|pair| !pair.is_empty()).count();
    let shown = known.max(MIN_PAIRS).min(ranked.len());
    let hidden = &ranked[shown..];
    let more = (!hidden.is_empty()).then(|| {
        let nothing = hidden.iter().filter(|pair| pair.is_empty()).count();
        let pairs = count_words(hidden.len(), "more pair", "more pairs");
        format!("{pairs}, {nothing} of them with nothing.")
    });
    Section::with_heading("Who costs whom, who feeds whom: ranks that takes of the mover cost and gave the other")
        .table(Table { max_shown: Some(shown), ..pair_table(&ranked) })
        .paragraphs(more)
        .paragraph(format!(
            "favouritism: what an error of the mover gave the other beyond what it would have given another bot in its place;\n\
             p: the share of {REPLICATES} permutations of the places that give as much; corrected p: for all the pairs that were tested."
        ))
}

/// Returns the pairs: those that are flagged, then those that were tested by p-value, then by what was given most, and those of
/// which nothing is known last.
fn ranked_pairs(findings: &AuditFindings) -> Vec<&PairFindings> {
    let mut pairs: Vec<_> = findings.pairs.iter().collect();
    let p_value = |pair: &PairFindings| match pair.favouritism {
        Favouritism::Tested { p_corrected, .. } => p_corrected,
        Favouritism::TooFewGroups => f64::INFINITY,
    };
    pairs.sort_by(|one, other| {
        let key = |pair: &PairFindings| (!pair.favouritism.is_flagged(), pair.is_empty());
        let names = |pair: &PairFindings| (pair.mover.clone(), pair.other.clone());
        key(one)
            .cmp(&key(other))
            .then(p_value(one).total_cmp(&p_value(other)))
            .then(one.ledger_entry().cmp(&other.ledger_entry()))
            .then_with(|| names(one).cmp(&names(other)))
    });
    pairs
}

fn pair_table(pairs: &[&PairFindings]) -> Table {
    /// What the test found: the favouritism of an error, its p-value, and that corrected for all pairs.
    fn test_figures(pair: &PairFindings) -> Option<[f64; 3]> {
        match pair.favouritism {
            Favouritism::Tested { per_error, p_value, p_corrected } => {
                Some([per_error, p_value, p_corrected])
            }
            Favouritism::TooFewGroups => None,
        }
    }
    let remark = |pair: &&PairFindings| match pair.untested_reason() {
        Some(untested) => untested.to_string(),
        None if pair.favouritism.is_flagged() => "FLAGGED".to_owned(),
        None => String::new(),
    };
    let ranks = |label: &str| Column::number(label, RANKS.unit, RANKS.precision).with_sign();
    let chance = |label: &str| Column::number(label, NumberUnit::Count, 3);
    Table::of_items(pairs)
        .column(Column::text("mover"), |pair| pair.mover.to_string())
        .column(Column::text("other"), |pair| pair.other.to_string())
        .column(Column::integer("matches"), |pair| pair.matches)
        .column(Column::integer("cost"), |pair| pair.cost)
        .column(Column::integer("gave"), |pair| pair.gave)
        .column(Column::integer("ledger").with_sign(), |pair| pair.ledger_entry())
        .column(ranks("a match").with_key("ledger_per_match"), |pair| pair.ledger_per_match())
        .column(ranks("favouritism an error").with_key("favouritism_per_error"), |pair| {
            test_figures(pair).map(|[favouritism, ..]| favouritism)
        })
        .column(chance("p"), |pair| test_figures(pair).map(|[_, p_value, _]| p_value))
        .column(chance("corrected p"), |pair| test_figures(pair).map(|[.., p_corrected]| p_corrected))
        .column(Column::text("").with_key("remark"), remark)
        .alert_where(|pair| pair.favouritism.is_flagged())
        .into_table()
}

/// Adds which pairs are flagged, or what came nearest.
pub(super) fn with_flagged_pairs(section: Section, findings: &AuditFindings) -> Section {
    let flagged = findings.flagged_pairs();
    let tested = findings.pairs.iter().filter_map(|pair| match pair.favouritism {
        Favouritism::Tested { p_corrected, .. } => Some(p_corrected),
        Favouritism::TooFewGroups => None,
    });
    let tested: Vec<f64> = tested.collect();
    let pairs = count_words(tested.len(), "pair", "pairs");
    match (flagged.as_slice(), tested.as_slice()) {
        ([], []) => {
            section.paragraph(format!("No pair could be tested for collusion: {}.", untested_words(findings)))
        }
        ([], tested) => section.paragraph(format!(
            "No pair is flagged for collusion: of {pairs} that could be tested the smallest corrected p-value is {:.3}.",
            tested.iter().copied().fold(1.0, f64::min)
        )),
        (flagged, _) => {
            let words = flagged.iter().map(|pair| match pair.favouritism {
                Favouritism::Tested { per_error, p_corrected, .. } => format!(
                    "errors of {} favour {} by {per_error:.2} ranks each (corrected p = {p_corrected:.3})",
                    pair.mover, pair.other
                ),
                Favouritism::TooFewGroups => String::new(),
            });
            section.alert(format!(
                "FLAGGED for likely collusion, {} of {pairs}: {}. Look at their matches before you judge.",
                flagged.len(),
                join_words(words, "; ")
            ))
        }
    }
}

/// Says why no pair could be tested, and how many pairs for which reason.
fn untested_words(findings: &AuditFindings) -> String {
    let mut reasons: Vec<(UntestedReason, usize)> = Vec::new();
    for untested in findings.pairs.iter().filter_map(PairFindings::untested_reason) {
        match reasons.iter_mut().find(|(reason, _)| reason.name() == untested.name()) {
            // Of those that come close, the one that comes closest.
            Some((reason, pairs)) => {
                *pairs += 1;
                if let (
                    UntestedReason::TooFewGroups { groups: one },
                    UntestedReason::TooFewGroups { groups: other },
                ) = (*reason, untested)
                    && other > one
                {
                    *reason = untested;
                }
            }
            None => reasons.push((untested, 1)),
        }
    }
    let words = reasons.iter().map(|(reason, count)| {
        let most = if matches!(reason, UntestedReason::TooFewGroups { .. }) { ", this the most" } else { "" };
        format!("{reason} ({}{most})", count_words(*count, "pair", "pairs"))
    });
    join_words(words, "; ")
}

/// Says which pairs the p-values are corrected for.
pub(super) fn correction_words(scope: &AuditSubject, findings: &AuditFindings) -> Option<String> {
    let tested = findings.pairs.iter().filter(|pair| pair.untested_reason().is_none()).count();
    match (scope, tested) {
        (_, 0) => None,
        (AuditSubject::Bot(bot), 1) => Some(format!(
            "p-values are of the 1 pair of {bot} only; an audit of the field corrects for all pairs."
        )),
        (AuditSubject::Bot(bot), tested) => Some(format!(
            "p-values are corrected for the {tested} pairs of {bot} only; an audit of the field corrects for all pairs."
        )),
        (AuditSubject::Field, tested) => Some(format!("p-values are corrected for all pairs, {tested}.")),
    }
}
