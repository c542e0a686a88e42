//! The conformance suite: correct bots pass all checks, and each faulty bot fails only the checks that look for its
//! fault.

mod in_process;
mod programs;
mod raw_bot;

use in_process::InProcess;
use lastnim_client::{Bot, MatchView, Message, Options, TalkRound};
use lastnim_conformance::{
    BotEnd, BotEnvironment, BotLauncher, CHECKS, Check, CheckOutcome, CheckVerdict, Suite, find_check,
};
use raw_bot::{Fault, run_raw_bot};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Longer than any correct bot takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// The timeout for bots that do not answer; every check that they fail takes this long.
const SHORT_PATIENCE: Duration = Duration::from_secs(4);

/// Runs every check.
async fn run_all(bot: impl BotLauncher) -> Vec<CheckOutcome> {
    let checks: Vec<_> = CHECKS.iter().collect();
    run_checks(bot, &checks, PATIENCE).await
}

async fn run_checks(
    bot: impl BotLauncher,
    checks: &[&'static Check],
    patience: Duration,
) -> Vec<CheckOutcome> {
    let suite = Suite { launcher: Arc::new(bot), patience, jobs: 8 };
    suite.run(checks, |_| {}).await
}

/// Asserts that a bot fails exactly these checks, and that each failure is described.
fn assert_fails(outcomes: &[CheckOutcome], expected: &[&str]) {
    let mut failed = Vec::new();
    for outcome in outcomes {
        match &outcome.verdict {
            CheckVerdict::Passed => continue,
            CheckVerdict::Failed(failure) => {
                assert!(!failure.expected.is_empty() && !failure.got.is_empty(), "{outcome:?}");
                assert!(!failure.sent.is_empty(), "{outcome:?}");
            }
            CheckVerdict::Skipped => {}
        }
        failed.push(outcome.check.name);
    }
    assert_eq!(failed, expected, "{outcomes:#?}");
}

fn raw(fault: Fault) -> impl BotLauncher {
    InProcess(move |environment| run_raw_bot(environment, fault))
}

/// Asserts that a bot fails exactly these checks because it does not answer in time.
async fn assert_too_late(fault: Fault, expected: &[&str]) {
    let (late, others): (Vec<_>, Vec<_>) = CHECKS.iter().partition(|check| expected.contains(&check.name));
    let mut outcomes = run_checks(raw(fault), &late, SHORT_PATIENCE).await;
    outcomes.extend(run_checks(raw(fault), &others, PATIENCE).await);
    assert_fails(&outcomes, expected);
}

/// The README's bot.
struct Half;

impl Bot for Half {
    fn play(&mut self, game: &MatchView) -> u64 {
        game.position().counters().div_ceil(2)
    }
}

/// Talks in every round.
struct Talker;

impl Bot for Talker {
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        let others = round.seats().iter().filter(|&seat| seat != round.seat);
        let greeting = Message::text(format!("I have heard {} messages", round.messages.len()));
        Some(vec![greeting, Message::claim(round.honest_row()).to(others.take(1))])
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        game.position().counters().div_ceil(2)
    }
}

async fn play_with_sdk(bot: impl Bot, environment: BotEnvironment) -> BotEnd {
    let options =
        Options::new(environment.server.as_str(), environment.token).tournament(environment.tournament);
    match lastnim_client::run(bot, options).await {
        Ok(_) => BotEnd { description: "exit status: 0".to_owned(), is_success: true },
        Err(error) => BotEnd { description: error.to_string(), is_success: false },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_rust_sdk_passes() {
    assert_fails(&run_all(InProcess(|environment| play_with_sdk(Half, environment))).await, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_talking_bot_of_the_rust_sdk_passes() {
    assert_fails(&run_all(InProcess(|environment| play_with_sdk(Talker, environment))).await, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_breaks_a_rule_of_talk_fails() {
    let check = find_check("talk").unwrap();
    for (fault, why) in [
        (Fault::TalksTooLong, "a text of 501 characters: expected 1 to 500"),
        (Fault::TalksInLaterRound, "round 1 of talk has not begun"),
        (Fault::RepeatsNumber, "a different message 0 of round 0 was already sent"),
        (Fault::RepeatsMessage, "again, although it was already accepted"),
        (Fault::EndsTalkTwice, "again, although it was already accepted"),
        (Fault::TalksAfterEnd, "round 0 of talk is over"),
    ] {
        let outcomes = run_checks(raw(fault), &[check], PATIENCE).await;
        let CheckVerdict::Failed(failure) = &outcomes[0].verdict else { panic!("{fault:?}: {outcomes:#?}") };
        assert!(failure.got.contains(why), "{fault:?}: {failure:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_without_an_sdk_passes() {
    assert_fails(&run_all(raw(Fault::Nothing)).await, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_decides_repeated_turns_again_fails() {
    assert_fails(&run_all(raw(Fault::DecidesAgain)).await, &["duplicate-events", "stale-events"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_crashes_on_unknown_events_fails() {
    assert_fails(&run_all(raw(Fault::DiesOfUnknownEvents)).await, &["later-events"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_ignores_snapshots_fails() {
    let expected = [
        "snapshot-turn",
        "snapshot-declaration",
        "restarted",
        "server-killed",
        "cut-declaring",
        "cut-talking",
        "cut-playing",
        "cut-ending",
        "silent",
        "refused",
        "draining",
    ];
    assert_too_late(Fault::IgnoresSnapshots, &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_stores_counters_as_doubles_fails_with_large_piles() {
    assert_fails(&run_all(raw(Fault::CountsInDoubles)).await, &["large-piles"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_does_not_answer_pings_fails() {
    assert_too_late(Fault::IgnoresPings, &["pings"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_without_keepalive_fails() {
    assert_too_late(Fault::WaitsInSilence, &["silent"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_stays_after_its_tournament_fails() {
    assert_too_late(Fault::Stays, &["ends", "ends-while-away"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_stops_after_any_tournament_fails() {
    assert_fails(&run_all(raw(Fault::LeavesWithAnyTournament)).await, &["other-tournaments"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_floods_its_stream_fails_at_once() {
    let began = Instant::now();
    let outcomes = run_all(raw(Fault::Floods)).await;
    let passed = outcomes.iter().filter(|outcome| outcome.verdict == CheckVerdict::Passed);
    let passed: Vec<_> = passed.map(|outcome| outcome.check.name).collect();
    assert!(passed.iter().all(|name| ["joins", "ends", "ends-while-away"].contains(name)), "{passed:?}");
    assert!(began.elapsed() < 3 * PATIENCE, "{outcomes:#?}");
}

#[test]
fn the_docs_have_a_line_for_each_check() {
    let docs = include_str!("../../docs/reference/conformance.md");
    let described: Vec<_> = docs
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let checks: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(described, checks);
    let first_bot = include_str!("../../docs/start/first-bot.md");
    assert!(first_bot.contains(&format!("All of its {} checks pass", checks.len())));
}
