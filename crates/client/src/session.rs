//! Runs a bot, and opens a new session whenever one is lost.

use super::{
    AsyncBot, Authorization, Bot, Error, Options, ServerAddress, Summary,
    backoff::Backoff,
    bot_host::BotHost,
    bot_tasks::BotTasks,
    bot_thread::BotThread,
    bounds::MAX_UNSENT_MESSAGES,
    channel::{MAX_MESSAGE_BYTES, connect_lazily, token_authorization},
    error::{describe_status, is_transient},
    event::{ProtocolError, SessionEvent},
    join_state::JoinState,
    match_tracker::{ClientAction, MatchTracker},
    question::{BotAnswer, BotQuestion},
    session_log::SessionLog,
    tls,
    transport::draw_jitter,
};
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotVersion, MatchId};
use lastnim_proto::{
    TakeFeed,
    pb::{
        Feed, PlayRequest, PlayResponse, Subscribe, arena_service_client::ArenaServiceClient,
        play_request::Action as Wire,
    },
};
use std::{
    collections::VecDeque,
    future::{Future, pending, poll_fn},
    time::Duration,
};
use tokio::{
    select,
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status, Streaming,
    metadata::{MetadataMap, MetadataValue},
    service::interceptor::InterceptedService,
    transport::Channel,
};

/// Capacity of the queue of outgoing messages in the stream; further messages wait in `BotRunner::outgoing`.
const OUTBOUND_CAPACITY: usize = 64;
/// Time limit for the welcome in a new session, because a server that has reached its stream limit does not answer.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// After this many seconds without an event, a session counts as lost: the server sends a ping at least every 20 s.
const MAX_SILENT_SECONDS: u32 = 25;
/// Time to wait for the last match ends once the tournament is over.
const LAST_ENDS_TIMEOUT: Duration = Duration::from_secs(2);

type Client = ArenaServiceClient<InterceptedService<Channel, Authorization>>;

/// Plays all matches of a bot until its tournament has ended, or forever if the options name no tournament.
///
/// A lost session is reopened.
///
/// # Errors
/// See [`Error`]; lost sessions are errors only if they cannot be reopened.
pub async fn run(bot: impl Bot, options: Options) -> Result<Summary, Error> {
    run_until(bot, options, pending()).await
}

/// Plays like [`run`], and stops when `shutdown` completes.
///
/// # Errors
/// See [`run`].
pub async fn run_until(
    bot: impl Bot,
    options: Options,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<Summary, Error> {
    let take_feed = bot.take_feed();
    play_until(Box::new(BotThread::start(bot)?), take_feed, options, None, Box::pin(shutdown)).await
}

/// Plays like [`run`] with a bot that thinks about many matches at once.
///
/// # Errors
/// See [`run`].
pub async fn run_async(bot: impl AsyncBot, options: Options) -> Result<Summary, Error> {
    run_async_until(bot, options, pending()).await
}

/// Plays like [`run_async`], and stops when `shutdown` completes; pending futures of the bot are dropped.
///
/// # Errors
/// See [`run`].
pub async fn run_async_until(
    bot: impl AsyncBot,
    options: Options,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<Summary, Error> {
    let take_feed = bot.take_feed();
    let bot = BotTasks::new(bot, options.concurrency);
    play_until(Box::new(bot), take_feed, options, None, Box::pin(shutdown)).await
}

/// An event for an observer of the bot.
#[derive(Debug)]
pub(super) enum ObserverEvent {
    /// A session was opened for the bot with this name.
    Connected(String),
    /// A match is over.
    Ended(MatchId),
}

impl ObserverEvent {
    /// Returns the event, if any, that the observer should get once the bot has handled the question.
    fn of(question: &BotQuestion) -> Option<Self> {
        match question {
            BotQuestion::Connected(session) => Some(Self::Connected(session.bot.clone())),
            BotQuestion::Ended(end) => Some(Self::Ended(end.info.id)),
            _ => None,
        }
    }
}

/// Plays all matches of a bot until its tournament has ended or `shutdown` completes. The observer gets each event
/// after the bot has handled it.
///
/// The bot, `shutdown` and the future are boxed, so that the session code is compiled only once and not for each type
/// of bot.
///
/// # Errors
/// See [`run`].
pub(super) fn play_until(
    bot: Box<dyn BotHost>,
    take_feed: TakeFeed,
    options: Options,
    observer: Option<mpsc::Sender<ObserverEvent>>,
    mut shutdown: BoxFuture<'_, ()>,
) -> BoxFuture<'_, Result<Summary, Error>> {
    Box::pin(async move {
        let channels = connect_lazily(&options.server)?;
        let authorization = token_authorization(&options.token)?;
        let version = options.bot_version()?;
        let give_up_after = options.give_up_after;
        let log = SessionLog::open(options.session_log.as_deref(), options.server.as_str(), &options.token)?;
        let joining = options.tournament.clone().map(|id| JoinState::new(id, give_up_after));
        let player = BotRunner {
            version,
            tracker: MatchTracker::new(bot.question_limit(), take_feed),
            bot,
            take_feed,
            observer,
            pending_event: None,
            outgoing: VecDeque::new(),
            joining,
            log,
            tournament: options.tournament,
            is_over: false,
        };
        let clients = channels.into_iter().map(|channel| {
            ArenaServiceClient::with_interceptor(channel, authorization.clone())
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
        });
        player.run_sessions(clients.collect(), &options.server, give_up_after, &mut shutdown).await
    })
}

/// How a session ended.
#[derive(Debug)]
enum SessionEnd {
    /// The bot has finished, or was told to stop.
    Done,
    /// The session was lost for this reason and can be reopened.
    Lost(String),
}

/// An open stream. It owns both directions, so that dropping it ends the call; keeping only the inbound one would keep
/// the call alive.
struct PlayStream {
    outbound: mpsc::Sender<PlayRequest>,
    inbound: Streaming<PlayResponse>,
}

/// A bot, and the state that outlives its sessions.
struct BotRunner {
    /// The bot's version, which the client declares in each session.
    version: BotVersion,
    tracker: MatchTracker,
    bot: Box<dyn BotHost>,
    /// Which takes the server should send.
    take_feed: TakeFeed,
    observer: Option<mpsc::Sender<ObserverEvent>>,
    /// The event to send to the observer once the bot has handled it.
    pending_event: Option<ObserverEvent>,
    /// Messages that did not fit into the stream's queue, at most [`MAX_UNSENT_MESSAGES`].
    outgoing: VecDeque<PlayRequest>,
    joining: Option<JoinState>,
    log: SessionLog,
    tournament: Option<String>,
    /// Whether the tournament is known to be over.
    is_over: bool,
}

impl BotRunner {
    async fn run_sessions(
        mut self,
        mut clients: Vec<Client>,
        server: &ServerAddress,
        give_up_after: Duration,
        stop: &mut BoxFuture<'_, ()>,
    ) -> Result<Summary, Error> {
        let mut backoff = Backoff::new();
        // The client of the address in use, and the number of others to try before the next pause.
        let mut current = 0;
        let mut untried = clients.len() - 1;
        let mut last_session = Instant::now();
        loop {
            self.outgoing.clear();
            self.log.begin_session();
            let opened = select! {
                biased;
                opened = open_session(&mut clients[current], server, &self.version, &mut self.log) => opened,
                () = &mut *stop => return Ok(self.tracker.summary()),
            };
            let opened = opened.inspect_err(|error| self.log.note_closed(&error.to_string()))?;
            let reason = match opened {
                OpenOutcome::Failed(reason) => {
                    self.log.note_closed(&reason);
                    current = (current + 1) % clients.len();
                    if untried > 0 {
                        tracing::debug!(reason, "no session was opened: trying the next address");
                        untried -= 1;
                        continue;
                    }
                    reason
                }
                OpenOutcome::Opened(stream, welcome) => {
                    let began = Instant::now();
                    let end = self.run_session(stream, *welcome, stop).await;
                    self.log.note_closed(&describe_session_end(&end));
                    let end = end?;
                    last_session = Instant::now();
                    backoff.reset_if_lasting(began.elapsed());
                    match end {
                        SessionEnd::Done => return Ok(self.tracker.summary()),
                        SessionEnd::Lost(reason) => {
                            // After a handover, the next address may be that of the new server, so it is tried first.
                            current = (current + 1) % clients.len();
                            reason
                        }
                    }
                }
            };
            if last_session.elapsed() > give_up_after {
                return Err(Error::GaveUp { after: give_up_after, last: reason });
            }
            untried = clients.len() - 1;
            let pause = backoff.next_pause(draw_jitter(server));
            tracing::warn!(reason, ?pause, "the session was lost or could not be opened: retrying");
            select! {
                biased;
                () = sleep(pause) => {}
                () = &mut *stop => return Ok(self.tracker.summary()),
            }
        }
    }

    /// Plays on one stream until it is lost or the bot has finished.
    async fn run_session(
        &mut self,
        mut stream: Box<PlayStream>,
        welcome: SessionEvent,
        stop: &mut BoxFuture<'_, ()>,
    ) -> Result<SessionEnd, Error> {
        let feed = match self.take_feed {
            TakeFeed::All => Feed::All,
            TakeFeed::OwnTurns => Feed::OwnTurns,
        };
        self.outgoing.push_back(play_request(Wire::Subscribe(Subscribe { feed: feed.into() })));
        self.outgoing
            .extend(self.joining.as_mut().and_then(JoinState::action_in_new_session).map(play_request));
        let actions = self.tracker.handle_event(welcome)?;
        self.perform_actions(actions)?;
        let mut farewell = None;
        let mut silent_seconds = 0;
        // Silence is measured in timer ticks instead of elapsed time: nothing is read while the bot blocks this thread,
        // and the server must not appear silent because of that.
        let mut seconds = interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.is_over && farewell.is_none() {
                farewell = Some(Instant::now() + LAST_ENDS_TIMEOUT);
            }
            if farewell.is_some()
                && self.tournament.as_deref().is_none_or(|id| self.tracker.is_finished_with(id))
            {
                return Ok(SessionEnd::Done);
            }
            select! {
                // The fixed order of the branches does not starve the later ones, since each message causes little
                // work.
                biased;
                () = &mut *stop => return Ok(SessionEnd::Done),
                () = sleep_until(farewell.unwrap_or_else(Instant::now)), if farewell.is_some() => {
                    return Ok(SessionEnd::Done);
                }
                answer = poll_fn(|context| self.bot.poll_answer(context)) => {
                    let answer = answer?;
                    if matches!(answer, BotAnswer::Handled) {
                        self.notify_observer()?;
                    }
                    let actions = self.tracker.handle_answer(answer);
                    self.perform_actions(actions)?;
                }
                again = wait_to_retry_join(&mut self.joining) => self.outgoing.push_back(play_request(again)),
                permit = stream.outbound.reserve(), if !self.outgoing.is_empty() => match permit {
                    Ok(permit) => {
                        if let Some(request) = self.outgoing.pop_front() {
                            self.log.note_sent(&request);
                            permit.send(request);
                        }
                    }
                    // The error is ignored, because the inbound side reports the reason.
                    Err(_) => self.outgoing.clear(),
                },
                received = stream.inbound.message() => match received {
                    Ok(Some(response)) => {
                        self.log.note_received(&response);
                        let event = SessionEvent::parse(response)?;
                        let event = self.handle_tournament_event(event)?;
                        if let SessionEvent::Draining { within } = event {
                            tracing::info!(?within, "the server is about to stop");
                        }
                        let actions = self.tracker.handle_event(event)?;
                        self.perform_actions(actions)?;
                        if self.outgoing.len() > MAX_UNSENT_MESSAGES {
                            return Err(ProtocolError::RepliesNotRead.into());
                        }
                        silent_seconds = 0;
                    }
                    lost if farewell.is_some() => {
                        tracing::debug!(?lost, "the session ended because its tournament is over");
                        return Ok(SessionEnd::Done);
                    }
                    Ok(None) => return Ok(SessionEnd::Lost("the server closed the stream".into())),
                    Err(status) => return transient_loss_reason(status).map(SessionEnd::Lost),
                },
                _ = seconds.tick() => {
                    silent_seconds += 1;
                    if silent_seconds > MAX_SILENT_SECONDS {
                        let reason = format!("the server sent no event for {MAX_SILENT_SECONDS} s");
                        return Ok(SessionEnd::Lost(reason));
                    }
                }
            }
        }
    }

    /// Handles replies to requests to join, and notes the end of the bot's tournament. Returns the event to handle
    /// next.
    fn handle_tournament_event(&mut self, event: SessionEvent) -> Result<SessionEvent, Error> {
        match (event, &mut self.joining) {
            (SessionEvent::Joined(joined), Some(joining)) => {
                joining.note_joined(&joined);
                self.is_over |= joined.is_over && self.is_own_tournament(&joined.tournament);
            }
            (SessionEvent::NotJoined(refused), Some(joining)) => joining.note_refused(refused)?,
            (SessionEvent::TournamentEnded(end), _) => {
                self.is_over |= self.is_own_tournament(&end.tournament.to_string());
                return Ok(SessionEvent::TournamentEnded(end));
            }
            (event, _) => return Ok(event),
        }
        Ok(SessionEvent::Ignored)
    }

    /// Returns whether this is the tournament that the bot plays in.
    fn is_own_tournament(&self, tournament: &str) -> bool {
        self.tournament.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(tournament))
    }

    fn perform_actions(&mut self, actions: Vec<ClientAction>) -> Result<(), Error> {
        for action in actions {
            match action {
                ClientAction::Send(action) => self.outgoing.push_back(play_request(action)),
                ClientAction::Ask(question) => {
                    if question.match_of_request().is_none() {
                        self.pending_event = ObserverEvent::of(&question);
                    }
                    self.bot.ask(question)?;
                }
                ClientAction::Withdraw(match_id) => self.bot.withdraw(match_id),
            }
        }
        Ok(())
    }

    /// Sends the observer the event that the bot has just handled, if any.
    fn notify_observer(&mut self) -> Result<(), ProtocolError> {
        match (&self.observer, self.pending_event.take()) {
            (Some(observer), Some(event)) => match observer.try_send(event) {
                Err(TrySendError::Full(_)) => Err(ProtocolError::TooManyEvents),
                // The error is ignored, because the observer may have stopped.
                Ok(()) | Err(TrySendError::Closed(_)) => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

fn describe_session_end(end: &Result<SessionEnd, Error>) -> String {
    match end {
        Ok(SessionEnd::Done) => "the bot has finished".to_owned(),
        Ok(SessionEnd::Lost(reason)) => reason.clone(),
        Err(error) => error.to_string(),
    }
}

/// Waits until it is time to try to join again, or forever if there is nothing to join.
async fn wait_to_retry_join(joining: &mut Option<JoinState>) -> Wire {
    match joining {
        Some(joining) => joining.wait_to_retry().await,
        None => pending().await,
    }
}

fn play_request(action: Wire) -> PlayRequest {
    PlayRequest { action: Some(action) }
}

/// Adds the bot's version and configuration hash to the metadata of the call.
fn add_version_metadata(version: &BotVersion, metadata: &mut MetadataMap) {
    // Labels contain only visible ASCII, which metadata allows.
    if let Some(label) = version.label.as_ref().and_then(|label| label.as_str().parse().ok()) {
        metadata.insert("bot-version", label);
    }
    if let Some(hash) = &version.config_hash {
        metadata.insert_bin("bot-config-hash-bin", MetadataValue::from_bytes(hash.as_bytes()));
    }
}

/// The result of an attempt to open a session.
enum OpenOutcome {
    Opened(Box<PlayStream>, Box<SessionEvent>),
    /// The attempt failed for this reason, but a retry may succeed.
    Failed(String),
}

/// Opens a stream and waits for the server's welcome.
async fn open_session(
    client: &mut Client,
    server: &ServerAddress,
    version: &BotVersion,
    log: &mut SessionLog,
) -> Result<OpenOutcome, Error> {
    let opening = async {
        let (outbound, requests) = mpsc::channel(OUTBOUND_CAPACITY);
        let mut call = Request::new(ReceiverStream::new(requests));
        add_version_metadata(version, call.metadata_mut());
        let mut inbound = client.play(call).await?.into_inner();
        let first = inbound.message().await?;
        Ok((PlayStream { outbound, inbound }, first))
    };
    let (stream, first) = match timeout(WELCOME_TIMEOUT, opening).await {
        Err(_) => {
            return Ok(OpenOutcome::Failed(format!(
                "the server sent no welcome within {} s",
                WELCOME_TIMEOUT.as_secs()
            )));
        }
        Ok(Err(status)) => match tls::tls_failure(&status) {
            Some(reason) => return Err(Error::Tls { server: server.to_string(), reason }),
            None => return transient_loss_reason(status).map(OpenOutcome::Failed),
        },
        Ok(Ok((_, None))) => {
            return Ok(OpenOutcome::Failed("the server closed the stream before its welcome".into()));
        }
        Ok(Ok((stream, Some(first)))) => (stream, first),
    };
    log.note_received(&first);
    match SessionEvent::parse(first)? {
        welcome @ SessionEvent::Welcome(_) => Ok(OpenOutcome::Opened(Box::new(stream), Box::new(welcome))),
        _ => Err(ProtocolError::NoWelcome.into()),
    }
}

/// Returns the reason for the loss of a session if a retry may succeed, or an error if it cannot.
fn transient_loss_reason(status: Status) -> Result<String, Error> {
    match status.code() {
        Code::Aborted => Err(Error::Superseded),
        code if is_transient(code) => Ok(describe_status(&status)),
        _ => Err(Error::Refused(Box::new(status))),
    }
}
