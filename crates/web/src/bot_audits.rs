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

pub(super) type AuditResult = Result<Arc<pb::AuditBotResponse>, Status>;

/// The latest audits of bots, for visitors without a token.
#[derive(Debug, Clone, Default)]
pub struct BotAudits {
    audits: Arc<Mutex<HashMap<BotName, CachedAudit>>>,
}

#[derive(Debug, Default)]
struct CachedAudit {
    findings: Option<CachedFindings>,
    /// Whether an audit is running.
    is_running: bool,
}

#[derive(Debug)]
struct CachedFindings {
    response: Arc<pb::AuditBotResponse>,
    /// The newest match of the bot when the audit started.
    newest: String,
    at: Instant,
}

impl CachedFindings {
    fn is_current(&self, newest: &str) -> bool {
        self.newest == newest || self.at.elapsed() < MAX_AGE
    }
}

/// A running audit. If it is dropped before it finishes, the next request starts another.
#[derive(Debug)]
pub(super) struct RunningAudit {
    audits: BotAudits,
    name: BotName,
    newest: String,
    result: watch::Sender<Option<AuditResult>>,
}

impl BotAudits {
    fn lock(&self) -> MutexGuard<'_, HashMap<BotName, CachedAudit>> {
        self.audits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached audit of a bot, and an audit to run if one is due. `newest` is the newest match of the bot.
    pub(super) fn find(
        &self,
        name: &BotName,
        newest: String,
    ) -> (Option<Arc<pb::AuditBotResponse>>, Option<RunningAudit>) {
        let mut audits = self.lock();
        let audit = audits.entry(name.clone()).or_default();
        let found = audit.findings.as_ref();
        let is_current = found.is_some_and(|findings| findings.is_current(&newest));
        let found = found.map(|findings| Arc::clone(&findings.response));
        let due = (!is_current && !audit.is_running).then(|| {
            audit.is_running = true;
            RunningAudit {
                audits: self.clone(),
                name: name.clone(),
                newest,
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

    /// Caches the result and sends it to the waiting requests.
    pub(super) fn finish(mut self, result: AuditResult) {
        let mut audits = self.audits.lock();
        let audit = audits.entry(self.name.clone()).or_default();
        audit.is_running = false;
        if let Ok(response) = &result {
            let (response, newest) = (Arc::clone(response), std::mem::take(&mut self.newest));
            audit.findings = Some(CachedFindings { response, newest, at: Instant::now() });
        }
        audits.retain(|_, audit| audit.findings.is_some() || audit.is_running);
        while audits.len() > MAX_BOTS
            && let Some(oldest) = oldest_audit(&audits)
        {
            audits.remove(&oldest);
        }
        drop(audits);
        self.result.send_replace(Some(result));
    }
}

impl Drop for RunningAudit {
    fn drop(&mut self) {
        if let Some(audit) = self.audits.lock().get_mut(&self.name) {
            audit.is_running = false;
        }
    }
}

fn oldest_audit(audits: &HashMap<BotName, CachedAudit>) -> Option<BotName> {
    let finished = audits.iter().filter(|(_, audit)| !audit.is_running);
    let oldest = finished.min_by_key(|(_, audit)| audit.findings.as_ref().map(|findings| findings.at));
    oldest.map(|(name, _)| name.clone())
}
