//! An open session: reads a bot's messages and passes them to its matches.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::limits::Limits;
use crate::matches::shard::{ActionBatch, ActionRefused, MatchInput, SeatBacklogFull, SeatSession, Shards};
use crate::rate_limit::{RateLimit, RateUse};
use crate::sessions::join_queue::{JoinAnswer, JoinQueue};
use crate::sessions::missed_ends::send_missed_ends;
use crate::sessions::outbox::{CloseReason, Outbox};
use crate::sessions::roster::{Presence, Roster};
use crate::sessions::session_chores::{BackgroundTask, SessionChore, SessionChores};
use crate::sessions::session_link::{SessionLink, describe_refusal};
use crate::sessions::unanswered_pings::{AnsweredPing, SentPing, UnansweredPings};
use crate::sessions::version_history::write_seen_version;
use crate::wall_clock::WallClock;
use lastnim_core::game::{BotName, BotVersion, MatchId};
use lastnim_core::referee::{RefusalReason, SeatAction, Timestamp};
use lastnim_proto::{BotAction, IncomingAction, InvalidAction, ServerEvent, TakeFeed};
use lastnim_store::Change;
use std::future::poll_fn;
use std::iter;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio_stream::{Stream, StreamExt as _};

/// The maximum number of messages that are read at once.
const MAX_READ_AT_ONCE: usize = 32;

/// The reading half of a session. The sending half is the stream created with it.
pub struct Session {
    bot: BotName,
    presence: Arc<Presence>,
    /// The number of the bot, which is unique while the server runs.
    number: u64,
    link: SessionLink,
    roster: Arc<Roster>,
    shards: Shards,
    limits: Arc<Limits>,
    clock: WallClock,
    arena: Arena,
    chores: SessionChores,
    idle_messages: IdleMessageBudget,
    pings: UnansweredPings,
    /// Whether the session was removed from the bot's presence.
    has_left: bool,
}

/// How much of the limit on idle messages a session has used.
#[derive(Debug, Default)]
struct IdleMessageBudget {
    /// The number of messages that `used` includes.
    counted: u64,
    used: Option<RateUse<Timestamp>>,
}

impl IdleMessageBudget {
    /// Counts the messages that arrived since the last call, given the total so far; returns whether they are within
    /// the limit.
    fn allows(&mut self, total: u64, now: Timestamp, limits: &Limits) -> bool {
        let new = total - self.counted;
        if new == 0 {
            return true;
        }
        let limit = RateLimit::per_second(limits.idle_message_burst, limits.idle_messages_per_second);
        let Ok(used) = limit.count(self.used, now, new) else { return false };
        *self = Self { counted: total, used: Some(used) };
        true
    }
}

/// The next event in a session.
enum SessionInput<R> {
    /// Background work that the session must handle; `None` if the session's stream is closed.
    Chore(Option<SessionChore>),
    /// A message from the bot; `None` if the bot ended the session.
    Sent(Option<R>),
}

/// How far the bot's messages have been read.
enum ReadStatus<E> {
    /// There may be more messages.
    Stopped,
    /// All available messages were read; the task will be woken when more arrive.
    AllRead,
    /// The bot ended the session, or its next message cannot be read.
    Ended(Result<(), E>),
}

/// A message that exceeds the limit on messages that wait for one seat.
struct BacklogOverflow {
    match_id: MatchId,
    full: SeatBacklogFull,
}

impl Session {
    /// Opens a session of the bot in place of any older one. The function is not async, so that no session is left
    /// without a task when a caller is cancelled.
    ///
    /// # Errors
    /// If the session limit is reached, or the roster is closed.
    pub(crate) fn open(
        bot: BotName,
        version: BotVersion,
        outbox: Outbox<ServerEvent>,
        arena: &Arena,
    ) -> Result<Self, ArenaError> {
        let inner = &arena.inner;
        let (roster, limits, clock) =
            (Arc::clone(&inner.roster), Arc::clone(&inner.limits), inner.clock.clone());
        let limit = limits.sessions;
        if !roster.admit_session(&bot, limit) {
            return Err(ArenaError::Full { what: "sessions", limit });
        }
        let presence = roster.presence(&bot);
        let welcome = |open_matches| ServerEvent::Welcome { bot: bot.clone(), open_matches };
        let opened_at = clock.now();
        // The shards are locked, because a match must not end before it has sent the snapshot that the welcome
        // promises.
        let mut matches = inner.shards.lock_all();
        let Some((link, resumed)) = presence.connect(&roster, version, opened_at, outbox, welcome) else {
            roster.release_session();
            return Err(ArenaError::Stopping);
        };
        tracing::debug!(%bot, session = link.id(), "session opened");
        for (id, route) in resumed {
            let session = SeatSession::of_link(link.clone());
            matches.send_input(id, MatchInput::Joined { seat: route.seat, session, at: opened_at });
        }
        drop(matches);
        let joining = JoinQueue::new(arena.clone(), bot.clone());
        let catching_up = send_missed_ends(arena.clone(), bot.clone(), Arc::clone(&presence), link.clone());
        let writing_version = link.version().is_declared().then(|| {
            let (presence, version) = (Arc::clone(&presence), Arc::clone(link.version()));
            Box::pin(write_seen_version(arena.clone(), bot.clone(), presence, version)) as BackgroundTask
        });
        let over = Box::pin({
            let link = link.clone();
            async move { link.wait_until_over().await }
        });
        let ping_interval = limits.ping_interval;
        let chores = SessionChores::new(over, joining, Box::pin(catching_up), writing_version, ping_interval);
        Ok(Self {
            bot,
            number: presence.number(),
            presence,
            link,
            roster,
            shards: inner.shards.clone(),
            limits,
            clock,
            arena: arena.clone(),
            chores,
            idle_messages: IdleMessageBudget::default(),
            pings: UnansweredPings::default(),
            has_left: false,
        })
    }

    /// Returns the handle through which matches and the roster use the session.
    pub fn link(&self) -> &SessionLink {
        &self.link
    }

    /// Runs the session until either side ends it. It reads inbound messages even while matches wait for the store,
    /// because small messages that stay unread would block the whole connection.
    pub async fn run<E>(mut self, inbound: impl Stream<Item = Result<IncomingAction, E>>)
    where
        E: std::fmt::Display,
    {
        let mut inbound = Box::pin(inbound.fuse());
        self.read_until_over(inbound.as_mut()).await;
        self.leave();
        tokio::select! {
            biased;
            () = self.link.flush_within(self.limits.closing_grace) => {}
            () = discard_inbound_forever(inbound) => {}
        }
    }

    /// Reads until either side ends the session.
    async fn read_until_over<E>(
        &mut self,
        mut inbound: Pin<&mut impl Stream<Item = Result<IncomingAction, E>>>,
    ) where
        E: std::fmt::Display,
    {
        let mut more = Vec::new();
        let mut has_read_all = false;
        loop {
            let next = poll_fn(|context| {
                if let Poll::Ready(chore) = self.chores.poll_next(context) {
                    return Poll::Ready(SessionInput::Chore(chore));
                }
                // Once all messages have been read, the stream wakes this task when new ones arrive.
                if std::mem::take(&mut has_read_all) {
                    return Poll::Pending;
                }
                inbound.as_mut().poll_next(context).map(SessionInput::Sent)
            });
            let progress = match next.await {
                SessionInput::Chore(None) => break,
                SessionInput::Chore(Some(chore)) => {
                    has_read_all = false;
                    self.handle_chore(chore);
                    continue;
                }
                SessionInput::Sent(Some(Ok(first))) => {
                    let progress = read_available(inbound.as_mut(), &mut more).await;
                    let messages = iter::once(first).chain(more.drain(..));
                    if let Err(overflow) = self.handle_messages(messages) {
                        self.close_for_full_backlog(overflow, inbound).await;
                        break;
                    }
                    progress
                }
                SessionInput::Sent(Some(Err(error))) => ReadStatus::Ended(Err(error)),
                SessionInput::Sent(None) => ReadStatus::Ended(Ok(())),
            };
            match progress {
                ReadStatus::Stopped => {}
                ReadStatus::AllRead => has_read_all = true,
                ReadStatus::Ended(Ok(())) => {
                    self.link.close(CloseReason::Done);
                    break;
                }
                ReadStatus::Ended(Err(error)) => {
                    tracing::debug!(bot = %self.bot, %error, "a session's messages cannot be read");
                    self.link.close_with_example(CloseReason::Malformed, &error.to_string());
                    break;
                }
            }
        }
    }

    fn handle_chore(&mut self, chore: SessionChore) {
        match chore {
            SessionChore::JoinAnswered(answer) => {
                self.send_join_answer(answer);
                self.close_if_too_many_idle_messages();
            }
            SessionChore::AcknowledgedEndsWritten => self.write_acknowledged_ends(),
            SessionChore::PingDue => self.send_ping(),
        }
    }

    /// Closes the session because the bot sent too many messages for one seat. First waits for the match to answer the
    /// earlier messages, so that the bot learns what was wrong with them, but only for a limited time.
    async fn close_for_full_backlog<R, E>(
        &mut self,
        overflow: BacklogOverflow,
        inbound: Pin<&mut impl Stream<Item = Result<R, E>>>,
    ) {
        let BacklogOverflow { match_id, full } = overflow;
        // A finished match has already answered all messages that it accepted.
        let answers = self.shards.of_match(match_id).batch().await_answers(match_id);
        if let Some(answers) = answers {
            tokio::select! {
                biased;
                _ = tokio::time::timeout(self.limits.closing_grace, answers) => {}
                () = discard_inbound_forever(inbound) => {}
                () = self.link.wait_until_over() => {}
            }
        }
        let example = match self.link.last_idle_message() {
            Some(wrong) => format!("{}; last refused: {wrong}", full.example),
            None => full.example,
        };
        self.link.close_with_example(CloseReason::TooManyUnread, &example);
    }

    fn send_ping(&mut self) {
        // The pong for this ping confirms all ends that were sent before it.
        let (ends, match_ends) = (self.presence.sent_end_count(), self.link.sent_match_ends());
        let id = self.pings.note_sent(SentPing { sent_at: self.clock.now(), ends, match_ends });
        self.link.send(ServerEvent::Ping { id });
    }

    /// Handles a bot's messages in order. Those for matches are passed on in batches.
    fn handle_messages(
        &mut self,
        messages: impl Iterator<Item = IncomingAction>,
    ) -> Result<(), BacklogOverflow> {
        let shards = self.shards.clone();
        let mut batch = shards.batch(self.clock.now());
        for message in messages {
            if !matches!(message, Ok(BotAction::Act { .. })) {
                // The answer to this message must come after the matches' answers to earlier ones.
                batch.flush();
            }
            match message {
                Ok(BotAction::Act { match_id, action }) => self.act_in_match(&mut batch, match_id, action)?,
                Ok(BotAction::Subscribe(feed)) => self.set_feed(feed),
                Ok(BotAction::Pong { id }) => self.measure_lag(id),
                Ok(BotAction::Join(named)) => {
                    if let Err(refused) = named.and_then(|id| self.chores.request_join(id)) {
                        self.send_join_answer(JoinAnswer::refusal(refused));
                    }
                }
                Err(refused) => self.refuse_message(refused),
            }
            if self.close_if_too_many_idle_messages() {
                break;
            }
        }
        Ok(())
    }

    fn act_in_match(
        &self,
        batch: &mut ActionBatch<'_>,
        match_id: MatchId,
        action: SeatAction,
    ) -> Result<(), BacklogOverflow> {
        match batch.act(match_id, self.number, action) {
            Ok(()) => Ok(()),
            Err(ActionRefused::UnknownMatch) => {
                self.refuse_unknown_match(match_id);
                Ok(())
            }
            Err(ActionRefused::BacklogFull(full)) => Err(BacklogOverflow { match_id, full }),
        }
    }

    /// Sets which takes are sent to the bot, in its open matches and in later ones.
    fn set_feed(&self, feed: TakeFeed) {
        self.link
            .count_idle_message("a `subscribe`, which does not answer a request from the server".to_owned());
        self.link.set_feed(feed);
        let session = self.link.id();
        for (_, route) in self.presence.routes() {
            route.match_handle.send(MatchInput::Feed { seat: route.seat, session, feed });
        }
    }

    /// Closes the session if the bot sent too many idle messages; returns whether it was closed.
    fn close_if_too_many_idle_messages(&mut self) -> bool {
        let (sent, now) = (self.link.idle_message_count(), self.clock.now());
        let is_too_much = !self.idle_messages.allows(sent, now, &self.limits);
        if is_too_much {
            let example = self.link.last_idle_message().unwrap_or_default();
            self.link.close_with_example(CloseReason::TooManyIdleMessages, &format!("the last: {example}"));
        }
        is_too_much
    }

    fn refuse_unknown_match(&self, match_id: MatchId) {
        let refused = InvalidAction {
            match_id: match_id.to_string(),
            reason: RefusalReason::UnknownMatch,
            message: format!("match {match_id}: {} has no seat in an open match with this id", self.bot),
        };
        if self.link.excuse_late_message() {
            // The bot did nothing wrong, so the answer does not count towards the limit of its queue either.
            self.link.send_beyond_limit(ServerEvent::InvalidAction(Box::new(refused)));
        } else {
            self.refuse_message(refused);
        }
    }

    fn refuse_message(&self, refused: InvalidAction) {
        self.link.count_idle_message(describe_refusal(refused.reason, &refused.message, None));
        self.link.send(ServerEvent::InvalidAction(Box::new(refused)));
    }

    /// Sends the bot the answer to its join request. A request that changed nothing counts as an idle message.
    fn send_join_answer(&self, answer: JoinAnswer) {
        if let Some(wrong) = answer.idle_reason {
            self.link.count_idle_message(wrong);
        }
        self.link.send(answer.event);
    }

    fn measure_lag(&mut self, id: u64) {
        match self.pings.take_answered(id) {
            // A pong this late may not be the bot's fault, so it is not refused, but it cannot be used to measure the
            // lag.
            AnsweredPing::GivenUp => {}
            AnsweredPing::Unknown => {
                self.link
                    .count_idle_message(format!("pong {id}: no ping with this id is waiting for an answer"));
            }
            AnsweredPing::Sent(ping) => {
                let (session, lag) = (self.link.id(), self.clock.now().since(ping.sent_at));
                self.link.set_lag(lag);
                for (_, route) in self.presence.routes() {
                    route.match_handle.send(MatchInput::Lag { seat: route.seat, session, lag });
                }
                self.presence.confirm_ends(&self.link, ping.ends);
                self.link.confirm_match_ends(ping.match_ends);
                self.write_acknowledged_ends();
            }
        }
    }

    /// Starts to write the acknowledged ends, unless such a write is already running. Nothing waits for the write: if
    /// acknowledgements are lost in a restart, some ends are merely sent again.
    fn write_acknowledged_ends(&mut self) {
        if self.chores.is_writing_acknowledged_ends() {
            return;
        }
        let heard = self.presence.take_acknowledged_ends();
        if heard.is_empty() {
            return;
        }
        let (bot, arena) = (self.bot.clone(), self.arena.clone());
        self.chores.write_acknowledged_ends(Box::pin(async move {
            let through = heard.through.map(|through| Change::EndsAcknowledged { bot: bot.clone(), through });
            let tournament_change = |id| Change::TournamentEndAcknowledged { bot: bot.clone(), id };
            let changes =
                through.into_iter().chain(heard.tournaments.into_iter().map(tournament_change)).collect();
            if let Err(error) = arena.inner.context.commits.commit(changes).await {
                tracing::debug!(%error, %bot, "the ends that a bot confirmed were not stored");
            }
        }));
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("bot", &self.bot).field("link", &self.link).finish_non_exhaustive()
    }
}

/// Reads the available messages without waiting for more.
async fn read_available<R, E>(
    mut inbound: Pin<&mut impl Stream<Item = Result<R, E>>>,
    read: &mut Vec<R>,
) -> ReadStatus<E> {
    while read.len() < MAX_READ_AT_ONCE {
        let next = poll_fn(|context| Poll::Ready(inbound.as_mut().poll_next(context)));
        match next.await {
            Poll::Pending => return ReadStatus::AllRead,
            Poll::Ready(Some(Ok(message))) => read.push(message),
            Poll::Ready(Some(Err(error))) => return ReadStatus::Ended(Err(error)),
            Poll::Ready(None) => return ReadStatus::Ended(Ok(())),
        }
    }
    ReadStatus::Stopped
}

/// Reads and drops further messages from a bot, because small messages that stay unread would block the whole
/// connection. Never returns.
async fn discard_inbound_forever<R, E>(mut inbound: impl Stream<Item = Result<R, E>> + Unpin) {
    while let Some(Ok(_)) = inbound.next().await {}
    drop(inbound);
    std::future::pending::<()>().await;
}

impl Session {
    /// Removes the session from the bot's presence, and notifies the bot's matches. Idempotent.
    fn leave(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        self.link.close(CloseReason::Broken);
        let (session, at) = (self.link.id(), self.clock.now());
        let is_excused = self.clock.may_lose_streams();
        for (_, route) in self.presence.disconnect(&self.link) {
            route.match_handle.send(MatchInput::Left { seat: route.seat, session, at, is_excused });
        }
        tracing::debug!(bot = %self.bot, session, "session closed");
    }
}

impl Drop for Session {
    /// Removes the session in every case: after its end, when its task is cancelled, and if it never ran. Its place is
    /// released only here, after queued messages have been read or dropped.
    fn drop(&mut self) {
        self.leave();
        self.roster.release_session();
    }
}
