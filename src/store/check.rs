//! `lastnim store check`.

use super::command::{StoreLocation, open_for_reading, store_failure};
use crate::{CommandExit, CommandResult, Failure, form::OutputFormat, progress::StatusLine};
use lastnim_report::{Section, words::count_with_noun};
use lastnim_store::{StoreCheck, StoreUrl, check_store};
use serde_json::{Value, json};

/// Checks a store and prints the result.
pub async fn check_and_print(store: &StoreLocation, form: OutputFormat) -> CommandResult {
    let reader = open_for_reading(store).await?;
    let store = &store.url;
    let line = StatusLine::show("checking every match");
    let found = check_store(reader.as_ref()).await.map_err(|error| store_failure(store, error))?;
    drop(line);
    form.print_report(|| check_json(store, &found), || store_check_section(&found).into())?;
    fail_if_damaged(store, &found)?;
    Ok(CommandExit::Done)
}

/// Fails if a check has found damage.
pub fn fail_if_damaged(store: &StoreUrl, found: &StoreCheck) -> Result<(), Failure> {
    let Some(first) = found.described_faults.first() else { return Ok(()) };
    let more = match found.fault_count - 1 {
        0 => String::new(),
        more => format!(" (and {})", count_with_noun(more, "more damaged place", "more damaged places")),
    };
    Err(Failure::Runtime(anyhow::anyhow!("--store {store}: {first}{more}")))
}

/// Returns the number of records that each key has signed, sorted by key.
fn sorted_signers(found: &StoreCheck) -> Vec<(String, u64)> {
    let mut signers: Vec<_> =
        found.signers.iter().map(|(key, &records)| (key.to_string(), records)).collect();
    signers.sort();
    signers
}

fn check_json(store: &StoreUrl, found: &StoreCheck) -> Value {
    let signers = sorted_signers(found).into_iter();
    let signers: Vec<_> =
        signers.map(|(key, records)| json!({ "public_key": key, "records": records })).collect();
    json!({
        "store": store.to_string(),
        "matches": found.matches,
        "unfinished_matches": found.unfinished,
        "events": found.events,
        "quarantined_matches": found.quarantined,
        "pruned_matches": found.pruned,
        "signers": signers,
        "damages": found.fault_count,
        "damaged": found.described_faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn store_check_section(found: &StoreCheck) -> Section {
    let facts = [
        ("matches", found.matches.to_string()),
        ("not over", found.unfinished.to_string()),
        ("events", found.events.to_string()),
        ("quarantined", found.quarantined.to_string()),
        ("pruned", found.pruned.to_string()),
        ("damages", found.fault_count.to_string()),
    ];
    let signers = sorted_signers(found).into_iter();
    let signers = signers.map(|(key, records)| ("signed by", format!("{key} ({records})")));
    let section = Section::new().facts(facts.into_iter().chain(signers));
    if found.described_faults.is_empty() {
        section
    } else {
        section.list(found.described_faults.iter().map(ToString::to_string))
    }
}
