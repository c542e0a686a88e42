//! Which bots cost or give each other ranks.

use super::figures::{RANKS, SHARE};
use crate::{
    Column, NumberUnit, Section, Table,
    words::{count_with_noun, join_items},
};
use lastnim_auditing::{
    AuditFindings, AuditSubject, Dependence, FavourMeans, Favouritism, PairFindings, REPLICATES, SetFindings,
    UntestedDeclarations, UntestedReason,
};
use lastnim_core::shown_number::shown_number;
use std::{cmp::Ordering, fmt};

/// The maximum number of pairs shown.
const MAX_PAIRS: usize = 40;
/// The minimum number of pairs shown, even if nothing is known about them.
const MIN_PAIRS: usize = 4;

/// Reports the ordered pairs: the ledger and the test of takes, and then the declarations.
pub(super) fn pair_sections(findings: &AuditFindings) -> Vec<Section> {
    let ranked = ranked_pairs(findings);
    let known = ranked.iter().take(MAX_PAIRS).filter(|pair| !pair.is_empty()).count();
    let shown = known.max(MIN_PAIRS).min(ranked.len());
    let hidden = &ranked[shown..];
    let more = (!hidden.is_empty()).then(|| {
        let nothing = hidden.iter().filter(|pair| pair.is_empty()).count();
        let pairs = count_with_noun(hidden.len(), "more pair", "more pairs");
        format!("{pairs} not shown, {nothing} of them without data.")
    });
    let takes =
        Section::with_heading("Pairs: ranks that the mover's takes cost the other bot, and ranks that they gave it")
            .table(Table { max_shown: Some(shown), ..pair_table(&ranked) })
            .paragraphs(more)
            .paragraph(format!(
                "favouritism: the ranks that an error in a match's first take gave the other bot, beyond those that a random error gives, minus the mean of this for all bots that could have sat there;\n\
                 p: the share of {REPLICATES} permutations of the places with at least as much favouritism; corrected p: corrected for all tests of takes and declarations, of pairs and of sets of bots."
            ));
    [takes].into_iter().chain(declaration_section(findings)).collect()
}

/// Reports how the declarations of bots depend on where other bots sit; `None` if no pair was tested.
fn declaration_section(findings: &AuditFindings) -> Option<Section> {
    let mut pairs: Vec<&PairFindings> = findings
        .pairs
        .iter()
        .filter(|pair| matches!(pair.declarations.dependence, Dependence::Tested { .. }))
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let test_figures = |pair: &PairFindings| match pair.declarations.dependence {
        Dependence::Tested { ranks, p_value, p_corrected } => Some([ranks, p_value, p_corrected]),
        Dependence::Untested(_) => None,
    };
    pairs.sort_by(|one, other| {
        let key = |pair: &PairFindings| {
            let [ranks, p_value, p_corrected] = test_figures(pair).unwrap_or([0.0, 1.0, 1.0]);
            [f64::from(u8::from(!pair.declarations.is_flagged())), p_corrected, p_value, -ranks]
        };
        let compare = |(one, other): (f64, f64)| one.total_cmp(&other);
        key(one)
            .into_iter()
            .zip(key(other))
            .map(compare)
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    let remark = |pair: &&PairFindings| {
        let declarations = &pair.declarations;
        match (declarations.is_flagged(), declarations.is_dependent()) {
            (true, _) => match (declarations.is_paid, declarations.is_returned) {
                (true, true) => "FLAGGED: costs the bot wins, and the other returns the favour",
                (true, false) => "FLAGGED: costs the bot wins",
                (false, _) => "FLAGGED: the other returns the favour",
            },
            (false, true) => "the row depends on where the other bot sits",
            (false, false) => "",
        }
    };
    let chance = |label: &str| Column::number(label, NumberUnit::Count, 3);
    let share = |label: &str| Column::number(label, SHARE.unit, SHARE.precision).with_sign();
    let table = Table::of_items(&pairs)
        .column(Column::text("declares"), |pair| pair.mover.to_string())
        .column(Column::text("for"), |pair| pair.other.to_string())
        .column(Column::integer("matches"), |pair| pair.declarations.matches)
        .column(Column::number("ranks better", RANKS.unit, 2).with_sign(), |pair| {
            test_figures(pair).map(|[ranks, ..]| ranks)
        })
        .column(share("wins given"), |pair| pair.declarations.wins_given)
        .column(share("wins paid"), |pair| pair.declarations.wins_paid)
        .column(share("forgone"), |pair| pair.declarations.wins_forgone)
        .column(chance("p"), |pair| test_figures(pair).map(|[_, p_value, _]| p_value))
        .column(chance("corrected p"), |pair| test_figures(pair).map(|[.., p_corrected]| p_corrected))
        .column(Column::text("").with_key("remark"), remark)
        .alert_where(|pair| pair.declarations.is_flagged())
        .into_table();
    let more = pairs.len().saturating_sub(MAX_PAIRS);
    let more = (more > 0).then(|| format!("{} not shown.", count_with_noun(more, "more pair", "more pairs")));
    let section = Section::with_heading("Declarations: how many ranks higher a bot puts a seat in its row when the other bot sits there")
        .table(Table { max_shown: Some(MAX_PAIRS), ..table })
        .paragraphs(more)
        .paragraph(
            "wins given: the share of matches that the other bot wins under optimal play, minus the share if the bot's row swapped it with a third bot;\n\
             wins paid: the share of matches that the bot would win under optimal play if it put itself first, minus the share that it wins with its declared rows;\n\
             forgone: the share of matches that the bot does not win under optimal play with its row, but would win with another row."
        );
    Some(section)
}

/// Orders pairs: flagged ones, then tested ones by p-value, then by the ranks given; pairs without data last.
fn ranked_pairs(findings: &AuditFindings) -> Vec<&PairFindings> {
    let mut pairs: Vec<_> = findings.pairs.iter().collect();
    let p_value = |pair: &PairFindings| match pair.favouritism {
        Favouritism::Tested { p_corrected, .. } => p_corrected,
        Favouritism::Untested => f64::INFINITY,
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
    /// Returns the favouritism per error, its p-value, and the corrected p-value.
    fn test_figures(pair: &PairFindings) -> Option<[f64; 3]> {
        match pair.favouritism {
            Favouritism::Tested { per_error, p_value, p_corrected, .. } => {
                Some([per_error, p_value, p_corrected])
            }
            Favouritism::Untested => None,
        }
    }
    let remark = |pair: &&PairFindings| match pair.untested_reason() {
        Some(untested) => untested.to_string(),
        None if pair.favouritism.is_flagged() => "FLAGGED".to_owned(),
        None if pair.favouritism.is_significant() && !pair.favouritism.is_large() => {
            "significant, but small".to_owned()
        }
        None if pair.favouritism.is_significant() && pair.favouritism.is_paid_back() => {
            "significant, but later play made up for the loss".to_owned()
        }
        None if pair.favouritism.is_significant() => {
            "significant, but what it cost the mover is unknown".to_owned()
        }
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
        .column(ranks("per match").with_key("ledger_per_match"), |pair| pair.ledger_per_match())
        .column(ranks("favouritism per error").with_key("favouritism_per_error"), |pair| {
            test_figures(pair).map(|[favouritism, ..]| favouritism)
        })
        .column(chance("p"), |pair| test_figures(pair).map(|[_, p_value, _]| p_value))
        .column(chance("corrected p"), |pair| test_figures(pair).map(|[.., p_corrected]| p_corrected))
        .column(Column::text("").with_key("remark"), remark)
        .alert_where(|pair| pair.favouritism.is_flagged())
        .into_table()
}

/// Adds the flagged pairs and sets, or else the smallest p-value, and a note on the pairs that were not tested.
pub(super) fn with_flagged_pairs(section: Section, findings: &AuditFindings) -> Section {
    let flagged = findings.flagged_pairs();
    let tests = count_with_noun(findings.test_count(), "test", "tests");
    let section = match (flagged.as_slice(), findings.test_count()) {
        ([], 0) => section.paragraph("No pair could be tested."),
        ([], _) => {
            let smallest =
                findings.pairs.iter().filter_map(PairFindings::smallest_p_corrected).fold(1.0, f64::min);
            section.paragraph(format!(
                "No pair is flagged: in {tests} the smallest corrected p-value is {smallest:.3}."
            ))
        }
        (flagged, _) => {
            let alone = flagged.iter().flat_map(|pair| flag_texts(pair, &findings.sets));
            let entries = findings.sets.iter().map(flagged_set_text).chain(alone);
            section.alert(format!(
                "FLAGGED: please look at {} (found in {tests}): {}. This is a request to look, not a verdict.",
                count_with_noun(flagged.len(), "pair", "pairs"),
                join_items(entries, "; ")
            ))
        }
    };
    section.paragraphs(unflagged_results_note(findings)).paragraphs(untested_pairs_note(findings))
}

/// Says what was found about a flagged set of bots.
fn flagged_set_text(set: &SetFindings) -> String {
    let bots = join_items(&set.bots, ", ");
    let what = match set.means {
        FavourMeans::Takes => "errors favour each other",
        FavourMeans::Declarations => "rows favour each other",
    };
    format!(
        "{bots}: their {what} in up to {} for every pair of them, a chance of {} if they ignored who sits there",
        count_with_noun(set.groups, "distinct group", "distinct groups"),
        chance_text(set.p_corrected)
    )
}

/// Says what was found about a flagged pair, except what is already said about a flagged set that contains both bots.
fn flag_texts(pair: &PairFindings, sets: &[SetFindings]) -> Vec<String> {
    let (mover, other) = (&pair.mover, &pair.other);
    let is_new = |means: FavourMeans| {
        !sets.iter().any(|set| set.means == means && [mover, other].iter().all(|bot| set.bots.contains(bot)))
    };
    let groups = |groups: u64| count_with_noun(groups, "distinct group", "distinct groups");
    let chance = |p_corrected: f64| {
        format!("a chance of {} if {mover} ignored who sits there", chance_text(p_corrected))
    };
    let takes = match pair.favouritism {
        Favouritism::Tested { per_error, p_corrected, .. }
            if pair.favouritism.is_flagged() && is_new(FavourMeans::Takes) =>
        {
            Some(format!(
                "errors of {mover} favour {other} by {per_error:.2} ranks in {}, {}",
                groups(pair.usable_groups),
                chance(p_corrected)
            ))
        }
        _ => None,
    };
    let declarations = match pair.declarations.dependence {
        Dependence::Tested { ranks, p_corrected, .. }
            if pair.declarations.is_flagged() && is_new(FavourMeans::Declarations) =>
        {
            let why = match (pair.declarations.is_paid, pair.declarations.is_returned) {
                (true, true) => format!("; this costs {mover} wins, and {other} returns the favour"),
                (true, false) => format!("; this costs {mover} wins"),
                (false, _) => format!("; {other} returns the favour"),
            };
            Some(format!(
                "{mover} puts a seat {ranks:.2} ranks higher in its row when {other} sits there, in {}, {}{why}",
                groups(pair.declarations.groups),
                chance(p_corrected)
            ))
        }
        _ => None,
    };
    takes.into_iter().chain(declarations).collect()
}

/// Writes a p-value as a chance, such as "1 in 500"; the smallest is 1 in 1,000.
fn chance_text(p_value: f64) -> String {
    let chance = (1.0 / p_value).round();
    if chance < 1_000.0 { format!("1 in {chance:.0}") } else { "1 in 1,000".to_owned() }
}

/// Lists takes, and matches with declared rows, to look at before judging the flagged pairs.
pub(super) fn example_sections(findings: &AuditFindings) -> Vec<Section> {
    let flagged = findings.flagged_pairs();
    let takes = flagged.iter().filter(|pair| pair.favouritism.is_flagged());
    let takes: Vec<_> =
        takes.flat_map(|pair| pair.takes_to_look_at.iter().map(|take| (&pair.mover, take))).collect();
    let matches = flagged.iter().filter(|pair| pair.declarations.is_flagged());
    let matches: Vec<_> =
        matches.flat_map(|pair| pair.matches_to_look_at.iter().map(move |id| (*pair, id))).collect();
    let takes = (!takes.is_empty()).then(|| {
        Section::with_heading(
            "Takes to look at: errors in flagged pairs that gave the other bot the most ranks",
        )
        .table(
            Table::of_items(&takes)
                .column(Column::text("match"), |(_, take)| take.match_id.to_string())
                .column(Column::integer("take"), |(_, take)| shown_number(take.ply))
                .column(Column::text("bot"), |(mover, _)| mover.to_string())
                .column(Column::integer("took"), |(_, take)| take.take)
                .column(Column::integer("cost it"), |(_, take)| take.regret)
                .column(Column::text("gained"), |(_, take)| take.gainer.to_string())
                .column(Column::integer("ranks"), |(_, take)| take.gain)
                .into_table(),
        )
    });
    let matches = (!matches.is_empty()).then(|| {
        Section::with_heading(
            "Matches to look at: the other bot wins under optimal play only because of the bot's row",
        )
        .table(
            Table::of_items(&matches)
                .column(Column::text("match"), |(_, id)| id.to_string())
                .column(Column::text("bot"), |(pair, _)| pair.mover.to_string())
                .column(Column::text("other"), |(pair, _)| pair.other.to_string())
                .into_table(),
        )
    });
    takes.into_iter().chain(matches).collect()
}

/// Describes significant results that are not flagged.
fn unflagged_results_note(findings: &AuditFindings) -> Option<String> {
    let count =
        |is_noted: fn(&PairFindings) -> bool| findings.pairs.iter().filter(|pair| is_noted(pair)).count();
    let takes = |words: &str, is_so: fn(&Favouritism) -> bool| {
        let is_noted = |pair: &&PairFindings| pair.favouritism.is_significant() && is_so(&pair.favouritism);
        let count = findings.pairs.iter().filter(is_noted).count();
        (count > 0).then(|| format!("{words} in {}", count_with_noun(count, "pair", "pairs")))
    };
    let small = takes("errors favour the other bot, but too little to flag,", |takes| !takes.is_large());
    let paid_back =
        takes("errors favour the other bot, but later play by other bots made up for the loss,", |takes| {
            takes.is_large() && takes.is_paid_back()
        });
    let unknown = takes("errors favour the other bot, but what they cost the mover is unknown,", |takes| {
        takes.is_large() && takes.own_loss().is_none()
    });
    let depend = count(|pair| pair.declarations.is_dependent() && !pair.declarations.is_flagged());
    let depend = (depend > 0).then(|| {
        let pairs = count_with_noun(depend, "pair", "pairs");
        format!(
            "declarations depend on which bot sits where in {pairs}; this is also true of honest bots that model others"
        )
    });
    let reasons: Vec<String> = [small, paid_back, unknown, depend].into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| format!("Significant, but not flagged: {}.", join_items(reasons, "; ")))
}

/// Says which pairs were not tested, and why.
fn untested_pairs_note(findings: &AuditFindings) -> Option<String> {
    let takes =
        untested_reasons_text(findings.pairs.iter().filter_map(PairFindings::untested_reason), |reason| {
            match reason {
                UntestedReason::TooFewGroups { groups } => Some(*groups),
                _ => None,
            }
        });
    let untested = findings.pairs.iter().filter_map(|pair| match pair.declarations.dependence {
        Dependence::Untested(reason) => Some(reason),
        Dependence::Tested { .. } => None,
    });
    let declarations = untested_reasons_text(untested, |reason| match reason {
        UntestedDeclarations::TooFewGroups { groups } => Some(*groups),
        _ => None,
    });
    let reasons = [("takes", takes), ("declarations", declarations)];
    let reasons = reasons.into_iter().filter_map(|(what, reasons)| Some(format!("by {what}: {}", reasons?)));
    let reasons: Vec<String> = reasons.collect();
    (!reasons.is_empty()).then(|| format!("Not tested {}.", join_items(reasons, "; not tested ")))
}

/// Counts the pairs for each reason; for pairs with too few groups, it names only the largest number of
/// groups.
fn untested_reasons_text<R: Copy + PartialEq + fmt::Display>(
    untested: impl Iterator<Item = R>,
    groups: impl Fn(&R) -> Option<u64>,
) -> Option<String> {
    let mut reasons: Vec<(R, usize)> = Vec::new();
    for reason in untested {
        let is_same = |other: &R| *other == reason || (groups(other).is_some() && groups(&reason).is_some());
        match reasons.iter_mut().find(|(other, _)| is_same(other)) {
            Some((other, pairs)) => {
                *pairs += 1;
                if groups(&reason) > groups(other) {
                    *other = reason;
                }
            }
            None => reasons.push((reason, 1)),
        }
    }
    let entries = reasons.iter().map(|(reason, count)| {
        let maximum = if groups(reason).is_some() { " with this number or fewer" } else { "" };
        format!("{reason} ({}{maximum})", count_with_noun(*count, "pair", "pairs"))
    });
    (!reasons.is_empty()).then(|| join_items(entries, ", "))
}

/// Says which tests the p-values are corrected for.
pub(super) fn correction_note(scope: &AuditSubject, findings: &AuditFindings) -> Option<String> {
    let tests = count_with_noun(findings.test_count(), "test", "tests");
    match (scope, findings.test_count()) {
        (_, 0) => None,
        (AuditSubject::Bot(bot), _) => Some(format!(
            "p-values are corrected for the {tests} of {bot}'s pairs only; an audit of the field corrects for all pairs."
        )),
        (AuditSubject::Field, _) => Some(format!(
            "p-values are corrected for all {tests} of takes and declarations, of pairs and of sets of up to four bots."
        )),
    }
}
