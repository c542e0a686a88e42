//! The register of bots.

use super::access::Access;
use super::client_address::ClientAddress;
use super::page::Page;
use super::read_scheduler::ReadScheduler;
use super::registrations::{RegistrationLimiter, TooManyRegistrations};
use super::status::{arena_status, parse_field, retry_after_status};
use crate::arena::{Arena, BotView, Principal};
use crate::game::BotName;
use crate::store::SeenVersion;
use crate::wire::pb;
use std::sync::Arc;
use std::time::Instant;
use tonic::{Code, Request, Response, Status};

/// Serves `lastnim.v1.BotService`.
#[derive(Debug, Clone)]
pub struct BotRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
    registrations: Arc<RegistrationLimiter>,
}

impl BotRpc {
    /// Serves an arena.
    pub fn new(
        arena: Arena,
        access: Access,
        reads: ReadScheduler,
        registrations: RegistrationLimiter,
    ) -> Self {
        Self { arena, access, reads, registrations: Arc::new(registrations) }
    }
}

fn too_many_registrations_status(refused: TooManyRegistrations) -> Status {
    let code = Code::ResourceExhausted;
    retry_after_status(refused.retry_delay(), code, "TOO_MANY_REGISTRATIONS", &refused.to_string())
}

fn seen_version_message(seen: &SeenVersion) -> pb::SeenVersion {
    pb::SeenVersion {
        version: Some((&seen.version).into()),
        first_seen_at_us: seen.first_seen.as_micros(),
        last_seen_at_us: seen.last_seen.as_micros(),
    }
}

fn bot_message(view: &BotView) -> pb::Bot {
    pb::Bot {
        name: view.stored.name.to_string(),
        registered_at_us: view.stored.registered_at.as_micros(),
        connected: view.connected,
        open_matches: view.open_matches as u32,
        version: view.version.as_ref().map(Into::into),
    }
}

#[tonic::async_trait]
impl pb::bot_service_server::BotService for BotRpc {
    async fn register_bot(
        &self,
        request: Request<pb::RegisterBotRequest>,
    ) -> Result<Response<pb::RegisterBotResponse>, Status> {
        let registrar = self.access.require_registrar(&request)?;
        let name = parse_field("name", request.get_ref().name.parse())?;
        if registrar != Some(Principal::Admin) {
            let address = ClientAddress::of_request(request.extensions());
            self.registrations.admit(address, Instant::now()).map_err(too_many_registrations_status)?;
        }
        let (view, token) = self.arena.register_bot(name).await.map_err(arena_status)?;
        let token = token.reveal().to_owned();
        Ok(Response::new(pb::RegisterBotResponse { bot: Some(bot_message(&view)), token }))
    }

    async fn rotate_token(
        &self,
        request: Request<pb::RotateTokenRequest>,
    ) -> Result<Response<pb::RotateTokenResponse>, Status> {
        let name = parse_field("name", request.get_ref().name.parse())?;
        let bot = self.access.require_bot_or_admin(&request, Some(name))?;
        let token = self.arena.rotate_token(&bot).await.map_err(arena_status)?;
        Ok(Response::new(pb::RotateTokenResponse { token: token.reveal().to_owned() }))
    }

    async fn remove_bot(
        &self,
        request: Request<pb::RemoveBotRequest>,
    ) -> Result<Response<pb::RemoveBotResponse>, Status> {
        self.access.require_admin(&request)?;
        let name = parse_field("name", request.get_ref().name.parse())?;
        self.arena.remove_bot(&name).await.map_err(arena_status)?;
        Ok(Response::new(pb::RemoveBotResponse {}))
    }

    async fn get_bot(
        &self,
        request: Request<pb::GetBotRequest>,
    ) -> Result<Response<pb::GetBotResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let name = parse_field("name", request.get_ref().name.parse())?;
        let arena = self.arena.clone();
        let read = async move {
            let view = arena.bot(&name).await.map_err(arena_status)?;
            let versions = arena.bot_versions(&name).await.map_err(arena_status)?;
            let versions = versions.iter().map(seen_version_message).collect();
            Ok(pb::GetBotResponse { bot: Some(bot_message(&view)), versions })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn list_bots(
        &self,
        request: Request<pb::ListBotsRequest>,
    ) -> Result<Response<pb::ListBotsResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let request = request.into_inner();
        let page = Page::<BotName>::parse(request.page_size, &request.page_token)?;
        let arena = self.arena.clone();
        let read = async move {
            let mut bots = arena.bots(page.start.as_ref(), page.fetch_limit()).await.map_err(arena_status)?;
            let next_page_token = page.truncate(&mut bots, |bot| bot.stored.name.to_string());
            Ok(pb::ListBotsResponse { bots: bots.iter().map(bot_message).collect(), next_page_token })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }
}
