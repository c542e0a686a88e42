//! Counts what a model said before its rows.

use super::{asked_questions::AskedQuestion, question_tally::QuestionTally, spending::Spending};
use crate::transcript_reader::SaidKind;
use lastnim_proto::pb;
use std::collections::BTreeMap;

/// The tally of a model's talk.
#[derive(Debug, Default)]
pub(super) struct TalkTally {
    rounds: QuestionTally,
    texts: u64,
    claims: u64,
    offers: u64,
    acceptances: u64,
    private: u64,
    refused: u64,
    spending: Spending,
}

impl TalkTally {
    /// Adds what the bot said in a match. Its record has `recorded` messages of the bot, by round; some may be from rounds
    /// before the bot was restarted.
    pub(super) fn add_match<'a>(
        &mut self,
        asked: impl Iterator<Item = &'a AskedQuestion>,
        recorded: &BTreeMap<u32, u64>,
    ) {
        let mut sent = BTreeMap::<u32, u64>::new();
        for question in asked {
            self.spending.add_spending(&question.talk_spending);
            for said in &question.said {
                self.rounds.add_outcome(said.by, said.failure);
                for message in said.answer.iter().flat_map(|answer| &answer.talk) {
                    let count = match message.kind {
                        SaidKind::Text(_) => &mut self.texts,
                        SaidKind::Claim(_) => &mut self.claims,
                        SaidKind::Offer(_) => &mut self.offers,
                        SaidKind::Accept(_) => &mut self.acceptances,
                    };
                    *count += 1;
                    self.private += u64::from(!message.to.is_empty());
                    *sent.entry(said.round).or_default() += 1;
                }
            }
        }
        for (round, sent) in sent {
            self.refused += sent.saturating_sub(recorded.get(&round).copied().unwrap_or_default());
        }
    }

    /// Returns the spending.
    pub(super) fn spending(&self) -> &Spending {
        &self.spending
    }

    /// Creates the message; `None` if the bot was in no round of talk.
    pub(super) fn to_message(&self) -> Option<pb::TalkCounts> {
        let rounds = pb::QuestionCounts::from(&self.rounds);
        (rounds.asked > 0).then(|| pb::TalkCounts {
            rounds: Some(rounds),
            texts: self.texts,
            claims: self.claims,
            offers: self.offers,
            acceptances: self.acceptances,
            private: self.private,
            refused: self.refused,
            spending: Some((&self.spending).into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AskedQuestions;
    use lastnim_core::game::MatchId;
    use serde_json::json;

    #[test]
    fn messages_and_their_cost_are_counted() {
        let id = MatchId::new(1, &[0; 10]);
        let line = |event: &str, more: serde_json::Value| {
            let mut line =
                json!({ "event": event, "run": "a", "match_id": id.to_string(), "seat": 1, "ply": null });
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            format!("{line}\n")
        };
        let call = |round: Option<u32>, tokens: u64| {
            let cost = json!({ "tokens": tokens, "money": 0.5 });
            let mut call = json!({ "reply": "x", "failure": null, "cost": cost });
            if let Some(round) = round {
                call["round"] = round.into();
            }
            line("call", call)
        };
        let talk = json!({ "talk": [
            { "text": "hello", "to": [] },
            { "claim": [1, 0, 2], "to": [0] },
            { "offer": "0: 1>2; 1: 1>2", "to": [] },
        ] });
        let accept = json!({ "talk": [{ "accept": { "seat": 0, "round": 0, "number": 1 }, "to": [] }] });
        let lines = [
            call(Some(1), 10),
            line("said", json!({ "round": 1, "by": "model", "answer": talk, "elapsed_ms": 1_500 })),
            call(Some(2), 7),
            call(Some(2), 7),
            line("said", json!({ "round": 2, "by": "model", "answer": accept, "elapsed_ms": 500 })),
            call(Some(3), 3),
            line(
                "said",
                json!({ "round": 3, "by": "silent", "answer": { "talk": [] }, "failure": "illegal" }),
            ),
            call(None, 100),
            line("decision", json!({ "by": "model", "answer": { "row": [1, 0, 2] }, "elapsed_ms": 9 })),
        ];
        let mut asked = AskedQuestions::default();
        asked.read_file("a", lines.concat().as_bytes()).unwrap();
        assert_eq!(asked.unread_lines, 0);
        let questions = &asked.by_match[&id];
        assert_eq!((questions.len(), questions[0].spending.amount.tokens), (1, 100));
        let mut tally = TalkTally::default();
        assert_eq!(tally.to_message(), None);
        // The record lacks one of the messages. Those in round 0 are of an earlier run.
        tally.add_match(questions.iter(), &BTreeMap::from([(0, 2), (1, 2), (2, 1)]));
        let found = tally.to_message().unwrap();
        let rounds = found.rounds.unwrap();
        assert_eq!((rounds.asked, rounds.answered, rounds.unanswered[0].class.as_str()), (3, 2, "illegal"));
        assert_eq!([found.texts, found.claims, found.offers, found.acceptances], [1; 4]);
        assert_eq!((found.private, found.refused), (1, 1));
        let spending = found.spending.unwrap();
        assert_eq!((spending.tokens, spending.money, spending.seconds), (27, 2.0, 2.0));
        assert_eq!(asked.runs["a"].spending.amount.tokens, 127);
    }
}
