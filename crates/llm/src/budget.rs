//! Budgets per match, per bot, and for several bots together.

use super::{
    LlmError, LlmSettings, TokenCount,
    amount::{Amount, Prices, money_to_units},
    failure::{CallFailure, FailureClass},
    ledger::{Account, Ledger, TOTAL_ACCOUNT},
};
use lastnim_config::Decimal;
use lastnim_core::game::MatchId;
use serde_json::{Value, json};
use std::{fmt, io, path::Path, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// The interval at which a shared budget is checked again while calls of other programs have reserved the rest of it.
const RECHECK_INTERVAL: Duration = Duration::from_millis(250);
/// Tokens that an endpoint may add to a prompt by itself.
const HIDDEN_TOKENS: u64 = 256;

/// The name of a match's budget in error messages.
const MATCH_BUDGET_LABEL: &str = "of the match";

/// The limits on an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Limit {
    tokens: Option<u64>,
    reply_tokens: Option<u64>,
    money: Option<u128>,
}

/// Whether a call fits into an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Availability {
    Now,
    /// It may fit later, if open calls cost less than they reserved.
    Later,
    Never,
}

impl Limit {
    fn new(tokens: Option<u64>, reply_tokens: Option<u64>, money: Option<Decimal>) -> Self {
        Self { tokens, reply_tokens, money: money.map(money_to_units) }
    }

    /// Returns the limit on a match of a bot.
    fn of_match(settings: &LlmSettings) -> Self {
        Self::new(settings.match_token_budget, settings.match_reply_token_budget, settings.match_budget)
    }

    /// Returns the limit on a bot.
    fn of_bot(settings: &LlmSettings) -> Self {
        Self::new(settings.token_budget, settings.reply_token_budget, settings.budget)
    }

    /// Returns the limit on all bots that share a ledger.
    fn of_all(settings: &LlmSettings) -> Self {
        Self::new(settings.shared_token_budget, settings.shared_reply_token_budget, settings.shared_budget)
    }

    /// Returns the sum of some limits: unlimited if one of them is.
    fn sum(limits: &(impl Iterator<Item = Self> + Clone)) -> Self {
        let tokens = |of: fn(&Self) -> Option<u64>| {
            limits.clone().try_fold(0_u64, |sum, limit| Some(sum.saturating_add(of(&limit)?)))
        };
        Self {
            tokens: tokens(|limit| limit.tokens),
            reply_tokens: tokens(|limit| limit.reply_tokens),
            money: limits.clone().try_fold(0_u128, |sum, limit| Some(sum.saturating_add(limit.money?))),
        }
    }

    /// Returns the limit on this many accounts; unlimited if their number is unknown or too large.
    fn times(self, count: Option<u64>) -> Self {
        let tokens = |tokens: Option<u64>| tokens?.checked_mul(count?);
        Self {
            tokens: tokens(self.tokens),
            reply_tokens: tokens(self.reply_tokens),
            money: self.money.and_then(|money| money.checked_mul(count?.into())),
        }
    }

    /// Returns the lower of two limits, separately for tokens, reply tokens and money.
    fn tighter(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.into_iter().chain(other.tokens).min(),
            reply_tokens: self.reply_tokens.into_iter().chain(other.reply_tokens).min(),
            money: self.money.into_iter().chain(other.money).min(),
        }
    }

    fn allows(self, amount: Amount) -> bool {
        self.tokens.is_none_or(|limit| amount.tokens <= limit)
            && self.reply_tokens.is_none_or(|limit| amount.reply_tokens <= limit)
            && self.money.is_none_or(|limit| amount.money <= limit)
    }

    fn check_availability(self, account: &Account, need: Amount) -> Availability {
        if self.allows(account.spent + account.reserved + need) {
            Availability::Now
        } else if self.allows(account.spent + need) && account.reserved != Amount::default() {
            Availability::Later
        } else {
            Availability::Never
        }
    }
}

/// The budgets of a bot and its spending. A call starts only if no budget can be exceeded.
#[derive(Debug)]
pub struct BotBudget {
    prices: Prices,
    own: Ledger,
    shared: Option<Ledger>,
    of_match: Limit,
    of_bot: Limit,
    of_all: Limit,
    /// Notified when a call ends.
    changed: Notify,
}

impl BotBudget {
    /// Opens the budgets that the settings define, including earlier spending.
    ///
    /// # Errors
    /// If a budget in money has no prices, a shared budget has no ledger, or a ledger cannot be used.
    pub fn open(settings: &LlmSettings) -> Result<Self, LlmError> {
        let budget = Self::open_concurrently(settings)?;
        budget.own.settle_leftovers(budget.shared.as_ref()).map_err(|error| LlmError::Ledger {
            path: settings.ledger.clone().unwrap_or_default(),
            reason: error.to_string(),
        })?;
        Ok(budget)
    }

    /// Like [`Self::open`], but for budgets that a running bot may be using, so their reservations are kept.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn open_concurrently(settings: &LlmSettings) -> Result<Self, LlmError> {
        check_budgets(settings)?;
        let shared = settings.shared_ledger.as_deref().map(open_ledger).transpose()?;
        let own = settings.ledger.as_deref().map_or_else(|| Ok(Ledger::in_memory()), open_ledger)?;
        Ok(Self {
            prices: Prices {
                prompt: settings.prompt_price.unwrap_or_default(),
                cached: settings.cached_price.or(settings.prompt_price).unwrap_or_default(),
                completion: settings.completion_price.unwrap_or_default(),
            },
            own,
            shared,
            of_match: Limit::of_match(settings),
            of_bot: Limit::of_bot(settings),
            of_all: Limit::of_all(settings),
            changed: Notify::new(),
        })
    }

    /// Returns the maximum cost of a call with a request of this size: every token has at least one byte.
    pub fn bound_of_call(&self, request_bytes: usize, max_tokens: u32) -> Amount {
        let prompt = (request_bytes as u64).saturating_add(HIDDEN_TOKENS);
        self.prices.amount_of(TokenCount { prompt, completion: max_tokens.into(), ..TokenCount::default() })
    }

    /// Returns the cost of some tokens.
    pub fn amount_of(&self, tokens: TokenCount) -> Amount {
        self.prices.amount_of(tokens)
    }

    /// Returns the spending of the bot, including the maximum cost of open calls.
    pub fn spent(&self) -> Amount {
        let spent = self.own.update(TOTAL_ACCOUNT, |account| account.spent + account.reserved);
        spent.unwrap_or_default()
    }

    /// Reserves an amount in all budgets for a call. If open calls have reserved what is left, it waits until a deadline.
    ///
    /// # Errors
    /// If a budget has no room for it before the deadline, or a ledger cannot be used.
    pub async fn reserve(
        &self,
        match_id: MatchId,
        need: Amount,
        deadline: Instant,
    ) -> Result<Reservation<'_>, CallFailure> {
        loop {
            let changed = self.changed.notified();
            let reservation = Reservation { budget: self, match_id, need, is_open: true };
            match self.try_reserve(&reservation.names(), need) {
                Ok((Availability::Now, _)) => return Ok(reservation),
                refused => {
                    // The attempt reserved nothing, so there is nothing to settle.
                    reservation.forget();
                    let (room, whose) =
                        refused.map_err(|error| budget_failure(format!("cannot use the ledger: {error}")))?;
                    let class = match room {
                        Availability::Never if whose == MATCH_BUDGET_LABEL => Some(FailureClass::MatchBudget),
                        Availability::Never => Some(FailureClass::Budget),
                        Availability::Now | Availability::Later => {
                            (Instant::now() >= deadline).then_some(FailureClass::Queued)
                        }
                    };
                    if let Some(class) = class {
                        let detail = if class == FailureClass::Queued {
                            format!(
                                "open calls have reserved the rest of the budget {whose}; another call may need up to {need}"
                            )
                        } else {
                            format!(
                                "what is left of the budget {whose} is too small for another call, which may need up to {need}"
                            )
                        };
                        return Err(CallFailure::new(class, detail));
                    }
                }
            }
            let next_look = deadline.min(Instant::now() + RECHECK_INTERVAL);
            // Other programs may have changed a shared ledger.
            let _ = timeout_at(next_look, changed).await;
        }
    }

    fn try_reserve(&self, names: &[String; 2], need: Amount) -> io::Result<(Availability, &'static str)> {
        let reserve = |ledger: &Ledger, name: &str, limit: Limit| {
            ledger.update(name, |account| {
                let room = limit.check_availability(account, need);
                if room == Availability::Now {
                    account.reserved = account.reserved + need;
                }
                room
            })
        };
        let release = |ledger: &Ledger, name: &str| {
            ledger.update(name, |account| account.reserved = account.reserved - need)
        };
        let [of_match, total] = names;
        let room = reserve(&self.own, of_match, self.of_match)?;
        if room != Availability::Now {
            return Ok((room, MATCH_BUDGET_LABEL));
        }
        let room = reserve(&self.own, total, self.of_bot)?;
        if room != Availability::Now {
            release(&self.own, of_match)?;
            return Ok((room, "of the bot"));
        }
        let Some(shared) = &self.shared else { return Ok((Availability::Now, "")) };
        let room = reserve(shared, total, self.of_all)?;
        if room != Availability::Now {
            release(&self.own, of_match)?;
            release(&self.own, total)?;
            return Ok((room, "of all models"));
        }
        Ok((Availability::Now, ""))
    }

    /// Replaces the reservation of a call with its cost.
    fn settle(&self, names: &[String; 2], need: Amount, cost: Amount) {
        let [of_match, total] = names;
        let settle = |account: &mut Account| {
            *account = Account { spent: account.spent + cost, reserved: account.reserved - need };
        };
        let own = self.own.update(of_match, settle).and_then(|()| self.own.update(total, settle));
        let shared = self.shared.as_ref().map_or(Ok(()), |shared| shared.update(total, settle));
        if let Err(error) = own.and(shared) {
            // The reservation stays, so that no budget is exceeded.
            tracing::warn!(%error, "cannot write the ledger of a budget");
        }
        self.changed.notify_waiters();
    }
}

/// Checks that budgets are complete.
///
/// # Errors
/// If a budget in money has no prices, or a shared one has no ledger.
pub fn check_budgets(settings: &LlmSettings) -> Result<(), LlmError> {
    let needs_prices = [settings.match_budget, settings.budget, settings.shared_budget];
    let has_prices = settings.prompt_price.is_some() && settings.completion_price.is_some();
    if needs_prices.iter().any(Option::is_some) && !has_prices {
        return Err(LlmError::NoPrices);
    }
    if Limit::of_all(settings) != Limit::default() && settings.shared_ledger.is_none() {
        return Err(LlmError::NoSharedLedger);
    }
    Ok(())
}

/// The budget of a model. A call that could exceed it does not start, but the last calls can cost more if an endpoint
/// ignores the limit on reply tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostBound {
    limit: Limit,
}

impl CostBound {
    /// Returns the budget for this many matches with these settings; `matches` is `None` if their number is unknown.
    pub fn of_settings(settings: &LlmSettings, matches: Option<u64>) -> Self {
        let match_limit = Limit::of_match(settings).times(matches);
        Self { limit: match_limit.tighter(Limit::of_bot(settings)).tighter(Limit::of_all(settings)) }
    }

    /// Returns the budget of several models for this many matches each; they may also have a shared one.
    pub fn of_all(models: &[LlmSettings], matches: Option<u64>) -> Self {
        let limits = models.iter().map(|settings| Self::of_settings(settings, matches).limit);
        let shared = models.iter().map(Limit::of_all);
        Self { limit: shared.fold(Limit::sum(&limits), Limit::tighter) }
    }

    /// Returns the budget as JSON, in which null means unlimited.
    pub fn to_json(self) -> Value {
        let Limit { tokens, reply_tokens, money } = self.limit;
        let money = money.map(|money| Amount { money, ..Amount::default() }.money_as_f64());
        json!({ "tokens": tokens, "reply_tokens": reply_tokens, "money": money })
    }
}

impl fmt::Display for CostBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limit { tokens, reply_tokens, money } = self.limit;
        let money =
            money.map(|money| format!("{} in money", Amount { money, ..Amount::default() }.money_text()));
        let tokens = tokens.map(|tokens| Amount { tokens, ..Amount::default() }.to_string());
        let reply_tokens =
            reply_tokens.map(|tokens| format!("{} of replies", Amount { tokens, ..Amount::default() }));
        let parts: Vec<_> = [money, tokens, reply_tokens].into_iter().flatten().collect();
        match parts.as_slice() {
            [] => f.write_str("no budget"),
            parts => write!(f, "a budget of {}", parts.join(" and ")),
        }
    }
}

fn open_ledger(path: &Path) -> Result<Ledger, LlmError> {
    Ledger::open(path).map_err(|error| LlmError::Ledger { path: path.to_owned(), reason: error.to_string() })
}

fn budget_failure(detail: String) -> CallFailure {
    CallFailure::new(FailureClass::Budget, detail)
}

/// An amount reserved in all budgets for a call. If it is dropped without being settled, all of it counts as spent.
#[derive(Debug)]
#[must_use = "a dropped reservation counts as spent"]
pub struct Reservation<'a> {
    budget: &'a BotBudget,
    match_id: MatchId,
    need: Amount,
    is_open: bool,
}

impl Reservation<'_> {
    fn names(&self) -> [String; 2] {
        [self.match_id.to_string(), TOTAL_ACCOUNT.to_owned()]
    }

    fn forget(mut self) {
        self.is_open = false;
    }

    /// Settles the reservation with the cost of the call; `None` if that is unknown. Returns the amount that counts as
    /// spent.
    pub fn settle(mut self, cost: Option<Amount>) -> Amount {
        self.is_open = false;
        let cost = cost.unwrap_or(self.need);
        self.budget.settle(&self.names(), self.need, cost);
        cost
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.budget.settle(&self.names(), self.need, self.need);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn budget(token_budget: u64, match_token_budget: u64) -> BotBudget {
        BotBudget::open(&LlmSettings {
            token_budget: Some(token_budget),
            match_token_budget: Some(match_token_budget),
            ..LlmSettings::default()
        })
        .unwrap()
    }

    fn id(number: u64) -> MatchId {
        MatchId::new(number, &[0; 10])
    }

    fn tokens(tokens: u64) -> Amount {
        Amount { tokens, ..Amount::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_could_exceed_a_budget_are_refused() {
        let budget = budget(100, 60);
        let soon = Instant::now() + Duration::from_secs(1);
        budget.reserve(id(0), tokens(50), soon).await.unwrap().settle(Some(tokens(20)));
        // The cost of this call is unknown.
        drop(budget.reserve(id(0), tokens(30), soon).await.unwrap());
        let full = budget.reserve(id(0), tokens(11), soon).await.unwrap_err();
        assert_eq!(
            (full.class, full.detail.contains("of the match")),
            (FailureClass::MatchBudget, true),
            "{full:?}"
        );
        budget.reserve(id(1), tokens(45), soon).await.unwrap().settle(None);
        let full = budget.reserve(id(2), tokens(6), soon).await.unwrap_err();
        assert!(full.detail.contains("of the bot"), "{full:?}");
        budget.reserve(id(2), tokens(5), soon).await.unwrap().settle(Some(tokens(0)));
        assert_eq!(budget.spent().tokens, 95);
    }

    #[tokio::test(start_paused = true)]
    async fn replies_have_their_own_budgets() {
        let settings = LlmSettings {
            reply_token_budget: Some(100),
            match_reply_token_budget: Some(60),
            ..LlmSettings::default()
        };
        let budget = BotBudget::open(&settings).unwrap();
        let call = |reply_tokens| Amount { tokens: 5_000, reply_tokens, money: 0 };
        let soon = Instant::now() + Duration::from_secs(1);
        budget.reserve(id(0), call(60), soon).await.unwrap().settle(None);
        for (number, reply_tokens, whose) in [(0, 1, "of the match"), (1, 41, "of the bot")] {
            let full = budget.reserve(id(number), call(reply_tokens), soon).await.unwrap_err();
            assert!(full.detail.contains(whose), "{full:?}");
        }
        budget.reserve(id(1), call(40), soon).await.unwrap().settle(None);
    }

    #[test]
    fn the_cost_bound_is_the_tightest_of_all_limits() {
        let settings_with = |tokens, match_replies, shared| LlmSettings {
            token_budget: tokens,
            match_reply_token_budget: match_replies,
            shared_reply_token_budget: shared,
            ..LlmSettings::default()
        };
        for (models, words) in [
            (vec![settings_with(None, None, None)], "no budget"),
            (vec![settings_with(Some(7), Some(5), None)], "a budget of 7 tokens and 20 tokens of replies"),
            (
                vec![settings_with(Some(7), Some(5), None); 2],
                "a budget of 14 tokens and 40 tokens of replies",
            ),
            (
                vec![settings_with(Some(7), Some(5), Some(30)); 2],
                "a budget of 14 tokens and 30 tokens of replies",
            ),
            (
                vec![settings_with(Some(7), None, Some(1)), settings_with(None, None, Some(1))],
                "a budget of 1 token of replies",
            ),
        ] {
            assert_eq!(CostBound::of_all(&models, Some(4)).to_string(), words, "{models:?}");
        }
        let unknown_length_bound = CostBound::of_all(&[settings_with(None, Some(5), None)], None);
        assert_eq!(unknown_length_bound.to_string(), "no budget");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_wait_until_other_calls_give_back_their_reservations() {
        let budget = Arc::new(budget(100, 100));
        let later = Instant::now() + Duration::from_mins(1);
        let held = budget.reserve(id(0), tokens(80), later).await.unwrap();
        let waiting = tokio::spawn({
            let budget = Arc::clone(&budget);
            async move {
                let reserved = budget.reserve(id(1), tokens(80), later).await;
                reserved.map(|reservation| reservation.settle(Some(tokens(3))).tokens)
            }
        });
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(!waiting.is_finished());
        held.settle(Some(tokens(10)));
        assert_eq!(waiting.await.unwrap().unwrap(), 3);
        assert_eq!(budget.spent().tokens, 13);
        // If another call holds its reservation past the deadline, the question fails, although the budget is not used
        // up.
        let held = budget.reserve(id(0), tokens(80), later).await.unwrap();
        let soon = Instant::now() + Duration::from_secs(1);
        assert_eq!(budget.reserve(id(1), tokens(80), soon).await.unwrap_err().class, FailureClass::Queued);
        assert!(Instant::now() >= soon);
        assert_eq!(held.settle(None).tokens, 80, "an unknown cost counts as the whole reservation");
    }
}
