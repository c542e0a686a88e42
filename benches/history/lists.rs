//! The cost of a list of matches, by filter.

use super::{FIELD, ROUNDS, fill, postgres::PostgresServer};
use anyhow::Context as _;
use lastnim_core::{
    game::{BotName, MatchId, TournamentId},
    referee::EndReason,
};
use lastnim_proto::ListedState;
use lastnim_store::{Change, MatchFilter, RetentionLimits, Store};
use std::time::Instant;

/// One in this many matches is voided.
const VOIDED_EVERY: usize = 1_000;
/// The number of matches per page, plus one that shows whether another page follows.
const PAGE: usize = 101;

/// Fills databases with matches, and measures lists of them.
pub async fn measure_stores(sqlite: &str, matches: usize) -> anyhow::Result<()> {
    let server = PostgresServer::start();
    let postgres = server.as_ref().map(|server| server.create_database("lists"));
    for url in std::iter::once(sqlite.to_owned()).chain(postgres) {
        let store = lastnim_store::open_store(&url.parse()?, RetentionLimits::default()).await?;
        let (matches, _) = fill(store.as_ref(), matches).await?;
        println!("{}: {matches} finished matches", url.split(':').next().unwrap_or_default());
        measure_lists(store.as_ref()).await?;
        store.close().await;
    }
    Ok(())
}

/// Voids some matches of a store, and prints the times of lists: the median for the first page and for all pages, and
/// their number of matches.
async fn measure_lists(store: &dyn Store) -> anyhow::Result<()> {
    let mut voided = Vec::new();
    let (mut before, mut newest) = (None, None);
    loop {
        let page = store.match_summaries(&MatchFilter::default(), before, VOIDED_EVERY).await?;
        let Some(last) = page.last() else { break };
        newest = newest.or(page.first().cloned());
        before = Some(last.id);
        voided.push(Change::MatchVoided { id: last.id, reason: "measured".parse()? });
    }
    store.write(&voided).await?;
    let setup = newest.and_then(|newest| newest.setup).context("the store has no matches")?;
    let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
    let bots = (0..FIELD).map(|bot| format!("bot-{bot}").parse()).collect::<Result<Vec<BotName>, _>>()?;
    let stranger: BotName = "stranger".parse()?;
    let filter = |tournament: Option<TournamentId>, bots: &[&BotName], state, reason| MatchFilter {
        tournament,
        bots: bots.iter().copied().cloned().collect(),
        state,
        reason,
    };
    let [one, two, three, four] = [&bots[0], &bots[1], &bots[2], &bots[3]];
    let (over, is_voided) = (Some(ListedState::Over), Some(ListedState::Voided));
    let (finished, cancelled) = (Some(EndReason::Finished), Some(EndReason::Cancelled));
    for (name, filter) in [
        ("all", filter(None, &[], None, None)),
        ("over", filter(None, &[], over, None)),
        ("voided", filter(None, &[], is_voided, None)),
        ("cancelled (no match)", filter(None, &[], None, cancelled)),
        ("finished", filter(None, &[], None, finished)),
        ("a bot", filter(None, &[one], None, None)),
        ("two bots", filter(None, &[one, two], None, None)),
        ("four bots (no match)", filter(None, &[one, two, three, four], None, None)),
        ("a bot and an unknown bot (no match)", filter(None, &[one, &stranger], None, None)),
        ("a bot, voided", filter(None, &[one], is_voided, None)),
        ("a bot, cancelled (no match)", filter(None, &[one], None, cancelled)),
        ("a tournament", filter(tournament, &[], None, None)),
        ("a tournament, voided", filter(tournament, &[], is_voided, None)),
        ("a tournament, finished", filter(tournament, &[], None, finished)),
        ("a tournament, cancelled (no match)", filter(tournament, &[], None, cancelled)),
        ("a tournament and a bot, over", filter(tournament, &[one], over, None)),
    ] {
        let mut first_pages = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            store.match_summaries(&filter, None, PAGE).await?;
            first_pages.push(began.elapsed());
        }
        first_pages.sort_unstable();
        let (mut before, mut matches, began): (Option<MatchId>, _, _) = (None, 0, Instant::now());
        loop {
            let page = store.match_summaries(&filter, before, PAGE).await?;
            matches += page.len();
            let Some(last) = page.last().filter(|_| page.len() == PAGE) else { break };
            before = Some(last.id);
        }
        println!(
            "{name:>34} {:>9.2} ms per page {:>9.0} ms for all {matches:>8} matches",
            first_pages[ROUNDS / 2].as_secs_f64() * 1e3,
            began.elapsed().as_secs_f64() * 1e3,
        );
    }
    Ok(())
}
