//! Text becomes a record's message again. Whether its events fit each other is not looked at here.

use super::{Utc, VERSION_LINE};
use crate::pb::{self, record_event::Event};
use lastnim_core::game::{AllianceMatrix, MAX_SEATS, Row, SeatCount};
use lastnim_core::referee::{EventHash, MAX_EVENTS, NoteHash, PublicKey, Signature};
use std::{fmt::Display, str::FromStr};
use thiserror::Error;

/// The most characters of an offending value that an error repeats.
const REPEATED_CHARS: usize = 96;

/// A line that is none of a record's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct RecordTextError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The offending value, and what would be right.
    pub what: String,
}

type ReadResult<T> = Result<T, String>;

/// Reads the text of a record. Blanks between words count as one.
///
/// # Errors
/// The first line that does not read as it should.
pub fn read_record_text(text: &str) -> Result<pb::MatchRecord, RecordTextError> {
    let mut lines = LineReader { lines: text.lines(), line: 0 };
    let read = read_record_lines(&mut lines);
    read.map_err(|what| RecordTextError { line: lines.line, what })
}

struct LineReader<'a> {
    lines: std::str::Lines<'a>,
    line: usize,
}

impl<'a> LineReader<'a> {
    /// Returns the rest of the next line, which begins with a word.
    fn next(&mut self, key: &'static str) -> ReadResult<WordReader<'a>> {
        self.line += 1;
        let Some(line) = self.lines.next() else {
            return Err(format!("the text ends where a line `{key} ..` should stand"));
        };
        let mut words = WordReader { line, rest: line };
        words.expect_key(key)?;
        Ok(words)
    }

    /// Reads a whole line that begins with `key`.
    fn read<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut WordReader<'a>) -> ReadResult<T>,
    ) -> ReadResult<T> {
        let mut words = self.next(key)?;
        let value = read(&mut words)?;
        words.expect_end()?;
        Ok(value)
    }

    /// Does the same if the next line begins with that word.
    fn next_if(&mut self, key: &'static str) -> ReadResult<Option<WordReader<'a>>> {
        let begins = |line: &str| line.split_ascii_whitespace().next() == Some(key);
        if self.lines.clone().next().is_some_and(begins) { self.next(key).map(Some) } else { Ok(None) }
    }
}

/// The words of a line that are still to be read.
#[derive(Clone)]
struct WordReader<'a> {
    line: &'a str,
    rest: &'a str,
}

fn quote_value(value: &str) -> String {
    let cut: String = value.chars().take(REPEATED_CHARS).collect();
    format!("{cut:?}")
}

impl<'a> WordReader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_ascii_start();
        if rest.is_empty() {
            return None;
        }
        let (word, rest) = rest.split_at(rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len()));
        self.rest = rest;
        Some(word)
    }

    fn word(&mut self, what: &str) -> ReadResult<&'a str> {
        self.next()
            .ok_or_else(|| format!("the line {} ends where {what} should stand", quote_value(self.line)))
    }

    /// Passes over a word that has to stand here.
    fn expect_key(&mut self, key: &str) -> ReadResult<()> {
        match self.word(&format!("`{key}`"))? {
            word if word == key => Ok(()),
            word => Err(format!("{} where `{key}` should stand", quote_value(word))),
        }
    }

    fn key_if(&mut self, key: &str) -> bool {
        let mut ahead = self.clone();
        let there = ahead.next() == Some(key);
        if there {
            *self = ahead;
        }
        there
    }

    fn number<T: FromStr + Display + Copy>(&mut self, what: &str, most: T) -> ReadResult<T> {
        let word = self.word(what)?;
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.parse().ok().filter(|_| digits);
        number.ok_or_else(|| format!("{what} {}: expected a whole number of 0 to {most}", quote_value(word)))
    }

    fn keyed_number<T: FromStr + Display + Copy>(&mut self, key: &str, most: T) -> ReadResult<T> {
        self.expect_key(key)?;
        self.number(key, most)
    }

    fn parsed_value<T: FromStr>(&mut self, what: &str) -> ReadResult<T>
    where
        T::Err: Display,
    {
        self.word(what)?.parse().map_err(|error: T::Err| error.to_string())
    }

    /// Reads a word of an enumeration.
    fn enum_value<T>(&mut self, what: &str, prefix: &str, from_name: fn(&str) -> Option<T>) -> ReadResult<T> {
        let word = self.word(what)?;
        let lower = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        let value = from_name(&format!("{prefix}{}", word.to_ascii_uppercase()));
        value
            .filter(|_| lower && word != "unspecified")
            .ok_or_else(|| format!("{what} {}: unknown name", quote_value(word)))
    }

    fn offsets(&mut self, seats: SeatCount) -> ReadResult<pb::Row> {
        let mut offsets = Vec::with_capacity(seats.get());
        for _ in 0..seats.get() {
            offsets.push(self.number::<u64>("offset", u64::MAX)?);
        }
        Row::parse(&offsets, seats).map(|row| pb::Row::from(&row)).map_err(|error| error.to_string())
    }

    /// Reads rows, with semicolons between them.
    fn matrix(&mut self, seats: SeatCount) -> ReadResult<pb::AllianceMatrix> {
        let mut rows = vec![Vec::with_capacity(seats.get())];
        while rows.len() <= seats.get() {
            let mut ahead = self.clone();
            let Some(word) = ahead.next() else { break };
            let number = word.strip_suffix(';').unwrap_or(word);
            if !number.starts_with(|first: char| first.is_ascii_digit()) {
                break;
            }
            *self = ahead;
            let offset = WordReader { line: self.line, rest: number }.number::<u64>("offset", u64::MAX)?;
            rows.last_mut().expect("there is a row").push(offset);
            if number.len() < word.len() {
                rows.push(Vec::with_capacity(seats.get()));
            }
        }
        let matrix = AllianceMatrix::parse(&rows).map_err(|error| error.to_string())?;
        if matrix.seats() != seats {
            return Err(format!("{} rows: the match has {seats} seats", matrix.seats()));
        }
        Ok((&matrix).into())
    }

    fn expect_end(mut self) -> ReadResult<()> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(format!("{} where the line should end", quote_value(word))),
        }
    }
}

fn read_record_lines(lines: &mut LineReader<'_>) -> ReadResult<pb::MatchRecord> {
    let mut version = lines.next("lastnim")?;
    if version.next() != Some("record") || version.next() != Some("1") || version.next().is_some() {
        return Err(format!("{}: the first line is `{VERSION_LINE}`", quote_value(version.line)));
    }
    let match_id =
        lines.read("match", |words| words.parsed_value::<lastnim_core::game::MatchId>("the match's id"))?;
    let (setup, seats) = read_head(lines)?;
    let mut record = pb::MatchRecord { match_id: match_id.to_string(), ..pb::MatchRecord::default() };
    if let Some(mut words) = lines.next_if("signer")? {
        record.signer = words.parsed_value::<PublicKey>("the key")?.as_bytes().to_vec();
        words.expect_end()?;
        let signature = lines.read("signature", |words| words.parsed_value::<Signature>("the signature"))?;
        record.signature = signature.as_bytes().to_vec();
    }
    let count = lines.read("events", |words| words.number("events", MAX_EVENTS))?;
    if count > MAX_EVENTS {
        return Err(format!("{count} events: a record has at most {MAX_EVENTS}"));
    }
    let bots = setup.bots.clone();
    let mut setup = Some(setup);
    for line in lines.lines.by_ref() {
        lines.line += 1;
        record.events.push(read_event(line, seats, &bots, &mut setup)?);
    }
    if record.events.len() != count {
        return Err(format!(
            "the text ends after {} events: the line `events` says {count}",
            record.events.len()
        ));
    }
    Ok(record)
}

fn read_head(lines: &mut LineReader<'_>) -> ReadResult<(pb::MatchSetup, SeatCount)> {
    let mut setup = pb::MatchSetup::default();
    if let Some(mut words) = lines.next_if("tournament")? {
        setup.tournament_id =
            words.parsed_value::<lastnim_core::game::TournamentId>("the tournament's id")?.to_string();
        setup.number = words.keyed_number("number", u64::MAX)?;
        setup.group = words.keyed_number("group", u64::MAX)?;
        words.expect_end()?;
    }
    while let Some(mut words) = lines.next_if("seat")? {
        let seat: usize = words.number("seat", MAX_SEATS - 1)?;
        if seat != setup.bots.len() || seat >= MAX_SEATS {
            return Err(format!(
                "seat {seat}: seat {} comes next, and {} is the last",
                setup.bots.len(),
                MAX_SEATS - 1
            ));
        }
        setup.bots.push(words.parsed_value::<lastnim_core::game::BotName>("the bot")?.to_string());
        words.expect_end()?;
    }
    let seats = SeatCount::new(setup.bots.len()).map_err(|error| error.to_string())?;
    let mut words = lines.next("piles")?;
    while !words.rest.trim_ascii().is_empty() {
        setup.piles.push(words.number("pile", u64::MAX)?);
    }
    setup.first = lines.read("first", |words| words.number("seat", u32::MAX))?;
    let ending =
        |words: &mut WordReader<'_>| words.enum_value("ending", "ENDING_", pb::Ending::from_str_name);
    setup.ending = lines.read("ending", ending)?.into();
    let clock = lines.read("clock", |words| {
        Ok(pb::Clock {
            initial_ms: words.keyed_number("initial_ms", u32::MAX)?,
            increment_ms: words.keyed_number("increment_ms", u32::MAX)?,
            lag_quota_ms: words.keyed_number("lag_quota_ms", u32::MAX)?,
            lag_total_ms: words.keyed_number("lag_total_ms", u32::MAX)?,
            declaration_ms: words.keyed_number("declaration_ms", u32::MAX)?,
        })
    });
    setup.clock = Some(clock?);
    setup.strikes = lines.read("strikes", |words| words.number("strikes", u32::MAX))?;
    setup.max_plies = lines.read("max_plies", |words| words.number("max_plies", u32::MAX))?;
    setup.assigned = lines.read("rows", |words| match words.word("`declared` or `assigned`")? {
        "declared" => Ok(None),
        "assigned" => words.matrix(seats).map(Some),
        word => Err(format!("rows {}: expected `declared` or `assigned`", quote_value(word))),
    })?;
    Ok((setup, seats))
}

fn read_event(
    line: &str,
    seats: SeatCount,
    bots: &[String],
    setup: &mut Option<pb::MatchSetup>,
) -> ReadResult<pb::RecordEvent> {
    let mut words = WordReader { line, rest: line };
    let at = words.word("a time")?;
    let Ok(Utc(at_us)) = at.parse() else {
        return Err(format!(
            "time {}: expected UTC in RFC 3339 with six decimals, as in 2023-11-14T22:13:20.000000Z",
            quote_value(at)
        ));
    };
    let event = match words.word("an event")? {
        "created" => Event::Created(setup.take().ok_or("a second `created`: it is the first event only")?),
        "declared" => {
            let seat = read_seat(&mut words, "seat", bots)?;
            words.expect_key("row")?;
            let row = Some(words.offsets(seats)?);
            let defaulted = if words.key_if("default") {
                words.enum_value("default", "ROW_DEFAULT_", pb::RowDefault::from_str_name)?
            } else {
                pb::RowDefault::Unspecified
            };
            let defaulted = defaulted.into();
            Event::Declared(pb::DeclaredEvent {
                seat,
                row,
                defaulted,
                note_hash: read_note_hash(&mut words)?,
            })
        }
        "revealed" => {
            words.expect_key("rows")?;
            Event::Revealed(pb::RevealedEvent { alliance_matrix: Some(words.matrix(seats)?) })
        }
        "took" => {
            let ply = words.keyed_number("ply", u32::MAX)?;
            let seat = read_seat(&mut words, "seat", bots)?;
            let take = words.keyed_number("take", u64::MAX)?;
            words.expect_key("by")?;
            let steward = match words.word("`bot` or `steward`")? {
                "bot" => false,
                "steward" => true,
                word => return Err(format!("by {}: expected `bot` or `steward`", quote_value(word))),
            };
            let charged_us = words.keyed_number("charged_us", u64::MAX)?;
            let lag_us = words.keyed_number("lag_us", u64::MAX)?;
            let note_hash = read_note_hash(&mut words)?;
            Event::Took(pb::TookEvent { ply, seat, take, steward, charged_us, lag_us, note_hash })
        }
        "struck" => {
            let ply = words.keyed_number("ply", u32::MAX)?;
            let seat = read_seat(&mut words, "seat", bots)?;
            words.expect_key("for")?;
            let reason = words.enum_value("reason", "REFUSAL_REASON_", pb::RefusalReason::from_str_name)?;
            Event::Struck(pb::StruckEvent { seat, ply, reason: reason.into() })
        }
        "forfeited" => {
            let seat = read_seat(&mut words, "seat", bots)?;
            let reason = words.enum_value("reason", "FORFEIT_REASON_", pb::ForfeitReason::from_str_name)?;
            Event::Forfeited(pb::ForfeitedEvent { seat, reason: reason.into() })
        }
        "ended" => {
            let reason = words.enum_value("reason", "END_REASON_", pb::EndReason::from_str_name)?.into();
            let has_winner = words.clone().next() == Some("winner");
            let winner = has_winner.then(|| read_seat(&mut words, "winner", bots)).transpose()?;
            Event::Ended(pb::EndedEvent { reason, winner })
        }
        word => return Err(format!("event {}: unknown name", quote_value(word))),
    };
    let hash = if words.key_if("hash") {
        words.parsed_value::<EventHash>("the hash")?.as_bytes().to_vec()
    } else {
        Vec::new()
    };
    words.expect_end()?;
    Ok(pb::RecordEvent { at_us, event: Some(event), hash })
}

/// Reads a note hash, if there is one.
fn read_note_hash(words: &mut WordReader<'_>) -> ReadResult<Vec<u8>> {
    if words.key_if("note_hash") {
        Ok(words.parsed_value::<NoteHash>("the note hash")?.as_bytes().to_vec())
    } else {
        Ok(Vec::new())
    }
}

/// Reads a seat and its bot, who has to be the one of the first lines.
fn read_seat(words: &mut WordReader<'_>, key: &str, bots: &[String]) -> ReadResult<u32> {
    words.expect_key(key)?;
    let seat: u32 = words.number("seat", bots.len() - 1)? as u32;
    let Some(bot) = bots.get(seat as usize) else {
        return Err(format!("seat {seat}: the seats are 0 to {}", bots.len() - 1));
    };
    let named = words.word("the bot")?;
    if named != bot {
        return Err(format!("seat {seat} {}: the bot of seat {seat} is {bot}", quote_value(named)));
    }
    Ok(seat)
}
