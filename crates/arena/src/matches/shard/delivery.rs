//! What is attached to the matches of a shard: who waits for them, sits in them and watches them.

use super::effect::{MatchExit, WatchEvent};
use crate::sessions::outbox::{CloseReason, Outbox};
use crate::sessions::roster::Presence;
use lastnim_core::game::{BySeat, MatchId, MatchMap, Seat};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Those whom the matches of a shard concern, besides the sessions that their effects name.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    matches: MatchMap<AttachedMatch>,
    /// Who waits at a barrier.
    waiters: HashMap<u64, oneshot::Sender<()>>,
    next_waiter: u64,
}

/// Those whom a match concerns.
#[derive(Debug)]
pub(super) struct AttachedMatch {
    presences: BySeat<Arc<Presence>>,
    watchers: Vec<Outbox<WatchEvent>>,
    /// Hears that the beginning is announced.
    begun: Option<oneshot::Sender<()>>,
    /// Hears how it left the shard.
    over: Option<oneshot::Sender<MatchExit>>,
}

impl AttachedMatch {
    pub(super) fn new(
        presences: BySeat<Arc<Presence>>,
        begun: oneshot::Sender<()>,
        over: oneshot::Sender<MatchExit>,
    ) -> Self {
        Self { presences, watchers: Vec::new(), begun: Some(begun), over: Some(over) }
    }
}

impl Delivery {
    /// Attaches those whom a new match concerns.
    pub(super) fn attach(&mut self, id: MatchId, attached: AttachedMatch) {
        self.matches.insert(id, attached);
    }

    /// Lets the bots of a match leave that was given up.
    pub(super) fn detach(&mut self, id: MatchId) {
        if let Some(attached) = self.matches.remove(&id) {
            attached.presences.iter().for_each(|presence| presence.leave_match(id));
        }
    }

    /// Adds a watcher of a match and returns whether there was room; nothing if it is not open.
    pub(super) fn admit_watcher(
        &mut self,
        id: MatchId,
        outbox: Outbox<WatchEvent>,
        most: usize,
    ) -> Option<bool> {
        let watchers = &mut self.matches.get_mut(&id)?.watchers;
        watchers.retain(|watcher| !watcher.is_over());
        let has_room = watchers.len() < most;
        if has_room {
            watchers.push(outbox);
        }
        Some(has_room)
    }

    /// Numbers somebody who waits at a barrier.
    pub(super) fn add_waiter(&mut self) -> (u64, oneshot::Receiver<()>) {
        self.waiters.retain(|_, waiter| !waiter.is_closed());
        self.next_waiter += 1;
        let (answered, answers) = oneshot::channel();
        self.waiters.insert(self.next_waiter, answered);
        (self.next_waiter, answers)
    }

    /// Shows something to all who watch a match.
    pub(super) fn show_watchers(&self, id: MatchId, event: &WatchEvent) {
        for watcher in self.matches.get(&id).into_iter().flat_map(|attached| &attached.watchers) {
            watcher.push(event.clone());
        }
    }

    /// Tells whoever began a match that its beginning is announced.
    pub(super) fn note_begun(&mut self, id: MatchId) {
        if let Some(begun) = self.matches.get_mut(&id).and_then(|attached| attached.begun.take()) {
            // A director does not wait for it.
            let _ = begun.send(());
        }
    }

    /// Tells the presence of a seat that a session has been sent the end of a match.
    pub(super) fn note_end_sent(&self, id: MatchId, seat: Seat, session: Option<u64>) {
        if let Some(attached) = self.matches.get(&id) {
            attached.presences[seat].note_match_ended(id, session);
        }
    }

    /// Answers somebody who waits at a barrier.
    pub(super) fn release_waiter(&mut self, waiter: u64) {
        if let Some(waiting) = self.waiters.remove(&waiter) {
            // Whoever waited may have gone.
            let _ = waiting.send(());
        }
    }

    /// Lets go of a match that has left the shard.
    pub(super) fn note_over(&mut self, id: MatchId, end: MatchExit) {
        let Some(attached) = self.matches.remove(&id) else { return };
        for presence in &attached.presences {
            match end {
                MatchExit::Stored(_) => presence.leave_seat(id),
                MatchExit::Cut | MatchExit::Refused(_) | MatchExit::BrokenDown => presence.leave_match(id),
            }
        }
        let closing = match end {
            MatchExit::Stored(_) => Some(CloseReason::Done),
            MatchExit::Cut => Some(CloseReason::ShuttingDown),
            MatchExit::Refused(_) => None,
            MatchExit::BrokenDown => Some(CloseReason::Broken),
        };
        if let Some(closing) = closing {
            attached.watchers.iter().for_each(|watcher| watcher.close(closing));
        }
        if let Some(over) = attached.over {
            // A match that was given up has nobody who waits for its end.
            let _ = over.send(end);
        }
    }
}
