//! `lastnim record transcript publish` and `remove`: publishes transcripts on a server, for everyone who may read
//! them.

use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    remote::{RemoteServer, ServerArgs},
    runtime,
    transcript_files::list_transcripts,
};
use clap::{Args, Subcommand};
use lastnim_client::text_input::TextInput;
use lastnim_core::game::MatchId;
use lastnim_proto::{pb, transcript::QuestionLine};
use lastnim_report::words::count_with_noun;
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
};

/// Environment variables whose names end in these words have secret values.
const SECRET_SUFFIXES: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];
/// The minimum length of a value that counts as a secret.
const MIN_SECRET_CHARS: usize = 8;
/// The maximum number of refusals shown; further ones are only counted.
const MAX_SHOWN_REFUSALS: usize = 20;

/// What to do with transcripts on a server.
#[derive(Debug, Subcommand)]
pub enum PublishingAction {
    /// Publishes transcripts of finished matches and tournaments on a server
    ///
    /// An admin can publish any transcript, a bot only those of its own seats in tournaments. A match whose private
    /// messages stay private has no published transcripts. New lines of a question replace its earlier ones. If a line
    /// contains the value of an environment variable ending in KEY, TOKEN, SECRET or PASSWORD, nothing is published.
    Publish(PublishArgs),
    /// Removes the published transcript of a seat
    Remove(RemoveArgs),
}

/// The transcripts to publish, and the server.
#[derive(Debug, Args)]
pub struct PublishArgs {
    /// Transcripts or folders of them
    #[arg(value_name = "FILE|DIR", required = true)]
    transcripts: Vec<PathBuf>,
    /// Publishes only lines of this match
    #[arg(long = "match", value_name = "MATCH_ID")]
    match_id: Option<MatchId>,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormatArgs,
}

/// The seat whose transcript is to be removed, and the server.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The id of the match
    #[arg(value_name = "MATCH_ID")]
    match_id: MatchId,
    /// The number of the seat, from 0
    #[arg(long, value_name = "N")]
    seat: u32,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormatArgs,
}

/// The match, the seat and the ply of a question. The ply is `None` if the question asks for a row.
type QuestionPlace = (MatchId, u32, Option<u32>);

impl PublishingAction {
    /// Runs the action.
    pub fn run(&self) -> CommandResult {
        match self {
            Self::Publish(args) => args.publish(),
            Self::Remove(args) => args.remove(),
        }
    }
}

impl PublishArgs {
    fn publish(&self) -> CommandResult {
        let questions = self.read_questions()?;
        if questions.is_empty() {
            return Err(Failure::input("the transcripts have no questions to publish"));
        }
        let form = self.form.form();
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(&self.server).await?;
            let (mut published, mut matches, mut refused) = (0_u64, BTreeSet::new(), Vec::new());
            for ((match_id, seat, ply), lines) in questions {
                let request =
                    pb::PublishTranscriptRequest { match_id: match_id.to_string(), seat, ply, lines };
                match remote.transcript_client().publish_transcript(request).await {
                    Ok(_) => {
                        published += 1;
                        matches.insert(match_id);
                    }
                    // If the caller is refused or the server is lost, every call would fail, so this is reported once.
                    Err(status)
                        if matches!(
                            status.code(),
                            tonic::Code::Unauthenticated | tonic::Code::Unavailable
                        ) =>
                    {
                        return Err(remote.refusal_failure(&status));
                    }
                    Err(status) => refused.push((match_id, seat, ply, status.message().to_owned())),
                }
            }
            let json = json!({
                "published": published,
                "matches": matches.len(),
                "refused": refused.iter().map(|(match_id, seat, ply, why)| {
                    json!({ "match_id": match_id.to_string(), "seat": seat, "ply": ply, "why": why })
                }).collect::<Vec<_>>(),
            });
            form.print_result(
                || &json,
                |out| {
                    let questions = count_with_noun(published, "question", "questions");
                    let match_count = count_with_noun(matches.len() as u64, "match", "matches");
                    writeln!(out, "published: {questions} of {match_count}")?;
                    for (_, _, _, why) in refused.iter().take(MAX_SHOWN_REFUSALS) {
                        writeln!(out, "refused: {why}")?;
                    }
                    match refused.len().saturating_sub(MAX_SHOWN_REFUSALS) {
                        0 => Ok(()),
                        more => writeln!(out, "refused: {more} more"),
                    }
                },
            )?;
            Ok(if refused.is_empty() { CommandExit::Done } else { CommandExit::SomeRefused })
        })
    }

    /// Reads the lines of each question and refuses lines with a secret.
    fn read_questions(&self) -> Result<BTreeMap<QuestionPlace, String>, Failure> {
        let secrets = secret_values(env::vars());
        let mut questions: BTreeMap<QuestionPlace, String> = BTreeMap::new();
        for file in list_transcripts(&self.transcripts)? {
            let failure = |error| Failure::runtime(error, file.display());
            let lines = BufReader::new(TextInput::open(&file).map_err(failure)?).lines();
            for (number, line) in (1..).zip(lines) {
                let line = line.map_err(failure)?;
                // Lines that note a start of the bot, and incomplete lines of a killed bot, belong to no question.
                let Some(place) = question_place(&line) else { continue };
                if self.match_id.is_some_and(|only| only != place.0) {
                    continue;
                }
                if let Some((name, _)) = secrets.iter().find(|(_, value)| line.contains(value)) {
                    return Err(Failure::input(format!(
                        "{}:{number}: the line contains the value of {name}: nothing was published",
                        file.display()
                    )));
                }
                let lines = questions.entry(place).or_default();
                lines.push_str(&line);
                lines.push('\n');
            }
        }
        Ok(questions)
    }
}

fn question_place(line: &str) -> Option<QuestionPlace> {
    let line = QuestionLine::parse(line).ok()?;
    let ply = line.ply.map(u32::try_from).transpose().ok()?;
    Some((line.match_id()?, line.seat.try_into().ok()?, ply))
}

/// Returns the environment variables with secret values, by name.
fn secret_values(variables: impl IntoIterator<Item = (String, String)>) -> Vec<(String, String)> {
    let is_secret = |(name, value): &(String, String)| {
        SECRET_SUFFIXES.iter().any(|ending| name.to_ascii_uppercase().ends_with(ending))
            && value.chars().count() >= MIN_SECRET_CHARS
    };
    variables.into_iter().filter(is_secret).collect()
}

impl RemoveArgs {
    fn remove(&self) -> CommandResult {
        let form = self.form.form();
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(&self.server).await?;
            let request =
                pb::RemoveTranscriptRequest { match_id: self.match_id.to_string(), seat: self.seat };
            let removed = remote.answer(remote.transcript_client().remove_transcript(request)).await?;
            form.print_message(&removed, |out| {
                writeln!(out, "removed: {}", count_with_noun(removed.removed, "question", "questions"))
            })?;
            Ok(CommandExit::Done)
        })
    }
}

/// Fetches the published lines for all questions in a match.
pub async fn fetch_published_lines(remote: &RemoteServer, id: MatchId) -> Result<String, Failure> {
    let mut fetched = String::new();
    let match_id = id.to_string();
    let request = pb::ListTranscriptsRequest { match_id: match_id.clone() };
    let listed = remote.answer(remote.transcript_client().list_transcripts(request)).await?;
    for pb::PublishedQuestion { seat, ply, .. } in listed.questions {
        let request = pb::GetTranscriptRequest { match_id: match_id.clone(), seat, ply };
        let given = remote.answer(remote.transcript_client().get_transcript(request)).await?;
        fetched.push_str(&given.lines);
    }
    Ok(fetched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_the_names_of_environment_variables() {
        let variables = [
            ("OPENAI_API_KEY", "sk-0123456789"),
            ("lastnim_token", "lastnim_0123"),
            ("SHORT_KEY", "abc"),
            ("PATH", "/usr/local/bin"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found: Vec<_> = secret_values(variables).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["OPENAI_API_KEY", "lastnim_token"]);
    }
}
