//! What calls may cost: for a match, for the bot, and for all bots together.

use super::{
    LlmError, LlmSettings,
    amount::{Amount, Prices, units_of_money},
    failure::{CallFailure, FailureClass},
    ledger::{Account, Ledger, TOTAL},
};
use lastnim_config::Decimal;
use lastnim_core::game::MatchId;
use serde_json::{Value, json};
use std::{fmt, io, path::Path, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// How often a budget that programs share is looked at again while their calls hold it.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// Tokens that an endpoint may add to a prompt by itself.
const HIDDEN_TOKENS: u64 = 256;

/// The most that an account may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Limit {
    tokens: Option<u64>,
    money: Option<u128>,
}

/// Whether an account has room for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Now,
    /// Once calls under way have cost less than they might.
    Later,
    Never,
}

impl Limit {
    fn new(tokens: Option<u64>, money: Option<Decimal>) -> Self {
        Self { tokens, money: money.map(units_of_money) }
    }

    /// Returns the lower of the bounds of two limits.
    fn tighter(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.into_iter().chain(other.tokens).min(),
            money: self.money.into_iter().chain(other.money).min(),
        }
    }

    fn has(self, amount: Amount) -> bool {
        self.tokens.is_none_or(|most| amount.tokens <= most)
            && self.money.is_none_or(|most| amount.money <= most)
    }

    fn room_for(self, account: &Account, need: Amount) -> Room {
        if self.has(account.spent + account.reserved + need) {
            Room::Now
        } else if self.has(account.spent + need) && account.reserved != Amount::default() {
            Room::Later
        } else {
            Room::Never
        }
    }
}

/// The budgets of a bot, and what it has spent of them. No call begins that could exceed one.
#[derive(Debug)]
pub struct BotBudget {
    prices: Prices,
    own: Ledger,
    shared: Option<Ledger>,
    of_match: Limit,
    of_bot: Limit,
    of_all: Limit,
    /// Hears of each call that is over.
    changed: Notify,
}

impl BotBudget {
    /// Reads the budgets of some settings, and what was spent of them before.
    ///
    /// # Errors
    /// If a budget of money has no prices, or a ledger cannot be used.
    pub fn open(settings: &LlmSettings) -> Result<Self, LlmError> {
        check_budgets(settings)?;
        let shared = settings.shared_ledger.as_deref().map(open_ledger).transpose()?;
        let own = settings.ledger.as_deref().map_or_else(|| Ok(Ledger::in_memory()), open_ledger)?;
        own.settle_leftovers(shared.as_ref()).map_err(|error| LlmError::Ledger {
            path: settings.ledger.clone().unwrap_or_default(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            prices: Prices {
                prompt: settings.prompt_price.unwrap_or_default(),
                completion: settings.completion_price.unwrap_or_default(),
            },
            own,
            shared,
            of_match: Limit::new(settings.match_token_budget, settings.match_budget),
            of_bot: Limit::new(settings.token_budget, settings.budget),
            of_all: Limit::new(settings.shared_token_budget, settings.shared_budget),
            changed: Notify::new(),
        })
    }

    /// Returns the most that a call can come to whose request has so many bytes: no token is shorter than a byte.
    pub fn bound_of_call(&self, request_bytes: usize, max_tokens: u32) -> Amount {
        let prompt = (request_bytes as u64).saturating_add(HIDDEN_TOKENS);
        self.prices.amount_of(prompt, max_tokens.into())
    }

    /// Returns what some tokens come to.
    pub fn amount_of(&self, prompt: u64, completion: u64) -> Amount {
        self.prices.amount_of(prompt, completion)
    }

    /// Returns what the bot has spent, with what calls under way may come to.
    pub fn spent(&self) -> Amount {
        let spent = self.own.update(TOTAL, |account| account.spent + account.reserved);
        spent.unwrap_or_default()
    }

    /// Keeps an amount of all budgets for a call of a match. Where calls under way hold what is left, it waits until a deadline.
    ///
    /// # Errors
    /// If a budget has no room for it.
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
                Ok((Room::Now, _)) => return Ok(reservation),
                refused => {
                    // Nothing is held.
                    reservation.forget();
                    let (room, whose) =
                        refused.map_err(|error| budget_failure(format!("the ledger: {error}")))?;
                    if room == Room::Never || Instant::now() >= deadline {
                        let what = format!("the budget {whose} has no room for a call of up to {need}");
                        return Err(budget_failure(what));
                    }
                }
            }
            let next_look = deadline.min(Instant::now() + LOOK_INTERVAL);
            // Others may have changed a ledger that is shared.
            let _ = timeout_at(next_look, changed).await;
        }
    }

    fn try_reserve(&self, names: &[String; 2], need: Amount) -> io::Result<(Room, &'static str)> {
        let reserve = |ledger: &Ledger, name: &str, limit: Limit| {
            ledger.update(name, |account| {
                let room = limit.room_for(account, need);
                if room == Room::Now {
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
        if room != Room::Now {
            return Ok((room, "of the match"));
        }
        let room = reserve(&self.own, total, self.of_bot)?;
        if room != Room::Now {
            release(&self.own, of_match)?;
            return Ok((room, "of the bot"));
        }
        let Some(shared) = &self.shared else { return Ok((Room::Now, "")) };
        let room = reserve(shared, total, self.of_all)?;
        if room != Room::Now {
            release(&self.own, of_match)?;
            release(&self.own, total)?;
            return Ok((room, "of all models"));
        }
        Ok((Room::Now, ""))
    }

    /// Puts what a call has cost in the place of what was kept for it.
    fn settle(&self, names: &[String; 2], need: Amount, cost: Amount) {
        let [of_match, total] = names;
        let settle = |account: &mut Account| {
            *account = Account { spent: account.spent + cost, reserved: account.reserved - need };
        };
        let own = self.own.update(of_match, settle).and_then(|()| self.own.update(total, settle));
        let shared = self.shared.as_ref().map_or(Ok(()), |shared| shared.update(total, settle));
        if let Err(error) = own.and(shared) {
            // What is kept stays kept, so that no budget is exceeded.
            tracing::warn!(%error, "the ledger of a budget cannot be written");
        }
        self.changed.notify_waiters();
    }
}

/// Checks that budgets have what they need.
///
/// # Errors
/// If a budget of money has no prices, or a shared one no ledger.
pub fn check_budgets(settings: &LlmSettings) -> Result<(), LlmError> {
    let needs_prices = [settings.match_budget, settings.budget, settings.shared_budget];
    let has_prices = settings.prompt_price.is_some() && settings.completion_price.is_some();
    if needs_prices.iter().any(Option::is_some) && !has_prices {
        return Err(LlmError::NoPrices);
    }
    let is_shared = settings.shared_budget.is_some() || settings.shared_token_budget.is_some();
    if is_shared && settings.shared_ledger.is_none() {
        return Err(LlmError::NoSharedLedger);
    }
    Ok(())
}

/// The most that a model can cost, as far as budgets bound it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostBound {
    limit: Limit,
}

impl CostBound {
    /// Returns what the budgets of some settings leave for so many matches; any number if that is not known.
    pub fn of_settings(settings: &LlmSettings, matches: Option<u64>) -> Self {
        let of_match = Limit::new(settings.match_token_budget, settings.match_budget);
        let of_matches = Limit {
            tokens: of_match.tokens.and_then(|tokens| tokens.checked_mul(matches?)),
            money: of_match.money.and_then(|money| money.checked_mul(matches?.into())),
        };
        let of_bot = Limit::new(settings.token_budget, settings.budget);
        let of_all = Limit::new(settings.shared_token_budget, settings.shared_budget);
        Self { limit: of_matches.tighter(of_bot).tighter(of_all) }
    }

    /// Returns the bound for several models, of which a budget may bound the sum.
    pub fn of_all(bounds: &[Self], tokens: Option<u64>, money: Option<Decimal>) -> Self {
        let tokens_of_all = bounds
            .iter()
            .try_fold(0_u64, |sum, bound| bound.limit.tokens.map(|tokens| sum.saturating_add(tokens)));
        let money_of_all = bounds
            .iter()
            .try_fold(0_u128, |sum, bound| bound.limit.money.map(|money| sum.saturating_add(money)));
        let limit = Limit { tokens: tokens_of_all, money: money_of_all };
        Self { limit: limit.tighter(Limit::new(tokens, money)) }
    }

    /// Makes its JSON; null stands for what is not bounded.
    pub fn to_json(self) -> Value {
        let money = self.limit.money.map(|money| Amount { tokens: 0, money }.money_as_f64());
        json!({ "tokens": self.limit.tokens, "money": money })
    }
}

impl fmt::Display for CostBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let money =
            self.limit.money.map(|money| format!("{} of money", Amount { tokens: 0, money }.money_text()));
        let tokens = self.limit.tokens.map(|tokens| format!("{tokens} tokens"));
        match (money, tokens) {
            (None, None) => f.write_str("without a budget"),
            (Some(money), Some(tokens)) => write!(f, "at most {money} and {tokens}"),
            (Some(bound), None) | (None, Some(bound)) => write!(f, "at most {bound}"),
        }
    }
}

fn open_ledger(path: &Path) -> Result<Ledger, LlmError> {
    Ledger::open(path).map_err(|error| LlmError::Ledger { path: path.to_owned(), reason: error.to_string() })
}

fn budget_failure(detail: String) -> CallFailure {
    CallFailure::new(FailureClass::Budget, detail)
}

/// What is kept of the budgets for a call. Unless it is settled, the call counts as having cost all of it.
#[derive(Debug)]
#[must_use = "what is kept counts as spent when this is dropped"]
pub struct Reservation<'a> {
    budget: &'a BotBudget,
    match_id: MatchId,
    need: Amount,
    is_open: bool,
}

impl Reservation<'_> {
    fn names(&self) -> [String; 2] {
        [self.match_id.to_string(), TOTAL.to_owned()]
    }

    fn forget(mut self) {
        self.is_open = false;
    }

    /// Ends it with what the call has cost; `None` if that is not known. Returns what counts as spent.
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
        Amount { tokens, money: 0 }
    }

    #[tokio::test(start_paused = true)]
    async fn no_call_begins_that_could_exceed_a_budget() {
        let budget = budget(100, 60);
        let soon = Instant::now() + Duration::from_secs(1);
        budget.reserve(id(0), tokens(50), soon).await.unwrap().settle(Some(tokens(20)));
        // It is not known what this one has cost.
        drop(budget.reserve(id(0), tokens(30), soon).await.unwrap());
        let full = budget.reserve(id(0), tokens(11), soon).await.unwrap_err();
        assert_eq!(
            (full.class, full.detail.contains("of the match")),
            (FailureClass::Budget, true),
            "{full:?}"
        );
        budget.reserve(id(1), tokens(45), soon).await.unwrap().settle(None);
        let full = budget.reserve(id(2), tokens(6), soon).await.unwrap_err();
        assert!(full.detail.contains("of the bot"), "{full:?}");
        budget.reserve(id(2), tokens(5), soon).await.unwrap().settle(Some(tokens(0)));
        assert_eq!(budget.spent().tokens, 95);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_what_others_hold() {
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
        // What is held for too long is as good as spent.
        let held = budget.reserve(id(0), tokens(80), later).await.unwrap();
        let soon = Instant::now() + Duration::from_secs(1);
        assert_eq!(budget.reserve(id(1), tokens(80), soon).await.unwrap_err().class, FailureClass::Budget);
        assert!(Instant::now() >= soon);
        assert_eq!(held.settle(None).tokens, 80, "what is not known counts as all that was held");
    }
}
