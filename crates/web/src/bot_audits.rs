//! How bots play, as it was worked out lately.

use lastnim_core::game::BotName;
use lastnim_proto::pb;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::Status;

/// How old findings may be of a bot that has played since.
const MAX_AGE: Duration = Duration::from_mins(1);
/// The most bots whose findings are kept: some 50 kB each.
const MAX_BOTS: usize = 100;

/// What came of an audit.
pub(super) type AuditResult = Result<Arc<pb::AuditBotResponse>, Status>;

/// The audits of bots that were worked out lately, for visitors without a token.
#[derive(Debug, Clone, Default)]
pub struct BotAudits {
    kept: Arc<Mutex<HashMap<BotName, KeptAudit>>>,
}

#[derive(Debug, Default)]
struct KeptAudit {
    findings: Option<KeptFindings>,
    /// Whether one is being worked out.
    is_running: bool,
}

#[derive(Debug)]
struct KeptFindings {
    audited: Arc<pb::AuditBotResponse>,
    /// The newest match of the bot before they were worked out.
    newest: String,
    at: Instant,
}

impl KeptFindings {
    fn is_current(&self, newest: &str) -> bool {
        self.newest == newest || self.at.elapsed() < MAX_AGE
    }
}

/// An audit that is being worked out. If it is dropped before it is finished, others begin anew.
#[derive(Debug)]
pub(super) struct RunningAudit {
    audits: BotAudits,
    name: BotName,
    newest: String,
    result: watch::Sender<Option<AuditResult>>,
}

impl BotAudits {
    fn lock(&self) -> MutexGuard<'_, HashMap<BotName, KeptAudit>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was found of a bot before, and the audit that is to be worked out now, if one is: `newest` is the newest match of the bot.
    pub(super) fn find(
        &self,
        name: &BotName,
        newest: String,
    ) -> (Option<Arc<pb::AuditBotResponse>>, Option<RunningAudit>) {
        let mut kept = self.lock();
        let audit = kept.entry(name.clone()).or_default();
        let found = audit.findings.as_ref();
        let is_current = found.is_some_and(|findings| findings.is_current(&newest));
        let found = found.map(|findings| Arc::clone(&findings.audited));
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
    /// Lets somebody wait for what is found.
    pub(super) fn subscribe(&self) -> watch::Receiver<Option<AuditResult>> {
        self.result.subscribe()
    }

    /// Keeps what was found, and says it to whoever waits.
    pub(super) fn finish(mut self, result: AuditResult) {
        let mut kept = self.audits.lock();
        let audit = kept.entry(self.name.clone()).or_default();
        audit.is_running = false;
        if let Ok(audited) = &result {
            let (audited, newest) = (Arc::clone(audited), std::mem::take(&mut self.newest));
            audit.findings = Some(KeptFindings { audited, newest, at: Instant::now() });
        }
        kept.retain(|_, audit| audit.findings.is_some() || audit.is_running);
        while kept.len() > MAX_BOTS
            && let Some(oldest) = oldest_audit(&kept)
        {
            kept.remove(&oldest);
        }
        drop(kept);
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

fn oldest_audit(kept: &HashMap<BotName, KeptAudit>) -> Option<BotName> {
    let finished = kept.iter().filter(|(_, audit)| !audit.is_running);
    let oldest = finished.min_by_key(|(_, audit)| audit.findings.as_ref().map(|findings| findings.at));
    oldest.map(|(name, _)| name.clone())
}
