//! Who paid for the errors of a match.

use super::{BlockTone, Column, Section, Table, match_events::SeatNames, words::join_words};
use crate::wire::pb;

/// Plies that are named at most.
const MAX_PLIES: usize = 20;

/// Reports what the takes of each seat cost every seat, where any cost or gave something.
pub fn ledger_section(audit: &pb::Audit, players: &SeatNames) -> Option<Section> {
    if audit.ledger.iter().all(|row| row.costs.iter().all(|&cost| cost == 0)) {
        return None;
    }
    let seats = 0..audit.ledger.len();
    let to = seats.clone().map(|seat| Column::integer(format!("to {seat}")));
    let mut table = Table::new([Column::text("takes of")].into_iter().chain(to));
    for (seat, row) in (0..).zip(&audit.ledger) {
        let costs = seats.clone().map(|other| row.costs.get(other).copied().into());
        let line = table.push_row([players.name_of_seat(seat).into()].into_iter().chain(costs));
        if row.costs.get(seat as usize).is_some_and(|&own| own > 0) {
            line.tone = BlockTone::Alert;
        }
    }
    let third = match audit.kingmaking_plies.as_slice() {
        [] => None,
        plies if plies.len() <= MAX_PLIES => {
            Some(format!("An error gave a third seat at ply {}.", join_words(plies, ", ")))
        }
        plies => {
            let (shown, more) = plies.split_at(MAX_PLIES);
            let shown = join_words(shown, ", ");
            Some(format!("An error gave a third seat at ply {shown} and {} more.", more.len()))
        }
    };
    let section =
        Section::with_heading("Who paid: the ranks that a seat's takes cost each seat (negative: gave)");
    Some(section.table(table).paragraphs(third))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::render::Terminal;

    #[test]
    fn errors_are_paid_by_seats() {
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
        audit.ledger[0] = row(&[0, 0]);
        assert_eq!(ledger_section(&audit, &players), None);
    }
}
