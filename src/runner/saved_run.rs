//! The saved state of a run, apart from its store.

use crate::{Failure, new_file::AtomicFile};
use lastnim_client::text_input::read_text_file;
use lastnim_proto::tournament_settings::{TournamentSetting, all_settings};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, io, net::SocketAddr, path::Path};

/// The format in which this is written.
const FORM: u32 = 2;

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
    /// When this run has paused the tournament on another's server, because it was left: the time of the event, in
    /// microseconds since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at_us: Option<u64>,
}

impl SavedRun {
    /// Saves a new run.
    pub fn new(plan: Value, server: Option<String>) -> Self {
        let (listened_on, tournament, registered) = (None, None, BTreeSet::new());
        Self { form: FORM, plan, server, listened_on, tournament, registered, paused_at_us: None }
    }

    /// Reads the saved run, if any.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match read_text_file(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::runtime(error, path.display())),
        };
        let kept = serde_json::from_str::<Self>(&text).ok().filter(|kept| kept.form == FORM);
        kept.map(Some).ok_or_else(|| {
            let what = "this run belongs to another version of lastnim: --fresh starts again";
            Failure::Runtime(anyhow::Error::msg(format!("{}: {what}", path.display())))
        })
    }

    /// Writes it, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| Failure::runtime(error, path.display()))?;
        AtomicFile::write(path, &format!("{text}\n"))
    }

    /// Returns the keys of the file that changed since the run was saved.
    pub fn changed_keys(&self, plan: &Value) -> Vec<String> {
        let mut changed = changed_json_keys(&self.plan["settings"], &plan["settings"]);
        if self.plan["bots"] != plan["bots"] {
            changed.push("bot".to_owned());
        }
        if changed.is_empty() && self.plan != *plan {
            changed.push("settings".to_owned());
        }
        changed
    }
}

fn changed_json_keys(before: &Value, now: &Value) -> Vec<String> {
    let is_changed = |setting: &&TournamentSetting| {
        let field = setting.field.split('.').next().unwrap_or_default();
        before[field] != now[field]
    };
    let places = all_settings().filter(is_changed).filter_map(TournamentSetting::file_place);
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
    fn what_changed_is_named_by_its_key() {
        let plan = json!({ "settings": { "seed": 1, "paper_positions": {}, "swiss": {} }, "bots": [1] });
        let kept = SavedRun::new(plan.clone(), None);
        assert_eq!(kept.changed_keys(&plan), Vec::<String>::new());
        let other = json!({ "settings": { "seed": 2, "positions": [3], "ladder": {} }, "bots": [2] });
        assert_eq!(kept.changed_keys(&other), ["format", "positions", "seed", "bot"]);
    }

    #[test]
    fn what_is_kept_is_read_as_it_was_written() {
        let path = std::env::temp_dir().join(format!("lastnim-kept-{}.json", std::process::id()));
        assert_eq!(SavedRun::read(&path).unwrap(), None);
        let mut kept = SavedRun::new(json!({ "settings": {} }), Some("host:1".into()));
        kept.registered.insert("alice".into());
        kept.write(&path).unwrap();
        assert_eq!(SavedRun::read(&path).unwrap(), Some(kept.clone()));
        kept.form = FORM + 1;
        kept.write(&path).unwrap();
        let refused = SavedRun::read(&path).unwrap_err().to_string();
        assert!(refused.contains("--fresh starts again"), "{refused}");
        fs::remove_file(&path).unwrap();
    }
}
