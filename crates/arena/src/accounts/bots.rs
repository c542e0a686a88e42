//! Bots and their sessions.

use crate::accounts::guests::is_guest_name;
use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use crate::sessions::outbox::{CloseReason, OutboxStream, outbox_channel};
use crate::sessions::session::Session;
use crate::sessions::session_link::SessionLink;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, BotProfile, BotVersion, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::ServerEvent;
use lastnim_store::{Change, LostSeat, SeenVersion, StoredBot, Token, TokenHash};

/// A bot to register.
#[derive(Debug, Clone)]
pub struct NewBot {
    /// Its name.
    pub name: BotName,
    /// Its token.
    pub token: Token,
    /// What the people who register it say about it.
    pub profile: BotProfile,
}

impl NewBot {
    /// Creates a bot about which nothing is said.
    pub fn new(name: BotName, token: Token) -> Self {
        Self { name, token, profile: BotProfile::default() }
    }

    pub(crate) fn into_stored(self, registered_at: Timestamp) -> StoredBot {
        StoredBot { name: self.name, registered_at, token: self.token.hash(), profile: self.profile }
    }
}

/// A bot and its current activity.
#[derive(Debug, Clone)]
pub struct BotView {
    /// The bot's stored data.
    pub stored: StoredBot,
    /// The bot's open session, if it has one.
    pub session: Option<SessionLink>,
    /// The number of matches that the bot is playing.
    pub open_matches: usize,
    /// The kind of house bot, if the server hosts this bot.
    pub house_bot: Option<String>,
}

impl Arena {
    /// Registers a bot and returns its new token.
    ///
    /// # Errors
    /// As [`register_bot_with_token`](Self::register_bot_with_token).
    pub fn register_bot(&self, name: BotName) -> BoxFuture<'static, Result<(BotView, Token), ArenaError>> {
        let token = Token::generate();
        let registered = self.register_bot_with_token(NewBot::new(name, token.clone()));
        Box::pin(async move { Ok((registered.await?, token)) })
    }

    /// Registers a bot with a given token. Doing so again is harmless while the bot has this token: it changes nothing.
    ///
    /// # Errors
    /// If the name or the token is taken, or the limit on bots is reached.
    pub fn register_bot_with_token(&self, new: NewBot) -> BoxFuture<'static, Result<BotView, ArenaError>> {
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.register_bot_locked(held, new).await
        })
    }

    async fn register_bot_locked(&self, _guard: HeldLock, new: NewBot) -> Result<BotView, ArenaError> {
        let bot = new.into_stored(self.inner.clock.now());
        let known = self.inner.store.bot(&bot.name).await?.filter(|known| known.token == bot.token);
        if let Some(known) = known {
            return Ok(self.bot_view(known));
        }
        self.check_may_register(&bot.name, bot.token).await?;
        self.commit(vec![Change::Bot(bot.clone())]).await?;
        self.accept_bot_token(&bot);
        tracing::info!(bot = %bot.name, "bot registered");
        Ok(self.bot_view(bot))
    }

    /// Checks that a bot may be registered with this name and token. The caller holds the lock on bot names.
    pub(crate) async fn check_may_register(
        &self,
        name: &BotName,
        token: TokenHash,
    ) -> Result<(), ArenaError> {
        if is_guest_name(name) {
            return Err(ArenaError::GuestName(name.clone()));
        }
        if self.inner.store.bot(name).await?.is_some() {
            return Err(ArenaError::NameTaken(name.clone()));
        }
        if self.inner.accounts.principal_of_hash(token).is_some() {
            return Err(ArenaError::TokenTaken);
        }
        let limit = self.inner.limits.bots;
        if self.inner.accounts.bot_count() >= limit {
            return Err(ArenaError::Full { what: "bots", limit });
        }
        Ok(())
    }

    /// Counts a registered bot and starts accepting its token.
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

    async fn rotate_token_locked(&self, _guard: HeldLock, name: &BotName) -> Result<Token, ArenaError> {
        self.check_not_house_bot(name)?;
        let old = self.stored_bot(name).await?;
        let token = Token::generate();
        self.commit(vec![Change::Bot(StoredBot { token: token.hash(), ..old.clone() })]).await?;
        self.inner.accounts.revoke_token(old.token);
        self.inner.accounts.admit_bot(name, token.hash());
        self.inner.roster.presence(name).close_session(CloseReason::TokenRotated);
        tracing::info!(bot = %name, "token rotated");
        Ok(token)
    }

    /// Removes a bot that has never played: its token becomes invalid and its session ends. A bot that is registered
    /// under the same name later inherits nothing.
    ///
    /// # Errors
    /// If there is no such bot, the server hosts it, it has played, or it is in an unfinished tournament.
    pub fn remove_bot(&self, name: &BotName) -> BoxFuture<'static, Result<(), ArenaError>> {
        let name = name.clone();
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.remove_bot_locked(held, name).await
        })
    }

    /// Removes a bot. While the lock is held, the bot cannot join a tournament or get a seat.
    async fn remove_bot_locked(&self, _guard: HeldLock, name: BotName) -> Result<(), ArenaError> {
        self.check_not_house_bot(&name)?;
        let stored = self.stored_bot(&name).await?;
        let refusal = |why: String| Err(ArenaError::BotInUse { bot: name.clone(), why });
        if let Some(id) = self.unfinished_tournament_of_bot(&name) {
            return refusal(format!("it is in tournament {id}, which is not over"));
        }
        let presence = self.inner.roster.presence(&name);
        if presence.open_match_count() > 0 {
            return refusal("it has a seat in an unfinished match".to_owned());
        }
        if self.inner.store.has_played(&name).await? {
            return refusal("it has played, and its name is in the records of its matches".to_owned());
        }
        let removed = self.commit(vec![Change::BotRemoved { name: name.clone() }]).await;
        // The cached standings of finished tournaments may have a line for the bot. If the commit fails, it is unknown
        // whether the bot was removed, so the cache is cleared in any case.
        self.inner.ended_tournaments.clear();
        removed?;
        // The order matters: a session that opens between these steps checks its token again once it is open.
        self.inner.accounts.remove_bot(&stored);
        self.inner.requests.forget_bot(&name);
        presence.close_session(CloseReason::BotRemoved);
        self.inner.roster.forget_bot(&name);
        tracing::info!(bot = %name, "bot removed");
        Ok(())
    }

    /// Returns a bot.
    ///
    /// # Errors
    /// If no bot has this name, or the store cannot be read.
    pub async fn bot(&self, name: &BotName) -> Result<BotView, ArenaError> {
        Ok(self.bot_view(self.stored_bot(name).await?))
    }

    /// Returns the versions that a bot has reported, the most recent first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, ArenaError> {
        Ok(self.inner.store.bot_versions(name).await?)
    }

    /// Returns up to `limit` open matches of a bot, the oldest first.
    pub fn open_matches_of(&self, name: &BotName, limit: usize) -> Vec<MatchId> {
        self.inner.roster.presence(name).open_match_ids(limit)
    }

    /// Returns up to `limit` seats that a bot forfeited in finished matches older than `before`, the newest first. If
    /// `tournament` is given, only its matches count.
    ///
    /// # Errors
    /// If there is no such bot, or the store cannot be read.
    pub async fn lost_seats(
        &self,
        name: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, ArenaError> {
        self.stored_bot(name).await?;
        Ok(self.inner.store.lost_seats(name, tournament, before, limit).await?)
    }

    /// Returns up to `limit` bots in the order of their names, starting after the name `after`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list_bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<BotView>, ArenaError> {
        let bots = self.inner.store.bots(after, limit).await?;
        Ok(bots.into_iter().map(|bot| self.bot_view(bot)).collect())
    }

    pub(crate) async fn stored_bot(&self, name: &BotName) -> Result<StoredBot, ArenaError> {
        self.inner.store.bot(name).await?.ok_or_else(|| ArenaError::NoSuchBot(name.clone()))
    }

    pub(crate) fn bot_view(&self, stored: StoredBot) -> BotView {
        let presence = self.inner.roster.presence(&stored.name);
        BotView {
            session: presence.session(),
            open_matches: presence.open_match_count(),
            house_bot: self.inner.accounts.house().house_bot_of(&stored.name),
            stored,
        }
    }

    /// Opens a session for a bot that reported this version, in place of any older session of the bot. The stream
    /// carries the messages to the bot; the session reads the bot's messages once it runs.
    ///
    /// # Errors
    /// If the session limit is reached, or the server is stopping.
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

    /// Returns the number of open sessions.
    pub fn session_count(&self) -> usize {
        self.inner.roster.session_count()
    }
}
