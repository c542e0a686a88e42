//! What `lastnim solve --robust` prints.

use lastnim_analysis::{
    Coalition, ErrorOutlook, Robustness, SeatErrorOutlook, SeatRobustness, SmallestCoalition,
};
use lastnim_core::game::Seat;
use lastnim_report::{
    Column, NumberUnit, Section, Table,
    explanation::take_range_words,
    words::{count_words, join_words},
};

/// Reports how safe the winner is should others turn against a seat: what each seat may expect and is sure of, and what the
/// takes do to both.
pub fn robustness_sections(robustness: &Robustness) -> Vec<Section> {
    let seats: Vec<(Seat, &SeatRobustness)> = robustness.seats.enumerate().collect();
    let table = Table::of_items(&seats)
        .column(Column::integer("seat"), |(seat, _)| seat.index() as u64)
        .column(
            Column::integer("predicted").with_meaning(
                "under optimal play, an equilibrium: every seat plays for its own row",
            ),
            |(_, figures)| figures.predicted_rank,
        )
        .column(
            Column::integer("guaranteed")
                .with_meaning("what the seat can force against all others together, a minimax value"),
            |(_, figures)| figures.guaranteed_rank,
        )
        .column(
            Column::integer("price of trust").with_meaning("guaranteed less predicted"),
            |(_, figures)| figures.price_of_trust(),
        )
        .column(
            Column::text("smallest coalition against it").with_meaning(
                "the fewest others who worsen its rank by turning against it; an equilibrium, unless it is all others",
            ),
            |(seat, figures)| smallest_coalition_words(robustness, *seat, &figures.smallest_coalition),
        )
        .into_table();
    let meanings: Vec<_> = table.meanings().collect();
    let of_seats =
        Section::with_heading("What each seat may expect and is sure of (places in its own row, 0 is best):")
            .table(table)
            .list(meanings)
            .paragraph(winner_words(robustness));
    let position = &robustness.position;
    if position.is_over() {
        return vec![of_seats];
    }
    let takes = Table::of_items(&robustness.takes)
        .column(Column::text("take"), |option| take_range_words(option.takes))
        .column(Column::text("winner"), |option| format!("seat {}", option.winner))
        .column(Column::integer("predicted"), |option| option.rank)
        .column(Column::integer("guaranteed"), |option| option.guaranteed_rank)
        .column(Column::text("which is"), |option| option.safety.name())
        .into_table();
    let of_takes = Section::with_heading(format!("What the takes of seat {} leave it:", position.to_move()))
        .table(takes)
        .list([
            "safe: optimal, and keeps the guaranteed rank",
            "risky: optimal, and gives up guaranteed rank",
            "safe error: costs predicted rank, and keeps the guaranteed one, which is better than the last",
            "error: costs predicted rank, and guaranteed rank if there was any to lose",
        ]);
    vec![of_seats, of_takes]
}

fn winner_words(robustness: &Robustness) -> String {
    let winner = robustness.winner;
    let SeatRobustness { predicted_rank, guaranteed_rank, .. } = &robustness.seats[winner];
    if robustness.is_winner_sure() {
        format!(
            "Seat {winner}, the winner under optimal play, can force its rank {predicted_rank} against all others together."
        )
    } else {
        format!(
            "Seat {winner}, the winner under optimal play, cannot force it: against all others together it is sure of rank \
             {guaranteed_rank} instead of {predicted_rank}."
        )
    }
}

fn smallest_coalition_words(robustness: &Robustness, guarded: Seat, smallest: &SmallestCoalition) -> String {
    match smallest {
        SmallestCoalition::None => "none".to_owned(),
        SmallestCoalition::Found(Coalition { seats, winner, rank }) => {
            let is_everybody = seats.len() + 1 == robustness.seats.seats().get();
            let who = match seats.as_slice() {
                _ if is_everybody => "all others".to_owned(),
                [seat] => format!("seat {seat}"),
                seats => format!("seats {}", join_words(seats, ", ")),
            };
            let whom = if *winner == guarded { "it".to_owned() } else { format!("seat {winner}") };
            format!("{who}: rank {rank}, {whom} wins")
        }
        SmallestCoalition::LargerThan { seats, halt } => {
            let met = if halt.is_some() {
                "time was up (--max-seconds)"
            } else {
                "more were not searched (--max-coalition)"
            };
            format!("more than {}; {met}", count_words(*seats, "seat", "seats"))
        }
    }
}

/// Reports what becomes of the seats if takes are errors now and then.
pub fn error_section(outlook: &ErrorOutlook) -> Section {
    let seats: Vec<(Seat, f64, &SeatErrorOutlook)> = outlook
        .seats
        .enumerate()
        .map(|(seat, figures)| (seat, outlook.win_probabilities[seat], figures))
        .collect();
    let rank = |label: &str| Column::number(label, NumberUnit::Ranks, 3);
    let share = |label: &str| Column::number(label, NumberUnit::Share, 2);
    let table = Table::of_items(&seats)
        .column(Column::integer("seat"), |(seat, ..)| seat.index() as u64)
        .column(share("wins").with_meaning("its probability to win if all seats err"), |&(_, wins, _)| wins)
        .column(rank("rank").with_meaning("its expected rank if all seats err"), |(.., figures)| {
            figures.expected_rank_if_all_err
        })
        .column(
            share("kept")
                .with_meaning("the probability that its rank is no worse than predicted, if all seats err"),
            |(.., figures)| figures.kept_if_all_err,
        )
        .column(
            rank("rank, others err").with_meaning("the same if it makes no error itself"),
            |(.., figures)| figures.expected_rank_if_others_err,
        )
        .column(share("kept, others err"), |(.., figures)| figures.kept_if_others_err)
        .into_table();
    let meanings: Vec<_> = table.meanings().collect();
    Section::with_heading(format!("If a take is an error with probability {}:", outlook.rate))
        .paragraph(
            "An error is drawn from all legal takes, any other take from the optimal ones; nobody allows for errors to come.",
        )
        .table(table)
        .list(meanings)
}
