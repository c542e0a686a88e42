//! House bots, and practice matches of other bots against them.

use crate::accounts::guests::is_guest_name;
use crate::arena::{Arena, HeldLock};
use crate::bot_rates::BotRates;
use crate::error::ArenaError;
use crate::matches::open_matches::{NewMatch, StartedExhibition};
use crate::requests::CreationRequest;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, BotProfile};
use lastnim_core::referee::MatchSetup;
use lastnim_store::{Change, Creation, MatchSummary, StoredBot, Token, TokenHash};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The house bots of this server, and the bots that practised against them recently.
#[derive(Debug, Default)]
pub(crate) struct HouseBots {
    /// The kind of each house bot, by its name.
    house_bots: RwLock<BTreeMap<BotName, String>>,
    /// How much of its limit on practice matches per minute each bot has used.
    practised: BotRates,
}

impl HouseBots {
    /// Returns the kind of house bot with this name, if the server hosts one.
    pub(crate) fn house_bot_of(&self, name: &BotName) -> Option<String> {
        self.house_bots.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns the name and the kind of each hosted house bot.
    pub(crate) fn hosted(&self) -> Vec<(BotName, String)> {
        let house_bots = self.house_bots.read().unwrap_or_else(PoisonError::into_inner);
        house_bots.iter().map(|(name, house_bot)| (name.clone(), house_bot.clone())).collect()
    }

    fn host(&self, name: BotName, house_bot: String) {
        self.house_bots.write().unwrap_or_else(PoisonError::into_inner).insert(name, house_bot);
    }

    fn hosts(&self, name: &BotName) -> bool {
        self.house_bots.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    /// Returns whether a match is practice: it belongs to no tournament, and exactly one of its players is not a house
    /// bot.
    fn is_practice(&self, setup: &MatchSetup) -> bool {
        let others = setup.bots.iter().filter(|bot| !self.hosts(bot)).count();
        setup.origin.is_none() && others == 1
    }

    /// Lists the house bots, for an error message.
    fn opponents(&self) -> String {
        let house_bots = self.house_bots.read().unwrap_or_else(PoisonError::into_inner);
        match house_bots.keys().map(BotName::as_str).collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "this server hosts no house bots".to_owned(),
            names => format!("this server hosts {names}"),
        }
    }
}

impl Arena {
    /// Registers a house bot, or finds the one that an earlier server registered, and returns a new token for its
    /// session. The token is not stored, and only the house bot gets it.
    ///
    /// # Errors
    /// If the name belongs to another bot, or the store cannot be used.
    pub fn enrol_house_bot(
        &self,
        name: BotName,
        house_bot: &str,
    ) -> BoxFuture<'static, Result<Token, ArenaError>> {
        let house_bot = house_bot.to_owned();
        self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.enrol_house_bot_locked(held, name, house_bot).await
        })
    }

    async fn enrol_house_bot_locked(
        &self,
        _guard: HeldLock,
        name: BotName,
        house_bot: String,
    ) -> Result<Token, ArenaError> {
        if is_guest_name(&name) {
            return Err(ArenaError::GuestName(name));
        }
        match self.inner.store.bot(&name).await? {
            Some(found)
                if found.token == TokenHash::NO_TOKEN && !self.inner.accounts.house().hosts(&name) => {}
            Some(_) => return Err(ArenaError::NameTaken(name)),
            None => {
                let registered_at = self.now();
                let (token, profile) = (TokenHash::NO_TOKEN, BotProfile::default());
                let bot = StoredBot { name: name.clone(), registered_at, token, profile };
                self.commit(vec![Change::Bot(bot)]).await?;
                self.inner.accounts.count_bot();
            }
        }
        let token = Token::generate();
        self.inner.accounts.admit_bot(&name, token.hash());
        tracing::info!(bot = %name, house_bot, "house bot");
        self.inner.accounts.house().host(name, house_bot);
        Ok(token)
    }

    /// Fails for house bots, which administrators cannot change.
    pub(crate) fn check_not_house_bot(&self, name: &BotName) -> Result<(), ArenaError> {
        if self.inner.accounts.house().hosts(name) { Err(ArenaError::HouseBot(name.clone())) } else { Ok(()) }
    }

    /// Starts a practice match of the calling bot against house bots, or returns the one that the same request has
    /// started before.
    ///
    /// # Errors
    /// If a player is neither the bot nor a house bot, a tournament closes the oracle to the bot, a practice limit is
    /// reached, the match cannot begin, or the request's id was used for a different request.
    pub async fn create_practice_match(
        &self,
        bot: &BotName,
        new: NewMatch,
        request: Option<CreationRequest>,
    ) -> Result<MatchSummary, ArenaError> {
        self.check_practice_setup(bot, &new.setup)?;
        let bot = bot.clone();
        let beginning = self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            if let Some(Creation::Match(id)) = arena.earlier_creation(request.as_ref()).await? {
                return Ok(StartedExhibition::Earlier(id));
            }
            arena.check_practice_open(&bot)?;
            let per_minute = arena.inner.limits.practice_per_minute;
            let practised = &arena.inner.accounts.house().practised;
            practised
                .count(&bot, per_minute, arena.now())
                .map_err(|wait| ArenaError::PracticeRateExceeded { bot: bot.clone(), per_minute, wait })?;
            arena.check_practice_limits(&bot)?;
            arena.begin_exhibition_locked(held, new, request).await
        });
        self.wait_until_announced(beginning.await?).await
    }

    /// Checks that in this match the bot plays only against house bots, outside any tournament.
    pub(crate) fn check_practice_setup(&self, bot: &BotName, setup: &MatchSetup) -> Result<(), ArenaError> {
        let house = self.inner.accounts.house();
        if house.is_practice(setup) && setup.bots.iter().any(|name| name == bot) {
            Ok(())
        } else {
            Err(ArenaError::NotPracticeMatch { bot: bot.clone(), opponents: house.opponents() })
        }
    }

    /// Checks the limits on open practice matches. The caller holds the lock on bot names.
    fn check_practice_limits(&self, bot: &BotName) -> Result<(), ArenaError> {
        self.check_own_practice_limit(bot)?;
        let limit = self.inner.limits.practice_matches;
        check_open_matches("open practice matches", self.practice_match_count(None), limit)
    }

    /// Checks the limit on a bot's own open practice matches. The caller holds the lock on bot names.
    pub(crate) fn check_own_practice_limit(&self, bot: &BotName) -> Result<(), ArenaError> {
        let limit = self.inner.limits.practice_matches_per_bot;
        check_open_matches("open practice matches for this bot", self.practice_match_count(Some(bot)), limit)
    }

    /// Returns how many practice matches are open, for one bot or in total.
    pub(crate) fn practice_match_count(&self, of: Option<&BotName>) -> usize {
        let house = self.inner.accounts.house();
        let matches = self.inner.matches.read();
        let counted = matches.values().filter(|open| {
            house.is_practice(&open.setup)
                && of.is_none_or(|bot| open.setup.bots.iter().any(|name| name == bot))
        });
        counted.count()
    }
}

fn check_open_matches(what: &'static str, open: usize, limit: usize) -> Result<(), ArenaError> {
    if open < limit { Ok(()) } else { Err(ArenaError::Full { what, limit }) }
}
