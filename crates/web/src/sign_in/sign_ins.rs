//! Sign-ins with a token, which browsers keep in sealed cookies.

use crate::forms::{CookieSecret, SecretHash, SiteCookie};
use lastnim_arena::Arena;
use lastnim_core::referee::Timestamp;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tonic::codegen::http::HeaderValue;

/// The purpose of the key that seals cookies, from which it is derived.
const KEY_CONTEXT: &str = "lastnim 2026 web sign-in";
/// How far the clock of a server that sealed a cookie may be ahead.
const MAX_CLOCK_LEAD: Duration = Duration::from_mins(1);
/// The maximum number of remembered sign-outs. Beyond it, one of the token with the most of them is forgotten.
const MAX_SIGN_OUTS: usize = 4_096;

/// Seals sign-ins into cookies, and opens them.
///
/// A cookie holds the token and the time of the sign-in, encrypted and authenticated under a key that derives from the
/// server's signing key. So every server with this key knows the visitor, also after a restart, and the cookie works
/// only as long as its token. Nothing is stored, except which visitors signed out of this process.
pub struct SignIns {
    lifetime: Duration,
    key: LessSafeKey,
    /// The sign-ins that were ended before they expired.
    ended: watch::Sender<HashMap<SecretHash, EndedSignIn>>,
}

/// A sign-in that was ended before it expired.
#[derive(Debug, Clone, Copy)]
struct EndedSignIn {
    began: Timestamp,
    /// The hash of the header with its token.
    token: blake3::Hash,
}

/// A sign-in that a cookie holds.
#[derive(Debug)]
pub(crate) struct SignIn {
    /// The header with the token.
    pub authorization: HeaderValue,
    began: Timestamp,
    pub end: SignInEnd,
}

/// The end of a sign-in: when it expires or the visitor signs out.
#[derive(Debug, Clone)]
pub(crate) struct SignInEnd {
    at: Instant,
    secret: SecretHash,
    ended: watch::Receiver<HashMap<SecretHash, EndedSignIn>>,
}

impl SignInEnd {
    /// Returns when the sign-in expires.
    pub(crate) fn at(&self) -> Instant {
        self.at
    }

    /// Waits until the sign-in ends.
    pub(crate) async fn wait_until_over(mut self) {
        tokio::select! {
            biased;
            // An error means that the server has stopped.
            _ = self.ended.wait_for(|ended| ended.contains_key(&self.secret)) => {}
            () = tokio::time::sleep_until(self.at.into()) => {}
        }
    }
}

impl SignIns {
    /// Creates the sign-ins of a server; each expires after `lifetime`.
    pub fn new(arena: &Arena, lifetime: Duration) -> Arc<Self> {
        Arc::new(Self::with_key(&arena.derive_secret(KEY_CONTEXT), lifetime))
    }

    fn with_key(key: &[u8; 32], lifetime: Duration) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("the key has 256 bits");
        Self { lifetime, key: LessSafeKey::new(key), ended: watch::Sender::default() }
    }

    pub(crate) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// Signs a visitor in with a valid token, and returns the value of the cookie.
    pub(crate) fn begin(
        &self,
        cookie: &SiteCookie,
        authorization: &HeaderValue,
        now: Timestamp,
    ) -> CookieSecret {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).expect("the system has a random source");
        let mut sealed = [&now.as_micros().to_le_bytes()[..], authorization.as_bytes()].concat();
        let (unique, purpose) = (Nonce::assume_unique_for_key(nonce), Aad::from(cookie.name));
        self.key.seal_in_place_append_tag(unique, purpose, &mut sealed).expect("a token is short");
        CookieSecret::of_sealed([&nonce[..], &sealed].concat())
    }

    /// Opens a cookie; `None` if it holds no sign-in, the sign-in has ended, or another key sealed it.
    pub(crate) fn open(&self, cookie: &SiteCookie, secret: &CookieSecret, now: Timestamp) -> Option<SignIn> {
        let (nonce, sealed) = secret.as_bytes().split_first_chunk::<NONCE_LEN>()?;
        let (nonce, purpose) = (Nonce::assume_unique_for_key(*nonce), Aad::from(cookie.name));
        let mut bytes = sealed.to_vec();
        let opened = self.key.open_in_place(nonce, purpose, &mut bytes).ok()?;
        let (began, authorization) = opened.split_first_chunk()?;
        let began = Timestamp::from_micros(u64::from_le_bytes(*began));
        let time_left = self.time_left(began, now)?;
        let end = SignInEnd {
            at: Instant::now() + time_left,
            secret: secret.hash(),
            ended: self.ended.subscribe(),
        };
        if end.ended.borrow().contains_key(&end.secret) {
            return None;
        }
        let mut authorization = HeaderValue::from_bytes(authorization).ok()?;
        authorization.set_sensitive(true);
        Some(SignIn { authorization, began, end })
    }

    /// Returns the time left of a sign-in; `None` if it has expired, or has not begun by this server's clock.
    fn time_left(&self, began: Timestamp, now: Timestamp) -> Option<Duration> {
        let left = self.lifetime.saturating_sub(now.since(began));
        (!left.is_zero() && began.since(now) <= MAX_CLOCK_LEAD).then_some(left)
    }

    /// Ends the sign-in that a cookie holds, if any: this process accepts no copy of the cookie, and streams of the
    /// visitor end.
    pub(crate) fn end(&self, cookie: &SiteCookie, secret: &CookieSecret, now: Timestamp) {
        let Some(sign_in) = self.open(cookie, secret, now) else { return };
        self.ended.send_modify(|ended| {
            ended.retain(|_, sign_in| self.time_left(sign_in.began, now).is_some());
            if ended.len() >= MAX_SIGN_OUTS {
                forget_sign_out(ended);
            }
            let token = blake3::hash(sign_in.authorization.as_bytes());
            ended.insert(sign_in.end.secret, EndedSignIn { began: sign_in.began, token });
        });
    }
}

/// Forgets the sign-out of the oldest sign-in with the token that has the most sign-outs. So a visitor who signs in and
/// out again and again makes the server forget only sign-outs of the same token.
fn forget_sign_out(ended: &mut HashMap<SecretHash, EndedSignIn>) {
    let mut counts = HashMap::<_, usize>::new();
    for sign_in in ended.values() {
        *counts.entry(sign_in.token).or_default() += 1;
    }
    let forgotten = ended.iter().max_by_key(|(_, sign_in)| (counts[&sign_in.token], Reverse(sign_in.began)));
    if let Some((&secret, _)) = forgotten {
        ended.remove(&secret);
    }
}

impl fmt::Debug for SignIns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIns").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_cookies::{PLAYER_COOKIE, SESSION_COOKIE};

    const HOUR: Duration = Duration::from_hours(1);
    const BEGIN: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    fn time_after(span: Duration) -> Timestamp {
        Timestamp::from_micros(BEGIN.as_micros() + span.as_micros() as u64)
    }

    fn begin_with(sign_ins: &SignIns, token: u64) -> CookieSecret {
        sign_ins.begin(&SESSION_COOKIE, &HeaderValue::try_from(format!("Bearer {token}")).unwrap(), BEGIN)
    }

    #[test]
    fn every_server_with_the_key_opens_a_cookie_until_it_expires() {
        let [first, second] = [(); 2].map(|()| SignIns::with_key(&[7; 32], HOUR));
        let secret = begin_with(&first, 1);
        assert_ne!(secret.hash(), begin_with(&first, 1).hash(), "each sign-in has its own cookie");
        for server in [&first, &second] {
            let open_session = |now| server.open(&SESSION_COOKIE, &secret, now);
            let sign_in = open_session(BEGIN).unwrap();
            assert_eq!(sign_in.authorization, "Bearer 1");
            assert!(sign_in.authorization.is_sensitive());
            assert!(open_session(time_after(HOUR).minus(Duration::from_micros(1))).is_some());
            assert!(open_session(time_after(HOUR)).is_none());
            // The clock of the server that sealed it is ahead.
            assert!(open_session(BEGIN.minus(MAX_CLOCK_LEAD)).is_some());
            assert!(open_session(BEGIN.minus(MAX_CLOCK_LEAD + Duration::from_micros(1))).is_none());
        }
        assert!(SignIns::with_key(&[8; 32], HOUR).open(&SESSION_COOKIE, &secret, BEGIN).is_none());
        let shorter = SignIns::with_key(&[7; 32], HOUR / 2);
        assert!(
            shorter.open(&SESSION_COOKIE, &secret, time_after(HOUR / 2)).is_none(),
            "the setting was reduced"
        );
    }

    #[test]
    fn a_changed_cookie_holds_no_sign_in() {
        let sign_ins = SignIns::with_key(&[7; 32], HOUR);
        let secret = begin_with(&sign_ins, 1);
        assert!(sign_ins.open(&PLAYER_COOKIE, &secret, BEGIN).is_none(), "it is of another purpose");
        let bytes = secret.as_bytes();
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            let changed = CookieSecret::of_sealed(changed);
            assert!(sign_ins.open(&SESSION_COOKIE, &changed, BEGIN).is_none(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            let cut = CookieSecret::of_sealed(bytes[..length].to_vec());
            assert!(sign_ins.open(&SESSION_COOKIE, &cut, BEGIN).is_none(), "{length} bytes");
        }
        assert!(sign_ins.open(&SESSION_COOKIE, &CookieSecret::draw(), BEGIN).is_none());
    }

    #[test]
    fn a_token_does_not_push_out_the_sign_outs_of_others() {
        let sign_ins = SignIns::with_key(&[7; 32], HOUR);
        let is_open = |secret| sign_ins.open(&SESSION_COOKIE, secret, BEGIN).is_some();
        let [one, other] = [1, 2].map(|token| begin_with(&sign_ins, token));
        let shared: Vec<_> = (0..=MAX_SIGN_OUTS).map(|_| begin_with(&sign_ins, 3)).collect();
        for secret in [&one, &other].into_iter().chain(&shared) {
            sign_ins.end(&SESSION_COOKIE, secret, BEGIN);
        }
        assert!(!is_open(&one) && !is_open(&other));
        assert_eq!(shared.iter().filter(|secret| is_open(secret)).count(), 3);
        assert!(!is_open(&shared[MAX_SIGN_OUTS]), "the latest one is remembered");
    }

    #[test]
    fn the_number_of_remembered_sign_outs_is_limited() {
        let sign_ins = SignIns::with_key(&[7; 32], HOUR);
        let secrets: Vec<_> = (0..=MAX_SIGN_OUTS as u64).map(|token| begin_with(&sign_ins, token)).collect();
        let is_open = |secret| sign_ins.open(&SESSION_COOKIE, secret, BEGIN).is_some();
        for secret in &secrets {
            assert!(is_open(secret));
            sign_ins.end(&SESSION_COOKIE, secret, BEGIN);
            assert!(!is_open(secret));
            // Neither a second sign-out nor a cookie that holds no sign-in takes a place.
            sign_ins.end(&SESSION_COOKIE, secret, BEGIN);
            sign_ins.end(&SESSION_COOKIE, &CookieSecret::draw(), BEGIN);
        }
        assert_eq!(sign_ins.ended.borrow().len(), MAX_SIGN_OUTS);
        let late = sign_ins.begin(&SESSION_COOKIE, &HeaderValue::from_static("Bearer x"), time_after(HOUR));
        sign_ins.end(&SESSION_COOKIE, &late, time_after(HOUR));
        assert_eq!(sign_ins.ended.borrow().len(), 1, "the others have expired");
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_can_wait_for_the_end_of_a_sign_in() {
        let sign_ins = SignIns::with_key(&[7; 32], HOUR);
        let [ended, expired] = [1, 2].map(|token| begin_with(&sign_ins, token));
        let [end, later] =
            [&ended, &expired].map(|secret| sign_ins.open(&SESSION_COOKIE, secret, BEGIN).unwrap().end);
        let waiting = tokio::spawn(end.wait_until_over());
        tokio::time::sleep(HOUR / 2).await;
        assert!(!waiting.is_finished());
        sign_ins.end(&SESSION_COOKIE, &ended, BEGIN);
        waiting.await.unwrap();
        let since = tokio::time::Instant::now();
        later.wait_until_over().await;
        assert!(since.elapsed() >= HOUR / 3, "it has expired");
    }
}
