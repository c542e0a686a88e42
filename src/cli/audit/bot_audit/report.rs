//! An audit of many matches in words and tables.

use super::{
    intake::Read,
    preferences,
    tables::{self, Unit},
    verdict,
};
use crate::{
    auditing::{
        BotFindings, Favouritism, Findings, GroupCount, Kingmaking, LivePiles, PairFindings, Phase, Scope,
        Untested,
    },
    cli::text::table,
};
use comfy_table::Table;
use std::io::{self, Write};

/// The pairs of a field that are listed; `--json` has all.
const MAX_PAIRS: usize = 40;
/// The pairs that are listed although nothing is known of them.
const MIN_PAIRS: usize = 4;

/// Prints a summary in words, and then the tables.
pub fn print(output: &mut impl Write, scope: &Scope, findings: &Findings, read: &Read) -> io::Result<()> {
    let groups = match findings.groups {
        GroupCount::Exactly(1) => "1 duplicate group".to_owned(),
        GroupCount::Exactly(groups) => format!("{groups} duplicate groups"),
        GroupCount::About(groups) => format!("about {groups} duplicate groups"),
    };
    let groups = format!("{groups} (the same bots on the same piles, in every rotation of the seats)");
    let matches = count(findings.matches, "match", "matches");
    let found = match scope {
        Scope::Bot(bot) => findings.bots.iter().find(|found| found.bot == *bot),
        Scope::Field => None,
    };
    if let Some(found) = found {
        writeln!(output, "{}", summary(found, &matches, &groups))?;
    } else {
        let bots = count(findings.bots.len() as u64, "bot", "bots");
        writeln!(output, "{bots} in {matches} of {groups}.")?;
    }
    writeln!(output, "{}", suspicion(findings))?;
    if let Some(corrected) = corrected_for(scope, findings) {
        writeln!(output, "{corrected}")?;
    }
    sources(output, read)?;
    if findings.crowded_out > 0 {
        let seats = count(findings.crowded_out, "seat was", "seats were");
        writeln!(output, "{seats} held by further bots than are told apart: no figure has them.")?;
    }
    match found {
        Some(found) => print_bot(output, found, findings),
        None => print_field(output, findings),
    }
}

fn count(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn summary(found: &BotFindings, matches: &str, groups: &str) -> String {
    let (bot, figures) = (&found.bot, &found.figures);
    let with_interval =
        |unit: Unit, estimate| format!("{} (95%: {})", unit.value(estimate), unit.interval(estimate));
    format!(
        "{bot} in {matches} of {groups}: {} of its {} optimal, {}.\n\
         Its errors cost it {} ranks a match; those of others gave it {} ranks a match.\n\
         It won {}; its satisfaction, from 0 to 1, was {}.",
        figures.optimal_plies,
        count(figures.plies, "take was", "takes were"),
        with_interval(Unit::Share, figures.accuracy),
        with_interval(Unit::Ranks, figures.regret_per_match),
        Unit::Ranks.value(figures.luck_per_match),
        with_interval(Unit::Share, figures.win_share),
        with_interval(Unit::Ranks, figures.satisfaction),
    )
}

/// Says which pairs are flagged, or what came nearest.
fn suspicion(findings: &Findings) -> String {
    let flagged = findings.flagged();
    let tested = findings.pairs.iter().filter_map(|pair| match pair.favouritism {
        Favouritism::Tested { p_corrected, .. } => Some(p_corrected),
        Favouritism::TooFewGroups => None,
    });
    let tested: Vec<f64> = tested.collect();
    let pairs = |count: usize| if count == 1 { "1 pair".to_owned() } else { format!("{count} pairs") };
    match (flagged.as_slice(), tested.as_slice()) {
        ([], []) => {
            let mut reasons: Vec<(Untested, usize)> = Vec::new();
            for untested in findings.pairs.iter().filter_map(PairFindings::untested) {
                match reasons.iter_mut().find(|(reason, _)| reason.name() == untested.name()) {
                    // Of those that come close, the one that comes closest.
                    Some((reason, pairs)) => {
                        *pairs += 1;
                        if let (
                            Untested::TooFewGroups { groups: one },
                            Untested::TooFewGroups { groups: other },
                        ) = (*reason, untested)
                            && other > one
                        {
                            *reason = untested;
                        }
                    }
                    None => reasons.push((untested, 1)),
                }
            }
            let words = reasons.iter().map(|(reason, count)| match reason {
                Untested::TooFewGroups { .. } => format!("{reason} ({}, this the most)", pairs(*count)),
                _ => format!("{reason} ({})", pairs(*count)),
            });
            let words: Vec<_> = words.collect();
            format!("No pair could be tested for collusion: {}.", words.join("; "))
        }
        ([], tested) => format!(
            "No pair is flagged for collusion: of {} that could be tested the smallest corrected p-value is {:.3}.",
            pairs(tested.len()),
            tested.iter().copied().fold(1.0, f64::min)
        ),
        (flagged, tested) => {
            let words = flagged.iter().map(|pair| match pair.favouritism {
                Favouritism::Tested { per_error, p_corrected, .. } => format!(
                    "errors of {} favour {} by {per_error:.2} ranks each (corrected p = {p_corrected:.3})",
                    pair.mover, pair.other
                ),
                Favouritism::TooFewGroups => String::new(),
            });
            let words: Vec<_> = words.collect();
            format!(
                "FLAGGED for likely collusion, {} of {}: {}. Look at their matches before you judge.",
                flagged.len(),
                pairs(tested.len()),
                words.join("; ")
            )
        }
    }
}

/// Says which pairs the p-values are corrected for.
fn corrected_for(scope: &Scope, findings: &Findings) -> Option<String> {
    let tested = findings.pairs.iter().filter(|pair| pair.untested().is_none()).count();
    match (scope, tested) {
        (_, 0) => None,
        (Scope::Bot(bot), 1) => {
            Some(format!("p-values are of the 1 pair of {bot} only; --field corrects for all pairs."))
        }
        (Scope::Bot(bot), tested) => Some(format!(
            "p-values are corrected for the {tested} pairs of {bot} only; --field corrects for all pairs."
        )),
        (Scope::Field, tested) => Some(format!("p-values are corrected for all pairs, {tested}.")),
    }
}

fn sources(output: &mut impl Write, read: &Read) -> io::Result<()> {
    let left_out = read.left_out();
    if !left_out.is_empty() {
        writeln!(output, "Left out: {}.", left_out.join(", "))?;
    }
    for missing in read.missing() {
        writeln!(output, "{missing}")?;
    }
    writeln!(output, "{}", read.signed())
}

fn print_bot(output: &mut impl Write, found: &BotFindings, findings: &Findings) -> io::Result<()> {
    let figures = &found.figures;
    section(
        output,
        "Figures, with intervals by the bootstrap over duplicate groups",
        &tables::figures(figures),
    )?;
    let phases = tables::slices("phase", &figures.by_phase, Phase::name);
    section(output, "By phase: more than two thirds of the counters left, more than one, the rest", &phases)?;
    let piles = tables::slices("live piles", &figures.by_live_piles, LivePiles::name);
    section(output, "By the number of piles that still hold something", &piles)?;
    for preference in &found.preferences {
        preferences::print(output, preference)?;
    }
    print_pairs(output, findings)?;
    print_kingmaking(output, &found.kingmaking)?;
    print_puzzles(output, found)?;
    writeln!(output, "\nVerdict")?;
    for sentence in verdict::sentences(found, findings) {
        writeln!(output, "  {sentence}")?;
    }
    Ok(())
}

fn print_field(output: &mut impl Write, findings: &Findings) -> io::Result<()> {
    section(output, "Bots", &tables::field(findings))?;
    print_pairs(output, findings)?;
    writeln!(
        output,
        "\nWhat a bot's takes say, and its worst errors: `lastnim audit --bot NAME` on the same records."
    )
}

fn section(output: &mut impl Write, title: &str, table: &Table) -> io::Result<()> {
    writeln!(output, "\n{title}")?;
    table::print(output, table)
}

/// Returns the pairs: those that are flagged, then those that were tested by p-value, then by what was given most, and those of
/// which nothing is known last.
fn ranked(findings: &Findings) -> Vec<&PairFindings> {
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
            .then(one.ledger().cmp(&other.ledger()))
            .then_with(|| names(one).cmp(&names(other)))
    });
    pairs
}

fn print_pairs(output: &mut impl Write, findings: &Findings) -> io::Result<()> {
    let ranked = ranked(findings);
    let known = ranked.iter().take(MAX_PAIRS).filter(|pair| !pair.is_empty()).count();
    let listed = &ranked[..known.max(MIN_PAIRS).min(ranked.len())];
    section(
        output,
        "Who costs whom, who feeds whom: ranks that takes of the mover cost and gave the other",
        &tables::pairs(listed),
    )?;
    let more = &ranked[listed.len()..];
    if !more.is_empty() {
        let nothing = more.iter().filter(|pair| pair.is_empty()).count();
        let pairs = count(more.len() as u64, "more pair", "more pairs");
        writeln!(output, " {pairs}, {nothing} of them with nothing: --json has all.")?;
    }
    writeln!(
        output,
        " favouritism: what an error of the mover gave the other beyond what it would have given another bot in its place;\n \
         p: the share of {} permutations of the places that give as much; corrected p: for all the pairs that were tested.",
        crate::auditing::REPLICATES
    )
}

fn print_kingmaking(output: &mut impl Write, kingmaking: &Kingmaking) -> io::Result<()> {
    match kingmaking.plies {
        0 => return writeln!(output, "\nKingmaking, where an error gave a third seat: none."),
        plies => {
            let plies = count(plies, "ply", "plies");
            writeln!(output, "\nKingmaking, where an error gave a third seat: {plies}, such as")?;
        }
    }
    for ply in &kingmaking.examples {
        let ranks = |ranks: u32| count(ranks.into(), "rank", "ranks");
        let (cost, gain) = (ranks(ply.regret), ranks(ply.gain));
        let (id, number, take, gainer) = (ply.match_id, ply.ply, ply.take, &ply.gainer);
        writeln!(
            output,
            "  match {id}, ply {number}: taking {take} cost it {cost} and gave {gainer} {gain}"
        )?;
    }
    Ok(())
}

fn print_puzzles(output: &mut impl Write, found: &BotFindings) -> io::Result<()> {
    if found.puzzles.is_empty() {
        let why =
            if found.figures.regret == 0 { "none, for it made no error" } else { "none were asked for" };
        return writeln!(output, "\nPuzzles: {why}.");
    }
    writeln!(output, "\nPuzzles: its worst errors in different positions")?;
    for (number, puzzle) in (1..).zip(&found.puzzles) {
        let piles: Vec<_> = puzzle.piles.iter().map(u64::to_string).collect();
        let (seat, matrix, ending) = (puzzle.seat, &puzzle.matrix, puzzle.ending);
        writeln!(
            output,
            "\n  {number}. Piles {}; seat {seat} of {} is to move.",
            piles.join(", "),
            matrix.seats()
        )?;
        writeln!(
            output,
            "     Rows: {matrix}. Ending: {ending}. What should seat {seat} take from the last pile?"
        )?;
        let ranks = if puzzle.regret == 1 { "rank" } else { "ranks" };
        writeln!(
            output,
            "     Solution: {}, and seat {} wins. It took {}, so that seat {} would win: that cost it {} {ranks}.",
            puzzle.optimal_takes, puzzle.winner_if_optimal, puzzle.take, puzzle.winner_after, puzzle.regret
        )?;
        writeln!(output, "     (match {}, ply {})", puzzle.match_id, puzzle.ply)?;
    }
    Ok(())
}
