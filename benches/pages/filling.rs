//! Filling a store with tournaments.

use super::playing::{MatchMaker, SEATS, settings};
use anyhow::Context as _;
use lastnim_core::{
    game::{BotName, BotProfile, TournamentId},
    referee::{Terms, Timestamp},
};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::{Change, RetentionLimits, Store, StoredBot, StoredTournament, Token, TournamentResult};
use lastnim_tournament::{
    BotComparison, Checkpoint, GroupCount, LadderPairing, LadderSettings, MatchResult, OpenMatches,
    ResultFold, RoundCount, Rulings, ScheduleStep, Streak, TableGroups, TournamentEvent, TournamentFormat,
    TournamentState, plan_schedule, snapshot_state,
};
use std::{mem, path::Path, sync::Arc, time::Instant};

/// Number of matches per write.
const BATCH: u64 = 2_000;

/// A tournament to play: its title, its format, its number of bots, and the number of matches after which it stops.
struct Planned {
    title: &'static str,
    format: TournamentFormat,
    bots: usize,
    paused_after: Option<u64>,
}

/// Fills a new store with approximately this many matches.
pub(crate) async fn fill_store(path: &Path, matches: u64) -> anyhow::Result<()> {
    let began = Instant::now();
    let url = format!("sqlite:{}", path.display());
    let store = lastnim_store::open_store(&url.parse()?, RetentionLimits::default()).await?;
    let field = field(1_000)?;
    let bot = |name: &BotName| StoredBot {
        name: name.clone(),
        registered_at: Timestamp::from_micros(1_600_000_000_000_000),
        token: Token::generate().hash(),
        profile: BotProfile::default(),
    };
    store.write(&field.iter().map(|name| Change::Bot(bot(name))).collect::<Vec<_>>()).await?;
    let mut maker = MatchMaker::new();
    for planned in planned_tournaments(matches)? {
        let (bots, title) = (&field[..planned.bots], planned.title);
        fill_tournament(store.as_ref(), planned, bots, &mut maker).await?;
        eprintln!("{title}: {} matches so far, {:.0} s", maker.played, began.elapsed().as_secs_f64());
    }
    store.close().await;
    Ok(())
}

/// Returns the bots `bot-0`, `bot-1` and so on.
fn field(bots: usize) -> anyhow::Result<Vec<BotName>> {
    (0..bots).map(|bot| Ok(format!("bot-{bot}").parse()?)).collect()
}

/// Returns the tournaments to play; the long sample gets the matches that the others leave.
fn planned_tournaments(matches: u64) -> anyhow::Result<Vec<Planned>> {
    let one = TableGroups::ONE;
    let groups = |matches: u64| GroupCount::new(matches / SEATS as u64);
    let sample = |matches| anyhow::Ok(TournamentFormat::Sample { groups: groups(matches)? });
    let ladder = TournamentFormat::Ladder(LadderSettings {
        groups: None,
        table_groups: one,
        suspend_after: Streak::new(5)?,
        pairing: LadderPairing::default(),
    });
    let gauntlet = TournamentFormat::Gauntlet {
        bot: "bot-0".parse()?,
        groups: Some(groups((matches / 100).min(15_000))?),
    };
    let plan = |title, format, bots, paused_after| Planned { title, format, bots, paused_after };
    Ok(vec![
        plan("long sample", sample(matches * 3 / 4)?, 12, None),
        plan("knockout", TournamentFormat::Knockout { advance: 1, table_groups: one }, 81, None),
        plan("swiss", TournamentFormat::Swiss { rounds: RoundCount::new(8)?, table_groups: one }, 90, None),
        plan("gauntlet", gauntlet, 8, None),
        plan("ladder", ladder, 1_000, Some((matches / 50).min(6_000))),
        plan("big sample", sample(matches / 5)?, 1_000, None),
    ])
}

/// Plays a tournament and writes it.
async fn fill_tournament(
    store: &dyn Store,
    planned: Planned,
    field: &[BotName],
    maker: &mut MatchMaker,
) -> anyhow::Result<()> {
    let settings = settings(planned.title, planned.format)?;
    let id = TournamentId::new(maker.now().as_micros() / 1_000, &[5; 10]);
    let schedule = plan_schedule(&settings, field)?;
    let mut fold = ResultFold::new(&settings, schedule, field, &[], Rulings::default());
    let mut changes = vec![Change::TournamentCreated(StoredTournament {
        id,
        created_at: maker.now(),
        settings: Arc::new(settings.clone()),
        terms: Terms::default(),
        field: Arc::new(field.to_vec()),
        state: TournamentState::Running,
        over: None,
        deal_secret: None,
        entry_code: None,
    })];
    let mut played = 0;
    while played < planned.paused_after.unwrap_or(u64::MAX)
        && let ScheduleStep::Match(pairing) = fold.schedule.next()
    {
        let (outcome, written) = maker.play_pairing(id, &settings, &pairing)?;
        changes.extend(written);
        fold.add_result(MatchResult::finished(&pairing, outcome));
        played += 1;
        if played % BATCH == 0 {
            store.write(&mem::take(&mut changes)).await?;
        }
    }
    let at = maker.now();
    if planned.paused_after.is_some() {
        let event = TimedTournamentEvent { at, event: TournamentEvent::Paused { open: OpenMatches::Finish } };
        changes.push(Change::TournamentEvent { id, seq: 0, event });
        let ResultFold { schedule, standings, evidence, cross_table, reported, .. } = &fold;
        let state = snapshot_state((0, 0), reported, &**schedule, standings, evidence, cross_table)?;
        let checkpoint = Arc::new(Checkpoint::new(id, fold.reported.first_unreported(), state));
        changes.push(Change::Checkpoint { id, checkpoint });
    } else {
        let total = fold
            .schedule
            .total_matches()
            .upper_bound()
            .context("the number of matches is not known in advance")?;
        let verdict = Arc::new(fold.schedule.format_verdict());
        let mut standings = fold.standings.lines(TournamentState::Finished);
        let appraisal = fold.evidence.final_appraisal(&|| true)?;
        appraisal.add_to_standings(&mut standings, TournamentState::Finished);
        let result = TournamentResult { at, played, total, verdict };
        let standings = Arc::new(standings);
        changes.push(Change::TournamentOver {
            id,
            state: TournamentState::Finished,
            over: result,
            standings,
        });
        let compared = fold.cross_table.table().map(|table| BotComparison::compare_all(table, &appraisal));
        let kept = compared.and_then(|compared| Checkpoint::of_comparisons(id, played, &compared));
        changes
            .extend(kept.map(|checkpoint| Change::BotComparisons { id, checkpoint: Arc::new(checkpoint) }));
    }
    store.write(&changes).await?;
    Ok(())
}
