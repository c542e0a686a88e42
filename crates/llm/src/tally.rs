//! What a model did, in numbers.

use super::{Amount, FailureClass, FailurePolicy, TokenCount};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt};

/// What a model did in all matches of a run, in numbers. Answers that are not the model's own are counted by themselves, so that no
/// model looks better by luck.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Questions for a row or a take that were put to the model.
    pub questions: u64,
    /// How many of them the model answered.
    pub answered: u64,
    /// How many of them lost their meaning before they were answered, as the match went on or ended.
    pub withdrawn: u64,
    /// How many of them the model did not answer, by what failed last: there the policy chose.
    pub unanswered: BTreeMap<FailureClass, u64>,
    /// What the policy is.
    pub policy: FailurePolicy,
    /// Calls to the endpoint.
    pub calls: u64,
    /// Calls that brought no answer, by what failed.
    pub failures: BTreeMap<FailureClass, u64>,
    /// Tokens, as far as the endpoint counted them.
    pub tokens: TokenCount,
    /// Calls that the endpoint did not count.
    pub uncounted_calls: u64,
    /// Members of answers that were out of range, and so ignored.
    pub ignored_members: u64,
    /// What is spent of the budgets, also by earlier starts with the same ledger. A call that the endpoint did not count is taken for
    /// what it may have cost at most.
    pub spent: Amount,
}

impl Tally {
    /// Makes its JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "questions": self.questions,
            "answered": self.answered,
            "withdrawn": self.withdrawn,
            "unanswered": class_counts(&self.unanswered),
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

fn class_words(counts: &BTreeMap<FailureClass, u64>) -> String {
    counts.iter().map(|(class, count)| format!("{count} {class}")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} questions, {} answered by the model", self.questions, self.answered)?;
        if self.withdrawn > 0 {
            write!(f, ", {} withdrawn", self.withdrawn)?;
        }
        let unanswered: u64 = self.unanswered.values().sum();
        if unanswered > 0 {
            write!(f, ", {unanswered} not ({}): {}", class_words(&self.unanswered), self.policy)?;
        }
        write!(f, "; {} calls", self.calls)?;
        if !self.failures.is_empty() {
            write!(f, ", failed: {}", class_words(&self.failures))?;
        }
        let TokenCount { prompt, completion, reasoning } = self.tokens;
        write!(
            f,
            "; tokens: {prompt} of prompts, {completion} of replies, {reasoning} of reasoning among them"
        )?;
        if self.uncounted_calls > 0 {
            write!(f, "; {} calls were not counted by the endpoint", self.uncounted_calls)?;
        }
        if self.ignored_members > 0 {
            write!(f, "; {} members of answers were out of range", self.ignored_members)?;
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
    fn what_is_not_the_models_own_is_told_apart() {
        let mut tally = Tally { questions: 3, answered: 1, withdrawn: 1, calls: 4, ..Tally::default() };
        tally.unanswered.insert(FailureClass::Illegal, 1);
        tally.failures.insert(FailureClass::Illegal, 2);
        tally.failures.insert(FailureClass::Empty, 1);
        tally.tokens += TokenCount { prompt: 10, completion: 5, reasoning: 2 };
        assert_eq!(
            tally.to_string(),
            "3 questions, 1 answered by the model, 1 withdrawn, 1 not (1 illegal): forfeit; 4 calls, failed: 1 empty, 2 illegal; \
             tokens: 10 of prompts, 5 of replies, 2 of reasoning among them"
        );
        assert_eq!(tally.to_json()["unanswered"], json!({ "illegal": 1 }));
    }
}
