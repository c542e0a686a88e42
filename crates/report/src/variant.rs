//! Who wins a variant of Last Nim under optimal play.

use super::{
    Column, NumberUnit, ReportReader, Section, Table,
    winner_words::{ending_text, list_by_first_seat},
    words::{count_with_noun, join_items, join_with_and},
};
use lastnim_analysis::variants::{Variant, VariantGame};
use lastnim_core::{
    game::{SeatCount, SeatSet},
    oracle::{TakeRange, describe_takes},
};
use lastnim_proto::pb::{self, solve_variant_response::Solution};

/// The maximum number of ranges of takes in a report.
const MAX_RANGES: usize = 20;

const TIES_NOTE: &str = "In some positions, several takes are equally good for the seat to move but not for the others. The figures assume that it then takes the fewest counters.";

/// Reports the solution of a variant: who wins, and which takes are optimal.
pub fn variant_section(
    game: &VariantGame,
    solved: &pb::SolveVariantResponse,
    reader: ReportReader,
) -> Section {
    let section = match &solved.solution {
        Some(Solution::Ties(found)) => ties_section(game, found, reader),
        Some(Solution::Passes(found)) => passes_section(game, found, reader),
        Some(Solution::Alliances(found)) => alliances_section(game, found, reader),
        Some(Solution::RandomSeats(found)) => random_seats_section(game, found, reader),
        None => Section::new(),
    };
    section.paragraph(ending_text(game.ending(), reader))
}

fn ties_section(game: &VariantGame, found: &pb::TiedSolution, reader: ReportReader) -> Section {
    let first = first_seat_number(game, reader);
    let who = match seat_numbers(found.winners.as_ref(), reader).as_slice() {
        [winner] => format!("Seat {winner} wins in every equilibrium, with seat {first} to move."),
        winners => format!(
            "Seats {} can win, depending on the equilibrium, with seat {first} to move.",
            enumerate_seats(winners)
        ),
    };
    let by_first = found
        .winners_by_first
        .iter()
        .map(|winners| join_items(displayed_numbers(&winners.seats, reader), " or "));
    Section::new()
        .paragraph(who)
        .paragraphs(counters_text(game))
        .paragraphs(takes_text(game, "Optimal takes in some equilibrium", &found.optimal_in_some))
        .paragraphs(takes_text(game, "Optimal takes in every equilibrium", &found.optimal_in_every))
        .paragraph(list_by_first_seat("Winners", by_first, reader))
}

fn passes_section(game: &VariantGame, found: &pb::PassingSolution, reader: ReportReader) -> Section {
    let (winner, first) = (reader.number(found.winner), first_seat_number(game, reader));
    let passes = match game.variant() {
        Variant::Passes(_, passes) => passes.get(),
        _ => 0,
    };
    let is_optimal = if found.pass_optimal { "A pass is optimal." } else { "A pass is not optimal." };
    let has_pass = passes > 0 && !game.position().is_over();
    Section::new()
        .paragraph(format!(
            "Seat {winner} wins under optimal play, with seat {first} to move and {} left.",
            count_with_noun(passes, "shared pass", "shared passes")
        ))
        .paragraphs(counters_text(game))
        .paragraphs(takes_text(game, "Optimal takes", &found.optimal_takes))
        .paragraphs(has_pass.then(|| is_optimal.to_owned()))
        .paragraph(list_by_first_seat("Winner", displayed_numbers(&found.winner_by_first, reader), reader))
}

fn alliances_section(game: &VariantGame, found: &pb::AllianceSolution, reader: ReportReader) -> Section {
    let first = first_seat_number(game, reader);
    let winning = match seat_numbers(found.winning.as_ref(), reader).as_slice() {
        [alone] => format!("Seat {alone}, an alliance by itself, wins"),
        winning => format!("The alliance of seats {} wins", enumerate_seats(winning)),
    };
    let by_first = found
        .winning_by_first
        .iter()
        .map(|winning| join_items(displayed_numbers(&winning.seats, reader), " and "));
    Section::new()
        .paragraph(format!("{winning} under optimal play, with seat {first} to move."))
        .paragraphs(counters_text(game))
        .paragraphs(takes_text(game, "Optimal takes", &found.optimal_takes))
        .paragraph(list_by_first_seat("Winning alliance", by_first, reader))
}

fn random_seats_section(game: &VariantGame, found: &pb::RandomSeatSolution, reader: ReportReader) -> Section {
    let first = game.position().to_move();
    let first_number = first_seat_number(game, reader);
    let best = reader.number(0);
    let random = match game.variant() {
        Variant::RandomSeats(_, random) => *random,
        _ => SeatSet::default(),
    };
    let who = found.win_probabilities.iter().zip(&found.expected_ranks);
    let figures: Vec<_> = describe_moves(game.variant().seats(), random).into_iter().zip(who).collect();
    let table = Table::of_items(&figures)
        .column(Column::integer("seat"), |((seat, _), _)| reader.number(*seat))
        .column(Column::text("moves"), |((_, moves), _)| *moves)
        .column(Column::number("wins", NumberUnit::Share, 2), |(_, (wins, _))| **wins)
        .column(Column::number("expected rank", NumberUnit::Ranks, 3), |(_, (_, rank))| reader.number(**rank))
        .into_table();
    let is_random = random.contains(first) && !game.position().is_over();
    let takes = takes_text(game, "Optimal takes", &found.optimal_takes).filter(|_| !is_random);
    let ties = found.has_ties.then_some(TIES_NOTE);
    Section::new()
        .paragraph(format!(
            "Each seat's outlook, with seat {first_number} to move, if the seats that play optimally know which seats move at random (rank: place in its own row, {best} is best):"
        ))
        .table(table)
        .paragraphs(counters_text(game))
        .paragraphs(is_random.then(|| format!("Seat {first_number} moves at random.")))
        .paragraphs(takes)
        .paragraphs(ties)
}

fn describe_moves(seats: SeatCount, random: SeatSet) -> Vec<(u32, &'static str)> {
    let moves = |seat| if random.contains(seat) { "at random" } else { "optimally" };
    seats.iter().map(|seat| (seat.into(), moves(seat))).collect()
}

fn first_seat_number(game: &VariantGame, reader: ReportReader) -> usize {
    reader.number(game.position().to_move().index())
}

fn seat_numbers(list: Option<&pb::SeatList>, reader: ReportReader) -> Vec<u32> {
    list.map_or(Vec::new(), |list| displayed_numbers(&list.seats, reader).collect())
}

fn displayed_numbers(seats: &[u32], reader: ReportReader) -> impl Iterator<Item = u32> {
    seats.iter().map(move |&seat| reader.number(seat))
}

/// Lists seats as in a sentence: `0, 1 and 2`.
fn enumerate_seats(seats: &[u32]) -> String {
    let numbers: Vec<String> = seats.iter().map(u32::to_string).collect();
    join_with_and(&numbers.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Says how many counters are in the last pile; `None` if the game is over.
fn counters_text(game: &VariantGame) -> Option<String> {
    let counters = game.position().counters();
    (counters > 0).then(|| format!("Counters in the last pile: {counters}."))
}

/// Lists takes; `None` if the game is over.
fn takes_text(game: &VariantGame, what: &str, takes: &[pb::TakeRange]) -> Option<String> {
    let shown = takes.iter().take(MAX_RANGES).map(|&pb::TakeRange { lo, hi }| TakeRange { lo, hi });
    let shown = describe_takes(&shown.collect::<Vec<_>>());
    let more = match takes.len().saturating_sub(MAX_RANGES) {
        0 => String::new(),
        more => format!(" and {}", count_with_noun(more, "more range", "more ranges")),
    };
    (!game.position().is_over()).then(|| format!("{what}: {shown}{more}."))
}
