//! Guests: people who play against house bots in a browser, without being registered.

use crate::accounts::keyring::Principal;
use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::open_matches::BegunExhibition;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::MatchSetup;
use lastnim_store::MatchSummary;

/// What the name of every guest begins with.
const NAME_PREFIX: &str = "guest-";
/// The characters behind it, of five bits each: nobody finds a secret that has the name of somebody else.
const DERIVED_CHARS: usize = 16;
/// Characters that look unlike each other.
const NAME_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// What the derived key is for: another use of the same secret gives another key.
const KEY_CONTEXT: &str = "lastnim guest name v1";

/// Returns the name under which the holder of a secret plays as a guest. It follows from the secret, so that nothing is kept of a guest, and every server knows
/// one again.
pub fn guest_name(secret: &[u8; 32]) -> BotName {
    let key = blake3::derive_key(KEY_CONTEXT, secret);
    let drawn = key.iter().take(DERIVED_CHARS).map(|byte| char::from(NAME_ALPHABET[usize::from(byte % 32)]));
    let name: String = NAME_PREFIX.chars().chain(drawn).collect();
    name.parse().expect("it is short and has letters and digits only")
}

/// Returns whether a name is one that guests have. No bot is registered under such a name.
pub fn is_guest_name(name: &BotName) -> bool {
    let drawn = name.as_str().strip_prefix(NAME_PREFIX);
    drawn.is_some_and(|drawn| {
        drawn.len() == DERIVED_CHARS && drawn.bytes().all(|byte| NAME_ALPHABET.contains(&byte))
    })
}

impl Arena {
    /// Returns the house bots that the server hosts, by name, each with which house bot it is.
    pub fn house_bots(&self) -> Vec<(BotName, String)> {
        self.inner.accounts.house().hosted()
    }

    /// Starts a match of a guest against house bots, which counts as practice. `caller` has asked for it; `None` has no token.
    ///
    /// # Errors
    /// If somebody else is to play, a tournament keeps the oracle from the caller, there is no room, or the match cannot be begun.
    pub async fn create_guest_match(
        &self,
        guest: &BotName,
        caller: Option<Principal>,
        setup: MatchSetup,
    ) -> Result<MatchSummary, ArenaError> {
        self.check_practice_setup(guest, &setup)?;
        let guest = guest.clone();
        let beginning = self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.check_open_to(caller.as_ref(), "play against house bots")?;
            arena.check_guest_room()?;
            arena.check_practice(&guest)?;
            if arena.inner.store.bot(&guest).await?.is_some() {
                return Err(ArenaError::NameTaken(guest));
            }
            arena.begin_admitted_exhibition(held, setup)
        });
        let begun: BegunExhibition = beginning.await?;
        self.wait_until_announced(begun).await
    }

    fn check_guest_room(&self) -> Result<(), ArenaError> {
        let limit = self.limits().guest_matches;
        let matches = self.inner.matches.read();
        let open = matches.values().filter(|open| open.setup.bots.iter().any(is_guest_name)).count();
        if open < limit { Ok(()) } else { Err(ArenaError::Full { what: "open matches of guests", limit }) }
    }

    /// Forgets guests: what is kept of each bot would be kept of everybody who ever played. `choose` is called at a moment when no match begins, with what forgets a
    /// guest and returns whether it is forgotten: one who has a session or a seat is not. Until it returns, no guest whom it names may open a session.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn forget_guests(
        &self,
        choose: impl FnOnce(&dyn Fn(&BotName) -> bool) + Send + 'static,
    ) -> BoxFuture<'static, Result<(), ArenaError>> {
        self.run_locked(self.inner.accounts.names(), |arena, _held| async move {
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

    /// Returns up to `limit` open matches that a guest sits in, the oldest first. Nothing is kept of somebody who has none.
    pub fn open_matches_of_guest(&self, guest: &BotName, limit: usize) -> Vec<MatchId> {
        let presence = self.inner.roster.existing_presence(guest);
        presence.map(|presence| presence.open_match_ids(limit)).unwrap_or_default()
    }

    /// Draws a number, each equally likely: for a seat that is left to chance.
    pub fn draw_number(&self) -> usize {
        let mut bytes = [0; size_of::<usize>()];
        self.inner.environment.fill_random(&mut bytes);
        usize::from_le_bytes(bytes)
    }

    /// Returns the time in microseconds since the beginning of 1970.
    pub fn micros_now(&self) -> u64 {
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
    fn a_guest_is_known_again_by_a_secret() {
        assert_ne!(guest_name(&[0; 32]), guest_name(&[1; 32]));
        assert!(is_guest_name(&guest_name(&[1; 32])));
        // The name that this secret had in the first version: who holds it has a seat in matches that are stored.
        assert_eq!(guest_name(&[0; 32]).as_str(), "guest-sy78q5ms5pgkmrv1");
    }

    #[test]
    fn bots_have_other_names() {
        for name in
            ["guest", "guest-1", "guest-0123456789abcdei", "guest-0123456789abcdef0", "a-0123456789abcdef"]
        {
            assert!(!is_guest_name(&name.parse().unwrap()), "{name}");
        }
        assert!(is_guest_name(&"guest-0123456789abcdef".parse().unwrap()));
    }
}
