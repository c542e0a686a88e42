//! Entry points for fuzzing. They read untrusted text without opening files or printing.

use super::{
    batch,
    oracle::RulesetArgs,
    serve::{ServeSettings, apply_config_text},
    toml_file::FileMistake,
    tournament_file::plan::TournamentPlan,
};
use clap::{Args as _, FromArgMatches as _};

/// Reads a tournament file, and returns the settings for the server if the tournament can be played.
///
/// # Errors
/// Returns the line and the text of each mistake in the file, at least one.
pub fn read_tournament_file(
    text: &str,
) -> Result<lastnim_proto::pb::TournamentSettings, Vec<(usize, String)>> {
    let plan = TournamentPlan::parse(text).map_err(mistake_lines)?;
    plan.find_repetition();
    Ok(plan.settings())
}

/// Reads a `serve --config` file, and returns whether its settings stay the same when they are written and read again.
/// If the store contains a password, the default store is used instead, because passwords are not written.
///
/// # Errors
/// Returns the line and the text of each mistake in the file.
pub fn config_file_round_trips(text: &str) -> Result<bool, Vec<(usize, String)>> {
    let mut settings = ServeSettings::default();
    apply_config_text(text, &mut settings).map_err(mistake_lines)?;
    if settings.store.has_password() {
        settings.store = ServeSettings::default().store;
    }
    let mut file = Vec::new();
    settings.clone().write_file(&mut file).expect("writing to memory cannot fail");
    let mut again = ServeSettings::default();
    apply_config_text(&String::from_utf8_lossy(&file), &mut again).map_err(mistake_lines)?;
    Ok(again == settings)
}

/// Answers lines of `oracle solve --batch` with small limits, one answer for each line that is not blank.
pub fn answer_batch(input: &[u8]) -> Vec<u8> {
    let command = RulesetArgs::augment_args(clap::Command::new("solve"));
    let limits = ["solve", "--max-states", "2000", "--max-memory", "8", "--max-time", "1s"];
    let args =
        RulesetArgs::from_arg_matches(&command.get_matches_from(limits)).expect("these flags are valid");
    let mut output = Vec::new();
    // The result is ignored, because a refused line also gets an answer.
    let _ = batch::answer_lines(input, "lines", &mut output, |line| args.answer_batch_line(line));
    output
}

fn mistake_lines(mistakes: Vec<FileMistake>) -> Vec<(usize, String)> {
    mistakes.into_iter().map(|FileMistake { line, what }| (line, what)).collect()
}
