//! Joins a tournament by a separate call.

use super::{Authorization, Error, MAX_MESSAGE_BYTES};
use lastnim_proto::pb::{JoinTournamentRequest, tournament_service_client::TournamentServiceClient};
use tonic::transport::Channel;

/// Enters the token's bot in a tournament by a separate call; joining twice does no harm.
///
/// # Errors
/// If there is no such tournament, or it has started without the bot.
pub async fn join_tournament(
    channel: Channel,
    authorization: Authorization,
    tournament: &str,
) -> Result<(), Error> {
    let request = JoinTournamentRequest { tournament_id: tournament.to_owned(), bot: String::new() };
    let mut client = TournamentServiceClient::with_interceptor(channel, authorization)
        .max_decoding_message_size(MAX_MESSAGE_BYTES);
    let joined = client.join_tournament(request).await;
    let failed = |status| Error::Tournament { id: tournament.to_owned(), status: Box::new(status) };
    joined.map(drop).map_err(failed)
}
