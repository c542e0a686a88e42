//! Calls outside a session: joining a tournament, and asking for its scoring.

use super::{Authorization, Error, MAX_MESSAGE_BYTES};
use lastnim_proto::pb::{
    self, GetTournamentRequest, JoinTournamentRequest, tournament_service_client::TournamentServiceClient,
};
use lastnim_tournament::Scoring;
use tonic::{Status, transport::Channel};

/// Enters the bot that owns the token in a tournament, with a call outside its session. Joining twice does no harm.
///
/// # Errors
/// If the server does not answer, or there is no such tournament, or the bot cannot join it.
pub async fn join_tournament(
    channel: Channel,
    authorization: Authorization,
    tournament: &str,
) -> Result<(), Error> {
    let request = JoinTournamentRequest { tournament_id: tournament.to_owned(), bot: String::new() };
    let mut client = TournamentServiceClient::with_interceptor(channel, authorization)
        .max_decoding_message_size(MAX_MESSAGE_BYTES);
    let joined = client.join_tournament(request).await;
    let failure = |status| Error::Tournament { id: tournament.to_owned(), status: Box::new(status) };
    joined.map(drop).map_err(failure)
}

/// Returns how a tournament scores its seats.
///
/// # Errors
/// If the server does not answer, or does not know the tournament or its scoring.
pub async fn fetch_scoring(
    channel: Channel,
    authorization: Authorization,
    tournament: &str,
) -> Result<Scoring, Error> {
    let failure = |status| Error::Tournament { id: tournament.to_owned(), status: Box::new(status) };
    let mut client = TournamentServiceClient::with_interceptor(channel, authorization)
        .max_decoding_message_size(MAX_MESSAGE_BYTES);
    let request = GetTournamentRequest { tournament_id: tournament.to_owned() };
    let shown = client.get_tournament(request).await.map_err(failure)?.into_inner();
    let settings = shown.tournament.and_then(|tournament| tournament.settings).unwrap_or_default();
    match settings.scoring() {
        pb::Scoring::Win => Ok(Scoring::Win),
        pb::Scoring::Satisfaction => Ok(Scoring::Satisfaction),
        pb::Scoring::Unspecified => {
            Err(failure(Status::unimplemented("the server does not state the tournament's scoring")))
        }
    }
}
