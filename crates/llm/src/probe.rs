//! A small call that shows whether an endpoint can be used, before a match depends on it.

use super::{
    LlmError, LlmSettings,
    budget::BotBudget,
    decision::cost_of_call,
    endpoint::Endpoint,
    failure::CallFailure,
    request::{Message, ModelCall},
};
use lastnim_core::game::MatchId;
use serde_json::json;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The time limit of the call. It is shorter than the time that a server waits for bots before their clocks run.
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

/// The message to the model. Any reply shows that the endpoint works.
const PROBE_MESSAGE: &str = "This only checks the connection. Reply with the JSON object {\"ready\": true}.";

/// Makes one call with the settings of a model, charged to its budgets. A reply of any kind is a success.
///
/// # Errors
/// The outer error is a setting that cannot be used. The inner one is the failure of the call.
pub async fn probe_endpoint(settings: LlmSettings) -> Result<Result<(), CallFailure>, LlmError> {
    let settings = settings.completed()?;
    let endpoint = Endpoint::new(settings.clone())?;
    let budget = BotBudget::open_concurrently(&settings)?;
    let call = ModelCall {
        messages: vec![Message::from_user(PROBE_MESSAGE)],
        schema_name: "ready",
        schema: Some(json!({
            "type": "object",
            "properties": { "ready": { "type": "boolean" } },
            "required": ["ready"],
            "additionalProperties": false,
        })),
    };
    let deadline = Instant::now() + settings.turn_timeout.min(PROBE_TIMEOUT);
    let bound = budget.bound_of_call(endpoint.request_bytes(&call), settings.max_tokens);
    // Each probe has its own match budget, under an id made from the time, since many probes may share a ledger.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let account = MatchId::new(now.as_millis() as u64, &[0; 10]);
    let reservation = match budget.reserve(account, bound, deadline).await {
        Ok(reservation) => reservation,
        Err(failure) => return Ok(Err(failure)),
    };
    let outcome = endpoint.complete(&call, deadline).await;
    reservation.settle(cost_of_call(&budget, &outcome));
    let failed = outcome.failure.filter(|_| outcome.completion.is_none());
    Ok(failed.map_or(Ok(()), Err))
}
