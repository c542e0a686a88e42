//! Transcripts held against records: whether what a bot shows later is what it committed to while it played.

use crate::{
    game::{MatchId, Seat},
    oracle::Mover,
    referee::{Event, NoteHash, Record},
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufRead},
};

/// What one question of a transcript is known by: its match, its seat, and its ply; none for a row.
type QuestionKey = (MatchId, usize, Option<u32>);

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

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DecidedAnswer {
    Row(Vec<u64>),
    Take(u64),
}

/// What is read of a line.
#[derive(Debug, Deserialize)]
struct TranscriptLine {
    event: String,
    #[serde(default)]
    run: String,
    match_id: Option<String>,
    seat: Option<usize>,
    ply: Option<u32>,
    #[serde(default)]
    answer: Value,
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
    /// Reads the lines of a transcript, and adds its questions. Lines that are no JSON are counted: a run that was killed may have left
    /// one.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_lines(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut open: HashMap<(String, QuestionKey), blake3::Hasher> = HashMap::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let Ok(read) = serde_json::from_slice::<TranscriptLine>(&line) else {
                self.unread_lines += u64::from(!line.trim_ascii().is_empty());
                continue;
            };
            let match_id = read.match_id.as_deref().and_then(|id| id.parse().ok());
            let (Some(match_id), Some(seat)) = (match_id, read.seat) else { continue };
            let question = (read.run, (match_id, seat, read.ply));
            let hasher = open.entry(question.clone()).or_default();
            hasher.update(&line);
            if read.event == "decision" {
                let hash = NoteHash::from_bytes(*hasher.finalize().as_bytes());
                open.remove(&question);
                let answer = serde_json::from_value(read.answer).ok();
                self.decided.entry(question.1).or_default().push(Decided { hash, answer });
            }
        }
    }

    /// Returns how many lines are none of a transcript.
    pub fn unread_lines(&self) -> u64 {
        self.unread_lines
    }

    /// Holds the answers in a record against the transcript, those of the seats that it has questions of in this match; none if there is
    /// no such seat.
    pub fn hold_against(&self, record: &Record) -> Option<TranscriptVerdict> {
        let of_match = self.decided.keys().filter(|(id, ..)| *id == record.id());
        let seats: BTreeSet<usize> = of_match.map(|&(_, seat, _)| seat).collect();
        if seats.is_empty() {
            return None;
        }
        let mut verdict = TranscriptVerdict::default();
        for timed in record.events() {
            let (seat, ply, answer, hash) = match &timed.event {
                Event::Declared { seat, row, defaulted: None, note_hash } => {
                    let offsets = row.offsets().iter().map(|&offset| offset.into()).collect();
                    (*seat, None, DecidedAnswer::Row(offsets), note_hash)
                }
                Event::Took { ply, seat, take, mover: Mover::Bot, note_hash, .. } => {
                    (*seat, Some(*ply), DecidedAnswer::Take(*take), note_hash)
                }
                _ => continue,
            };
            if !seats.contains(&seat.index()) {
                continue;
            }
            let decided = self.decided.get(&(record.id(), seat.index(), ply));
            match prove_answer(decided.map_or(&[], Vec::as_slice), &answer, hash.as_ref()) {
                Ok(()) => verdict.proved += 1,
                Err(why) => verdict.unproved.push(UnprovedAnswer { seat, ply, why }),
            }
        }
        Some(verdict)
    }
}

fn prove_answer(
    decided: &[Decided],
    answer: &DecidedAnswer,
    hash: Option<&NoteHash>,
) -> Result<(), Unproved> {
    let hash = hash.ok_or(Unproved::NotCommitted)?;
    if decided.is_empty() {
        return Err(Unproved::Missing);
    }
    let found = decided.iter().find(|decided| decided.hash == *hash).ok_or(Unproved::Changed)?;
    if found.answer.as_ref() == Some(answer) { Ok(()) } else { Err(Unproved::OtherAnswer) }
}
