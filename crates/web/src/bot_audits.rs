//! How bots play, as it was worked out lately.

use super::pages::Pages;
use super::visitor::Visitor;
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use pb::match_service_server::MatchService as _;
use pb::oracle_service_server::OracleService as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::Status;
use tonic::metadata::MetadataValue;

/// How long an audit for a page may take, as gRPC says it: it then has as many of the newest matches as could be read until then.
const AUDIT_TIMEOUT: &str = "2S";
/// How long whoever has an audit made waits for it before there is a page that says so.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// How old findings may be of a bot that has played since.
const MAX_AGE: Duration = Duration::from_mins(1);
/// The most bots whose findings are kept: some 50 kB each.
const MAX_BOTS: usize = 100;

type AuditResult = Result<Arc<pb::AuditBotResponse>, Status>;

/// The audits of bots that were worked out lately, for visitors without a token.
#[derive(Debug, Clone, Default)]
pub struct BotAudits {
    kept: Arc<Mutex<HashMap<BotName, KeptAudit>>>,
}

#[derive(Debug, Default)]
struct KeptAudit {
    findings: Option<KeptFindings>,
    /// The one that is being worked out.
    running: Option<watch::Receiver<Option<AuditResult>>>,
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

impl BotAudits {
    fn lock(&self) -> MutexGuard<'_, HashMap<BotName, KeptAudit>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, name: &BotName, newest: String, result: &AuditResult) {
        let mut kept = self.lock();
        let audit = kept.entry(name.clone()).or_default();
        audit.running = None;
        if let Ok(audited) = result {
            let audited = Arc::clone(audited);
            audit.findings = Some(KeptFindings { audited, newest, at: Instant::now() });
        }
        kept.retain(|_, audit| audit.findings.is_some() || audit.running.is_some());
        while kept.len() > MAX_BOTS
            && let Some(oldest) = oldest_audit(&kept)
        {
            kept.remove(&oldest);
        }
    }
}

fn oldest_audit(kept: &HashMap<BotName, KeptAudit>) -> Option<BotName> {
    let finished = kept.iter().filter(|(_, audit)| audit.running.is_none());
    let oldest = finished.min_by_key(|(_, audit)| audit.findings.as_ref().map(|findings| findings.at));
    oldest.map(|(name, _)| name.clone())
}

/// Returns what an audit of a bot's newest matches finds: at once if it was worked out lately, also where a newer one is under way. `None`
/// while the first one is.
pub(super) async fn find_audit(
    pages: &Pages,
    visitor: &Visitor,
    name: &BotName,
) -> Result<Option<Arc<pb::AuditBotResponse>>, Status> {
    let Some(newest) = newest_match(pages, visitor, name).await? else {
        // There is nothing to audit, or no such bot.
        return audit_bot(pages, visitor, name).await.map(|audited| Some(Arc::new(audited)));
    };
    let (found, mut running) = {
        let mut kept = pages.audits.lock();
        let audit = kept.entry(name.clone()).or_default();
        let found = audit.findings.as_ref();
        let is_current = found.is_some_and(|findings| findings.is_current(&newest));
        let found = found.map(|findings| Arc::clone(&findings.audited));
        if is_current || audit.running.is_some() {
            return Ok(found);
        }
        let (sender, receiver) = watch::channel(None);
        audit.running = Some(receiver.clone());
        tokio::spawn(work_out_audit(pages.clone(), visitor.clone(), name.clone(), newest, sender));
        (found, receiver)
    };
    if found.is_some() {
        return Ok(found);
    }
    let waiting = tokio::time::timeout(MAX_WAIT, running.wait_for(Option::is_some));
    match waiting.await {
        Ok(Ok(result)) => result.clone().transpose(),
        Ok(Err(_)) => Err(Status::internal("an audit broke down")),
        Err(_) => Ok(None),
    }
}

/// Works out how a bot plays, for as long as an audit may take.
pub(super) async fn audit_bot(
    pages: &Pages,
    visitor: &Visitor,
    name: &BotName,
) -> Result<pb::AuditBotResponse, Status> {
    let mut request = visitor.request(pb::AuditBotRequest { bot: name.to_string(), ..Default::default() });
    request.metadata_mut().insert("grpc-timeout", MetadataValue::from_static(AUDIT_TIMEOUT));
    Ok(pages.oracle.audit_bot(request).await?.into_inner())
}

async fn work_out_audit(
    pages: Pages,
    visitor: Visitor,
    name: BotName,
    newest: String,
    sender: watch::Sender<Option<AuditResult>>,
) {
    /// Lets others begin anew, should it break down.
    struct Running(BotAudits, BotName);
    impl Drop for Running {
        fn drop(&mut self) {
            if let Some(audit) = self.0.lock().get_mut(&self.1) {
                audit.running = None;
            }
        }
    }
    let _running = Running(pages.audits.clone(), name.clone());
    let result = audit_bot(&pages, &visitor, &name).await.map(Arc::new);
    pages.audits.finish(&name, newest, &result);
    sender.send_replace(Some(result));
}

/// Returns the id of the newest match of a bot.
async fn newest_match(pages: &Pages, visitor: &Visitor, name: &BotName) -> Result<Option<String>, Status> {
    let bots = vec![name.to_string()];
    let state = pb::MatchState::Over.into();
    let request = pb::ListMatchesRequest { page_size: 1, bots, state, ..Default::default() };
    let list = pages.matches.list_matches(visitor.request(request)).await?.into_inner();
    Ok(list.matches.into_iter().next().map(|game| game.id))
}
