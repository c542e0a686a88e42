//! One open session: reads what a bot sends and brings it to its matches.

use super::arena::Arena;
use super::error::ArenaError;
use super::join_queue::{JoinAnswer, JoinQueue};
use super::limits::Limits;
use super::match_handle::{MatchInput, SeatAction};
use super::missed_ends::send_missed_ends;
use super::outbox::{CloseReason, Outbox};
use super::roster::{Presence, Roster, SeatLink};
use super::session_link::{SessionLink, describe_refusal};
use super::version_history::write_seen_version;
use super::wall_clock::WallClock;
use crate::game::{BotName, BotVersion, MatchId, Row};
use crate::referee::{RefusalReason, Timestamp};
use crate::store::Change;
use crate::wire::{BotAction, InvalidAction, ServerEvent};
use std::collections::{HashSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;
use tokio_stream::{Stream, StreamExt as _};

/// Something that goes on beside the conversation, and is given up with the session.
type BackgroundTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The reading half of a session. The sending half is the stream that came with it.
pub struct Session {
    bot: BotName,
    presence: Arc<Presence>,
    link: SessionLink,
    roster: Arc<Roster>,
    limits: Arc<Limits>,
    clock: WallClock,
    joining: JoinQueue,
    arena: Arena,
    /// Tells the bot of the ends that it missed; none once it is told.
    catching_up: Option<BackgroundTask>,
    /// Writes of which ends the bot has heard; none while there is nothing to write.
    writing: Option<BackgroundTask>,
    /// Writes the version that the bot has said; none once it is written.
    writing_version: Option<BackgroundTask>,
    opened_at: Timestamp,
    /// What matches are still to be told, in order: first of all, those that were open before, that it is there. What
    /// its bot sends comes behind that while a match that waits for the store has no room; what may wait for a seat is
    /// bounded, and so is this.
    backlog: VecDeque<PendingInput>,
    ping: Option<Ping>,
    next_ping: u64,
    /// Whether it has been taken out of the bot's presence.
    has_left: bool,
}

/// Something that a match is still to be told.
#[derive(Debug)]
struct PendingInput {
    seat: Arc<SeatLink>,
    input: SessionEvent,
}

#[derive(Debug)]
enum SessionEvent {
    /// The session is there.
    Joined,
    /// Its bot sent something.
    Sent { match_id: MatchId, action: SeatAction, at: Timestamp },
}

/// A message too many for a seat.
struct SeatBacklogFull {
    seat: Arc<SeatLink>,
    /// The message, in words.
    example: String,
}

#[derive(Debug, Clone, Copy)]
struct Ping {
    id: u64,
    sent_at: Timestamp,
    /// Ends that had been handed to sessions of the bot when it was sent.
    ends: u64,
}

impl Session {
    /// Opens the bot's session, in place of an older one. Nothing waits here, so that a call which is given up
    /// while it is answered leaves no session behind that nobody runs.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the roster is closed.
    pub(super) fn open(
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
        let Some((link, resumed)) = presence.connect(&roster, version, opened_at, outbox, welcome) else {
            roster.release_session();
            return Err(ArenaError::Stopping);
        };
        tracing::debug!(%bot, session = link.id, "session opened");
        let backlog =
            resumed.into_iter().map(|seat| PendingInput { seat, input: SessionEvent::Joined }).collect();
        let joining = JoinQueue::new(arena.clone(), bot.clone());
        let catching_up = send_missed_ends(arena.clone(), bot.clone(), Arc::clone(&presence), link.clone());
        let writing_version = link.version.is_declared().then(|| {
            let (presence, version) = (Arc::clone(&presence), Arc::clone(&link.version));
            Box::pin(write_seen_version(arena.clone(), bot.clone(), presence, version)) as BackgroundTask
        });
        Ok(Self {
            bot,
            presence,
            link,
            roster,
            limits,
            clock,
            joining,
            arena: arena.clone(),
            catching_up: Some(Box::pin(catching_up)),
            writing: None,
            writing_version,
            opened_at,
            backlog,
            ping: None,
            next_ping: 0,
            has_left: false,
        })
    }

    /// Reads to the end of the session, whichever side ends it. The inbound side is drained all the while, also while
    /// matches wait for the store: unread small messages would bring down the whole connection.
    pub async fn run<R, E>(mut self, inbound: impl Stream<Item = Result<R, E>>)
    where
        R: TryInto<BotAction, Error = InvalidAction>,
        E: std::fmt::Display,
    {
        let mut inbound = Box::pin(inbound.fuse());
        self.read_until_over(inbound.as_mut()).await;
        self.leave();
        tokio::select! {
            () = self.link.flush_within(self.limits.closing_grace) => {}
            () = discard_inbound_forever(inbound) => {}
        }
    }

    /// Reads until either side ends the session.
    async fn read_until_over<R, E>(&mut self, mut inbound: Pin<&mut impl Stream<Item = Result<R, E>>>)
    where
        R: TryInto<BotAction, Error = InvalidAction>,
        E: std::fmt::Display,
    {
        let link = self.link.clone();
        let over = link.wait_until_over();
        tokio::pin!(over);
        let mut pings = tokio::time::interval(self.limits.ping_interval);
        pings.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let next = self.backlog.front().map(|pending| Arc::clone(&pending.seat));
            let room = async {
                match &next {
                    Some(seat) => seat.match_handle.reserve().await,
                    None => std::future::pending().await,
                }
            };
            let request = tokio::select! {
                biased;
                () = over.as_mut() => break,
                room = room => {
                    if let Some(pending) = self.backlog.pop_front() {
                        match room {
                            Some(room) => room.send(self.match_input(pending)),
                            None => self.refuse_input_after_end(&pending.input),
                        }
                    }
                    continue;
                }
                answer = self.joining.next_answer() => {
                    self.send_join_answer(answer);
                    self.close_if_too_unproductive();
                    continue;
                }
                () = wait_for_background_task(&mut self.catching_up) => continue,
                () = wait_for_background_task(&mut self.writing_version) => continue,
                () = wait_for_background_task(&mut self.writing) => {
                    self.write_heard_ends();
                    continue;
                }
                request = inbound.next() => request,
                _ = pings.tick() => {
                    self.send_ping();
                    continue;
                }
            };
            match request {
                None => {
                    self.link.close(CloseReason::Done);
                    break;
                }
                Some(Err(error)) => {
                    tracing::debug!(bot = %self.bot, %error, "session cannot be read");
                    self.link.close_with_example(CloseReason::Malformed, &error.to_string());
                    break;
                }
                Some(Ok(request)) => {
                    if let Err(overrun) = self.handle_action(request.try_into()) {
                        self.close_for_full_backlog(overrun, inbound).await;
                        break;
                    }
                    self.close_if_too_unproductive();
                }
            }
        }
    }

    /// Ends the session of a bot that has sent more than may wait for a seat, once the match has answered what it sent
    /// before, so that it hears what was wrong with that; a match that takes too long for it is not waited for.
    async fn close_for_full_backlog<R, E>(
        &mut self,
        overrun: SeatBacklogFull,
        inbound: Pin<&mut impl Stream<Item = Result<R, E>>>,
    ) {
        let SeatBacklogFull { seat, example } = overrun;
        if self.backlog.is_empty() {
            let (answered, answers) = oneshot::channel();
            seat.match_handle.send_detached(MatchInput::Barrier { answered });
            tokio::select! {
                // A match that is over drops its end: it has answered what it took.
                _ = tokio::time::timeout(self.limits.closing_grace, answers) => {}
                () = discard_inbound_forever(inbound) => {}
                () = self.link.wait_until_over() => {}
            }
        }
        let example = match self.link.last_unproductive() {
            Some(wrong) => format!("{example}; refused last: {wrong}"),
            None => example,
        };
        self.link.close_with_example(CloseReason::TooManyUnread, &example);
    }

    fn send_ping(&mut self) {
        // What was handed before this is read before the ping.
        let ends = self.presence.sent_end_count();
        let ping = Ping { id: self.next_ping, sent_at: self.clock.now(), ends };
        self.next_ping += 1;
        self.ping = Some(ping);
        self.link.send(ServerEvent::Ping { id: ping.id });
    }

    fn handle_action(&mut self, action: Result<BotAction, InvalidAction>) -> Result<(), SeatBacklogFull> {
        match action {
            Err(refused) => self.refuse_message(refused),
            Ok(BotAction::Subscribe(feed)) => {
                self.link.count_unproductive(
                    "a `subscribe`, which asks for nothing that a match waits for".to_owned(),
                );
                self.link.set_feed(feed);
            }
            Ok(BotAction::Pong { id }) => self.measure_lag(id),
            Ok(BotAction::Join(named)) => {
                if let Err(refused) = named.and_then(|id| self.joining.request(id)) {
                    self.send_join_answer(JoinAnswer::refusal(refused));
                }
            }
            Ok(BotAction::Declare { match_id, offsets, note_hash }) => {
                let Some(seat) = self.seat_or_refuse(match_id) else { return Ok(()) };
                if seat.declared.swap(true, Ordering::Relaxed) {
                    self.link.count_unproductive(format!("match {match_id}: a row was declared again"));
                }
                let row = Row::parse(&offsets, seat.match_handle.seats());
                self.send_to_match(seat, match_id, SeatAction::Declare { row, note_hash })?;
            }
            Ok(BotAction::Take { match_id, ply, take, note_hash }) => {
                let Some(seat) = self.seat_or_refuse(match_id) else { return Ok(()) };
                self.send_to_match(seat, match_id, SeatAction::Take { ply, take, note_hash })?;
            }
            Ok(BotAction::Resign { match_id }) => {
                let Some(seat) = self.seat_or_refuse(match_id) else { return Ok(()) };
                self.send_to_match(seat, match_id, SeatAction::Resign)?;
            }
        }
        Ok(())
    }

    /// Ends the session if more of what it sent led nowhere than is borne.
    fn close_if_too_unproductive(&self) {
        if self.link.unproductive_count() <= self.limits.unproductive_burst {
            return;
        }
        let open_for = self.clock.now().since(self.opened_at).as_secs();
        let forgiven = open_for.saturating_mul(self.limits.unproductive_per_second);
        if self.link.unproductive_count() > self.limits.unproductive_burst.saturating_add(forgiven) {
            let example = self.link.last_unproductive().unwrap_or_default();
            self.link.close_with_example(CloseReason::TooManyUnproductive, &format!("the last: {example}"));
        }
    }

    /// Returns the bot's seat in an open match, or refuses the message that named the match.
    fn seat_or_refuse(&self, match_id: MatchId) -> Option<Arc<SeatLink>> {
        let seat = self.presence.open_seat(match_id);
        if seat.is_none() {
            self.refuse_unknown_match(match_id);
        }
        seat
    }

    /// Brings what the bot sent to its match, behind what waits to be brought to any.
    fn send_to_match(
        &mut self,
        seat: Arc<SeatLink>,
        match_id: MatchId,
        action: SeatAction,
    ) -> Result<(), SeatBacklogFull> {
        if seat.unread.fetch_add(1, Ordering::Relaxed) >= self.limits.unread_per_seat {
            seat.unread.fetch_sub(1, Ordering::Relaxed);
            let (most, seat_number) = (self.limits.unread_per_seat, seat.seat);
            let example = format!(
                "{} for seat {seat_number} of match {match_id} came while {most} messages waited for it",
                action.describe()
            );
            return Err(SeatBacklogFull { seat, example });
        }
        let at = self.clock.now();
        if !self.backlog.is_empty() {
            self.backlog.push_back(PendingInput { seat, input: SessionEvent::Sent { match_id, action, at } });
            return Ok(());
        }
        match seat.match_handle.try_send(MatchInput::Seat { seat: seat.seat, action, at }) {
            Err(TrySendError::Full(MatchInput::Seat { action, at, .. })) => {
                self.backlog
                    .push_back(PendingInput { seat, input: SessionEvent::Sent { match_id, action, at } });
            }
            Err(_) => self.refuse_unknown_match(match_id),
            Ok(()) => {}
        }
        Ok(())
    }

    fn match_input(&self, pending: PendingInput) -> MatchInput {
        let seat = pending.seat.seat;
        match pending.input {
            SessionEvent::Joined => {
                MatchInput::Joined { seat, session: self.link.clone(), at: self.opened_at }
            }
            SessionEvent::Sent { action, at, .. } => MatchInput::Seat { seat, action, at },
        }
    }

    /// Settles what a match that takes no more would have been told.
    fn refuse_input_after_end(&self, input: &SessionEvent) {
        match input {
            // Its bot was told of the end, or hears of the match no more.
            SessionEvent::Joined => {}
            SessionEvent::Sent { match_id, .. } => self.refuse_unknown_match(*match_id),
        }
    }

    fn refuse_unknown_match(&self, match_id: MatchId) {
        self.refuse_message(InvalidAction {
            match_id: match_id.to_string(),
            reason: RefusalReason::UnknownMatch,
            message: format!("match {match_id}: {} has no seat in an open match of this id", self.bot),
        });
    }

    fn refuse_message(&self, refused: InvalidAction) {
        self.link.count_unproductive(describe_refusal(refused.reason, &refused.message, None));
        self.link.send(ServerEvent::Unheard(Box::new(refused)));
    }

    /// Tells the bot what its request to join a tournament came to.
    fn send_join_answer(&self, answer: JoinAnswer) {
        if let Some(wrong) = answer.led_nowhere {
            self.link.count_unproductive(wrong);
        }
        self.link.send(answer.event);
    }

    fn measure_lag(&mut self, id: u64) {
        match self.ping.take_if(|ping| ping.id == id) {
            None => {
                self.link.count_unproductive(format!("pong {id}: no ping of this id waits for an answer"));
            }
            Some(ping) => {
                self.link.set_lag(self.clock.now().since(ping.sent_at));
                self.presence.confirm_ends(&self.link, ping.ends);
                self.write_heard_ends();
            }
        }
    }

    /// Writes of which ends the bot has heard, unless that is being done. Nobody waits for it: what is lost on the way is told
    /// again after a restart of the server.
    fn write_heard_ends(&mut self) {
        if self.writing.is_some() {
            return;
        }
        let heard = self.presence.take_heard_ends();
        if heard.is_empty() {
            return;
        }
        let (bot, arena) = (self.bot.clone(), self.arena.clone());
        self.writing = Some(Box::pin(async move {
            let through = heard.through.map(|through| Change::EndsHeard { bot: bot.clone(), through });
            let of_tournament = |id| Change::TournamentEndHeard { bot: bot.clone(), id };
            let changes =
                through.into_iter().chain(heard.tournaments.into_iter().map(of_tournament)).collect();
            if let Err(error) = arena.inner.context.commits.commit(changes).await {
                tracing::debug!(%error, %bot, "what a bot has heard of is not written");
            }
        }));
    }
}

/// Waits until something that goes on is done; for ever where nothing does. Safe to cancel.
async fn wait_for_background_task(background: &mut Option<BackgroundTask>) {
    match background {
        Some(going_on) => going_on.await,
        None => std::future::pending().await,
    }
    *background = None;
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("bot", &self.bot).field("link", &self.link).finish_non_exhaustive()
    }
}

/// Reads and drops what a bot still sends, and never returns: unread small messages would bring down the whole connection.
async fn discard_inbound_forever<R, E>(mut inbound: impl Stream<Item = Result<R, E>> + Unpin) {
    while let Some(Ok(_)) = inbound.next().await {}
    drop(inbound);
    std::future::pending::<()>().await;
}

impl Session {
    /// Takes the session out of the bot's presence and tells the matches; doing it twice does no harm.
    fn leave(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        self.link.close(CloseReason::Broken);
        let at = self.clock.now();
        let left = |seat: &SeatLink| MatchInput::Left { seat: seat.seat, session: self.link.id, at };
        let mut strangers = HashSet::new();
        for pending in std::mem::take(&mut self.backlog) {
            match pending.input {
                SessionEvent::Joined => {
                    pending.seat.awaited.fetch_sub(1, Ordering::SeqCst);
                    // A match that is over waits for those that it awaits, until it hears something. One whose queue is
                    // full hears enough.
                    let _heard = pending.seat.match_handle.try_send(left(&pending.seat));
                    strangers.insert(Arc::as_ptr(&pending.seat));
                }
                SessionEvent::Sent { .. } => {
                    let match_handle = pending.seat.match_handle.clone();
                    match_handle.send_detached(self.match_input(pending));
                }
            }
        }
        for seat in self.presence.disconnect(&self.link) {
            // A match that never heard of the session need not hear of its end: a bot that comes back again and again while
            // matches wait for the store would leave ever more behind.
            if !strangers.contains(&Arc::as_ptr(&seat)) {
                seat.match_handle.send_detached(left(&seat));
            }
        }
        tracing::debug!(bot = %self.bot, session = self.link.id, "session closed");
    }
}

impl Drop for Session {
    /// Leaves, whether the session has run to its end, has been given up on the way, or was never run. A place among the
    /// sessions is held until what was still to be sent is read or dropped.
    fn drop(&mut self) {
        self.leave();
        self.roster.release_session();
    }
}
