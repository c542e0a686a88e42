//! `lastnim bot run llm`: a language model as a bot.

use crate::{
    Failure,
    args::{
        given_flags::{FlagTable, GivenFlags},
        setting_flags::{apply_flags, setting_flags},
    },
    bot::run::{
        connected_json, connected_line, end_json, end_line, print_event, suspension_json, suspension_line,
    },
    form::OutputFormat,
};
use clap::Arg;
use lastnim_bots::HouseBot;
use lastnim_client::{
    AsyncBot, Choice, Connected, Error, MatchEnd, MatchFailure, MatchInfo, MatchView, Message, Options,
    Practice, Refusal, Summary, Suspension, TakeFeed, TalkRound, TournamentEnd, practice_async_until,
    run_async_until,
};
use lastnim_config::SettingTable as _;
use lastnim_core::game::Row;
use lastnim_llm::{LlmBot, LlmSettings};
use serde_json::json;
use std::num::NonZeroUsize;

/// The heading in the help under which the flags are listed.
const HEADING: &str = "Language model";
/// The maximum number of questions asked at the same time. It is so high that it limits nothing: the model's setting
/// `concurrency` already limits the calls, and a match's clock also runs while its question waits.
const MAX_CONCURRENT_QUESTIONS: NonZeroUsize = NonZeroUsize::new(65_536).expect("it is not 0");

impl FlagTable for LlmSettings {
    fn flags() -> Vec<Arg> {
        setting_flags(&mut Self::default()).into_iter().map(|flag| flag.help_heading(HEADING)).collect()
    }
}

/// Creates a bot that asks a language model what to say, for its rows and for its takes.
///
/// # Errors
/// If a setting is invalid, a file cannot be opened, or the key of the endpoint is missing.
pub fn build_llm_bot(flags: &GivenFlags<LlmSettings>, seed: u64) -> Result<LlmBot, Failure> {
    let mut settings = LlmSettings::default();
    apply_flags(flags, &mut settings)?;
    LlmBot::new(settings, seed).map_err(Failure::input)
}

/// Refuses flags that a house bot does not use.
pub fn refuse_llm_flags(house: HouseBot, flags: &GivenFlags<LlmSettings>) -> Result<(), Failure> {
    let mut settings = LlmSettings::default();
    let all = settings.settings();
    match all.iter().find(|setting| flags.words(setting.key()).is_some()) {
        Some(setting) => Err(Failure::input(format!(
            "--{}: only language models have this setting, but {house} is a house bot: use lastnim bot run llm",
            setting.flag()
        ))),
        None => Ok(()),
    }
}

/// Plays until the bot stops, then prints a summary of the calls to the model.
pub async fn play_llm_bot(
    bot: LlmBot,
    mut options: Options,
    practice: Option<Practice>,
    form: OutputFormat,
    interrupted: impl Future<Output = ()> + Send,
) -> Result<Summary, Error> {
    options.concurrency = MAX_CONCURRENT_QUESTIONS;
    options.version = options.version.or_else(|| bot.version().map(|model| model.to_string()));
    options.config_hash = options.config_hash.or_else(|| Some(bot.config_hash()));
    let bound = bot.cost_bound();
    print_event(
        form,
        || format!("the model has {bound}"),
        || {
            let mut json = bound.to_json();
            json["event"] = "budget".into();
            json
        },
    );
    if let Some((provider, limits)) = bot.provider_limits() {
        print_event(
            form,
            || format!("{provider}: {limits}"),
            || json!({ "event": "provider", "provider": provider.name(), "limits": limits }),
        );
    }
    let bot = bot.with_server(&options)?;
    let reporting = ReportingLlmBot { bot: bot.clone(), form };
    let played = match practice {
        Some(practice) => practice_async_until(reporting, options, practice, interrupted).await,
        None => run_async_until(reporting, options, interrupted).await,
    };
    let tally = bot.tally();
    print_event(
        form,
        || format!("model: {tally}"),
        || {
            let mut json = tally.to_json();
            json["event"] = "model".into();
            json
        },
    );
    played
}

/// A bot that prints a line for each session, suspension and finished match.
struct ReportingLlmBot {
    bot: LlmBot,
    form: OutputFormat,
}

impl AsyncBot for ReportingLlmBot {
    fn take_feed(&self) -> TakeFeed {
        self.bot.take_feed()
    }

    async fn talk(&self, round: &TalkRound) -> Result<Option<Vec<Message>>, MatchFailure> {
        self.bot.talk(round).await
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        self.bot.declare(game).await
    }

    async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        self.bot.play(game).await
    }

    async fn ended(&self, end: &MatchEnd) {
        print_event(self.form, || end_line(end), || end_json(end));
        self.bot.ended(end).await;
    }

    async fn refused(&self, refusal: &Refusal) {
        self.bot.refused(refusal).await;
    }

    async fn suspended(&self, notice: &Suspension) {
        print_event(self.form, || suspension_line(notice), || suspension_json(notice));
        self.bot.suspended(notice).await;
    }

    async fn tournament_ended(&self, end: &TournamentEnd) {
        self.bot.tournament_ended(end).await;
    }

    async fn connected(&self, session: &Connected) {
        print_event(self.form, || connected_line(session), || connected_json(session));
        self.bot.connected(session).await;
    }
}
