//! Registered bots, and the other holders of tokens.

use crate::accounts::keyring::{Keyring, Principal};
use crate::accounts::practice::House;
use lastnim_core::game::BotName;
use lastnim_store::{StoredBot, Token, TokenHash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Mutex;

/// Knows who may call the server, and which bot names are taken.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    keyring: Keyring,
    /// How many bots are registered.
    registered: AtomicUsize,
    house: House,
    names: Arc<Mutex<()>>,
}

impl Accounts {
    /// Starts with the tokens of admins and viewers.
    pub(crate) fn new(tokens: impl IntoIterator<Item = (Token, Principal)>) -> Self {
        let accounts = Self::default();
        for (token, principal) in tokens {
            accounts.keyring.insert(token.hash(), principal);
        }
        accounts
    }

    /// The lock on bot names. Take it to register or remove a bot, to enter one in a tournament, or to seat one in an exhibition, so
    /// that nobody removes the bot meanwhile. Do not hold it while a schedule is planned or a director is asked. If you need the lock
    /// of a tournament as well, take that one first.
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

    /// Adds a registered bot to the count.
    pub(crate) fn count_bot(&self) {
        self.registered.fetch_add(1, Ordering::Relaxed);
    }

    /// Accepts a token for a bot.
    pub(crate) fn admit_bot(&self, name: &BotName, token: TokenHash) {
        self.keyring.insert(token, Principal::Bot(name.clone()));
    }

    /// Stops accepting a token.
    pub(crate) fn void_token(&self, token: TokenHash) {
        self.keyring.remove(token);
    }

    /// Removes a bot from the count and stops accepting its token.
    pub(crate) fn remove_bot(&self, bot: &StoredBot) {
        self.registered.fetch_sub(1, Ordering::Relaxed);
        self.keyring.remove(bot.token);
    }
}
