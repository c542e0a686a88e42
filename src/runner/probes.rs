//! One small call to each model before its bot plays, so that a wrong key or model name is found before the bot loses a
//! seat.

use crate::Failure;
use lastnim_core::game::BotName;
use lastnim_llm::{CallFailure, FailureClass, LlmError, LlmSettings, probe_endpoint};
use serde_json::{Value, json};
use std::path::Path;
use tokio::task::JoinSet;

/// The result of a call.
#[derive(Debug)]
pub struct ModelProbe {
    /// The first bot that plays with this model.
    pub bot: BotName,
    /// The model.
    pub model: String,
    /// Why there was no reply.
    pub failure: Option<CallFailure>,
}

impl ModelProbe {
    /// Describes the result in one line.
    pub fn line(&self) -> String {
        let Self { bot, model, failure } = self;
        match failure {
            None => format!("{bot}: the model {model} answers"),
            Some(CallFailure { class, detail, .. }) => {
                format!("{bot}: the model {model} does not answer ({class}: {detail})")
            }
        }
    }

    /// Returns the result as JSON.
    pub fn to_json(&self) -> Value {
        let Self { bot, model, failure } = self;
        json!({
            "bot": bot.to_string(),
            "model": model,
            "failure": failure.as_ref().map(|failure| failure.class.name()),
            "detail": failure.as_ref().map(|failure| &failure.detail),
        })
    }
}

/// Calls each model once, all at the same time. Bots with the same model at the same endpoint share a call.
///
/// # Errors
/// Names the bot whose settings cannot be used.
pub async fn probe_models(models: Vec<(BotName, LlmSettings)>) -> Result<Vec<ModelProbe>, String> {
    let mut distinct: Vec<(BotName, LlmSettings)> = Vec::new();
    for (bot, settings) in models {
        let call_settings = |settings: &LlmSettings| {
            let LlmSettings { model, provider, base_url, api_key_env, .. } = settings.clone();
            let LlmSettings { api_key_header, headers, extra_body, .. } = settings.clone();
            (model, provider, base_url, api_key_env, api_key_header, headers, extra_body)
        };
        let is_known = distinct.iter().any(|(_, other)| call_settings(other) == call_settings(&settings));
        if !is_known {
            distinct.push((bot, settings));
        }
    }
    let mut calls = JoinSet::new();
    for (number, (bot, settings)) in distinct.into_iter().enumerate() {
        let model = settings.model.clone();
        calls.spawn(async move {
            let failure =
                probe_endpoint(settings).await.map_err(|error: LlmError| format!("bot {bot}: {error}"))?;
            Ok::<_, String>((number, ModelProbe { bot, model, failure: failure.err() }))
        });
    }
    let mut probes = calls.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    probes.sort_by_key(|(number, _)| *number);
    Ok(probes.into_iter().map(|(_, probe)| probe).collect())
}

/// Calls each model once before its bot plays. Returns a line about each model that does not answer yet and whose
/// questions will wait.
///
/// # Errors
/// If a model cannot answer until the organiser changes something.
pub async fn probe_or_stop(models: Vec<(BotName, LlmSettings)>, file: &Path) -> Result<Vec<String>, Failure> {
    let file = file.display();
    let probes = probe_models(models).await.map_err(|why| Failure::input(format!("{file}: {why}")))?;
    let has_failed = |probe: &&ModelProbe| probe.failure.is_some();
    let is_lasting = |probe: &&ModelProbe| {
        probe
            .failure
            .as_ref()
            .is_some_and(|failure| failure.class.needs_change() || failure.class == FailureClass::Rejected)
    };
    match probes.iter().find(is_lasting) {
        Some(probe) => Err(Failure::Runtime(anyhow::Error::msg(format!(
            "{file}: bot {}: correct this and run the same command again",
            probe.line()
        )))),
        None => Ok(probes.iter().filter(has_failed).map(ModelProbe::line).collect()),
    }
}
