//! The service for entry codes of tournaments.

use super::access::Access;
use super::bot_service::{bot_message, parse_new_token};
use super::client_address::ClientAddress;
use super::login_limits::Credential;
use super::status::{arena_status, parse_field, read_request};
use super::tournament_service::{parse_tournament_id, tournament_message};
use lastnim_arena::{Arena, ArenaError, NewBot};
use lastnim_proto::{bot_profile::parse_bot_profile, pb};
use lastnim_store::MAX_ENTRY_CODE_USES;
use tonic::{Request, Response, Status};

/// Serves `lastnim.v1.EntryService`.
#[derive(Debug, Clone)]
pub struct EntryRpc {
    arena: Arena,
    access: Access,
}

impl EntryRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access) -> Self {
        Self { arena, access }
    }
}

fn parse_uses(uses: u32) -> Result<u32, Status> {
    let valid = (1..=MAX_ENTRY_CODE_USES).contains(&uses).then_some(uses);
    parse_field("uses", valid.ok_or_else(|| format!("{uses}: expected 1 to {MAX_ENTRY_CODE_USES}")))
}

#[tonic::async_trait]
impl pb::entry_service_server::EntryService for EntryRpc {
    async fn create_entry_code(
        &self,
        request: Request<pb::CreateEntryCodeRequest>,
    ) -> Result<Response<pb::CreateEntryCodeResponse>, Status> {
        self.access.require_admin(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let uses = parse_uses(request.get_ref().uses)?;
        let code = self.arena.create_entry_code(id, uses).await.map_err(arena_status)?;
        Ok(Response::new(pb::CreateEntryCodeResponse { entry_code: code.reveal() }))
    }

    async fn revoke_entry_code(
        &self,
        request: Request<pb::RevokeEntryCodeRequest>,
    ) -> Result<Response<pb::RevokeEntryCodeResponse>, Status> {
        self.access.require_admin(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        self.arena.revoke_entry_code(id).await.map_err(arena_status)?;
        Ok(Response::new(pb::RevokeEntryCodeResponse {}))
    }

    async fn register_entrant(
        &self,
        request: Request<pb::RegisterEntrantRequest>,
    ) -> Result<Response<pb::RegisterEntrantResponse>, Status> {
        let address = ClientAddress::of_request(request.extensions());
        let pb::RegisterEntrantRequest { tournament_id, name, entry_code, token, profile } =
            request.into_inner();
        let (id, new, code) = read_request(|field| {
            let id = field.member("tournament_id").ok_or_report(tournament_id.parse());
            let name = field.member("name").ok_or_report(name.parse());
            let code = field.member("entry_code").ok_or_report(entry_code.parse());
            let token = parse_new_token(&token, field);
            let profile = parse_bot_profile(profile.as_ref(), field);
            Some((id?, NewBot { name: name?, token: token?, profile: profile? }, code?))
        })?;
        let token = new.token.reveal().to_owned();
        let (bot, tournament) = match self.arena.register_entrant(id, new, code).await {
            Ok(registered) => registered,
            Err(wrong @ ArenaError::WrongEntryCode(_)) => {
                return Err(self.access.count_failed_login(
                    address,
                    Credential::EntryCode,
                    arena_status(wrong),
                ));
            }
            Err(error) => return Err(arena_status(error)),
        };
        Ok(Response::new(pb::RegisterEntrantResponse {
            bot: Some(bot_message(&bot)),
            token,
            tournament: Some(tournament_message(&tournament)),
        }))
    }
}
