//! The questions of one match, from transcripts.

use super::{publishing::fetch_published_lines, question_report::ShownQuestion};
use crate::{Failure, remote::ServerArgs, screen, transcript_files::list_transcripts};
use lastnim_client::text_input::TextInput;
use lastnim_core::referee::Record;
use lastnim_llm::{RecordedAnswers, TranscriptItem, read_transcript};
use std::{collections::BTreeMap, io::BufReader, path::PathBuf};

/// The questions of a match by ply, those for rows first.
pub type MatchQuestions = BTreeMap<Option<u32>, Vec<ShownQuestion>>;

/// Reads the questions of a match from transcripts, and from all transcripts in folders.
///
/// # Errors
/// If a file cannot be read, or none has a question of the match.
pub fn read_questions(files: &[PathBuf], record: &Record) -> Result<MatchQuestions, Failure> {
    let mut found = MatchQuestions::new();
    for file in list_transcripts(files)? {
        let read = TextInput::open(&file).and_then(|opened| {
            read_transcript(BufReader::new(opened), |item| add_question(&mut found, record, item))
        });
        let unread = read.map_err(|error| Failure::runtime(error, file.display()))?;
        if unread.count > 0 {
            let numbers: Vec<_> = unread.numbers.iter().map(ToString::to_string).collect();
            // The readable lines are shown anyway.
            screen::print_note(format_args!(
                "{}: {} of its lines could not be read: {}",
                file.display(),
                unread.count,
                numbers.join(", ")
            ));
        }
    }
    if found.is_empty() {
        let id = record.id();
        return Err(Failure::input(format!("the transcripts have no question from match {id}")));
    }
    Ok(found)
}

/// Reads the questions of a match that were published on a server.
///
/// # Errors
/// If the server cannot be asked, or has no question of the match.
pub fn read_published_questions(server: &ServerArgs, record: &Record) -> Result<MatchQuestions, Failure> {
    let mut found = MatchQuestions::new();
    let published = fetch_published_lines(server, record.id())?;
    read_transcript(published.as_bytes(), |item| add_question(&mut found, record, item))
        .map_err(|error| Failure::runtime(error, "the server"))?;
    if found.is_empty() {
        let id = record.id();
        return Err(Failure::input(format!(
            "no transcript of match {id} was published on the server: name a file with --transcript"
        )));
    }
    Ok(found)
}

fn add_question(found: &mut MatchQuestions, record: &Record, item: TranscriptItem) {
    let TranscriptItem::Question(question) = item else { return };
    let setup = record.state().setup();
    let seat = setup.seats().seat(question.key.seat);
    let Some(seat) = seat.ok().filter(|_| question.key.match_id == record.id()) else { return };
    let proof = RecordedAnswers::of_record(record).prove_question(&question);
    let question = ShownQuestion { question: *question, bot: setup.bots[seat].to_string(), proof };
    found.entry(question.question.key.ply).or_default().push(question);
}
