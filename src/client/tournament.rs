//! The tournament that a bot plays in: joining it, and knowing when it is over.

use super::{
    Authorization, Error, MAX_MESSAGE_BYTES,
    backoff::Backoff,
    error::{describe, is_passing},
};
use crate::wire::pb::{
    GetTournamentRequest, JoinTournamentRequest, Tournament, TournamentState, WatchTournamentRequest,
    tournament_service_client::TournamentServiceClient,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status, service::interceptor::InterceptedService, transport::Channel};

type Client = TournamentServiceClient<InterceptedService<Channel, Authorization>>;

/// Enters the bot whose token the calls carry; joining twice does no harm.
///
/// # Errors
/// If there is no such tournament, or it has started without the bot and is no ladder.
pub async fn join(channel: Channel, authorization: Authorization, tournament: &str) -> Result<(), Error> {
    let mut client = client(channel, authorization);
    enter(&mut client, tournament).await.map_err(|status| failed(tournament, status))
}

fn client(channel: Channel, authorization: Authorization) -> Client {
    TournamentServiceClient::with_interceptor(channel, authorization)
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
}

fn failed(tournament: &str, status: Status) -> Error {
    Error::Tournament { id: tournament.to_owned(), status: Box::new(status) }
}

async fn enter(client: &mut Client, tournament: &str) -> Result<(), Status> {
    let request = JoinTournamentRequest { tournament_id: tournament.to_owned(), bot: String::new() };
    client.join_tournament(request).await.map(drop)
}

/// Enters the bot, which the server knows as `bot`, and waits until the tournament is finished or cancelled.
///
/// A bot that comes back to a tournament under way, in which it has a place, plays on.
///
/// # Errors
/// If the tournament cannot be joined, or cannot be watched for `give_up_after`.
pub(super) async fn play_out(
    channel: Channel,
    authorization: Authorization,
    tournament: &str,
    bot: &str,
    give_up_after: Duration,
) -> Result<(), Error> {
    let mut client = client(channel, authorization);
    let mut backoff = Backoff::new();
    let (mut lost_at, mut place) = (None, Place::Wanted);
    loop {
        let attempt = Instant::now();
        let status = match follow(&mut client, tournament, bot, &mut place, &mut lost_at).await {
            Ok(()) => return Ok(()),
            Err(status) if !is_passing(status.code()) => return Err(failed(tournament, status)),
            Err(status) => status,
        };
        if lost_at.get_or_insert_with(Instant::now).elapsed() > give_up_after {
            return Err(Error::GaveUp { after: give_up_after, last: describe(&status) });
        }
        backoff.session_held(attempt.elapsed());
        sleep(backoff.next_pause(getrandom::u32().unwrap_or(u32::MAX))).await;
    }
}

/// Whether the bot has been entered. That is done once: a connection that was lost brings no bot back into a ladder that it
/// has left, or that has set it aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Wanted,
    Taken,
}

async fn follow(
    client: &mut Client,
    tournament: &str,
    bot: &str,
    place: &mut Place,
    lost_at: &mut Option<Instant>,
) -> Result<(), Status> {
    if *place == Place::Wanted
        && let Err(status) = enter(client, tournament).await
        && !(status.code() == Code::FailedPrecondition && has_place(client, tournament, bot).await?)
    {
        return Err(status);
    }
    *place = Place::Taken;
    let request = WatchTournamentRequest { tournament_id: tournament.to_owned() };
    let mut states = client.watch_tournament(request).await?.into_inner();
    while let Some(state) = states.message().await? {
        *lost_at = None;
        if state.tournament.as_ref().is_some_and(is_over) {
            return Ok(());
        }
    }
    Err(Status::unavailable("the stream of the tournament's states was closed before its end"))
}

async fn has_place(client: &mut Client, tournament: &str, bot: &str) -> Result<bool, Status> {
    let request = GetTournamentRequest { tournament_id: tournament.to_owned() };
    let response = client.get_tournament(request).await?.into_inner();
    Ok(response.tournament.is_some_and(|tournament| tournament.field.iter().any(|name| name == bot)))
}

fn is_over(tournament: &Tournament) -> bool {
    matches!(tournament.state(), TournamentState::Finished | TournamentState::Cancelled)
}
