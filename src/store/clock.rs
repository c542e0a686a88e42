//! `lastnim store repair-clock`, and the check that the clock fits a store.

use super::command::{StoreLocation, open_for_writing, store_failure};
use crate::{CommandExit, CommandResult, Failure, form::OutputFormat};
use lastnim_core::referee::Timestamp;
use lastnim_report::words::count_with_noun;
use lastnim_store::{
    Change, ClockFit, LaterTimes, Store, StoreError, StoreUrl, StoredClock, approximate_duration,
};
use serde_json::json;
use std::{io::Write as _, time::SystemTime};

/// Returns the current time.
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX))
}

/// Fails if the clock is so far ahead of the latest time in a store that it is probably wrong.
pub async fn check_clock(store: &StoreUrl, opened: &dyn Store) -> Result<(), Failure> {
    let clock = opened.clock().await.map_err(|error| store_failure(store, error))?;
    let ClockFit::Ahead(ahead) = clock.fit(now()) else { return Ok(()) };
    Err(Failure::Runtime(anyhow::anyhow!(
        "--store {store}: the clock is {} ahead of the latest time in the store; if the clock is right, run `lastnim store repair-clock` first",
        approximate_duration(ahead)
    )))
}

/// Repairs the times in a store on the assumption that the clock is right. Unsigned times in the future become the
/// present time, and all time since the latest stored time counts as age.
pub async fn repair_clock(store: &StoreLocation, form: OutputFormat) -> CommandResult {
    let opened = open_for_writing(store, ": only a store that no server has open can be repaired").await?;
    let store = &store.url;
    let repaired = repair_times(opened.as_ref()).await;
    opened.close().await;
    let (StoredClock { latest, .. }, LaterTimes { unsigned, matches }) =
        repaired.map_err(|error| store_failure(store, error))?;
    let json = || {
        json!({
            "store": store.to_string(),
            "latest_us": latest.map(Timestamp::as_micros),
            "times_set_back": unsigned,
            "matches_left": matches,
        })
    };
    form.print_result(json, |output| {
        writeln!(output, "{} set back", count_with_noun(unsigned, "timestamp was", "timestamps were"))?;
        if matches > 0 {
            let matches =
                count_with_noun(matches, "match still has timestamps in the future", "matches still have timestamps in the future");
            writeln!(
                output,
                "{matches}: the records are not changed, so pruning by age removes them later than other matches"
            )?;
        }
        Ok(())
    })?;
    Ok(CommandExit::Done)
}

/// Sets future timestamps to the current time. Returns the stored clock from before the repair, and how many timestamps
/// were in the future.
async fn repair_times(store: &dyn Store) -> Result<(StoredClock, LaterTimes), StoreError> {
    let at = now();
    let found = (store.clock().await?, store.later_times(at).await?);
    store.write(&[Change::ClockRepaired { at }]).await?;
    Ok(found)
}
