//! A match ply by ply, from its record.

use crate::game::{Piles, Position, SeatCount};
use crate::wire::pb::{self, record_event::Event};

/// A match as its record tells it, also one that is not over.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    /// What was fixed before the first move.
    pub setup: pb::MatchSetup,
    /// The takes so far.
    pub takes: Vec<pb::TookEvent>,
    /// The rows, by seat; none before they are revealed.
    pub rows: Vec<pb::Row>,
    /// Seats that were forfeited, each with the number of takes before.
    pub forfeits: Vec<(u32, pb::ForfeitedEvent)>,
    /// How it ended, once it has.
    pub end: Option<pb::EndedEvent>,
    start: Position,
}

impl Replay {
    /// Reads a record; none if it does not begin as one.
    pub(super) fn of_record(record: &pb::MatchRecord) -> Option<Self> {
        let mut events = record.events.iter().filter_map(|timed| timed.event.clone());
        let Some(Event::Created(setup)) = events.next() else { return None };
        let seats = SeatCount::new(setup.bots.len()).ok()?;
        let first = seats.seat(setup.first as usize).ok()?;
        let start = Position::new(Piles::parse(&setup.piles).ok()?, first, seats);
        let (takes, rows, forfeits) = Default::default();
        let mut replay = Self { setup, takes, rows, forfeits, end: None, start };
        for event in events {
            match event {
                Event::Took(took) => replay.takes.push(took),
                Event::Revealed(revealed) => {
                    replay.rows = revealed.alliance_matrix.map(|matrix| matrix.rows).unwrap_or_default();
                }
                Event::Forfeited(forfeited) => {
                    replay.forfeits.push((replay.takes.len() as u32, forfeited));
                }
                Event::Ended(ended) => replay.end = Some(ended),
                Event::Created(_) | Event::Declared(_) | Event::Struck(_) => {}
            }
        }
        Some(replay)
    }

    /// Returns how many takes there are.
    pub(super) fn plies(&self) -> u32 {
        self.takes.len() as u32
    }

    /// Returns the position after so many takes, and what the last of them left the pile that it was from; none if there are fewer takes, or
    /// one that the rules do not allow.
    pub(super) fn position_after(&self, plies: u32) -> Option<Position> {
        let takes = self.takes.get(..plies as usize)?;
        let mut position = self.start.clone();
        for took in takes {
            position.take(took.take).ok()?;
        }
        Some(position)
    }

    /// Returns the counters of the pile in play before each take.
    pub(super) fn counters_before(&self) -> Vec<u64> {
        let mut position = self.start.clone();
        let counters = self.takes.iter().map(|took| {
            let counters = position.counters();
            // A record that was stored has legal takes only.
            let _ = position.take(took.take);
            counters
        });
        counters.collect()
    }

    /// Returns the seats in the order in which a seat would like to see them win; none before rows are revealed.
    pub(super) fn wanted_winners(&self, seat: usize) -> Option<Vec<usize>> {
        let seats = self.setup.bots.len();
        let row = self.rows.get(seat)?;
        Some(row.offsets.iter().map(|&offset| (seat + offset as usize) % seats).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event: Event) -> pb::RecordEvent {
        pb::RecordEvent { event: Some(event), ..Default::default() }
    }

    fn replay() -> Replay {
        let bots = ["a", "b", "c"].map(str::to_owned).to_vec();
        let setup = pb::MatchSetup { bots, piles: vec![1, 3], first: 2, ..Default::default() };
        let took =
            |ply, seat, take| event(Event::Took(pb::TookEvent { ply, seat, take, ..Default::default() }));
        let row = pb::Row { offsets: vec![1, 0, 2] };
        let matrix = pb::AllianceMatrix { rows: vec![row.clone(), row.clone(), row] };
        let events = vec![
            event(Event::Created(setup)),
            event(Event::Revealed(pb::RevealedEvent { alliance_matrix: Some(matrix) })),
            took(0, 2, 2),
            event(Event::Forfeited(pb::ForfeitedEvent { seat: 0, ..Default::default() })),
            took(1, 0, 1),
            event(Event::Ended(pb::EndedEvent { winner: Some(1), ..Default::default() })),
        ];
        Replay::of_record(&pb::MatchRecord { events, ..Default::default() }).unwrap()
    }

    #[test]
    fn a_match_is_shown_after_any_ply() {
        let replay = replay();
        let shown = |plies| {
            let position = replay.position_after(plies)?;
            Some((position.piles().collect::<Vec<_>>(), position.to_move().index()))
        };
        assert_eq!(shown(0), Some((vec![1, 3], 2)));
        assert_eq!(shown(1), Some((vec![1, 1], 0)));
        assert_eq!(shown(2), Some((vec![1, 0], 1)));
        assert_eq!(shown(3), None);
        assert_eq!(replay.counters_before(), [3, 1]);
        assert_eq!(replay.forfeits[0].0, 1);
        assert_eq!(replay.wanted_winners(2), Some(vec![0, 2, 1]));
        assert!(Replay::of_record(&pb::MatchRecord::default()).is_none());
    }
}
