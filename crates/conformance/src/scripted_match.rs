//! A match run by the real server's referee, in which the script plays all seats but the bot's.

use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Ending, MatchId, Piles, Row, Seat, SeatCount, TournamentId},
    oracle::Mover,
    referee::{
        Clock, Deal, DealRule, DealSecret, DealtRows, Event, MatchPhase, MatchSetup, MatchState, Origin,
        Referee, RefereeEffect, RefereeInput, Refusal, RefusalReason, SeatAction, SeatMessage,
        SubmittedContent, SubmittedMessage, TalkTerms, Terms, TimedEvent, Timestamp,
    },
};
use lastnim_proto::{MatchEvent, MissedEnd, RevealedRows, ServerEvent, TakeFeed};
use std::{collections::VecDeque, mem, sync::Arc, time::Duration};

/// The factor that varies the takes of the script's seats: 2^64 divided by the golden ratio, rounded down.
const TAKE_HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// The time of every event. It never changes, so the clocks of the match do not run. Instead, the suite's `patience`
/// limits how long the bot may take.
fn script_time() -> Timestamp {
    Timestamp::from_micros(1_000_000)
}

/// Where the rows of a match come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowSource {
    /// Each seat declares its row.
    Declared,
    /// Rows are assigned: the row of each seat starts with a different offset.
    Assigned,
    /// A private row is dealt to each seat, which then declares its own.
    Dealt,
}

/// A match as planned by a scenario.
#[derive(Debug, Clone)]
pub(super) struct MatchPlan {
    pub(super) seats: usize,
    /// The bot's seat.
    pub(super) seat: usize,
    pub(super) piles: Vec<u64>,
    pub(super) ending: Ending,
    pub(super) rows: RowSource,
    pub(super) max_plies: u32,
    /// Whether the other seats wait with their declarations until the scenario calls `let_others_declare`.
    pub(super) others_wait: bool,
    /// Whether there are rounds of talk before the declarations.
    pub(super) seats_talk: bool,
}

impl MatchPlan {
    /// Plans a match with the bot in the first seat and with assigned rows.
    pub(super) fn new(seats: usize, piles: &[u64]) -> Self {
        Self {
            seats,
            seat: 0,
            piles: piles.to_vec(),
            ending: Ending::ToMoveWins,
            rows: RowSource::Assigned,
            max_plies: 200,
            others_wait: false,
            seats_talk: false,
        }
    }

    pub(super) fn at_seat(self, seat: usize) -> Self {
        Self { seat, ..self }
    }

    pub(super) fn declared(self) -> Self {
        Self { rows: RowSource::Declared, ..self }
    }

    pub(super) fn dealt(self) -> Self {
        Self { rows: RowSource::Dealt, ..self }
    }

    pub(super) fn with_late_declarations(self) -> Self {
        Self { others_wait: true, ..self.declared() }
    }

    pub(super) fn with_talk(self) -> Self {
        Self { seats_talk: true, ..self.declared() }
    }

    /// Creates the setup of the match. `number` counts the matches of a check from 0, and varies which seat starts.
    fn setup(&self, number: u64, shared: SharedSetup<'_>) -> MatchSetup {
        let seats = SeatCount::new(self.seats).expect("scenarios plan matches of 2 to 32 seats");
        let bots = BySeat::from_fn(seats, |seat| {
            let rival = || format!("rival-{}", seat.index()).parse().expect("the name is valid");
            if seat.index() == self.seat { shared.bot.clone() } else { rival() }
        });
        let piles = Piles::parse(&self.piles).expect("scenarios plan valid piles");
        let mut setup = MatchSetup::new(bots, piles);
        setup.ending = self.ending;
        setup.first = seats.seat_at_offset(Seat::FIRST, number as usize % self.seats);
        setup.terms = Terms {
            clock: Clock { initial: shared.patience, declaration: shared.patience, ..Clock::default() },
            max_plies: self.max_plies,
            talk: self.seats_talk.then(TalkTerms::default),
            ..Terms::default()
        };
        setup.assigned = (self.rows == RowSource::Assigned).then(|| {
            let row = |seat: Seat| Row::favouring((seat.index() + 1) % seats.get(), seats);
            AllianceMatrix::from_rows(BySeat::from_fn(seats, row)).expect("there is a row for each seat")
        });
        setup.origin = Some(Origin { tournament: shared.tournament, number, group: number });
        setup.validate().expect("scenarios plan valid matches")
    }
}

/// The part of a setup that is the same for all matches of a check.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedSetup<'a> {
    pub(super) bot: &'a BotName,
    pub(super) tournament: TournamentId,
    /// The time limit for a row or a take.
    pub(super) patience: Duration,
}

/// What the referee did with an action of the bot.
#[derive(Debug)]
pub(super) enum ActionOutcome {
    Accepted,
    /// The referee had already accepted the same message, or the same end of talk.
    RepeatedTalk,
    Refused(Refusal),
}

/// A match that the bot plays.
#[derive(Debug)]
pub(super) struct ScriptedMatch {
    id: MatchId,
    seat: Seat,
    referee: Referee,
    setup: Arc<MatchSetup>,
    /// Whether the other seats still wait with their declarations.
    others_wait: bool,
    /// Events to be sent to the bot.
    outbox: VecDeque<ServerEvent>,
}

impl ScriptedMatch {
    /// Starts a match and runs it until the bot has to act.
    pub(super) fn begin(id: MatchId, plan: &MatchPlan, number: u64, shared: SharedSetup<'_>) -> Self {
        let mut setup = plan.setup(number, shared);
        let dealt = (plan.rows == RowSource::Dealt).then(|| {
            let secret = DealSecret::from_bytes([number as u8; DealSecret::BYTES]);
            let dealt = DealtRows::of_match(&secret, id, &DealRule::All, setup.seats());
            setup.deal = Some(Box::new(Deal::of_rows(DealRule::All, &dealt)));
            Box::new(dealt)
        });
        let present = BySeat::filled(setup.seats(), &true);
        let seat = setup.seats().seat(plan.seat).expect("the bot has a seat");
        let (referee, effects) = Referee::begin_dealt(id, setup.clone(), dealt, present, script_time());
        let (setup, others_wait) = (Arc::new(setup), plan.others_wait);
        let mut begun = Self { id, seat, referee, setup, others_wait, outbox: VecDeque::new() };
        begun.announce(effects);
        begun.let_others_act();
        begun
    }

    pub(super) fn id(&self) -> MatchId {
        self.id
    }

    /// Returns the bot's seat.
    pub(super) fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns a seat other than the bot's.
    pub(super) fn other_seat(&self) -> Seat {
        self.setup.seats().next(self.seat)
    }

    fn state(&self) -> &MatchState {
        self.referee.record().state()
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().phase() == MatchPhase::Ended
    }

    /// Returns the current ply.
    pub(super) fn ply(&self) -> u32 {
        self.state().ply()
    }

    /// Describes what the bot has to do now; `None` if the match does not wait for the bot.
    pub(super) fn awaited(&self) -> Option<String> {
        let state = self.state();
        match state.phase() {
            _ if state.forfeits()[self.seat].is_some() => None,
            MatchPhase::Talking if !state.has_ended_talk(self.seat) => Some(format!(
                "`say` or `end_talk` for round {} of match {}, or `declare`",
                state.rounds_heard(),
                self.id
            )),
            MatchPhase::Declaring if state.row_of_seat(self.seat).is_none() => Some(format!(
                "`declare` with a row of the offsets 0 to {} for match {}",
                self.setup.seats().get() - 1,
                self.id
            )),
            MatchPhase::Playing if state.position().to_move() == self.seat => Some(format!(
                "`take` of 1 to {} counters at ply {} of match {}",
                state.position().counters(),
                state.ply(),
                self.id
            )),
            MatchPhase::Talking | MatchPhase::Declaring | MatchPhase::Playing | MatchPhase::Ended => None,
        }
    }

    /// Empties the outbox, and returns the events to send to the bot. Other seats' takes are included only if the bot
    /// subscribed to all takes.
    pub(super) fn drain_events(&mut self, feed: TakeFeed) -> Vec<ServerEvent> {
        let own_seat = self.seat;
        let is_heard = |event: &ServerEvent| match event {
            ServerEvent::InMatch { event: MatchEvent::Took { seat, .. }, .. } => {
                feed == TakeFeed::All || *seat == own_seat
            }
            _ => true,
        };
        mem::take(&mut self.outbox).into_iter().filter(is_heard).collect()
    }

    /// Creates the snapshot for a new session. It contains everything that the bot has missed.
    pub(super) fn snapshot_for_new_session(&mut self) -> ServerEvent {
        self.outbox.clear();
        let joined = self.referee.handle_input(RefereeInput::Joined { seat: self.seat }, script_time());
        self.announce(joined);
        self.outbox.pop_front().expect("a new session starts with a snapshot")
    }

    /// Creates another `turn` event, if the bot is to move.
    pub(super) fn repeated_turn(&mut self) -> Option<ServerEvent> {
        let ServerEvent::InMatch { event: MatchEvent::Snapshot(snapshot), .. } =
            self.snapshot_for_new_session()
        else {
            return None;
        };
        snapshot.turn.map(|turn| self.match_event(MatchEvent::Turn(turn)))
    }

    /// Creates the event that reports the end of the match to a bot that may have missed it.
    pub(super) fn missed_end(&self) -> Option<ServerEvent> {
        let (reason, winner) = self.state().end()?;
        let end = MissedEnd {
            seat: self.seat,
            setup: self.setup.as_ref().clone(),
            dealt: self.own_dealt_row().map(|row| (row, self.state().opened_rows().cloned())),
            forfeits: self.state().forfeits().clone(),
            reason,
            winner,
            audit: self.referee.record().audit().ok(),
        };
        Some(self.match_event(MatchEvent::MissedEnd(Box::new(end))))
    }

    /// Returns the row that was dealt to the bot, if rows were dealt.
    pub(super) fn own_dealt_row(&self) -> Option<Row> {
        self.state().dealt_rows().map(|matrix| matrix.rows()[self.seat].clone())
    }

    /// Creates another acknowledgement of the bot's row, if the bot has declared one.
    pub(super) fn repeated_own_row(&self) -> Option<ServerEvent> {
        let row = self.state().row_of_seat(self.seat)?.clone();
        Some(self.match_event(MatchEvent::Declared { row }))
    }

    /// Creates a refusal that the scenario has chosen, without asking the referee.
    pub(super) fn refusal(&self, reason: RefusalReason, message: &str) -> ServerEvent {
        let state = self.state();
        let refusal = Refusal {
            reason,
            message: message.to_owned(),
            ply: state.ply(),
            strikes: state.strikes()[self.seat],
            strikes_left: self.setup.terms.strikes - state.strikes()[self.seat],
        };
        self.match_event(MatchEvent::Refused(Box::new(refusal)))
    }

    fn match_event(&self, event: MatchEvent) -> ServerEvent {
        ServerEvent::InMatch { match_id: self.id, event }
    }

    /// Applies the bot's action, and lets the other seats act.
    pub(super) fn handle_action(&mut self, action: SeatAction) -> ActionOutcome {
        let seat = self.seat;
        let effects = self.referee.handle_input(RefereeInput::Act { seat, action }, script_time());
        let outcome = effects.iter().find_map(|effect| match effect {
            RefereeEffect::SendToSeat { seat: told, message } if *told == seat => match message {
                SeatMessage::Refused(refusal) => Some(ActionOutcome::Refused(refusal.clone())),
                SeatMessage::TalkAccepted { again: true, .. } => Some(ActionOutcome::RepeatedTalk),
                _ => None,
            },
            _ => None,
        });
        self.announce(effects);
        self.let_others_act();
        outcome.unwrap_or(ActionOutcome::Accepted)
    }

    /// Disqualifies the bot in a seat, as an organiser would.
    pub(super) fn disqualify(&mut self, seat: Seat) {
        let effects = self.referee.handle_input(RefereeInput::Disqualify { seat }, script_time());
        self.announce(effects);
        self.let_others_act();
    }

    /// Plays the match to its end without the bot and without sending events.
    pub(super) fn finish_silently(&mut self) {
        while !self.is_over() {
            let seat = self.state().position().to_move();
            self.take_at_seat(seat);
        }
        self.outbox.clear();
    }

    /// Lets the other seats declare their rows.
    pub(super) fn let_others_declare(&mut self) {
        self.others_wait = false;
        self.let_others_act();
    }

    fn let_others_act(&mut self) {
        let (own_seat, seats) = (self.seat, self.setup.seats());
        while self.state().phase() == MatchPhase::Talking {
            let talks = |&seat: &Seat| seat != own_seat && !self.state().has_ended_talk(seat);
            let Some(seat) = seats.iter().find(talks) else { break };
            self.talk_at_seat(seat);
        }
        for seat in seats.iter().filter(|&seat| seat != own_seat) {
            if self.state().phase() == MatchPhase::Declaring && !self.others_wait {
                let row = Row::favouring((seat.index() + 1) % seats.get(), seats);
                self.act_at_seat(seat, SeatAction::declare(&row, None));
            }
        }
        while self.state().phase() == MatchPhase::Playing {
            let seat = self.state().position().to_move();
            if seat == self.seat {
                return;
            }
            self.take_at_seat(seat);
        }
    }

    /// Sends a text to everyone and a claim to the bot, and ends the talk of a seat in the current round.
    fn talk_at_seat(&mut self, seat: Seat) {
        let round = self.state().rounds_heard();
        let text = SubmittedContent::Text(format!("seat {seat} speaks in round {round}"));
        let claim = Row::standard(self.setup.seats()).offsets().iter().copied().map(u64::from).collect();
        let messages = [(Vec::new(), text), (vec![u32::from(self.seat)], SubmittedContent::Claim(claim))];
        for (number, (to, content)) in (0..).zip(messages) {
            let message = SubmittedMessage { round, number, to, content: Some(content) };
            self.act_at_seat(seat, SeatAction::Say(Box::new(message)));
        }
        self.act_at_seat(seat, SeatAction::EndTalk { round });
    }

    fn take_at_seat(&mut self, seat: Seat) {
        let (ply, counters) = (self.state().ply(), self.state().position().counters());
        let take = 1 + (u64::from(ply) + 1).wrapping_mul(TAKE_HASH_FACTOR) % counters;
        self.act_at_seat(seat, SeatAction::take(ply, take, None));
    }

    fn act_at_seat(&mut self, seat: Seat, action: SeatAction) {
        let effects = self.referee.handle_input(RefereeInput::Act { seat, action }, script_time());
        self.announce(effects);
    }

    /// Queues the events that the bot's seat gets as a result of the referee's effects.
    fn announce(&mut self, effects: Vec<RefereeEffect>) {
        for effect in effects {
            let event = match effect {
                RefereeEffect::EventOccurred(happened) => self.announced_event(happened),
                RefereeEffect::SendToSeat { seat, message } if seat == self.seat => {
                    Some(seat_message_event(seat, message))
                }
                RefereeEffect::SendToSeat { .. } => None,
            };
            if let Some(event) = event {
                let event = self.match_event(event);
                self.outbox.push_back(event);
            }
        }
    }

    fn announced_event(&self, happened: TimedEvent) -> Option<MatchEvent> {
        Some(match happened.event {
            Event::Created(_) => {
                let dealt_row = self.own_dealt_row();
                MatchEvent::Started { seat: self.seat, setup: Arc::clone(&self.setup), dealt_row }
            }
            Event::Dealt(_)
            | Event::Said(_)
            | Event::TalkEnded { .. }
            | Event::Declared { .. }
            | Event::Struck { .. } => return None,
            Event::Heard { round } => {
                let messages = self.referee.record().messages_heard(self.seat, round).cloned().collect();
                MatchEvent::Heard { round, messages }
            }
            Event::Revealed { matrix } => {
                MatchEvent::Revealed(Arc::new(RevealedRows { matrix, defaulted: Vec::new() }))
            }
            Event::Took { ply, seat, take, mover, .. } => MatchEvent::Took { ply, seat, take, mover },
            Event::Forfeited { seat, reason } => MatchEvent::Forfeited { seat, reason },
            Event::Ended { reason, winner } => {
                let audit = self.referee.record().audit().ok().map(Arc::new);
                let dealt = self.state().opened_rows().cloned().map(Box::new);
                MatchEvent::Ended { reason, winner, audit, dealt }
            }
        })
    }
}

fn seat_message_event(seat: Seat, message: SeatMessage) -> MatchEvent {
    match message {
        SeatMessage::Declared { row } => MatchEvent::Declared { row },
        SeatMessage::TalkAccepted { round, number, .. } => MatchEvent::TalkAccepted { round, number },
        SeatMessage::Turn(turn) => MatchEvent::Turn(turn),
        SeatMessage::TakeRepeated { ply, take } => MatchEvent::Took { ply, seat, take, mover: Mover::Bot },
        SeatMessage::Refused(refusal) => MatchEvent::Refused(Box::new(refusal)),
        SeatMessage::Snapshot(snapshot) => MatchEvent::Snapshot(snapshot),
    }
}
