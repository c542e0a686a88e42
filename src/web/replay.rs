//! A match ply by ply, from its events.

use crate::game::{Piles, Position, SeatCount};
use crate::wire::pb::{self, record_event::Event};

/// A match as its events tell it, also one that is not over.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    /// What was fixed before the first move.
    pub setup: pb::MatchSetup,
    /// The takes so far.
    pub takes: Vec<ReplayedTake>,
    /// The rows, by seat; none before they are revealed.
    pub rows: Vec<pb::Row>,
    /// Seats that were forfeited, each with the number of takes before.
    pub forfeits: Vec<(u32, pb::ForfeitedEvent)>,
    /// What happened besides takes.
    pub incidents: Vec<pb::RecordEvent>,
    /// How it ended, once it has.
    pub end: Option<pb::EndedEvent>,
    /// How many events there are.
    pub events: u64,
    start: Position,
    /// The position after all takes; none if one of them is not legal.
    newest: Option<Position>,
}

/// A take of a match.
#[derive(Debug, Clone)]
pub(super) struct ReplayedTake {
    /// The take.
    pub took: pb::TookEvent,
    /// The index of the pile that it was from.
    pub pile: usize,
    /// The counters of that pile before it.
    pub counters: u64,
    /// The number of its event, from 1.
    pub event: u64,
}

impl Replay {
    /// Reads a record; none if it does not begin as one.
    pub(super) fn of_record(record: &pb::MatchRecord) -> Option<Self> {
        let mut events = record.events.iter();
        let mut replay = Self::begin(events.next()?)?;
        events.for_each(|event| replay.push(event.clone()));
        Some(replay)
    }

    /// Begins with the first event; none if it is not one.
    pub(super) fn begin(first: &pb::RecordEvent) -> Option<Self> {
        let Some(Event::Created(setup)) = first.event.clone() else { return None };
        let seats = SeatCount::new(setup.bots.len()).ok()?;
        let first = seats.seat(setup.first as usize).ok()?;
        let start = Position::new(Piles::parse(&setup.piles).ok()?, first, seats);
        Some(Self {
            setup,
            takes: Vec::new(),
            rows: Vec::new(),
            forfeits: Vec::new(),
            incidents: Vec::new(),
            end: None,
            events: 1,
            newest: Some(start.clone()),
            start,
        })
    }

    /// Adds an event.
    pub(super) fn push(&mut self, timed: pb::RecordEvent) {
        self.events += 1;
        match &timed.event {
            Some(Event::Took(took)) => {
                let before = self.newest.as_ref().filter(|position| !position.is_over());
                let (pile, counters) =
                    before.map(|position| (position.pile_index(), position.counters())).unwrap_or_default();
                self.newest = self.newest.take().and_then(|mut position| {
                    position.take(took.take).ok()?;
                    Some(position)
                });
                self.takes.push(ReplayedTake { took: took.clone(), pile, counters, event: self.events });
                return;
            }
            Some(Event::Revealed(revealed)) => {
                self.rows = revealed.alliance_matrix.clone().map(|matrix| matrix.rows).unwrap_or_default();
            }
            Some(Event::Forfeited(forfeited)) => self.forfeits.push((self.plies(), *forfeited)),
            Some(Event::Ended(ended)) => self.end = Some(*ended),
            Some(Event::Created(_) | Event::Declared(_) | Event::Struck(_)) | None => {}
        }
        self.incidents.push(timed);
    }

    /// Returns how many takes there are.
    pub(super) fn plies(&self) -> u32 {
        self.takes.len() as u32
    }

    /// Returns the position after so many takes, and what the last of them left the pile that it was from; none if there are fewer takes, or
    /// one that the rules do not allow.
    pub(super) fn position_after(&self, plies: u32) -> Option<Position> {
        if plies == self.plies() {
            return self.newest.clone();
        }
        let takes = self.takes.get(..plies as usize)?;
        let mut position = self.start.clone();
        for take in takes {
            position.take(take.took.take).ok()?;
        }
        Some(position)
    }

    /// Returns the time that a seat has left after so many takes, in milliseconds.
    pub(super) fn bank_ms(&self, seat: usize, plies: u32) -> Option<u64> {
        let clock = self.setup.clock?;
        let own = self.takes.iter().take(plies as usize).map(|take| &take.took);
        let own = own.filter(|took| took.seat as usize == seat && !took.steward);
        let micros = own.fold(u64::from(clock.initial_ms) * 1_000, |left, took| {
            left.saturating_sub(took.charged_us).saturating_add(u64::from(clock.increment_ms) * 1_000)
        });
        Some(micros / 1_000)
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
        let clock = Some(pb::Clock { initial_ms: 500, increment_ms: 20, ..Default::default() });
        let setup = pb::MatchSetup { bots, piles: vec![1, 3], first: 2, clock, ..Default::default() };
        let took = |ply, seat, take| {
            event(Event::Took(pb::TookEvent { ply, seat, take, charged_us: 90_500, ..Default::default() }))
        };
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
        let counters: Vec<_> = replay.takes.iter().map(|take| (take.counters, take.event)).collect();
        assert_eq!((counters, replay.events), (vec![(3, 3), (1, 5)], 6));
        assert_eq!(replay.forfeits[0].0, 1);
        assert_eq!([0, 1, 2].map(|plies| replay.bank_ms(2, plies)), [Some(500), Some(429), Some(429)]);
        assert_eq!(replay.wanted_winners(2), Some(vec![0, 2, 1]));
        assert!(Replay::of_record(&pb::MatchRecord::default()).is_none());
    }
}
