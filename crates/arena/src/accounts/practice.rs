//! House bots that the server hosts, and the practice of other bots against them.

use crate::accounts::guests::is_guest_name;
use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use futures_core::future::BoxFuture;
use lastnim_core::game::BotName;
use lastnim_core::referee::MatchSetup;
use lastnim_store::{Change, MatchSummary, StoredBot, Token, TokenHash};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The bots that the server itself hosts, and who has practised against them lately.
#[derive(Debug, Default)]
pub(crate) struct House {
    /// By name: which house bot it is.
    house_bots: RwLock<BTreeMap<BotName, String>>,
    /// By bot: the moment at which none of its practice matches counts any more.
    clear_at: Mutex<HashMap<BotName, Instant>>,
}

/// Counts one more of what may be done `at_once` times, and then once each interval. `clear_at` is the moment at which nothing
/// counts any more.
///
/// # Errors
/// If it is too much: after which time there is room for one.
pub fn next_clear_time(
    clear_at: Option<Instant>,
    now: Instant,
    interval: Duration,
    at_once: u32,
) -> Result<Instant, Duration> {
    let next = clear_at.map_or(now, |at| at.max(now)) + interval;
    let too_much = (next - now).saturating_sub(interval.saturating_mul(at_once));
    if too_much.is_zero() { Ok(next) } else { Err(too_much) }
}

impl House {
    /// Returns which house bot the server hosts under a name, if it hosts one.
    pub(crate) fn house_bot_of(&self, name: &BotName) -> Option<String> {
        self.house_bots.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns the house bots that the server hosts, by name, each with which house bot it is.
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

    /// Returns whether a match is practice: outside of any tournament, of one bot against house bots.
    fn is_practice(&self, setup: &MatchSetup) -> bool {
        let guests = setup.bots.iter().filter(|bot| !self.hosts(bot)).count();
        setup.origin.is_none() && guests == 1
    }

    /// Counts a practice match of a bot that may start so many in a minute; what is refused does not count.
    fn count_match(&self, bot: &BotName, a_minute: u32, now: Instant) -> Result<(), ArenaError> {
        let interval = Duration::from_mins(1) / a_minute.max(1);
        let mut clear_at = self.clear_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = next_clear_time(clear_at.get(bot).copied(), now, interval, a_minute);
        let next = next.map_err(|wait| ArenaError::TooMuchPractice { bot: bot.clone(), a_minute, wait })?;
        clear_at.retain(|_, at| *at > now);
        clear_at.insert(bot.clone(), next);
        Ok(())
    }

    /// Says who may be practised against.
    fn rivals(&self) -> String {
        let house_bots = self.house_bots.read().unwrap_or_else(PoisonError::into_inner);
        match house_bots.keys().map(BotName::as_str).collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "this server hosts no house bots".to_owned(),
            names => format!("this server hosts {names}"),
        }
    }
}

impl Arena {
    /// Registers a house bot that the server hosts, or finds it where an earlier server has registered it, and returns the
    /// token of its session. Nobody else ever has a token of it, and none is kept.
    ///
    /// # Errors
    /// If somebody else has registered a bot of that name, or the store cannot be used.
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
        _held: HeldLock,
        name: BotName,
        house_bot: String,
    ) -> Result<Token, ArenaError> {
        if is_guest_name(&name) {
            return Err(ArenaError::GuestName(name));
        }
        match self.inner.store.bot(&name).await? {
            Some(found) if found.token == TokenHash::NOBODYS && !self.inner.accounts.house().hosts(&name) => {
            }
            Some(_) => return Err(ArenaError::NameTaken(name)),
            None => {
                let registered_at = self.now();
                let bot = StoredBot { name: name.clone(), registered_at, token: TokenHash::NOBODYS };
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

    /// Refuses what an administrator may do to any bot but to one that the server hosts.
    pub(crate) fn require_guest(&self, name: &BotName) -> Result<(), ArenaError> {
        if self.inner.accounts.house().hosts(name) { Err(ArenaError::HouseBot(name.clone())) } else { Ok(()) }
    }

    /// Starts a practice match that a bot asks for: it alone against house bots.
    ///
    /// # Errors
    /// If somebody else is to play, a tournament keeps the oracle from the bot, it has practised or practises too much, or the match cannot be begun.
    pub async fn create_practice_match(
        &self,
        bot: &BotName,
        setup: MatchSetup,
    ) -> Result<MatchSummary, ArenaError> {
        self.check_practice_setup(bot, &setup)?;
        self.check_practice_open(bot)?;
        self.inner.accounts.house().count_match(
            bot,
            self.inner.limits.practice_per_minute,
            Instant::now(),
        )?;
        let bot = bot.clone();
        let beginning = self.run_locked(self.inner.accounts.names(), move |arena, held| async move {
            arena.check_practice(&bot)?;
            // Again, as a tournament may have begun meanwhile.
            arena.check_practice_open(&bot)?;
            arena.begin_exhibition_locked(held, setup).await
        });
        self.wait_until_announced(beginning.await?).await
    }

    /// Checks that a bot plays against house bots alone.
    pub(crate) fn check_practice_setup(&self, bot: &BotName, setup: &MatchSetup) -> Result<(), ArenaError> {
        let house = self.inner.accounts.house();
        if house.is_practice(setup) && setup.bots.iter().any(|name| name == bot) {
            Ok(())
        } else {
            Err(ArenaError::NotPractice { bot: bot.clone(), rivals: house.rivals() })
        }
    }

    /// Checks that there is room for one more practice match, while nobody else begins one.
    pub(crate) fn check_practice(&self, bot: &BotName) -> Result<(), ArenaError> {
        let limits = &self.inner.limits;
        let (mut own, mut all) = (0, 0);
        for open in self.inner.matches.read().values() {
            let setup = &open.setup;
            if self.inner.accounts.house().is_practice(setup) {
                all += 1;
                own += usize::from(setup.bots.iter().any(|name| name == bot));
            }
        }
        let full = |what, limit| Err(ArenaError::Full { what, limit });
        match limits {
            _ if own >= limits.practice_matches_per_bot => {
                full("open practice matches of this bot", limits.practice_matches_per_bot)
            }
            _ if all >= limits.practice_matches => full("open practice matches", limits.practice_matches),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_starts_so_many_matches_in_a_minute() {
        let (house, start) = (House::default(), Instant::now());
        let [one, two]: [BotName; 2] = ["one", "two"].map(|name| name.parse().unwrap());
        for _ in 0..6 {
            assert_eq!(house.count_match(&one, 6, start), Ok(()));
        }
        let wait = Duration::from_secs(10);
        let refused = house.count_match(&one, 6, start);
        assert_eq!(refused, Err(ArenaError::TooMuchPractice { bot: one.clone(), a_minute: 6, wait }));
        assert_eq!(house.count_match(&two, 6, start), Ok(()), "another bot has its own");
        assert_eq!(house.count_match(&one, 6, start + wait), Ok(()), "a refusal does not count");
        assert!(house.count_match(&one, 6, start + wait).is_err());
        assert_eq!(house.count_match(&two, 6, start + 9 * wait), Ok(()));
        assert_eq!(house.clear_at.lock().unwrap().len(), 1, "nobody is kept for longer than it counts");
    }
}
