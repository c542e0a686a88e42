//! What errors cost and gave each seat of a match.

use super::{BlockTone, Column, Section, Table, match_events::SeatNames, words::join_words};
use lastnim_proto::pb;

/// The maximum number of seats for which the table shows all seats; with more, it shows only seats whose takes cost
/// or gave something, or that paid or gained.
const MAX_WHOLE_SEATS: usize = 8;
/// The maximum number of plies named.
const MAX_PLIES: usize = 20;

/// Reports what the takes of each seat cost every seat; `None` if no take cost or gave anything.
pub fn ledger_section(audit: &pb::Audit, players: &SeatNames) -> Option<Section> {
    if audit.ledger.iter().all(|row| row.costs.iter().all(|&cost| cost == 0)) {
        return None;
    }
    let seats = 0..audit.ledger.len();
    let cost = |seat: usize, other: usize| audit.ledger[seat].costs.get(other).copied().unwrap_or_default();
    let is_whole = seats.len() <= MAX_WHOLE_SEATS;
    let is_payer = |other: usize| is_whole || seats.clone().any(|seat| cost(seat, other) != 0);
    let is_mover = |seat: usize| is_whole || seats.clone().any(|other| cost(seat, other) != 0);
    let paying_seats: Vec<_> = seats.clone().filter(|&other| is_payer(other)).collect();
    let to = paying_seats.iter().map(|seat| Column::integer(format!("to {seat}")));
    let mut table = Table::new([Column::text("takes of")].into_iter().chain(to));
    for seat in seats.clone().filter(|&seat| is_mover(seat)) {
        let costs = paying_seats.iter().map(|&other| cost(seat, other).into());
        let name = players.name_of_seat(seat as u32).into();
        let line = table.push_row(std::iter::once(name).chain(costs));
        if cost(seat, seat) > 0 {
            line.tone = BlockTone::Alert;
        }
    }
    let third = match audit.kingmaking_plies.as_slice() {
        [] => None,
        plies if plies.len() <= MAX_PLIES => {
            Some(format!("An error improved a third seat's rank at ply {}.", join_words(plies, ", ")))
        }
        plies => {
            let (shown, more) = plies.split_at(MAX_PLIES);
            let shown = join_words(shown, ", ");
            Some(format!("An error improved a third seat's rank at ply {shown} and {} more.", more.len()))
        }
    };
    let section =
        Section::with_heading("Ledger: the ranks that each seat's takes cost every seat (negative: gained)");
    let left_out = (paying_seats.len() < seats.len() || table.rows.len() < seats.len()).then_some(
        "Seats whose takes changed no ranks, and seats that neither lost nor gained ranks, are omitted.",
    );
    Some(section.table(table).paragraphs(left_out).paragraphs(third))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Terminal;

    #[test]
    fn errors_are_listed_by_seat() {
        let bots = ["ann", "bob"].map(str::to_owned).to_vec();
        let players = SeatNames::of_setup(&pb::MatchSetup { bots, ..Default::default() });
        let row = |costs: &[i32]| pb::LedgerRow { costs: costs.to_vec() };
        let mut audit = pb::Audit { ledger: vec![row(&[1, -1]), row(&[0, 0])], ..Default::default() };
        audit.kingmaking_plies = vec![3, 5];
        let text = Terminal::without_styles().section_text(&ledger_section(&audit, &players).unwrap());
        for part in ["seat 0 (ann)     1    -1", "seat 1 (bob)     0     0", "at ply 3, 5."] {
            assert!(text.contains(part), "{part:?} is missing:\n{text}");
        }
        audit.kingmaking_plies = (0..15_000).collect();
        let text = Terminal::without_styles().section_text(&ledger_section(&audit, &players).unwrap());
        assert!(text.contains("18, 19 and 14980 more."), "{text}");
        let mut large: Vec<_> = (0..10).map(|_| row(&[0; 10])).collect();
        large[7].costs[3] = 2;
        let bots = (0..10).map(|seat| format!("bot{seat}")).collect();
        let players = SeatNames::of_setup(&pb::MatchSetup { bots, ..Default::default() });
        let of_many = pb::Audit { ledger: large, ..Default::default() };
        let text = Terminal::without_styles().section_text(&ledger_section(&of_many, &players).unwrap());
        assert!(text.contains("seat 7 (bot7)     2") && text.contains("are omitted"), "{text}");
        assert!(!text.contains("seat 6") && !text.contains("to 4"), "{text}");
        audit.ledger[0] = row(&[0, 0]);
        assert_eq!(ledger_section(&audit, &players), None);
    }
}
