//! Sessions of visitors who signed in with a token.

use super::forms::{CookieSecret, SecretHash};
use lastnim_rpc::{ClientAddress, HeldSeats};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::codegen::http::HeaderValue;

/// The maximum number of sessions. If it is exceeded, the oldest session of the address with the most sessions ends, so
/// that other addresses stay signed in.
const MAX_SESSIONS: usize = 1_024;
/// The maximum number of sessions with one holder's token. If it is exceeded, the oldest of them ends.
const MAX_SESSIONS_OF_HOLDER: usize = 16;

/// The sessions of visitors who signed in with a token. They are in memory, so a restart ends them.
pub struct TokenSessions {
    lifetime: Duration,
    /// By the hash of the cookie's secret.
    sessions: Mutex<HashMap<SecretHash, TokenSession>>,
}

struct TokenSession {
    /// The header with the token.
    authorization: HeaderValue,
    /// The address of the client that signed in.
    address: ClientAddress,
    began: Instant,
    /// The bot's seats that the session holds until it ends, if it is a player's.
    seats: Option<HeldSeats>,
    /// Closed when the session ends.
    alive: watch::Sender<()>,
}

/// Whether one person or many people have a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenHolders {
    /// One: an organiser, or the author of a bot.
    One,
    /// Many: all viewers share this token, so only the overall limit applies.
    Many,
}

/// The end of a session: when it expires or is ended.
#[derive(Debug, Clone)]
pub(super) struct SessionEnd {
    at: Instant,
    ended: watch::Receiver<()>,
}

impl SessionEnd {
    /// Waits until the session ends.
    pub(super) async fn wait_until_over(mut self) {
        tokio::select! {
            biased;
            // Nothing is ever sent; the channel closes with the session.
            _ = self.ended.changed() => {}
            () = tokio::time::sleep_until(self.at.into()) => {}
        }
    }
}

impl TokenSessions {
    /// Creates an empty collection; its sessions last for `lifetime`.
    pub fn new(lifetime: Duration) -> Arc<Self> {
        Arc::new(Self { lifetime, sessions: Mutex::default() })
    }

    fn live_sessions(&self, now: Instant) -> MutexGuard<'_, HashMap<SecretHash, TokenSession>> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, session| now.saturating_duration_since(session.began) < self.lifetime);
        sessions
    }

    /// Starts a session with a valid token, and returns the secret of its cookie.
    pub(super) fn begin(
        &self,
        authorization: HeaderValue,
        holders: TokenHolders,
        address: ClientAddress,
        now: Instant,
    ) -> CookieSecret {
        let secret = CookieSecret::draw();
        let mut sessions = self.live_sessions(now);
        let is_same = |session: &TokenSession| session.authorization == authorization;
        let is_spent = holders == TokenHolders::One
            && sessions.values().filter(|session| is_same(session)).count() >= MAX_SESSIONS_OF_HOLDER;
        if is_spent {
            remove_first(&mut sessions, is_same);
        } else if sessions.len() >= MAX_SESSIONS {
            let busiest = busiest_addresses(&sessions);
            remove_first(&mut sessions, |session| busiest.contains(&session.address));
        }
        let alive = watch::Sender::new(());
        let session = TokenSession { authorization, address, began: now, seats: None, alive };
        sessions.insert(secret.hash(), session);
        secret
    }

    /// Returns the header with the token, and the end of the session; `None` if the session has ended.
    pub(super) fn find(&self, secret: &CookieSecret, now: Instant) -> Option<(HeaderValue, SessionEnd)> {
        let sessions = self.live_sessions(now);
        let session = sessions.get(&secret.hash())?;
        let end = SessionEnd { at: self.expiry_from_start(session.began), ended: session.alive.subscribe() };
        Some((session.authorization.clone(), end))
    }

    /// Returns when a session that began at this time expires.
    pub(super) fn expiry_from_start(&self, began: Instant) -> Instant {
        began + self.lifetime
    }

    /// Returns when a session expires; `None` if it has ended.
    pub(super) fn expiry_of(&self, secret: &CookieSecret, now: Instant) -> Option<Instant> {
        self.live_sessions(now).get(&secret.hash()).map(|session| self.expiry_from_start(session.began))
    }

    /// Lets a session hold the seats of a bot, in place of any seats that it held before. If the session has ended, the
    /// seats are released at once.
    pub(super) fn hold_seats(&self, secret: &CookieSecret, seats: HeldSeats, now: Instant) {
        if let Some(session) = self.live_sessions(now).get_mut(&secret.hash()) {
            session.seats = Some(seats);
        }
    }

    /// Ends all sessions with a token.
    pub(super) fn end_sessions_with(&self, authorization: &HeaderValue, now: Instant) {
        self.live_sessions(now).retain(|_, session| session.authorization != *authorization);
    }

    /// Returns the header with the token; `None` if the session has ended.
    pub(super) fn authorization_of(&self, secret: &CookieSecret, now: Instant) -> Option<HeaderValue> {
        self.live_sessions(now).get(&secret.hash()).map(|session| session.authorization.clone())
    }

    pub(super) fn end(&self, secret: &CookieSecret, now: Instant) {
        self.live_sessions(now).remove(&secret.hash());
    }
}

/// Returns the addresses with the most sessions.
fn busiest_addresses(sessions: &HashMap<SecretHash, TokenSession>) -> HashSet<ClientAddress> {
    let mut counts: HashMap<ClientAddress, usize> = HashMap::new();
    for session in sessions.values() {
        *counts.entry(session.address).or_default() += 1;
    }
    let max = counts.values().copied().max();
    counts.into_iter().filter(|(_, count)| Some(*count) == max).map(|(address, _)| address).collect()
}

/// Ends the oldest matching session.
fn remove_first(
    sessions: &mut HashMap<SecretHash, TokenSession>,
    is_candidate: impl Fn(&TokenSession) -> bool,
) {
    let meant = sessions.iter().filter(|(_, session)| is_candidate(session));
    if let Some(first) = meant.min_by_key(|(_, session)| session.began).map(|(&hash, _)| hash) {
        sessions.remove(&first);
    }
}

impl fmt::Debug for TokenSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSessions").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::open_site;
    use lastnim_arena::{Arena, Backend, Limits};
    use lastnim_core::game::BotName;
    use std::net::IpAddr;
    use tonic::Request;

    const HERE: ClientAddress = ClientAddress::UNKNOWN;

    /// Starts a session with the token of a single holder.
    fn begin_from(
        sessions: &TokenSessions,
        header: HeaderValue,
        address: ClientAddress,
        now: Instant,
    ) -> CookieSecret {
        sessions.begin(header, TokenHolders::One, address, now)
    }

    #[test]
    fn a_session_lasts_until_it_expires_or_is_ended() {
        let (hour, begin) = (Duration::from_hours(1), Instant::now());
        let sessions = TokenSessions::new(hour);
        let header = HeaderValue::from_static("Bearer x");
        let [first, second] = [0, 1].map(|_| begin_from(&sessions, header.clone(), HERE, begin));
        assert_ne!(first.hash(), second.hash());
        let is_live = |secret: &CookieSecret, after: Duration| {
            sessions.authorization_of(secret, begin + after).is_some()
        };
        assert!(is_live(&first, hour.checked_sub(Duration::from_millis(1)).unwrap()));
        sessions.end(&first, begin);
        assert!(!is_live(&first, Duration::ZERO) && is_live(&second, Duration::ZERO));
        assert!(!is_live(&second, hour) && !is_live(&CookieSecret::draw(), Duration::ZERO));
        assert!(sessions.live_sessions(begin + hour).is_empty());
    }

    #[test]
    fn sessions_of_one_token_end_together() {
        let begin = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let [one, two] = ["Bearer one", "Bearer two"].map(HeaderValue::from_static);
        let secrets = [&one, &two, &one].map(|header| begin_from(&sessions, header.clone(), HERE, begin));
        sessions.end_sessions_with(&one, begin);
        let live = secrets.map(|secret| sessions.authorization_of(&secret, begin));
        assert_eq!(live, [None, Some(two), None]);
    }

    #[tokio::test]
    async fn a_player_leaves_its_seats_when_its_session_ends() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let (site, now) = (open_site(&arena, 1), Instant::now());
        let bot: BotName = "ann".parse().unwrap();
        let (_, token) = arena.register_bot(bot.clone()).await.unwrap();
        let header: HeaderValue = format!("Bearer {}", token.reveal()).parse().unwrap();
        let mut request = Request::new(());
        request.metadata_mut().insert("authorization", header.to_str().unwrap().parse().unwrap());
        let (players, games) = (&site.players, &site.bot_games);
        let sign_in = |began: Instant| {
            let seats = games.take_seats(&request, players.expiry_from_start(now)).unwrap();
            let secret = begin_from(players, header.clone(), HERE, began);
            players.hold_seats(&secret, seats, now);
            secret
        };
        let first = sign_in(now);
        let second = sign_in(now + Duration::from_secs(1));
        players.end(&first, now);
        assert!(games.revision(&bot).is_some(), "a later sign-in has them");
        players.end(&second, now);
        assert_eq!(games.revision(&bot), None);

        let third = sign_in(now);
        for number in 0..MAX_SESSIONS {
            assert!(games.revision(&bot).is_some() && players.expiry_of(&third, now).is_some());
            begin_from(players, other_header(number), HERE, now + Duration::from_secs(2));
        }
        assert!(
            games.revision(&bot).is_none() && players.expiry_of(&third, now).is_none(),
            "the first session was ended"
        );
    }

    fn other_header(number: usize) -> HeaderValue {
        format!("Bearer {number}").parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_can_wait_for_the_end_of_a_session() {
        let (hour, begin) = (Duration::from_hours(1), Instant::now());
        let sessions = TokenSessions::new(hour);
        let [ended, expired] = [0, 1].map(|number| begin_from(&sessions, other_header(number), HERE, begin));
        let [(header, end), (_, later)] =
            [&ended, &expired].map(|secret| sessions.find(secret, begin).unwrap());
        assert_eq!(header, other_header(0));
        let waiting = tokio::spawn(end.wait_until_over());
        tokio::time::sleep(hour / 2).await;
        assert!(!waiting.is_finished());
        sessions.end(&ended, begin);
        waiting.await.unwrap();
        assert!(sessions.find(&ended, begin).is_none());
        let since = tokio::time::Instant::now();
        later.wait_until_over().await;
        assert!(since.elapsed() >= hour / 3, "it has expired");
    }

    #[test]
    fn frequent_sign_ins_do_not_end_other_sessions() {
        let begin = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let other = begin_from(&sessions, other_header(1), HERE, begin);
        let secrets: Vec<_> = (0..MAX_SESSIONS as u64 * 2)
            .map(|second| begin_from(&sessions, other_header(2), HERE, begin + Duration::from_secs(second)))
            .collect();
        let live = secrets.iter().filter(|secret| sessions.find(secret, begin).is_some());
        assert_eq!(live.count(), MAX_SESSIONS_OF_HOLDER);
        assert!(
            sessions.find(&other, begin).is_some() && sessions.find(secrets.last().unwrap(), begin).is_some()
        );
    }

    #[test]
    fn the_number_of_sessions_is_limited() {
        let begin = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let secrets: Vec<_> = (0..=MAX_SESSIONS as u64)
            .map(|second| {
                begin_from(
                    &sessions,
                    other_header(second as usize),
                    HERE,
                    begin + Duration::from_secs(second),
                )
            })
            .collect();
        let live = secrets.iter().filter(|secret| sessions.authorization_of(secret, begin).is_some());
        assert_eq!(live.count(), MAX_SESSIONS);
        assert!(sessions.authorization_of(&secrets[0], begin).is_none());
    }

    #[test]
    fn many_viewers_can_share_a_token() {
        let opening = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let at = |last: u8| ClientAddress::from(IpAddr::from([192, 0, 2, last]));
        let is_live = |secret: &CookieSecret| sessions.find(secret, opening).is_some();
        let watch = |address, second| {
            let began = opening + Duration::from_secs(second);
            sessions.begin(HeaderValue::from_static("Bearer viewer"), TokenHolders::Many, address, began)
        };
        // These are a school class behind one address, and earlier visitors at other addresses.
        let homes: Vec<_> = (0..20).map(|last| watch(at(last), 0)).collect();
        let class: Vec<_> = (0..200).map(|second| watch(at(100), 1 + second)).collect();
        assert!(homes.iter().chain(&class).all(is_live));
        // A person with the same token signs in again and again.
        let many: Vec<_> = (0..2 * MAX_SESSIONS as u64).map(|second| watch(at(200), second)).collect();
        assert!(homes.iter().chain(&class).all(is_live));
        assert_eq!(many.iter().filter(|secret| is_live(secret)).count(), MAX_SESSIONS - 220);
        let late = watch(at(201), 0);
        assert!(is_live(&late) && homes.iter().chain(&class).all(is_live));
        // This also holds for sessions from two addresses.
        for second in 0..2 * MAX_SESSIONS as u64 {
            watch(at(202), second);
        }
        assert!(is_live(&late) && homes.iter().chain(&class).all(is_live));
        assert_eq!(sessions.live_sessions(opening).len(), MAX_SESSIONS);
    }
}
