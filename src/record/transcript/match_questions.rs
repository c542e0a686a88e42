//! The questions of one match, from transcripts.

use super::{publishing::fetch_published_lines, question_report::ShownQuestion};
use crate::{
    Failure, record::fetch_one_record, remote::RemoteServer, screen, transcript_files::list_transcripts,
};
use lastnim_client::text_input::TextInput;
use lastnim_core::{game::MatchId, referee::Record};
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

/// Reads the questions of a match that were published on a server; none while the match is open. They are compared with
/// the given record, or else with that of the server.
///
/// # Errors
/// If the server cannot be asked.
pub async fn fetch_published_questions(
    remote: &RemoteServer,
    id: MatchId,
    record: Option<&Record>,
) -> Result<MatchQuestions, Failure> {
    let published = fetch_published_lines(remote, id).await?;
    let mut found = MatchQuestions::new();
    if published.is_empty() {
        return Ok(found);
    }
    let fetched = match record {
        Some(_) => None,
        None => Some(fetch_one_record(remote, id).await?.into_record()),
    };
    if let Some(record) = record.or(fetched.as_ref()) {
        read_transcript(published.as_bytes(), |item| add_question(&mut found, record, item))
            .map_err(|error| Failure::runtime(error, "the published transcript cannot be read"))?;
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
