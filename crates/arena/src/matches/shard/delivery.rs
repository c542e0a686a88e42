//! The recipients of a shard's effects: waiters, seats and watchers.

use super::effect::{MatchExit, WatchEvent};
use crate::sessions::outbox::{CloseReason, Outbox};
use crate::sessions::roster::Presence;
use lastnim_core::game::{BySeat, MatchId, MatchMap, Seat};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The recipients attached to the matches of a shard, apart from the sessions that effects name directly.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    matches: MatchMap<AttachedMatch>,
    /// The waiters at barriers, by number.
    waiters: HashMap<u64, oneshot::Sender<()>>,
    next_waiter: u64,
}

/// The recipients attached to a match.
#[derive(Debug)]
pub(super) struct AttachedMatch {
    presences: BySeat<Arc<Presence>>,
    watchers: Vec<Outbox<WatchEvent>>,
    /// Signalled when the beginning is announced.
    begun_sender: Option<oneshot::Sender<()>>,
    /// Used once, to report how the match left the shard.
    exit_sender: Option<oneshot::Sender<MatchExit>>,
}

impl AttachedMatch {
    pub(super) fn new(
        presences: BySeat<Arc<Presence>>,
        begun_sender: oneshot::Sender<()>,
        exit_sender: oneshot::Sender<MatchExit>,
    ) -> Self {
        Self {
            presences,
            watchers: Vec::new(),
            begun_sender: Some(begun_sender),
            exit_sender: Some(exit_sender),
        }
    }
}

impl Delivery {
    /// Attaches the recipients of a new match.
    pub(super) fn attach(&mut self, id: MatchId, attached: AttachedMatch) {
        self.matches.insert(id, attached);
    }

    /// Detaches the recipients of a match that is dropped unfinished, and removes its seats from its bots' presences.
    pub(super) fn detach(&mut self, id: MatchId) {
        if let Some(attached) = self.matches.remove(&id) {
            attached.presences.iter().for_each(|presence| presence.leave_match(id));
        }
    }

    /// Adds a watcher, and returns whether the limit allowed it; `None` if the match is not open.
    pub(super) fn admit_watcher(
        &mut self,
        id: MatchId,
        outbox: Outbox<WatchEvent>,
        limit: usize,
    ) -> Option<bool> {
        let watchers = &mut self.matches.get_mut(&id)?.watchers;
        watchers.retain(|watcher| !watcher.is_over());
        let has_room = watchers.len() < limit;
        if has_room {
            watchers.push(outbox);
        }
        Some(has_room)
    }

    /// Adds a waiter at a barrier, and returns its number.
    pub(super) fn add_waiter(&mut self) -> (u64, oneshot::Receiver<()>) {
        self.waiters.retain(|_, waiter| !waiter.is_closed());
        self.next_waiter += 1;
        let (answered, answers) = oneshot::channel();
        self.waiters.insert(self.next_waiter, answered);
        (self.next_waiter, answers)
    }

    /// Sends an event to all watchers of a match.
    pub(super) fn send_to_watchers(&self, id: MatchId, event: &WatchEvent) {
        for watcher in self.matches.get(&id).into_iter().flat_map(|attached| &attached.watchers) {
            watcher.push(event.clone());
        }
    }

    /// Notifies the creator of a match that its beginning is announced.
    pub(super) fn note_begun(&mut self, id: MatchId) {
        if let Some(begun_sender) =
            self.matches.get_mut(&id).and_then(|attached| attached.begun_sender.take())
        {
            // An error is ignored: directors do not wait for the announcement.
            let _ = begun_sender.send(());
        }
    }

    /// Records in the presence of a seat's bot that a match has ended, and to which session the end was sent, if any.
    pub(super) fn note_end_sent(&self, id: MatchId, seat: Seat, session: Option<u64>) {
        if let Some(attached) = self.matches.get(&id) {
            attached.presences[seat].note_match_ended(id, session);
        }
    }

    /// Releases a waiter at a barrier.
    pub(super) fn release_waiter(&mut self, waiter: u64) {
        if let Some(waiting) = self.waiters.remove(&waiter) {
            // An error is ignored: the waiter may be gone.
            let _ = waiting.send(());
        }
    }

    /// Detaches the recipients of a match that has left the shard, and notifies them how it left.
    pub(super) fn note_over(&mut self, id: MatchId, end: MatchExit) {
        let Some(attached) = self.matches.remove(&id) else { return };
        for presence in &attached.presences {
            match end {
                MatchExit::Stored(_) => presence.leave_seat(id),
                MatchExit::Interrupted | MatchExit::Refused(_) | MatchExit::Panicked => {
                    presence.leave_match(id);
                }
            }
        }
        let closing = match end {
            MatchExit::Stored(_) => Some(CloseReason::Done),
            MatchExit::Interrupted => Some(CloseReason::ShuttingDown),
            MatchExit::Refused(_) => None,
            MatchExit::Panicked => Some(CloseReason::Broken),
        };
        if let Some(closing) = closing {
            attached.watchers.iter().for_each(|watcher| watcher.close(closing));
        }
        if let Some(exit_sender) = attached.exit_sender {
            // An error is ignored: nothing waits for the end of a dropped match.
            let _ = exit_sender.send(end);
        }
    }
}
