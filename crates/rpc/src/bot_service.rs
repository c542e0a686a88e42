//! The service for registered bots.

use super::access::Access;
use super::address_limits::AddressLimiter;
use super::client_address::ClientAddress;
use super::page::Page;
use super::read_scheduler::ReadScheduler;
use super::status::{arena_status, parse_field, read_request, retry_after_status};
use lastnim_arena::{Arena, BotView, NewBot, Principal, SessionLink};
use lastnim_core::game::{BotName, BotProfile, MatchId};
use lastnim_proto::{RequestField, bot_profile::parse_bot_profile, pb};
use lastnim_store::{LostSeat, SeenVersion, Token};
use std::sync::Arc;
use std::time::Instant;
use tonic::{Code, Request, Response, Status};

/// The maximum number of open matches listed with a bot.
const MAX_LISTED_OPEN_MATCHES: usize = 100;
/// The maximum number of lost seats listed with a bot.
const MAX_LISTED_LOST_SEATS: usize = 10;

/// Serves `lastnim.v1.BotService`.
#[derive(Debug, Clone)]
pub struct BotRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
    registrations: Arc<AddressLimiter>,
}

impl BotRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access, reads: ReadScheduler, registrations: AddressLimiter) -> Self {
        Self { arena, access, reads, registrations: Arc::new(registrations) }
    }
}

fn seen_version_message(seen: &SeenVersion) -> pb::SeenVersion {
    pb::SeenVersion {
        version: Some((&seen.version).into()),
        first_seen_at_us: seen.first_seen.as_micros(),
        last_seen_at_us: seen.last_seen.as_micros(),
    }
}

pub(super) fn bot_message(view: &BotView) -> pb::Bot {
    let (session, profile) = (view.session.as_ref(), &view.stored.profile);
    pb::Bot {
        name: view.stored.name.to_string(),
        registered_at_us: view.stored.registered_at.as_micros(),
        connected: session.is_some(),
        open_matches: view.open_matches as u32,
        version: session
            .filter(|session| session.version().is_declared())
            .map(|session| (&**session.version()).into()),
        connected_at_us: session.map_or(0, |session| session.opened_at().as_micros()),
        house_bot: view.house_bot.clone().unwrap_or_default(),
        lag_us: session.and_then(SessionLink::measured_lag).map(|lag| lag.as_micros() as u64),
        waiting_messages: session.map_or(0, |session| session.waiting_message_count() as u32),
        profile: (*profile != BotProfile::default()).then(|| profile.into()),
    }
}

fn lost_seat_message(lost: &LostSeat) -> pb::LostSeat {
    let reason = lost.loss.map_or(pb::ForfeitReason::Unspecified, |(reason, _)| reason.into());
    pb::LostSeat {
        match_id: lost.id.to_string(),
        tournament_id: lost.tournament.map(|id| id.to_string()).unwrap_or_default(),
        seat: lost.seat.into(),
        reason: reason.into(),
        at_us: lost.loss.map_or(0, |(_, at)| at.as_micros()),
        strikes: lost.strikes.iter().map(|&reason| pb::RefusalReason::from(reason).into()).collect(),
    }
}

/// Parses the token of a new bot, which the caller has made, or makes one if it is empty.
pub(super) fn parse_new_token(token: &str, field: RequestField<'_>) -> Option<Token> {
    match token {
        "" => Some(Token::generate()),
        given => field.member("token").ok_or_report(Token::parse_generated(given)),
    }
}

#[tonic::async_trait]
impl pb::bot_service_server::BotService for BotRpc {
    async fn register_bot(
        &self,
        request: Request<pb::RegisterBotRequest>,
    ) -> Result<Response<pb::RegisterBotResponse>, Status> {
        let registrar = self.access.require_registrar(&request)?;
        let pb::RegisterBotRequest { name, token, profile } = request.get_ref();
        let new = read_request(|field| {
            let name = field.member("name").ok_or_report(name.parse::<BotName>());
            let token = parse_new_token(token, field);
            let profile = parse_bot_profile(profile.as_ref(), field);
            Some(NewBot { name: name?, token: token?, profile: profile? })
        })?;
        let NewBot { name, token, .. } = &new;
        let is_repeated = self.arena.principal_of_token(token.reveal()) == Some(Principal::Bot(name.clone()));
        if registrar != Some(Principal::Admin) && is_repeated {
            self.arena.count_repeat(name).map_err(arena_status)?;
        } else if registrar != Some(Principal::Admin) {
            let address = ClientAddress::of_request(request.extensions());
            self.registrations.admit(address, Instant::now()).map_err(|refused| {
                let message = format!(
                    "too many bots were registered {refused}, or ask an administrator to register the bot"
                );
                retry_after_status(refused.wait, Code::ResourceExhausted, "TOO_MANY_REGISTRATIONS", &message)
            })?;
        }
        let token = token.reveal().to_owned();
        let view = self.arena.register_bot_with_token(new).await.map_err(arena_status)?;
        Ok(Response::new(pb::RegisterBotResponse { bot: Some(bot_message(&view)), token }))
    }

    async fn rotate_token(
        &self,
        request: Request<pb::RotateTokenRequest>,
    ) -> Result<Response<pb::RotateTokenResponse>, Status> {
        let named = read_request(|field| field.member("name").parse_if_given(&request.get_ref().name))?;
        let bot = self.access.require_bot_or_admin(&request, named)?;
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
            let open_matches = arena.open_matches_of(&name, MAX_LISTED_OPEN_MATCHES);
            let lost_seats =
                arena.lost_seats(&name, None, None, MAX_LISTED_LOST_SEATS).await.map_err(arena_status)?;
            Ok(pb::GetBotResponse {
                bot: Some(bot_message(&view)),
                versions,
                open_match_ids: open_matches.iter().map(ToString::to_string).collect(),
                lost_seats: lost_seats.iter().map(lost_seat_message).collect(),
            })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn get_caller(
        &self,
        request: Request<pb::GetCallerRequest>,
    ) -> Result<Response<pb::GetCallerResponse>, Status> {
        let (role, bot) = match self.access.require_viewer(&request)? {
            None => (pb::Role::Unspecified, String::new()),
            Some(Principal::Admin) => (pb::Role::Admin, String::new()),
            Some(Principal::Viewer) => (pb::Role::Viewer, String::new()),
            Some(Principal::Bot(bot)) => (pb::Role::Bot, bot.to_string()),
        };
        Ok(Response::new(pb::GetCallerResponse { role: role.into(), bot }))
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
            let mut bots =
                arena.list_bots(page.start.as_ref(), page.fetch_limit()).await.map_err(arena_status)?;
            let next_page_token = page.truncate(&mut bots, |bot| bot.stored.name.to_string());
            Ok(pb::ListBotsResponse { bots: bots.iter().map(bot_message).collect(), next_page_token })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn list_lost_seats(
        &self,
        request: Request<pb::ListLostSeatsRequest>,
    ) -> Result<Response<pb::ListLostSeatsResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let request = request.into_inner();
        let page = Page::<MatchId>::parse(request.page_size, &request.page_token)?;
        let (bot, tournament) = read_request(|field| {
            let bot: Option<BotName> = field.member("bot").ok_or_report(request.bot.parse());
            let tournament = field.member("tournament_id").parse_if_given(&request.tournament_id);
            Some((bot?, tournament?))
        })?;
        let arena = self.arena.clone();
        let read = async move {
            let lost = arena.lost_seats(&bot, tournament, page.start, page.fetch_limit()).await;
            let mut lost = lost.map_err(arena_status)?;
            let next_page_token = page.truncate(&mut lost, |lost| lost.id.to_string());
            Ok(pb::ListLostSeatsResponse {
                seats: lost.iter().map(lost_seat_message).collect(),
                next_page_token,
            })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }
}
