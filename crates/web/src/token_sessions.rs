//! Visitors who are signed in with a token.

use super::forms::{CookieSecret, SecretHash};
use lastnim_rpc::{ClientAddress, HeldSeats};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::codegen::http::HeaderValue;

/// The most sessions at once. Beyond that, one from the address gives way that has the most of them, so that nobody signs out those who have signed in elsewhere.
const MAX_SESSIONS: usize = 1_024;
/// The most sessions at once with the token of one holder. Beyond that, the first of these gives way, and nobody else's.
const MAX_SESSIONS_OF_HOLDER: usize = 16;

/// Visitors who are signed in with a token, in the memory of the server: a restart signs everybody out.
pub struct TokenSessions {
    lifetime: Duration,
    /// By the hash of the cookie's secret.
    sessions: Mutex<HashMap<SecretHash, TokenSession>>,
}

struct TokenSession {
    /// The header that shows the token.
    authorization: HeaderValue,
    /// From where it was begun.
    address: ClientAddress,
    began: Instant,
    /// The seats that are left with it, where it is a bot's.
    seats: Option<HeldSeats>,
    /// Says that it is over, when it is dropped.
    alive: watch::Sender<()>,
}

/// Who has a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenHolders {
    /// Somebody: an organiser, or the author of a bot.
    One,
    /// All who may watch: they have as many sessions as there is room for.
    Many,
}

/// When a session is over: at its time, or as soon as it is ended.
#[derive(Debug, Clone)]
pub(super) struct SessionEnd {
    at: Instant,
    ended: watch::Receiver<()>,
}

impl SessionEnd {
    /// Waits until the session is over.
    pub(super) async fn wait_until_over(mut self) {
        tokio::select! {
            biased;
            // Nothing is ever sent: it is closed with the session.
            _ = self.ended.changed() => {}
            () = tokio::time::sleep_until(self.at.into()) => {}
        }
    }
}

impl TokenSessions {
    /// Keeps each session for as long as `lifetime`.
    pub fn new(lifetime: Duration) -> Arc<Self> {
        Arc::new(Self { lifetime, sessions: Mutex::default() })
    }

    fn live_sessions(&self, now: Instant) -> MutexGuard<'_, HashMap<SecretHash, TokenSession>> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, session| now.saturating_duration_since(session.began) < self.lifetime);
        sessions
    }

    /// Begins a session of somebody who has shown a token, and returns the secret by which it is known.
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

    /// Returns the header that shows the token of a session, and when it is over; `None` if it is over already or never was.
    pub(super) fn find(&self, secret: &CookieSecret, now: Instant) -> Option<(HeaderValue, SessionEnd)> {
        let sessions = self.live_sessions(now);
        let session = sessions.get(&secret.hash())?;
        let end = SessionEnd { at: self.end_of_session(session.began), ended: session.alive.subscribe() };
        Some((session.authorization.clone(), end))
    }

    /// Returns when a session ends that begins at a time.
    pub(super) fn end_of_session(&self, began: Instant) -> Instant {
        began + self.lifetime
    }

    /// Returns when the session ends that a secret belongs to; `None` if it is over or never was.
    pub(super) fn end_of(&self, secret: &CookieSecret, now: Instant) -> Option<Instant> {
        self.live_sessions(now).get(&secret.hash()).map(|session| self.end_of_session(session.began))
    }

    /// Has a session hold the seats of a bot, in place of those that it held. They are left once it is over, which it may be already.
    pub(super) fn hold_seats(&self, secret: &CookieSecret, seats: HeldSeats, now: Instant) {
        if let Some(session) = self.live_sessions(now).get_mut(&secret.hash()) {
            session.seats = Some(seats);
        }
    }

    /// Ends all sessions with a token.
    pub(super) fn end_all_of(&self, authorization: &HeaderValue, now: Instant) {
        self.live_sessions(now).retain(|_, session| session.authorization != *authorization);
    }

    /// Returns the header that shows the token of a session; `None` if it is over or never was.
    pub(super) fn authorization_of(&self, secret: &CookieSecret, now: Instant) -> Option<HeaderValue> {
        self.live_sessions(now).get(&secret.hash()).map(|session| session.authorization.clone())
    }

    /// Ends a session.
    pub(super) fn end(&self, secret: &CookieSecret, now: Instant) {
        self.live_sessions(now).remove(&secret.hash());
    }
}

/// Returns the addresses from which the most sessions were begun.
fn busiest_addresses(sessions: &HashMap<SecretHash, TokenSession>) -> HashSet<ClientAddress> {
    let mut counts: HashMap<ClientAddress, usize> = HashMap::new();
    for session in sessions.values() {
        *counts.entry(session.address).or_default() += 1;
    }
    let most = counts.values().copied().max();
    counts.into_iter().filter(|(_, count)| Some(*count) == most).map(|(address, _)| address).collect()
}

/// Ends the session that began first of some.
fn remove_first(sessions: &mut HashMap<SecretHash, TokenSession>, is_meant: impl Fn(&TokenSession) -> bool) {
    let meant = sessions.iter().filter(|(_, session)| is_meant(session));
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

    /// Begins a session with a token that one holder has.
    fn begin_from(
        sessions: &TokenSessions,
        header: HeaderValue,
        address: ClientAddress,
        now: Instant,
    ) -> CookieSecret {
        sessions.begin(header, TokenHolders::One, address, now)
    }

    #[test]
    fn a_session_lasts_until_its_time_is_over_or_it_is_ended() {
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
        sessions.end_all_of(&one, begin);
        let live = secrets.map(|secret| sessions.authorization_of(&secret, begin));
        assert_eq!(live, [None, Some(two), None]);
    }

    #[tokio::test]
    async fn seats_are_left_with_the_sign_in_that_holds_them() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let (site, now) = (open_site(&arena, 1), Instant::now());
        let bot: BotName = "ann".parse().unwrap();
        let (_, token) = arena.register_bot(bot.clone()).await.unwrap();
        let header: HeaderValue = format!("Bearer {}", token.reveal()).parse().unwrap();
        let mut request = Request::new(());
        request.metadata_mut().insert("authorization", header.to_str().unwrap().parse().unwrap());
        let (players, hands) = (&site.players, &site.bot_hands);
        let sign_in = |began: Instant| {
            let seats = hands.take_seats(&request, players.end_of_session(now)).unwrap();
            let secret = begin_from(players, header.clone(), HERE, began);
            players.hold_seats(&secret, seats, now);
            secret
        };
        let first = sign_in(now);
        let second = sign_in(now + Duration::from_secs(1));
        players.end(&first, now);
        assert!(hands.revision(&bot).is_some(), "a later sign-in has them");
        players.end(&second, now);
        assert_eq!(hands.revision(&bot), None);

        let third = sign_in(now);
        for number in 0..MAX_SESSIONS {
            assert!(hands.revision(&bot).is_some() && players.end_of(&third, now).is_some());
            begin_from(players, other_header(number), HERE, now + Duration::from_secs(2));
        }
        assert!(hands.revision(&bot).is_none() && players.end_of(&third, now).is_none(), "it gave way");
    }

    fn other_header(number: usize) -> HeaderValue {
        format!("Bearer {number}").parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_for_the_end_of_a_session_hears_of_it() {
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
        assert!(since.elapsed() >= hour / 3, "its time is over");
    }

    #[test]
    fn whoever_signs_in_often_ends_nobody_elses_session() {
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
    fn sessions_are_bounded() {
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
    fn whoever_watches_has_room_for_a_crowd_and_signs_nobody_out_elsewhere() {
        let opening = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let at = |last: u8| ClientAddress::from(IpAddr::from([192, 0, 2, last]));
        let is_live = |secret: &CookieSecret| sessions.find(secret, opening).is_some();
        let watch = |address, second| {
            let began = opening + Duration::from_secs(second);
            sessions.begin(HeaderValue::from_static("Bearer viewer"), TokenHolders::Many, address, began)
        };
        // A class behind one address, and people at home, who came before.
        let homes: Vec<_> = (0..20).map(|last| watch(at(last), 0)).collect();
        let class: Vec<_> = (0..200).map(|second| watch(at(100), 1 + second)).collect();
        assert!(homes.iter().chain(&class).all(is_live));
        // Somebody who holds the token as well signs in again and again.
        let many: Vec<_> = (0..2 * MAX_SESSIONS as u64).map(|second| watch(at(200), second)).collect();
        assert!(homes.iter().chain(&class).all(is_live));
        assert_eq!(many.iter().filter(|secret| is_live(secret)).count(), MAX_SESSIONS - 220);
        let late = watch(at(201), 0);
        assert!(is_live(&late) && homes.iter().chain(&class).all(is_live));
        // Nor does one from two addresses.
        for second in 0..2 * MAX_SESSIONS as u64 {
            watch(at(202), second);
        }
        assert!(is_live(&late) && homes.iter().chain(&class).all(is_live));
        assert_eq!(sessions.live_sessions(opening).len(), MAX_SESSIONS);
    }
}
