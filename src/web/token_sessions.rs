//! Visitors who are signed in with a token.

use super::forms::{CookieSecret, SecretHash};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::codegen::http::HeaderValue;

/// The most sessions at once. Beyond that, the one that began first gives way.
const MAX_SESSIONS: usize = 256;

/// Visitors who are signed in with a token, in the memory of the server: a restart signs everybody out.
pub struct TokenSessions {
    lifetime: Duration,
    /// By the hash of the cookie's secret.
    sessions: Mutex<HashMap<SecretHash, TokenSession>>,
}

struct TokenSession {
    /// The header that shows the token.
    authorization: HeaderValue,
    began: Instant,
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
    pub(super) fn begin(&self, authorization: HeaderValue, now: Instant) -> CookieSecret {
        let secret = CookieSecret::draw();
        let mut sessions = self.live_sessions(now);
        if sessions.len() >= MAX_SESSIONS
            && let Some(first) =
                sessions.iter().min_by_key(|(_, session)| session.began).map(|(&hash, _)| hash)
        {
            sessions.remove(&first);
        }
        sessions.insert(secret.hash(), TokenSession { authorization, began: now });
        secret
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

impl fmt::Debug for TokenSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSessions").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lasts_until_its_time_is_over_or_it_is_ended() {
        let (hour, begin) = (Duration::from_hours(1), Instant::now());
        let sessions = TokenSessions::new(hour);
        let header = HeaderValue::from_static("Bearer x");
        let [first, second] = [0, 1].map(|_| sessions.begin(header.clone(), begin));
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
        let secrets = [&one, &two, &one].map(|header| sessions.begin(header.clone(), begin));
        sessions.end_all_of(&one, begin);
        let live = secrets.map(|secret| sessions.authorization_of(&secret, begin));
        assert_eq!(live, [None, Some(two), None]);
    }

    #[test]
    fn sessions_are_bounded() {
        let begin = Instant::now();
        let sessions = TokenSessions::new(Duration::from_hours(1));
        let secrets: Vec<_> = (0..=MAX_SESSIONS as u64)
            .map(|second| {
                sessions.begin(HeaderValue::from_static("Bearer x"), begin + Duration::from_secs(second))
            })
            .collect();
        let live = secrets.iter().filter(|secret| sessions.authorization_of(secret, begin).is_some());
        assert_eq!(live.count(), MAX_SESSIONS);
        assert!(sessions.authorization_of(&secrets[0], begin).is_none());
    }
}
