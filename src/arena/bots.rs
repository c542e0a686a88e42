//! Bots and their sessions.

use super::arena::Arena;
use super::error::ArenaError;
use super::keyring::Principal;
use super::outbox::{Closing, OutboxStream, outbox};
use super::session::Session;
use crate::game::BotName;
use crate::store::{Change, StoredBot, Token};
use crate::wire::ServerEvent;
use std::sync::Arc;

/// A bot and what it is doing.
#[derive(Debug, Clone)]
pub struct BotView {
    /// What is kept of it.
    pub stored: StoredBot,
    /// Whether it has an open session.
    pub connected: bool,
    /// How many matches it is playing.
    pub open_matches: usize,
}

impl Arena {
    /// Registers a bot and returns its token.
    ///
    /// # Errors
    /// If the name is taken, or the register full.
    pub async fn register_bot(&self, name: BotName) -> Result<(BotView, Token), ArenaError> {
        let _held = self.inner.registering.lock().await;
        if self.inner.store.bot(&name).is_some() {
            return Err(ArenaError::NameTaken(name));
        }
        let limit = self.inner.limits.bots;
        if self.inner.store.bot_count() >= limit {
            return Err(ArenaError::Full { what: "bots", limit });
        }
        let token = Token::draw();
        let bot = StoredBot { name, registered_at: self.inner.clock.now(), token: token.hash() };
        self.commit(vec![Change::Bot(bot.clone())]).await?;
        self.inner.keyring.insert(token.hash(), Principal::Bot(bot.name.clone()));
        tracing::info!(bot = %bot.name, "bot registered");
        Ok((self.bot_view(bot), token))
    }

    /// Replaces a bot's token and ends its session.
    ///
    /// # Errors
    /// If there is no such bot.
    pub async fn rotate_token(&self, name: &BotName) -> Result<Token, ArenaError> {
        let _held = self.inner.registering.lock().await;
        let old = self.stored_bot(name)?;
        let token = Token::draw();
        self.commit(vec![Change::Bot(StoredBot { token: token.hash(), ..old.clone() })]).await?;
        self.inner.keyring.remove(old.token);
        self.inner.keyring.insert(token.hash(), Principal::Bot(name.clone()));
        self.inner.roster.desk(name).close_session(Closing::TokenRotated);
        tracing::info!(bot = %name, "token rotated");
        Ok(token)
    }

    /// Returns a bot.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn bot(&self, name: &BotName) -> Result<BotView, ArenaError> {
        Ok(self.bot_view(self.stored_bot(name)?))
    }

    /// Returns up to `most` bots in the order of their names, those behind `after`.
    pub fn bots(&self, after: Option<&BotName>, most: usize) -> Vec<BotView> {
        self.inner.store.bots(after, most).into_iter().map(|bot| self.bot_view(bot)).collect()
    }

    pub(super) fn stored_bot(&self, name: &BotName) -> Result<StoredBot, ArenaError> {
        self.inner.store.bot(name).ok_or_else(|| ArenaError::NoSuchBot(name.clone()))
    }

    fn bot_view(&self, stored: StoredBot) -> BotView {
        let desk = self.inner.roster.desk(&stored.name);
        BotView { connected: desk.is_connected(), open_matches: desk.open_matches(), stored }
    }

    /// Admits a session of a bot. The stream is what the bot is sent; the session, which opens in place of an older one
    /// once it runs, reads what the bot sends.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the server is stopping.
    pub fn open_session(&self, bot: BotName) -> Result<(Session, OutboxStream<ServerEvent>), ArenaError> {
        let inner = &self.inner;
        self.check_running()?;
        let (sender, stream) = outbox(inner.limits.session_room());
        let (roster, limits) = (Arc::clone(&inner.roster), Arc::clone(&inner.limits));
        let session = Session::open(bot, sender, roster, limits, inner.clock)?;
        Ok((session, stream))
    }

    /// Returns how many sessions are open.
    pub fn session_count(&self) -> usize {
        self.inner.roster.session_count()
    }
}
