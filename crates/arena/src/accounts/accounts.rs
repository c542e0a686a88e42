//! The bots that are registered, and whoever else has a token.

use crate::accounts::keyring::{Keyring, Principal};
use crate::accounts::practice::House;
use lastnim_core::game::BotName;
use lastnim_store::{StoredBot, Token, TokenHash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Mutex;

/// Who may call, and which names are taken.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    keyring: Keyring,
    /// How many bots are registered.
    registered: AtomicUsize,
    house: House,
    names: Arc<Mutex<()>>,
}

impl Accounts {
    /// Begins with those who are no bots.
    pub(crate) fn new(tokens: impl IntoIterator<Item = (Token, Principal)>) -> Self {
        let accounts = Self::default();
        for (token, principal) in tokens {
            accounts.keyring.insert(token.hash(), principal);
        }
        accounts
    }

    /// The lock that is held while a bot is registered or removed, enters a tournament, or is given a seat in an exhibition: nobody
    /// removes a bot in between. It is never held while something is planned or a director is asked. Whoever holds the lock
    /// of a tournament may take it, never the other way round.
    pub(crate) fn names(&self) -> &Arc<Mutex<()>> {
        &self.names
    }

    /// The house bots.
    pub(crate) fn house(&self) -> &House {
        &self.house
    }

    /// Returns how many bots are registered.
    pub(crate) fn registered_bots(&self) -> usize {
        self.registered.load(Ordering::Relaxed)
    }

    /// Returns whom a token stands for.
    pub(crate) fn principal_of_token(&self, token: &str) -> Option<Principal> {
        self.keyring.principal(token)
    }

    /// Counts a bot that is registered.
    pub(crate) fn count_bot(&self) {
        self.registered.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets a bot in with a token.
    pub(crate) fn admit_bot(&self, name: &BotName, token: TokenHash) {
        self.keyring.insert(token, Principal::Bot(name.clone()));
    }

    /// Makes the token of a bot void.
    pub(crate) fn void_token(&self, token: TokenHash) {
        self.keyring.remove(token);
    }

    /// Forgets a bot that is no longer registered.
    pub(crate) fn remove_bot(&self, bot: &StoredBot) {
        self.registered.fetch_sub(1, Ordering::Relaxed);
        self.keyring.remove(bot.token);
    }
}
