//! `lastnim store stats`.

use super::command::{StoreLocation, open_for_reading, store_failure};
use crate::{CommandExit, CommandResult, form::OutputFormat};
use lastnim_report::{Cell, Column, Section, Table, words::format_time};
use lastnim_store::{MatchCounts, Store, StoreError, StoreSize, StoreUrl, StoredTournament};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The maximum number of tournaments or bots that one query reads.
const PAGE_SIZE: usize = 500;

/// The statistics of a store.
struct StoreStats {
    size: StoreSize,
    bots: usize,
    tournaments: Vec<StoredTournament>,
    counts: Vec<MatchCounts>,
}

/// Measures a store and prints the result.
pub async fn print_stats(store: &StoreLocation, form: OutputFormat) -> CommandResult {
    let reader = open_for_reading(store).await?;
    let store = &store.url;
    let measuring = async {
        Ok(StoreStats {
            size: reader.size().await?,
            bots: bot_count(reader.as_ref()).await?,
            tournaments: all_tournaments(reader.as_ref()).await?,
            counts: reader.match_counts().await?,
        })
    };
    let stats = measuring.await.map_err(|error| store_failure(store, error))?;
    form.print_report(|| stats.json(store), || stats.section().into())?;
    Ok(CommandExit::Done)
}

async fn bot_count(store: &dyn Store) -> Result<usize, StoreError> {
    let (mut count, mut after) = (0, None);
    loop {
        let page = store.bots(after.as_ref(), PAGE_SIZE).await?;
        count += page.len();
        let Some(last) = page.into_iter().next_back() else { return Ok(count) };
        after = Some(last.name);
    }
}

/// Returns the tournaments, the newest first.
async fn all_tournaments(store: &dyn Store) -> Result<Vec<StoredTournament>, StoreError> {
    let mut all: Vec<StoredTournament> = Vec::new();
    loop {
        let mut page = store.tournaments(all.last().map(|last| last.id), PAGE_SIZE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.append(&mut page);
    }
}

impl StoreStats {
    /// Returns the statistics of each tournament, newest first, and of other matches.
    fn rows(&self) -> Vec<(Option<&StoredTournament>, Option<&MatchCounts>)> {
        let counts: HashMap<_, _> = self.counts.iter().map(|counts| (counts.tournament, counts)).collect();
        let tournaments =
            self.tournaments.iter().map(|stored| (Some(stored), counts.get(&Some(stored.id)).copied()));
        let exhibitions = counts.get(&None).map(|&counts| (None, Some(counts)));
        tournaments.chain(exhibitions).collect()
    }

    fn sum(&self, part: impl Fn(&MatchCounts) -> u64) -> u64 {
        self.counts.iter().map(part).sum()
    }

    fn json(&self, store: &StoreUrl) -> Value {
        let rows = self.rows().into_iter().map(|(stored, counts)| {
            json!({
                "tournament_id": stored.map(|stored| stored.id.to_string()),
                "title": stored.map(|stored| stored.settings.title.to_string()),
                "state": stored.map(|stored| stored.state.to_string()),
                "matches": counts.map_or(0, |counts| counts.matches),
                "unfinished_matches": counts.map_or(0, |counts| counts.unfinished),
                "quarantined_matches": counts.map_or(0, |counts| counts.quarantined),
                "pruned_matches": counts.map_or(0, |counts| counts.pruned),
                "plies": counts.map_or(0, |counts| counts.plies),
                "oldest_at_us": counts.map(|counts| counts.oldest.as_micros()),
                "newest_at_us": counts.map(|counts| counts.newest.as_micros()),
            })
        });
        json!({
            "store": store.to_string(),
            "bytes": self.size.bytes,
            "free_bytes": self.size.free_bytes,
            "bots": self.bots,
            "matches": self.sum(|counts| counts.matches),
            "plies": self.sum(|counts| counts.plies),
            "tournaments": rows.collect::<Vec<_>>(),
        })
    }

    fn section(&self) -> Section {
        let mebibytes = |bytes: u64| format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20);
        let facts = [
            ("size", mebibytes(self.size.bytes)),
            ("of that free", mebibytes(self.size.free_bytes)),
            ("bots", self.bots.to_string()),
            ("matches", self.sum(|counts| counts.matches).to_string()),
            ("takes", self.sum(|counts| counts.plies).to_string()),
        ];
        let rows = self.rows();
        let number = |part: fn(&MatchCounts) -> u64| {
            move |row: &(Option<&StoredTournament>, Option<&MatchCounts>)| row.1.map_or(0, part)
        };
        let time = |row: Option<u64>| row.map_or(Cell::NONE, |micros| Cell::from(format_time(micros)));
        let table = Table::of_items(&rows)
            .column(Column::text("tournament"), |row| {
                row.0.map_or_else(|| "(exhibitions)".to_owned(), |stored| stored.id.to_string())
            })
            .column(Column::text("title"), |row| row.0.map(|stored| stored.settings.title.to_string()))
            .column(Column::text("state"), |row| row.0.map(|stored| stored.state.to_string()))
            .column(Column::integer("matches"), number(|counts| counts.matches))
            .column(Column::integer("not over"), number(|counts| counts.unfinished))
            .column(Column::integer("quarantined"), number(|counts| counts.quarantined))
            .column(Column::integer("pruned"), number(|counts| counts.pruned))
            .column(Column::integer("takes"), number(|counts| counts.plies))
            .column(Column::text("oldest (UTC)"), |row| time(row.1.map(|counts| counts.oldest.as_micros())))
            .column(Column::text("newest (UTC)"), |row| time(row.1.map(|counts| counts.newest.as_micros())))
            .into_table();
        Section::new().facts(facts).table(table)
    }
}
