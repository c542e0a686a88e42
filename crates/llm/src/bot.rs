//! Language models as bots.

use super::{
    ApiKey, CostBound, LlmError, LlmSettings, Provider, Tally, Transcript,
    budget::BotBudget,
    config_hash::{hash_config, settings_json},
    decision::{Decider, Decision},
    endpoint::Endpoint,
    failure::CallFailure,
    match_memory::MatchMemories,
    match_scoring::{ScoringLookup, ScoringSource},
    outage::OutageGate,
    question::{Answer, Question},
    talk_memory::TalkMemories,
};
use lastnim_client::{
    AsyncBot, Choice, Error, MatchEnd, MatchFailure, MatchInfo, MatchView, Message, Options, Refusal,
    RefusalReason, TakeFeed, TalkRound,
};
use lastnim_core::game::{ConfigHash, Row, VersionLabel};
use lastnim_tournament::Scoring;
use serde_json::json;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// A language model as a bot. Clones share their state.
#[derive(Debug, Clone)]
pub struct LlmBot {
    decider: Arc<Decider>,
    config_hash: [u8; 32],
    scorings: Arc<ScoringSource>,
}

impl LlmBot {
    /// Creates a bot; its failure policy draws random answers from the seed.
    ///
    /// # Errors
    /// If a setting is invalid, a file cannot be opened, or the key of the endpoint is missing.
    pub fn new(settings: LlmSettings, seed: u64) -> Result<Self, LlmError> {
        let settings = settings.completed()?;
        let endpoint = Endpoint::new(settings.clone())?;
        Self::with_endpoint(endpoint, settings, seed)
    }

    /// Creates a bot with this key, ignoring the environment.
    ///
    /// # Errors
    /// If a setting is invalid, or a file cannot be opened.
    pub fn with_key(settings: LlmSettings, seed: u64, key: Option<ApiKey>) -> Result<Self, LlmError> {
        let settings = settings.completed()?;
        let endpoint = Endpoint::with_key(settings.clone(), key)?;
        Self::with_endpoint(endpoint, settings, seed)
    }

    fn with_endpoint(endpoint: Endpoint, settings: LlmSettings, seed: u64) -> Result<Self, LlmError> {
        let prompt = settings.read_prompt()?;
        let budget = BotBudget::open(&settings)?;
        let config_hash = hash_config(&settings, &prompt, seed);
        let header = json!({
            "config_hash": ConfigHash::from_bytes(config_hash).to_string(),
            "endpoint": endpoint.shown_address(),
            "settings": settings_json(&settings),
            "seed": seed,
            "prompt": prompt.text(),
        });
        let transcript =
            settings.transcript.as_deref().map(|path| Transcript::open(path, header)).transpose()?;
        let tally = Mutex::new(Tally { policy: settings.on_failure, ..Tally::default() });
        let decider = Arc::new(Decider {
            settings,
            seed,
            prompt,
            endpoint,
            budget,
            transcript,
            tally,
            outage: OutageGate::default(),
            memories: MatchMemories::default(),
            talks: TalkMemories::default(),
        });
        Ok(Self { decider, config_hash, scorings: Arc::new(ScoringSource::Unavailable) })
    }

    /// Lets the bot ask its server for the scoring of tournaments, so that prompts can state it.
    ///
    /// # Errors
    /// If the token is invalid.
    pub fn with_server(self, options: &Options) -> Result<Self, Error> {
        let scorings = Arc::new(ScoringSource::Server(ScoringLookup::new(options)?));
        Ok(Self { scorings, ..self })
    }

    /// Sets the scoring that prompts state for all matches.
    #[must_use]
    pub fn with_scoring(self, scoring: Scoring) -> Self {
        Self { scorings: Arc::new(ScoringSource::Fixed(scoring)), ..self }
    }

    /// Returns the hash of the prompt and of all settings that cannot be amended, which identifies the configuration.
    pub fn config_hash(&self) -> [u8; 32] {
        self.config_hash
    }

    /// Returns the name of the model as the version of the bot, if it is a valid version.
    pub fn version(&self) -> Option<VersionLabel> {
        self.decider.settings.model.parse().ok()
    }

    /// Returns the provider and its limitations, if the settings name a provider.
    pub fn provider_limits(&self) -> Option<(Provider, &'static str)> {
        self.decider.settings.provider.map(|provider| (provider, provider.limits()))
    }

    /// Returns the address of the bot's endpoint, without secrets.
    pub fn endpoint_address(&self) -> String {
        self.decider.endpoint.shown_address()
    }

    /// Returns the counts of the model's questions, answers and calls so far.
    pub fn tally(&self) -> Tally {
        let tally = self.decider.tally.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Tally { spent: self.decider.budget.spent(), ..tally }
    }

    /// Returns the budget of the model for any number of matches.
    pub fn cost_bound(&self) -> CostBound {
        CostBound::of_settings(&self.decider.settings, None)
    }
}

impl AsyncBot for LlmBot {
    /// Prompts contain the history of the match.
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::All
    }

    /// A model that gives no answer is silent. So is a model whose prompt does not mention the talk.
    async fn talk(&self, round: &TalkRound) -> Result<Option<Vec<Message>>, MatchFailure> {
        if !self.decider.prompt.mentions_talk() {
            return Ok(None);
        }
        match self.decide(Question::Talk(round), round.time_left()).await {
            Ok(Decision { answer: Answer::Talk(messages), .. }) => Ok(Some(messages)),
            Ok(_) | Err(_) => Ok(Some(Vec::new())),
        }
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        let time = game.clock().declaration;
        match self.decide(Question::Row(game), time).await {
            Ok(Decision { answer: Answer::Row(value), note_hash }) => Ok(Choice { value, note_hash }),
            Ok(_) => Err("the model did not answer with a row".into()),
            Err(failure) => Err(match_failure(&failure)),
        }
    }

    async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        match self.decide(Question::Take(game), game.bank_left()).await {
            Ok(Decision { answer: Answer::Take(value), note_hash }) => Ok(Choice { value, note_hash }),
            Ok(_) => Err("the model did not answer with a take".into()),
            Err(failure) => Err(match_failure(&failure)),
        }
    }

    async fn ended(&self, end: &MatchEnd) {
        self.decider.memories.forget_match(end.info.id);
        self.decider.talks.forget_match(end.info.id);
    }

    async fn refused(&self, refusal: &Refusal) {
        refusal.log();
        if let (Some(RefusalReason::InvalidTalk), Some(id)) = (refusal.reason, refusal.match_id) {
            self.decider.talks.remember_refusal(id, refusal.message.clone());
        }
    }
}

impl LlmBot {
    async fn decide(&self, question: Question<'_>, clock_left: Duration) -> Result<Decision, CallFailure> {
        let began = Instant::now();
        let scoring = self.scorings.scoring_of_match(question.info().origin.as_ref()).await;
        self.decider.decide(question, clock_left.saturating_sub(began.elapsed()), scoring).await
    }
}

fn match_failure(failure: &CallFailure) -> MatchFailure {
    format!("{}: {}", failure.class, failure.detail).into()
}
