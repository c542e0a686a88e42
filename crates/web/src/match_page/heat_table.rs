//! Tables of seats by seats, with shaded cells.

use super::finding::preference_rank;
use super::sentence::{Seats, ordinal_text};
use crate::replay::Replay;
use crate::seat_sign::seat_sign;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;

/// The number of shades.
const SHADE_COUNT: usize = 9;
/// The shade of a cost of 0.
const ZERO_COST_SHADE: i32 = 5;
/// With more seats than this, cells have plain numbers, and the table of costs leaves out seats without costs.
const MAX_ROOMY_SEATS: usize = 8;

#[derive(Template)]
#[template(path = "match/heat_table.html")]
struct HeatTable {
    caption: &'static str,
    is_crowded: bool,
    /// The text that follows the name of a seat in a column's heading.
    heading_suffix: &'static str,
    /// The symbol and the name of each column's seat.
    columns: Vec<(String, String)>,
    rows: Vec<HeatRow>,
}

struct HeatRow {
    sign: String,
    name: String,
    cells: Vec<HeatCell>,
}

struct HeatCell {
    class: String,
    words: String,
}

fn seat_heading(seats: &Seats, seat: usize) -> (String, String) {
    (seat_sign(seat), seats.name(seat).to_owned())
}

/// Tabulates how each seat ranks the winners, with the column of a winner outlined; empty before rows are revealed.
pub(super) fn wants_table(replay: &Replay, seats: &Seats, outlined: Option<usize>) -> String {
    if replay.rows.is_empty() {
        return String::new();
    }
    let (count, is_crowded) = (seats.count(), seats.count() > MAX_ROOMY_SEATS);
    let cell = |seat: usize, winner: usize| {
        let rank = preference_rank(replay, seat, winner).unwrap_or_default();
        let shade = SHADE_COUNT - rank * (SHADE_COUNT - 1) / (count - 1).max(1);
        let won = if outlined == Some(winner) { " won" } else { "" };
        let text = if is_crowded { (rank + 1).to_string() } else { ordinal_text(rank) };
        HeatCell { class: format!("step-{shade}{won}"), words: text }
    };
    let row = |seat| {
        let (sign, name) = seat_heading(seats, seat);
        HeatRow { sign, name, cells: (0..count).map(|winner| cell(seat, winner)).collect() }
    };
    write_template(&HeatTable {
        caption: "Which choice of each seat each possible winner is",
        is_crowded,
        heading_suffix: " wins",
        columns: (0..count).map(|seat| seat_heading(seats, seat)).collect(),
        rows: (0..count).map(row).collect(),
    })
}

/// Tabulates how many places the takes of each seat cost every seat; empty if they cost none. With many seats, only
/// those that caused or bore a cost have rows and columns.
pub(super) fn costs_table(audit: &pb::Audit, seats: &Seats) -> String {
    let cost = |seat: usize, other: usize| {
        audit.ledger.get(seat).and_then(|row| row.costs.get(other)).copied().unwrap_or_default()
    };
    let all_seats = || 0..seats.count();
    let largest = all_seats().flat_map(|seat| all_seats().map(move |other| cost(seat, other).abs())).max();
    let Some(largest) = largest.filter(|&largest| largest > 0) else { return String::new() };
    let is_crowded = seats.count() > MAX_ROOMY_SEATS;
    let is_mover = |seat: &usize| !is_crowded || all_seats().any(|other| cost(*seat, other) != 0);
    let is_payer = |other: &usize| !is_crowded || all_seats().any(|seat| cost(seat, *other) != 0);
    let payers: Vec<usize> = all_seats().filter(is_payer).collect();
    let cell = |cost: i32| HeatCell {
        class: format!("leaning step-{}", ZERO_COST_SHADE - (cost * (ZERO_COST_SHADE - 1)) / largest),
        words: if cost == 0 { "0".to_owned() } else { format!("{cost:+}").replace('-', "\u{2212}") },
    };
    let row = |seat| {
        let (sign, name) = seat_heading(seats, seat);
        HeatRow { sign, name, cells: payers.iter().map(|&other| cell(cost(seat, other))).collect() }
    };
    write_template(&HeatTable {
        caption: "How many places each seat's takes (rows) cost every seat (columns); negative: gained",
        is_crowded,
        heading_suffix: " paid",
        columns: payers.iter().map(|&seat| seat_heading(seats, seat)).collect(),
        rows: all_seats().filter(is_mover).map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_of_seats(count: usize) -> (Replay, Seats) {
        let bots = (0..count).map(|seat| format!("bot{seat}")).collect();
        let setup = pb::MatchSetup { bots, piles: vec![1], ..Default::default() };
        let event = |event| pb::RecordEvent { event: Some(event), ..Default::default() };
        let mut replay = Replay::begin(&event(pb::record_event::Event::Created(setup))).unwrap();
        let row = pb::Row { offsets: (0..count as u32).rev().collect() };
        let matrix = Some(pb::AllianceMatrix { rows: vec![row; count] });
        replay.push(event(pb::record_event::Event::Revealed(pb::RevealedEvent { alliance_matrix: matrix })));
        let seats = Seats::of_setup(&replay.setup);
        (replay, seats)
    }

    #[test]
    fn wants_are_shaded_by_place() {
        let (replay, three) = match_of_seats(3);
        let html = wants_table(&replay, &three, Some(1));
        assert_eq!(html.matches("<tr>").count(), 4, "{html}");
        assert!(html.contains("<td class=\"step-9 won\">1st</td>"), "bot2 prefers bot1: {html}");
        assert_eq!(html.matches(" won\"").count(), 3, "{html}");
        let (replay, many) = match_of_seats(32);
        let html = wants_table(&replay, &many, None);
        assert!(html.contains("<td class=\"step-1\">32</td>") && html.len() < 60_000, "{}", html.len());
    }

    #[test]
    fn costs_and_gains_have_different_shades() {
        let (_, three) = match_of_seats(3);
        let row = |costs: &[i32]| pb::LedgerRow { costs: costs.to_vec() };
        let audit =
            pb::Audit { ledger: vec![row(&[2, -1, 0]), row(&[0; 3]), row(&[0; 3])], ..Default::default() };
        let html = costs_table(&audit, &three);
        for part in ["leaning step-1\">+2<", "leaning step-7\">\u{2212}1<", "leaning step-5\">0<"] {
            assert!(html.contains(part), "{part:?} is missing: {html}");
        }
        let (_, many) = match_of_seats(10);
        let mut ledger = vec![row(&[0; 10]); 10];
        assert_eq!(costs_table(&pb::Audit { ledger: ledger.clone(), ..Default::default() }, &many), "");
        ledger[7].costs[3] = 2;
        let html = costs_table(&pb::Audit { ledger, ..Default::default() }, &many);
        assert!(html.contains("bot7") && html.contains("bot3 paid") && !html.contains("bot6"), "{html}");
    }
}
