//! The table `[llm]`: what all models of a tournament may cost together.

use super::player::{BotOrigin, PlayerEntry};
use crate::{
    cli::toml_file::{TomlDocument, member_path},
    config::{Decimal, SettingValue},
    llm::{CostBound, LlmSettings},
};
use serde_json::{Value, json};
use std::path::Path;

/// The table.
const TABLE: &str = "llm";
/// Its keys.
const KEYS: [&str; 2] = ["budget", "token_budget"];

/// What all models of a tournament may cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LlmBudget {
    /// The most money.
    pub money: Option<Decimal>,
    /// The most tokens.
    pub tokens: Option<u64>,
}

impl LlmBudget {
    /// Reads the table, and reports what is wrong with it.
    pub fn read(toml: &mut TomlDocument) -> Self {
        let mut budget = Self::default();
        if toml.has_table(TABLE, &KEYS) {
            set_value(&mut budget.money, KEYS[0], toml);
            set_value(&mut budget.tokens, KEYS[1], toml);
        }
        budget
    }

    /// Returns whether anything bounds the models together.
    pub fn is_set(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the settings of a model that shares the budget, with the ledger that those who share it have in common.
    pub fn shared_settings(&self, settings: &LlmSettings, ledger: &Path) -> LlmSettings {
        LlmSettings {
            shared_budget: self.money,
            shared_token_budget: self.tokens,
            shared_ledger: self.is_set().then(|| ledger.to_owned()),
            ..settings.clone()
        }
    }

    /// Returns the most that the models of some bots can cost together in so many matches; none if there is no model.
    pub fn cost_bound(&self, players: &[PlayerEntry], matches: Option<u64>) -> Option<CostBound> {
        let models = players.iter().filter_map(|player| match &player.origin {
            BotOrigin::Llm(settings, _) => Some(CostBound::of_settings(settings, matches)),
            _ => None,
        });
        let bounds: Vec<_> = models.collect();
        (!bounds.is_empty()).then(|| CostBound::of_all(&bounds, self.tokens, self.money))
    }

    /// Makes its JSON.
    pub fn to_json(self) -> Value {
        json!({ KEYS[0]: self.money.to_json(), KEYS[1]: self.tokens.to_json() })
    }
}

fn set_value(setting: &mut impl SettingValue, key: &str, toml: &mut TomlDocument) {
    let path = member_path(TABLE, key);
    let Some(value) = toml.get(&path).cloned() else { return };
    if let Err(error) = setting.set(&value, &(0..=u64::MAX)) {
        toml.report_mistake(&path, error);
    }
}
