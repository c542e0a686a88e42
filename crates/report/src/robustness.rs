//! Whether the winner of a position still wins if other seats play against it or err.

use super::{
    Column, NumberUnit, ReportReader, Section, Table,
    explanation::take_range_text,
    words::{count_with_noun, enum_phrase, join_items},
};
use lastnim_core::oracle::TakeRange;
use lastnim_proto::pb;

/// Reports how safe each seat is if the others play against it: its expected and guaranteed ranks, how the takes of the
/// seat `to_move` change them, and, if requested, the outcomes if takes are occasionally errors.
pub fn robustness_sections(
    found: &pb::AssessRobustnessResponse,
    to_move: usize,
    reader: ReportReader,
) -> Vec<Section> {
    let sections = [
        Some(seat_section(&found.seats, found.winner, reader)),
        (!found.takes.is_empty()).then(|| take_section(&found.takes, to_move, reader)),
        found.errors.as_ref().map(|outlook| error_section(outlook, reader)),
    ];
    sections.into_iter().flatten().collect()
}

/// Reports how safe the winner of a game with other rules is, as [`robustness_sections`] does for Last Nim; at most
/// `max_moves` moves are shown.
pub fn ruleset_robustness_sections(
    solved: &pb::SolveRulesetResponse,
    to_move: usize,
    max_moves: usize,
) -> Vec<Section> {
    let Some(found) = &solved.robustness else { return Vec::new() };
    let best = found.seats.get(to_move).map_or(0, |figures| figures.predicted_rank);
    let move_section = (!found.moves.is_empty()).then(|| {
        let moves: Vec<_> = solved.options.iter().zip(&found.moves).collect();
        let table = Table::of_items(&moves)
            .column(Column::text("move"), |(option, _)| option.play.clone())
            .column(Column::text("winner"), |(option, _)| format!("seat {}", option.winner))
            .column(Column::integer("predicted"), |(option, _)| best + option.regret)
            .column(Column::integer("guaranteed"), |(_, robustness)| robustness.guaranteed_rank)
            .column(Column::text("which is"), |(_, robustness)| safety_phrase(robustness.safety()))
            .into_table();
        let table = Table { max_shown: Some(max_moves), ..table };
        Section::with_heading(format!("How seat {to_move}'s moves change its ranks:"))
            .table(table)
            .list(SAFETY_MEANINGS)
    });
    let seats = seat_section(&found.seats, solved.winner, ReportReader::CommandLine);
    [Some(seats), move_section].into_iter().flatten().collect()
}

/// Reports each seat's predicted and guaranteed rank.
fn seat_section(seats: &[pb::SeatRobustness], winner: u32, reader: ReportReader) -> Section {
    let table = Table::of_items(seats)
        .column(Column::integer("seat"), |figures| reader.number(figures.seat))
        .column(
            Column::integer("predicted").with_meaning(
                "under optimal play, in which every seat plays for its own row (an equilibrium)",
            ),
            |figures| reader.number(figures.predicted_rank),
        )
        .column(
            Column::integer("guaranteed")
                .with_meaning("what the seat can force against all others together (minimax)"),
            |figures| reader.number(figures.guaranteed_rank),
        )
        .column(
            Column::integer("price of trust").with_meaning("guaranteed rank minus predicted rank"),
            |figures| figures.price_of_trust,
        )
        .column(
            Column::text("smallest coalition against the seat").with_meaning(
                "the smallest set of other seats that can worsen its rank by playing against it (in an equilibrium, or by minimax if the set contains all other seats)",
            ),
            |figures| smallest_coalition_text(figures, seats.len(), reader),
        )
        .into_table();
    let winner = seats.iter().find(|figures| figures.seat == winner);
    let best = reader.number(0);
    let seat_section = Section::with_heading(format!(
        "Each seat's predicted and guaranteed rank (place in its own row, {best} is best):"
    ));
    add_explained_table(seat_section, table, reader)
        .paragraphs(winner.map(|winner| winner_text(winner, reader)))
}

/// Adds a table and, on the command line, the meanings of its columns.
fn add_explained_table(section: Section, table: Table, reader: ReportReader) -> Section {
    let meanings: Vec<_> = table.meanings().filter(|_| reader == ReportReader::CommandLine).collect();
    section.table(table).list(meanings)
}

fn take_section(takes: &[pb::TakeRobustness], to_move: usize, reader: ReportReader) -> Section {
    let takes = Table::of_items(takes)
        .column(Column::text("take"), |option| {
            option.takes.map(|pb::TakeRange { lo, hi }| take_range_text(TakeRange { lo, hi }))
        })
        .column(Column::text("winner"), |option| format!("seat {}", reader.number(option.winner)))
        .column(Column::integer("predicted"), |option| reader.number(option.rank))
        .column(Column::integer("guaranteed"), |option| reader.number(option.guaranteed_rank))
        .column(Column::text("which is"), |option| safety_phrase(option.safety()))
        .into_table();
    let heading = format!("How seat {}'s takes change its ranks:", reader.number(to_move));
    Section::with_heading(heading).table(takes).list(SAFETY_MEANINGS)
}

const SAFETY_MEANINGS: [&str; 4] = [
    "safe: optimal, and keeps the guaranteed rank",
    "risky: optimal, but worsens the guaranteed rank",
    "safe error: worsens the predicted rank, but keeps the guaranteed rank, which is better than last place",
    "error: worsens the predicted rank, and also the guaranteed rank if that was better than last place",
];

fn safety_phrase(safety: pb::TakeSafety) -> String {
    enum_phrase(safety.as_str_name(), "TAKE_SAFETY_")
}

fn winner_text(winner: &pb::SeatRobustness, reader: ReportReader) -> String {
    let [seat, predicted_rank, guaranteed_rank] =
        [winner.seat, winner.predicted_rank, winner.guaranteed_rank].map(|index| reader.number(index));
    if winner.price_of_trust == 0 {
        format!(
            "Seat {seat}, the winner under optimal play, can force rank {predicted_rank} even if all other seats play against it."
        )
    } else {
        format!(
            "Seat {seat}, the winner under optimal play, cannot force rank {predicted_rank}: if all other seats play against it, it can only force rank {guaranteed_rank}."
        )
    }
}

fn smallest_coalition_text(figures: &pb::SeatRobustness, seats: usize, reader: ReportReader) -> String {
    let Some(pb::Coalition { seats: others, winner, rank }) = &figures.smallest_coalition else {
        let cleared = figures.coalitions_cleared;
        if cleared as usize + 1 >= seats {
            return "none".to_owned();
        }
        let (met, flag) = if figures.search_halted.is_empty() {
            ("larger coalitions were not checked", "--max-coalition")
        } else {
            ("the time limit was reached", "--max-time")
        };
        return format!(
            "more than {}; {met}{}",
            count_with_noun(cleared, "seat", "seats"),
            reader.flag_hint(flag)
        );
    };
    let who = match others.as_slice() {
        others if others.len() + 1 == seats => "all others".to_owned(),
        [seat] => format!("seat {}", reader.number(*seat)),
        others => format!("seats {}", join_items(others.iter().map(|&seat| reader.number(seat)), ", ")),
    };
    format!("{who}: rank {}, seat {} wins", reader.number(*rank), reader.number(*winner))
}

fn error_section(outlook: &pb::ErrorOutlook, reader: ReportReader) -> Section {
    let seats: Vec<_> = outlook.seats.iter().zip(&outlook.win_probabilities).collect();
    let rank = |label: &str| Column::number(label, NumberUnit::Ranks, 3);
    let share = |label: &str| Column::number(label, NumberUnit::Share, 2);
    let table = Table::of_items(&seats)
        .column(Column::integer("seat"), |(figures, _)| reader.number(figures.seat))
        .column(share("wins").with_meaning("its probability of winning if all seats err"), |&(_, wins)| *wins)
        .column(rank("rank").with_meaning("its expected rank if all seats err"), |(figures, _)| {
            reader.number(figures.expected_rank_if_all_err)
        })
        .column(
            share("kept")
                .with_meaning("the probability that its rank is no worse than predicted, if all seats err"),
            |(figures, _)| figures.kept_if_all_err,
        )
        .column(
            rank("rank, others err").with_meaning("its expected rank if all other seats err and it does not"),
            |(figures, _)| reader.number(figures.expected_rank_if_others_err),
        )
        .column(
            share("kept, others err").with_meaning(
                "the probability that its rank is no worse than predicted, if all other seats err and it does not",
            ),
            |(figures, _)| figures.kept_if_others_err,
        )
        .into_table();
    let section = Section::with_heading(format!("If a take is an error with probability {}:", outlook.rate))
        .paragraph(
            "An error is drawn at random from all legal takes, and every other take from the optimal ones. No seat takes later errors into account.",
        );
    add_explained_table(section, table, reader)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Terminal;
    use lastnim_analysis::Robustness;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles};
    use lastnim_core::oracle::Budget;
    use lastnim_proto::robustness::robustness_message;

    fn summarize(piles: &[u64], rows: &[Vec<u64>]) -> String {
        let matrix = AllianceMatrix::parse(rows).unwrap();
        let game = Game::new(Piles::parse(piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
        let found = Robustness::assess(&game, 3, &mut Budget::unbounded());
        let sections = robustness_sections(&robustness_message(&found, None), 0, ReportReader::Page);
        sections.iter().map(|section| Terminal::without_styles().section_text(section)).collect()
    }

    #[test]
    fn guaranteed_and_predicted_ranks_are_distinguished() {
        let two = summarize(&[3, 4], &[vec![0, 1], vec![0, 1]]);
        assert!(two.contains("can force rank 1") && two.contains("none"), "{two}");
        let three = summarize(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]]);
        assert!(three.contains("How seat 1's takes change its ranks"), "{three}");
    }
}
