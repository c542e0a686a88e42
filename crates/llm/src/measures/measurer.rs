//! Measures models, match by match.

use super::{
    asked_questions::{AskedQuestion, AskedQuestions},
    model_tally::{ModelTally, SeatQuestions},
};
use crate::{
    transcript_proof::{QuestionProof, RecordedAnswers},
    transcript_reader::TranscriptDecision,
};
use lastnim_core::game::{BotName, Seat};
use lastnim_proto::{admission::AdmittedMatch, pb};
use std::collections::BTreeMap;

/// The maximum number of uncounted matches and questions that are named.
const MAX_NAMED: usize = 5;

/// Measures the models in transcripts, match by match, in any order.
///
/// A question counts if the record of its match proves it: the bot committed to the hash of its lines, and gave the
/// answer in them. A question without an answer has no commitment; it counts if the record has no answer either, or if
/// it was withdrawn.
#[derive(Debug)]
pub struct ModelMeasurer {
    asked: AskedQuestions,
    seed: u64,
    matches: u64,
    bots: BTreeMap<BotName, ModelTally>,
    questions: u64,
    unproved: u64,
    unproved_examples: Vec<pb::UnprovedQuestion>,
    unfinished: u64,
}

impl ModelMeasurer {
    /// Creates a measurer of the questions in transcripts; the seed is for the bootstrap that gives the intervals.
    pub fn new(asked: AskedQuestions, seed: u64) -> Self {
        Self {
            asked,
            seed,
            matches: 0,
            bots: BTreeMap::new(),
            questions: 0,
            unproved: 0,
            unproved_examples: Vec::new(),
            unfinished: 0,
        }
    }

    /// Returns how many matches count so far.
    pub fn match_count(&self) -> u64 {
        self.matches
    }

    /// Adds a match; a match without questions does not count.
    pub fn add_match(&mut self, played: &AdmittedMatch) {
        let record = played.record();
        let Some(asked) = self.asked.by_match.remove(&record.id()) else { return };
        self.matches += 1;
        let recorded = RecordedAnswers::of_record(record);
        let mut by_seat: BTreeMap<usize, Vec<(&AskedQuestion, &TranscriptDecision)>> = BTreeMap::new();
        for question in &asked {
            let proof = recorded.prove_decision(question.key, &question.hash, question.decision.as_ref());
            match (proof, &question.decision) {
                (QuestionProof::Proved | QuestionProof::NoAnswer, Some(decision)) => {
                    by_seat.entry(question.key.seat).or_default().push((question, decision));
                }
                (QuestionProof::Unfinished, _) => self.unfinished += 1,
                _ => self.note_unproved(question, proof),
            }
        }
        let setup = record.state().setup();
        for (number, decided) in by_seat {
            // The match has no such seat, so the question was never asked in it.
            let Ok(seat) = setup.seats().seat(number) else {
                for (question, _) in decided {
                    self.note_unproved(question, QuestionProof::NotPlayed);
                }
                continue;
            };
            self.questions += decided.len() as u64;
            let answers = recorded.count_of_seat(number) as u64;
            let mut messages = BTreeMap::<u32, u64>::new();
            for message in record.messages().filter(|message| message.seat == seat) {
                *messages.entry(message.round).or_default() += 1;
            }
            self.add_seat(played, &SeatQuestions { seat, decided, answers, messages });
        }
    }

    fn add_seat(&mut self, played: &AdmittedMatch, asked: &SeatQuestions<'_>) {
        let bot = bot_of_seat(played, asked.seat);
        let tally = self.bots.entry(bot).or_insert_with(|| ModelTally::new(self.seed));
        played.with_audited_match(|game| tally.add_match(game, asked));
    }

    fn note_unproved(&mut self, question: &AskedQuestion, proof: QuestionProof) {
        self.unproved += 1;
        if self.unproved_examples.len() < MAX_NAMED {
            self.unproved_examples.push(pb::UnprovedQuestion {
                match_id: question.key.match_id.to_string(),
                seat: u32::try_from(question.key.seat).unwrap_or(u32::MAX),
                ply: question.key.ply,
                why: proof.as_str().to_owned(),
            });
        }
    }

    /// Returns the findings.
    pub fn into_report(mut self) -> pb::ModelReport {
        self.unproved_examples.sort_by(|one, other| {
            (&one.match_id, one.seat, one.ply).cmp(&(&other.match_id, other.seat, other.ply))
        });
        let AskedQuestions { files, unread_lines, unread_places, given_twice, runs, by_match, .. } =
            self.asked;
        let bots = self.bots.into_iter();
        pb::ModelReport {
            models: bots.map(|(bot, tally)| tally.into_message(bot.to_string(), &runs)).collect(),
            transcripts: Some(pb::TranscriptReading {
                files,
                questions: self.questions,
                unread_lines,
                unread_places,
                given_twice,
                of_other_matches: by_match.values().map(|questions| questions.len() as u64).sum(),
                other_matches: by_match.keys().take(MAX_NAMED).map(ToString::to_string).collect(),
                unproved: self.unproved,
                unproved_examples: self.unproved_examples,
                unfinished: self.unfinished,
            }),
            seed: self.seed,
        }
    }
}

fn bot_of_seat(played: &AdmittedMatch, seat: Seat) -> BotName {
    played.record().state().setup().bots[seat].clone()
}
