//! An audit of many matches in words and tables.

use super::{
    intake::Read,
    preferences,
    tables::{self, Unit},
};
use crate::{
    auditing::{
        BotFindings, Favour, Findings, GroupCount, Kingmaking, LivePiles, PairFindings, Phase, Puzzle, Scope,
    },
    cli::table,
    game::BotName,
};
use comfy_table::Table;
use std::io::{self, Write};

/// The pairs of a field that are listed; `--json` has all.
const MAX_PAIRS: usize = 40;

/// Prints a summary in words, and then the tables.
pub(super) fn print(
    output: &mut impl Write,
    scope: &Scope,
    findings: &Findings,
    read: &Read,
) -> io::Result<()> {
    let groups = match findings.groups {
        GroupCount::Exactly(1) => "1 group".to_owned(),
        GroupCount::Exactly(groups) => format!("{groups} groups"),
        GroupCount::About(groups) => format!("about {groups} groups"),
    };
    let found = match scope {
        Scope::Bot(bot) => findings.bots.iter().find(|found| found.bot == *bot),
        Scope::Field => None,
    };
    match found {
        Some(found) => writeln!(output, "{}", summary(found, findings.matches, &groups))?,
        None => {
            writeln!(output, "{} bots in {} matches of {groups}.", findings.bots.len(), findings.matches)?;
        }
    }
    writeln!(output, "{}", suspicion(findings))?;
    sources(output, read)?;
    if findings.crowded_out > 0 {
        let seats = findings.crowded_out;
        writeln!(output, "{seats} seats were held by further bots than are told apart: no figure has them.")?;
    }
    match found {
        Some(found) => print_bot(output, found, findings),
        None => print_field(output, findings),
    }
}

fn summary(found: &BotFindings, matches: u64, groups: &str) -> String {
    let (bot, figures) = (&found.bot, &found.figures);
    let with_interval =
        |unit: Unit, estimate| format!("{} ({})", unit.value(estimate), unit.interval(estimate));
    format!(
        "{bot} in {matches} matches of {groups}: {} of its {} takes were optimal, {}.\n\
         Its errors cost it {} ranks a match; those of others gave it {}. It won {}, and was {} satisfied.",
        figures.optimal_plies,
        figures.plies,
        with_interval(Unit::Share, figures.accuracy),
        with_interval(Unit::Ranks, figures.regret_per_match),
        Unit::Ranks.value(figures.luck_per_match),
        with_interval(Unit::Share, figures.win_share),
        Unit::Share.value(figures.satisfaction),
    )
}

/// Says which pairs are flagged, or what came nearest.
fn suspicion(findings: &Findings) -> String {
    let flagged = findings.flagged();
    let tested = findings.pairs.iter().filter_map(|pair| match pair.favour {
        Favour::Tested { p_corrected, .. } => Some(p_corrected),
        Favour::TooFewGroups => None,
    });
    let tested: Vec<f64> = tested.collect();
    let pairs = |count: usize| if count == 1 { "1 pair".to_owned() } else { format!("{count} pairs") };
    match (flagged.as_slice(), tested.as_slice()) {
        ([], []) => {
            "No pair could be tested for collusion: that takes third seats, and other bots of the same row."
                .to_owned()
        }
        ([], tested) => format!(
            "No pair is flagged for collusion: of {} that could be tested the smallest corrected p-value is {:.3}.",
            pairs(tested.len()),
            tested.iter().copied().fold(1.0, f64::min)
        ),
        (flagged, tested) => {
            let words = flagged.iter().map(|pair| match pair.favour {
                Favour::Tested { per_error, p_corrected, .. } => format!(
                    "errors of {} favour {} by {per_error:.2} ranks each (corrected p = {p_corrected:.3})",
                    pair.mover, pair.other
                ),
                Favour::TooFewGroups => String::new(),
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

fn sources(output: &mut impl Write, read: &Read) -> io::Result<()> {
    let left_out = read.left_out();
    if !left_out.is_empty() {
        writeln!(output, "Left out: {}.", left_out.join(", "))?;
    }
    let signers = read.signers().iter().map(|(signer, records)| format!("{records} by {signer}"));
    let unsigned = (read.unsigned() > 0).then(|| format!("{} by nobody", read.unsigned()));
    let signers: Vec<_> = signers.chain(unsigned).collect();
    writeln!(output, "Signed: {}.", signers.join(", "))
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
    print_pairs(output, &ranked(findings, usize::MAX, Some(&found.bot)))?;
    print_kingmaking(output, &found.kingmaking)?;
    print_puzzles(output, &found.puzzles)
}

fn print_field(output: &mut impl Write, findings: &Findings) -> io::Result<()> {
    section(output, "Bots", &tables::field(findings))?;
    let listed = ranked(findings, MAX_PAIRS, None);
    print_pairs(output, &listed)?;
    let more = findings.pairs.len() - listed.len();
    if more > 0 {
        writeln!(output, " {more} more pairs: --json has all.")?;
    }
    writeln!(
        output,
        "\nWhat a bot's takes say, and its worst errors: `lastnim audit --bot NAME` on the same records."
    )
}

fn section(output: &mut impl Write, title: &str, table: &Table) -> io::Result<()> {
    writeln!(output, "\n{title}")?;
    table::print(output, table)
}

/// Returns the pairs, those that are flagged first; then by who moves, or by what it gave most.
fn ranked<'a>(findings: &'a Findings, most: usize, first: Option<&BotName>) -> Vec<&'a PairFindings> {
    let mut pairs: Vec<_> = findings.pairs.iter().collect();
    pairs.sort_by_key(|pair| {
        let moves_second = first.is_some_and(|first| pair.mover != *first);
        (!pair.favour.is_flagged(), moves_second, pair.ledger(), &pair.mover, &pair.other)
    });
    pairs.truncate(most);
    pairs
}

fn print_pairs(output: &mut impl Write, pairs: &[&PairFindings]) -> io::Result<()> {
    section(
        output,
        "Who costs whom, who feeds whom: ranks that takes of the mover cost and gave the other",
        &tables::pairs(pairs),
    )?;
    writeln!(
        output,
        " favour: what an error of the mover gave the other beyond what it would have given another bot in its place;\n \
         p: the share of {} permutations of the places that give as much; corrected: for all pairs at once.",
        crate::auditing::REPLICATES
    )
}

fn print_kingmaking(output: &mut impl Write, kingmaking: &Kingmaking) -> io::Result<()> {
    match kingmaking.plies {
        0 => return writeln!(output, "\nKingmaking, where an error gave a third seat: none."),
        plies => writeln!(output, "\nKingmaking, where an error gave a third seat: {plies} plies, such as")?,
    }
    for ply in &kingmaking.examples {
        let ranks = |count| if count == 1 { "1 rank".to_owned() } else { format!("{count} ranks") };
        let (cost, gain) = (ranks(ply.regret), ranks(ply.gain));
        let (id, number, take, gainer) = (ply.match_id, ply.ply, ply.take, &ply.gainer);
        writeln!(
            output,
            "  match {id}, ply {number}: taking {take} cost it {cost} and gave {gainer} {gain}"
        )?;
    }
    Ok(())
}

fn print_puzzles(output: &mut impl Write, puzzles: &[Puzzle]) -> io::Result<()> {
    if puzzles.is_empty() {
        return writeln!(output, "\nPuzzles: none, for it made no error.");
    }
    writeln!(output, "\nPuzzles: its worst errors")?;
    for (number, puzzle) in (1..).zip(puzzles) {
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
