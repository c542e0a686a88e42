//! Cached audits of bots.

use lastnim_core::game::BotName;
use lastnim_proto::pb;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::Status;

/// The age at which an audit is repeated if the bot has played since.
const MAX_AGE: Duration = Duration::from_mins(1);
/// The maximum number of bots with a cached audit. An audit takes about 50 kB.
const MAX_BOTS: usize = 100;

/// The result of an audit for the requests that wait for it.
pub(super) type AuditResult = Result<Arc<pb::AuditBotResponse>, Status>;

/// The latest audits of bots, for visitors without a token. One audit runs at a time, so that visitors and crawlers that
/// open many pages take little time from the oracle.
#[derive(Debug, Clone, Default)]
pub struct BotAudits {
    state: Arc<Mutex<AuditState>>,
}

#[derive(Debug, Default)]
struct AuditState {
    audits: HashMap<BotName, CachedAudit>,
    /// The bot that is being audited.
    running: Option<BotName>,
}

/// A finished audit, and what it covers.
#[derive(Debug)]
struct CachedAudit {
    response: Arc<pb::AuditBotResponse>,
    /// The id of the bot's newest match when the audit started.
    newest_match_id: String,
    at: Instant,
}

impl CachedAudit {
    fn is_current(&self, newest_match_id: &str) -> bool {
        self.newest_match_id == newest_match_id || self.at.elapsed() < MAX_AGE
    }
}

/// The running audit. The next one can start once it is dropped.
#[derive(Debug)]
pub(super) struct RunningAudit {
    audits: BotAudits,
    name: BotName,
    newest_match_id: String,
    result: watch::Sender<Option<AuditResult>>,
}

impl BotAudits {
    fn lock(&self) -> MutexGuard<'_, AuditState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached audit of a bot, however old.
    pub(super) fn kept_audit(&self, name: &BotName) -> Option<Arc<pb::AuditBotResponse>> {
        self.lock().audits.get(name).map(|cached| Arc::clone(&cached.response))
    }

    /// Returns whether a bot is being audited.
    pub(super) fn is_running(&self, name: &BotName) -> bool {
        self.lock().running.as_ref() == Some(name)
    }

    /// Returns the cached audit of a bot, and an audit to run if one is due and no other is running. `newest_match_id`
    /// is the id of the bot's newest match.
    pub(super) fn find(
        &self,
        name: &BotName,
        newest_match_id: String,
    ) -> (Option<Arc<pb::AuditBotResponse>>, Option<RunningAudit>) {
        let mut state = self.lock();
        let found = state.audits.get(name);
        let is_current = found.is_some_and(|cached| cached.is_current(&newest_match_id));
        let found = found.map(|cached| Arc::clone(&cached.response));
        let due = (!is_current && state.running.is_none()).then(|| {
            state.running = Some(name.clone());
            RunningAudit {
                audits: self.clone(),
                name: name.clone(),
                newest_match_id,
                result: watch::Sender::default(),
            }
        });
        (found, due)
    }
}

impl RunningAudit {
    /// Returns a receiver for the result.
    pub(super) fn subscribe(&self) -> watch::Receiver<Option<AuditResult>> {
        self.result.subscribe()
    }

    /// Caches the result and sends it to the waiting request.
    pub(super) fn finish(mut self, result: AuditResult) {
        if let Ok(response) = &result {
            let (response, newest_match_id) =
                (Arc::clone(response), std::mem::take(&mut self.newest_match_id));
            let audits = &mut self.audits.lock().audits;
            audits.insert(self.name.clone(), CachedAudit { response, newest_match_id, at: Instant::now() });
            if audits.len() > MAX_BOTS
                && let Some((oldest, _)) = audits.iter().min_by_key(|(_, cached)| cached.at)
            {
                let oldest = oldest.clone();
                audits.remove(&oldest);
            }
        }
        self.result.send_replace(Some(result));
    }
}

impl Drop for RunningAudit {
    fn drop(&mut self) {
        self.audits.lock().running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_audit_runs_at_a_time() {
        let audits = BotAudits::default();
        let [ann, bob]: [BotName; 2] = ["ann", "bob"].map(|name| name.parse().unwrap());
        let (none, first) = audits.find(&ann, "1".into());
        let first = first.unwrap();
        assert!(none.is_none() && audits.is_running(&ann) && !audits.is_running(&bob));
        assert!(audits.find(&ann, "1".into()).1.is_none() && audits.find(&bob, "1".into()).1.is_none());
        first.finish(Ok(Arc::default()));
        assert!(
            audits.kept_audit(&ann).is_some()
                && audits.kept_audit(&bob).is_none()
                && !audits.is_running(&ann)
        );
        assert!(audits.find(&ann, "1".into()).1.is_none(), "nothing was played since");
        let second = audits.find(&bob, "1".into()).1.unwrap();
        drop(second);
        let again = audits.find(&bob, "1".into()).1;
        assert!(again.is_some(), "the audit before was lost");
    }

    #[test]
    fn old_audits_are_evicted() {
        let audits = BotAudits::default();
        let name = |number: usize| format!("bot{number}").parse().unwrap();
        for number in 0..=MAX_BOTS {
            audits.find(&name(number), String::new()).1.unwrap().finish(Ok(Arc::default()));
        }
        assert!(audits.kept_audit(&name(0)).is_none() && audits.kept_audit(&name(1)).is_some());
    }
}
