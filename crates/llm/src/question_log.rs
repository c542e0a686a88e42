//! The log of one question.

use super::{
    Amount, Tally, Transcript,
    answer::ModelAnswer,
    call_mode::CallMode,
    claims::{Claims, PLAN, WANTS, WIN_PROBABILITY},
    endpoint::CallOutcome,
    failure::CallFailure,
    question::{Answer, Question},
    request::ModelCall,
    talk_memory::LineHash,
};
use lastnim_core::game::{Seat, SeatCount};
use serde_json::{Map, Value, json};
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// The event for a question that waits because its endpoint fails or a budget is spent.
pub const OUTAGE: &str = "outage";
/// The event for a question that no longer waits, because the endpoint has answered again.
pub const RECOVERY: &str = "recovery";
/// The event for what the bot says in a round of talk.
pub const SAID: &str = "said";

/// Logs and counts the calls for one question and the bot's decision. If it is dropped before the decision, it logs
/// that the question was withdrawn.
#[derive(Debug)]
pub struct QuestionLog<'a> {
    transcript: Option<&'a Transcript>,
    tally: &'a Mutex<Tally>,
    seat: Seat,
    seats: SeatCount,
    /// Fields of every line.
    common: Map<String, Value>,
    began: Instant,
    calls: u32,
    /// Whether the question is about talk.
    is_talk: bool,
    /// The hash of the lines.
    lines: LineHash,
    is_closed: bool,
}

impl<'a> QuestionLog<'a> {
    /// Starts the log of a question.
    pub fn begin(
        question: &Question<'_>,
        lines: LineHash,
        transcript: Option<&'a Transcript>,
        tally: &'a Mutex<Tally>,
    ) -> Self {
        let mut common = Map::new();
        common.insert("match_id".into(), question.match_id().to_string().into());
        common.insert("seat".into(), question.info().seat.index().into());
        common.insert("question".into(), question.key().into());
        common.insert("ply".into(), question.ply().into());
        if let Question::Talk(round) = question {
            common.insert("round".into(), round.round().into());
        }
        let log = Self {
            transcript,
            tally,
            seat: question.info().seat,
            seats: question.info().seats(),
            common,
            began: Instant::now(),
            calls: 0,
            is_talk: matches!(question, Question::Talk(_)),
            lines,
            is_closed: false,
        };
        log.count(|tally| tally.questions += 1);
        log
    }

    /// Logs a call: its cost, and what was wrong with it or with its answer.
    pub fn note_call(
        &mut self,
        call: &ModelCall,
        outcome: &CallOutcome,
        mode: Option<&CallMode>,
        cost: Amount,
        failure: Option<&CallFailure>,
    ) {
        self.calls += 1;
        let tokens = outcome.completion.as_ref().and_then(|completion| completion.tokens);
        self.count(|tally| {
            tally.calls += 1;
            match tokens {
                Some(tokens) => tally.tokens += tokens,
                None => tally.uncounted_calls += 1,
            }
            if let Some(failure) = failure {
                *tally.failures.entry(failure.class).or_default() += 1;
            }
        });
        let messages: Vec<_> = call.messages.iter().map(super::request::Message::to_json).collect();
        let completion = outcome.completion.as_ref();
        let concessions: Vec<_> = outcome.concessions.iter().map(|concession| concession.words()).collect();
        self.write_line(
            "call",
            json!({
                "call": self.calls,
                "messages": messages,
                "reply": completion.map(|completion| &completion.text),
                "reasoning": completion.map(|completion| &completion.reasoning).filter(|text| !text.is_empty()),
                "response": completion.map(|completion| completion.source.to_json()),
                "finish_reason": completion.and_then(|completion| completion.finish_reason.as_ref()),
                "status": outcome.status,
                "mode": mode,
                "tokens": tokens.map(super::TokenCount::to_json),
                "cost": cost.to_json(),
                "latency_ms": outcome.latency.as_millis() as u64,
                "concessions": concessions,
                "failure": failure.map(|failure| failure.class.name()),
                "fault": failure.map(|failure| failure.class.fault().name()),
                "detail": failure.map(|failure| &failure.detail),
                "retry_after_ms": failure.and_then(|failure| failure.retry_after).map(|span| span.as_millis() as u64),
            }),
        );
    }

    /// Logs that the question waits for its endpoint, or for a larger budget.
    pub fn note_outage(&mut self, failure: &CallFailure) {
        self.write_line(
            OUTAGE,
            json!({
                "failure": failure.class.name(),
                "fault": failure.class.fault().name(),
                "detail": failure.detail,
            }),
        );
    }

    /// Logs that the question no longer waits.
    pub fn note_recovery(&mut self) {
        self.write_line(RECOVERY, json!({}));
    }

    /// Logs the model's answer as the bot's decision, and returns the hash of all lines; `None` for talk.
    pub fn close_with_answer(mut self, given: &ModelAnswer) -> Option<[u8; 32]> {
        self.count(|tally| {
            tally.answered += 1;
            tally.ignored_members += given.claims.ignored.len() as u64;
        });
        self.close("model", Some(&given.answer), &given.claims, None)
    }

    /// Logs the answer chosen by the failure policy as the bot's decision, and returns the hash of all lines; `None` for
    /// talk.
    pub fn close_without_answer(
        mut self,
        policy: &str,
        chosen: Option<&Answer>,
        failure: &CallFailure,
    ) -> Option<[u8; 32]> {
        self.count(|tally| *tally.unanswered.entry(failure.class).or_default() += 1);
        self.close(policy, chosen, &Claims::default(), Some(failure))
    }

    fn close(
        &mut self,
        by: &str,
        answer: Option<&Answer>,
        claims: &Claims,
        failure: Option<&CallFailure>,
    ) -> Option<[u8; 32]> {
        self.is_closed = true;
        self.write_line(
            if self.is_talk { SAID } else { "decision" },
            json!({
                "by": by,
                "answer": answer.map(|answer| answer.to_json(self.seat, self.seats)),
                "why": claims.why,
                WIN_PROBABILITY: claims.win_probability,
                WANTS: claims.wants.map(Seat::index),
                PLAN: claims.plan.map(Seat::index),
                "ignored": claims.ignored,
                "failure": failure.map(|failure| failure.class.name()),
                "fault": failure.map(|failure| failure.class.fault().name()),
                "detail": failure.map(|failure| &failure.detail),
                "calls": self.calls,
                "elapsed_ms": self.began.elapsed().as_millis() as u64,
            }),
        );
        if self.is_talk || self.transcript.is_none() {
            return None;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let hasher = lines.replace(blake3::Hasher::new());
        hasher.map(|hasher| *hasher.finalize().as_bytes())
    }

    fn write_line(&mut self, event: &str, more: Value) {
        let Some(transcript) = self.transcript else { return };
        let mut fields = self.common.clone();
        if let Value::Object(more) = more {
            fields.extend(more);
        }
        // Held during the write, so that lines of two questions are hashed in the order of the file.
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        match (transcript.write_line(event, fields), &mut *lines) {
            (Some(line), Some(hasher)) => {
                hasher.update(line.as_bytes());
            }
            _ => *lines = None,
        }
    }

    fn count(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for QuestionLog<'_> {
    fn drop(&mut self) {
        if !self.is_closed {
            self.count(|tally| tally.withdrawn += 1);
            self.close("withdrawn", None, &Claims::default(), None);
        }
    }
}
