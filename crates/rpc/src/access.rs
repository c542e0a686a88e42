//! Authorisation of callers.

use super::client_address::ClientAddress;
use super::login_limits::{Credential, LoginLimits};
use super::status::refusal_status;
use lastnim_arena::{Arena, Principal};
use lastnim_core::game::BotName;
use lastnim_proto::json::has_method;
use std::sync::Arc;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, HeaderValue};
use tonic::metadata::AsciiMetadataValue;
use tonic::{Code, Request, Status};

/// The path prefix of lastnim's own methods.
const SERVICE_PATH_PREFIX: &str = "/lastnim.v1.";
/// The path prefix of the health and reflection services, which are public.
const PUBLIC_PATH_PREFIX: &str = "/grpc.";
/// The name prefixes of read-only methods.
const READ_METHOD_PREFIXES: [&str; 3] = ["Get", "List", "Watch"];

/// Whether a caller has presented a valid token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerStatus {
    /// The caller has not presented a valid token.
    Stranger,
    /// The caller has presented a valid token.
    Known,
}

/// Checks the token of a call against the role that the call needs.
#[derive(Debug, Clone)]
pub struct Access {
    arena: Arena,
    logins: Arc<LoginLimits>,
    /// Whether reading needs a token as well.
    pub private: bool,
    /// Whether a call without a token may register a bot.
    pub open_registration: bool,
}

impl Access {
    /// Creates access checks that require a token for every call.
    pub fn tokens_only(arena: Arena, logins: Arc<LoginLimits>) -> Self {
        Self { arena, logins, private: true, open_registration: false }
    }

    /// Checks the token in the headers of a call, before any of the request itself is stored.
    ///
    /// # Errors
    /// If the token is invalid, a required token is missing, or the caller's address has sent too many wrong tokens.
    /// Calls for health checks and reflection are never refused.
    pub fn caller_status(
        &self,
        path: &str,
        headers: &HeaderMap,
        address: ClientAddress,
    ) -> Result<CallerStatus, Status> {
        let Some(header) = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) else {
            return if self.needs_token(path) {
                Err(missing_token_status())
            } else {
                Ok(CallerStatus::Stranger)
            };
        };
        let Err(wrong) = self.principal_of_header(Some(header)) else { return Ok(CallerStatus::Known) };
        let refused = self.count_failed_login(address, Credential::Token, wrong);
        if path.starts_with(PUBLIC_PATH_PREFIX) { Ok(CallerStatus::Stranger) } else { Err(refused) }
    }

    /// Counts a wrong token or entry code, and returns the status for the caller: `wrong`, unless its address has sent too
    /// many of them.
    pub(super) fn count_failed_login(
        &self,
        address: ClientAddress,
        shown: Credential,
        wrong: Status,
    ) -> Status {
        self.logins.count_failure(address, shown).err().unwrap_or(wrong)
    }

    /// Returns whether a method needs a token. A method that only reads needs one only if `private` is set, and
    /// registration only if it is not open; with an entry code it needs none. Unknown methods need none.
    fn needs_token(&self, path: &str) -> bool {
        let method = path.strip_prefix(SERVICE_PATH_PREFIX).and_then(|path| path.split_once('/'));
        method.is_some_and(|(service, method)| match method {
            "RegisterBot" => !self.open_registration,
            "RegisterEntrant" => false,
            _ if service == "OracleService" => self.private,
            _ if READ_METHOD_PREFIXES.iter().any(|verb| method.starts_with(verb)) => self.private,
            _ => has_method(service, method),
        })
    }

    /// Returns the caller; `None` if the request has no token.
    fn principal_of_request<T>(&self, request: &Request<T>) -> Result<Option<Principal>, Status> {
        self.principal_of_header(
            request.metadata().get(AUTHORIZATION.as_str()).map(AsciiMetadataValue::as_bytes),
        )
    }

    /// Returns the holder of the token in the header `authorization`; `None` if the header is missing.
    fn principal_of_header(&self, header: Option<&[u8]>) -> Result<Option<Principal>, Status> {
        let Some(header) = header else { return Ok(None) };
        let token = bearer_token(header);
        let principal = token.and_then(|token| self.arena.principal_of_token(token));
        principal.map(Some).ok_or_else(|| {
            let message = match token {
                Some(_) => "authorization: unknown token; it may have been replaced",
                None => "authorization: expected `Bearer <token>`",
            };
            refusal_status(Code::Unauthenticated, "BAD_TOKEN", message)
        })
    }

    fn require_token<T>(&self, request: &Request<T>) -> Result<Principal, Status> {
        self.principal_of_request(request)?.ok_or_else(missing_token_status)
    }

    /// Requires the caller to be an admin.
    pub fn require_admin<T>(&self, request: &Request<T>) -> Result<(), Status> {
        match self.require_token(request)? {
            Principal::Admin => Ok(()),
            Principal::Bot(_) | Principal::Viewer => {
                Err(permission_denied_status("this call needs the admin's token"))
            }
        }
    }

    /// Requires the caller to be an admin or a viewer.
    pub fn require_overseer<T>(&self, request: &Request<T>) -> Result<(), Status> {
        match self.require_token(request)? {
            Principal::Admin | Principal::Viewer => Ok(()),
            Principal::Bot(_) => {
                Err(permission_denied_status("this call needs the admin's or a viewer's token"))
            }
        }
    }

    /// Requires the caller to be a bot, and returns its name.
    pub fn require_bot<T>(&self, request: &Request<T>) -> Result<BotName, Status> {
        match self.require_token(request)? {
            Principal::Bot(bot) => Ok(bot),
            Principal::Admin | Principal::Viewer => {
                Err(permission_denied_status("this call needs a bot's token"))
            }
        }
    }

    /// Requires the caller to be an admin or a bot, and returns the bot's name; `None` for an admin.
    pub fn require_admin_or_any_bot<T>(&self, request: &Request<T>) -> Result<Option<BotName>, Status> {
        match self.require_token(request)? {
            Principal::Admin => Ok(None),
            Principal::Bot(bot) => Ok(Some(bot)),
            Principal::Viewer => {
                Err(permission_denied_status("this call needs the admin's token or a bot's token"))
            }
        }
    }

    /// Requires a caller that may read, and returns the caller; `None` if it has no token.
    pub fn require_viewer<T>(&self, request: &Request<T>) -> Result<Option<Principal>, Status> {
        match self.principal_of_request(request)? {
            None if self.private => self.require_token(request).map(Some),
            caller => Ok(caller),
        }
    }

    /// Requires a caller that may register bots, and returns the caller; `None` if it has no token.
    pub fn require_registrar<T>(&self, request: &Request<T>) -> Result<Option<Principal>, Status> {
        if self.open_registration {
            self.principal_of_request(request)
        } else {
            self.require_admin(request).map(|()| Some(Principal::Admin))
        }
    }

    /// Requires the caller to be the named bot or an admin, and returns the bot's name. A bot need not name itself, but
    /// an admin must name a bot.
    pub fn require_bot_or_admin<T>(
        &self,
        request: &Request<T>,
        named: Option<BotName>,
    ) -> Result<BotName, Status> {
        match (self.require_token(request)?, named) {
            (Principal::Admin, Some(bot)) => Ok(bot),
            (Principal::Bot(caller), named) if named.as_ref().is_none_or(|named| *named == caller) => {
                Ok(caller)
            }
            (Principal::Admin, None) => {
                Err(refusal_status(Code::InvalidArgument, "NO_BOT", "bot: the admin must name a bot"))
            }
            _ => Err(permission_denied_status("this call needs the bot's own token or the admin's token")),
        }
    }
}

/// Returns the token in `Bearer <token>`.
fn bearer_token(header: &[u8]) -> Option<&str> {
    let (scheme, token) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn missing_token_status() -> Status {
    refusal_status(Code::Unauthenticated, "NO_TOKEN", "authorization: this call needs `Bearer <token>`")
}

fn permission_denied_status(message: &str) -> Status {
    refusal_status(Code::PermissionDenied, "WRONG_ROLE", message)
}
