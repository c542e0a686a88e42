//! The tournament that a bot plays in: joining it, and knowing when it is over.

use super::{
    Authorization, Error, MAX_MESSAGE_BYTES,
    backoff::Backoff,
    error::{describe, is_passing},
};
use crate::wire::pb::{
    JoinTournamentRequest, Tournament, TournamentState, WatchTournamentRequest,
    tournament_service_client::TournamentServiceClient,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tonic::{Status, service::interceptor::InterceptedService, transport::Channel};

type Client = TournamentServiceClient<InterceptedService<Channel, Authorization>>;

/// Enters the bot whose token the calls carry, by a call beside its stream; joining twice does no harm.
///
/// # Errors
/// If there is no such tournament, or it has started without the bot.
pub async fn join(channel: Channel, authorization: Authorization, tournament: &str) -> Result<(), Error> {
    let request = JoinTournamentRequest { tournament_id: tournament.to_owned(), bot: String::new() };
    let joined = client(channel, authorization).join_tournament(request).await;
    joined.map(drop).map_err(|status| failed(tournament, status))
}

fn client(channel: Channel, authorization: Authorization) -> Client {
    TournamentServiceClient::with_interceptor(channel, authorization)
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
}

fn failed(tournament: &str, status: Status) -> Error {
    Error::Tournament { id: tournament.to_owned(), status: Box::new(status) }
}

/// Waits until a tournament that the bot is in is finished or cancelled.
///
/// # Errors
/// If the tournament cannot be watched for `give_up_after`.
pub(super) async fn followed_to_its_end(
    channel: Channel,
    authorization: Authorization,
    tournament: &str,
    give_up_after: Duration,
) -> Result<(), Error> {
    let mut client = client(channel, authorization);
    let mut backoff = Backoff::new();
    let mut lost_at = None;
    loop {
        let attempt = Instant::now();
        let status = match follow(&mut client, tournament, &mut lost_at).await {
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

async fn follow(client: &mut Client, tournament: &str, lost_at: &mut Option<Instant>) -> Result<(), Status> {
    let request = WatchTournamentRequest { tournament_id: tournament.to_owned(), state_only: true };
    let mut states = client.watch_tournament(request).await?.into_inner();
    while let Some(state) = states.message().await? {
        *lost_at = None;
        if state.tournament.as_ref().is_some_and(is_over) {
            return Ok(());
        }
    }
    Err(Status::unavailable("the stream of the tournament's states was closed before its end"))
}

fn is_over(tournament: &Tournament) -> bool {
    matches!(tournament.state(), TournamentState::Finished | TournamentState::Cancelled)
}
