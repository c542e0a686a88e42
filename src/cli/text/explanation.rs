//! What `lastnim solve --explain` prints.

use crate::oracle::{Explanation, RankChange, TakeOption, TakeRange};
use std::io::{self, Write};

/// The most plies of the line of best play that are shown.
pub const MAX_PLIES: usize = 40;

/// Prints why a seat wins: what each take leads to, and the line of best play.
pub fn print(output: &mut impl Write, explanation: &Explanation) -> io::Result<()> {
    if explanation.position.is_over() {
        return Ok(());
    }
    writeln!(output, "\nWhat the takes of seat {} lead to:", explanation.position.to_move())?;
    let width = explanation.options.iter().map(|option| takes(option.takes).len()).max().unwrap_or(0);
    for option in &explanation.options {
        writeln!(
            output,
            "  take {:width$}  seat {} wins: {}",
            takes(option.takes),
            option.winner,
            judged(option)
        )?;
    }
    writeln!(output, "\nThe line of best play, by the smallest optimal take of each seat:")?;
    for (position, take) in &explanation.line.plies {
        writeln!(output, "  {position}  take {take}")?;
    }
    let (end, winner) = (&explanation.line.end, explanation.winner);
    if end.is_over() {
        writeln!(output, "  {end}  seat {winner} wins")
    } else {
        writeln!(output, "  {end}  and so on, until seat {winner} wins")
    }
}

fn takes(TakeRange { lo, hi }: TakeRange) -> String {
    if lo == hi { lo.to_string() } else { format!("{lo} to {hi}") }
}

fn judged(option: &TakeOption) -> String {
    if option.is_optimal() {
        return "optimal".to_owned();
    }
    let sides = [("better for", &option.better_for), ("worse for", &option.worse_for)];
    let side = |(word, changes): (&str, &Vec<RankChange>)| {
        (!changes.is_empty()).then(|| format!("{word} {}", seats(changes)))
    };
    sides.into_iter().filter_map(side).collect::<Vec<_>>().join("; ")
}

/// Writes `seat 1 by 2 ranks, seat 3 by 1 rank`.
fn seats(changes: &[RankChange]) -> String {
    let change = |change: &RankChange| {
        let ranks = if change.ranks == 1 { "rank" } else { "ranks" };
        format!("seat {} by {} {ranks}", change.seat, change.ranks)
    };
    changes.iter().map(change).collect::<Vec<_>>().join(", ")
}
