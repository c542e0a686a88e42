//! Guests: unregistered people who play against house bots in a browser.

use crate::accounts::keyring::Principal;
use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::match_table::OpenMatch;
use crate::matches::open_matches::{NewMatch, StartedExhibition};
use crate::matches::shard::MatchInput;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, MatchId};
use lastnim_store::{MatchSummary, UNAMBIGUOUS_CHARS};
use std::time::Duration;

/// An open match of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuestMatch {
    /// The match.
    pub id: MatchId,
    /// How long the match has waited for its guest; zero while it waits for another player.
    pub idle: Duration,
}

/// The prefix of all guest names.
const NAME_PREFIX: &str = "guest-";
/// The number of characters after the prefix. Each encodes five bits, so nobody can find a second secret with the same
/// name.
const DERIVED_CHARS: usize = 16;
/// The key derivation context, which makes this key different from other keys that are derived from the same secret.
const KEY_CONTEXT: &str = "lastnim guest name v1";

/// Returns the guest name that belongs to a secret. The name is derived from the secret, so the server stores nothing
/// about guests, and the name is the same on every server.
pub fn guest_name(secret: &[u8; 32]) -> BotName {
    let key = blake3::derive_key(KEY_CONTEXT, secret);
    let drawn =
        key.iter().take(DERIVED_CHARS).map(|byte| char::from(UNAMBIGUOUS_CHARS[usize::from(byte % 32)]));
    let name: String = NAME_PREFIX.chars().chain(drawn).collect();
    name.parse().expect("a guest's name is short and alphanumeric")
}

/// Returns whether a name is a guest name. No bot may be registered under such a name.
pub fn is_guest_name(name: &BotName) -> bool {
    let drawn = name.as_str().strip_prefix(NAME_PREFIX);
    drawn.is_some_and(|drawn| {
        drawn.len() == DERIVED_CHARS && drawn.bytes().all(|byte| UNAMBIGUOUS_CHARS.contains(&byte))
    })
}

impl Arena {
    /// Returns the name and the kind of each hosted house bot.
    pub fn house_bots(&self) -> Vec<(BotName, String)> {
        self.inner.accounts.house().hosted()
    }

    /// Starts a guest's match against house bots, which counts as practice. `caller` is `None` if the request has no
    /// token.
    ///
    /// # Errors
    /// If a player is neither the guest nor a house bot, a tournament closes the oracle to the caller, a limit is
    /// reached, or the match cannot begin.
    pub async fn create_guest_match(
        &self,
        guest: &BotName,
        caller: Option<Principal>,
        new: NewMatch,
    ) -> Result<MatchSummary, ArenaError> {
        self.check_practice_setup(guest, &new.setup)?;
        // This check comes first, so that no open guest match is cancelled to make room for one that cannot begin.
        new.setup.clone().validate().map_err(ArenaError::Setup)?;
        let guest = guest.clone();
        let beginning = self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.check_open_to(caller.as_ref(), "play against house bots")?;
            arena.check_own_practice_limit(&guest)?;
            arena.check_guest_match_limits()?;
            if arena.inner.store.bot(&guest).await?.is_some() {
                return Err(ArenaError::NameTaken(guest));
            }
            arena.begin_admitted_exhibition(held, new, None)
        });
        let begun: StartedExhibition = beginning.await?;
        self.wait_until_announced(begun).await
    }

    /// Checks the limits on the total numbers of open guest matches and of open practice matches. The caller holds the
    /// lock on bot names.
    fn check_guest_match_limits(&self) -> Result<(), ArenaError> {
        let limits = self.limits();
        let is_guests = |open: &&OpenMatch| open.setup.bots.iter().any(is_guest_name);
        let guests = self.inner.matches.read().values().filter(is_guests).count();
        let counts = [
            ("open guest matches", guests, limits.guest_matches),
            ("open practice matches", self.practice_match_count(None), limits.practice_matches),
        ];
        match counts.into_iter().find(|(_, open, limit)| open >= limit) {
            Some((what, _, limit)) => Err(ArenaError::TooManyGuestMatches { what, limit }),
            None => Ok(()),
        }
    }

    /// Returns the open matches of all guests, the oldest first.
    pub fn open_guest_matches(&self) -> Vec<GuestMatch> {
        let now = self.now();
        let matches = self.inner.matches.read();
        let guest_matches = matches.iter().filter_map(|(&id, open)| {
            let guest = open.setup.bots.iter().find(|bot| is_guest_name(bot))?;
            let waited = open.waiting_time(guest, now);
            Some(GuestMatch { id, idle: waited.unwrap_or_default() })
        });
        guest_matches.collect()
    }

    /// Cancels an open match of a guest, and waits until it has ended.
    pub async fn cancel_guest_match(&self, id: MatchId) {
        loop {
            // The waiter is created before the check, so that it does not miss the end of the match.
            let next_end = self.inner.matches.next_end();
            let Some(open) = self.open_match(id) else { return };
            if !open.setup.bots.iter().any(is_guest_name) {
                return;
            }
            open.handle.send(MatchInput::Cancel);
            next_end.await;
        }
    }

    /// Forgets guests, so that the data about them does not accumulate. While no match can begin, calls `choose` with a
    /// function that forgets a guest and returns true, or returns false for a guest who has a session or a seat.
    /// `choose` must make sure that the guests it forgets open no session before it returns.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn forget_guests(
        &self,
        choose: impl FnOnce(&dyn Fn(&BotName) -> bool) + Send + 'static,
    ) -> BoxFuture<'static, Result<(), ArenaError>> {
        self.run_locked(self.inner.accounts.names(), |arena, _guard| async move {
            let roster = &arena.inner.roster;
            choose(&|guest| {
                let is_idle = roster.existing_presence(guest).is_none_or(|presence| presence.is_idle());
                if is_idle {
                    roster.forget_bot(guest);
                }
                is_idle
            });
            Ok(())
        })
    }

    /// Returns up to `limit` open matches of a guest, the oldest first. Nothing is stored for a guest without matches.
    pub fn open_matches_of_guest(&self, guest: &BotName, limit: usize) -> Vec<MatchId> {
        let presence = self.inner.roster.existing_presence(guest);
        presence.map(|presence| presence.open_match_ids(limit)).unwrap_or_default()
    }

    /// Draws a number from all that the type can hold, from which the caller chooses a random seat.
    pub fn random_number(&self) -> usize {
        let mut bytes = [0; size_of::<usize>()];
        self.inner.environment.fill_random(&mut bytes);
        usize::from_le_bytes(bytes)
    }

    /// Returns the current time in microseconds since 1970-01-01 UTC.
    pub fn now_micros(&self) -> u64 {
        self.now().as_micros()
    }

    /// Returns whether a match is open.
    pub fn is_match_open(&self, id: MatchId) -> bool {
        self.open_match(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_guest_name_derives_from_a_secret() {
        assert_ne!(guest_name(&[0; 32]), guest_name(&[1; 32]));
        assert!(is_guest_name(&guest_name(&[1; 32])));
        // The derived name must never change, because stored matches contain the names of guests.
        assert_eq!(guest_name(&[0; 32]).as_str(), "guest-sy78q5ms5pgkmrv1");
    }

    #[test]
    fn bot_names_are_not_guest_names() {
        for name in
            ["guest", "guest-1", "guest-0123456789abcdei", "guest-0123456789abcdef0", "a-0123456789abcdef"]
        {
            assert!(!is_guest_name(&name.parse().unwrap()), "{name}");
        }
        assert!(is_guest_name(&"guest-0123456789abcdef".parse().unwrap()));
    }
}
