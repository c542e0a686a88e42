//! A match ply by ply, from its events.

use lastnim_core::game::{Ending, Game, Piles, Position, SeatCount, SeatSet};
use lastnim_core::referee::TalkMessage;
use lastnim_proto::parse_request;
use lastnim_proto::pb::{self, record_event::Event};
use lastnim_proto::talk::parse_said;
use tonic::Status;

/// The number of takes, and of incidents, that are kept if only the newest position is shown. Its page needs no more.
const MAX_RECENT_EVENTS: usize = 200;

/// A match built from its events; it may still be open.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    /// The settings.
    pub setup: pb::MatchSetup,
    /// The takes so far, without dropped ones.
    takes: Vec<ReplayedTake>,
    /// The number of oldest takes that were dropped, which bounds the memory.
    dropped: u32,
    /// The rows by seat; empty before they are revealed.
    pub rows: Vec<pb::Row>,
    /// The seats that declared no valid row in time, and have the standard row.
    pub defaulted: SeatSet,
    /// The dealt rows by seat; empty before they are opened, and if no rows were dealt.
    pub dealt_rows: Vec<pb::Row>,
    /// The forfeited seats, each with the number of takes made before.
    pub forfeits: Vec<(u32, pb::ForfeitedEvent)>,
    /// What the seats said before they declared their rows, as far as everybody may know it.
    pub messages: Vec<TalkMessage>,
    /// The number of rounds of talk that have ended.
    pub rounds_heard: u32,
    /// Events other than takes, messages and the ends of a seat's talk.
    pub incidents: Vec<pb::RecordEvent>,
    /// How the match ended.
    pub end: Option<pb::EndedEvent>,
    /// The number of events.
    pub events: u64,
    /// The position after the dropped takes.
    start: Position,
    /// The clocks by seat after the dropped takes, in microseconds; `None` without clocks.
    start_banks: Option<Vec<u64>>,
    /// The position after all takes; `None` if one of them is illegal.
    newest: Option<Position>,
}

/// A take, and the pile that it was made from.
#[derive(Debug, Clone)]
pub(super) struct ReplayedTake {
    pub took: pb::TookEvent,
    /// The index of its pile.
    pub pile: usize,
    /// The counters of that pile before it.
    pub counters: u64,
    /// The number of its event, from 1.
    pub event: u64,
}

impl Replay {
    /// Replays a record; `None` if it does not start with a setup.
    pub(super) fn of_record(record: &pb::MatchRecord) -> Option<Self> {
        #[cfg(test)]
        crate::testing::check_slow_work_allowed();
        let mut events = record.events.iter();
        let mut replay = Self::begin(events.next()?)?;
        events.for_each(|event| replay.push(event.clone()));
        Some(replay)
    }

    /// Starts with the first event; `None` if it is not a setup.
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
            dropped: 0,
            start_banks,
            rows: Vec::new(),
            defaulted: SeatSet::default(),
            dealt_rows: Vec::new(),
            forfeits: Vec::new(),
            messages: Vec::new(),
            rounds_heard: 0,
            incidents: Vec::new(),
            end: None,
            events: 1,
            newest: Some(start.clone()),
            start,
        })
    }

    /// Returns the number of seats.
    pub(super) fn seats(&self) -> SeatCount {
        self.start.seats()
    }

    /// Returns the game that the match began with; `None` before rows are revealed.
    pub(super) fn game(&self) -> Option<Game> {
        let setup = &self.setup;
        let rows = self.rows.iter().map(|row| row.offsets.iter().map(|&offset| offset.into()).collect());
        let ending = match setup.ending() {
            pb::Ending::LastMoverWins => Ending::LastMoverWins,
            _ => Ending::ToMoveWins,
        };
        Game::parse(&setup.piles, &rows.collect::<Vec<_>>(), setup.first as usize, ending).ok()
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
            Some(Event::Dealt(dealt)) => {
                self.dealt_rows = dealt.rows.clone().map(|matrix| matrix.rows).unwrap_or_default();
            }
            Some(Event::Forfeited(forfeited)) => self.forfeits.push((self.ply_count(), *forfeited)),
            Some(Event::Said(said)) => {
                let seats = self.seats();
                self.messages.extend(parse_request(|field| parse_said(said, seats, field)));
                return;
            }
            Some(Event::TalkEnded(_)) => return,
            Some(Event::Heard(heard)) => self.rounds_heard = heard.round + 1,
            Some(Event::Ended(ended)) => self.end = Some(*ended),
            Some(Event::Declared(declared)) if declared.defaulted() != pb::RowDefault::Unspecified => {
                if let Ok(seat) = self.seats().seat(declared.seat as usize) {
                    self.defaulted.insert(seat);
                }
            }
            Some(Event::Created(_) | Event::Declared(_) | Event::Struck(_)) | None => {}
        }
        self.incidents.push(timed);
    }

    /// Adds an event and drops events that the page of the newest position does not show, which bounds the memory.
    pub(super) fn push_newest(&mut self, timed: pb::RecordEvent) {
        self.push(timed);
        if self.takes.len() >= 2 * MAX_RECENT_EVENTS {
            self.drop_takes(self.takes.len() - MAX_RECENT_EVENTS);
        }
        if self.incidents.len() >= 2 * MAX_RECENT_EVENTS {
            self.incidents.drain(..self.incidents.len() - MAX_RECENT_EVENTS);
        }
    }

    /// Drops the oldest takes, unless a take is illegal.
    fn drop_takes(&mut self, count: usize) {
        let Some(start) = self.position_after(self.dropped + count as u32) else { return };
        let banks = (0..self.setup.bots.len()).map(|seat| self.bank_after(seat, count));
        self.start_banks = banks.collect();
        self.start = start;
        self.takes.drain(..count);
        self.dropped += count as u32;
    }

    /// Returns the number of takes.
    pub(super) fn ply_count(&self) -> u32 {
        self.dropped + self.takes.len() as u32
    }

    /// Returns the take at a ply; `None` if it is in the future, or dropped.
    pub(super) fn take_at(&self, ply: u32) -> Option<&ReplayedTake> {
        self.takes.get(ply.checked_sub(self.dropped)? as usize)
    }

    /// Returns the takes, the newest first.
    pub(super) fn newest_takes(&self) -> impl Iterator<Item = &ReplayedTake> {
        self.takes.iter().rev()
    }

    /// Returns the position after this many takes, for a page whose address names it.
    ///
    /// # Errors
    /// If the match has no such position.
    pub(super) fn requested_position(&self, plies: u32) -> Result<Position, Status> {
        self.position_after(plies).ok_or_else(|| {
            let all = self.ply_count();
            Status::not_found(format!("take {plies}: expected 0 to {all}, the number of takes in the match"))
        })
    }

    /// Returns the position after this many takes; `None` if there are fewer, one is illegal, or some after it are
    /// dropped.
    pub(super) fn position_after(&self, plies: u32) -> Option<Position> {
        if plies == self.ply_count() {
            return self.newest.clone();
        }
        let takes = self.takes.get(..plies.checked_sub(self.dropped)? as usize)?;
        let mut position = self.start.clone();
        for take in takes {
            position.take(take.took.take).ok()?;
        }
        Some(position)
    }

    /// Returns a seat's remaining time after this many takes, in milliseconds; `None` without clocks, or if takes after
    /// it are dropped.
    pub(super) fn bank_ms(&self, seat: usize, plies: u32) -> Option<u64> {
        let micros = self.bank_after(seat, plies.checked_sub(self.dropped)? as usize)?;
        Some(micros / 1_000)
    }

    /// Returns a seat's remaining time after this many of the kept takes, in microseconds.
    fn bank_after(&self, seat: usize, takes: usize) -> Option<u64> {
        let increment = u64::from(self.setup.clock?.increment_ms) * 1_000;
        let own = self.takes.iter().take(takes).map(|take| &take.took);
        let own = own.filter(|took| took.seat as usize == seat && !took.steward);
        let start = *self.start_banks.as_ref()?.get(seat)?;
        Some(own.fold(start, |left, took| left.saturating_sub(took.charged_us).saturating_add(increment)))
    }

    /// Returns the seats in a seat's preference order; `None` before rows are revealed.
    pub(super) fn wanted_winners(&self, seat: usize) -> Option<Vec<usize>> {
        self.rows.get(seat).map(|row| self.winners_of_row(seat, row))
    }

    /// Returns the seats in the order that was dealt to a seat; `None` before the dealt rows are opened.
    pub(super) fn really_wanted_winners(&self, seat: usize) -> Option<Vec<usize>> {
        self.dealt_rows.get(seat).map(|row| self.winners_of_row(seat, row))
    }

    fn winners_of_row(&self, seat: usize, row: &pb::Row) -> Vec<usize> {
        let seats = self.setup.bots.len();
        row.offsets.iter().map(|&offset| (seat + offset as usize) % seats).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record_event(event: Event) -> pb::RecordEvent {
        pb::RecordEvent { event: Some(event), ..Default::default() }
    }

    fn replay_short_match() -> Replay {
        let bots = ["a", "b", "c"].map(str::to_owned).to_vec();
        let clock = Some(pb::Clock { initial_ms: 500, increment_ms: 20, ..Default::default() });
        let setup = pb::MatchSetup { bots, piles: vec![1, 3], first: 2, clock, ..Default::default() };
        let took_event = |ply, seat, take| {
            record_event(Event::Took(pb::TookEvent {
                ply,
                seat,
                take,
                charged_us: 90_500,
                ..Default::default()
            }))
        };
        let row = pb::Row { offsets: vec![1, 0, 2] };
        let matrix = pb::AllianceMatrix { rows: vec![row.clone(), row.clone(), row] };
        let events = vec![
            record_event(Event::Created(setup)),
            record_event(Event::Revealed(pb::RevealedEvent { alliance_matrix: Some(matrix) })),
            took_event(0, 2, 2),
            record_event(Event::Forfeited(pb::ForfeitedEvent { seat: 0, ..Default::default() })),
            took_event(1, 0, 1),
            record_event(Event::Ended(pb::EndedEvent { winner: Some(1), ..Default::default() })),
        ];
        Replay::of_record(&pb::MatchRecord { events, ..Default::default() }).unwrap()
    }

    #[test]
    fn a_match_is_shown_after_any_ply() {
        let replay = replay_short_match();
        let replay_to = |plies| {
            let position = replay.position_after(plies)?;
            Some((position.piles().collect::<Vec<_>>(), position.to_move().index()))
        };
        assert_eq!(replay_to(0), Some((vec![1, 3], 2)));
        assert_eq!(replay_to(1), Some((vec![1, 1], 0)));
        assert_eq!(replay_to(2), Some((vec![1, 0], 1)));
        assert_eq!(replay_to(3), None);
        let counters: Vec<_> = replay.takes.iter().map(|take| (take.counters, take.event)).collect();
        assert_eq!((counters, replay.events), (vec![(3, 3), (1, 5)], 6));
        assert_eq!(replay.forfeits[0].0, 1);
        assert_eq!([0, 1, 2].map(|plies| replay.bank_ms(2, plies)), [Some(500), Some(429), Some(429)]);
        assert_eq!(replay.wanted_winners(2), Some(vec![0, 2, 1]));
        assert!(Replay::of_record(&pb::MatchRecord::default()).is_none());
    }

    #[test]
    fn dropping_takes_keeps_the_newest_position() {
        let plies = 1_000;
        let bots = ["a", "b", "c"].map(str::to_owned).to_vec();
        let clock = Some(pb::Clock { initial_ms: 60_000, increment_ms: 20, ..Default::default() });
        let setup = pb::MatchSetup { bots, piles: vec![5, u64::from(plies)], clock, ..Default::default() };
        let created = record_event(Event::Created(setup));
        let (mut whole, mut newest) = (Replay::begin(&created).unwrap(), Replay::begin(&created).unwrap());
        for ply in 0..plies {
            let seat = ply % 3;
            let took = pb::TookEvent { ply, seat, take: 1, charged_us: 40_123, ..Default::default() };
            for event in [
                record_event(Event::Took(took)),
                record_event(Event::Struck(pb::StruckEvent { seat, ..Default::default() })),
            ] {
                whole.push(event.clone());
                newest.push_newest(event);
            }
            assert!(
                newest.takes.len() < 2 * MAX_RECENT_EVENTS && newest.incidents.len() < 2 * MAX_RECENT_EVENTS
            );
            assert_eq!((newest.ply_count(), newest.events), (whole.ply_count(), whole.events));
            let shown = |replay: &Replay, plies| {
                let position =
                    replay.position_after(plies).map(|position| position.piles().collect::<Vec<_>>());
                let take = plies.checked_sub(1).and_then(|ply| replay.take_at(ply));
                let take = take.map(|take| (take.took.ply, take.counters, take.event));
                (position, take, [0, 1, 2].map(|seat| replay.bank_ms(seat, plies)))
            };
            for back in 0..(MAX_RECENT_EVENTS as u32).min(ply) {
                assert_eq!(shown(&newest, ply + 1 - back), shown(&whole, ply + 1 - back));
            }
        }
        assert_eq!(
            (newest.take_at(0).is_none(), newest.position_after(1), newest.bank_ms(0, 1)),
            (true, None, None)
        );
    }
}
