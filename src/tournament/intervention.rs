//! What an organiser does to a tournament that runs: pause, resume, disqualify, void, finish.

use super::named::{TournamentArg, TournamentName};
use crate::{Failure, form::OutputForm, remote::RemoteServer};
use clap::{Args, Subcommand, ValueEnum};
use lastnim_core::game::{BotName, MatchId};
use lastnim_proto::pb;
use lastnim_report::{tournament::progress_line, tournament_events::event_line};
use lastnim_tournament::Reason;
use std::io::Write as _;

/// What an organiser does to a tournament that runs.
#[derive(Debug, Subcommand)]
pub enum InterventionCommand {
    /// Begins no further match; those that are open are played to their end, or wait
    #[command(after_help = "Examples:
  lastnim tournament pause $ID
  lastnim tournament pause $ID --freeze
  lastnim tournament pause cup.toml
  lastnim tournament pause $ID --json

With --freeze the clocks of open matches stand still, and takes that arrive wait as well. A tournament that is paused does not end,
so that its last matches can still be voided.")]
    Pause {
        #[command(flatten)]
        named: TournamentArg,
        /// Lets open matches wait: their clocks stand still
        #[arg(long)]
        freeze: bool,
    },
    /// Lets a tournament that is paused go on
    #[command(after_help = "Examples:
  lastnim tournament resume $ID
  lastnim tournament resume $ID --json")]
    Resume(TournamentArg),
    /// Disqualifies a bot: the steward plays its seats, and it stands behind all others
    #[command(after_help = "Examples:
  lastnim tournament disqualify $ID --bot mallory --results annul --reason 'it asks another bot'
  lastnim tournament disqualify $ID --bot mallory --results stand --reason 'left without a word' --json

If its results stand, all its matches count for the others, also those to come, in which the steward plays its seat. If they are
annulled, no match in which it sits counts for anybody: as a rule where most of its matches are still to come.")]
    Disqualify {
        #[command(flatten)]
        named: TournamentArg,
        /// The bot
        #[arg(long, value_name = "NAME")]
        bot: BotName,
        /// What becomes of its results
        #[arg(long, value_enum)]
        results: ResultsArg,
        #[command(flatten)]
        why: Why,
    },
    /// Voids matches, or all matches of duplicate groups that have begun, and has them played again
    #[command(after_help = "Examples:
  lastnim tournament void $ID --match $MATCH --reason 'the network was down'
  lastnim tournament void $ID --group 7 --group 9 --reason 'the wrong version of bob played' --json

Both may be given several times: all of it is voided, or nothing if some of it cannot be, and results are counted anew once. What is
played again has the same number, bots and position. The record of a voided match stays as it was. In rounds, matches of the
round that is being played can be voided.")]
    Void {
        #[command(flatten)]
        named: TournamentArg,
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        why: Why,
    },
    /// Lets a ladder end after the round that is being played
    #[command(after_help = "Examples:
  lastnim tournament finish $ID
  lastnim tournament finish ladder.toml --json

A ladder that `lastnim tournament run` plays is named by its file, while the run goes on: the run ends with the last standings.")]
    Finish(TournamentArg),
}

/// What becomes of the results of a bot that is disqualified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultsArg {
    /// They stand
    Stand,
    /// They count for nobody
    Annul,
}

/// Matches that are voided.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct Target {
    /// This match; may be repeated
    #[arg(long = "match", value_name = "MATCH_ID")]
    matches: Vec<MatchId>,
    /// The matches of this duplicate group that have begun; may be repeated
    #[arg(long = "group", value_name = "N")]
    groups: Vec<u64>,
}

impl Target {
    /// Makes the request that voids them. One alone is asked for as servers of before know it.
    fn into_request(self, tournament_id: String, reason: String) -> pb::VoidMatchesRequest {
        use pb::{void_matches_request as alone, void_target as listed};
        let Self { matches, groups } = self;
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

/// Why it is done.
#[derive(Debug, Args)]
pub struct Why {
    /// Why, for all who look: 1 to 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Reason,
}

impl InterventionCommand {
    /// Returns the tournament that it is about.
    pub fn tournament_mut(&mut self) -> &mut TournamentName {
        match self {
            Self::Pause { named, .. }
            | Self::Disqualify { named, .. }
            | Self::Void { named, .. }
            | Self::Resume(named)
            | Self::Finish(named) => &mut named.id,
        }
    }

    /// Does it, and prints what happened and how the tournament stands.
    pub async fn act(self, remote: &RemoteServer, form: OutputForm) -> Result<(), Failure> {
        let mut service = remote.tournament_client();
        let to_id = |id: TournamentName| id.to_string();
        match self {
            Self::Pause { named: TournamentArg { id }, freeze } => {
                let open = if freeze { pb::OpenMatches::Freeze } else { pb::OpenMatches::Finish };
                let request =
                    pb::PauseTournamentRequest { tournament_id: to_id(id), open_matches: open.into() };
                let done = remote.answer(service.pause_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Resume(TournamentArg { id }) => {
                let request = pb::ResumeTournamentRequest { tournament_id: to_id(id) };
                let done = remote.answer(service.resume_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Disqualify { named: TournamentArg { id }, bot, results, why } => {
                let results = match results {
                    ResultsArg::Stand => pb::DisqualifiedResults::Stand,
                    ResultsArg::Annul => pb::DisqualifiedResults::Annul,
                };
                let request = pb::DisqualifyBotRequest {
                    tournament_id: to_id(id),
                    bot: bot.to_string(),
                    results: results.into(),
                    reason: why.reason.to_string(),
                };
                let done = remote.answer(service.disqualify_bot(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Void { named: TournamentArg { id }, target, why } => {
                let request = target.into_request(to_id(id), why.reason.to_string());
                let done = remote.answer(service.void_matches(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
            Self::Finish(TournamentArg { id }) => {
                let request = pb::FinishTournamentRequest { tournament_id: to_id(id) };
                let done = remote.answer(service.finish_tournament(request)).await?;
                print_change(form, &done, done.tournament.as_ref(), done.event.as_ref())
            }
        }
    }
}

/// Prints what happened, if it was not so before, and how the tournament stands.
fn print_change<M: prost::Message + prost::Name>(
    form: OutputForm,
    done: &M,
    tournament: Option<&pb::Tournament>,
    event: Option<&pb::TournamentEvent>,
) -> Result<(), Failure> {
    form.print_message(done, |out| {
        match event {
            Some(event) => writeln!(out, "{}", event_line(event))?,
            None => writeln!(out, "it was so already")?,
        }
        tournament.map_or(Ok(()), |tournament| writeln!(out, "{}", progress_line(tournament)))
    })
}
