//! Counts how well a model kept to the rules, by the outcomes of its questions and calls.

use super::spending::count_as_float;
use crate::{
    FailureClass, Fault,
    transcript_reader::{DecidedBy, TranscriptCall, TranscriptDecision},
};
use lastnim_proto::pb;
use std::collections::BTreeMap;

/// Questions of one kind, by outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionTally {
    withdrawn: u64,
    answered: u64,
    unanswered: BTreeMap<FailureClass, u64>,
    policies: BTreeMap<DecidedBy, u64>,
}

impl QuestionTally {
    /// Counts a question by the decision that ended it.
    pub fn add_decision(&mut self, decision: &TranscriptDecision) {
        self.add_outcome(decision.by, decision.failure);
    }

    /// Counts a question by who answered it, and the last failure.
    pub fn add_outcome(&mut self, by: DecidedBy, failure: Option<FailureClass>) {
        match by {
            DecidedBy::Model => self.answered += 1,
            DecidedBy::Withdrawn => self.withdrawn += 1,
            policy => {
                // Bots always log a failure. If it is missing, the question counts as not answered.
                let class = failure.unwrap_or(FailureClass::Empty);
                *self.unanswered.entry(class).or_default() += 1;
                *self.policies.entry(policy).or_default() += 1;
            }
        }
    }

    /// Returns the number of questions that were not withdrawn.
    pub fn decided(&self) -> u64 {
        self.answered + self.unanswered.values().sum::<u64>()
    }

    /// Returns the number of questions that the model answered, or failed to answer through its own fault.
    fn attributed_to_model(&self) -> u64 {
        let own = self.unanswered.iter().filter(|(class, _)| class.fault() == Fault::Model);
        self.answered + own.map(|(_, count)| count).sum::<u64>()
    }
}

impl From<&QuestionTally> for pb::QuestionCounts {
    fn from(tally: &QuestionTally) -> Self {
        let decided = tally.decided();
        let policies = tally.policies.iter();
        Self {
            asked: decided + tally.withdrawn,
            withdrawn: tally.withdrawn,
            answered: tally.answered,
            answered_share: share_of_counts(tally.answered, tally.attributed_to_model()),
            unanswered: failure_counts(&tally.unanswered, decided),
            policies: policies
                .map(|(policy, &count)| pb::PolicyCount { policy: policy.name().to_owned(), count })
                .collect(),
        }
    }
}

/// Calls to an endpoint, by outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallTally {
    calls: u64,
    failed: BTreeMap<FailureClass, u64>,
    modes: BTreeMap<String, u64>,
    /// Replies without a token count.
    uncounted: u64,
}

impl CallTally {
    /// Counts calls.
    pub fn of_calls(calls: &[TranscriptCall]) -> Self {
        let mut tally = Self { calls: calls.len() as u64, ..Self::default() };
        for class in calls.iter().filter_map(|call| call.failure) {
            *tally.failed.entry(class).or_default() += 1;
        }
        tally.uncounted =
            calls.iter().filter(|call| call.reply.is_some() && call.tokens.is_none()).count() as u64;
        for mode in calls.iter().filter_map(|call| call.mode.as_ref()) {
            *tally.modes.entry(mode.to_string()).or_default() += 1;
        }
        tally
    }

    /// Adds another tally.
    pub fn add_tally(&mut self, other: &Self) {
        self.calls += other.calls;
        for (&class, count) in &other.failed {
            *self.failed.entry(class).or_default() += count;
        }
        self.uncounted += other.uncounted;
        for (mode, count) in &other.modes {
            *self.modes.entry(mode.clone()).or_default() += count;
        }
    }
}

impl From<&CallTally> for pb::CallCounts {
    fn from(tally: &CallTally) -> Self {
        let failed: u64 = tally.failed.values().sum();
        Self {
            calls: tally.calls,
            answered: tally.calls - failed,
            failed: failure_counts(&tally.failed, tally.calls),
            uncounted: tally.uncounted,
            modes: tally
                .modes
                .iter()
                .map(|(mode, &count)| pb::ModeCount { mode: mode.clone(), count })
                .collect(),
        }
    }
}

fn failure_counts(counts: &BTreeMap<FailureClass, u64>, all: u64) -> Vec<pb::FailureCount> {
    let counts = counts.iter().map(|(class, &count)| pb::FailureCount {
        class: class.name().to_owned(),
        count,
        share: share_of_counts(count, all).unwrap_or_default(),
        fault: class.fault().name().to_owned(),
    });
    counts.collect()
}

fn share_of_counts(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| count_as_float(part) / count_as_float(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn decision(by: &str, failure: Option<&str>) -> TranscriptDecision {
        serde_json::from_value(json!({ "by": by, "failure": failure })).unwrap()
    }

    #[test]
    fn shares_exclude_withdrawn_questions() {
        let mut tally = QuestionTally::default();
        for (by, failure) in [
            ("model", None),
            ("model", None),
            ("withdrawn", None),
            ("first-legal", Some("illegal")),
            ("random", Some("illegal")),
            ("forfeit", Some("budget")),
        ] {
            tally.add_decision(&decision(by, failure));
        }
        let counts = pb::QuestionCounts::from(&tally);
        assert_eq!((counts.asked, counts.withdrawn, counts.answered), (6, 1, 2));
        // A spent budget is not the model's fault.
        assert_eq!(counts.answered_share, Some(0.5));
        let faults: Vec<_> = counts.unanswered.iter().map(|failed| failed.fault.as_str()).collect();
        assert_eq!(faults, ["model", "settings"]);
        let failed: Vec<_> = counts
            .unanswered
            .iter()
            .map(|failed| (failed.class.as_str(), failed.count, failed.share))
            .collect();
        assert_eq!(failed, [("illegal", 2, 0.4), ("budget", 1, 0.2)]);
        let policies: Vec<_> = counts.policies.iter().map(|policy| policy.policy.as_str()).collect();
        assert_eq!(policies, ["forfeit", "first-legal", "random"]);
        assert_eq!(pb::QuestionCounts::from(&QuestionTally::default()).answered_share, None);
    }

    #[test]
    fn calls_are_counted_by_outcome() {
        let call = |failure: Option<&str>| serde_json::from_value(json!({ "failure": failure })).unwrap();
        let mut tally = CallTally::of_calls(&[call(None), call(Some("empty")), call(Some("empty"))]);
        tally.add_tally(&CallTally::of_calls(&[call(Some("timed_out"))]));
        let counts = pb::CallCounts::from(&tally);
        assert_eq!((counts.calls, counts.answered), (4, 1));
        let failed: Vec<_> =
            counts.failed.iter().map(|failed| (failed.class.as_str(), failed.count, failed.share)).collect();
        assert_eq!(failed, [("empty", 2, 0.5), ("timed_out", 1, 0.25)]);
        let reply = |tokens: serde_json::Value| {
            serde_json::from_value(json!({ "reply": "x", "tokens": tokens })).unwrap()
        };
        let counted = reply(json!({ "prompt": 1, "completion": 1 }));
        tally.add_tally(&CallTally::of_calls(&[counted, reply(json!(null))]));
        assert_eq!(pb::CallCounts::from(&tally).uncounted, 1);
        let mode = json!({
            "prompt_version": 2, "memory": "match", "blind": false, "think": "none", "schema": true, "stream": true,
            "max_tokens_key": "max_tokens",
        });
        let mut schemaless = mode.clone();
        schemaless["schema"] = false.into();
        let calls =
            [&mode, &mode, &schemaless].map(|mode| serde_json::from_value(json!({ "mode": mode })).unwrap());
        tally.add_tally(&CallTally::of_calls(&calls));
        let modes: Vec<_> =
            pb::CallCounts::from(&tally).modes.into_iter().map(|mode| (mode.mode, mode.count)).collect();
        let mode = "prompt 2, with memory, with bot names, without thinking before the answer";
        assert_eq!(modes, [(format!("{mode}, with a schema"), 2), (format!("{mode}, without a schema"), 1)]);
    }
}
