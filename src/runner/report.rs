//! The result of a run.

use super::{
    result_file::{ResultFile, ResultForm},
    saved_run::Amendment,
};
use crate::{Failure, form::OutputFormat};
use lastnim_proto::{json::message_to_json, pb};
use lastnim_report::{
    Section,
    model_report::model_report,
    render::csv_file_text,
    standings::{progress_report, standings_table},
    tournament_result::result_text,
    words::format_time,
};
use pb::TournamentState;
use serde_json::{Value, json};

/// Returns whether a tournament is over.
pub fn is_tournament_over(tournament: &pb::Tournament) -> bool {
    matches!(tournament.state(), TournamentState::Finished | TournamentState::Cancelled)
}

/// The newest known state of a tournament.
#[derive(Debug, Clone, Default)]
pub struct TournamentStatus {
    /// The tournament.
    pub tournament: pb::Tournament,
    /// The standings of the tournament.
    pub standings: Vec<pb::Standing>,
    /// The verdict of the tournament's format.
    pub verdict: Option<pb::Verdict>,
    /// The interventions of the organiser.
    pub events: Vec<pb::TournamentEvent>,
    /// The first criterion by which the lines are sorted, as [`pb::StandingsOrder`].
    pub order: i32,
}

impl TournamentStatus {
    /// Processes a state; only the first one has the settings. A heartbeat changes nothing.
    pub fn update(&mut self, state: pb::WatchTournamentResponse) {
        let Some(mut tournament) = state.tournament else { return };
        tournament.settings = tournament.settings.or_else(|| self.tournament.settings.take());
        let pb::WatchTournamentResponse { standings, verdict, events, order, .. } = state;
        *self = Self { tournament, standings, verdict, events, order };
    }

    /// Returns whether the tournament is over.
    pub fn is_over(&self) -> bool {
        is_tournament_over(&self.tournament)
    }

    /// Prints the progress, the standings, the verdict of the format, the amendments, and the measures of the models.
    pub fn print_report(
        &self,
        form: OutputFormat,
        models: Option<&pb::ModelReport>,
        amendments: &[Amendment],
    ) -> Result<(), Failure> {
        form.print_report(
            || self.json(models, amendments),
            || {
                let model_sections = models.map(|models| model_report(models, Vec::new()).sections);
                let lines = amendments
                    .iter()
                    .map(|amendment| format!("{} UTC: {amendment}", format_time(amendment.at_us)));
                let amended =
                    (!amendments.is_empty()).then(|| Section::with_heading("Amendments").paragraphs(lines));
                progress_report(&self.message())
                    .with_sections(amended.into_iter().chain(model_sections.unwrap_or_default()))
            },
        )
    }
    /// Writes the result into each file, in the format of its name.
    pub fn write_results(
        &self,
        files: &[ResultFile],
        models: Option<&pb::ModelReport>,
        amendments: &[Amendment],
    ) -> Result<(), Failure> {
        files.iter().try_for_each(|file| {
            file.write(&match file.form {
                ResultForm::Csv => {
                    csv_file_text(&Section::new().table(standings_table(&self.standings)).into())
                }
                ResultForm::Json => format!("{}\n", self.json(models, amendments)),
                ResultForm::Text => result_text(&self.tournament, &self.standings, self.verdict.as_ref(), ""),
            })
        })
    }

    fn message(&self) -> pb::WatchTournamentResponse {
        let Self { tournament, standings, verdict, events, order } = self.clone();
        pb::WatchTournamentResponse { tournament: Some(tournament), standings, verdict, events, order }
    }

    fn json(&self, models: Option<&pb::ModelReport>, amendments: &[Amendment]) -> Value {
        let mut json = message_to_json(&self.message());
        if let Some(models) = models {
            json["models"] = message_to_json(models);
        }
        if !amendments.is_empty() {
            json["amendments"] = json!(amendments);
        }
        json
    }
}
