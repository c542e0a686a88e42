//! Checks whether a transcript matches the hashes that the bot committed to while playing.

use super::{
    row_notation::RowNotation,
    transcript_reader::{
        DecidedAnswer, DecidedBy, QuestionKey, TranscriptDecision, TranscriptItem, TranscriptQuestion,
        read_transcript,
    },
};
use lastnim_core::{
    game::Seat,
    oracle::Mover,
    referee::{Event, NoteHash, Record},
};
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufRead},
};

/// The questions in transcripts: the hash of their lines, and the bot's decision.
#[derive(Debug, Default)]
pub struct TranscriptQuestions {
    /// A question may be asked again if a session is lost.
    decided: HashMap<QuestionKey, Vec<DecidedQuestion>>,
    /// The number of invalid lines.
    unread_lines: u64,
}

#[derive(Debug)]
struct DecidedQuestion {
    hash: NoteHash,
    answer: Option<DecidedAnswer>,
}

/// The answers that the bots of a match gave, each with the note hash that the bot sent with it.
#[derive(Debug)]
pub struct RecordedAnswers {
    /// In the order of the record.
    answers: Vec<(Seat, Option<u32>, RecordedAnswer)>,
}

/// An answer in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAnswer {
    answer: DecidedAnswer,
    hash: Option<NoteHash>,
}

impl RecordedAnswers {
    /// Finds the answers in a record.
    pub fn of_record(record: &Record) -> Self {
        let seats = record.state().setup().seats();
        let answers = record.events().iter().filter_map(|timed| match &timed.event {
            Event::Declared { seat, row, defaulted: None, note_hash } => {
                let order = RowNotation::Seats.numbers_of(row, *seat, seats);
                let answer = DecidedAnswer::Row(order.into_iter().map(|seat| seat as u64).collect());
                Some((*seat, None, RecordedAnswer { answer, hash: note_hash.clone() }))
            }
            Event::Took { ply, seat, take, mover: Mover::Bot, note_hash, .. } => {
                let answer = DecidedAnswer::Take(*take);
                Some((*seat, Some(*ply), RecordedAnswer { answer, hash: note_hash.clone() }))
            }
            _ => None,
        });
        Self { answers: answers.collect() }
    }

    /// Returns a seat's answer for its row or at a ply; `None` if its bot gave no answer.
    pub fn answer(&self, seat: usize, ply: Option<u32>) -> Option<&RecordedAnswer> {
        let found = self.answers.iter().find(|(of, at, _)| of.index() == seat && *at == ply);
        found.map(|(.., answer)| answer)
    }

    /// Counts the answers of a seat.
    pub fn count_of_seat(&self, seat: usize) -> usize {
        self.answers.iter().filter(|(of, ..)| of.index() == seat).count()
    }
}

/// What the record of a match proves about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionProof {
    /// The bot committed to the lines of the question, and gave the answer in them.
    Proved,
    /// The question ended without an answer, and the record has no answer either; or it was withdrawn, and may have
    /// been asked again.
    NoAnswer,
    /// The question has no decision, because the bot was stopped first.
    Unfinished,
    /// The record has no answer to this question from the bot.
    NotPlayed,
    /// The record has a different hash or answer.
    Unproved(Unproved),
}

impl QuestionProof {
    /// Returns the proof's name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::NoAnswer => "no_answer",
            Self::Unfinished => "unfinished",
            Self::NotPlayed => "not_played",
            Self::Unproved(why) => why.as_str(),
        }
    }

    /// Returns a description of the proof.
    pub fn words(self) -> &'static str {
        match self {
            Self::Proved => "the record proves the answer",
            Self::NoAnswer => "the question ended without an answer",
            Self::Unfinished => "the transcript does not say how the question ended",
            Self::NotPlayed => "not proved: the record has no such answer",
            Self::Unproved(Unproved::Changed) => {
                "not proved: the hash of the answer's lines in the transcript differs from the record"
            }
            Self::Unproved(Unproved::NotCommitted) => "not proved: the record has no hash for the answer",
            Self::Unproved(_) => "not proved: the answer in the transcript differs from the record",
        }
    }
}

impl RecordedAnswers {
    /// Compares a question with the record of its match.
    pub fn prove_question(&self, question: &TranscriptQuestion) -> QuestionProof {
        self.prove_decision(question.key, &question.hash, question.decision.as_ref())
    }

    /// Compares a decision with the record of its match.
    pub fn prove_decision(
        &self,
        key: QuestionKey,
        hash: &NoteHash,
        decision: Option<&TranscriptDecision>,
    ) -> QuestionProof {
        let Some(decision) = decision else { return QuestionProof::Unfinished };
        match (&decision.answer, self.answer(key.seat, key.ply)) {
            // A question may be withdrawn and asked again if a session is lost.
            (None, _) if decision.by == DecidedBy::Withdrawn => QuestionProof::NoAnswer,
            (None, None) if decision.by != DecidedBy::Model => QuestionProof::NoAnswer,
            (None, Some(_)) => QuestionProof::Unproved(Unproved::OtherAnswer),
            (_, None) => QuestionProof::NotPlayed,
            (given, Some(answer)) => match answer.check_lines(hash, given.as_ref()) {
                Ok(()) => QuestionProof::Proved,
                Err(why) => QuestionProof::Unproved(why),
            },
        }
    }
}

impl RecordedAnswer {
    /// Checks that the bot committed to lines with this hash and answer.
    ///
    /// # Errors
    /// If it did not. The error says why.
    pub fn check_lines(&self, hash: &NoteHash, answer: Option<&DecidedAnswer>) -> Result<(), Unproved> {
        let committed = self.hash.as_ref().ok_or(Unproved::NotCommitted)?;
        if committed != hash {
            return Err(Unproved::Changed);
        }
        if answer == Some(&self.answer) { Ok(()) } else { Err(Unproved::OtherAnswer) }
    }
}

/// What a transcript proves about a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TranscriptVerdict {
    /// Answers whose lines have the hash in the record and agree with the bot's move.
    pub proved: u64,
    /// All other answers of the seats in the transcript, in the order of the record.
    pub unproved: Vec<UnprovedAnswer>,
}

/// An answer that a transcript does not prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnprovedAnswer {
    /// The seat.
    pub seat: Seat,
    /// The ply; `None` for a row.
    pub ply: Option<u32>,
    /// The reason.
    pub why: Unproved,
}

/// Why an answer is not proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    /// The transcript has no lines for it.
    Missing,
    /// The hash of its lines differs from the record.
    Changed,
    /// The record has no hash for it.
    NotCommitted,
    /// The hash matches the record, but the answer in the lines does not.
    OtherAnswer,
}

impl Unproved {
    /// Returns the reason's name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::NotCommitted => "not_committed",
            Self::OtherAnswer => "other_answer",
        }
    }

    /// Returns a description of the reason.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "the transcript has no lines for the answer",
            Self::Changed => "the hash of the answer's lines in the transcript differs from the record",
            Self::NotCommitted => "the record has no hash for the answer",
            Self::OtherAnswer => "the answer in the transcript differs from the record",
        }
    }
}

impl TranscriptQuestions {
    /// Reads the lines of a transcript, and adds its questions. Invalid lines are counted.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_lines(&mut self, input: impl BufRead) -> io::Result<()> {
        let unread = read_transcript(input, |item| {
            let TranscriptItem::Question(question) = item else { return };
            // For a question without a decision, the bot committed to nothing.
            if let Some(decision) = question.decision {
                let decided = DecidedQuestion { hash: question.hash, answer: decision.answer };
                self.decided.entry(question.key).or_default().push(decided);
            }
        })?;
        self.unread_lines += unread.count;
        Ok(())
    }

    /// Returns the number of invalid lines.
    pub fn unread_line_count(&self) -> u64 {
        self.unread_lines
    }

    /// Compares the answers in a record with the transcript, for the seats with questions in this match; `None`
    /// if no seat has any.
    pub fn compare_with(&self, record: &Record) -> Option<TranscriptVerdict> {
        let match_keys = self.decided.keys().filter(|key| key.match_id == record.id());
        let seats: BTreeSet<usize> = match_keys.map(|key| key.seat).collect();
        if seats.is_empty() {
            return None;
        }
        let mut verdict = TranscriptVerdict::default();
        for (seat, ply, answer) in RecordedAnswers::of_record(record).answers {
            if !seats.contains(&seat.index()) {
                continue;
            }
            let key = QuestionKey { match_id: record.id(), seat: seat.index(), ply };
            match prove_answer(self.decided.get(&key).map_or(&[], Vec::as_slice), &answer) {
                Ok(()) => verdict.proved += 1,
                Err(why) => verdict.unproved.push(UnprovedAnswer { seat, ply, why }),
            }
        }
        Some(verdict)
    }
}

fn prove_answer(decided: &[DecidedQuestion], answer: &RecordedAnswer) -> Result<(), Unproved> {
    let mut why = if answer.hash.is_some() { Unproved::Missing } else { Unproved::NotCommitted };
    for decided in decided {
        match answer.check_lines(&decided.hash, decided.answer.as_ref()) {
            Err(Unproved::Changed) => why = Unproved::Changed,
            proved_or_not => return proved_or_not,
        }
    }
    Err(why)
}
