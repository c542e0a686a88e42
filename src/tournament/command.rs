//! `lastnim tournament`.

use super::{
    entry_code::{EntryCodeArgs, change_entry_code},
    intervention::InterventionCommand,
    manifest::{self, ManifestArgs},
    named::{TournamentArg, TournamentName},
    resolution_hint::ResolutionHint,
    site::{ExportSiteArgs, export_site},
    watch::watch_tournament,
};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand,
    args::given_flags::GivenFlags,
    form::{CsvArgs, FormatArgs, OutputFormat, table_page_report},
    remote::{MAX_PAGE_SIZE, RemoteServer, ServerArgs},
    repeated_call::create_tournament,
    runner::{
        self, CheckArgs, ModelLedgers, PlanArgs, RunArgs, SuperviseArgs, spending_json, spending_section,
    },
    runtime,
    sandbox::{SandboxArgs, run_sandbox},
    screen,
    tournament_flags::{TournamentFlags, settings_of_flags},
};
use clap::{Args, Subcommand, ValueEnum};
use lastnim_core::game::BotName;
use lastnim_proto::{json::message_to_json, pb};
use lastnim_report::{
    ReportReader,
    standings::standings_report,
    tournament::{progress_line, progress_text, tournament_report, tournament_table},
    tournament_result::result_text,
};
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};

/// Plays a tournament file, or manages tournaments on a server
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ID=$(lastnim tournament create --seats 2 --piles 3,4,5 --start-when 2)
  lastnim tournament run cup.toml
  lastnim tournament list
  lastnim tournament join $ID --bot dave
  lastnim tournament show $ID
  lastnim tournament show cup.toml
  lastnim tournament standings $ID
  lastnim tournament cancel $ID --json

Name a tournament by its id, or by the file that `lastnim tournament run` plays or has played. A file needs no
--server, and no token if the run has its own server.")]
pub struct TournamentArgs {
    #[command(subcommand)]
    action: TournamentAction,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormatArgs,
}

#[derive(Debug, Subcommand)]
enum TournamentAction {
    /// Lists the mistakes in a tournament file, or shows its matches and what they can resolve
    #[command(after_help = "Examples:
  lastnim tournament check examples/round-robin.toml
  lastnim tournament check examples/sprt.toml --json")]
    Check(CheckArgs),
    /// Says how many duplicate groups a comparison of two bots needs, and what they would cost
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(PlanArgs),
    /// Plays a tournament file with its own server and bots, and prints the standings
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Supervises the program of a bot
    #[command(hide = true)]
    Supervise(SuperviseArgs),
    /// Starts the sandbox of a bot
    #[command(hide = true)]
    Sandbox(SandboxArgs),
    #[command(flatten)]
    OnServer(ServerAction),
}

/// The commands that a server carries out.
#[derive(Debug, Subcommand)]
enum ServerAction {
    /// Creates a tournament and prints its id
    #[command(after_help = CREATE_EXAMPLES)]
    Create(GivenFlags<TournamentFlags>),
    /// Enters a bot before the tournament starts, or into a running ladder
    #[command(after_help = "Examples:
  lastnim tournament join $ID --bot dave
  lastnim tournament join $ID --token $TOKEN
  lastnim tournament join $ID --bot dave --json

In a running ladder the bot plays from the next round. A suspended bot returns by joining again.")]
    Join(EntrantArgs),
    /// Removes a bot before the tournament starts, or withdraws it from a running one
    #[command(after_help = "Examples:
  lastnim tournament leave $ID --bot dave
  lastnim tournament leave $ID --token $TOKEN
  lastnim tournament leave $ID --bot dave --json

A bot that leaves a running tournament finishes its open matches, or in a ladder or Swiss tournament the current round.
Its results stand. It can return only to a ladder.")]
    Leave(EntrantArgs),
    /// Creates the code with which people without a token register bots for a tournament, or revokes it
    #[command(after_help = "Examples:
  CODE=$(lastnim tournament entry-code $ID --uses 30)
  lastnim bot register team-1 --tournament $ID --code $CODE
  lastnim tournament entry-code $ID --revoke

Only the code goes to standard output. The server stores only its hash. With --replace, a new code replaces one that has
uses left. The code works while bots can enter the tournament, and this needs the admin's token.")]
    EntryCode(EntryCodeArgs),
    /// Starts a tournament
    #[command(after_help = "Example:
  lastnim tournament start $ID")]
    Start(TournamentArg),
    /// Cancels a tournament; open matches end without a winner
    #[command(after_help = "Example:
  lastnim tournament cancel $ID")]
    Cancel(TournamentArg),
    #[command(flatten)]
    Intervene(InterventionCommand),
    /// Shows the settings, field, progress and events of a tournament
    #[command(after_help = "Examples:
  lastnim tournament show $ID
  lastnim tournament show $ID --json

Until the tournament ends, it also shows which bots are connected, which bots the matches are waiting for, and how much
time is left: an estimate from the pace so far and an upper bound from the clocks. For the file of a run it shows what its
models have cost, and an estimate of what they will cost.")]
    Show(TournamentArg),
    /// Lists tournaments, newest first
    #[command(after_help = "Examples:
  lastnim tournament list
  lastnim tournament list --state finished --limit 5 --json")]
    List {
        /// Lists only tournaments in this state
        #[arg(long, value_enum)]
        state: Option<StateArg>,
        /// Lists at most this many tournaments
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE_SIZE.into()))]
        limit: u32,
        /// Continues a list with the token printed at its end
        #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
        page_token: String,
        #[command(flatten)]
        csv: CsvArgs,
    },
    /// Prints the current standings
    #[command(after_help = "Examples:
  lastnim tournament standings $ID
  lastnim tournament standings $ID --cross-table
  lastnim tournament standings $ID --json
  lastnim tournament standings $ID --csv > standings.csv
  lastnim tournament standings cup.toml --text")]
    Standings {
        #[command(flatten)]
        named: TournamentArg,
        /// Adds, for each pair of bots, how many of their common matches each won, and which is better
        #[arg(long)]
        cross_table: bool,
        /// Prints the result as text to paste into a message, in lines of at most 72 characters
        #[arg(long, conflicts_with_all = ["cross_table", "csv", "json"])]
        text: bool,
        #[command(flatten)]
        csv: CsvArgs,
    },
    /// Fetches the signed manifest: settings, every match with its record's hash, and standings
    #[command(after_help = "Examples:
  lastnim tournament manifest $ID --output cup.manifest
  lastnim record export --tournament $ID --dir records
  lastnim record verify cup.manifest --records records --key $(lastnim record key)
  lastnim tournament manifest $ID | head -n 2

The manifest of an unfinished tournament leaves out later matches and has no ratings. docs/reference/records.md describes
its lines and what the server signs.")]
    Manifest(ManifestArgs),
    /// Writes the results of a tournament as a static site, which needs no running server
    #[command(after_help = "Examples:
  lastnim tournament export-site cup.toml site
  lastnim tournament export-site $ID site --matches decisive --force
  lastnim record verify site
  python3 -m http.server --directory site

The tournament must be over. Any web server can serve the folder. It has the pages, pictures, tables and the news feed of
the tournament, its bots and its matches, with the signed manifest and the records. A short match takes about 30 KB with
its JSON, picture and record. The site shows what a visitor without a token sees, unless the server requires a token.")]
    ExportSite(ExportSiteArgs),
    /// Follows a tournament to its end and prints the standings
    #[command(after_help = "Examples:
  lastnim tournament watch $ID
  lastnim tournament watch $ID --json

On a terminal, it also shows which bots are connected, which bots the matches are waiting for, and how much time is
left.")]
    Watch(TournamentArg),
}

const RUN_EXAMPLES: &str = "Examples:
  lastnim tournament run examples/round-robin.toml
  lastnim tournament run cup.toml --listen 0.0.0.0:7600
  lastnim tournament run cup.toml --fresh --json
  lastnim tournament run cup.toml --result standings.csv --result cup.json
  LASTNIM_ADMIN_TOKEN=... lastnim tournament run cup.toml --server arena.example.org:7600

Ctrl-C stops it, and the same command continues it, also after a crash. With --server, Ctrl-C pauses the tournament so that
no clock runs, and the same command resumes it. The run is kept in a folder next to the file: cup.run for cup.toml.
docs/reference/settings.md lists the keys of the file.

Show or change a running tournament from another terminal:
  lastnim tournament show cup.toml
  lastnim tournament disqualify cup.toml --bot mallory --results annul --reason 'it asks another bot'
  lastnim tournament finish ladder.toml";

const PLAN_EXAMPLES: &str = "Examples:
  lastnim tournament plan cup.toml --pilot pilot.toml --detect 0.1
  lastnim tournament plan cup.toml --detect 0.05 --measure regret --json

The pilot is a small tournament with the same rules that `lastnim tournament run` has played with its own server. Its groups
show how much two bots differ by chance, and its ledgers show what models cost. docs/why/ratings.md has the formula.";

const CREATE_EXAMPLES: &str = "Examples:
  lastnim tournament create --seats 2 --piles 3,4,5
  lastnim tournament create --title Spring --seats 3 --piles 1,2,2 --piles 3,4,5 --start-when 3
  lastnim tournament create --seats 3 --piles 4,3 --matrix '0 2 1; 0 1 2; 0 2 1' --json
  ID=$(lastnim tournament create --seats 2 --piles 9,9 --alliance random --seed 7 --clock 2s)

Only the id goes to standard output. docs/reference/settings.md explains the formats.";

/// The state of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StateArg {
    Open,
    Running,
    Finished,
    Cancelled,
}

impl From<StateArg> for pb::TournamentState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Open => Self::Open,
            StateArg::Running => Self::Running,
            StateArg::Finished => Self::Finished,
            StateArg::Cancelled => Self::Cancelled,
        }
    }
}

/// A tournament and a bot.
#[derive(Debug, Args)]
struct EntrantArgs {
    /// The id of the tournament, or the file of one that `lastnim tournament run` plays
    id: TournamentName,
    /// The bot; to name one you need the admin's token [default: the bot of the token]
    #[arg(long, value_name = "NAME")]
    bot: Option<BotName>,
}

impl ServerAction {
    /// Returns the tournament that the command names, if any.
    fn tournament_mut(&mut self) -> Option<&mut TournamentName> {
        match self {
            Self::Create(_) | Self::List { .. } => None,
            Self::Join(entrant) | Self::Leave(entrant) => Some(&mut entrant.id),
            Self::EntryCode(args) => Some(&mut args.named.id),
            Self::Start(named)
            | Self::Cancel(named)
            | Self::Show(named)
            | Self::Watch(named)
            | Self::Standings { named, .. } => Some(&mut named.id),
            Self::Manifest(args) => Some(&mut args.named.id),
            Self::ExportSite(args) => Some(&mut args.named.id),
            Self::Intervene(intervention) => Some(intervention.tournament_mut()),
        }
    }
}

impl EntrantArgs {
    /// Returns the bot's name; empty means the bot of the token.
    fn bot_name(&self) -> String {
        self.bot.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

pub fn run(args: TournamentArgs, own: &OwnCommand) -> CommandResult {
    let form = args.form.form();
    let mut action = match args.action {
        TournamentAction::Check(args) => return runner::check_file(&args, form),
        TournamentAction::Plan(args) => return runner::plan_groups(&args, form),
        TournamentAction::Run(run) => return runner::run(&run, &args.server, form, own),
        TournamentAction::Supervise(args) => return runner::supervise_program(&args),
        TournamentAction::Sandbox(args) => return Ok(run_sandbox(&args)),
        TournamentAction::OnServer(action) => action,
    };
    runtime::run_on_runtime(Some(1), async move {
        let ledgers = match action.tournament_mut() {
            Some(TournamentName::File(file)) => ModelLedgers::find_of_file(file)?,
            Some(TournamentName::Id(_)) | None => ModelLedgers::default(),
        };
        let (remote, server) = match action.tournament_mut() {
            Some(named) => named.connect_and_resolve(&args.server).await?,
            None => (RemoteServer::connect(&args.server).await?, None),
        };
        let is_finished_run = server.is_some();
        TournamentCommands { remote, form, is_finished_run, ledgers }.run_action(action).await?;
        if let Some(server) = server {
            server.stop().await.map_err(|error| Failure::runtime(error, "the tournament's server failed"))?;
        }
        Ok(CommandExit::Done)
    })
}

/// Carries out the commands of an organiser over a connection to the server.
struct TournamentCommands {
    remote: RemoteServer,
    form: OutputFormat,
    /// Whether the server runs only for this command.
    is_finished_run: bool,
    /// The ledgers of the models, if the tournament is named by its file.
    ledgers: ModelLedgers,
}

impl TournamentCommands {
    async fn run_action(&self, action: ServerAction) -> Result<(), Failure> {
        let mut service = self.remote.tournament_client();
        match action {
            ServerAction::Create(settings) => {
                let settings = settings_of_flags(&settings)?;
                let shows_hint = self.form == OutputFormat::Text && io::stderr().is_terminal();
                let hint = shows_hint.then(|| ResolutionHint::prepare(&settings));
                let created = create_tournament(&self.remote, settings).await?;
                self.print_created(&created)?;
                if let Some(hint) = hint.and_then(ResolutionHint::wait) {
                    screen::print_note(format_args!("{hint}"));
                }
                Ok(())
            }
            ServerAction::Join(entrant) => {
                let (tournament_id, bot) = (entrant.id.to_string(), entrant.bot_name());
                let request = pb::JoinTournamentRequest { tournament_id, bot };
                let joined = self.remote.answer(service.join_tournament(request)).await?;
                self.print_changed(&self.require_tournament(joined.tournament)?)
            }
            ServerAction::Leave(entrant) => {
                let (tournament_id, bot) = (entrant.id.to_string(), entrant.bot_name());
                let request = pb::LeaveTournamentRequest { tournament_id, bot };
                let left = self.remote.answer(service.leave_tournament(request)).await?;
                self.print_changed(&self.require_tournament(left.tournament)?)
            }
            ServerAction::EntryCode(args) => change_entry_code(&self.remote, &args, self.form).await,
            ServerAction::Start(TournamentArg { id }) => {
                let request = pb::StartTournamentRequest { tournament_id: id.to_string() };
                let started = self.remote.answer(service.start_tournament(request)).await?;
                self.print_changed(&self.require_tournament(started.tournament)?)
            }
            ServerAction::Cancel(TournamentArg { id }) => {
                let request = pb::CancelTournamentRequest { tournament_id: id.to_string() };
                let cancelled = self.remote.answer(service.cancel_tournament(request)).await?;
                self.print_changed(&self.require_tournament(cancelled.tournament)?)
            }
            ServerAction::Intervene(intervention) => intervention.apply(&self.remote, self.form).await,
            ServerAction::Show(TournamentArg { id }) => {
                let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
                let shown = self.remote.answer(service.get_tournament(request)).await?;
                let tournament = self.require_tournament(shown.tournament.clone())?;
                let models = self.ledgers.read_spending(&self.remote, &tournament).await?;
                let json = || {
                    let mut json = message_to_json(&shown);
                    if !models.is_empty() {
                        json["spending"] = spending_json(&models);
                    }
                    json
                };
                self.form.print_report(json, || {
                    tournament_report(&tournament, &shown, ReportReader::CommandLine)
                        .with_sections(spending_section(&models))
                })
            }
            ServerAction::List { state, limit, page_token, csv } => {
                let state = state.map_or(pb::TournamentState::Unspecified, pb::TournamentState::from).into();
                self.list_tournaments(pb::ListTournamentsRequest { page_size: limit, page_token, state }, csv)
                    .await
            }
            ServerAction::Standings { named: TournamentArg { id }, cross_table, text, csv } => {
                let request = pb::GetStandingsRequest { tournament_id: id.to_string(), cross_table };
                let report = self.remote.answer(service.get_standings(request)).await?;
                if text {
                    return self.print_result_text(&id, &report).await;
                }
                csv.print_message_report(self.form, &report, || standings_report(&report))
            }
            ServerAction::Manifest(args) => manifest::fetch_manifest(&self.remote, &args, self.form).await,
            ServerAction::ExportSite(args) => export_site(&self.remote, &args, self.form).await,
            ServerAction::Watch(TournamentArg { id }) => {
                watch_tournament(&self.remote, &id.to_string(), self.form).await
            }
        }
    }

    /// Prints the result of a tournament as text, with the address of its page if its server goes on running.
    async fn print_result_text(
        &self,
        id: &TournamentName,
        report: &pb::GetStandingsResponse,
    ) -> Result<(), Failure> {
        let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
        let shown = self.remote.answer(self.remote.tournament_client().get_tournament(request)).await?;
        let tournament = self.require_tournament(shown.tournament)?;
        let is_kept = !self.is_finished_run;
        let link = is_kept.then(|| page_link(self.remote.name(), id)).flatten().unwrap_or_default();
        let text = result_text(&tournament, &report.standings, report.verdict.as_ref(), &link);
        self.form.print_result(|| (), |output| output.write_all(text.as_bytes()))
    }

    /// Lists tournaments. A page with a state filter may be short, so further pages are fetched.
    async fn list_tournaments(
        &self,
        mut request: pb::ListTournamentsRequest,
        csv: CsvArgs,
    ) -> Result<(), Failure> {
        let mut service = self.remote.tournament_client();
        let mut list = Vec::new();
        let next_page_token = loop {
            let page = self.remote.answer(service.list_tournaments(request.clone())).await?;
            request.page_size -=
                u32::try_from(page.tournaments.len()).unwrap_or(u32::MAX).min(request.page_size);
            list.extend(page.tournaments);
            if request.page_size == 0 || page.next_page_token.is_empty() {
                break page.next_page_token;
            }
            request.page_token = page.next_page_token;
        };
        let list = pb::ListTournamentsResponse { tournaments: list, next_page_token };
        csv.print_message_report(self.form, &list, || {
            table_page_report(tournament_table(&list.tournaments), &list.next_page_token)
        })
    }

    fn require_tournament(&self, tournament: Option<pb::Tournament>) -> Result<pb::Tournament, Failure> {
        tournament.ok_or_else(|| self.remote.missing_part_failure("tournament"))
    }

    fn print_created(&self, tournament: &pb::Tournament) -> Result<(), Failure> {
        let id = &tournament.id;
        self.form.print_message(tournament, |out| writeln!(out, "{id}"))?;
        if self.form == OutputFormat::Text && io::stdout().is_terminal() {
            screen::print_note(format_args!("the tournament with this id is open: bots may join it"));
            screen::print_note(format_args!("next: lastnim bot run random --token TOKEN --tournament {id}"));
            let settings = tournament.settings.clone().unwrap_or_default();
            match settings.start_when {
                _ if settings.start_at_us > 0 => screen::print_note(format_args!(
                    "{}; to follow it: lastnim tournament watch {id}",
                    progress_text(tournament)
                )),
                0 => screen::print_note(format_args!("then: lastnim tournament start {id}")),
                bots => screen::print_note(format_args!(
                    "it starts automatically when {bots} bots have joined; to follow it: lastnim tournament watch {id}"
                )),
            }
        }
        Ok(())
    }

    fn print_changed(&self, tournament: &pb::Tournament) -> Result<(), Failure> {
        self.form.print_message(tournament, |out| writeln!(out, "{}", progress_line(tournament)))
    }
}

/// Returns the address of a tournament's page; `None` if the server was named by a Unix socket or several addresses.
fn page_link(server: &str, id: impl Display) -> Option<String> {
    if server.starts_with("unix:") || server.contains(',') {
        return None;
    }
    let scheme = if server.contains("://") { "" } else { "http://" };
    Some(format!("{scheme}{}/tournaments/{id}", server.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::page_link;

    #[test]
    fn only_a_single_network_address_has_a_page() {
        for (server, link) in [
            ("127.0.0.1:7600", Some("http://127.0.0.1:7600/tournaments/7")),
            ("https://play.example.org/", Some("https://play.example.org/tournaments/7")),
            ("unix:/run/lastnim/server.sock", None),
            ("a.example.org:7600,b.example.org:7600", None),
        ] {
            assert_eq!(page_link(server, 7).as_deref(), link, "{server}");
        }
    }
}
