//! Messages of a match to its seats and watchers.

use super::LiveMatch;
use crate::matches::shard::effect::{ShardEffect, WatchEvent};
use crate::sessions::session_link::describe_refusal;
use lastnim_core::game::Seat;
use lastnim_core::oracle::{Audit, Mover};
use lastnim_core::referee::{Audience, EndReason, Event, MatchSetup, RefusalReason, SeatMessage, TimedEvent};
use lastnim_proto::{MatchEvent, RevealedRows, TakeFeed};
use lastnim_tournament::OracleAccess;
use std::sync::Arc;

impl<S: Clone> LiveMatch<S> {
    /// Sends a message from the referee to the session of a seat, if there is one.
    pub(super) fn send_seat_message(
        &self,
        seat: Seat,
        message: SeatMessage,
        effects: &mut Vec<ShardEffect<S>>,
    ) {
        let Some(session) = &self.seats[seat].session else { return };
        let wrong = match &message {
            SeatMessage::Refused(refusal) => {
                Some(describe_refusal(refusal.reason, &refusal.message, Some(self.id)))
            }
            SeatMessage::TakeRepeated { ply, take } => {
                Some(format!("match {}: the take of {take} at ply {ply} was sent again", self.id))
            }
            SeatMessage::TalkAccepted { round, number, again: true } => {
                let what = number.map_or("the end of talk".to_owned(), |number| format!("message {number}"));
                Some(format!("match {}: {what} of round {round} was sent again", self.id))
            }
            SeatMessage::Declared { .. }
            | SeatMessage::TalkAccepted { again: false, .. }
            | SeatMessage::Turn(_)
            | SeatMessage::Snapshot(_) => None,
        };
        if let Some(wrong) = wrong {
            let to = session.address.clone();
            effects.push(match &message {
                SeatMessage::Refused(refusal) if refusal.reason == RefusalReason::MatchEnded => {
                    ShardEffect::CountLateMessage { to, wrong }
                }
                _ => ShardEffect::CountIdleMessage { to, wrong },
            });
        }
        let event = match message {
            SeatMessage::Declared { row } => MatchEvent::Declared { row },
            SeatMessage::TalkAccepted { round, number, .. } => MatchEvent::TalkAccepted { round, number },
            SeatMessage::Turn(turn) => MatchEvent::Turn(turn),
            SeatMessage::TakeRepeated { ply, take } => {
                MatchEvent::Took { ply, seat, take, mover: Mover::Bot }
            }
            SeatMessage::Refused(refusal) => MatchEvent::Refused(Box::new(refusal)),
            SeatMessage::Snapshot(snapshot) => MatchEvent::Snapshot(snapshot),
        };
        effects.push(ShardEffect::Send { to: session.address.clone(), id: self.id, event });
    }

    /// Sends an event to the session of a seat, if there is one.
    pub(super) fn send_to_seat(&self, seat: Seat, event: MatchEvent, effects: &mut Vec<ShardEffect<S>>) {
        if let Some(session) = &self.seats[seat].session {
            effects.push(ShardEffect::Send { to: session.address.clone(), id: self.id, event });
        }
    }

    fn send_to_all_seats(&self, event: &MatchEvent, effects: &mut Vec<ShardEffect<S>>) {
        for seat in self.seats.seats().iter() {
            self.send_to_seat(seat, event.clone(), effects);
        }
    }

    /// Returns the effect that reports that the end has been sent to the session of a seat, if there is one.
    pub(super) fn end_sent(&self, seat: Seat) -> ShardEffect<S> {
        let session = self.seats[seat].session.as_ref().map(|session| session.id);
        ShardEffect::EndSent { id: self.id, seat, session }
    }

    /// Announces an event to all recipients that may see it.
    pub(super) fn announce_event(
        &self,
        timed: TimedEvent,
        audit: Option<&Arc<Audit>>,
        effects: &mut Vec<ShardEffect<S>>,
    ) {
        match &timed.event {
            Event::Created(setup) => {
                let setup = Arc::new(MatchSetup::clone(setup));
                let dealt = self.referee.record().state().dealt_rows();
                for seat in self.seats.seats().iter() {
                    let dealt_row = dealt.map(|matrix| matrix.rows()[seat].clone());
                    let started = MatchEvent::Started { seat, setup: Arc::clone(&setup), dealt_row };
                    self.send_to_seat(seat, started, effects);
                }
            }
            Event::Declared { .. } | Event::Dealt(_) | Event::Said(_) => return,
            &Event::Heard { round } => {
                for seat in self.seats.seats().iter() {
                    let messages = self.referee.record().messages_heard(seat, round).cloned().collect();
                    self.send_to_seat(seat, MatchEvent::Heard { round, messages }, effects);
                }
                let is_open = |event: &Event| {
                    matches!(event, Event::Said(message)
                        if message.round == round && message.audience == Audience::Everyone)
                };
                self.show_hidden_events_to_watchers(is_open, effects);
            }
            Event::Revealed { matrix } => {
                let revelation = RevealedRows { matrix: matrix.clone(), defaulted: self.defaulted_seats() };
                self.send_to_all_seats(&MatchEvent::Revealed(Arc::new(revelation)), effects);
                let is_row = |event: &Event| matches!(event, Event::Declared { .. });
                self.show_hidden_events_to_watchers(is_row, effects);
            }
            &Event::Took { ply, seat: mover_seat, take, mover, .. } => {
                for (seat, live) in self.seats.enumerate() {
                    if let Some(session) = &live.session
                        && (session.feed == TakeFeed::All || seat == mover_seat)
                    {
                        let event = MatchEvent::Took { ply, seat: mover_seat, take, mover };
                        effects.push(ShardEffect::Send { to: session.address.clone(), id: self.id, event });
                    }
                }
            }
            Event::TalkEnded { .. } | Event::Struck { .. } => {}
            &Event::Forfeited { seat, reason } => {
                self.send_to_all_seats(&MatchEvent::Forfeited { seat, reason }, effects);
            }
            &Event::Ended { reason, winner } => {
                self.send_to_all_seats(&self.ended_event(reason, winner, audit), effects);
                let is_opened = |event: &Event| {
                    let was_secret = match event {
                        Event::Dealt(_) => true,
                        Event::Said(message) => message.audience != Audience::Everyone,
                        _ => false,
                    };
                    was_secret && winner.is_some()
                };
                self.show_hidden_events_to_watchers(is_opened, effects);
                effects.extend(self.seats.seats().iter().map(|seat| self.end_sent(seat)));
            }
        }
        if self.is_watched {
            let audit = audit.filter(|_| matches!(timed.event, Event::Ended { .. })).cloned();
            effects
                .push(ShardEffect::ShowWatchers { id: self.id, event: WatchEvent { event: timed, audit } });
        }
    }

    /// Returns the audit, if the bots may see it.
    pub(super) fn audit_for_seats(&self, audit: Option<&Arc<Audit>>) -> Option<Arc<Audit>> {
        audit.filter(|_| self.oracle == OracleAccess::Open).cloned()
    }

    /// Returns the message that tells the seats how the match ended.
    pub(super) fn ended_event(
        &self,
        reason: EndReason,
        winner: Option<Seat>,
        audit: Option<&Arc<Audit>>,
    ) -> MatchEvent {
        let dealt = self.referee.record().state().opened_rows().cloned().map(Box::new);
        MatchEvent::Ended { reason, winner, audit: self.audit_for_seats(audit), dealt }
    }

    /// Shows watchers events that were hidden from them until now.
    fn show_hidden_events_to_watchers(
        &self,
        is_shown: impl Fn(&Event) -> bool,
        effects: &mut Vec<ShardEffect<S>>,
    ) {
        if !self.is_watched {
            return;
        }
        let events = self.referee.record().events().iter();
        let hidden = events.filter(|timed| is_shown(&timed.event));
        effects.extend(hidden.map(|timed| ShardEffect::ShowWatchers {
            id: self.id,
            event: WatchEvent { event: timed.clone(), audit: None },
        }));
    }

    fn defaulted_seats(&self) -> Vec<Seat> {
        let defaulted_seat = |timed: &TimedEvent| match timed.event {
            Event::Declared { seat, defaulted: Some(_), .. } => Some(seat),
            _ => None,
        };
        self.referee.record().events().iter().filter_map(defaulted_seat).collect()
    }
}
