//! Asks a model until it answers, and applies the failure policy.

use super::{
    LlmSettings, Tally, Transcript,
    amount::Amount,
    answer::{ModelAnswer, read_answer},
    budget::BotBudget,
    call_mode::CallMode,
    correction::append_correction,
    endpoint::{CallOutcome, Endpoint},
    failure::{CallFailure, FailureClass, Remedy},
    match_memory::{MatchMemories, Memory},
    match_scoring::MatchScoring,
    outage::{OutageGate, outage_pause},
    prompt::{PromptContext, PromptTemplate},
    question::{Answer, Question},
    question_log::QuestionLog,
    request::{Message, ModelCall},
    talk_memory::{TalkMemories, new_line_hash},
    thinking::Thinking,
};
use std::{sync::Mutex, time::Duration};
use tokio::time::{Instant, sleep};

/// The first pause before a retry if the endpoint does not specify one; each pause is twice as long as the previous one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause before a retry.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The minimum time of the clock that is reserved for sending the answer. The reserve is a tenth of the clock, within
/// two bounds.
const MIN_CLOCK_RESERVE: Duration = Duration::from_millis(100);
/// The maximum time that is reserved; see [`MIN_CLOCK_RESERVE`].
const MAX_CLOCK_RESERVE: Duration = Duration::from_secs(5);

/// The policy if the model gives no answer in a round of talk.
pub const SILENT: &str = "silent";

/// Everything that is needed to ask a model.
#[derive(Debug)]
pub struct Decider {
    /// The settings.
    pub settings: LlmSettings,
    /// The seed of the failure policy.
    pub seed: u64,
    /// The template of prompts.
    pub prompt: PromptTemplate,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The budgets.
    pub budget: BotBudget,
    /// The log of calls.
    pub transcript: Option<Transcript>,
    /// The counts of questions, answers and calls.
    pub tally: Mutex<Tally>,
    /// The state of the endpoint.
    pub outage: OutageGate,
    /// The model's answers in its open matches.
    pub memories: MatchMemories,
    /// What the bot keeps about talk.
    pub talks: TalkMemories,
}

/// The bot's answer, and the hash of the transcript lines that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The hash of these transcript lines.
    pub note_hash: Option<[u8; 32]>,
}

impl Decider {
    /// Asks the model until it answers or fails permanently, and then applies the failure policy.
    ///
    /// Dropping the future cancels the current call.
    ///
    /// # Errors
    /// The last failure, if the policy is to forfeit.
    pub async fn decide(
        &self,
        question: Question<'_>,
        clock_left: Duration,
        scoring: MatchScoring,
    ) -> Result<Decision, CallFailure> {
        let lines = match question {
            Question::Talk(_) | Question::Row(_) => self.talks.line_hash(question.match_id()),
            Question::Take(_) => new_line_hash(),
        };
        let mut log = QuestionLog::begin(&question, lines, self.transcript.as_ref(), &self.tally);
        let asked = self.ask_model(&question, clock_left, scoring, self.settings.retries, &mut log).await;
        let asked = match asked {
            Err(failure) if failure.class.stops_play() && !self.settings.outage_limit.is_zero() => {
                self.wait_out_outage(&question, scoring, failure, &mut log).await
            }
            asked => asked,
        };
        match asked {
            Ok(given) => {
                if !matches!(question, Question::Talk(_)) {
                    self.memories.remember_answer(question.match_id(), question.ply(), &given);
                }
                let note_hash = log.close_with_answer(&given);
                Ok(Decision { answer: given.answer, note_hash })
            }
            Err(failure) => {
                let policy = self.settings.on_failure;
                let chosen = policy.choose_answer(&question, self.seed);
                let policy = if matches!(question, Question::Talk(_)) { SILENT } else { policy.name() };
                let class = failure.class.name();
                tracing::warn!(match_id = %question.match_id(), class, %policy, "the model gave no usable answer: {}", failure.detail);
                let note_hash = log.close_without_answer(policy, chosen.as_ref(), &failure);
                chosen.map(|answer| Decision { answer, note_hash }).ok_or(failure)
            }
        }
    }

    /// Asks again until the endpoint works. The organiser finds the outage in the transcript and freezes the match, so
    /// this ignores the clock. If the match is not frozen but continues without the bot, the question is withdrawn,
    /// which drops this future.
    async fn wait_out_outage(
        &self,
        question: &Question<'_>,
        scoring: MatchScoring,
        mut failure: CallFailure,
        log: &mut QuestionLog<'_>,
    ) -> Result<ModelAnswer, CallFailure> {
        let ends = Instant::now() + self.settings.outage_limit;
        log.note_outage(&failure);
        self.outage.begin().await;
        loop {
            let failed_attempts = self.outage.failed_attempts.lock().await;
            let held = if *failed_attempts == 0 {
                // Another question has found that the endpoint works again, so the other questions no longer need to
                // wait.
                drop(failed_attempts);
                None
            } else {
                let Some(pause) = outage_pause(&failure, *failed_attempts, ends) else { return Err(failure) };
                sleep(pause).await;
                Some(failed_attempts)
            };
            match self.ask_model(question, Duration::MAX, scoring, 0, log).await {
                // A call without a reply does not show whether the endpoint works.
                Err(again) if again.class.stops_play() || again.class.is_without_reply() => {
                    failure = again;
                    match held {
                        Some(mut failed_attempts) => *failed_attempts = failed_attempts.saturating_add(1),
                        None => self.outage.begin().await,
                    }
                }
                asked => {
                    if let Some(mut failed_attempts) = held {
                        *failed_attempts = 0;
                    }
                    log.note_recovery();
                    return asked;
                }
            }
        }
    }

    async fn ask_model(
        &self,
        question: &Question<'_>,
        clock_left: Duration,
        scoring: MatchScoring,
        max_retries: u8,
        log: &mut QuestionLog<'_>,
    ) -> Result<ModelAnswer, CallFailure> {
        let time = self.settings.turn_timeout.min(time_within_clock(clock_left));
        let deadline = Instant::now() + time;
        let prompt = self.prompt.render(question, &self.prompt_context(question, time, scoring));
        let prompt = prompt.map_err(|reason| {
            CallFailure::new(FailureClass::Rejected, format!("the prompt cannot be written: {reason}"))
        })?;
        let mut call = ModelCall {
            messages: vec![Message::from_user(prompt)],
            schema_name: question.key(),
            schema: (self.settings.think == Thinking::None).then(|| question.answer_schema(&self.prompt)),
        };
        let (mut bad_answers, mut pauses) = (0, 0);
        loop {
            let bound =
                self.budget.bound_of_call(self.endpoint.request_bytes(&call), self.settings.max_tokens);
            let reservation = self.budget.reserve(question.match_id(), bound, deadline).await?;
            let outcome = self.endpoint.complete(&call, deadline).await;
            let cost = reservation.settle(cost_of_call(&self.budget, &outcome));
            let reply =
                outcome.completion.as_ref().map(|completion| completion.text.as_str()).unwrap_or_default();
            let answer = match &outcome.failure {
                Some(failure) => Err(failure.clone()),
                None => read_answer(question, self.prompt.row_notation(), reply),
            };
            let mode =
                outcome.dialect.map(|dialect| CallMode::new(&self.settings, dialect, call.schema.is_some()));
            log.note_call(&call, &outcome, mode.as_ref(), cost, answer.as_ref().err());
            let failure = match answer {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match failure.class.remedy() {
                Remedy::AskAgain => {
                    bad_answers += 1;
                    if bad_answers >= self.settings.answers {
                        return Err(failure);
                    }
                    append_correction(&mut call.messages, question, reply, &failure);
                    // In the first call, the model could already think.
                    call.schema.get_or_insert_with(|| question.answer_schema(&self.prompt));
                }
                Remedy::CallAgain => {
                    let pause = failure.retry_after.unwrap_or_else(|| retry_pause(pauses));
                    pauses += 1;
                    if failure.class == FailureClass::RateLimited {
                        // The pause applies to all matches.
                        self.endpoint.pause_for(pause);
                    }
                    let is_in_time = pause < deadline.saturating_duration_since(Instant::now());
                    if pauses > max_retries || !is_in_time {
                        return Err(failure);
                    }
                    sleep(pause).await;
                }
                Remedy::Nothing => return Err(failure),
            }
        }
    }
}

impl Decider {
    fn prompt_context(
        &self,
        question: &Question<'_>,
        time_left: Duration,
        scoring: MatchScoring,
    ) -> PromptContext {
        let memory = match self.settings.memory {
            Memory::None => Vec::new(),
            Memory::Match => self.memories.answers_before(question.match_id(), question.ply()),
        };
        let LlmSettings { blind: is_blind, think, .. } = self.settings;
        let refusals = self.talks.refusals(question.match_id());
        PromptContext { time_left, scoring, is_blind, think, memory, refusals }
    }
}

/// Returns the cost of a call; `None` if it is unknown, since the endpoint may charge for a reply that did not arrive.
pub fn cost_of_call(budget: &BotBudget, outcome: &CallOutcome) -> Option<Amount> {
    let tokens = outcome.completion.as_ref().and_then(|completion| completion.tokens);
    let is_refused = outcome.status.is_some_and(|status| (300..500).contains(&status));
    match tokens {
        Some(tokens) => Some(budget.amount_of(tokens)),
        None if is_refused || !outcome.is_sent => Some(Amount::default()),
        None => None,
    }
}

/// Returns how much of the time on the clock the model may use for an answer.
fn time_within_clock(left: Duration) -> Duration {
    left.saturating_sub((left / 10).clamp(MIN_CLOCK_RESERVE, MAX_CLOCK_RESERVE))
}

/// Returns the pause before the next retry, given the number of pauses so far.
fn retry_pause(pauses: u8) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << pauses.min(10)).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_the_clock_is_reserved_and_pauses_grow() {
        let left_ms = |ms| time_within_clock(Duration::from_millis(ms)).as_millis();
        assert_eq!([0, 50, 100, 1_000, 10_000, 600_000].map(left_ms), [0, 0, 0, 900, 9_000, 595_000]);
        assert_eq!(
            [0, 1, 6, 200].map(retry_pause).map(|pause| pause.as_millis()),
            [500, 1_000, 30_000, 30_000]
        );
    }
}
