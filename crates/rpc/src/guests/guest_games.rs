//! Matches of guests.

use super::game_session::{GameSession, SessionListener};
use super::game_status::GameStatus;
use super::guest_places::{GuestLimits, GuestPlace, GuestPlaces, PlaceLimit};
use crate::access::Access;
use crate::address_limits::AddressLimiter;
use crate::client_address::ClientAddress;
use crate::status::{
    NO_GUEST_PLACE, arena_status, read_request, refusal_status, retry_after_status, retry_status,
};
use lastnim_arena::{Arena, ArenaError, NewMatch, OpenSeat, Principal, retry_seconds};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::SeatAction;
use lastnim_proto::{pb, setup::parse_new_setup};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::{Code, Request, Status};

/// The maximum number of open matches that are listed for a guest.
const MAX_LISTED_MATCHES: usize = 100;
/// How many times a newcomer may free a place for its match, since another newcomer may take the freed place first.
const MAX_FREED_PLACES: usize = 3;

/// Matches of guests: people who play in a browser and whose names derive from a secret in a cookie. A guest may only
/// play matches that it began itself, against house bots. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GuestGames {
    arena: Arena,
    access: Access,
    limiter: Arc<AddressLimiter>,
    per_address: usize,
    places: Arc<GuestPlaces>,
    /// The sessions by guest. The lock is not held across an await, because every request of a guest needs it.
    sessions: Arc<Mutex<GuestSessions>>,
}

/// The open sessions of guests, and the guests who have left.
#[derive(Debug, Default)]
struct GuestSessions {
    by_guest: HashMap<BotName, GuestSession>,
    /// Guests whose session is over, but whom the arena has not forgotten yet.
    departed: HashSet<BotName>,
    /// The number of the next session.
    next_number: u64,
}

/// A session kept open for a guest.
#[derive(Debug)]
struct GuestSession {
    session: GameSession,
    /// The number that tells the session apart from earlier and later ones.
    number: u64,
    /// A guard that starting matches share to keep the session open.
    hold: Arc<SessionHold>,
}

/// Keeps a session open for a match that is being started, until this value is dropped.
#[derive(Debug)]
struct SessionHold;

impl GuestSessions {
    /// Removes a session, unless a newer one has replaced it.
    fn remove_session(&mut self, guest: &BotName, number: u64) {
        if self.by_guest.get(guest).is_some_and(|kept| kept.number == number) {
            self.by_guest.remove(guest);
            self.departed.insert(guest.clone());
        }
    }
}

impl GuestSession {
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.hold) > 1
    }
}

impl GuestGames {
    /// Creates an empty collection with these limits on guests' matches.
    pub fn new(arena: Arena, access: Access, limits: GuestLimits) -> Self {
        let GuestLimits { per_minute, per_address, .. } = limits;
        let limiter = Arc::new(AddressLimiter::new(per_minute, Duration::from_mins(1) / per_minute.max(1)));
        let places = Arc::new(GuestPlaces::new(arena.clone(), &limits));
        Self { arena, access, limiter, per_address, places, sessions: Arc::default() }
    }

    /// Returns whether guests may play.
    pub fn admits_guests(&self) -> bool {
        self.arena.limits().guest_matches > 0
    }

    /// Returns the names and kinds of the house bots.
    ///
    /// # Errors
    /// If the caller may not read.
    pub fn opponents<T>(&self, request: &Request<T>) -> Result<Vec<(BotName, String)>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.house_bots())
    }

    /// Returns the open matches of a guest, the oldest first.
    ///
    /// # Errors
    /// If the caller may not read.
    pub fn open_matches<T>(&self, request: &Request<T>, guest: &BotName) -> Result<Vec<MatchId>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.open_matches_of_guest(guest, MAX_LISTED_MATCHES))
    }

    /// Begins a match of a guest against house bots. An empty bot name in the request stands for the guest.
    ///
    /// # Errors
    /// If the server admits no guests, the caller may not read, its address has reached a limit, or the match cannot
    /// begin.
    pub async fn begin(
        &self,
        request: Request<pb::CreateMatchRequest>,
        guest: &BotName,
    ) -> Result<MatchId, Status> {
        let caller = self.access.require_viewer(&request)?;
        if !self.admits_guests() {
            return Err(refusal_status(Code::PermissionDenied, "NO_GUESTS", "this server admits no guests"));
        }
        let address = ClientAddress::of_request(request.extensions());
        let mut wanted = request.into_inner();
        for bot in wanted.bots.iter_mut().filter(|bot| bot.is_empty()) {
            guest.as_str().clone_into(bot);
        }
        let new = NewMatch::from(read_request(|field| parse_new_setup(&wanted, field))?);
        // This task runs to its end even if the caller leaves, so that a match that begins is counted and the session
        // is released.
        let beginning = tokio::spawn(self.clone().begin_and_count(address, caller, guest.clone(), new));
        beginning
            .await
            .map_err(|_| Status::internal("the match could not be started: see the server's log"))?
    }

    /// Begins a match and counts it towards the limits of an address.
    async fn begin_and_count(
        self,
        address: ClientAddress,
        caller: Option<Principal>,
        guest: BotName,
        new: NewMatch,
    ) -> Result<MatchId, Status> {
        // The place is taken before the match is created, so that concurrent requests respect the limit.
        let place = self.take_place(address).await?;
        self.limiter.admit(address, Instant::now()).map_err(|refused| {
            let message = format!("too many matches were started {refused}");
            retry_after_status(refused.wait, Code::ResourceExhausted, "TOO_MANY_GUEST_MATCHES", &message)
        })?;
        let _hold = self.hold_session(&guest)?;
        let id = self.create_match(address, caller, &guest, new).await?;
        self.places.fill_place(place, address, id);
        Ok(id)
    }

    /// Takes one of the places of an address. If all of them are taken, an idle match of the address gives up its
    /// place.
    async fn take_place(&self, address: ClientAddress) -> Result<GuestPlace, Status> {
        let limit_status = |wait| {
            let (limit, seconds) = (self.per_address, retry_seconds(wait));
            let message = format!(
                "{address} has reached its limit on open matches ({limit}): finish or resign one of them, or try again in {seconds} s"
            );
            retry_after_status(wait, Code::ResourceExhausted, "TOO_MANY_GUESTS", &message)
        };
        for _ in 0..MAX_FREED_PLACES {
            if let Some(place) = self.places.take_place(address) {
                return Ok(place);
            }
            self.places.free_place(PlaceLimit::PerAddress, address).await.map_err(limit_status)?;
        }
        self.places.take_place(address).ok_or_else(|| limit_status(Duration::ZERO))
    }

    /// Creates a match. If all places are taken, another match gives up its place.
    async fn create_match(
        &self,
        address: ClientAddress,
        caller: Option<Principal>,
        guest: &BotName,
        new: NewMatch,
    ) -> Result<MatchId, Status> {
        let mut freed = 0;
        loop {
            match self.arena.create_guest_match(guest, caller.clone(), new.clone()).await {
                Ok(begun) => return Ok(begun.id),
                Err(full @ ArenaError::TooManyGuestMatches { .. }) if freed < MAX_FREED_PLACES => {
                    freed += 1;
                    let freeing = self.places.free_place(PlaceLimit::Total, address);
                    freeing.await.map_err(|wait| {
                        let message = format!("{full}: try again in {} s", retry_seconds(wait));
                        retry_after_status(wait, Code::ResourceExhausted, NO_GUEST_PLACE, &message)
                    })?;
                }
                Err(error) => return Err(arena_status(error)),
            }
        }
    }

    /// Performs an action in an open match of a guest. The game's status then shows the result.
    ///
    /// # Errors
    /// If the caller may not read, no session can be opened, the match is over, or the action did not reach the match.
    pub async fn act<T>(
        &self,
        request: &Request<T>,
        guest: &BotName,
        id: MatchId,
        action: SeatAction,
    ) -> Result<(), Status> {
        self.access.require_viewer(request)?;
        // If the session was closed just before, the second attempt opens it again.
        for _ in 0..2 {
            if let Some(session) = self.session(guest)?
                && session.act(id, action.clone()).await
            {
                return Ok(());
            }
            if !self.arena.is_match_open(id) {
                return Err(refusal_status(Code::FailedPrecondition, "MATCH_OVER", "the match is over"));
            }
        }
        let message = "the session was closed before the action reached the match: send the action again";
        Err(retry_status(Code::Unavailable, "SESSION_CLOSED", message))
    }

    /// Returns the status of a game, as known to its guest's session.
    ///
    /// # Errors
    /// If no session can be opened.
    pub fn game_status(&self, guest: &BotName, id: MatchId) -> Result<GameStatus, Status> {
        let session = self.session(guest)?;
        Ok(session.map(|session| session.status_of(id)).unwrap_or_default())
    }

    /// Waits until the status of a game meets a condition, the session is over, or the time is up.
    ///
    /// # Errors
    /// If no session can be opened.
    pub async fn wait_for_status(
        &self,
        guest: &BotName,
        id: MatchId,
        within: Duration,
        mut is_enough: impl FnMut(&GameStatus) -> bool,
    ) -> Result<(), Status> {
        let Some(session) = self.session(guest)? else { return Ok(()) };
        let mut games = session.games;
        let enough = games.wait_for(|games| is_enough(&games.status_of(id)));
        // A timeout is ignored, because the page then shows the current state.
        let _ = tokio::time::timeout(within, enough).await;
        Ok(())
    }

    /// Returns the seat of a guest in an open match; `None` if the guest has no seat in it, or the match is over. Does
    /// not wait for other reads.
    ///
    /// # Errors
    /// If the caller may not read.
    pub fn open_seat<T>(
        &self,
        request: &Request<T>,
        guest: &BotName,
        id: MatchId,
    ) -> Result<Option<OpenSeat>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.open_seat(guest, id))
    }

    /// Returns the session of a guest. If the guest has an open match but no session, for example after a restart,
    /// opens one.
    fn session(&self, guest: &BotName) -> Result<Option<GameSession>, Status> {
        let mut sessions = self.lock_sessions();
        if let Some(kept) = sessions.by_guest.get(guest).filter(|kept| kept.session.is_open()) {
            return Ok(Some(kept.session.clone()));
        }
        if self.arena.open_matches_of_guest(guest, 1).is_empty() {
            return Ok(None);
        }
        self.open_session(&mut sessions, guest).map(|kept| Some(kept.session.clone()))
    }

    /// Keeps a guest's session open for a match that is being started.
    fn hold_session(&self, guest: &BotName) -> Result<Arc<SessionHold>, Status> {
        let mut sessions = self.lock_sessions();
        if let Some(kept) = sessions.by_guest.get(guest).filter(|kept| kept.session.is_open()) {
            return Ok(Arc::clone(&kept.hold));
        }
        self.open_session(&mut sessions, guest).map(|kept| Arc::clone(&kept.hold))
    }

    fn open_session<'s>(
        &self,
        sessions: &'s mut GuestSessions,
        guest: &BotName,
    ) -> Result<&'s mut GuestSession, Status> {
        let (session, listener) = GameSession::open(&self.arena, guest).map_err(arena_status)?;
        let number = sessions.next_number;
        sessions.next_number += 1;
        tokio::spawn(self.clone().listen_to_session(guest.clone(), number, listener));
        let kept = GuestSession { session, number, hold: Arc::new(SessionHold) };
        Ok(sessions.by_guest.entry(guest.clone()).insert_entry(kept).into_mut())
    }

    /// Listens to a session until it is over, and then forgets the guest.
    async fn listen_to_session(self, guest: BotName, number: u64, mut listener: SessionListener) {
        while listener.listen().await && self.keep_if_needed(&guest, number, &listener) {}
        self.lock_sessions().remove_session(&guest, number);
        listener.close().await;
        self.forget_departed().await;
    }

    /// Returns whether a session is still needed, and removes it if it is not.
    fn keep_if_needed(&self, guest: &BotName, number: u64, listener: &SessionListener) -> bool {
        let mut sessions = self.lock_sessions();
        let kept = sessions.by_guest.get(guest).filter(|kept| kept.number == number);
        let is_needed =
            kept.is_some_and(|kept| kept.session.is_open() && (kept.is_held() || listener.has_open_game()));
        if !is_needed {
            sessions.remove_session(guest, number);
        }
        is_needed
    }

    /// Forgets the guests whose sessions are over. A guest who still has a seat stays in `departed`, to be forgotten
    /// after another guest leaves.
    async fn forget_departed(&self) {
        let games = self.clone();
        let forgotten = self.arena.forget_guests(move |forget| {
            // While the lock is held, no new session can begin for a guest whom the arena is forgetting.
            let GuestSessions { by_guest, departed, .. } = &mut *games.lock_sessions();
            departed.retain(|guest| !by_guest.contains_key(guest) && !forget(guest));
        });
        if let Err(error) = forgotten.await {
            tracing::debug!(%error, "guests who have left could not be removed yet");
        }
    }

    fn lock_sessions(&self) -> MutexGuard<'_, GuestSessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::login_limits::LoginLimits;
    use lastnim_arena::{Backend, Limits, guest_name};

    const LIMITS: GuestLimits =
        GuestLimits { per_minute: 20, per_address: 8, idle_timeout: Duration::from_mins(2) };

    /// Returns a request for a match in which each of two seats has a millisecond, so that the steward soon plays for
    /// both.
    fn brief_match() -> pb::CreateMatchRequest {
        pb::CreateMatchRequest {
            bots: vec![String::new(), "timid".into()],
            piles: vec![3],
            clock: Some(pb::Clock { initial_ms: 1, declaration_ms: 1, ..pb::Clock::default() }),
            ..pb::CreateMatchRequest::default()
        }
    }

    /// Returns games that admit guests against one house bot, and the name of a guest.
    async fn opened_games() -> (GuestGames, BotName) {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let logins = Arc::new(LoginLimits::new(1, Duration::from_secs(1)));
        let mut access = Access::tokens_only(arena.clone(), logins);
        access.private = false;
        (GuestGames::new(arena, access, LIMITS), guest_name(&[7; 32]))
    }

    #[tokio::test(start_paused = true)]
    async fn a_guest_without_matches_is_forgotten() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let logins = Arc::new(LoginLimits::new(1, Duration::from_secs(1)));
        let mut access = Access::tokens_only(arena.clone(), logins);
        let private = GuestGames::new(arena.clone(), access.clone(), LIMITS);
        let guest = guest_name(&[7; 32]);
        let refused = private.begin(Request::new(brief_match()), &guest).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);

        access.private = false;
        let games = GuestGames::new(arena.clone(), access, LIMITS);
        for _ in 0..2 {
            let id = games.begin(Request::new(brief_match()), &guest).await.unwrap();
            games.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
            assert!(games.game_status(&guest, id).unwrap().is_over);
        }
        assert_eq!(
            (games.places.quota().used(), arena.session_count()),
            (1, 1),
            "the second match uses the same session"
        );
        wait_until_departed(&games).await;
        assert_eq!(games.open_matches(&Request::new(()), &guest).unwrap(), []);
    }

    async fn within_deadline(event: impl Future<Output = ()>) {
        tokio::time::timeout(Duration::from_mins(10), event)
            .await
            .expect("the event comes within ten minutes");
    }

    /// Waits until no session is open, and all guests are forgotten.
    async fn wait_until_departed(games: &GuestGames) {
        let departing = async {
            let is_empty =
                |sessions: &GuestSessions| sessions.by_guest.is_empty() && sessions.departed.is_empty();
            while games.arena.session_count() > 0 || !is_empty(&games.lock_sessions()) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        within_deadline(departing).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_counts_and_its_session_ends_if_its_caller_leaves() {
        let (games, guest) = opened_games().await;
        tokio::select! {
            biased;
            begun = games.begin(Request::new(brief_match()), &guest) => panic!("{begun:?} at once"),
            () = std::future::ready(()) => {}
        }
        let beginning = async {
            while games.places.quota().used() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        within_deadline(beginning).await;
        wait_until_departed(&games).await;
        assert_eq!(games.places.quota().used(), 1, "the match has begun anyway");
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_counts_from_its_start_to_its_end() {
        let (mut games, guest) = opened_games().await;
        let limits = GuestLimits { per_address: 1, ..LIMITS };
        games.places = Arc::new(GuestPlaces::new(games.arena.clone(), &limits));
        let place = games.places.take_place(ClientAddress::UNKNOWN).unwrap();
        let refused = games.begin(Request::new(brief_match()), &guest).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "one is starting");
        drop(place);
        for _ in 0..2 {
            let id = games.begin(Request::new(brief_match()), &guest).await.unwrap();
            assert_eq!(games.places.quota().used(), 1);
            games.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn revisions_of_a_later_session_are_higher() {
        let (games, guest) = opened_games().await;
        let mut last = 0;
        for _ in 0..2 {
            let id = games.begin(Request::new(brief_match()), &guest).await.unwrap();
            let first = games.game_status(&guest, id).unwrap().revision;
            assert!(first > last, "{first} is not above {last}");
            games.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
            last = games.game_status(&guest, id).unwrap().revision;
            assert!(last > first, "it got an event");
            wait_until_departed(&games).await;
        }
    }
}
