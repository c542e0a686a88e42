//! Measures the models of a run when the run ends.

use super::{folder::RunFolder, organiser::OrganiserClient};
use crate::{
    Failure,
    audit::read_questions,
    played_matches::{MatchSelectionArgs, MatchStateArg, PlayedMatches},
    screen,
    tournament_file::plan::TournamentPlan,
};
use indicatif::ProgressBar;
use lastnim_core::game::TournamentId;
use lastnim_llm::ModelMeasurer;
use lastnim_proto::{
    admission::{RecordAdmission, RecordPolicy},
    pb,
};
use std::path::PathBuf;

/// The seed of the intervals, the same as in `lastnim audit`.
const SEED: u64 = 1;

/// Measures the models of a tournament that is over, from the transcripts of the run and the records of the server;
/// returns no measures if there is no transcript.
pub async fn measure_models(
    plan: &TournamentPlan,
    folder: &RunFolder,
    organiser: &OrganiserClient,
    tournament: TournamentId,
) -> Result<Option<pb::ModelReport>, Failure> {
    let models: Vec<_> = plan.models().map(|(bot, _)| bot).collect();
    let files = models.iter().map(|bot| folder.transcript_file(bot)).collect::<Result<Vec<PathBuf>, _>>();
    let mut files = files.map_err(|error| Failure::runtime(error, folder.path().display()))?;
    files.retain(|file| file.exists());
    if files.is_empty() {
        return Ok(None);
    }
    let mut measurer = ModelMeasurer::new(read_questions(&files)?, SEED);
    let which = MatchSelectionArgs {
        tournament: Some(tournament),
        state: Some(MatchStateArg::Over),
        ..MatchSelectionArgs::default()
    };
    let has_model = |game: &pb::Match| {
        let bots = game.setup.iter().flat_map(|setup| &setup.bots);
        bots.into_iter().any(|bot| models.iter().any(|model| model.as_str() == bot))
    };
    let mut played = PlayedMatches::new(organiser.remote(), &which, ProgressBar::hidden(), has_model);
    // These records come from the server that played the matches.
    let policy = RecordPolicy { key: None, unsigned: true, tournament: Some(tournament) };
    while let Some((game, sealed)) = played.next().await? {
        match policy.admit_sealed(sealed) {
            Ok(RecordAdmission::Counts(admitted)) => measurer.add_match(&admitted),
            Ok(_) => {}
            Err(refusal) => screen::print_note(format_args!(
                "left out of the models' figures: match {}: {refusal}",
                game.id
            )),
        }
    }
    Ok(Some(measurer.into_report()))
}
