//! What a bot keeps about its matches until it declares a row.

use super::match_memory::MAX_MATCHES;
use lastnim_core::game::MatchId;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The maximum number of refusals that are remembered for a match; the latest are kept.
const MAX_REFUSALS: usize = 4;

/// The hash of the transcript lines of a question so far; `None` if a line could not be written.
///
/// All talk of a match and the question for the row share it, since a bot can commit to a hash only with a row or a take.
pub type LineHash = Arc<Mutex<Option<blake3::Hasher>>>;

/// What a bot keeps about the talk in its open matches.
#[derive(Debug, Default)]
pub struct TalkMemories(Mutex<BTreeMap<MatchId, TalkMemory>>);

#[derive(Debug)]
struct TalkMemory {
    lines: LineHash,
    /// Why the server has refused messages of the bot.
    refusals: Vec<String>,
}

impl Default for TalkMemory {
    fn default() -> Self {
        Self { lines: new_line_hash(), refusals: Vec::new() }
    }
}

/// Returns the hash of no lines.
pub fn new_line_hash() -> LineHash {
    Arc::new(Mutex::new(Some(blake3::Hasher::new())))
}

impl TalkMemories {
    /// Returns the hash of the lines about the talk and the row in a match.
    pub fn line_hash(&self, id: MatchId) -> LineHash {
        self.with_match(id, |memory| Arc::clone(&memory.lines))
    }

    /// Remembers why the server refused a message.
    pub fn remember_refusal(&self, id: MatchId, why: String) {
        self.with_match(id, |memory| {
            memory.refusals.push(why);
            let old = memory.refusals.len().saturating_sub(MAX_REFUSALS);
            memory.refusals.drain(..old);
        });
    }

    /// Returns the remembered refusals of a match, the oldest first.
    pub fn refusals(&self, id: MatchId) -> Vec<String> {
        self.with_match(id, |memory| memory.refusals.clone())
    }

    /// Forgets a match.
    pub fn forget_match(&self, id: MatchId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    fn with_match<T>(&self, id: MatchId, read: impl FnOnce(&mut TalkMemory) -> T) -> T {
        let mut matches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = read(matches.entry(id).or_default());
        if matches.len() > MAX_MATCHES {
            matches.pop_first();
        }
        value
    }
}
