//! A match ply by ply, from its events.

use lastnim_core::game::{Piles, Position, SeatCount};
use lastnim_proto::pb::{self, record_event::Event};

/// Takes and incidents that are kept where only the newest position is shown: all that its page has, and what comes until old ones are forgotten again.
const MAX_KEPT_EVENTS: usize = 64;

/// A match as its events tell it, also one that is not over.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    /// What was fixed before the first move.
    pub setup: pb::MatchSetup,
    /// The takes so far, but for the forgotten ones.
    takes: Vec<ReplayedTake>,
    /// How many takes are forgotten, the oldest ones.
    forgotten: u32,
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
    /// The position after the forgotten takes.
    start: Position,
    /// By seat: what the forgotten takes have left on its clock, in microseconds; none where nobody has a clock.
    start_banks: Option<Vec<u64>>,
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
        let bank = setup.clock.map(|clock| u64::from(clock.initial_ms) * 1_000);
        let start_banks = bank.map(|bank| vec![bank; setup.bots.len()]);
        Some(Self {
            setup,
            takes: Vec::new(),
            forgotten: 0,
            start_banks,
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

    /// Adds an event where nothing but the newest position is shown: what its page does not have is forgotten, so that the memory is bounded however long the match is.
    pub(super) fn push_newest(&mut self, timed: pb::RecordEvent) {
        self.push(timed);
        if self.takes.len() >= 2 * MAX_KEPT_EVENTS {
            self.forget_takes(self.takes.len() - MAX_KEPT_EVENTS);
        }
        if self.incidents.len() >= 2 * MAX_KEPT_EVENTS {
            self.incidents.drain(..self.incidents.len() - MAX_KEPT_EVENTS);
        }
    }

    /// Forgets so many takes, the oldest ones. Nothing is forgotten of a match with a take that the rules do not allow.
    fn forget_takes(&mut self, count: usize) {
        let Some(start) = self.position_after(self.forgotten + count as u32) else { return };
        let banks = (0..self.setup.bots.len()).map(|seat| self.bank_after(seat, count));
        self.start_banks = banks.collect();
        self.start = start;
        self.takes.drain(..count);
        self.forgotten += count as u32;
    }

    /// Returns how many takes there are.
    pub(super) fn plies(&self) -> u32 {
        self.forgotten + self.takes.len() as u32
    }

    /// Returns the take at a ply; `None` if it is not made yet, or forgotten.
    pub(super) fn take_at(&self, ply: u32) -> Option<&ReplayedTake> {
        self.takes.get(ply.checked_sub(self.forgotten)? as usize)
    }

    /// Returns the takes, the newest first.
    pub(super) fn newest_takes(&self) -> impl Iterator<Item = &ReplayedTake> {
        self.takes.iter().rev()
    }

    /// Returns the position after so many takes; `None` if there are fewer takes, one that the rules do not allow, or forgotten ones after it.
    pub(super) fn position_after(&self, plies: u32) -> Option<Position> {
        if plies == self.plies() {
            return self.newest.clone();
        }
        let takes = self.takes.get(..plies.checked_sub(self.forgotten)? as usize)?;
        let mut position = self.start.clone();
        for take in takes {
            position.take(take.took.take).ok()?;
        }
        Some(position)
    }

    /// Returns the time that a seat has left after so many takes, in milliseconds; `None` if nobody has a clock, or takes after it are forgotten.
    pub(super) fn bank_ms(&self, seat: usize, plies: u32) -> Option<u64> {
        let micros = self.bank_after(seat, plies.checked_sub(self.forgotten)? as usize)?;
        Some(micros / 1_000)
    }

    /// Returns the time that a seat has left after so many of the takes that are kept, in microseconds.
    fn bank_after(&self, seat: usize, takes: usize) -> Option<u64> {
        let increment = u64::from(self.setup.clock?.increment_ms) * 1_000;
        let own = self.takes.iter().take(takes).map(|take| &take.took);
        let own = own.filter(|took| took.seat as usize == seat && !took.steward);
        let start = *self.start_banks.as_ref()?.get(seat)?;
        Some(own.fold(start, |left, took| left.saturating_sub(took.charged_us).saturating_add(increment)))
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

    #[test]
    fn the_newest_position_is_the_same_however_much_is_forgotten() {
        let plies = 1_000;
        let bots = ["a", "b", "c"].map(str::to_owned).to_vec();
        let clock = Some(pb::Clock { initial_ms: 60_000, increment_ms: 20, ..Default::default() });
        let setup = pb::MatchSetup { bots, piles: vec![5, u64::from(plies)], clock, ..Default::default() };
        let created = event(Event::Created(setup));
        let (mut whole, mut newest) = (Replay::begin(&created).unwrap(), Replay::begin(&created).unwrap());
        for ply in 0..plies {
            let seat = ply % 3;
            let took = pb::TookEvent { ply, seat, take: 1, charged_us: 40_123, ..Default::default() };
            for event in [
                event(Event::Took(took)),
                event(Event::Struck(pb::StruckEvent { seat, ..Default::default() })),
            ] {
                whole.push(event.clone());
                newest.push_newest(event);
            }
            assert!(newest.takes.len() < 2 * MAX_KEPT_EVENTS && newest.incidents.len() < 2 * MAX_KEPT_EVENTS);
            assert_eq!((newest.plies(), newest.events), (whole.plies(), whole.events));
            let shown = |replay: &Replay, plies| {
                let position =
                    replay.position_after(plies).map(|position| position.piles().collect::<Vec<_>>());
                let take = plies.checked_sub(1).and_then(|ply| replay.take_at(ply));
                let take = take.map(|take| (take.took.ply, take.counters, take.event));
                (position, take, [0, 1, 2].map(|seat| replay.bank_ms(seat, plies)))
            };
            for back in 0..(MAX_KEPT_EVENTS as u32).min(ply) {
                assert_eq!(shown(&newest, ply + 1 - back), shown(&whole, ply + 1 - back));
            }
        }
        assert_eq!(
            (newest.take_at(0).is_none(), newest.position_after(1), newest.bank_ms(0, 1)),
            (true, None, None)
        );
    }
}
