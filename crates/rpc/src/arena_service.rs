//! The service through which bots play.

use super::access::Access;
use super::client_address::ClientAddress;
use super::reported_version::read_bot_version;
use super::status::{arena_status, closed_stream_status};
use lastnim_arena::{Arena, OutboxStream, StreamClosed};
use lastnim_proto::play_service::arena_service_server::ArenaService;
use lastnim_proto::{IncomingAction, ServerEvent};
use tokio_stream::StreamExt as _;
use tokio_stream::adapters::Map;
use tonic::{Request, Response, Status, Streaming};

/// Serves `lastnim.v1.ArenaService`.
#[derive(Debug, Clone)]
pub struct ArenaRpc {
    arena: Arena,
    access: Access,
}

impl ArenaRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access) -> Self {
        Self { arena, access }
    }
}

/// An event for a bot, or why its stream is closed.
type OutgoingEvent = Result<ServerEvent, StreamClosed>;
/// The same, as an item of the response.
type PlayResult = Result<ServerEvent, Status>;

#[tonic::async_trait]
impl ArenaService for ArenaRpc {
    type PlayStream = Map<OutboxStream<ServerEvent>, fn(OutgoingEvent) -> PlayResult>;

    async fn play(
        &self,
        request: Request<Streaming<IncomingAction>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let bot = self.access.require_bot(&request)?;
        let version = read_bot_version(request.metadata())?;
        let label = version.label.clone();
        let (session, stream) = self.arena.open_session(bot.clone(), version).map_err(arena_status)?;
        // The token is checked again, because it may have been replaced before this session existed, in which case the
        // replacement did not close the session.
        let known = self.access.require_bot(&request).map(drop);
        // If a message cannot be decoded, its status says what is wrong with it.
        let address = ClientAddress::of_request(request.extensions());
        let requests = request.into_inner().map(|sent| sent.map_err(|status| status.message().to_owned()));
        tracing::info!(%bot, version = label.map(tracing::field::display), %address, "bot connected");
        tokio::spawn(async move {
            session.run(requests).await;
            tracing::info!(%bot, %address, "bot disconnected");
        });
        known?;
        let answer: fn(OutgoingEvent) -> PlayResult = |sent| sent.map_err(closed_stream_status);
        Ok(Response::new(stream.map(answer)))
    }
}
