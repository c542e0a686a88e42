//! Transcripts held against records: whether what a bot shows later is what it committed to while it played.

use super::transcript_reader::{
    DecidedAnswer, DecidedBy, QuestionKey, TranscriptDecision, TranscriptItem, TranscriptQuestion,
    read_transcript,
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

/// The questions of transcripts: of each the hash of its lines, and what the bot decided.
#[derive(Debug, Default)]
pub struct TranscriptQuestions {
    /// A question may have been asked several times, as a session is lost.
    decided: HashMap<QuestionKey, Vec<Decided>>,
    /// Lines that are none of a transcript.
    unread_lines: u64,
}

#[derive(Debug)]
struct Decided {
    hash: NoteHash,
    answer: Option<DecidedAnswer>,
}

/// The answers that the bots of a match gave themselves, each with the hash that it was given with.
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
    /// Finds them in a record.
    pub fn of_record(record: &Record) -> Self {
        let answers = record.events().iter().filter_map(|timed| match &timed.event {
            Event::Declared { seat, row, defaulted: None, note_hash } => {
                let offsets = row.offsets().iter().map(|&offset| offset.into()).collect();
                let answer = DecidedAnswer::Row(offsets);
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

    /// Returns the answer of a seat to its row or at a ply; none if its bot gave none.
    pub fn answer(&self, seat: usize, ply: Option<u32>) -> Option<&RecordedAnswer> {
        let found = self.answers.iter().find(|(of, at, _)| of.index() == seat && *at == ply);
        found.map(|(.., answer)| answer)
    }

    /// Counts the answers of a seat.
    pub fn count_of_seat(&self, seat: usize) -> usize {
        self.answers.iter().filter(|(of, ..)| of.index() == seat).count()
    }
}

/// What the record of a match proves of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionProof {
    /// The bot committed to its lines, and gave the answer that they name.
    Proved,
    /// It ended without an answer, and the record has none there either.
    NoAnswer,
    /// It has no decision: the bot was ended before it made one.
    Unfinished,
    /// The record has no answer of the bot there.
    NotPlayed,
    /// The record has another hash or another answer there.
    Unproved(Unproved),
}

impl QuestionProof {
    /// Returns it in a word, as JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::NoAnswer => "no_answer",
            Self::Unfinished => "unfinished",
            Self::NotPlayed => "not_played",
            Self::Unproved(why) => why.as_str(),
        }
    }

    /// Returns it in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Proved => "the record proves it",
            Self::NoAnswer => "it ended without an answer",
            Self::Unfinished => "it has no decision",
            Self::NotPlayed => "not proved: the record has no such answer",
            Self::Unproved(Unproved::Changed) => "not proved: its lines have another hash than the record",
            Self::Unproved(Unproved::NotCommitted) => "not proved: the record has no hash of it",
            Self::Unproved(_) => "not proved: its lines name another answer than the record",
        }
    }
}

impl RecordedAnswers {
    /// Holds a question against the record of its match.
    pub fn prove_question(&self, question: &TranscriptQuestion) -> QuestionProof {
        self.prove_decision(question.key, &question.hash, question.decision.as_ref())
    }

    /// Holds the decision of a question against the record of its match.
    pub fn prove_decision(
        &self,
        key: QuestionKey,
        hash: &NoteHash,
        decision: Option<&TranscriptDecision>,
    ) -> QuestionProof {
        let Some(decision) = decision else { return QuestionProof::Unfinished };
        match (&decision.answer, self.answer(key.seat, key.ply)) {
            // A question may be withdrawn, as a session is lost, and asked again.
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
    /// Checks that lines with a hash, which say that the bot answered so, are those that the bot committed to.
    ///
    /// # Errors
    /// Why they are not.
    pub fn check_lines(&self, hash: &NoteHash, answer: Option<&DecidedAnswer>) -> Result<(), Unproved> {
        let committed = self.hash.as_ref().ok_or(Unproved::NotCommitted)?;
        if committed != hash {
            return Err(Unproved::Changed);
        }
        if answer == Some(&self.answer) { Ok(()) } else { Err(Unproved::OtherAnswer) }
    }
}

/// What a transcript proves of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TranscriptVerdict {
    /// Answers whose lines have the hash that stands in the record, and which are what the bot then did.
    pub proved: u64,
    /// All other answers of the seats that the transcript speaks of, in the order of the record.
    pub unproved: Vec<UnprovedAnswer>,
}

/// An answer that a transcript does not prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnprovedAnswer {
    /// The seat.
    pub seat: Seat,
    /// The ply; none for a row.
    pub ply: Option<u32>,
    /// Why it is not proved.
    pub why: Unproved,
}

/// Why an answer is not proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    /// The transcript has no lines of it.
    Missing,
    /// Its lines have another hash than the record.
    Changed,
    /// The record has no hash of it.
    NotCommitted,
    /// Its lines have the hash of the record, and say that the bot answered something else.
    OtherAnswer,
}

impl Unproved {
    /// Returns it in a word, as JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::NotCommitted => "not_committed",
            Self::OtherAnswer => "other_answer",
        }
    }

    /// Returns what is wrong, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "the transcript has no lines of it",
            Self::Changed => "its lines have another hash than the record",
            Self::NotCommitted => "the record has no hash of it",
            Self::OtherAnswer => "its lines name another answer than the record",
        }
    }
}

impl TranscriptQuestions {
    /// Reads the lines of a transcript, and adds its questions. Lines that are none of a transcript are counted.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_lines(&mut self, input: impl BufRead) -> io::Result<()> {
        let unread = read_transcript(input, |item| {
            let TranscriptItem::Question(question) = item else { return };
            // What was never decided was never committed to.
            if let Some(decision) = question.decision {
                let decided = Decided { hash: question.hash, answer: decision.answer };
                self.decided.entry(question.key).or_default().push(decided);
            }
        })?;
        self.unread_lines += unread.count;
        Ok(())
    }

    /// Returns how many lines are none of a transcript.
    pub fn unread_lines(&self) -> u64 {
        self.unread_lines
    }

    /// Holds the answers in a record against the transcript, those of the seats that it has questions of in this match; none if there is
    /// no such seat.
    pub fn hold_against(&self, record: &Record) -> Option<TranscriptVerdict> {
        let of_match = self.decided.keys().filter(|key| key.match_id == record.id());
        let seats: BTreeSet<usize> = of_match.map(|key| key.seat).collect();
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

fn prove_answer(decided: &[Decided], answer: &RecordedAnswer) -> Result<(), Unproved> {
    let mut why = if answer.hash.is_some() { Unproved::Missing } else { Unproved::NotCommitted };
    for decided in decided {
        match answer.check_lines(&decided.hash, decided.answer.as_ref()) {
            Err(Unproved::Changed) => why = Unproved::Changed,
            proved_or_not => return proved_or_not,
        }
    }
    Err(why)
}
