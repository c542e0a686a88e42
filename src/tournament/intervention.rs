//! How an organiser intervenes in a running tournament: pause, resume, disqualify, void, finish.

use super::named::{TournamentArg, TournamentName};
use crate::{Failure, form::OutputFormat, remote::RemoteServer};
use clap::{Args, Subcommand, ValueEnum};
use lastnim_core::game::{BotName, MatchId};
use lastnim_proto::pb;
use lastnim_report::{tournament::progress_line, tournament_events::event_line};
use lastnim_tournament::Reason;
use std::io::Write as _;

/// The interventions of an organiser.
#[derive(Debug, Subcommand)]
pub enum InterventionCommand {
    /// Pauses a tournament: no new match starts, and open matches finish or freeze
    #[command(after_help = "Examples:
  lastnim tournament pause $ID
  lastnim tournament pause $ID --freeze
  lastnim tournament pause cup.toml
  lastnim tournament pause $ID --json

A paused tournament does not end, so its last matches can still be voided.")]
    Pause {
        #[command(flatten)]
        named: TournamentArg,
        /// Stops the clocks of open matches; takes that arrive are applied after the freeze
        #[arg(long)]
        freeze: bool,
    },
    /// Resumes a paused tournament
    #[command(after_help = "Examples:
  lastnim tournament resume $ID
  lastnim tournament resume $ID --json")]
    Resume(TournamentArg),
    /// Disqualifies a bot: the steward plays its seats, and the bot is ranked last
    #[command(after_help = "Examples:
  lastnim tournament disqualify $ID --bot mallory --results annul --reason 'it asks another bot'
  lastnim tournament disqualify $ID --bot mallory --results stand --reason 'left without a word' --json

If its results stand, all its matches count for the other bots, including later ones that the steward plays. If they are
annulled, none of its matches count; choose this if most of its matches are still to come.")]
    Disqualify {
        #[command(flatten)]
        named: TournamentArg,
        /// The name of the bot
        #[arg(long, value_name = "NAME")]
        bot: BotName,
        /// Whether its results count
        #[arg(long, value_enum)]
        results: ResultsArg,
        #[command(flatten)]
        why: ReasonArgs,
    },
    /// Voids matches or duplicate groups, and plays them again
    #[command(after_help = "Examples:
  lastnim tournament void $ID --match $MATCH --reason 'the network was down'
  lastnim tournament void $ID --group 7 --group 9 --reason 'the wrong version of bob played' --json

Either all named matches are voided or none. A replayed match has the same number, bots and position, and a voided match
keeps its record. In formats with rounds only matches of the current round can be voided.")]
    Void {
        #[command(flatten)]
        named: TournamentArg,
        #[command(flatten)]
        target: VoidedMatchesArgs,
        #[command(flatten)]
        why: ReasonArgs,
    },
    /// Ends a ladder after its current round
    #[command(after_help = "Examples:
  lastnim tournament finish $ID
  lastnim tournament finish ladder.toml --json

If `lastnim tournament run` plays the ladder, name the file while the run is active; the run then ends and prints the standings.")]
    Finish(TournamentArg),
}

/// What happens to the results of a disqualified bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultsArg {
    /// They count
    Stand,
    /// None of its matches count
    Annul,
}

/// The matches to void.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct VoidedMatchesArgs {
    /// This match; may be repeated
    #[arg(long = "match", value_name = "MATCH_ID")]
    matches: Vec<MatchId>,
    /// The started matches of this duplicate group, counted from 1; may be repeated
    #[arg(long = "group", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    groups: Vec<u64>,
}

impl VoidedMatchesArgs {
    /// Returns the request. A single target uses the field that older servers support.
    fn into_request(self, tournament_id: String, reason: String) -> pb::VoidMatchesRequest {
        use pb::{void_matches_request as alone, void_target as listed};
        let Self { matches, groups } = self;
        let groups: Vec<_> = groups.into_iter().map(|group| group - 1).collect();
        let target = match (matches.as_slice(), groups.as_slice()) {
            ([id], []) => Some(alone::Target::MatchId(id.to_string())),
            ([], [group]) => Some(alone::Target::Group(*group)),
            _ => None,
        };
        let matches = matches.iter().map(|id| listed::Target::MatchId(id.to_string()));
        let all = matches.chain(groups.iter().map(|&group| listed::Target::Group(group)));
        let listed = all.map(|target| pb::VoidTarget { target: Some(target) });
        let targets = if target.is_some() { Vec::new() } else { listed.collect() };
        pb::VoidMatchesRequest { tournament_id, target, reason, targets }
    }
}

/// The reason for an intervention.
#[derive(Debug, Args)]
pub struct ReasonArgs {
    /// The reason, shown to everyone: 1 to 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Reason,
}

impl InterventionCommand {
    /// Returns the tournament that the command names.
    pub fn tournament_mut(&mut self) -> &mut TournamentName {
        match self {
            Self::Pause { named, .. }
            | Self::Disqualify { named, .. }
            | Self::Void { named, .. }
            | Self::Resume(named)
            | Self::Finish(named) => &mut named.id,
        }
    }

    /// Runs the command, and prints the event and the progress.
    pub async fn apply(self, remote: &RemoteServer, form: OutputFormat) -> Result<(), Failure> {
        let mut service = remote.tournament_client();
        let id_text = |id: TournamentName| id.to_string();
        match self {
            Self::Pause { named: TournamentArg { id }, freeze } => {
                let open = if freeze { pb::OpenMatches::Freeze } else { pb::OpenMatches::Finish };
                let request =
                    pb::PauseTournamentRequest { tournament_id: id_text(id), open_matches: open.into() };
                let done = remote.answer(service.pause_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Resume(TournamentArg { id }) => {
                let request = pb::ResumeTournamentRequest { tournament_id: id_text(id) };
                let done = remote.answer(service.resume_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Disqualify { named: TournamentArg { id }, bot, results, why } => {
                let results = match results {
                    ResultsArg::Stand => pb::DisqualifiedResults::Stand,
                    ResultsArg::Annul => pb::DisqualifiedResults::Annul,
                };
                let request = pb::DisqualifyBotRequest {
                    tournament_id: id_text(id),
                    bot: bot.to_string(),
                    results: results.into(),
                    reason: why.reason.to_string(),
                };
                let done = remote.answer(service.disqualify_bot(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Void { named: TournamentArg { id }, target, why } => {
                let request = target.into_request(id_text(id), why.reason.to_string());
                let done = remote.answer(service.void_matches(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Finish(TournamentArg { id }) => {
                let request = pb::FinishTournamentRequest { tournament_id: id_text(id) };
                let done = remote.answer(service.finish_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
        }
    }
}

/// Prints the event, if anything changed, and the progress.
fn print_change<M: prost::Message + prost::Name>(
    form: OutputFormat,
    done: &M,
    tournament: Option<&pb::Tournament>,
    event: Option<&pb::TournamentEvent>,
) -> Result<(), Failure> {
    form.print_message(done, |out| {
        match event {
            Some(event) => writeln!(out, "{}", event_line(event))?,
            None => writeln!(out, "nothing changed")?,
        }
        tournament.map_or(Ok(()), |tournament| writeln!(out, "{}", progress_line(tournament)))
    })
}
