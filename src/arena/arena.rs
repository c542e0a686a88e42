//! Everything that is live, behind one handle.

use super::director::TournamentHandle;
use super::error::ArenaError;
use super::ids::Ids;
use super::keyring::{Keyring, Principal};
use super::limits::Limits;
use super::match_task::MatchHandle;
use super::roster::Roster;
use super::wall_clock::WallClock;
use crate::game::{MatchId, TournamentId};
use crate::store::{Change, Room, Store, Token};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use tokio::sync::{Notify, watch};

/// The live server without its network: bots, sessions, matches, tournaments. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Arena {
    pub(super) inner: Arc<Inner>,
}

/// What all clones of an arena share.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) limits: Arc<Limits>,
    pub(super) clock: WallClock,
    pub(super) ids: Ids,
    pub(super) keyring: Keyring,
    pub(super) roster: Arc<Roster>,
    pub(super) store: Arc<Store>,
    pub(super) matches: RwLock<HashMap<MatchId, MatchHandle>>,
    /// Signalled whenever a match ends.
    pub(super) match_ended: Notify,
    pub(super) tournaments: RwLock<HashMap<TournamentId, Arc<TournamentHandle>>>,
    /// Held while the register of bots or the state of a tournament is checked and changed, so that two requests at
    /// once do not both pass the check.
    pub(super) registering: tokio::sync::Mutex<()>,
    /// Whether everything has been stopped.
    pub(super) stopped: watch::Sender<bool>,
}

impl Arena {
    /// Opens an arena. The tokens are let in besides those of the bots.
    pub fn open(limits: Limits, tokens: impl IntoIterator<Item = (Token, Principal)>) -> Self {
        let clock = WallClock::start();
        let keyring = Keyring::default();
        for (token, principal) in tokens {
            keyring.insert(token.hash(), principal);
        }
        let inner = Inner {
            store: Arc::new(Store::new(Room { matches: limits.kept_matches, events: limits.kept_events })),
            limits: Arc::new(limits),
            clock,
            ids: Ids::new(clock),
            keyring,
            roster: Arc::default(),
            matches: RwLock::default(),
            match_ended: Notify::new(),
            tournaments: RwLock::default(),
            registering: tokio::sync::Mutex::default(),
            stopped: watch::Sender::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Returns whom a token stands for.
    pub fn principal(&self, token: &str) -> Option<Principal> {
        self.inner.keyring.principal(token)
    }

    /// Makes changes last.
    pub(super) async fn commit(&self, changes: Vec<Change>) -> Result<(), ArenaError> {
        Ok(self.inner.store.commit(changes).await?)
    }
}
