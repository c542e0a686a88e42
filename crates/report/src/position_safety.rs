//! How safe the winner of a position is, as a server answers it.

use super::{
    Cell, Column, Section, Table,
    explanation::take_range_words,
    words::{count_words, enum_phrase, join_words},
};
use lastnim_core::oracle::TakeRange;
use lastnim_proto::pb;

/// Reports what each seat may expect and is sure of, should others turn against it, and what the takes leave the seat that is to move.
pub fn position_safety_sections(found: &pb::AssessRobustnessResponse) -> Vec<Section> {
    let seats = found.seats.len();
    let of_seats = Table::of_items(&found.seats)
        .column(Column::integer("seat"), |figures| figures.seat)
        .column(
            Column::integer("expects").with_meaning(
                "the place of the winner in its own row, 0 is best, if every seat plays for its row",
            ),
            |figures| figures.predicted_rank,
        )
        .column(
            Column::integer("is sure of")
                .with_meaning("the place that it can force against all others together"),
            |figures| figures.guaranteed_rank,
        )
        .column(
            Column::text("turned against by")
                .with_meaning("the fewest others who worsen its place by playing against it"),
            |figures| coalition_cell(figures, seats),
        )
        .into_table();
    let winner = found.seats.iter().find(|figures| figures.seat == found.winner);
    let words = winner.map(winner_words);
    let safety = Section::with_heading("How safe that is").paragraphs(words).table(of_seats);
    if found.takes.is_empty() {
        return vec![safety];
    }
    let of_takes = Table::of_items(&found.takes)
        .column(Column::text("take"), |option| {
            option.takes.map(|pb::TakeRange { lo, hi }| take_range_words(TakeRange { lo, hi }))
        })
        .column(Column::text("winner"), |option| format!("seat {}", option.winner))
        .column(Column::integer("expects"), |option| option.rank)
        .column(Column::integer("is sure of"), |option| option.guaranteed_rank)
        .column(
            Column::text("which is").with_meaning(
                "safe and risky are optimal, and risky gives up a place that the seat was sure of; a safe error keeps it",
            ),
            |option| enum_phrase(option.safety().as_str_name(), "TAKE_SAFETY_"),
        )
        .into_table();
    vec![safety, Section::with_heading("What the takes leave the seat that is to move").table(of_takes)]
}

fn winner_words(winner: &pb::SeatRobustness) -> String {
    let pb::SeatRobustness { seat, predicted_rank, guaranteed_rank, price_of_trust, .. } = winner;
    if *price_of_trust == 0 {
        return format!(
            "Seat {seat}, who wins under optimal play, can force place {predicted_rank} of its row against all others together."
        );
    }
    format!(
        "Seat {seat}, who wins under optimal play, cannot force it: against all others together it is sure of place {guaranteed_rank} of its row, not {predicted_rank}."
    )
}

fn coalition_cell(figures: &pb::SeatRobustness, seats: usize) -> Cell {
    let Some(coalition) = &figures.smallest_coalition else {
        let cleared = figures.coalitions_cleared;
        return if cleared as usize + 1 >= seats {
            "nobody".into()
        } else {
            format!("more than {}", count_words(cleared, "other", "others")).into()
        };
    };
    let who = match coalition.seats.as_slice() {
        others if others.len() + 1 == seats => "all others".to_owned(),
        [seat] => format!("seat {seat}"),
        others => format!("seats {}", join_words(others, ", ")),
    };
    format!("{who}: place {}, seat {} wins", coalition.rank, coalition.winner).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Terminal;
    use lastnim_analysis::Robustness;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles};
    use lastnim_core::oracle::Budget;
    use lastnim_proto::robustness::robustness_message;

    fn told(piles: &[u64], rows: &[Vec<u64>]) -> String {
        let matrix = AllianceMatrix::parse(rows).unwrap();
        let game = Game::new(Piles::parse(piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
        let found = Robustness::assess(&game, 3, &mut Budget::unbounded());
        let sections = position_safety_sections(&robustness_message(&found, None));
        sections.iter().map(|section| Terminal::without_styles().section_text(section)).collect()
    }

    #[test]
    fn what_can_be_forced_is_told_apart_from_what_is_expected() {
        let two = told(&[3, 4], &[vec![0, 1], vec![0, 1]]);
        assert!(two.contains("can force place 0 of its row") && two.contains("nobody"), "{two}");
        let three = told(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]]);
        assert!(three.contains("What the takes leave"), "{three}");
    }
}
