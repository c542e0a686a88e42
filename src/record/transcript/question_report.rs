//! Shows a question of a transcript, as text and as JSON.

use super::folded_text::{TextLength, fold_text};
use lastnim_core::visible_text::visible_text;
use lastnim_llm::{
    DecidedAnswer, QuestionProof, TranscriptCall, TranscriptDecision, TranscriptMessage, TranscriptQuestion,
};
use lastnim_report::{
    Section,
    words::{count_with_noun, format_duration, join_items},
};
use serde_json::{Value, json};

/// A question, with the bot that was asked and what the record proves about the answer.
pub struct ShownQuestion {
    pub question: TranscriptQuestion,
    pub bot: String,
    pub proof: QuestionProof,
}

impl ShownQuestion {
    /// Returns the index of the seat that was asked.
    pub fn seat(&self) -> usize {
        self.question.key.seat
    }

    /// Adds the question to a section of a report, line by line.
    pub fn add_to(&self, section: Section, length: TextLength) -> Section {
        let TranscriptQuestion { key, calls, decision, .. } = &self.question;
        let tokens: u64 = calls.iter().filter_map(|call| call.cost).map(|cost| cost.tokens).sum();
        let lasted = decision.as_ref().map(|decision| format!(", {}", format_duration(decision.elapsed_ms)));
        let head = format!(
            "question to seat {} ({}): {}{}, {}; {}",
            key.seat,
            self.bot,
            count_with_noun(calls.len(), "call", "calls"),
            lasted.unwrap_or_default(),
            count_with_noun(tokens, "token", "tokens"),
            self.proof.words()
        );
        let mut items = vec![head];
        let mut shown = None;
        for (number, call) in (1..).zip(calls) {
            // The earlier messages of this call were already shown with the earlier calls.
            let message = call.messages.last();
            items.extend(call_items(number, call, message.filter(|_| message != shown), length));
            shown = message;
        }
        items.extend(decision.as_ref().map(|decision| decision_text(decision, length)));
        section.list(items)
    }

    /// Returns the model's reason for its answer on one line, cut to a width, as a fact; `None` without a reason.
    pub fn reason_fact(&self, columns: usize) -> Option<(&'static str, String)> {
        let why = self.question.decision.as_ref()?.why.as_ref()?;
        let line = visible_text(&why.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
        let is_cut = line.chars().count() > columns;
        let shown: String = line.chars().take(if is_cut { columns - 1 } else { columns }).collect();
        let label = if self.proof == QuestionProof::Proved { "said" } else { "unproved" };
        Some((label, if is_cut { format!("{shown}…") } else { shown }))
    }

    /// Returns the question as JSON.
    pub fn to_json(&self) -> Value {
        let TranscriptQuestion { run, key, calls, decision, hash, .. } = &self.question;
        json!({
            "seat": key.seat,
            "ply": key.ply,
            "bot": self.bot,
            "run": run,
            "proof": self.proof.as_str(),
            "note_hash": hash.to_string(),
            "calls": calls,
            "decision": decision,
        })
    }
}

fn call_items(
    number: usize,
    call: &TranscriptCall,
    message: Option<&TranscriptMessage>,
    length: TextLength,
) -> Vec<String> {
    let mut items = Vec::new();
    let labelled = |label: String, text: &str| format!("{label}\n{}", fold_text(text, length));
    if let Some(message) = message {
        items.push(labelled(format!("call {number}, the question:"), &message.content));
    }
    if let Some(reasoning) = &call.reasoning {
        items.push(labelled(format!("call {number}, the reasoning:"), reasoning));
    }
    let cost = call.cost.map(|cost| format!(", {}", count_with_noun(cost.tokens, "token", "tokens")));
    let head =
        format!("call {number}, after {}{}:", format_duration(call.latency_ms), cost.unwrap_or_default());
    items.push(match &call.reply {
        Some(reply) => labelled(head, reply),
        None => format!("{head} no reply"),
    });
    if let Some(class) = call.failure {
        let detail = call.detail.as_deref().unwrap_or_default();
        items.push(labelled(format!("call {number} failed, {class}:"), detail));
    }
    items
}

fn decision_text(decision: &TranscriptDecision, length: TextLength) -> String {
    let answer = match &decision.answer {
        Some(DecidedAnswer::Take(take)) => format!("take {take}"),
        Some(DecidedAnswer::Row(row)) => {
            format!("row of seats {}", join_items(row, ", "))
        }
        None => "no answer".to_owned(),
    };
    let failure = decision.failure.map(|class| format!(", because the last failure was {class}"));
    let probability = decision
        .win_probability
        .map(|probability| format!("; it gives its row's first seat a win probability of {probability}"));
    let wants = decision.wants.map(|seat| format!("; it wants seat {seat} to win"));
    let plan = decision.plan.map(|seat| format!("; it plays for seat {seat} from this take on"));
    let ignored = (!decision.ignored.is_empty())
        .then(|| format!("; ignored because the value is invalid: {}", decision.ignored.join(", ")));
    let why = decision.why.as_ref().map(|why| format!("\n{}", fold_text(why, length)));
    let more = [failure, probability, wants, plan, ignored, why].into_iter().flatten();
    format!("decided by {}: {answer}{}", decision.by.name(), more.collect::<String>())
}
