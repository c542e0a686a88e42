//! What standings computed from records have in common with those of the server.

use serde_json::Value;

/// Removes what only the server knows from printed standings: the state and the progress of the tournament. Text stays as
/// it is, since it has these only while the tournament runs.
pub fn without_progress(printed: &str) -> Value {
    let Ok(mut standings) = serde_json::from_str::<Value>(printed) else { return Value::from(printed) };
    for key in ["state", "matches_played", "matches_total"] {
        assert!(
            standings.as_object_mut().and_then(|members| members.remove(key)).is_some(),
            "{key} is missing"
        );
    }
    standings
}
