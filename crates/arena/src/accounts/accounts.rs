//! Token holders: registered bots, admins and viewers.

use crate::accounts::keyring::{Keyring, Principal};
use crate::accounts::practice::HouseBots;
use lastnim_core::game::BotName;
use lastnim_store::{StoredBot, Token, TokenHash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Mutex;

/// The valid tokens, the house bots, and the lock on bot names.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    keyring: Keyring,
    /// The number of registered bots.
    registered: AtomicUsize,
    house: HouseBots,
    names: Arc<Mutex<()>>,
}

impl Accounts {
    /// Creates accounts with the tokens of the admins and viewers.
    pub(crate) fn new(tokens: impl IntoIterator<Item = (Token, Principal)>) -> Self {
        let accounts = Self::default();
        for (token, principal) in tokens {
            accounts.keyring.insert(token.hash(), principal);
        }
        accounts
    }

    /// Returns the lock on bot names. Take it to register or remove a bot, to enter one in a tournament, or to seat one
    /// in an exhibition, so that the bot is not removed at the same time. Do not hold it while planning a schedule or
    /// waiting for a director. If you also need the lock of a tournament, take the tournament's lock first.
    pub(crate) fn names(&self) -> &Arc<Mutex<()>> {
        &self.names
    }

    pub(crate) fn house(&self) -> &HouseBots {
        &self.house
    }

    /// Returns the number of registered bots.
    pub(crate) fn bot_count(&self) -> usize {
        self.registered.load(Ordering::Relaxed)
    }

    /// Returns the holder of the token that has this hash.
    pub(crate) fn principal_of_hash(&self, token: TokenHash) -> Option<Principal> {
        self.keyring.principal(token)
    }

    /// Adds a bot to the count.
    pub(crate) fn count_bot(&self) {
        self.registered.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts accepting a token as the token of a bot.
    pub(crate) fn admit_bot(&self, name: &BotName, token: TokenHash) {
        self.keyring.insert(token, Principal::Bot(name.clone()));
    }

    /// Stops accepting a token.
    pub(crate) fn revoke_token(&self, token: TokenHash) {
        self.keyring.remove(token);
    }

    /// Removes a bot from the count and stops accepting its token.
    pub(crate) fn remove_bot(&self, bot: &StoredBot) {
        self.registered.fetch_sub(1, Ordering::Relaxed);
        self.keyring.remove(bot.token);
    }
}
