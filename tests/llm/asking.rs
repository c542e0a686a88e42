//! Helpers for single questions to a scripted endpoint.

use super::scripted_endpoint::ScriptedEndpoint;
use lastnim_client::{AsyncBot as _, MatchFailure, MatchView};
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, SeatCount};
use lastnim_llm::{ApiKey, LlmBot, LlmSettings};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::time::timeout;

/// The limit for every wait; reached only in failures.
pub const LONG: Duration = Duration::from_mins(5);
/// The key of every endpoint.
pub const KEY: &str = "sk-test-0123456789abcdef";

/// Returns a match of three seats at seat 0's turn, with 5 counters in the pile in play.
pub fn view() -> MatchView {
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 0, Ending::default()).unwrap();
    MatchView::practice(&game, &[]).unwrap()
}

/// Returns a path at which there is no file yet.
pub fn fresh_file(name: &str) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("llm-{}-{number}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// Returns settings for an endpoint, with a transcript.
pub fn settings(endpoint: &ScriptedEndpoint) -> LlmSettings {
    LlmSettings {
        model: "model-1".into(),
        base_url: endpoint.url.clone(),
        transcript: Some(fresh_file("transcript.jsonl")),
        ..LlmSettings::default()
    }
}

pub fn bot(settings: &LlmSettings) -> LlmBot {
    LlmBot::with_key(settings.clone(), 7, Some(ApiKey::new(KEY))).unwrap()
}

/// Requests a take.
pub async fn ask(bot: &LlmBot) -> Result<u64, MatchFailure> {
    let view = view();
    let asked = timeout(LONG, bot.play(&view)).await.expect("the bot does not stop asking");
    asked.map(|choice| choice.value)
}

/// Returns the lines of a transcript.
pub fn transcript(settings: &LlmSettings) -> Vec<Value> {
    let text = fs::read_to_string(settings.transcript.as_deref().unwrap()).unwrap();
    assert!(!text.contains(KEY), "the key is in the transcript");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the lines for one kind of event.
pub fn lines_of(settings: &LlmSettings, event: &str) -> Vec<Value> {
    transcript(settings).into_iter().filter(|line| line["event"] == event).collect()
}
