//! Begins and resumes matches, and reads open and finished ones.

use crate::arena::{Arena, ArenaInner, HeldLock};
use crate::error::ArenaError;
use crate::matches::match_handle::MatchHandle;
use crate::matches::match_table::OpenMatch;
use crate::matches::shard::{AnnouncedMatch, Beginning, MatchExit, MatchTicket, WatchAdmission, WatchEvent};
use crate::requests::CreationRequest;
use crate::sessions::outbox::{OutboxStream, outbox_channel};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::oracle::Audit;
use lastnim_core::referee::{
    Audience, Deal, DealRule, DealSecret, DealtRows, Event, MatchSetup, Record, RecordError, TimedEvent,
};
use lastnim_store::{Creation, MatchFilter, MatchSummary, StoreError, StoredMatch};
use lastnim_tournament::{MatchOutcome, OracleAccess};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a tournament without open matches waits before it checks again whether the server has room for a match.
const ROOM_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A future that plays a match to its end and returns its outcome; `None` if the match was cancelled.
pub(crate) trait MatchFuture:
    Future<Output = Result<Option<MatchOutcome>, ArenaError>> + Send + 'static
{
}

impl<F> MatchFuture for F where F: Future<Output = Result<Option<MatchOutcome>, ArenaError>> + Send + 'static {}

/// A new or resumed match, with the future that plays it.
pub(crate) struct StartedMatch<P> {
    pub(crate) id: MatchId,
    pub(crate) handle: MatchHandle,
    pub(crate) setup: Arc<MatchSetup>,
    /// Resolves when the beginning is announced, and fails if it never is.
    pub(crate) begun: oneshot::Receiver<()>,
    /// The future that plays the match to its end. The match does not start until this is polled.
    pub(crate) play: P,
}

/// How often a repeated request checks whether the beginning of its match was announced.
const ANNOUNCEMENT_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// An exhibition that has begun.
pub(crate) enum StartedExhibition {
    /// It began just now.
    New {
        id: MatchId,
        /// Its entry in the table of open matches.
        open: OpenMatch,
        /// Resolves when its beginning is announced.
        begun: oneshot::Receiver<()>,
    },
    /// The same request began it earlier.
    Earlier(MatchId),
}

/// A match as a new watcher receives it: the events so far, and the stream of further ones.
#[derive(Debug)]
pub struct MatchWatch {
    /// The visible events so far.
    pub so_far: Vec<TimedEvent>,
    /// The audit, if the match is over and has a winner.
    pub audit: Option<Arc<Audit>>,
    /// Further events; `None` if the match is over.
    pub next: Option<OutboxStream<WatchEvent>>,
}

/// A guard for a match's entry in the table of open matches. When the guard is dropped, because the match is over, has
/// broken down or is never played, the entry is removed, and the shard drops the match if it still has it.
#[derive(Debug)]
struct OpenMatchEntry {
    inner: Arc<ArenaInner>,
    id: MatchId,
    handle: MatchHandle,
}

impl Drop for OpenMatchEntry {
    fn drop(&mut self) {
        self.handle.abandon();
        self.inner.matches.remove(self.id);
    }
}

/// An exhibition to begin.
#[derive(Debug, Clone)]
pub struct NewMatch {
    /// The setup, without a deal.
    pub setup: MatchSetup,
    /// The rule by which private rows are dealt; `None` if none are.
    pub deal: Option<DealRule>,
}

impl From<MatchSetup> for NewMatch {
    fn from(setup: MatchSetup) -> Self {
        Self { setup, deal: None }
    }
}

impl From<(MatchSetup, Option<DealRule>)> for NewMatch {
    fn from((setup, deal): (MatchSetup, Option<DealRule>)) -> Self {
        Self { setup, deal }
    }
}

impl Arena {
    /// Starts an exhibition.
    ///
    /// # Errors
    /// If a bot is not registered, the setup is invalid, or a limit is reached.
    pub async fn create_match(&self, new: impl Into<NewMatch>) -> Result<MatchSummary, ArenaError> {
        self.create_match_once(new.into(), None).await
    }

    /// Starts an exhibition, or returns the one that the same request has started before.
    ///
    /// # Errors
    /// As [`create_match`](Self::create_match), and if the request's id was used for a different request.
    pub async fn create_match_once(
        &self,
        new: NewMatch,
        request: Option<CreationRequest>,
    ) -> Result<MatchSummary, ArenaError> {
        let beginning = self.run_locked(self.inner.accounts.names(), |arena, held| async move {
            if let Some(Creation::Match(id)) = arena.earlier_creation(request.as_ref()).await? {
                return Ok(StartedExhibition::Earlier(id));
            }
            arena.begin_exhibition_locked(held, new, request).await
        });
        self.wait_until_announced(beginning.await?).await
    }

    /// Waits until the beginning of an exhibition is announced, and returns its summary.
    pub(crate) async fn wait_until_announced(
        &self,
        started: StartedExhibition,
    ) -> Result<MatchSummary, ArenaError> {
        let id = match started {
            StartedExhibition::New { id, open, begun } => {
                // A match is not shown until it is stored. If it cannot be stored, the sender is dropped.
                begun.await.map_err(|_| self.unstored_match_error())?;
                if let Some(summary) = open.summary(id) {
                    return Ok(summary);
                }
                id
            }
            StartedExhibition::Earlier(id) => {
                while let Some(open) = self.open_match(id) {
                    if let Some(summary) = open.summary(id) {
                        return Ok(summary);
                    }
                    tokio::time::sleep(ANNOUNCEMENT_CHECK_INTERVAL).await;
                }
                id
            }
        };
        // A match that is not open either has ended or could not be stored.
        self.inner.store.match_summary(id).await?.ok_or_else(|| self.unstored_match_error())
    }

    /// Returns why the beginning of a match was not stored.
    fn unstored_match_error(&self) -> ArenaError {
        if self.is_stopped() {
            return ArenaError::Stopping;
        }
        self.check_store().err().unwrap_or(ArenaError::MatchNotStored)
    }

    /// Begins an exhibition; the held lock keeps its bots from being removed.
    pub(crate) async fn begin_exhibition_locked(
        &self,
        held: HeldLock,
        new: NewMatch,
        request: Option<CreationRequest>,
    ) -> Result<StartedExhibition, ArenaError> {
        for bot in &new.setup.bots {
            self.stored_bot(bot).await?;
        }
        self.begin_admitted_exhibition(held, new, request)
    }

    /// Begins an exhibition whose players have been checked; the held lock keeps its bots from being removed.
    pub(crate) fn begin_admitted_exhibition(
        &self,
        _guard: HeldLock,
        NewMatch { setup, deal }: NewMatch,
        request: Option<CreationRequest>,
    ) -> Result<StartedExhibition, ArenaError> {
        let deal = deal.map(|rule| (rule, self.new_deal_secret()));
        let StartedMatch { id, handle, setup, begun, play } =
            self.begin_match(setup, deal, OracleAccess::Open, request)?;
        self.inner.tasks.spawn(play_unattended_match(id, play));
        Ok(StartedExhibition::New { id, open: OpenMatch { handle, setup }, begun })
    }

    /// Draws a secret from which rows are dealt.
    pub(crate) fn new_deal_secret(&self) -> DealSecret {
        let mut bytes = [0; DealSecret::BYTES];
        self.inner.environment.fill_random(&mut bytes);
        DealSecret::from_bytes(bytes)
    }

    /// Begins a match, and returns it with the future that plays it. Rows are dealt by the rule and from the secret in
    /// `deal`, if any. `oracle` says whether its bots see the audit. `request` is stored together with the match.
    pub(crate) fn begin_match(
        &self,
        setup: MatchSetup,
        deal: Option<(DealRule, DealSecret)>,
        oracle: OracleAccess,
        request: Option<CreationRequest>,
    ) -> Result<StartedMatch<impl MatchFuture + use<>>, ArenaError> {
        let mut setup = setup.validate().map_err(ArenaError::Setup)?;
        if let Some((rule, _)) = &deal {
            setup.check_deal_rule(rule).map_err(|error| ArenaError::Setup(vec![error]))?;
        }
        let inner = &self.inner;
        let presences = setup.bots.map(|bot| inner.roster.presence(bot));
        let limit = inner.limits.open_matches;
        let mut matches = self.inner.matches.write();
        // This is checked under the lock, so that code that stops the arena and then lists open matches sees all of
        // them.
        self.check_not_stopping()?;
        if matches.len() >= limit {
            return Err(ArenaError::Full { what: "open matches", limit });
        }
        // The id is drawn under the lock, so that bots take their seats in the order of match ids, and a match that is
        // not known yet is newer than all known ones.
        let id = inner.ids.next_match();
        let dealt = deal.map(|(rule, secret)| {
            let dealt = DealtRows::of_match(&secret, id, &rule, setup.seats());
            setup.deal = Some(Box::new(Deal::of_rows(rule, &dealt)));
            Box::new(dealt)
        });
        let fixed = Arc::new(setup.clone());
        let request = request.map(|request| Box::new(request.done(Creation::Match(id), self.now())));
        if let Some(request) = &request {
            inner.requests.insert((**request).clone());
        }
        let beginning = Beginning::New { setup: Box::new(setup), dealt, request };
        let shard = inner.shards.of_match(id);
        let ticket =
            shard.prepare(id, beginning, presences, oracle, self.inner.return_grace.left(self.now()));
        Ok(self.insert_open_match(&mut matches, id, fixed, ticket))
    }

    /// Resumes a match that an earlier server began, and returns it with the future that plays it. `oracle` says
    /// whether its bots see the audit.
    pub(crate) fn resume_match(
        &self,
        stored: StoredMatch,
        oracle: OracleAccess,
    ) -> StartedMatch<impl MatchFuture + use<>> {
        let StoredMatch { record, versions, .. } = stored;
        let inner = &self.inner;
        let setup = Arc::new(record.state().setup().clone());
        let presences = setup.bots.map(|bot| inner.roster.presence(bot));
        let id = record.id();
        let mut matches = self.inner.matches.write();
        let beginning = Beginning::Stored { record: Box::new(record), versions };
        let shard = inner.shards.of_match(id);
        let ticket = shard.prepare(id, beginning, presences, oracle, inner.limits.return_grace);
        self.insert_open_match(&mut matches, id, setup, ticket)
    }

    fn insert_open_match(
        &self,
        matches: &mut BTreeMap<MatchId, OpenMatch>,
        id: MatchId,
        setup: Arc<MatchSetup>,
        ticket: MatchTicket,
    ) -> StartedMatch<impl MatchFuture + use<>> {
        let MatchTicket { handle, begun, over } = ticket;
        matches.insert(id, OpenMatch { handle: handle.clone(), setup: Arc::clone(&setup) });
        let entry = OpenMatchEntry { inner: Arc::clone(&self.inner), id, handle: handle.clone() };
        let played = Arc::clone(&setup);
        let play = async move {
            let entry = entry;
            let tournament = played.origin.as_ref().map(|origin| tracing::field::display(origin.tournament));
            let bots: Vec<_> = played.bots.iter().map(BotName::as_str).collect();
            tracing::debug!(%id, tournament, ?bots, "match starts");
            entry.handle.start();
            let outcome = match over.await {
                Ok(MatchExit::Stored(outcome)) => Ok(outcome),
                Ok(MatchExit::Refused(error)) => Err(error.into()),
                // The panic is passed on; it was logged where it occurred.
                Ok(MatchExit::Panicked) => resume_unwind(Box::new("a match panicked")),
                Ok(MatchExit::Interrupted) | Err(_) => Err(ArenaError::Stopping),
            };
            tracing::debug!(%id, is_played = outcome.is_ok(), "match over");
            outcome
        };
        StartedMatch { id, handle, setup, begun, play }
    }

    /// Waits until a match has ended, which may have made room, or until the next regular check.
    pub(crate) async fn wait_for_match_room(&self) {
        let _looks_again = tokio::time::timeout(ROOM_CHECK_INTERVAL, self.inner.matches.next_end()).await;
    }

    pub(crate) fn open_match(&self, id: MatchId) -> Option<OpenMatch> {
        self.inner.matches.read().get(&id).cloned()
    }

    /// Returns the number of open matches.
    pub fn open_match_count(&self) -> usize {
        self.inner.matches.read().len()
    }

    /// Returns the summary of a match and, if it is over and its record is kept, the record.
    ///
    /// # Errors
    /// If no match has this id, or the store cannot be read.
    pub async fn match_summary(&self, id: MatchId) -> Result<(MatchSummary, Option<Record>), ArenaError> {
        if let Some(summary) = self.open_match(id).and_then(|open| open.summary(id)) {
            return Ok((summary, None));
        }
        let StoredMatch { record, versions, .. } = match self.match_from_store(id).await {
            Ok(stored) => stored,
            Err(error @ ArenaError::Store(StoreError::Quarantined { .. } | StoreError::Pruned(_))) => {
                let summary = self.inner.store.match_summary(id).await?;
                return summary.map(|summary| (summary, None)).ok_or(error);
            }
            Err(error) => return Err(error),
        };
        let state = record.state();
        let void_reason = self.inner.store.match_summary(id).await?.and_then(|summary| summary.void_reason);
        let summary = MatchSummary {
            id,
            setup: Some(Arc::new(state.setup().clone())),
            phase: state.phase(),
            plies: state.ply(),
            end: state.end(),
            damage: None,
            void_reason,
            versions,
        };
        Ok((summary, Some(record)))
    }

    /// Returns up to `limit` matches before `before` that the filter admits, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list_matches(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, ArenaError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        // Open matches are read first, so that a match that ends in between is seen twice instead of not at all.
        let mut open: Vec<MatchSummary> = if filter.admits_open_matches() {
            let matches = self.inner.matches.read();
            let newest_first = matches.range((Bound::Unbounded, to)).rev();
            let admitted = newest_first.filter(|(_, open)| filter.admits_setup(&open.setup));
            admitted.filter_map(|(&id, open)| open.summary(id)).take(limit).collect()
        } else {
            Vec::new()
        };
        let mut listed = self.inner.store.match_summaries(filter, before, limit).await?;
        let over: HashSet<MatchId> = listed.iter().map(|summary| summary.id).collect();
        open.retain(|summary| !over.contains(&summary.id));
        listed.append(&mut open);
        listed.sort_unstable_by_key(|summary| Reverse(summary.id));
        listed.truncate(limit);
        Ok(listed)
    }

    /// Returns the announced part of a match's record, and its seal if it is over.
    ///
    /// # Errors
    /// If no match has this id, or the store cannot be read.
    pub async fn match_record(&self, id: MatchId) -> Result<StoredMatch, ArenaError> {
        if let Some(open) = self.open_match(id)
            && let Some(record) = open.handle.announced_record().await
        {
            return Ok(StoredMatch { record, seal: None, versions: open.handle.seat_versions() });
        }
        self.match_from_store(id).await
    }

    async fn match_from_store(&self, id: MatchId) -> Result<StoredMatch, ArenaError> {
        self.inner.store.match_record(id).await?.ok_or(ArenaError::NoSuchMatch(id))
    }

    /// Starts watching a match.
    ///
    /// # Errors
    /// If no match has this id, its watcher limit is reached, or the store cannot be read.
    pub async fn watch_match(&self, id: MatchId) -> Result<MatchWatch, ArenaError> {
        if let Some(open) = self.open_match(id) {
            let (outbox, stream) = outbox_channel(self.inner.limits.watcher_queue);
            let limit = self.inner.limits.watchers;
            match open.handle.watch(outbox, limit) {
                WatchAdmission::Admitted { announced, is_revealed } => {
                    let events = self.first_events(id, &open.handle, announced).await?;
                    let heard = events.iter().filter(|timed| matches!(timed.event, Event::Heard { .. }));
                    let rounds_heard = heard.count() as u32;
                    // Dealt rows and private messages are shown together with the end.
                    let is_shown = |event: &Event| match event {
                        Event::Declared { .. } => is_revealed,
                        Event::Said(message) => {
                            message.audience == Audience::Everyone && message.round < rounds_heard
                        }
                        event => !matches!(event, Event::Dealt(_)),
                    };
                    let seen = events.into_iter().filter(|timed| is_shown(&timed.event));
                    return Ok(MatchWatch { so_far: seen.collect(), audit: None, next: Some(stream) });
                }
                WatchAdmission::Full => {
                    return Err(ArenaError::Full { what: "watchers of this match", limit });
                }
                WatchAdmission::NotOpen => {}
            }
        }
        let StoredMatch { record, .. } = self.match_from_store(id).await?;
        let audit = audit_of_record(&record).map(Arc::new);
        Ok(MatchWatch { so_far: record.public_events().cloned().collect(), audit, next: None })
    }
}

impl Arena {
    /// Returns the first `count` events of a match that was open a moment ago. They are read from the store if the
    /// match has ended since.
    async fn first_events(
        &self,
        id: MatchId,
        handle: &MatchHandle,
        count: usize,
    ) -> Result<Vec<TimedEvent>, ArenaError> {
        if let Some(mut events) = handle.announced_events().await {
            events.truncate(count);
            return Ok(events);
        }
        let StoredMatch { record, .. } = self.match_from_store(id).await?;
        Ok(record.events().iter().take(count).cloned().collect())
    }
}

impl OpenMatch {
    /// Returns the summary of a match; `None` until its beginning is announced, and again once its end is announced.
    pub(crate) fn summary(&self, id: MatchId) -> Option<MatchSummary> {
        Some(self.summary_of_view(id, self.handle.view()?))
    }

    /// Returns the summary of a match from its announced state.
    pub(crate) fn summary_of_view(&self, id: MatchId, view: AnnouncedMatch) -> MatchSummary {
        let (setup, end, damage, void_reason) = (Some(Arc::clone(&self.setup)), None, None, None);
        let AnnouncedMatch { phase, plies, versions, .. } = view;
        MatchSummary { id, setup, phase, plies, end, damage, void_reason, versions }
    }
}

/// Plays a match whose outcome is not needed, and logs any failure.
pub(crate) async fn play_unattended_match(id: MatchId, play: impl MatchFuture) {
    match play.await {
        Ok(_) => {}
        Err(ArenaError::Stopping) => tracing::info!(%id, "a match was interrupted"),
        Err(error) => tracing::error!(%error, %id, "a match failed while it was being played"),
    }
}

/// Audits a match if it is over and has a winner.
pub fn audit_of_record(record: &Record) -> Option<Audit> {
    match record.audit() {
        Ok(audit) => Some(audit),
        Err(RecordError::NotEnded { .. } | RecordError::Cancelled { .. }) => None,
        Err(error) => {
            tracing::error!(%error, id = %record.id(), "a finished match cannot be audited");
            None
        }
    }
}
