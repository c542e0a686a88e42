//! A match in this process, without a server.

use super::{
    Bot, EndReport, MatchEnd, MatchInfo, MatchView, Message, SeatFigures, TalkMessage, TalkRound,
    seen_takes::{NewestTakes, SeenTakes},
};
use lastnim_core::{
    game::{BySeat, Game, MatchId, Row, Seat, SeatSet},
    referee::{
        Audience, Deal, DealRule, DealtRows, Event, MatchPhase, MatchSetup, MatchSetupError, NoteHash,
        Record, Referee, RefereeEffect, RefereeInput, SeatAction, SeatMessage, SubmittedMessage, TalkContent,
        Timestamp,
    },
};
use lastnim_proto::TakeFeed;
use std::sync::Arc;
use thiserror::Error;

/// A match in this process, without a server, sockets or clocks. The referee of the server decides what is legal and
/// what each seat hears.
///
/// [`next_seat`](Self::next_seat) names a seat whose bot must act, and [`ask_bot`](Self::ask_bot) asks a bot;
/// [`play_to_end`](Self::play_to_end) does this until the match is over. On a server, a bot can send something else after
/// a refusal; here the caller decides what follows.
///
/// # Panics
/// Methods with a seat panic if the match has no such seat.
#[derive(Debug)]
pub struct LocalMatch {
    referee: Referee,
    now: Timestamp,
    seen_takes: SeenTakes,
    /// The game, and what each seat knows, once all rows are revealed.
    revealed: Option<(Arc<Game>, BySeat<Arc<MatchInfo>>)>,
}

/// The referee has refused what a seat sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("seat {seat}: {message}")]
pub struct RefusedAction {
    /// The seat.
    pub seat: Seat,
    /// What was wrong, and what is expected.
    pub message: String,
}

impl LocalMatch {
    /// Begins a match in which all events happen at `now`. `dealt` has the private rows of the seats and the rule by
    /// which they are dealt; `None` to deal no rows. A deal in `setup` is ignored.
    ///
    /// # Errors
    /// If the match cannot be played. The error lists everything that is wrong.
    pub fn begin(
        id: MatchId,
        mut setup: MatchSetup,
        dealt: Option<(DealRule, DealtRows)>,
        now: Timestamp,
    ) -> Result<Self, Vec<MatchSetupError>> {
        setup.deal = dealt.as_ref().map(|(rule, dealt)| Box::new(Deal::of_rows(rule.clone(), dealt)));
        let dealt = dealt.map(|(_, dealt)| Box::new(dealt));
        let setup = setup.validate()?;
        let present = BySeat::filled(setup.seats(), &true);
        let (mut referee, _) = Referee::begin_dealt(id, setup, dealt, present, now);
        referee.mark_effects_announced(now);
        let seen_takes = SeenTakes::from_start(referee.record().state().position().clone());
        let mut begun = Self { referee, now, seen_takes, revealed: None };
        begun.note_revealed_rows();
        Ok(begun)
    }

    /// Returns the record so far.
    pub fn record(&self) -> &Record {
        self.referee.record()
    }

    /// Returns the phase.
    pub fn phase(&self) -> MatchPhase {
        self.record().state().phase()
    }

    /// Returns the first seat for which the match waits: one that still talks or has to declare, or the seat to move.
    /// `None` if the match is over.
    pub fn next_seat(&self) -> Option<Seat> {
        let state = self.record().state();
        let mut seats = state.setup().seats().iter();
        match state.phase() {
            MatchPhase::Talking => seats.find(|&seat| !state.has_ended_talk(seat)),
            MatchPhase::Declaring => seats.find(|&seat| state.row_of_seat(seat).is_none()),
            MatchPhase::Playing => Some(state.position().to_move()),
            MatchPhase::Ended => None,
        }
    }

    /// Returns what a seat knows about the match.
    pub fn info(&mut self, seat: Seat) -> Arc<MatchInfo> {
        if let Some((_, infos)) = &self.revealed {
            return Arc::clone(&infos[seat]);
        }
        let effects = self.referee.handle_input(RefereeInput::Joined { seat }, self.now);
        let snapshot = effects.into_iter().find_map(|effect| match effect {
            RefereeEffect::SendToSeat { message: SeatMessage::Snapshot(snapshot), .. } => Some(snapshot),
            _ => None,
        });
        let snapshot = *snapshot.expect("a seat that joins gets a snapshot");
        let messages = snapshot.talk.map(|talk| talk.messages).unwrap_or_default();
        Arc::new(MatchInfo {
            id: self.record().id(),
            seat,
            setup: snapshot.setup,
            dealt_row: snapshot.dealt_row,
            messages: messages.iter().filter_map(|message| message_of_seat(message, seat)).collect(),
        })
    }

    /// Returns the round of talk that is open, as a seat sees it.
    pub fn talk_round(&mut self, seat: Seat) -> TalkRound {
        let info = self.info(seat);
        let time_left = info.terms.talk.unwrap_or_default().round_time;
        TalkRound { info, round: self.record().state().rounds_heard(), time_left }
    }

    /// Returns the match as the seat to move sees it; `None` unless a seat is to move.
    pub fn view(&self, take_feed: TakeFeed) -> Option<MatchView> {
        let state = self.record().state();
        let (game, infos) = self.revealed.as_ref().filter(|_| state.phase() == MatchPhase::Playing)?;
        let position = state.position().clone();
        let seat = position.to_move();
        Some(MatchView {
            info: Arc::clone(&infos[seat]),
            game: Arc::clone(game),
            ply: state.ply(),
            bank_left: state.banks()[seat].left(),
            seen_takes: match take_feed {
                TakeFeed::All => self.seen_takes.newest().clone(),
                TakeFeed::OwnTurns => NewestTakes::default(),
            },
            position,
        })
    }

    /// Sends the messages of a seat in the open round of talk, and ends its talk in this round.
    ///
    /// # Errors
    /// If a message is refused. The messages before it are sent, and the seat can send others.
    pub fn talk(&mut self, seat: Seat, messages: &[Message]) -> Result<(), RefusedAction> {
        let round = self.record().state().rounds_heard();
        for Message { to, content } in messages {
            let number = self.record().state().messages_in_round(seat);
            let to = to.iter().map(u32::from).collect();
            let content = Some(content.into());
            self.act(seat, SeatAction::Say(Box::new(SubmittedMessage { round, number, to, content })))?;
        }
        self.act(seat, SeatAction::EndTalk { round })
    }

    /// Declares the row of a seat, which ends its talk.
    ///
    /// # Errors
    /// If the row is refused.
    pub fn declare(
        &mut self,
        seat: Seat,
        row: &Row,
        note_hash: Option<NoteHash>,
    ) -> Result<(), RefusedAction> {
        self.act(seat, SeatAction::declare(row, note_hash))
    }

    /// Takes counters for the seat to move.
    ///
    /// # Errors
    /// If the take is refused, which costs the seat a strike as it does on a server.
    pub fn take(&mut self, take: u64, note_hash: Option<NoteHash>) -> Result<(), RefusedAction> {
        let state = self.record().state();
        let (ply, seat) = (state.ply(), state.position().to_move());
        self.act(seat, SeatAction::take(ply, take, note_hash))
    }

    /// Asks the bot of a seat for what the match waits for, and does what it answers.
    ///
    /// # Errors
    /// If the referee refuses what the bot answers, or another seat is to move.
    pub fn ask_bot(&mut self, seat: Seat, bot: &mut (impl Bot + ?Sized)) -> Result<(), RefusedAction> {
        match self.phase() {
            MatchPhase::Talking => match bot.talk(&self.talk_round(seat)) {
                Some(messages) => self.talk(seat, &messages),
                None => self.ask_row(seat, bot),
            },
            MatchPhase::Declaring => self.ask_row(seat, bot),
            MatchPhase::Playing => {
                let Some(view) = self.view(bot.take_feed()) else { return Ok(()) };
                if view.info.seat != seat {
                    return Err(RefusedAction {
                        seat,
                        message: format!("seat {} is to move", view.info.seat),
                    });
                }
                let take = bot.play(&view);
                self.take(take, bot.note_hash().map(NoteHash::from_bytes))
            }
            MatchPhase::Ended => Ok(()),
        }
    }

    fn ask_row(&mut self, seat: Seat, bot: &mut (impl Bot + ?Sized)) -> Result<(), RefusedAction> {
        let row = bot.declare(&self.info(seat));
        self.declare(seat, &row, bot.note_hash().map(NoteHash::from_bytes))
    }

    /// Asks the bots until the match is over, and tells them about rounds of talk and the end.
    ///
    /// # Errors
    /// If the referee refuses what a bot answers. The match is not over then.
    ///
    /// # Panics
    /// If there is not one bot for each seat.
    pub fn play_to_end(&mut self, bots: &mut BySeat<Box<dyn Bot>>) -> Result<(), RefusedAction> {
        let seats = self.record().state().setup().seats();
        assert_eq!(bots.seats(), seats, "a match has one bot for each seat");
        while let Some(seat) = self.next_seat() {
            let known = self.record().state().rounds_heard();
            self.ask_bot(seat, &mut *bots[seat])?;
            for round in known..self.record().state().rounds_heard() {
                for seat in seats.iter() {
                    let info = self.info(seat);
                    bots[seat].heard(&info, round);
                }
            }
        }
        for seat in seats.iter() {
            if let Some(end) = self.end(seat) {
                bots[seat].ended(&end);
            }
        }
        Ok(())
    }

    /// Returns how the match ended for a seat; `None` until it has ended.
    pub fn end(&mut self, seat: Seat) -> Option<MatchEnd> {
        let info = self.info(seat);
        let state = self.record().state();
        let (reason, winner) = state.end()?;
        let audit = self.record().audit().ok();
        Some(MatchEnd {
            info,
            reason: EndReport::Known(reason),
            winner,
            forfeited: state.is_forfeited(seat),
            figures: audit.map(|audit| SeatFigures::of_seat(&audit.seats[seat])),
        })
    }

    fn act(&mut self, seat: Seat, action: SeatAction) -> Result<(), RefusedAction> {
        let effects = self.referee.handle_input(RefereeInput::Act { seat, action }, self.now);
        self.referee.mark_effects_announced(self.now);
        let mut refused = Ok(());
        for effect in effects {
            match effect {
                RefereeEffect::EventOccurred(timed) => {
                    if let Event::Took { ply, take, mover, .. } = timed.event {
                        self.seen_takes.add_take(ply, take, mover);
                    }
                }
                RefereeEffect::SendToSeat { message: SeatMessage::Refused(refusal), .. } => {
                    refused = Err(RefusedAction { seat, message: refusal.message });
                }
                RefereeEffect::SendToSeat { .. } => {}
            }
        }
        self.note_revealed_rows();
        refused
    }

    fn note_revealed_rows(&mut self) {
        if self.revealed.is_none()
            && let Some(game) = self.record().state().game().cloned()
        {
            let infos = BySeat::from_fn(game.matrix.seats(), |seat| self.info(seat));
            self.revealed = Some((Arc::new(game), infos));
        }
    }
}

/// Returns a message as the SDK shows it to a seat that sent or heard it.
fn message_of_seat(message: &lastnim_core::referee::TalkMessage, own: Seat) -> Option<TalkMessage> {
    let content = message.content()?.clone();
    let is_own_pact =
        message.seat == own && matches!(content, TalkContent::Offer(_) | TalkContent::Accept(_));
    let to = match message.audience {
        Audience::Seats { seats, .. } if !is_own_pact => seats,
        _ => SeatSet::default(),
    };
    Some(TalkMessage { seat: message.seat, round: message.round, number: message.number, to, content })
}
