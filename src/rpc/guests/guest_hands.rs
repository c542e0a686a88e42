//! What guests play.

use super::guest_session::{GuestSession, SessionEars};
use super::hand_news::HandNews;
use crate::arena::{Arena, SeatWait};
use crate::game::{BotName, MatchId, Seat};
use crate::rpc::access::Access;
use crate::rpc::address_limits::AddressLimiter;
use crate::rpc::client_address::ClientAddress;
use crate::rpc::status::{arena_status, read_request, refusal_status, retry_after_status};
use crate::wire::{BotAction, pb, setup::parse_new_setup};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tonic::{Code, Request, Status};

/// The ids of open matches of a guest that are looked for.
const MAX_LISTED: usize = 100;

/// What guests play: people in a browser, each of whom has a name that a secret of its browser gives it. A guest has a seat in the matches that it began, against house bots, and may do
/// nothing else. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GuestHands {
    arena: Arena,
    access: Access,
    limiter: Arc<AddressLimiter>,
    per_address: usize,
    /// The address that has begun each match, as far as it is open.
    begun: Arc<Mutex<HashMap<MatchId, ClientAddress>>>,
    sessions: Arc<Mutex<KeptSessions>>,
}

/// The sessions that are kept, by guest.
#[derive(Debug, Default)]
struct KeptSessions {
    by_guest: HashMap<BotName, KeptSession>,
    /// The number of the next one.
    next_number: u64,
}

/// A session that is kept for a guest.
#[derive(Debug)]
struct KeptSession {
    session: GuestSession,
    /// Which one of all that were kept it is.
    number: u64,
    /// Matches that are being begun: it stays open for them.
    beginning: usize,
}

impl GuestHands {
    /// Lets one address begin so many matches in a minute, and have so many open at once.
    pub fn new(arena: Arena, access: Access, per_minute: u32, per_address: usize) -> Self {
        let limiter = Arc::new(AddressLimiter::new(per_minute, Duration::from_mins(1) / per_minute.max(1)));
        let (begun, sessions) = Default::default();
        Self { arena, access, limiter, per_address, begun, sessions }
    }

    /// Returns whether anybody may play as a guest.
    pub fn are_admitted(&self) -> bool {
        self.arena.limits().guest_matches > 0
    }

    /// Returns the house bots that can be played against, by name, each with which house bot it is.
    ///
    /// # Errors
    /// If the caller may not look.
    pub fn opponents<T>(&self, request: &Request<T>) -> Result<Vec<(BotName, String)>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.house_bots())
    }

    /// Returns the open matches of a guest, the oldest first.
    ///
    /// # Errors
    /// If the caller may not look.
    pub fn open_matches<T>(&self, request: &Request<T>, guest: &BotName) -> Result<Vec<MatchId>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.open_matches_of_guest(guest, MAX_LISTED))
    }

    /// Begins a match of a guest against house bots. The bot that has no name in the request is the guest.
    ///
    /// # Errors
    /// If the caller may not look, its address has begun or plays too much, or the match cannot be begun.
    pub async fn begin(
        &self,
        request: Request<pb::CreateMatchRequest>,
        guest: &BotName,
    ) -> Result<MatchId, Status> {
        let caller = self.access.require_viewer(&request)?;
        if !self.are_admitted() {
            return Err(refusal_status(Code::PermissionDenied, "NO_GUESTS", "this server admits no guests"));
        }
        let address = ClientAddress::of_request(request.extensions());
        let mut wanted = request.into_inner();
        for bot in wanted.bots.iter_mut().filter(|bot| bot.is_empty()) {
            guest.as_str().clone_into(bot);
        }
        let setup = read_request(|field| parse_new_setup(&wanted, field))?;
        // Held until the match counts, so that many requests at once do not all find room.
        let mut begun = self.begun.lock().await;
        begun.retain(|&id, _| self.arena.is_match_open(id));
        let open = begun.values().filter(|begun| **begun == address).count();
        if open >= self.per_address {
            let message = format!(
                "{address} has {open} open matches, as many as one address may: play one of them to its end, or resign it"
            );
            return Err(refusal_status(Code::ResourceExhausted, "TOO_MANY_GUESTS", &message));
        }
        self.limiter.admit(address, Instant::now()).map_err(|refused| {
            let message = format!("too many matches were begun {refused}");
            let delay = refused.retry_delay();
            retry_after_status(delay, Code::ResourceExhausted, "TOO_MANY_GUEST_MATCHES", &message)
        })?;
        self.hold_session(guest).await?;
        let created = self.arena.create_guest_match(guest, caller, setup).await;
        self.release_session(guest).await;
        let id = created.map_err(arena_status)?.id;
        begun.insert(id, address);
        Ok(id)
    }

    /// Does something in a match of a guest. What comes of it is in the news.
    ///
    /// # Errors
    /// If the caller may not look, or no session can be opened.
    pub async fn act<T>(
        &self,
        request: &Request<T>,
        guest: &BotName,
        action: BotAction,
    ) -> Result<(), Status> {
        self.access.require_viewer(request)?;
        let session = self.session(guest).await?;
        match session {
            Some(session) if session.act(action).await => Ok(()),
            _ => Err(refusal_status(Code::FailedPrecondition, "MATCH_OVER", "the match is over")),
        }
    }

    /// Returns what the session of a guest has heard of a match; nothing new if it has none.
    ///
    /// # Errors
    /// If no session can be opened.
    pub async fn news(&self, guest: &BotName, id: MatchId) -> Result<HandNews, Status> {
        let session = self.session(guest).await?;
        Ok(session.and_then(|session| session.news.borrow().get(&id).cloned()).unwrap_or_default())
    }

    /// Waits until the news of a match are as they should be, the session is over, or the time is.
    ///
    /// # Errors
    /// If no session can be opened.
    pub async fn wait_for_news(
        &self,
        guest: &BotName,
        id: MatchId,
        within: Duration,
        mut is_enough: impl FnMut(&HandNews) -> bool,
    ) -> Result<(), Status> {
        let Some(session) = self.session(guest).await? else { return Ok(()) };
        let mut news = session.news;
        let enough = news.wait_for(|hands| hands.get(&id).is_some_and(&mut is_enough));
        // Whatever has come by then is shown.
        let _ = tokio::time::timeout(within, enough).await;
        Ok(())
    }

    /// Returns what an open match wants of a seat; `None` once it is over.
    pub fn seat_wait(&self, id: MatchId, seat: Seat) -> Option<SeatWait> {
        self.arena.seat_wait(id, seat)
    }

    /// Returns the session of a guest who has an open match, which is opened if need be: an earlier server may have left the match.
    async fn session(&self, guest: &BotName) -> Result<Option<GuestSession>, Status> {
        let mut sessions = self.sessions.lock().await;
        if let Some(kept) = sessions.by_guest.get(guest).filter(|kept| kept.session.is_open()) {
            return Ok(Some(kept.session.clone()));
        }
        if self.arena.open_matches_of_guest(guest, 1).is_empty() {
            return Ok(None);
        }
        self.open_session(&mut sessions, guest).map(|kept| Some(kept.session.clone()))
    }

    /// Keeps a session open for a match that is being begun.
    async fn hold_session(&self, guest: &BotName) -> Result<(), Status> {
        let mut sessions = self.sessions.lock().await;
        if let Some(kept) = sessions.by_guest.get_mut(guest).filter(|kept| kept.session.is_open()) {
            kept.beginning += 1;
            return Ok(());
        }
        self.open_session(&mut sessions, guest)?.beginning += 1;
        Ok(())
    }

    async fn release_session(&self, guest: &BotName) {
        if let Some(kept) = self.sessions.lock().await.by_guest.get_mut(guest) {
            kept.beginning = kept.beginning.saturating_sub(1);
        }
    }

    fn open_session<'s>(
        &self,
        sessions: &'s mut KeptSessions,
        guest: &BotName,
    ) -> Result<&'s mut KeptSession, Status> {
        let (session, ears) = GuestSession::open(&self.arena, guest).map_err(arena_status)?;
        let number = sessions.next_number;
        sessions.next_number += 1;
        tokio::spawn(self.clone().keep_session(guest.clone(), number, ears));
        let kept = KeptSession { session, number, beginning: 0 };
        Ok(sessions.by_guest.entry(guest.clone()).insert_entry(kept).into_mut())
    }

    /// Listens to a session until it is over, and forgets the guest.
    async fn keep_session(self, guest: BotName, number: u64, mut ears: SessionEars) {
        loop {
            ears.listen().await;
            let mut sessions = self.sessions.lock().await;
            let is_own = sessions.by_guest.get(&guest).is_some_and(|kept| kept.number == number);
            if !is_own {
                return ears.close().await;
            }
            let is_needed =
                |kept: &KeptSession| kept.session.is_open() && (kept.beginning > 0 || ears.has_open_hand());
            if sessions.by_guest.get(&guest).is_some_and(is_needed) {
                continue;
            }
            sessions.by_guest.remove(&guest);
            ears.close().await;
            if let Err(error) = self.arena.forget_guest(&guest).await {
                tracing::debug!(%error, %guest, "a guest is remembered for longer");
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Backend, Limits, guest_name};
    use crate::rpc::login_limits::LoginLimits;

    /// Two seats that have a millisecond each, so that the steward plays.
    fn brief_match() -> pb::CreateMatchRequest {
        pb::CreateMatchRequest {
            bots: vec![String::new(), "timid".into()],
            piles: vec![3],
            clock: Some(pb::Clock { initial_ms: 1, declaration_ms: 1, ..pb::Clock::default() }),
            ..pb::CreateMatchRequest::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_kept_of_a_guest_whose_matches_are_over() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let logins = Arc::new(LoginLimits::new(1, Duration::from_secs(1)));
        let mut access = Access::tokens_only(arena.clone(), logins);
        let private = GuestHands::new(arena.clone(), access.clone(), 20, 8);
        let guest = guest_name(&[7; 32]);
        let refused = private.begin(Request::new(brief_match()), &guest).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);

        access.private = false;
        let hands = GuestHands::new(arena.clone(), access, 20, 8);
        for _ in 0..2 {
            let id = hands.begin(Request::new(brief_match()), &guest).await.unwrap();
            hands.wait_for_news(&guest, id, Duration::from_mins(1), |news| news.is_over).await.unwrap();
            assert!(hands.news(&guest, id).await.unwrap().is_over);
        }
        assert_eq!(
            (hands.begun.lock().await.len(), arena.session_count()),
            (1, 1),
            "the session is used again"
        );
        while arena.session_count() > 0 {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        while !hands.sessions.lock().await.by_guest.is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(hands.open_matches(&Request::new(()), &guest).unwrap(), []);
    }
}
