//! Counts of a model's questions, answers and calls.

use super::{Amount, FailureClass, FailurePolicy, TokenCount};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt};

/// The counts of one model for all matches of a run. Answers by the failure policy are counted separately.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Questions for a round of talk, a row or a take.
    pub questions: u64,
    /// Questions that the model answered.
    pub answered: u64,
    /// Questions that were withdrawn before an answer, because the match continued without an answer, or ended.
    pub withdrawn: u64,
    /// Questions that the model did not answer, by their last failure; the policy chose instead. In a round of
    /// talk, the bot was silent.
    pub unanswered: BTreeMap<FailureClass, u64>,
    /// The failure policy.
    pub policy: FailurePolicy,
    /// Calls to the endpoint.
    pub calls: u64,
    /// Calls without an answer, by failure.
    pub failures: BTreeMap<FailureClass, u64>,
    /// Tokens, according to the endpoint.
    pub tokens: TokenCount,
    /// Calls for which the endpoint gave no token count.
    pub uncounted_calls: u64,
    /// Members of answers that had invalid values and were ignored.
    pub ignored_members: u64,
    /// Spending, including earlier starts with the same ledger. A call without a token count is charged its maximum
    /// cost.
    pub spent: Amount,
}

impl Tally {
    /// Returns the counts as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "questions": self.questions,
            "answered": self.answered,
            "withdrawn": self.withdrawn,
            "unanswered": class_counts(&self.unanswered),
            "faults": fault_counts(&self.unanswered),
            "on_failure": self.policy.name(),
            "calls": self.calls,
            "failures": class_counts(&self.failures),
            "tokens": self.tokens.to_json(),
            "uncounted_calls": self.uncounted_calls,
            "ignored_members": self.ignored_members,
            "spent": self.spent.to_json(),
        })
    }
}

fn class_counts(counts: &BTreeMap<FailureClass, u64>) -> Value {
    Value::Object(
        counts.iter().map(|(class, &count)| (class.to_string(), count.into())).collect::<Map<_, _>>(),
    )
}

fn fault_counts(counts: &BTreeMap<FailureClass, u64>) -> Value {
    let mut faults = Map::new();
    for (class, &count) in counts {
        let sum = faults.entry(class.fault().name()).or_insert_with(|| 0.into());
        *sum = (sum.as_u64().unwrap_or_default() + count).into();
    }
    Value::Object(faults)
}

fn class_counts_text(counts: &BTreeMap<FailureClass, u64>) -> String {
    counts
        .iter()
        .map(|(class, count)| format!("{count} {class} ({})", class.fault().name()))
        .collect::<Vec<_>>()
        .join(", ")
}

fn count_text(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let questions = count_text(self.questions, "question", "questions");
        write!(f, "{questions}, {} answered by the model", self.answered)?;
        if self.withdrawn > 0 {
            write!(f, ", {} withdrawn", self.withdrawn)?;
        }
        let unanswered: u64 = self.unanswered.values().sum();
        if unanswered > 0 {
            write!(
                f,
                ", {unanswered} unanswered ({}; policy: {})",
                class_counts_text(&self.unanswered),
                self.policy
            )?;
        }
        write!(f, "; {}", count_text(self.calls, "call", "calls"))?;
        if !self.failures.is_empty() {
            write!(f, ", failed: {}", class_counts_text(&self.failures))?;
        }
        let TokenCount { prompt, completion, reasoning, cached } = self.tokens;
        write!(
            f,
            "; tokens: {prompt} in prompts, {completion} in replies, including {reasoning} for reasoning"
        )?;
        if cached > 0 {
            write!(f, "; {cached} of the prompt tokens were cached")?;
        }
        if self.uncounted_calls > 0 {
            let calls = count_text(self.uncounted_calls, "call", "calls");
            write!(f, "; the endpoint did not report the tokens of {calls}")?;
        }
        if self.ignored_members > 0 {
            let values = count_text(self.ignored_members, "invalid value", "invalid values");
            write!(f, "; ignored {values} in the answers")?;
        }
        if self.spent.money > 0 {
            write!(f, "; spent: at most {}", self.spent)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_policy_are_counted_separately() {
        let mut tally = Tally { questions: 3, answered: 1, withdrawn: 1, calls: 4, ..Tally::default() };
        tally.unanswered.insert(FailureClass::Illegal, 1);
        tally.failures.insert(FailureClass::Illegal, 2);
        tally.failures.insert(FailureClass::Empty, 1);
        tally.tokens += TokenCount { prompt: 10, completion: 5, reasoning: 2, cached: 0 };
        assert_eq!(
            tally.to_string(),
            "3 questions, 1 answered by the model, 1 withdrawn, 1 unanswered (1 illegal (model); policy: forfeit); 4 calls, failed: 1 empty (model), 2 illegal (model); tokens: 10 in prompts, 5 in replies, including 2 for reasoning"
        );
        assert_eq!(tally.to_json()["unanswered"], json!({ "illegal": 1 }));
        tally.unanswered.extend([
            (FailureClass::Stalled, 2),
            (FailureClass::ServerError, 1),
            (FailureClass::Queued, 1),
        ]);
        assert_eq!(tally.to_json()["faults"], json!({ "model": 1, "endpoint": 3, "settings": 1 }));
    }
}
