//! The saved state of a run, apart from its store.

use crate::{Failure, new_file::AtomicFile, tournament_file::llm_table::LLM_TABLE_KEYS};
use lastnim_client::text_input::read_text_file;
use lastnim_llm::AMENDABLE_SETTINGS;
use lastnim_proto::tournament_settings::{TournamentSetting, all_settings};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, fmt, io, net::SocketAddr, path::Path};

/// The format version of the saved state.
const FORMAT_VERSION: u32 = 2;

/// The saved state of a run, without tokens: each start of a bot replaces its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRun {
    form: u32,
    /// The tournament and its bots, as `lastnim tournament check --json` prints them.
    pub plan: Value,
    /// The server, unless it is the run's own.
    pub server: Option<String>,
    /// The last address of the run's own server, where remote bots look for it.
    pub listened_on: Option<SocketAddr>,
    /// The tournament, once there is one.
    pub tournament: Option<String>,
    /// The bots that runs have registered on the server.
    pub registered: BTreeSet<String>,
    /// When this run paused the tournament, because the run was stopped or a model's endpoint failed, in microseconds
    /// since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at_us: Option<u64>,
    /// The number of the tournament's events just before this run froze it; present only until the run knows the time
    /// of the freeze.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freezes_after: Option<u64>,
    /// The changes that the organiser made to the file since the run began, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<Amendment>,
}

/// A setting of a model that was changed while the tournament was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendment {
    /// When the changed file was first run, in microseconds since 1970-01-01 UTC.
    pub at_us: u64,
    /// The bot; `None` for the table `[llm]`.
    pub bot: Option<String>,
    /// The key of the setting.
    pub key: String,
    /// The earlier value; null for the default.
    pub before: Value,
    /// The new value; null for the default.
    pub after: Value,
}

impl fmt::Display for Amendment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bot, key, before, after, .. } = self;
        let table = bot.as_ref().map_or_else(|| "[llm]".to_owned(), |bot| format!("bot {bot}"));
        let [before, after] = [before, after].map(|value| match value {
            Value::Null => "the default".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        write!(f, "{table}: {key} from {before} to {after}")
    }
}

impl SavedRun {
    /// Creates the state of a new run, without writing it to a file.
    pub fn new(plan: Value, server: Option<String>) -> Self {
        let (listened_on, tournament, registered) = (None, None, BTreeSet::new());
        Self {
            form: FORMAT_VERSION,
            plan,
            server,
            listened_on,
            tournament,
            registered,
            paused_at_us: None,
            freezes_after: None,
            amendments: Vec::new(),
        }
    }

    /// Reads the saved run, if any.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match read_text_file(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::runtime(error, path.display())),
        };
        let kept = serde_json::from_str::<Self>(&text).ok().filter(|kept| kept.form == FORMAT_VERSION);
        kept.map(Some).ok_or_else(|| {
            let what = "this saved run is damaged, or another version of lastnim wrote it: use --fresh to start again";
            Failure::Runtime(anyhow::Error::msg(format!("{}: {what}", path.display())))
        })
    }

    /// Writes the file atomically.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| Failure::runtime(error, path.display()))?;
        AtomicFile::write(path, &format!("{text}\n"))
    }

    /// Changes the run that is saved in a file; does nothing if there is no file.
    pub fn update(path: &Path, change: impl FnOnce(&mut Self)) -> Result<(), Failure> {
        if let Some(mut saved) = Self::read(path)? {
            change(&mut saved);
            saved.write(path)?;
        }
        Ok(())
    }

    /// Returns the bots of the file that play with models.
    pub fn model_bots(&self) -> impl Iterator<Item = &str> {
        let bots = self.plan["bots"].as_array().into_iter().flatten();
        bots.filter(|bot| !bot["llm"].is_null()).filter_map(|bot| bot["name"].as_str())
    }

    /// Returns the keys of the file that changed since the run was saved, apart from those that may be amended.
    pub fn changed_keys(&self, plan: &Value) -> Vec<String> {
        let mut changed = changed_setting_keys(&self.plan["settings"], &plan["settings"]);
        let [before, now] = [&self.plan, plan].map(without_amendable_settings);
        for (member, key) in [("bots", "bot"), ("sandbox", "sandbox")] {
            if before[member] != now[member] {
                changed.push(key.to_owned());
            }
        }
        if changed.is_empty() && before != now {
            changed.push("settings".to_owned());
        }
        changed
    }

    /// Returns those changes to a file that an organiser may make during a run.
    pub fn amendments(&self, plan: &Value, at_us: u64) -> Vec<Amendment> {
        let mut found = Vec::new();
        let mut compare = |bot: Option<&Value>, key: &str, before: &Value, after: &Value| {
            if before != after {
                let bot = bot.and_then(Value::as_str).map(str::to_owned);
                let (before, after) = (before.clone(), after.clone());
                found.push(Amendment { at_us, bot, key: key.to_owned(), before, after });
            }
        };
        let budget = |plan: &Value, key: &str| plan["models"]["budget"][key].clone();
        for key in LLM_TABLE_KEYS {
            compare(None, key, &budget(&self.plan, key), &budget(plan, key));
        }
        let bots = |plan: &Value| plan["bots"].as_array().cloned().unwrap_or_default();
        for (before, after) in bots(&self.plan).iter().zip(bots(plan)) {
            for key in AMENDABLE_SETTINGS {
                compare(Some(&after["name"]), key, &before["llm"][key], &after["llm"][key]);
            }
        }
        found
    }
}

/// Returns a plan without the settings that may be amended, and without values that follow from them.
fn without_amendable_settings(plan: &Value) -> Value {
    let mut plan = plan.clone();
    if let Some(plan) = plan.as_object_mut() {
        plan.remove("models");
    }
    for bot in plan.get_mut("bots").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(llm) = bot.get_mut("llm").and_then(Value::as_object_mut) {
            llm.retain(|key, _| !AMENDABLE_SETTINGS.contains(&key.as_str()));
        }
    }
    plan
}

/// Returns the keys and tables of the tournament file whose settings differ.
fn changed_setting_keys(before: &Value, now: &Value) -> Vec<String> {
    let is_changed = |setting: &&TournamentSetting| {
        let field = setting.field.split('.').next().unwrap_or_default();
        before[field] != now[field]
    };
    let places = all_settings().filter(is_changed).filter_map(TournamentSetting::file_key);
    let changed = places.map(|(table, name)| match table.split('.').next() {
        Some(table) if !table.is_empty() => table,
        _ => name,
    });
    changed.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn changes_are_named_by_their_keys() {
        let plan = json!({ "settings": { "seed": 1, "paper_positions": {}, "swiss": {} }, "bots": [1] });
        let kept = SavedRun::new(plan.clone(), None);
        assert_eq!(kept.changed_keys(&plan), Vec::<String>::new());
        let other = json!({ "settings": { "seed": 2, "positions": [3], "ladder": {} }, "bots": [2] });
        assert_eq!(kept.changed_keys(&other), ["format", "positions", "seed", "bot"]);
    }

    #[test]
    fn limits_of_models_may_be_amended() {
        let plan = |llm: Value, money: u64| {
            json!({
                "settings": { "seed": 1 },
                "bots": [{ "name": "g", "house": "greedy" }, { "name": "m", "llm": llm }],
                "models": { "budget": { "budget": money }, "cost": { "money": money } },
            })
        };
        let kept = SavedRun::new(plan(json!({ "model": "x", "budget": "5" }), 10), None);
        let amended = plan(json!({ "model": "x", "budget": "7.5", "retries": 9 }), 20);
        assert_eq!(kept.changed_keys(&amended), Vec::<String>::new());
        let changes: Vec<_> = kept.amendments(&amended, 3).iter().map(ToString::to_string).collect();
        let expected = [
            "[llm]: budget from 10 to 20",
            "bot m: retries from the default to 9",
            "bot m: budget from 5 to 7.5",
        ];
        assert_eq!(changes, expected);
        assert_eq!(kept.amendments(&kept.plan, 3), []);
        let other = plan(json!({ "model": "y", "budget": "5" }), 10);
        assert_eq!(kept.changed_keys(&other), ["bot"]);
    }

    #[test]
    fn a_saved_run_is_read_back() {
        let path = std::env::temp_dir().join(format!("lastnim-kept-{}.json", std::process::id()));
        assert_eq!(SavedRun::read(&path).unwrap(), None);
        let mut kept = SavedRun::new(json!({ "settings": {} }), Some("host:1".into()));
        kept.registered.insert("alice".into());
        kept.write(&path).unwrap();
        assert_eq!(SavedRun::read(&path).unwrap(), Some(kept.clone()));
        kept.form = FORMAT_VERSION + 1;
        kept.write(&path).unwrap();
        let refused = SavedRun::read(&path).unwrap_err().to_string();
        assert!(refused.contains("use --fresh to start again"), "{refused}");
        fs::remove_file(&path).unwrap();
    }
}
