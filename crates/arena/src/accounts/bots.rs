//! Bots and their sessions.

use crate::accounts::guests::is_guest_name;
use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use crate::sessions::outbox::{CloseReason, OutboxStream, outbox_channel};
use crate::sessions::session::Session;
use crate::sessions::session_link::SessionLink;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, BotVersion, MatchId, TournamentId};
use lastnim_proto::ServerEvent;
use lastnim_store::{Change, LostSeat, SeenVersion, StoredBot, Token};

/// A bot and what it is doing.
#[derive(Debug, Clone)]
pub struct BotView {
    /// What is kept of it.
    pub stored: StoredBot,
    /// Its open session.
    pub session: Option<SessionLink>,
    /// How many matches it is playing.
    pub open_matches: usize,
    /// Which house bot it is, if the server hosts it.
    pub house_bot: Option<String>,
}

impl Arena {
    /// Registers a bot and returns its token.
    ///
    /// # Errors
    /// If the name is taken, or the register full.
    pub fn register_bot(&self, name: BotName) -> BoxFuture<'static, Result<(BotView, Token), ArenaError>> {
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.register_bot_locked(held, name).await
        })
    }

    async fn register_bot_locked(
        &self,
        _held: HeldLock,
        name: BotName,
    ) -> Result<(BotView, Token), ArenaError> {
        if is_guest_name(&name) {
            return Err(ArenaError::GuestName(name));
        }
        if self.inner.store.bot(&name).await?.is_some() {
            return Err(ArenaError::NameTaken(name));
        }
        let limit = self.inner.limits.bots;
        if self.inner.accounts.registered_bots() >= limit {
            return Err(ArenaError::Full { what: "bots", limit });
        }
        let token = Token::generate();
        let bot = StoredBot { name, registered_at: self.inner.clock.now(), token: token.hash() };
        self.commit(vec![Change::Bot(bot.clone())]).await?;
        self.accept_bot_token(&bot);
        tracing::info!(bot = %bot.name, "bot registered");
        Ok((self.bot_view(bot), token))
    }

    /// Lets a registered bot in.
    pub(crate) fn accept_bot_token(&self, bot: &StoredBot) {
        self.inner.accounts.count_bot();
        self.inner.accounts.admit_bot(&bot.name, bot.token);
    }

    /// Replaces a bot's token and ends its session.
    ///
    /// # Errors
    /// If there is no such bot, or the server hosts it.
    pub fn rotate_token(&self, name: &BotName) -> BoxFuture<'static, Result<Token, ArenaError>> {
        let name = name.clone();
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.rotate_token_locked(held, &name).await
        })
    }

    async fn rotate_token_locked(&self, _held: HeldLock, name: &BotName) -> Result<Token, ArenaError> {
        self.require_guest(name)?;
        let old = self.stored_bot(name).await?;
        let token = Token::generate();
        self.commit(vec![Change::Bot(StoredBot { token: token.hash(), ..old.clone() })]).await?;
        self.inner.accounts.void_token(old.token);
        self.inner.accounts.admit_bot(name, token.hash());
        self.inner.roster.presence(name).close_session(CloseReason::TokenRotated);
        tracing::info!(bot = %name, "token rotated");
        Ok(token)
    }

    /// Removes a bot that never played: its token is void, its session is ended, and whoever registers its name again begins
    /// anew.
    ///
    /// # Errors
    /// If there is no such bot, the server hosts it, it has played, or it is in a tournament that is not over.
    pub fn remove_bot(&self, name: &BotName) -> BoxFuture<'static, Result<(), ArenaError>> {
        let name = name.clone();
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.remove_bot_locked(held, name).await
        })
    }

    /// Nobody joins a tournament or is given a seat in a match meanwhile, as that takes the register.
    async fn remove_bot_locked(&self, _held: HeldLock, name: BotName) -> Result<(), ArenaError> {
        self.require_guest(&name)?;
        let stored = self.stored_bot(&name).await?;
        let in_use = |why: String| Err(ArenaError::BotInUse { bot: name.clone(), why });
        if let Some(id) = self.unfinished_tournament_of_bot(&name) {
            return in_use(format!("it is in tournament {id}, which is not over"));
        }
        let presence = self.inner.roster.presence(&name);
        if presence.open_match_count() > 0 {
            return in_use("it has a seat in a match that is not over".to_owned());
        }
        if self.inner.store.has_played(&name).await? {
            return in_use("it has played, and what it played names it".to_owned());
        }
        let removed = self.commit(vec![Change::BotRemoved { name: name.clone() }]).await;
        // It may have a line in what is over. Whether it was removed, nobody knows who was not told.
        self.inner.ended_tournaments.clear();
        removed?;
        // In this order: a session that opens in between looks for its token again once it is there.
        self.inner.accounts.remove_bot(&stored);
        presence.close_session(CloseReason::BotRemoved);
        self.inner.roster.forget_bot(&name);
        tracing::info!(bot = %name, "bot removed");
        Ok(())
    }

    /// Returns a bot.
    ///
    /// # Errors
    /// If there is none of that name.
    pub async fn bot(&self, name: &BotName) -> Result<BotView, ArenaError> {
        Ok(self.bot_view(self.stored_bot(name).await?))
    }

    /// Returns the versions that a bot has said, the one that was seen last first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, ArenaError> {
        Ok(self.inner.store.bot_versions(name).await?)
    }

    /// Returns up to `most` open matches that a bot sits in, the oldest first.
    pub fn open_matches_of(&self, name: &BotName, most: usize) -> Vec<MatchId> {
        self.inner.roster.presence(name).open_match_ids(most)
    }

    /// Returns up to `most` seats that a bot has lost in matches that are over, those of the newest matches first, in matches
    /// before `before`; only in matches of a tournament, if one is given.
    ///
    /// # Errors
    /// If there is no such bot, or the store cannot be read.
    pub async fn lost_seats(
        &self,
        name: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<LostSeat>, ArenaError> {
        self.stored_bot(name).await?;
        Ok(self.inner.store.lost_seats(name, tournament, before, most).await?)
    }

    /// Returns up to `most` bots in the order of their names, those behind `after`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list_bots(&self, after: Option<&BotName>, most: usize) -> Result<Vec<BotView>, ArenaError> {
        let bots = self.inner.store.bots(after, most).await?;
        Ok(bots.into_iter().map(|bot| self.bot_view(bot)).collect())
    }

    pub(crate) async fn stored_bot(&self, name: &BotName) -> Result<StoredBot, ArenaError> {
        self.inner.store.bot(name).await?.ok_or_else(|| ArenaError::NoSuchBot(name.clone()))
    }

    fn bot_view(&self, stored: StoredBot) -> BotView {
        let presence = self.inner.roster.presence(&stored.name);
        BotView {
            session: presence.session(),
            open_matches: presence.open_match_count(),
            house_bot: self.inner.accounts.house().house_bot_of(&stored.name),
            stored,
        }
    }

    /// Admits a session of a bot, which has said its version or none. The stream is what the bot is sent; the session, which opens in place of an older one
    /// once it runs, reads what the bot sends.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the server is stopping.
    pub fn open_session(
        &self,
        bot: BotName,
        version: BotVersion,
    ) -> Result<(Session, OutboxStream<ServerEvent>), ArenaError> {
        let inner = &self.inner;
        self.check_not_stopping()?;
        let (sender, stream) = outbox_channel(inner.limits.session_outbox_limit());
        let session = Session::open(bot, version, sender, self)?;
        Ok((session, stream))
    }

    /// Returns how many sessions are open.
    pub fn session_count(&self) -> usize {
        self.inner.roster.session_count()
    }
}
