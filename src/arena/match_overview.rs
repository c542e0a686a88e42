//! What is always known of a match that runs.

use crate::game::{MatchId, SeatVersions};
use crate::referee::{MatchPhase, MatchSetup, MatchState};
use crate::store::MatchSummary;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is announced of a match that runs. Looking at it never makes the match wait.
#[derive(Debug)]
pub struct MatchOverview {
    setup: Arc<MatchSetup>,
    is_revealed: AtomicBool,
    plies: AtomicU32,
    is_begun: AtomicBool,
    is_over: AtomicBool,
    versions: Mutex<Vec<SeatVersions>>,
}

impl MatchOverview {
    /// Begins with a match whose beginning is not announced yet.
    pub fn new(setup: MatchSetup) -> Self {
        let (is_revealed, plies, is_begun, is_over, versions) = Default::default();
        Self { setup: Arc::new(setup), is_revealed, plies, is_begun, is_over, versions }
    }

    /// Shows how far the match has come; with that, it has begun.
    pub fn show_state(&self, state: &MatchState) {
        self.plies.store(state.ply(), Ordering::Relaxed);
        self.is_revealed.store(state.game().is_some(), Ordering::Relaxed);
        self.is_begun.store(true, Ordering::Release);
    }

    /// Shows which versions have sat at the seats.
    pub fn show_versions(&self, versions: Vec<SeatVersions>) {
        *self.versions.lock().unwrap_or_else(PoisonError::into_inner) = versions;
    }

    /// Returns by seat the versions that have sat there; nothing if none was said.
    pub fn versions(&self) -> Vec<SeatVersions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says that the match is over and its end stored: all of it is to be read from the store from now on.
    pub fn mark_over(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    /// Returns what was fixed before the first move.
    pub fn setup(&self) -> &Arc<MatchSetup> {
        &self.setup
    }

    /// Sums the match up; nothing if its beginning is not announced yet, or it is over.
    pub fn summary(&self, id: MatchId) -> Option<MatchSummary> {
        if !self.is_begun.load(Ordering::Acquire) || self.is_over.load(Ordering::Acquire) {
            return None;
        }
        let phase = if self.is_revealed.load(Ordering::Relaxed) {
            MatchPhase::Playing
        } else {
            MatchPhase::Declaring
        };
        let plies = self.plies.load(Ordering::Relaxed);
        let (setup, versions) = (Some(Arc::clone(&self.setup)), self.versions());
        Some(MatchSummary { id, setup, phase, plies, end: None, damage: None, void_reason: None, versions })
    }
}
