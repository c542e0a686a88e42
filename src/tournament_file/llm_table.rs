//! The table `[llm]`, which limits all models of a tournament together.

use crate::toml_file::{TomlDocument, member_path};
use lastnim_config::{Decimal, SettingValue};
use lastnim_llm::{CostBound, LlmSettings};
use serde_json::{Value, json};
use std::{ops::RangeInclusive, path::Path, time::Duration};

/// The name of the table.
const TABLE_NAME: &str = "llm";
/// The keys of the table. All of them may be amended during a run.
pub const LLM_TABLE_KEYS: [&str; 4] = ["budget", "token_budget", "reply_token_budget", "outage_limit"];
/// The longest outage limit, in milliseconds: 29 days.
const MAX_OUTAGE_MILLIS: u64 = 29 * 86_400_000;

/// Limits that apply to all models of a tournament together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmTable {
    /// The maximum cost of all models together.
    pub budget: Option<Decimal>,
    /// The maximum number of tokens that all models may use together.
    pub token_budget: Option<u64>,
    /// The maximum number of tokens of the replies of all models together.
    pub reply_token_budget: Option<u64>,
    /// How long a model's endpoint may fail before the run stops.
    pub outage_limit: Duration,
}

impl Default for LlmTable {
    fn default() -> Self {
        Self {
            budget: None,
            token_budget: None,
            reply_token_budget: None,
            outage_limit: Duration::from_hours(24),
        }
    }
}

impl LlmTable {
    /// Reads the table and reports its mistakes.
    pub fn read(toml: &mut TomlDocument) -> Self {
        let mut table = Self::default();
        if toml.has_table(TABLE_NAME, &LLM_TABLE_KEYS) {
            set_value(&mut table.budget, LLM_TABLE_KEYS[0], 0..=u64::MAX, toml);
            set_value(&mut table.token_budget, LLM_TABLE_KEYS[1], 0..=u64::MAX, toml);
            set_value(&mut table.reply_token_budget, LLM_TABLE_KEYS[2], 0..=u64::MAX, toml);
            set_value(&mut table.outage_limit, LLM_TABLE_KEYS[3], 0..=MAX_OUTAGE_MILLIS, toml);
        }
        table
    }

    /// Returns whether the models have a shared budget.
    pub fn has_budget(&self) -> bool {
        self.budget.is_some() || self.token_budget.is_some() || self.reply_token_budget.is_some()
    }

    /// Returns the settings of a model, with the shared budgets and their ledger added.
    pub fn shared_settings(&self, settings: &LlmSettings, ledger: &Path) -> LlmSettings {
        LlmSettings {
            shared_budget: self.budget,
            shared_token_budget: self.token_budget,
            shared_reply_token_budget: self.reply_token_budget,
            shared_ledger: self.has_budget().then(|| ledger.to_owned()),
            ..settings.clone()
        }
    }

    /// Returns the most that models with these settings may spend in this number of matches; `None` if there are no
    /// models.
    pub fn cost_bound<'a>(
        &self,
        models: impl Iterator<Item = &'a LlmSettings>,
        matches: Option<u64>,
    ) -> Option<CostBound> {
        let models: Vec<_> = models.map(|settings| self.shared_settings(settings, Path::new(""))).collect();
        (!models.is_empty()).then(|| CostBound::of_all(&models, matches))
    }

    /// Returns the table as JSON.
    pub fn to_json(self) -> Value {
        json!({
            LLM_TABLE_KEYS[0]: self.budget.to_json(),
            LLM_TABLE_KEYS[1]: self.token_budget.to_json(),
            LLM_TABLE_KEYS[2]: self.reply_token_budget.to_json(),
            LLM_TABLE_KEYS[3]: self.outage_limit.to_json(),
        })
    }
}

fn set_value(
    setting: &mut impl SettingValue,
    key: &str,
    range: RangeInclusive<u64>,
    toml: &mut TomlDocument,
) {
    let path = member_path(TABLE_NAME, key);
    let Some(value) = toml.get(&path).cloned() else { return };
    if let Err(error) = setting.set(&value, &range) {
        toml.report_mistake(&path, error);
    }
}
