//! Errors as puzzles, and kingmaking errors.

use crate::{
    Section,
    words::{count_with_noun, join_items},
};
use lastnim_auditing::{BotFindings, KingmakingTally, Puzzle};
use lastnim_core::shown_number::shown_number;

/// Reports the errors of a bot that improved a third seat's rank.
pub(super) fn kingmaking_section(kingmaking: &KingmakingTally) -> Section {
    let what = match kingmaking.plies {
        0 => "none.".to_owned(),
        plies => {
            let more = if plies > kingmaking.examples.len() as u64 { ", such as" } else { "" };
            format!("{}{more}", count_with_noun(plies, "take", "takes"))
        }
    };
    let examples = kingmaking.examples.iter().map(|ply| {
        let ranks = |ranks: u32| count_with_noun(ranks, "rank", "ranks");
        let (cost, gain) = (ranks(ply.regret), ranks(ply.gain));
        let (id, number, take, gainer) = (ply.match_id, shown_number(ply.ply), ply.take, &ply.gainer);
        format!("match {id}, take {number}: taking {take} cost the bot {cost} and gave {gainer} {gain}")
    });
    Section::with_heading(format!("Kingmaking (an error that improved a third seat's rank): {what}"))
        .list(examples)
}

/// Reports the worst errors of a bot, with solutions.
pub(super) fn puzzle_sections(found: &BotFindings) -> Vec<Section> {
    if found.puzzles.is_empty() {
        let why = if found.figures.regret == 0 { "none, because it made no errors" } else { "not requested" };
        return vec![Section::with_heading(format!("Puzzles: {why}."))];
    }
    let heading = Section::with_heading("Puzzles: its worst errors in different positions");
    let puzzles = (1..)
        .zip(&found.puzzles)
        .map(|(number, puzzle)| Section::new().numbered(number, [puzzle_text(puzzle)]));
    [heading].into_iter().chain(puzzles).collect()
}

fn puzzle_text(puzzle: &Puzzle) -> String {
    let Puzzle { piles, seat, matrix, ending, .. } = puzzle;
    format!(
        "Piles {}; seat {seat} of {} is to move.\n\
         Rows: {matrix}. Ending: {ending}. What should seat {seat} take from the last pile?\n\
         Solution: {}, and seat {} wins. The bot took {}, after which seat {} wins under optimal play: this cost the bot {}.\n\
         (match {}, take {})",
        join_items(piles, ", "),
        matrix.seats(),
        puzzle.optimal_takes,
        puzzle.winner_if_optimal,
        puzzle.take,
        puzzle.winner_after,
        count_with_noun(puzzle.regret, "rank", "ranks"),
        puzzle.match_id,
        shown_number(puzzle.ply)
    )
}
