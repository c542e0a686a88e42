//! Talk: rounds in which seats send messages, before the rows are declared.

use super::Referee;
use crate::game::{Pact, Row, Seat, SeatSet};
use crate::referee::{
    Audience, Event, MAX_ROUND_MESSAGES, MatchPhase, OfferId, OfferedPact, RefereeEffect, RefusalReason,
    SeatMessage, SubmittedContent, SubmittedMessage, TalkContent, TalkMessage, TalkPrivacy, TalkSecret,
    TalkTerms, TalkView,
};
use std::time::Duration;

impl Referee {
    /// Sets the secret from which the salts of messages are derived. Without it, anybody could check guesses at private
    /// messages.
    pub fn set_talk_secret(&mut self, secret: TalkSecret) {
        self.talk_secret = secret;
    }

    pub(super) fn handle_message(
        &mut self,
        seat: Seat,
        submitted: &SubmittedMessage,
        effects: &mut Vec<RefereeEffect>,
    ) {
        if self.refuse_talk_out_of_time(seat, submitted.round, effects) {
            return;
        }
        match self.check_message(seat, submitted) {
            Ok(Some(message)) => {
                let (round, number) = (message.round, Some(message.number));
                self.record_event(Event::Said(Box::new(message)), effects);
                accept_talk(seat, round, number, false, effects);
            }
            Ok(None) => accept_talk(seat, submitted.round, Some(submitted.number), true, effects),
            Err(message) => self.refuse_message(seat, RefusalReason::InvalidTalk, message, effects),
        }
    }

    pub(super) fn handle_end_of_talk(&mut self, seat: Seat, round: u32, effects: &mut Vec<RefereeEffect>) {
        if self.refuse_talk_out_of_time(seat, round, effects) {
            return;
        }
        let again = round < self.state().rounds_heard() || self.state().has_ended_talk(seat);
        if !again {
            self.record_event(Event::TalkEnded { seat, round }, effects);
        }
        accept_talk(seat, round, None, again, effects);
        self.end_rounds_if_due(effects);
    }

    /// Refuses a message or the end of talk if the match has ended or has no talk, if the seat is forfeited, or if the
    /// round does not exist or has not begun. Returns whether it was refused.
    fn refuse_talk_out_of_time(&mut self, seat: Seat, round: u32, effects: &mut Vec<RefereeEffect>) -> bool {
        let (state, reason) = (self.state(), RefusalReason::InvalidTalk);
        let reached = state.rounds_heard();
        let (reason, message) = match state.setup().terms.talk {
            _ if state.phase() == MatchPhase::Ended => {
                self.refuse_after_end(seat, effects);
                return true;
            }
            None => (reason, "the seats of this match cannot talk".to_owned()),
            Some(_) if state.is_forfeited(seat) => {
                (RefusalReason::Forfeited, format!("seat {seat} is forfeited: the steward now plays for it"))
            }
            Some(TalkTerms { rounds, .. }) if round >= rounds => {
                (reason, format!("round {round} of talk: expected 0 to {}", rounds - 1))
            }
            Some(_) if round > reached => {
                (reason, format!("round {round} of talk has not begun: round {reached} is open"))
            }
            Some(_) => return false,
        };
        self.refuse_message(seat, reason, message, effects);
        true
    }

    /// Returns the message to be recorded; `None` if the seat has sent the same message before.
    ///
    /// # Errors
    /// If the message is invalid.
    fn check_message(&self, seat: Seat, submitted: &SubmittedMessage) -> Result<Option<TalkMessage>, String> {
        let &SubmittedMessage { round, number, .. } = submitted;
        let (state, terms) = (self.state(), self.state().setup().terms.talk.expect("the match has talk"));
        let content = self.check_content(seat, submitted.content.as_ref(), terms)?;
        let audience = self.check_audience(seat, &submitted.to, &content, terms)?;
        let is_same_place =
            |sent: &&TalkMessage| (sent.seat, sent.round, sent.number) == (seat, round, number);
        if let Some(sent) = self.record.messages().find(is_same_place) {
            let is_same = sent.audience == audience && sent.content() == Some(&content);
            let differs = || format!("a different message {number} of round {round} was already sent");
            return if is_same { Ok(None) } else { Err(differs()) };
        }
        if round < state.rounds_heard() {
            return Err(format!("round {round} of talk is over"));
        }
        if state.has_ended_talk(seat) {
            return Err(format!("seat {seat} has ended its talk in round {round}"));
        }
        let next = state.messages_in_round(seat);
        if next >= MAX_ROUND_MESSAGES {
            return Err(format!("seat {seat} has sent {next} messages in round {round}, the maximum"));
        }
        if number != next {
            return Err(format!("message {number} of round {round}: the next message has number {next}"));
        }
        if let TalkContent::Accept(offer) = content
            && state.pact_offered_to(seat, offer).is_some_and(|offered| offered.accepted.contains(seat))
        {
            return Err(format!("seat {seat} has already accepted this pact"));
        }
        let salt = self.talk_secret.salt(seat, round, number);
        Ok(Some(TalkMessage::new((seat, round, number), audience, content, salt)))
    }

    fn check_audience(
        &self,
        seat: Seat,
        to: &[u32],
        content: &TalkContent,
        terms: TalkTerms,
    ) -> Result<Audience, String> {
        let pact = match content {
            TalkContent::Text(_) | TalkContent::Claim(_) => None,
            TalkContent::Offer(pact) => Some(pact),
            &TalkContent::Accept(offer) => {
                let OfferId { seat: by, round, number } = offer;
                let offered = self.state().pact_offered_to(seat, offer);
                let unknown = || {
                    format!(
                        "message {number} of seat {by} in round {round} does not offer seat {seat} a pact"
                    )
                };
                Some(&offered.ok_or_else(unknown)?.pact)
            }
        };
        if let Some(pact) = pact {
            return if to.is_empty() {
                Ok(terms.pact_audience(pact, seat))
            } else {
                Err("a pact with addressees: expected none, because it goes to its members".to_owned())
            };
        }
        if to.is_empty() {
            return Ok(Audience::Everyone);
        }
        if terms.privacy == TalkPrivacy::Open {
            return Err("a message to some seats: in this match, messages go to everyone".to_owned());
        }
        let all = self.state().setup().seats();
        let named = to.iter().map(|&index| match all.seat(index as usize) {
            Ok(named) if named == seat => {
                Err(format!("a message to seat {seat}, your own seat: expected other seats"))
            }
            Ok(named) => Ok(named),
            Err(error) => Err(error.to_string()),
        });
        Ok(Audience::Seats {
            seats: named.collect::<Result<SeatSet, _>>()?,
            published: terms.privacy == TalkPrivacy::Published,
        })
    }

    fn check_content(
        &self,
        seat: Seat,
        content: Option<&SubmittedContent>,
        terms: TalkTerms,
    ) -> Result<TalkContent, String> {
        match content {
            None => {
                Err("a message without content: expected a text, a claim, an offer or an acceptance"
                    .to_owned())
            }
            Some(SubmittedContent::Text(text)) => {
                let (given, max) = (text.chars().count(), terms.text_chars);
                if !(1..=max as usize).contains(&given) {
                    return Err(format!("a text of {given} characters: expected 1 to {max}"));
                }
                Ok(TalkContent::Text(text.clone()))
            }
            Some(SubmittedContent::Claim(offsets)) => {
                let row = Row::parse(offsets, self.state().setup().seats());
                row.map(TalkContent::Claim).map_err(|error| error.to_string())
            }
            Some(SubmittedContent::Offer(_) | SubmittedContent::Accept { .. }) if !terms.pacts => {
                Err("the seats of this match cannot sign pacts".to_owned())
            }
            Some(SubmittedContent::Offer(members)) => {
                let seats = self.state().setup().seats();
                let pact = Pact::parse(seats, members).map_err(|error| error.to_string())?;
                match pact.constraint(seat) {
                    Some(_) => Ok(TalkContent::Offer(pact)),
                    None => {
                        Err(format!("a pact without seat {seat}: expected your own seat among its members"))
                    }
                }
            }
            Some(&SubmittedContent::Accept { seat: by, round, number }) => {
                let by = self.state().setup().seats().seat(by as usize).map_err(|error| error.to_string())?;
                Ok(TalkContent::Accept(OfferId { seat: by, round, number }))
            }
        }
    }

    /// Ends the current round of talk if all seats have ended their talk, and also later rounds in which no seat can
    /// send messages.
    pub(super) fn end_rounds_if_due(&mut self, effects: &mut Vec<RefereeEffect>) {
        while self.state().phase() == MatchPhase::Talking
            && self.state().setup().seats().iter().all(|seat| self.state().has_ended_talk(seat))
        {
            self.end_round(effects);
        }
    }

    pub(super) fn end_round(&mut self, effects: &mut Vec<RefereeEffect>) {
        self.waiting_since = None;
        self.record_event(Event::Heard { round: self.state().rounds_heard() }, effects);
        self.reveal_if_settled(effects);
    }

    /// Returns what a seat knows about the talk; `None` if the seats of this match cannot talk.
    pub(super) fn talk_view(&self, seat: Seat) -> Option<TalkView> {
        let state = self.state();
        let terms = state.setup().terms.talk?;
        let heard = state.rounds_heard();
        let is_open = state.phase() == MatchPhase::Talking;
        let waited = Duration::from_micros(self.micros_waited(self.now));
        let is_known = |message: &&TalkMessage| {
            message.seat == seat || (message.round < heard && message.audience.contains(seat))
        };
        let messages: Vec<_> = self.record.messages().filter(is_known).cloned().collect();
        let mut pacts = OfferedPact::collect(messages.iter().filter_map(TalkMessage::place_and_content));
        pacts.retain(|offered| offered.pact.constraint(seat).is_some());
        Some(TalkView {
            round: is_open.then_some(heard),
            left: is_open.then(|| terms.round_time.saturating_sub(waited)),
            is_done: state.has_ended_talk(seat),
            messages,
            pacts,
        })
    }
}

fn accept_talk(seat: Seat, round: u32, number: Option<u32>, again: bool, effects: &mut Vec<RefereeEffect>) {
    let message = SeatMessage::TalkAccepted { round, number, again };
    effects.push(RefereeEffect::SendToSeat { seat, message });
}
