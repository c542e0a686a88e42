//! Practice against the house bots that a server hosts.

use super::{
    AsyncBot, Authorization, Bot, Error, MAX_MESSAGE_BYTES, Options, ProtocolError, ServerAddress, Summary,
    bot_host::BotHost,
    bot_tasks::BotTasks,
    bot_thread::BotThread,
    bounds::MAX_HOUSE_BOTS,
    channel::connect_one_lazily,
    error::is_transient,
    new_request_id,
    question_queue::MAX_WAITING_REPORTS,
    session::{ObserverEvent, play_until},
    token_authorization,
};
use futures_core::future::BoxFuture;
use lastnim_proto::{
    TakeFeed,
    pb::{
        AllianceMode, CreateMatchRequest, ListBotsRequest, bot_service_client::BotServiceClient,
        match_service_client::MatchServiceClient,
    },
};
use std::{
    future::{Future, pending},
    time::Duration,
};
use tokio::{
    select,
    sync::{mpsc, oneshot},
    time::{Instant, sleep, timeout},
};
use tonic::{Response, Status, service::interceptor::InterceptedService, transport::Channel};

/// The number of bots per page when listing the server's bots.
const PAGE_SIZE: u32 = 1_000;
/// Pause before another attempt to create a match when the server is full or unavailable.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Time limit for each call.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of seats in a match, if there are enough house bots.
const SEATS: usize = 3;

/// Opponents and positions to practise with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Practice {
    /// The names of the house bots to play against; empty for all that the server hosts.
    pub rivals: Vec<String>,
    /// The number of counters in each pile.
    pub piles: Vec<u64>,
    /// How many matches to play in each seat against each pair of consecutive rivals in the list.
    pub rounds: u32,
}

impl Default for Practice {
    /// Plays against every house bot in matches of three seats, once in each seat, on the piles 3, 4 and 5.
    fn default() -> Self {
        Self { rivals: Vec::new(), piles: vec![3, 4, 5], rounds: 1 }
    }
}

impl Practice {
    /// Sets the house bots to play against.
    #[must_use]
    pub fn against(mut self, rivals: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rivals = rivals.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the piles.
    #[must_use]
    pub fn piles(mut self, piles: impl Into<Vec<u64>>) -> Self {
        self.piles = piles.into();
        self
    }

    /// Sets how many matches to play in each seat against each pair of consecutive rivals in the list.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }
}

/// Plays practice matches against all of the server's house bots, then stops. Practice does not count towards
/// standings.
///
/// For each house bot, the bot plays three matches against it and the next house bot in the list: one in each seat. If
/// there is only one house bot, matches have two seats. All seats declare their rows.
///
/// The bot also plays any other matches that the server starts for it, and the summary includes them.
///
/// # Errors
/// See [`Error`]; also fails if the server hosts no house bots.
pub async fn practice(bot: impl Bot, options: Options) -> Result<Summary, Error> {
    practice_until(bot, options, Practice::default(), pending()).await
}

/// Practises like [`practice`] with the given opponents and positions, and stops early when `shutdown` completes. The
/// tournament in the options is ignored.
///
/// # Errors
/// See [`Error`]; also fails if the server hosts no house bots.
pub async fn practice_until(
    bot: impl Bot,
    options: Options,
    practice: Practice,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<Summary, Error> {
    let take_feed = bot.take_feed();
    let bot = Box::new(BotThread::start(bot)?);
    practise_with(bot, take_feed, options, practice, Box::pin(shutdown)).await
}

/// Practises like [`practice_until`] with a bot that thinks about many matches at once.
///
/// # Errors
/// See [`Error`]; also fails if the server hosts no house bots.
pub async fn practice_async_until(
    bot: impl AsyncBot,
    options: Options,
    practice: Practice,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<Summary, Error> {
    let take_feed = bot.take_feed();
    let bot = Box::new(BotTasks::new(bot, options.concurrency));
    practise_with(bot, take_feed, options, practice, Box::pin(shutdown)).await
}

fn practise_with(
    bot: Box<dyn BotHost>,
    take_feed: TakeFeed,
    mut options: Options,
    practice: Practice,
    shutdown: BoxFuture<'_, ()>,
) -> BoxFuture<'_, Result<Summary, Error>> {
    Box::pin(async move {
        options.tournament = None;
        let authorization = token_authorization(&options.token)?;
        let (sender, events) = mpsc::channel(MAX_WAITING_REPORTS);
        let driver = PracticeDriver {
            server: options.server.clone(),
            channel: connect_one_lazily(&options.server).await?,
            authorization,
            give_up_after: options.give_up_after,
            events,
        };
        let (stop, stopped) = oneshot::channel::<()>();
        // Nothing is sent on this channel; dropping the sender ends the run.
        let stopped = Box::pin(async { drop(stopped.await) });
        let mut playing = play_until(bot, take_feed, options, Some(sender), stopped);
        select! {
            ended = playing.as_mut() => return ended,
            done = driver.play_all(&practice) => done?,
            () = shutdown => {}
        }
        drop(stop);
        playing.await
    })
}

/// Creates the practice matches, one after another.
struct PracticeDriver {
    server: ServerAddress,
    channel: Channel,
    authorization: Authorization,
    give_up_after: Duration,
    events: mpsc::Receiver<ObserverEvent>,
}

impl PracticeDriver {
    async fn play_all(mut self, practice: &Practice) -> Result<(), Error> {
        let own = self.own_name().await;
        let rivals =
            if practice.rivals.is_empty() { self.house_bots().await? } else { practice.rivals.clone() };
        for _ in 0..practice.rounds {
            for bots in practice_tables(&own, &rivals) {
                let request = CreateMatchRequest {
                    bots,
                    piles: practice.piles.clone(),
                    alliance: AllianceMode::Declared.into(),
                    request_id: new_request_id(),
                    ..Default::default()
                };
                let id = self.create(request).await?;
                self.wait_until_ended(&id).await;
            }
        }
        Ok(())
    }

    fn bot_service(&self) -> BotServiceClient<InterceptedService<Channel, Authorization>> {
        BotServiceClient::with_interceptor(self.channel.clone(), self.authorization.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    fn match_service(&self) -> MatchServiceClient<InterceptedService<Channel, Authorization>> {
        MatchServiceClient::with_interceptor(self.channel.clone(), self.authorization.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Waits until the first session is open, and returns the bot's name.
    async fn own_name(&mut self) -> String {
        loop {
            match self.events.recv().await {
                Some(ObserverEvent::Connected(name)) => return name,
                Some(ObserverEvent::Ended(_)) => {}
                None => pending().await,
            }
        }
    }

    /// Waits until a match has ended and the bot has handled its end.
    async fn wait_until_ended(&mut self, id: &str) {
        loop {
            match self.events.recv().await {
                Some(ObserverEvent::Ended(ended)) if ended.to_string() == id => return,
                Some(_) => {}
                None => pending().await,
            }
        }
    }

    /// Returns the names of all house bots on the server.
    async fn house_bots(&mut self) -> Result<Vec<String>, Error> {
        let mut request = ListBotsRequest { page_size: PAGE_SIZE, page_token: String::new() };
        let mut hosted = Vec::new();
        loop {
            let page =
                with_timeout(self.bot_service().list_bots(request.clone())).await.map_err(practice_error)?;
            let is_empty = page.bots.is_empty();
            let house_bots = page.bots.into_iter().filter(|bot| !bot.house_bot.is_empty());
            hosted.extend(house_bots.map(|bot| bot.name));
            if hosted.len() > MAX_HOUSE_BOTS {
                return Err(ProtocolError::TooManyHouseBots.into());
            }
            if page.next_page_token.is_empty() || is_empty {
                break;
            }
            request.page_token = page.next_page_token;
        }
        if hosted.is_empty() {
            Err(Error::NoHouseBots { server: self.server.to_string() })
        } else {
            Ok(hosted)
        }
    }

    /// Creates a match, and repeats the request while the server is full or its answer is lost. The request has an id,
    /// so the server creates one match.
    async fn create(&mut self, request: CreateMatchRequest) -> Result<String, Error> {
        let asked_first = Instant::now();
        loop {
            match with_timeout(self.match_service().create_match(request.clone())).await {
                Ok(created) => return Ok(created.r#match.unwrap_or_default().id),
                Err(status) if is_transient(status.code()) && asked_first.elapsed() < self.give_up_after => {
                    tracing::debug!(%status, "the practice match could not be created yet: retrying");
                    sleep(RETRY_PAUSE).await;
                    // A standby server may have taken over. If no server answers, the next attempt fails too.
                    if let Ok(channel) = connect_one_lazily(&self.server).await {
                        self.channel = channel;
                    }
                }
                Err(status) => return Err(practice_error(status)),
            }
        }
    }
}

/// Returns the bots of each match in order of seats. The bot plays against each rival and the next one in the list,
/// once in each seat.
fn practice_tables(own: &str, rivals: &[String]) -> Vec<Vec<String>> {
    // All bots of a match must be different, so repeated rivals are dropped.
    let distinct: Vec<_> = (0..rivals.len()).filter(|&at| !rivals[..at].contains(&rivals[at])).collect();
    let mut tables = Vec::new();
    for first in 0..distinct.len() {
        let met = distinct.iter().cycle().skip(first).take(distinct.len().min(SEATS - 1));
        let mut table = vec![own.to_owned()];
        table.extend(met.map(|&at| rivals[at].clone()));
        for _ in 0..table.len() {
            tables.push(table.clone());
            table.rotate_right(1);
        }
    }
    tables
}

/// Awaits the reply to a call, for at most [`CALL_TIMEOUT`].
async fn with_timeout<T>(call: impl Future<Output = Result<Response<T>, Status>>) -> Result<T, Status> {
    let late_status = |_| Status::deadline_exceeded(format!("no reply within {} s", CALL_TIMEOUT.as_secs()));
    timeout(CALL_TIMEOUT, call).await.map_err(late_status)?.map(Response::into_inner)
}

fn practice_error(status: Status) -> Error {
    Error::Practice(Box::new(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bot_plays_each_rival_and_the_next_one_from_every_seat() {
        let tables = |rivals: &[&str]| {
            let rivals: Vec<_> = rivals.iter().map(|&rival| rival.to_owned()).collect();
            practice_tables("me", &rivals).into_iter().map(|bots| bots.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(tables(&["a"]), ["me a", "a me"]);
        assert_eq!(tables(&["a", "a"]), tables(&["a"]));
        assert_eq!(tables(&["a", "b"]), ["me a b", "b me a", "a b me", "me b a", "a me b", "b a me"]);
        assert_eq!(tables(&["a", "b", "c"])[6..], ["me c a", "a me c", "c a me"]);
    }
}
