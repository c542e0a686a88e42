//! The table `[llm]`: the limits of all models of a tournament together.

use super::player::{BotOrigin, PlayerEntry};
use crate::toml_file::{TomlDocument, member_path};
use lastnim_config::{Decimal, SettingValue};
use lastnim_llm::{CostBound, LlmSettings};
use serde_json::{Value, json};
use std::{ops::RangeInclusive, path::Path};

/// The table.
const TABLE: &str = "llm";
/// Its keys.
const KEYS: [&str; 3] = ["budget", "token_budget", "replays"];
/// The limit of replays of a duplicate group.
const MAX_REPLAYS: u64 = 100;

/// The limits of all models of a tournament together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmTable {
    /// Maximum cost.
    pub money: Option<Decimal>,
    /// Maximum tokens.
    pub tokens: Option<u64>,
    /// The maximum number of replays of a duplicate group in which a model's endpoint failed.
    pub replays: u8,
}

impl Default for LlmTable {
    fn default() -> Self {
        Self { money: None, tokens: None, replays: 2 }
    }
}

impl LlmTable {
    /// Reads the table and reports its mistakes.
    pub fn read(toml: &mut TomlDocument) -> Self {
        let mut table = Self::default();
        if toml.has_table(TABLE, &KEYS) {
            set_value(&mut table.money, KEYS[0], 0..=u64::MAX, toml);
            set_value(&mut table.tokens, KEYS[1], 0..=u64::MAX, toml);
            set_value(&mut table.replays, KEYS[2], 0..=MAX_REPLAYS, toml);
        }
        table
    }

    /// Returns whether the total cost of the models is bounded.
    pub fn has_budget(&self) -> bool {
        self.money.is_some() || self.tokens.is_some()
    }

    /// Returns the settings of a model with the shared budgets and their ledger.
    pub fn shared_settings(&self, settings: &LlmSettings, ledger: &Path) -> LlmSettings {
        LlmSettings {
            shared_budget: self.money,
            shared_token_budget: self.tokens,
            shared_ledger: self.has_budget().then(|| ledger.to_owned()),
            ..settings.clone()
        }
    }

    /// Returns the maximum cost of the models of some bots in a number of matches; `None` if there is no model.
    pub fn cost_bound(&self, players: &[PlayerEntry], matches: Option<u64>) -> Option<CostBound> {
        let models = players.iter().filter_map(|player| match &player.origin {
            BotOrigin::Llm(settings, _) => Some(CostBound::of_settings(settings, matches)),
            _ => None,
        });
        let bounds: Vec<_> = models.collect();
        (!bounds.is_empty()).then(|| CostBound::of_all(&bounds, self.tokens, self.money))
    }

    /// Returns its JSON.
    pub fn to_json(self) -> Value {
        let mut json = json!({ KEYS[0]: self.money.to_json(), KEYS[1]: self.tokens.to_json() });
        // Left out if it is the default, so that runs of older programs can continue.
        if self.replays != Self::default().replays {
            json[KEYS[2]] = self.replays.into();
        }
        json
    }
}

fn set_value(
    setting: &mut impl SettingValue,
    key: &str,
    range: RangeInclusive<u64>,
    toml: &mut TomlDocument,
) {
    let path = member_path(TABLE, key);
    let Some(value) = toml.get(&path).cloned() else { return };
    if let Err(error) = setting.set(&value, &range) {
        toml.report_mistake(&path, error);
    }
}
