//! What guests play.

use super::hand_session::{HandSession, SessionListener};
use super::hand_status::HandStatus;
use crate::access::Access;
use crate::address_limits::AddressLimiter;
use crate::client_address::ClientAddress;
use crate::scheduling::{QuotaShare, SharedQuota};
use crate::status::{arena_status, read_request, refusal_status, retry_after_status};
use lastnim_arena::{Arena, OpenSeat, Principal};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::MatchSetup;
use lastnim_core::referee::SeatAction;
use lastnim_proto::{pb, setup::parse_new_setup};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::{Code, Request, Status};

/// The ids of open matches of a guest that are looked for.
const MAX_LISTED_MATCHES: usize = 100;

/// What guests play: people in a browser, each of whom has a name that a secret of its browser gives it. A guest has a seat in the matches that it began, against house bots, and may do
/// nothing else. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GuestHands {
    arena: Arena,
    access: Access,
    limiter: Arc<AddressLimiter>,
    per_address: usize,
    /// The open matches of each address, and those that are being begun.
    places: Arc<SharedQuota<ClientAddress>>,
    begun: Arc<Mutex<Vec<BegunMatch>>>,
    /// Never locked while anything is waited for: every guest needs it for every request.
    sessions: Arc<Mutex<KeptSessions>>,
}

/// A match that an address has begun.
#[derive(Debug)]
struct BegunMatch {
    id: MatchId,
    _place: QuotaShare<ClientAddress>,
}

/// The sessions that are kept, by guest.
#[derive(Debug, Default)]
struct KeptSessions {
    by_guest: HashMap<BotName, KeptSession>,
    /// Guests whose session is over, and who are still to be forgotten.
    departed: HashSet<BotName>,
    /// The number of the next one.
    next_number: u64,
}

/// A session that is kept for a guest.
#[derive(Debug)]
struct KeptSession {
    session: HandSession,
    /// Which one of all that were kept it is.
    number: u64,
    /// Shared with every match that is being begun: it stays open for them.
    hold: Arc<SessionHold>,
}

/// Keeps a session open for a match that is being begun, until it is dropped.
#[derive(Debug)]
struct SessionHold;

impl KeptSessions {
    /// Keeps a session no more, unless a newer one has taken its place.
    fn end_keeping(&mut self, guest: &BotName, number: u64) {
        if self.by_guest.get(guest).is_some_and(|kept| kept.number == number) {
            self.by_guest.remove(guest);
            self.departed.insert(guest.clone());
        }
    }
}

impl KeptSession {
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.hold) > 1
    }
}

impl GuestHands {
    /// Lets one address begin so many matches in a minute, and have so many open at once.
    pub fn new(arena: Arena, access: Access, per_minute: u32, per_address: usize) -> Self {
        let limiter = Arc::new(AddressLimiter::new(per_minute, Duration::from_mins(1) / per_minute.max(1)));
        let places = SharedQuota::new(per_address, usize::MAX);
        let (begun, sessions) = Default::default();
        Self { arena, access, limiter, per_address, places, begun, sessions }
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
        Ok(self.arena.open_matches_of_guest(guest, MAX_LISTED_MATCHES))
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
        // To its end, even if the caller goes away: the match that begins all the same counts, and the session is released.
        let beginning = tokio::spawn(self.clone().begin_counted(address, caller, guest.clone(), setup));
        beginning
            .await
            .map_err(|_| Status::internal("the match could not be begun: see the log of the server"))?
    }

    /// Begins a match that counts as one of an address.
    async fn begin_counted(
        self,
        address: ClientAddress,
        caller: Option<Principal>,
        guest: BotName,
        setup: MatchSetup,
    ) -> Result<MatchId, Status> {
        self.lock_begun().retain(|begun| self.arena.is_match_open(begun.id));
        // Before the match is there, so that many requests at once do not all find room.
        let place = self.places.acquire(address, 1).map_err(|_| {
            let message = format!(
                "{address} has {} open matches, as many as one address may: play one of them to its end, or resign it",
                self.per_address
            );
            refusal_status(Code::ResourceExhausted, "TOO_MANY_GUESTS", &message)
        })?;
        self.limiter.admit(address, Instant::now()).map_err(|refused| {
            let message = format!("too many matches were begun {refused}");
            retry_after_status(refused.wait, Code::ResourceExhausted, "TOO_MANY_GUEST_MATCHES", &message)
        })?;
        let _hold = self.hold_session(&guest)?;
        let id = self.arena.create_guest_match(&guest, caller, setup).await.map_err(arena_status)?.id;
        self.lock_begun().push(BegunMatch { id, _place: place });
        Ok(id)
    }

    /// Does something in an open match of a guest. Its status says what comes of it.
    ///
    /// # Errors
    /// If the caller may not look, no session can be opened, the match is over, or the action did not reach it.
    pub async fn act<T>(
        &self,
        request: &Request<T>,
        guest: &BotName,
        id: MatchId,
        action: SeatAction,
    ) -> Result<(), Status> {
        self.access.require_viewer(request)?;
        // A session that has just been closed is opened again, once.
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
        Err(Status::unavailable("the session was closed before this reached the match: send it again"))
    }

    /// Returns how a hand stands, as far as the session of its guest has heard.
    ///
    /// # Errors
    /// If no session can be opened.
    pub fn hand_status(&self, guest: &BotName, id: MatchId) -> Result<HandStatus, Status> {
        let session = self.session(guest)?;
        Ok(session.map(|session| session.status_of(id)).unwrap_or_default())
    }

    /// Waits until the status of a hand is as it should be, the session is over, or the time is.
    ///
    /// # Errors
    /// If no session can be opened.
    pub async fn wait_for_status(
        &self,
        guest: &BotName,
        id: MatchId,
        within: Duration,
        mut is_enough: impl FnMut(&HandStatus) -> bool,
    ) -> Result<(), Status> {
        let Some(session) = self.session(guest)? else { return Ok(()) };
        let mut hands = session.hands;
        let enough = hands.wait_for(|hands| is_enough(&hands.status_of(id)));
        // Whatever has come by then is shown.
        let _ = tokio::time::timeout(within, enough).await;
        Ok(())
    }

    /// Returns the seat of a guest in an open match; `None` if it has none there, or the match is over. It waits for nobody, whatever is read meanwhile.
    ///
    /// # Errors
    /// If the caller may not look.
    pub fn open_seat<T>(
        &self,
        request: &Request<T>,
        guest: &BotName,
        id: MatchId,
    ) -> Result<Option<OpenSeat>, Status> {
        self.access.require_viewer(request)?;
        Ok(self.arena.open_seat(guest, id))
    }

    /// Returns the session of a guest who has an open match, which is opened if need be: an earlier server may have left the match.
    fn session(&self, guest: &BotName) -> Result<Option<HandSession>, Status> {
        let mut sessions = self.lock_sessions();
        if let Some(kept) = sessions.by_guest.get(guest).filter(|kept| kept.session.is_open()) {
            return Ok(Some(kept.session.clone()));
        }
        if self.arena.open_matches_of_guest(guest, 1).is_empty() {
            return Ok(None);
        }
        self.open_session(&mut sessions, guest).map(|kept| Some(kept.session.clone()))
    }

    /// Keeps a session open for a match that is being begun.
    fn hold_session(&self, guest: &BotName) -> Result<Arc<SessionHold>, Status> {
        let mut sessions = self.lock_sessions();
        if let Some(kept) = sessions.by_guest.get(guest).filter(|kept| kept.session.is_open()) {
            return Ok(Arc::clone(&kept.hold));
        }
        self.open_session(&mut sessions, guest).map(|kept| Arc::clone(&kept.hold))
    }

    fn open_session<'s>(
        &self,
        sessions: &'s mut KeptSessions,
        guest: &BotName,
    ) -> Result<&'s mut KeptSession, Status> {
        let (session, listener) = HandSession::open(&self.arena, guest).map_err(arena_status)?;
        let number = sessions.next_number;
        sessions.next_number += 1;
        tokio::spawn(self.clone().keep_session(guest.clone(), number, listener));
        let kept = KeptSession { session, number, hold: Arc::new(SessionHold) };
        Ok(sessions.by_guest.entry(guest.clone()).insert_entry(kept).into_mut())
    }

    /// Listens to a session until it is over, and forgets the guest.
    async fn keep_session(self, guest: BotName, number: u64, mut listener: SessionListener) {
        while listener.listen().await && self.is_needed(&guest, number, &listener) {}
        self.lock_sessions().end_keeping(&guest, number);
        listener.close().await;
        self.forget_departed().await;
    }

    /// Returns whether a session is still needed; one that is not is kept no more.
    fn is_needed(&self, guest: &BotName, number: u64, listener: &SessionListener) -> bool {
        let mut sessions = self.lock_sessions();
        let kept = sessions.by_guest.get(guest).filter(|kept| kept.number == number);
        let is_needed =
            kept.is_some_and(|kept| kept.session.is_open() && (kept.is_held() || listener.has_open_hand()));
        if !is_needed {
            sessions.end_keeping(guest, number);
        }
        is_needed
    }

    /// Forgets the guests whose session is over. Who still has a seat then is forgotten when the next guest leaves.
    async fn forget_departed(&self) {
        let hands = self.clone();
        let forgotten = self.arena.forget_guests(move |forget| {
            // A session that opens meanwhile would be one of a guest whom the arena has forgotten.
            let KeptSessions { by_guest, departed, .. } = &mut *hands.lock_sessions();
            departed.retain(|guest| !by_guest.contains_key(guest) && !forget(guest));
        });
        if let Err(error) = forgotten.await {
            tracing::debug!(%error, "guests who have left are remembered for longer");
        }
    }

    fn lock_begun(&self) -> MutexGuard<'_, Vec<BegunMatch>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_sessions(&self) -> MutexGuard<'_, KeptSessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::login_limits::LoginLimits;
    use lastnim_arena::{Backend, Limits, guest_name};

    /// Two seats that have a millisecond each, so that the steward plays.
    fn brief_match() -> pb::CreateMatchRequest {
        pb::CreateMatchRequest {
            bots: vec![String::new(), "timid".into()],
            piles: vec![3],
            clock: Some(pb::Clock { initial_ms: 1, declaration_ms: 1, ..pb::Clock::default() }),
            ..pb::CreateMatchRequest::default()
        }
    }

    /// Lets everybody play against a house bot; returns besides who does.
    async fn opened_hands() -> (GuestHands, BotName) {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let logins = Arc::new(LoginLimits::new(1, Duration::from_secs(1)));
        let mut access = Access::tokens_only(arena.clone(), logins);
        access.private = false;
        (GuestHands::new(arena, access, 20, 8), guest_name(&[7; 32]))
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
            hands.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
            assert!(hands.hand_status(&guest, id).unwrap().is_over);
        }
        assert_eq!((hands.places.used(), arena.session_count()), (1, 1), "the session is used again");
        until_departed(&hands).await;
        assert_eq!(hands.open_matches(&Request::new(()), &guest).unwrap(), []);
    }

    async fn soon(event: impl Future<Output = ()>) {
        tokio::time::timeout(Duration::from_mins(10), event).await.expect("it happens in ten minutes");
    }

    /// Waits until no session is kept, and everybody is forgotten.
    async fn until_departed(hands: &GuestHands) {
        let departing = async {
            let is_empty =
                |sessions: &KeptSessions| sessions.by_guest.is_empty() && sessions.departed.is_empty();
            while hands.arena.session_count() > 0 || !is_empty(&hands.lock_sessions()) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        soon(departing).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_counts_and_its_session_ends_though_its_caller_goes_away() {
        let (hands, guest) = opened_hands().await;
        tokio::select! {
            biased;
            begun = hands.begin(Request::new(brief_match()), &guest) => panic!("{begun:?} at once"),
            () = std::future::ready(()) => {}
        }
        let beginning = async {
            while hands.places.used() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        soon(beginning).await;
        until_departed(&hands).await;
        assert_eq!(hands.places.used(), 1, "the match has begun all the same");
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_taken_from_the_beginning_to_the_end_of_a_match() {
        let (mut hands, guest) = opened_hands().await;
        hands.places = SharedQuota::new(1, usize::MAX);
        let place = hands.places.acquire(ClientAddress::UNKNOWN, 1).unwrap();
        let refused = hands.begin(Request::new(brief_match()), &guest).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "one is being begun");
        drop(place);
        for _ in 0..2 {
            let id = hands.begin(Request::new(brief_match()), &guest).await.unwrap();
            assert_eq!(hands.places.used(), 1);
            hands.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn revisions_of_a_later_session_are_higher() {
        let (hands, guest) = opened_hands().await;
        let mut last = 0;
        for _ in 0..2 {
            let id = hands.begin(Request::new(brief_match()), &guest).await.unwrap();
            let first = hands.hand_status(&guest, id).unwrap().revision;
            assert!(first > last, "{first} is not above {last}");
            hands.wait_for_status(&guest, id, Duration::from_mins(1), |status| status.is_over).await.unwrap();
            last = hands.hand_status(&guest, id).unwrap().revision;
            assert!(last > first, "it has heard something");
            until_departed(&hands).await;
        }
    }
}
