//! Tests of interventions in running tournaments, without a network and mostly without connected bots.

use super::fixture::{TIMEOUT, arena_with_store, connect, name, read_until, reopen};
use super::sessions::take;
use super::shaky_store::shaky_store;
use crate::{Arena, ArenaError, Backend, Intervention, NewTournament, TournamentView, VoidTarget};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::{Event, ForfeitReason, Record, Terms, Timestamp};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_proto::{MatchEvent, ServerEvent};
use lastnim_store::{Change, MatchFilter, MatchSummary, Store};
use lastnim_tournament::{
    AllianceSource, Concurrency, DisqualifiedResults, OpenMatches, Reason, RoundCount, Settings,
    SettingsDraft, TableGroups, TournamentEvent, TournamentFormat, TournamentState, VoidedMatch, testing,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const BOTS: [&str; 3] = ["first", "second", "third"];

pub(super) fn reason() -> Reason {
    "the network was down".parse().unwrap()
}

/// Starts a tournament with two-seat matches on two positions, which are played one at a time.
pub(super) async fn tournament(arena: &Arena, bots: &[&str], format: TournamentFormat) -> TournamentId {
    let plain = testing::settings(2, 2, AllianceSource::Standard);
    let concurrency = Concurrency::new(1).unwrap();
    let settings = Settings::new(SettingsDraft { concurrency, format, ..(*plain).clone() }).unwrap();
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in bots {
        // This fails for two of the bots, which are already registered.
        let _ = arena.register_bot(name(bot)).await;
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    arena.start_tournament(id).await.unwrap();
    id
}

/// Waits until a tournament meets a condition. Since time is paused, clocks run out without real waiting.
pub(super) async fn wait_for_view(
    arena: &Arena,
    id: TournamentId,
    settled: impl Fn(&TournamentView) -> bool,
) -> TournamentView {
    let mut watch = arena.watch_tournament(id).await.unwrap();
    let looking = tokio::time::timeout(1_000 * TIMEOUT, watch.wait_for(settled));
    looking.await.expect("it gets there").unwrap().clone()
}

/// Pauses a tournament, waits until no match is open, and returns the number of matches played.
pub(super) async fn pause_until_idle(arena: &Arena, id: TournamentId) -> u64 {
    arena.intervene(id, Intervention::Pause(OpenMatches::Finish)).await.unwrap();
    while arena.open_match_count() > 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    // The director handles the end of the last match a little later.
    tokio::time::sleep(Duration::from_secs(1)).await;
    arena.tournament(id).await.unwrap().played
}

async fn matches(store: &Arc<dyn Store>, id: TournamentId) -> Vec<MatchSummary> {
    let filter = MatchFilter::of(Some(id), None);
    store.match_summaries(&filter, None, 1_000).await.unwrap()
}

/// Returns the place, name, matches and forfeits on each line of the standings.
async fn lines(arena: &Arena, id: TournamentId) -> Vec<(u32, String, u32, u32)> {
    let lines = arena.standings(id).await.unwrap();
    lines.iter().map(|line| (line.place, line.bot.to_string(), line.matches, line.forfeits)).collect()
}

/// Checks that the bot comparison of a finished tournament equals one computed from all results, and that it was
/// stored.
pub(super) async fn check_comparison(store: &Arc<dyn Store>, arena: &Arena, id: TournamentId) {
    let compared = arena.compare_by_results(id, &|| true).await.unwrap().unwrap().compared;
    assert_eq!(arena.cross_table(id).await.unwrap(), compared);
    let kept = store.checkpoint(id).await.unwrap().expect("it is stored");
    assert_eq!(kept.comparisons(id).unwrap(), *compared);
}

fn refusal(refused: Result<impl std::fmt::Debug, ArenaError>) -> String {
    match refused.unwrap_err() {
        ArenaError::Intervention { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_voided_group_is_played_again_even_after_a_restart() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let id = tournament(&arena, &BOTS[..2], TournamentFormat::RoundRobin).await;
    wait_for_view(&arena, id, |view| view.played >= 2).await;
    let played = pause_until_idle(&arena, id).await;
    assert!((2..4).contains(&played), "{played} of 4 matches");
    let voiding = || Intervention::Void { targets: vec![VoidTarget::Group(0)], reason: reason() };
    let (view, event) = arena.intervene(id, voiding()).await.unwrap();
    let Some(TournamentEvent::Voided { matches: voided, .. }) = event.map(|timed| timed.event) else {
        panic!("it is voided")
    };
    assert_eq!(voided.iter().map(|voided| voided.number).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((view.played, view.pause), (played - 2, Some(OpenMatches::Finish)));
    assert_eq!(refusal(arena.intervene(id, voiding()).await), "group 1 has no started match left to void");
    let again = Intervention::Void { targets: vec![VoidTarget::Match(voided[0].id)], reason: reason() };
    assert!(refusal(arena.intervene(id, again).await).ends_with("is already voided"));
    assert!(lines(&arena, id).await.iter().all(|line| u64::from(line.2) == played - 2));
    arena.stop(Duration::ZERO).await;

    let arena = reopen(Arc::clone(&store)).await;
    let view = arena.tournament(id).await.unwrap();
    assert_eq!((view.played, view.pause), (played - 2, Some(OpenMatches::Finish)), "the next server has it");
    tokio::time::sleep(TIMEOUT).await;
    assert_eq!(arena.open_match_count(), 0, "it stays paused");
    assert_eq!(arena.tournament_events(id).await.unwrap().len(), 2);
    arena.intervene(id, Intervention::Resume).await.unwrap();
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!(
        (final_view.stored.state, final_view.played, final_view.total),
        (TournamentState::Finished, 4, 4)
    );
    let results = store.match_results(id, 0, 100).await.unwrap();
    assert_eq!(results.iter().map(|result| result.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(results.iter().all(|result| voided.iter().all(|voided| voided.id != result.id)));
    let kept = matches(&store, id).await;
    let marked: BTreeSet<MatchId> =
        kept.iter().filter(|game| game.void_reason.is_some()).map(|game| game.id).collect();
    assert_eq!((kept.len(), marked), (6, voided.iter().map(|voided| voided.id).collect()));
    let mut lines = lines(&arena, id).await;
    assert_eq!((lines[0].0, lines[1].0), (1, 2), "a lot decides");
    lines.sort_by_key(|line| line.1.clone());
    let figures: Vec<_> = lines.iter().map(|(_, bot, played, lost)| (bot.as_str(), *played, *lost)).collect();
    assert_eq!(figures, [("first", 4, 4), ("second", 4, 4)]);
    check_comparison(&store, &arena, id).await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_completes_an_interrupted_voiding() {
    let store = shaky_store();
    let arena = arena_with_store(store.clone()).await;
    let id = tournament(&arena, &BOTS[..2], TournamentFormat::RoundRobin).await;
    wait_for_view(&arena, id, |view| view.played >= 2).await;
    let played = pause_until_idle(&arena, id).await;
    arena.stop(Duration::ZERO).await;
    // The store is changed as if the server had stopped between its two writes.
    let results = store.match_results(id, 0, 2).await.unwrap();
    let matches = results.iter().map(|result| VoidedMatch { number: result.number, id: result.id }).collect();
    let event = TournamentEvent::Voided { matches, reason: reason() };
    let event = TimedTournamentEvent { at: Timestamp::from_micros(1), event };
    store.keep(Change::TournamentEvent { id, seq: 1, event }).await;
    store.keep(Change::MatchVoided { id: results[0].id, reason: reason() }).await;
    for _ in 0..2 {
        let arena = reopen(store.clone()).await;
        assert_eq!(arena.tournament(id).await.unwrap().played, played - 2);
        assert_eq!(
            store.voided_matches(),
            [results[1].id],
            "only the missing match is written, and only once"
        );
        arena.stop(Duration::ZERO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn several_groups_and_matches_are_voided_by_one_event() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let id = tournament(&arena, &BOTS[..2], TournamentFormat::RoundRobin).await;
    wait_for_view(&arena, id, |view| view.played >= 3).await;
    let played = pause_until_idle(&arena, id).await;
    let results = store.match_results(id, 0, 100).await.unwrap();
    let second = results.iter().find(|result| result.number == 1).unwrap().id;
    let third = results.iter().find(|result| result.number == 2).unwrap().id;
    // The second match is named twice: by itself and as a part of its group.
    let targets = vec![VoidTarget::Match(third), VoidTarget::Match(second), VoidTarget::Group(0)];
    let (view, event) = arena.intervene(id, Intervention::Void { targets, reason: reason() }).await.unwrap();
    let Some(TournamentEvent::Voided { matches, .. }) = event.map(|timed| timed.event) else {
        panic!("they are voided")
    };
    assert_eq!(matches.iter().map(|voided| voided.number).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(view.played, played - 3);
    assert_eq!(arena.tournament_events(id).await.unwrap().len(), 2, "paused, and voided once");
    let left = store.match_results(id, 0, 100).await.unwrap();
    assert!(left.iter().all(|result| result.number > 2), "they are voided in the same write");
    arena.stop(Duration::ZERO).await;

    let arena = reopen(Arc::clone(&store)).await;
    arena.intervene(id, Intervention::Resume).await.unwrap();
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!((final_view.stored.state, final_view.played), (TournamentState::Finished, 4));
    assert_eq!(result_numbers(&store, id).await, [0, 1, 2, 3]);
    check_comparison(&store, &arena, id).await;
}

async fn result_numbers(store: &Arc<dyn Store>, id: TournamentId) -> Vec<u64> {
    store.match_results(id, 0, 100).await.unwrap().iter().map(|result| result.number).collect()
}

#[tokio::test(start_paused = true)]
async fn an_open_match_is_voided_and_replayed() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let id = tournament(&arena, &BOTS[..2], TournamentFormat::RoundRobin).await;
    wait_for_view(&arena, id, |view| view.played == 1).await;
    while arena.open_match_count() == 0 {
        tokio::task::yield_now().await;
    }
    let filter = MatchFilter::of(Some(id), None);
    while arena.list_matches(&filter, None, 1).await.unwrap()[0].end.is_some() {
        tokio::task::yield_now().await;
    }
    let open = arena.list_matches(&filter, None, 1).await.unwrap().remove(0).id;
    let void = Intervention::Void { targets: vec![VoidTarget::Match(open)], reason: reason() };
    arena.intervene(id, void).await.unwrap();
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!((final_view.stored.state, final_view.played), (TournamentState::Finished, 4));
    let results = store.match_results(id, 0, 100).await.unwrap();
    assert_eq!(results.iter().map(|result| result.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(results.iter().all(|result| result.id != open && result.outcome.is_some()));
    assert_eq!(matches(&store, id).await.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn results_of_a_disqualified_bot_stay_or_are_removed() {
    for (results, kept, matches_of_others) in
        [(DisqualifiedResults::Stand, 12, 8), (DisqualifiedResults::Annul, 0, 4)]
    {
        let store = Backend::in_memory().store;
        let arena = arena_with_store(Arc::clone(&store)).await;
        let id = tournament(&arena, &BOTS, TournamentFormat::RoundRobin).await;
        wait_for_view(&arena, id, |view| view.played == 3).await;
        let out = |bot: &str| Intervention::Disqualify { bot: name(bot), results, reason: reason() };
        assert_eq!(refusal(arena.intervene(id, out("nobody")).await), "nobody does not play in it");
        arena.intervene(id, out("second")).await.unwrap();
        assert_eq!(refusal(arena.intervene(id, out("second")).await), "second is already disqualified");
        arena.stop(Duration::ZERO).await;
        let arena = reopen(Arc::clone(&store)).await;
        let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
        assert_eq!(
            (final_view.stored.state, final_view.played, final_view.total),
            (TournamentState::Finished, 12, 12)
        );
        let standings = arena.standings(id).await.unwrap();
        let last = standings.last().unwrap();
        assert_eq!((last.place, last.bot.as_str(), last.is_disqualified), (3, "second", true));
        assert!(standings[..2].iter().all(|line| line.matches == matches_of_others && !line.is_disqualified));
        check_comparison(&store, &arena, id).await;
        let games = matches(&store, id).await;
        if results == DisqualifiedResults::Stand {
            assert_eq!(games.len(), kept);
            assert_eq!(last.matches, 8);
        } else {
            assert!(games.len() < 12, "matches that do not count are not played: {}", games.len());
            assert_eq!(last.matches, 0);
        }
        let record = |id| arena.match_record(id);
        for game in games
            .iter()
            .filter(|game| game.setup.as_ref().unwrap().seat_of(&name("second")).is_some())
            .take(1)
        {
            assert!(
                has_disqualification(&record(game.id).await.unwrap().record)
                    || results == DisqualifiedResults::Annul
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_bot_starts_no_further_match_and_its_results_stand() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let id = tournament(&arena, &BOTS, TournamentFormat::RoundRobin).await;
    wait_for_view(&arena, id, |view| view.played == 3).await;
    let played = pause_until_idle(&arena, id).await;
    assert_eq!(arena.leave_tournament(id, &name("second")).await.unwrap().stored.field.len(), 3);
    arena.leave_tournament(id, &name("second")).await.unwrap();
    let events = arena.tournament_events(id).await.unwrap();
    let withdrawn = TournamentEvent::Withdrawn { bot: name("second"), from_round: None };
    assert_eq!((events.len(), &events[1].event), (2, &withdrawn), "leaving twice is harmless");
    arena.intervene(id, Intervention::Resume).await.unwrap();
    arena.stop(Duration::ZERO).await;
    let arena = reopen(Arc::clone(&store)).await;
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!(
        (final_view.stored.state, final_view.played, final_view.total),
        (TournamentState::Finished, 12, 12)
    );
    let games = matches(&store, id).await;
    let includes_second =
        |game: &&MatchSummary| game.setup.as_ref().unwrap().seat_of(&name("second")).is_some();
    let met = games.iter().filter(includes_second).count() as u64;
    assert!(met <= played && games.len() as u64 == met + 4, "{met} of {}", games.len());
    let standings = arena.standings(id).await.unwrap();
    let last = standings.last().unwrap();
    assert_eq!((last.place, last.bot.as_str(), last.is_withdrawn), (3, "second", true));
    assert_eq!(u64::from(last.matches), met);
    check_comparison(&store, &arena, id).await;
    assert!(matches!(arena.leave_tournament(id, &name("first")).await, Err(ArenaError::WrongState { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_swiss_tournament_goes_on_without_a_withdrawn_bot() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let swiss =
        TournamentFormat::Swiss { rounds: RoundCount::new(3).unwrap(), table_groups: TableGroups::ONE };
    let id = tournament(&arena, &["first", "second", "third", "fourth"], swiss).await;
    wait_for_view(&arena, id, |view| view.played == 1).await;
    let view = arena.leave_tournament(id, &name("fourth")).await.unwrap();
    assert_eq!(view.stored.field.len(), 4, "it still belongs to the tournament");
    arena.stop(Duration::ZERO).await;
    let arena = reopen(Arc::clone(&store)).await;
    // A round has two tables of two matches each; without the bot, one table and a bye.
    wait_for_view(&arena, id, |view| view.played == 7).await;
    let why = refusal(arena.leave_tournament(id, &name("third")).await);
    assert_eq!(why, "its last round has been drawn");
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!(
        (final_view.stored.state, final_view.played, final_view.total),
        (TournamentState::Finished, 8, 8)
    );
    let lines = arena.standings(id).await.unwrap();
    let last = lines.last().unwrap();
    assert_eq!((last.place, last.bot.as_str(), last.is_withdrawn, last.matches), (4, "fourth", true, 2));
    check_comparison(&store, &arena, id).await;
}

#[tokio::test(start_paused = true)]
async fn bots_cannot_withdraw_where_the_others_depend_on_them() {
    let arena = arena_with_store(Backend::in_memory().store).await;
    let knockout = TournamentFormat::Knockout { advance: 1, table_groups: TableGroups::ONE };
    let gauntlet = TournamentFormat::Gauntlet { bot: name("first"), groups: None };
    for (format, expected) in [
        (knockout, "no bot can withdraw from a running knockout"),
        (gauntlet, "first sits at every table: cancel the tournament instead"),
    ] {
        let id = tournament(&arena, &BOTS[..2], format).await;
        assert_eq!(refusal(arena.leave_tournament(id, &name("first")).await), expected);
    }
}

fn has_disqualification(record: &Record) -> bool {
    let is_by_organiser =
        |event: &Event| matches!(event, Event::Forfeited { reason: ForfeitReason::Disqualified, .. });
    record.events().iter().any(|timed| is_by_organiser(&timed.event))
}

#[tokio::test(start_paused = true)]
async fn results_that_decided_a_later_round_cannot_be_voided() {
    let store = Backend::in_memory().store;
    let arena = arena_with_store(Arc::clone(&store)).await;
    let knockout = TournamentFormat::Knockout { advance: 1, table_groups: TableGroups::ONE };
    let id = tournament(&arena, &["first", "second", "third", "fourth"], knockout).await;
    // Two tables of two matches each; then the final.
    wait_for_view(&arena, id, |view| view.played == 5).await;
    let voiding = |group| Intervention::Void { targets: vec![VoidTarget::Group(group)], reason: reason() };
    let why = refusal(arena.intervene(id, voiding(0)).await);
    assert!(why.starts_with("group 1 has been played in an earlier round"), "{why}");
    let all = Intervention::Void {
        targets: vec![VoidTarget::Group(0), VoidTarget::Group(2), VoidTarget::Group(9)],
        reason: reason(),
    };
    let why = refusal(arena.intervene(id, all).await);
    assert!(
        why.contains("group 1 has been played in an earlier round")
            && why.ends_with("group 10 has no started match left to void: nothing was voided"),
        "{why}"
    );
    assert!(arena.tournament_events(id).await.unwrap().is_empty(), "all or none");
    arena.intervene(id, voiding(2)).await.unwrap();
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!((final_view.stored.state, final_view.played), (TournamentState::Finished, 6));
    check_comparison(&store, &arena, id).await;
    let why = refusal(arena.intervene(id, voiding(2)).await.map_err(|error| match error {
        ArenaError::WrongState { id, needed, .. } => ArenaError::Intervention { id, why: needed.to_owned() },
        other => other,
    }));
    assert_eq!(why, "only running tournaments allow this");
}

#[tokio::test(start_paused = true)]
async fn a_tournament_with_too_many_events_can_still_be_resumed() {
    let arena = arena_with_store(Backend::in_memory().store).await;
    let id = tournament(&arena, &BOTS, TournamentFormat::RoundRobin).await;
    let mut kinds = [OpenMatches::Freeze, OpenMatches::Finish].into_iter().cycle();
    let full = loop {
        if let Err(error) = arena.intervene(id, Intervention::Pause(kinds.next().unwrap())).await {
            break error;
        }
    };
    assert!(matches!(full, ArenaError::Intervention { .. }), "{full}");
    assert!(full.to_string().contains("organisers have intervened 1000 times"), "{full}");
    let (resumed, event) = arena.intervene(id, Intervention::Resume).await.unwrap();
    assert_eq!((resumed.pause, event.is_some()), (None, true));
    let (_, event) = arena.intervene(id, Intervention::Resume).await.unwrap();
    assert_eq!(event, None, "it is not paused");
}

#[tokio::test(start_paused = true)]
async fn clocks_stop_while_matches_are_frozen() {
    let arena = arena_with_store(Backend::in_memory().store).await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (second, mut second_hears) = connect(&arena, "second").unwrap();
    let id = tournament(&arena, &BOTS[..2], TournamentFormat::RoundRobin).await;
    let started = |event: &ServerEvent| match event {
        ServerEvent::InMatch { match_id, event: MatchEvent::Started { .. } } => Some(*match_id),
        _ => None,
    };
    let game = read_until(&mut first_hears, started).await;
    read_until(&mut second_hears, started).await;
    arena.intervene(id, Intervention::Pause(OpenMatches::Freeze)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(25)).await;
    // It is one bot's turn; the other bot's take is refused.
    for bot in [&first, &second] {
        bot.send(Ok(take(game, 0))).unwrap();
    }
    tokio::time::sleep(Duration::from_secs(25)).await;
    let events =
        |record: &Record| record.events().iter().map(|timed| timed.event.clone()).collect::<Vec<_>>();
    let record = arena.match_record(game).await.unwrap().record;
    let quiet = |event: &Event| matches!(event, Event::Created(_) | Event::Revealed { .. });
    assert!(events(&record).iter().all(quiet), "{:?}", events(&record));
    assert_eq!(arena.tournament(id).await.unwrap().pause, Some(OpenMatches::Freeze));
    arena.intervene(id, Intervention::Resume).await.unwrap();
    let took_event = |event: &ServerEvent| {
        matches!(event, ServerEvent::InMatch { event: MatchEvent::Took { .. }, .. }).then_some(())
    };
    read_until(&mut first_hears, took_event).await;
    let record = arena.match_record(game).await.unwrap().record;
    let charged = events(&record).into_iter().find_map(|event| match event {
        Event::Took { charged, .. } => Some(charged),
        _ => None,
    });
    assert!(charged.is_some_and(|charged| charged < Duration::from_secs(1)), "{charged:?}");
    assert!(!events(&record).iter().any(|event| matches!(event, Event::Forfeited { .. })));
    let (_, again) = arena.intervene(id, Intervention::Resume).await.unwrap();
    assert_eq!(again, None, "it is not paused");
}
