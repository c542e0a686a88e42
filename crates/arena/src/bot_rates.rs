//! Limits on how often each bot may do something.

use crate::rate_limit::{RateLimit, RateUse};
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How much of a limit per minute each bot has used. Bots that have used nothing take no memory.
#[derive(Debug, Default)]
pub(crate) struct BotRates(Mutex<HashMap<BotName, RateUse<Timestamp>>>);

impl BotRates {
    /// Counts an action of a bot: `per_minute` actions at once, and then `per_minute` more in each minute.
    ///
    /// # Errors
    /// If the bot has used up its limit, returns the time until the action is allowed. It is not counted in that case.
    pub(crate) fn count(&self, bot: &BotName, per_minute: u32, now: Timestamp) -> Result<(), Duration> {
        let limit = RateLimit::new(per_minute.into(), Duration::from_mins(1) / per_minute.max(1));
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = limit.count(used.get(bot).copied(), now, 1)?;
        used.retain(|_, used| !limit.is_clear(*used, now));
        used.insert(bot.clone(), next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bot_has_its_own_limit_per_minute() {
        let (rates, start) = (BotRates::default(), Timestamp::from_micros(1_700_000_000_000_000));
        let [one, two]: [BotName; 2] = ["one", "two"].map(|name| name.parse().unwrap());
        let count = |bot, now| rates.count(bot, 6, now);
        for _ in 0..6 {
            assert_eq!(count(&one, start), Ok(()));
        }
        let wait = Duration::from_secs(10);
        assert_eq!(count(&one, start), Err(wait));
        assert_eq!(count(&two, start), Ok(()), "each bot has its own limit");
        assert_eq!(count(&one, start + wait), Ok(()), "refused actions do not count");
        assert_eq!(count(&one, start + wait), Err(wait));
        assert_eq!(count(&two, start + 9 * wait), Ok(()));
        assert_eq!(rates.0.lock().unwrap().len(), 1, "unused entries are removed");
        assert!(rates.count(&two, 0, start).is_err(), "a limit of 0 allows nothing");
    }
}
