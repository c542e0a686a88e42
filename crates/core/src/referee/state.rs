//! The state of a match, derived from its events.

use super::clock::TakeAllowance;
use super::talk::Audience;
use super::time::whole_micros;
use super::{
    DealtRows, EndReason, Event, ForfeitReason, MAX_ROUND_MESSAGES, MatchPhase, MatchSetup, NoteHash,
    OfferId, OfferedPact, RefusalReason, RowDefault, TalkContent, TalkMessage, TalkPrivacy, TimeBank,
};
use crate::game::{AllianceMatrix, BySeat, Game, IllegalTake, Position, Row, Seat, SeatSet};
use crate::oracle::{Mover, PlayedTake, Solution};
use std::time::Duration;
use thiserror::Error;

/// The state of a match after all its events so far.
///
/// Data that every take changes is stored inline; the rest is behind one pointer, so that making a take loads little
/// memory into the caches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchState {
    position: Position,
    takes: Vec<PlayedTake>,
    banks: BySeat<TimeBank>,
    allowance: TakeAllowance,
    max_plies: u32,
    /// The forfeited seats; `cold` contains the reasons.
    forfeited_seats: SeatSet,
    phase: MatchPhase,
    cold: Box<ColdState>,
}

/// State that few events change or read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ColdState {
    setup: MatchSetup,
    /// The dealt rows; also `None` in a record that does not show them.
    dealt: Option<Box<DealtRows>>,
    rows: BySeat<Option<Row>>,
    /// The number of rounds of talk that have ended.
    rounds_heard: u32,
    /// By seat: the minimum number of its next message in this round of talk.
    next_numbers: BySeat<u32>,
    /// The seats that have said that they send no more messages in this round of talk.
    talk_ended: SeatSet,
    pacts: Vec<OfferedPact>,
    game: Option<Game>,
    strikes: BySeat<u32>,
    forfeits: BySeat<Option<ForfeitReason>>,
    end: Option<(EndReason, Option<Seat>)>,
}

/// A take, its mover and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DecidedTake {
    pub(super) seat: Seat,
    pub(super) take: u64,
    pub(super) mover: Mover,
    /// The time charged to the seat's bank.
    pub(super) charged_us: u64,
    /// The time credited for lag.
    pub(super) credited_us: u64,
}

/// Why an event cannot follow the previous events.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidEvent {
    /// The match is already set up.
    #[error("a second `created` event")]
    CreatedTwice,
    /// The match is over.
    #[error("the event follows the match's end")]
    AfterEnd,
    /// The dealt rows are not those to which the setup is committed, or come at the wrong time.
    #[error(
        "the dealt rows and salts do not match the commitments in `created`, or do not come directly after it"
    )]
    Dealt,
    /// The match ended with a winner, but its dealt rows are not in the record.
    #[error("the match ended with a winner, but `dealt` is missing")]
    NotDealt,
    /// The seats, or this seat, cannot talk at this time.
    #[error("a message or an end of talk while the seat cannot talk")]
    NoTalk,
    /// A message has the wrong round or number, or comes after the end of the seat's talk.
    #[error(
        "message {number} of seat {seat} in round {round} is out of order, or follows the end of the seat's talk"
    )]
    MessageOrder {
        /// The sender.
        seat: Seat,
        /// The round.
        round: u32,
        /// The number of the message.
        number: u32,
    },
    /// A message is addressed to seats to which it cannot be sent.
    #[error("a message from seat {0} to seats that it cannot address")]
    Audience(Seat),
    /// The content of a message is invalid, or is not the committed one.
    #[error("a message from seat {0} whose content is invalid or does not match its commitment")]
    Content(Seat),
    /// The event names a seat that the match does not have.
    #[error("the match has no seat {0}")]
    NoSuchSeat(Seat),
    /// The seat's row is already settled.
    #[error("a row for seat {0}, although its row is already settled")]
    RowSettled(Seat),
    /// The row has the wrong number of offsets.
    #[error(
        "a row of {given} offset{s} in a match with {seats} seats",
        s = if *given == 1 { "" } else { "s" }
    )]
    RowLength {
        /// The number of offsets in the row.
        given: usize,
        /// The number of seats in the match.
        seats: usize,
    },
    /// The rows are revealed twice or too early, or differ from the declared or assigned ones.
    #[error("the rows are revealed twice or too early, or differ from the declared or assigned rows")]
    Revealed,
    /// The rows are not revealed yet.
    #[error("a take before the rows are revealed")]
    NotRevealed,
    /// The ply is out of order.
    #[error("ply {given}, but ply {expected} comes next")]
    Ply {
        /// The ply of the event.
        given: u32,
        /// The ply that comes next.
        expected: u32,
    },
    /// Another seat is to move.
    #[error("seat {given} moved out of turn: seat {expected} is to move")]
    OutOfTurn {
        /// The seat of the event.
        given: Seat,
        /// The seat to move.
        expected: Seat,
    },
    /// The steward moved for a seat that was not forfeited, or a bot for one that was.
    #[error(
        "the wrong player moved for seat {0}: the steward moves for forfeited seats, and bots move for all others"
    )]
    WrongMover(Seat),
    /// The rules do not allow the take.
    #[error(transparent)]
    Illegal(#[from] IllegalTake),
    /// The seat had less time than it was charged.
    #[error("seat {0} is charged more time than it had left")]
    Overdrawn(Seat),
    /// The lag credit exceeds the limit for a take or for the seat.
    #[error("seat {0} is credited more lag than its quotas allow")]
    Overcredited(Seat),
    /// The charge or the credit is not a whole number of microseconds.
    #[error("seat {0} is charged or credited a fraction of a microsecond")]
    Fraction(Seat),
    /// The seat is charged or credited time for a take by the steward.
    #[error("seat {0} is charged or credited time for a take by the steward")]
    StewardCharged(Seat),
    /// The seat is already forfeited.
    #[error("seat {0} is already forfeited")]
    ForfeitedTwice(Seat),
    /// The seat did not declare, but its row is not the standard one.
    #[error("seat {0} has a default row that is not the standard row")]
    DefaultedRow(Seat),
    /// A row or take has a note hash, although the bot did not send it.
    #[error(
        "a note hash for a row or a take of seat {0} that its bot did not choose: only a bot's own rows and takes have note hashes"
    )]
    NoteHash(Seat),
    /// The event records a strike for a refusal that never costs one.
    #[error("a strike for \"{0}\", which is never a reason for a strike")]
    NoStrike(RefusalReason),
    /// A seat is forfeited for strikes before it has enough of them, or is not forfeited although it has enough.
    #[error(
        "seat {seat} has {strikes} of {limit} strikes: a seat is forfeited for strikes at the limit, and only then"
    )]
    Strikes {
        /// The seat.
        seat: Seat,
        /// The seat's strikes so far.
        strikes: u32,
        /// The number of strikes that forfeits a seat.
        limit: u32,
    },
    /// The event says that the seat ran out of time, but its clock was stopped.
    #[error("seat {0} is forfeited because its time ran out, but its clock was not running")]
    ClockStopped(Seat),
    /// The match must end now.
    #[error("the match must end now ({0}): only `ended` can follow")]
    EndDue(EndReason),
    /// The reason or the winner of the end is wrong.
    #[error("the end of the match is wrong: {0}")]
    End(&'static str),
}

impl MatchState {
    /// Creates the state of a new match.
    pub fn new(setup: MatchSetup) -> Self {
        let seats = setup.seats();
        Self {
            position: Position::new(setup.piles.clone(), setup.first, seats),
            takes: Vec::new(),
            banks: BySeat::filled(seats, &TimeBank::new(setup.clock())),
            allowance: TakeAllowance::new(setup.clock()),
            max_plies: setup.terms.max_plies,
            forfeited_seats: SeatSet::default(),
            phase: if setup.terms.talk.is_some() { MatchPhase::Talking } else { MatchPhase::Declaring },
            cold: Box::new(ColdState {
                dealt: None,
                rows: BySeat::filled(seats, &None),
                rounds_heard: 0,
                next_numbers: BySeat::filled(seats, &0),
                talk_ended: SeatSet::default(),
                pacts: Vec::new(),
                game: None,
                strikes: BySeat::filled(seats, &0),
                forfeits: BySeat::filled(seats, &None),
                end: None,
                setup,
            }),
        }
    }

    /// Returns the settings that were fixed before the first move.
    pub fn setup(&self) -> &MatchSetup {
        &self.cold.setup
    }

    /// Returns the phase.
    pub fn phase(&self) -> MatchPhase {
        self.phase
    }

    /// Returns the row that a seat declared or got by default, even if it is not revealed yet; `None` if the seat's row
    /// is not settled, or the rows of the match are assigned.
    pub fn row_of_seat(&self, seat: Seat) -> Option<&Row> {
        self.cold.rows[seat].as_ref()
    }

    /// Returns the game, which includes all rows; `None` until the rows are revealed.
    pub fn game(&self) -> Option<&Game> {
        self.cold.game.as_ref()
    }

    /// Returns the rows that were dealt to the seats and are still secret if the match has not ended with a winner;
    /// `None` if no rows were dealt, or the record does not show them.
    pub fn dealt_rows(&self) -> Option<&AllianceMatrix> {
        self.cold.dealt.as_ref().map(|dealt| &dealt.matrix)
    }

    /// Returns the rows that were dealt to the seats, once everybody may see them: when the match has ended with a
    /// winner.
    pub fn opened_rows(&self) -> Option<&AllianceMatrix> {
        self.dealt_rows().filter(|_| self.has_winner())
    }

    /// Returns whether rows were dealt, but the record does not show them, so that the match cannot end with a winner.
    pub fn lacks_dealt_rows(&self) -> bool {
        self.cold.setup.deal.is_some() && self.cold.dealt.is_none()
    }

    fn has_winner(&self) -> bool {
        matches!(self.cold.end, Some((_, Some(_))))
    }

    /// Returns whether everybody may see an event of the match.
    pub fn is_public(&self, event: &Event) -> bool {
        match event {
            Event::Declared { .. } => self.game().is_some(),
            Event::Said(message) => match message.audience {
                Audience::Everyone => message.round < self.rounds_heard(),
                Audience::Seats { .. } => self.has_winner(),
            },
            Event::Dealt(_) => self.has_winner(),
            _ => true,
        }
    }

    /// Returns whether everybody may see all events of the match so far.
    pub fn is_all_public(&self) -> bool {
        let setup = &self.cold.setup;
        let keeps_secrets =
            setup.deal.is_some() || setup.terms.talk.is_some_and(|talk| talk.privacy != TalkPrivacy::Open);
        self.game().is_some() && (!keeps_secrets || self.has_winner())
    }

    /// Returns the number of rounds of talk that have ended, which is the number of the current round while seats talk.
    pub fn rounds_heard(&self) -> u32 {
        self.cold.rounds_heard
    }

    /// Returns the number of messages that a seat has sent in the current round of talk.
    pub fn messages_in_round(&self, seat: Seat) -> u32 {
        self.cold.next_numbers[seat]
    }

    /// Returns whether a seat sends no more messages in the current round of talk: it has said so, has declared its
    /// row, or is forfeited.
    pub fn has_ended_talk(&self, seat: Seat) -> bool {
        let cold = &self.cold;
        cold.talk_ended.contains(seat) || cold.rows[seat].is_some() || self.forfeited_seats.contains(seat)
    }

    /// Returns the pacts that seats have offered, in order, including those of the current round. Leaves out pacts
    /// whose offers the record does not show.
    pub fn pacts(&self) -> &[OfferedPact] {
        &self.cold.pacts
    }

    /// Returns a pact that another seat has offered to this seat in a round that has ended.
    pub(super) fn pact_offered_to(&self, seat: Seat, offer: OfferId) -> Option<&OfferedPact> {
        let is_heard = offer.seat != seat && offer.round < self.rounds_heard();
        let mut pacts = self.pacts().iter().filter(|_| is_heard);
        pacts.find(|offered| offered.offer == offer && offered.pact.constraint(seat).is_some())
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the takes made so far, in order.
    pub fn takes(&self) -> &[PlayedTake] {
        &self.takes
    }

    /// Returns the number of takes made, which is the number of the next ply.
    pub fn ply(&self) -> u32 {
        self.takes.len() as u32
    }

    /// Returns the time that each seat has left, not counting the running turn.
    pub fn banks(&self) -> &BySeat<TimeBank> {
        &self.banks
    }

    /// Returns the strikes of each seat.
    pub fn strikes(&self) -> &BySeat<u32> {
        &self.cold.strikes
    }

    /// Returns why each seat was forfeited; `None` for seats that were not.
    pub fn forfeits(&self) -> &BySeat<Option<ForfeitReason>> {
        &self.cold.forfeits
    }

    /// Returns whether a seat is forfeited.
    pub fn is_forfeited(&self, seat: Seat) -> bool {
        self.forfeited_seats.contains(seat)
    }

    pub(super) fn allowance(&self) -> TakeAllowance {
        self.allowance
    }

    /// Returns the reason and the winner, once the match has ended.
    pub fn end(&self) -> Option<(EndReason, Option<Seat>)> {
        self.cold.end
    }

    /// Returns the matrix to be revealed: the assigned one, or the declared rows once all are settled.
    pub fn settled_matrix(&self) -> Option<AllianceMatrix> {
        if let Some(matrix) = &self.cold.setup.assigned {
            return Some(matrix.clone());
        }
        let rows: Vec<Row> = self.cold.rows.iter().cloned().collect::<Option<_>>()?;
        AllianceMatrix::from_rows(rows.try_into().ok()?).ok()
    }

    /// Returns why the match must end now: the last counter is taken, every seat is forfeited, or the ply limit is
    /// reached. `None` if play has not begun or goes on.
    pub fn due_end(&self) -> Option<EndReason> {
        if matches!(self.phase, MatchPhase::Talking | MatchPhase::Declaring)
            || (self.phase == MatchPhase::Ended && self.game().is_none())
        {
            None
        } else if self.position.is_over() {
            Some(EndReason::Finished)
        } else if self.forfeited_seats == SeatSet::all(self.position.seats()) {
            Some(EndReason::AllForfeited)
        } else if self.ply() >= self.max_plies {
            Some(EndReason::PlyLimit)
        } else {
            None
        }
    }

    /// Applies an event.
    ///
    /// # Errors
    /// If the event cannot follow the events so far; the state is then unchanged.
    pub fn apply_event(&mut self, event: &Event) -> Result<(), InvalidEvent> {
        self.check_open(event)?;
        match event {
            Event::Created(_) => Err(InvalidEvent::CreatedTwice),
            Event::Dealt(dealt) => self.apply_deal(dealt),
            Event::Said(message) => self.apply_message(message),
            Event::TalkEnded { seat, round } => self.apply_talk_end(*seat, *round),
            Event::Heard { round } => self.apply_round_end(*round),
            Event::Declared { seat, row, defaulted, note_hash } => {
                self.apply_declaration(*seat, row, *defaulted, note_hash.as_ref())
            }
            Event::Revealed { matrix } => self.apply_reveal(matrix),
            Event::Took { .. } => {
                let decided = self.check_took(event)?;
                self.make_take(decided);
                Ok(())
            }
            Event::Struck { seat, ply, reason } => self.apply_strike(*seat, *ply, *reason),
            Event::Forfeited { seat, reason } => self.apply_forfeit(*seat, *reason),
            Event::Ended { reason, winner } => self.apply_end(*reason, *winner),
        }
    }

    /// Checks that the match has not ended, and that the event is its end if the end is due.
    fn check_open(&self, event: &Event) -> Result<(), InvalidEvent> {
        if self.phase == MatchPhase::Ended {
            return Err(InvalidEvent::AfterEnd);
        }
        match self.due_end() {
            Some(due) if !matches!(event, Event::Ended { .. }) => Err(InvalidEvent::EndDue(due)),
            _ => Ok(()),
        }
    }

    /// Returns whether [`apply_event`](Self::apply_event) would accept this event and derive the same take from it.
    pub(super) fn allows_take(&self, decided: DecidedTake, event: &Event) -> bool {
        self.check_open(event).and_then(|()| self.check_took(event)) == Ok(decided)
    }

    fn check_took(&self, event: &Event) -> Result<DecidedTake, InvalidEvent> {
        let &Event::Took { ply, seat, take, mover, charged, credited, ref note_hash } = event else {
            unreachable!("only `took` events are checked against the turn")
        };
        self.check_turn(ply, seat, mover)?;
        if mover == Mover::Steward && note_hash.is_some() {
            return Err(InvalidEvent::NoteHash(seat));
        }
        self.check_charge(seat, mover, charged, credited)?;
        self.position.check_take(take)?;
        let (charged_us, credited_us) = (whole_micros(charged), whole_micros(credited));
        Ok(DecidedTake { seat, take, mover, charged_us, credited_us })
    }

    /// Makes a take that is known to fit: [`apply_event`](Self::apply_event) checked it, or the referee derived it from
    /// this state.
    pub(super) fn make_take(&mut self, decided: DecidedTake) {
        let DecidedTake { seat, take, mover, charged_us, credited_us } = decided;
        self.position.make_legal_take(take);
        if mover == Mover::Bot {
            self.banks[seat].charge_take(charged_us, credited_us, self.allowance);
        }
        self.takes.push(PlayedTake { take, mover });
    }

    fn check_seat(&self, seat: Seat) -> Result<(), InvalidEvent> {
        self.position.seats().seat(seat.index()).map(drop).map_err(|_| InvalidEvent::NoSuchSeat(seat))
    }

    fn apply_deal(&mut self, dealt: &DealtRows) -> Result<(), InvalidEvent> {
        let cold = &mut self.cold;
        let has_talk = cold.rounds_heard > 0
            || cold.next_numbers.iter().any(|&number| number > 0)
            || !cold.talk_ended.is_empty();
        let is_next =
            cold.dealt.is_none() && cold.game.is_none() && cold.rows.iter().all(Option::is_none) && !has_talk;
        let has_all_seats = [dealt.matrix.seats(), dealt.salts.seats()] == [cold.setup.seats(); 2];
        match &cold.setup.deal {
            Some(deal) if is_next && has_all_seats && dealt.commitments() == deal.commitments => {
                cold.dealt = Some(Box::new(dealt.clone()));
                Ok(())
            }
            _ => Err(InvalidEvent::Dealt),
        }
    }

    fn apply_message(&mut self, message: &TalkMessage) -> Result<(), InvalidEvent> {
        let &TalkMessage { seat, round, number, audience, .. } = message;
        self.check_seat(seat)?;
        let seats = self.position.seats();
        let Some(talk) = self.cold.setup.terms.talk.filter(|_| self.phase == MatchPhase::Talking) else {
            return Err(InvalidEvent::NoTalk);
        };
        let is_next = round == self.cold.rounds_heard
            && (self.cold.next_numbers[seat]..MAX_ROUND_MESSAGES).contains(&number);
        if !is_next || self.has_ended_talk(seat) {
            return Err(InvalidEvent::MessageOrder { seat, round, number });
        }
        let is_allowed = match audience {
            Audience::Everyone => true,
            Audience::Seats { seats: heard_by, published } => {
                let fits = heard_by.intersection(SeatSet::all(seats)) == heard_by;
                let expected = if published { TalkPrivacy::Published } else { TalkPrivacy::Private };
                let is_to_others = !heard_by.is_empty() && !heard_by.contains(seat);
                talk.privacy == expected && fits && is_to_others
            }
        };
        if !is_allowed {
            return Err(InvalidEvent::Audience(seat));
        }
        let fits = match message.content() {
            Some(TalkContent::Text(text)) => {
                !text.is_empty() && text.chars().count() <= talk.text_chars as usize
            }
            Some(TalkContent::Claim(row)) => row.seats() == seats,
            Some(TalkContent::Offer(pact)) => {
                let is_member = pact.seats() == seats && pact.constraint(seat).is_some();
                talk.pacts && is_member && audience == talk.pact_audience(pact, seat)
            }
            Some(&TalkContent::Accept(offer)) => {
                talk.pacts
                    && self.pact_offered_to(seat, offer).is_some_and(|offered| {
                        !offered.accepted.contains(seat)
                            && audience == talk.pact_audience(&offered.pact, seat)
                    })
            }
            None => true,
        };
        if !fits || !message.is_genuine() {
            return Err(InvalidEvent::Content(seat));
        }
        self.cold.next_numbers[seat] = number + 1;
        if let Some((place, content)) = message.place_and_content() {
            OfferedPact::add_message(&mut self.cold.pacts, place, content);
        }
        Ok(())
    }

    fn apply_talk_end(&mut self, seat: Seat, round: u32) -> Result<(), InvalidEvent> {
        self.check_seat(seat)?;
        let is_current = self.phase == MatchPhase::Talking && round == self.cold.rounds_heard;
        if !is_current || self.has_ended_talk(seat) {
            return Err(InvalidEvent::NoTalk);
        }
        self.cold.talk_ended.insert(seat);
        Ok(())
    }

    fn apply_round_end(&mut self, round: u32) -> Result<(), InvalidEvent> {
        let cold = &mut self.cold;
        let talk = cold.setup.terms.talk.filter(|_| self.phase == MatchPhase::Talking);
        let talk = talk.filter(|_| round == cold.rounds_heard).ok_or(InvalidEvent::NoTalk)?;
        cold.rounds_heard += 1;
        cold.talk_ended = SeatSet::default();
        cold.next_numbers = BySeat::filled(cold.setup.seats(), &0);
        if cold.rounds_heard == talk.rounds {
            self.phase = MatchPhase::Declaring;
        }
        Ok(())
    }

    fn apply_declaration(
        &mut self,
        seat: Seat,
        row: &Row,
        defaulted: Option<RowDefault>,
        note_hash: Option<&NoteHash>,
    ) -> Result<(), InvalidEvent> {
        self.check_seat(seat)?;
        let cold = &self.cold;
        if cold.setup.assigned.is_some() || cold.game.is_some() || cold.rows[seat].is_some() {
            return Err(InvalidEvent::RowSettled(seat));
        }
        let (given, seats) = (row.offsets().len(), cold.setup.seats().get());
        if given != seats {
            return Err(InvalidEvent::RowLength { given, seats });
        }
        if defaulted.is_some() && *row != Row::standard(cold.setup.seats()) {
            return Err(InvalidEvent::DefaultedRow(seat));
        }
        if defaulted.is_some() && note_hash.is_some() {
            return Err(InvalidEvent::NoteHash(seat));
        }
        self.cold.rows[seat] = Some(row.clone());
        Ok(())
    }

    fn apply_reveal(&mut self, matrix: &AllianceMatrix) -> Result<(), InvalidEvent> {
        let is_too_early = self.phase == MatchPhase::Talking;
        if is_too_early || self.cold.game.is_some() || self.settled_matrix().as_ref() != Some(matrix) {
            return Err(InvalidEvent::Revealed);
        }
        let setup = &self.cold.setup;
        let game = Game::new(setup.piles.clone(), matrix.clone(), setup.first.index(), setup.ending)
            .map_err(|_| InvalidEvent::NoSuchSeat(setup.first))?;
        self.cold.game = Some(game);
        self.phase = MatchPhase::Playing;
        Ok(())
    }

    fn check_turn(&self, ply: u32, seat: Seat, mover: Mover) -> Result<(), InvalidEvent> {
        self.check_seat(seat)?;
        if self.cold.game.is_none() {
            return Err(InvalidEvent::NotRevealed);
        }
        if ply != self.ply() {
            return Err(InvalidEvent::Ply { given: ply, expected: self.ply() });
        }
        if seat != self.position.to_move() {
            return Err(InvalidEvent::OutOfTurn { given: seat, expected: self.position.to_move() });
        }
        if (mover == Mover::Steward) != self.forfeited_seats.contains(seat) {
            return Err(InvalidEvent::WrongMover(seat));
        }
        Ok(())
    }

    fn check_charge(
        &self,
        seat: Seat,
        mover: Mover,
        charged: Duration,
        credited: Duration,
    ) -> Result<(), InvalidEvent> {
        let bank = &self.banks[seat];
        let fractional = |span: Duration| !span.subsec_nanos().is_multiple_of(1_000);
        match mover {
            _ if fractional(charged) || fractional(credited) => Err(InvalidEvent::Fraction(seat)),
            Mover::Steward if !(charged.is_zero() && credited.is_zero()) => {
                Err(InvalidEvent::StewardCharged(seat))
            }
            Mover::Bot if charged > bank.left() => Err(InvalidEvent::Overdrawn(seat)),
            Mover::Bot
                if whole_micros(credited) > bank.lag_credit_us(whole_micros(credited), self.allowance) =>
            {
                Err(InvalidEvent::Overcredited(seat))
            }
            Mover::Bot | Mover::Steward => Ok(()),
        }
    }

    fn apply_strike(&mut self, seat: Seat, ply: u32, reason: RefusalReason) -> Result<(), InvalidEvent> {
        self.check_seat(seat)?;
        if !reason.is_strike() {
            return Err(InvalidEvent::NoStrike(reason));
        }
        if ply != self.ply() {
            return Err(InvalidEvent::Ply { given: ply, expected: self.ply() });
        }
        if self.forfeited_seats.contains(seat) {
            return Err(InvalidEvent::ForfeitedTwice(seat));
        }
        let (strikes, limit) = (self.cold.strikes[seat], self.cold.setup.terms.strikes);
        if strikes >= limit {
            return Err(InvalidEvent::Strikes { seat, strikes, limit });
        }
        self.cold.strikes[seat] += 1;
        Ok(())
    }

    fn apply_forfeit(&mut self, seat: Seat, reason: ForfeitReason) -> Result<(), InvalidEvent> {
        self.check_seat(seat)?;
        if self.forfeited_seats.contains(seat) {
            return Err(InvalidEvent::ForfeitedTwice(seat));
        }
        let (strikes, limit) = (self.cold.strikes[seat], self.cold.setup.terms.strikes);
        if (reason == ForfeitReason::Strikes) != (strikes >= limit) {
            return Err(InvalidEvent::Strikes { seat, strikes, limit });
        }
        let playing = self.cold.game.is_some();
        let to_move = playing && self.position.to_move() == seat;
        let fits = match reason {
            ForfeitReason::TimedOut | ForfeitReason::Disconnected => to_move,
            ForfeitReason::NoShow => to_move || !playing,
            ForfeitReason::Strikes | ForfeitReason::Resigned | ForfeitReason::Disqualified => true,
        };
        if !fits {
            return Err(InvalidEvent::ClockStopped(seat));
        }
        self.cold.forfeits[seat] = Some(reason);
        self.forfeited_seats.insert(seat);
        Ok(())
    }

    fn apply_end(&mut self, reason: EndReason, winner: Option<Seat>) -> Result<(), InvalidEvent> {
        if reason == EndReason::Cancelled {
            if winner.is_some() {
                return Err(InvalidEvent::End("a cancelled match has no winner"));
            }
        } else {
            if self.lacks_dealt_rows() {
                return Err(InvalidEvent::NotDealt);
            }
            if self.due_end() != Some(reason) {
                return Err(InvalidEvent::End("the match did not end for this reason"));
            }
            let due = self.cold.game.as_ref().map(|game| Solution::new(game).winner(&self.position));
            if winner.is_none() || winner != due {
                return Err(InvalidEvent::End("it must name the seat that won"));
            }
        }
        self.cold.end = Some((reason, winner));
        self.phase = MatchPhase::Ended;
        Ok(())
    }
}
