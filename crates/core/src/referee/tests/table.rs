//! A test match with a manual clock.

use crate::game::{AllianceMatrix, BySeat, MatchId, Piles, Seat, SeatCount};
use crate::oracle::Mover;
use crate::referee::{
    Clock, Deal, DealHash, DealRule, DealtRows, EndReason, Event, ForfeitReason, MatchPhase, MatchSetup,
    MatchSnapshot, Record, Referee, RefereeEffect, RefereeInput, RefusalReason, SeatAction, SeatMessage,
    Timestamp, Turn,
};
use std::time::Duration;

/// The initial bank of every seat, in milliseconds.
pub(super) const BANK_MS: u64 = 1_000;
/// The time to declare, in milliseconds.
pub(super) const DECLARATION_MS: u64 = 500;

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Creates the setup of a match whose seats declare their rows, without increment or lag credit.
pub(super) fn declared_match(seats: usize, piles: &[u64]) -> MatchSetup {
    let bots: Vec<_> = (0..seats).map(|seat| format!("bot-{seat}").parse().unwrap()).collect();
    let mut setup = MatchSetup::new(bots.try_into().unwrap(), Piles::parse(piles).unwrap());
    setup.terms.clock = Clock {
        initial: ms(BANK_MS),
        increment: ms(0),
        lag_quota: ms(0),
        lag_total: ms(0),
        declaration: ms(DECLARATION_MS),
        return_within: None,
    };
    setup
}

/// Creates the setup of a match with assigned rows.
pub(super) fn assigned_match(rows: &[&[u64]], piles: &[u64]) -> MatchSetup {
    let rows: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
    let matrix = AllianceMatrix::parse(&rows).unwrap();
    MatchSetup { assigned: Some(matrix), ..declared_match(rows.len(), piles) }
}

/// Creates the setup of a match with the standard rows assigned.
pub(super) fn standard_match(seats: usize, piles: &[u64]) -> MatchSetup {
    let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
    MatchSetup { assigned: Some(matrix), ..declared_match(seats, piles) }
}

/// A referee and the current time.
pub(super) struct Table {
    pub(super) referee: Referee,
    pub(super) now: Timestamp,
}

impl Table {
    /// Begins a match with every bot connected.
    pub(super) fn open(setup: MatchSetup) -> Self {
        let present = vec![true; setup.seats().get()];
        Self::open_with_present(&present, setup)
    }

    /// Begins a match in which the bots marked in `present` are connected.
    pub(super) fn open_with_present(present: &[bool], setup: MatchSetup) -> Self {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        Self::open_with_dealt_rows(present, setup, None, now)
    }

    /// Begins a match of connected bots with these dealt rows.
    pub(super) fn open_dealt(rows: &[&[u64]], piles: &[u64]) -> Self {
        let mut setup = declared_match(rows.len(), piles);
        let matrix = assigned_match(rows, piles).assigned.unwrap();
        let salts = BySeat::from_fn(setup.seats(), |seat| DealHash::from_bytes([seat.index() as u8; 32]));
        let dealt = DealtRows { matrix, salts };
        setup.deal = Some(Box::new(Deal::of_rows(DealRule::All, &dealt)));
        let (present, now) = (vec![true; rows.len()], Timestamp::from_micros(1_700_000_000_000_000));
        Self::open_with_dealt_rows(&present, setup, Some(Box::new(dealt)), now)
    }

    fn open_with_dealt_rows(
        present: &[bool],
        setup: MatchSetup,
        dealt: Option<Box<DealtRows>>,
        now: Timestamp,
    ) -> Self {
        let present = BySeat::try_from(present.to_vec()).unwrap();
        let id = MatchId::new(1_700_000_000_000, &[1; 10]);
        let (referee, effects) = Referee::begin_dealt(id, setup.validate().unwrap(), dealt, present, now);
        assert!(matches!(events_in(&effects)[0], Event::Created(_)));
        let mut table = Self { referee, now };
        table.referee.mark_effects_announced(now);
        table
    }

    pub(super) fn seat(&self, index: usize) -> Seat {
        self.record().state().setup().seats().seat(index).unwrap()
    }

    pub(super) fn record(&self) -> &Record {
        self.referee.record()
    }

    pub(super) fn phase(&self) -> MatchPhase {
        self.record().state().phase()
    }

    /// Handles an input and announces the effects at once.
    pub(super) fn handle_input(&mut self, input: RefereeInput) -> Vec<RefereeEffect> {
        let effects = self.referee.handle_input(input, self.now);
        self.referee.mark_effects_announced(self.now);
        effects
    }

    /// Lets time pass, then sends a tick.
    pub(super) fn wait(&mut self, millis: u64) -> Vec<RefereeEffect> {
        self.now = self.now + ms(millis);
        self.handle_input(RefereeInput::Tick)
    }

    /// Lets time pass until just before the deadline, when a tick must have no effect, and then until the deadline.
    pub(super) fn wait_for_deadline(&mut self) -> Vec<RefereeEffect> {
        let deadline = self.referee.deadline().expect("the match waits for someone");
        self.now = Timestamp::from_micros(deadline.as_micros() - 1);
        assert_eq!(self.handle_input(RefereeInput::Tick), []);
        self.now = deadline;
        self.handle_input(RefereeInput::Tick)
    }

    pub(super) fn act(&mut self, seat: usize, action: SeatAction) -> Vec<RefereeEffect> {
        self.handle_input(RefereeInput::Act { seat: self.seat(seat), action })
    }

    pub(super) fn declare(&mut self, seat: usize, offsets: &[u64]) -> Vec<RefereeEffect> {
        self.act(seat, SeatAction::Declare { offsets: offsets.to_vec(), note_hash: Ok(None) })
    }

    pub(super) fn take(&mut self, seat: usize, ply: u32, take: u64) -> Vec<RefereeEffect> {
        self.act(seat, SeatAction::take(ply, take, None))
    }

    pub(super) fn resign(&mut self, seat: usize) -> Vec<RefereeEffect> {
        self.act(seat, SeatAction::Resign)
    }

    pub(super) fn disqualify(&mut self, seat: usize) -> Vec<RefereeEffect> {
        self.handle_input(RefereeInput::Disqualify { seat: self.seat(seat) })
    }

    pub(super) fn leave(&mut self, seat: usize) -> Vec<RefereeEffect> {
        self.handle_input(RefereeInput::Left { seat: self.seat(seat) })
    }

    /// Connects a seat's bot and returns its snapshot.
    pub(super) fn join(&mut self, seat: usize) -> MatchSnapshot {
        let effects = self.handle_input(RefereeInput::Joined { seat: self.seat(seat) });
        match effects.as_slice() {
            [RefereeEffect::SendToSeat { seat: recipient, message: SeatMessage::Snapshot(snapshot) }]
                if *recipient == self.seat(seat) =>
            {
                MatchSnapshot::clone(snapshot)
            }
            other => panic!("expected only a snapshot, got {other:?}"),
        }
    }

    /// Plays legal takes of one counter each.
    pub(super) fn play_single_takes(&mut self, plies: u32) {
        for _ in 0..plies {
            let state = self.record().state();
            let (ply, seat) = (state.ply(), state.position().to_move().index());
            assert_eq!(refusals_in(&self.take(seat, ply, 1)), []);
        }
    }

    pub(super) fn bank(&self, seat: usize) -> Duration {
        self.record().state().banks()[self.seat(seat)].left()
    }

    pub(super) fn forfeit_reason(&self, seat: usize) -> Option<ForfeitReason> {
        self.record().state().forfeits()[self.seat(seat)]
    }

    pub(super) fn end(&self) -> Option<(EndReason, Option<usize>)> {
        self.record().state().end().map(|(reason, winner)| (reason, winner.map(Seat::index)))
    }
}

/// Returns the events among the effects.
pub(super) fn events_in(effects: &[RefereeEffect]) -> Vec<&Event> {
    let mut events = Vec::new();
    for effect in effects {
        if let RefereeEffect::EventOccurred(timed) = effect {
            events.push(&timed.event);
        }
    }
    events
}

/// Returns the refusals among the effects, each with its seat.
pub(super) fn refusals_in(effects: &[RefereeEffect]) -> Vec<(usize, RefusalReason)> {
    let refusal = |effect: &RefereeEffect| match effect {
        RefereeEffect::SendToSeat { seat, message: SeatMessage::Refused(refusal) } => {
            Some((seat.index(), refusal.reason))
        }
        _ => None,
    };
    effects.iter().filter_map(refusal).collect()
}

/// Returns the message of the only refusal among the effects.
pub(super) fn refusal_message(effects: &[RefereeEffect]) -> String {
    let mut messages = effects.iter().filter_map(|effect| match effect {
        RefereeEffect::SendToSeat { message: SeatMessage::Refused(refusal), .. } => {
            Some(refusal.message.clone())
        }
        _ => None,
    });
    let message = messages.next().expect("something is refused");
    assert_eq!(messages.next(), None);
    message
}

/// Returns the turns among the effects, each with its seat.
pub(super) fn turns_in(effects: &[RefereeEffect]) -> Vec<(usize, Turn)> {
    let turn = |effect: &RefereeEffect| match effect {
        RefereeEffect::SendToSeat { seat, message: SeatMessage::Turn(turn) } => Some((seat.index(), *turn)),
        _ => None,
    };
    effects.iter().filter_map(turn).collect()
}

/// Returns the takes among the effects: ply, seat, counters and mover.
pub(super) fn takes_in(effects: &[RefereeEffect]) -> Vec<(u32, usize, u64, Mover)> {
    let take = |event: &Event| match event {
        Event::Took { ply, seat, take, mover, .. } => Some((*ply, seat.index(), *take, *mover)),
        _ => None,
    };
    events_in(effects).into_iter().filter_map(take).collect()
}

/// Returns whether the effects reveal the rows.
pub(super) fn reveals_rows(effects: &[RefereeEffect]) -> bool {
    events_in(effects).iter().any(|event| matches!(event, Event::Revealed { .. }))
}
