//! A run of a tournament, from the registration of its bots to its report.

use super::{
    check::match_count_text,
    folder::{RunFolder, working_folder},
    leaving::{LeaveOutcome, RunRole, find_own_pause, pause_before_leaving},
    model_checks::short_clock_warnings,
    model_measures::measure_models,
    model_settings::{models_in_run, settings_in_run},
    model_spending::ModelLedgers,
    outage_freeze::OutageFreeze,
    outages::Outages,
    players::{LocalBots, TournamentAddress},
    probes::probe_or_stop,
    program::{BotProgram, ProgramCommand},
    progress::{RunProgress, how_to_join_text},
    report::{TournamentStatus, is_tournament_over},
    result_file::ResultFile,
    run_server::RunServer,
    running_tournament::RunningTournament,
    saved_run::SavedRun,
};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand,
    form::OutputFormat,
    program_variables::ProgramVariables,
    runtime, screen,
    tournament_file::{
        llm_entry::llm_arguments,
        plan::TournamentPlan,
        player::{BotOrigin, PlayerEntry},
    },
};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_llm::LlmSettings;
use lastnim_proto::pb;
use lastnim_tournament::TotalMatches;
use pb::TournamentState;
use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    io::{self, IsTerminal as _},
    path::Path,
    time::Duration,
};

/// The time for which a run tries to reach a lost server again.
const RECONNECT_TIMEOUT: Duration = Duration::from_mins(2);

/// The maximum number of commands that a run names at its start.
const MAX_NAMED_COMMANDS: usize = 8;

/// A run of a tournament.
pub(super) struct TournamentRun<'a> {
    /// The tournament file.
    pub(super) file: &'a Path,
    pub(super) plan: &'a TournamentPlan,
    pub(super) folder: &'a RunFolder,
    pub(super) kept: SavedRun,
    pub(super) form: OutputFormat,
    /// The files to which the result is written at the end.
    pub(super) results: &'a [ResultFile],
    pub(super) own: &'a OwnCommand,
}

impl<'a> TournamentRun<'a> {
    /// Plays the tournament, and leaves the server in a clean state even after a failure.
    pub(super) async fn play_on_server(
        mut self,
        mut server: RunServer,
        programs: HashMap<BotName, ProgramCommand>,
        interrupted: impl Future<Output = ()>,
    ) -> CommandResult {
        let mut played = match self.prepare_tournament(&server, &programs).await {
            Ok(played) => played,
            Err(failure) => {
                return server.stop_embedded().await.and(Err(failure));
            }
        };
        let (form, file) = (self.form, self.file.display());
        // The run's own server does not restart.
        let patience = if server.is_foreign() { RECONNECT_TIMEOUT } else { Duration::ZERO };
        let ended = tokio::select! {
            ended = played.play_to_end(patience) => Some(ended),
            () = interrupted => None,
        };
        let RunningTournament { target, players, progress, seen, .. } = played;
        match ended {
            Some(Ok(())) => {
                players.wait_then_stop().await;
                progress.finish();
                let models = self.measure_or_warn(&server, &seen).await;
                seen.write_results(self.results, models.as_ref(), &self.kept.amendments)?;
                seen.print_report(form, models.as_ref(), &self.kept.amendments)?;
                server.stop_embedded().await?;
                self.print_kept_files(&seen);
                Ok(CommandExit::Done)
            }
            Some(Err(failure)) => {
                players.stop_all().await;
                // If the server failed, its error is the cause.
                let closed = server.stop_embedded().await;
                progress.finish();
                closed.and(Err(failure))
            }
            None => {
                let again = runtime::wait_for_interrupt();
                let closed = if server.is_foreign() {
                    tokio::select! {
                        left = self.leave_tournament(&target, &progress) => left,
                        () = again => Ok(()),
                    }
                } else {
                    progress.print_line(
                        "stopping once the open matches are finished; press Ctrl-C again to stop at once",
                    );
                    tokio::select! {
                        closed = server.stop_embedded() => closed,
                        () = again => Ok(()),
                    }
                };
                players.stop_all().await;
                progress.finish();
                closed?;
                if seen.tournament.matches_played > 0 {
                    seen.print_report(form, None, &self.kept.amendments)?;
                }
                Err(Failure::Runtime(anyhow::Error::msg(format!(
                    "{file}: stopped before the tournament ended: run the same command again to continue"
                ))))
            }
        }
    }

    /// Measures the models of a finished tournament. A failure does not affect the standings.
    async fn measure_or_warn(&self, server: &RunServer, seen: &TournamentStatus) -> Option<pb::ModelReport> {
        let tournament = seen.tournament.id.parse().ok()?;
        let measured = measure_models(self.plan, self.folder, &server.organiser, tournament).await;
        measured.unwrap_or_else(|failure| {
            let folder = self.folder.path().display();
            screen::print_note(format_args!(
                "the models could not be measured: {failure}; to measure them later, run: lastnim audit models --transcript {folder} --tournament {tournament}"
            ));
            None
        })
    }

    /// Pauses a tournament on another server before the run leaves it, and saves the time of the pause.
    async fn leave_tournament(
        &mut self,
        target: &TournamentAddress,
        progress: &RunProgress,
    ) -> Result<(), Failure> {
        let has_own_bots = self.plan.players.iter().any(|player| player.origin != BotOrigin::Remote);
        let part = if has_own_bots { RunRole::Player } else { RunRole::Watcher };
        let left = pause_before_leaving(target, part).await;
        if let Some(line) = left.line() {
            progress.print_line(&line);
        }
        if let LeaveOutcome::Paused(at_us) = left {
            self.kept.paused_at_us = Some(at_us);
            self.kept.write(&self.folder.saved_run_file())?;
        }
        Ok(())
    }

    /// Returns when an earlier run paused the tournament, if that pause is still in force.
    async fn find_earlier_pause(
        &self,
        tournament: &pb::Tournament,
        target: &TournamentAddress,
    ) -> Result<Option<u64>, Failure> {
        let has_paused = self.kept.paused_at_us.is_some() || self.kept.freezes_after.is_some();
        if !has_paused || tournament.pause() == pb::OpenMatches::Unspecified {
            return Ok(None);
        }
        let events = target.organiser.tournament_events(target.tournament).await?;
        Ok(find_own_pause(&self.kept, &events))
    }

    /// Registers the bots, finds or creates the tournament, and starts the bots.
    async fn prepare_tournament(
        &mut self,
        server: &RunServer,
        programs: &HashMap<BotName, ProgramCommand>,
    ) -> Result<RunningTournament<'a>, Failure> {
        let progress = RunProgress::new(&self.plan.players, self.folder, self.file.to_owned());
        let organiser = server.organiser.clone();
        let found = self.find_tournament(server).await?;
        let is_continued = found.is_some();
        let begins = if is_continued { "continues" } else { "begins" };
        if !found.as_ref().is_some_and(is_tournament_over) {
            self.register_bots(server).await?;
        }
        let tournament = match found {
            Some(tournament) => tournament,
            None => organiser.create_tournament(self.plan.settings()).await?,
        };
        let id: TournamentId = tournament
            .id
            .parse()
            .map_err(|error| Failure::runtime(error, "the server sent an invalid tournament id"))?;
        if self.kept.tournament.as_deref() != Some(tournament.id.as_str()) {
            self.kept.tournament = Some(tournament.id.clone());
            self.kept.write(&self.folder.saved_run_file())?;
        }
        let states = organiser
            .watch_tournament(id)
            .await
            .map_err(|status| organiser.broken_stream_failure(&status))?;
        let target = TournamentAddress { organiser, address: server.address.clone(), tournament: id };
        let mut players = LocalBots::new(target.clone());
        let file = self.file.display();
        let (mut missing, mut returning, mut paused_at_us) = (Vec::new(), Vec::new(), None);
        if is_tournament_over(&tournament) {
            screen::print_note(format_args!("{file}: this tournament is over; --fresh plays it again"));
        } else {
            progress.print_line(&self.opening_message(server, &tournament, begins));
            if let Some(warning) = self.command_warning() {
                progress.print_line(&warning);
            }
            if let Some(cost) = self.plan.model_cost_bound() {
                progress.print_line(&format!("the models have {cost}"));
            }
            for warning in short_clock_warnings(self.plan) {
                progress.print_line(&warning);
            }
            if tournament.state() == TournamentState::Open {
                missing = self.plan.players.iter().collect();
            }
            paused_at_us = self.find_earlier_pause(&tournament, &target).await?;
            if paused_at_us.is_some() {
                let is_own = |player: &&PlayerEntry| player.origin != BotOrigin::Remote;
                returning = self.plan.players.iter().filter(is_own).collect();
            }
            if is_continued {
                let models = models_in_run(self.plan, self.folder)?;
                for line in probe_or_stop(models, self.file).await? {
                    progress.print_line(&line);
                }
            }
            self.start_bots(&mut players, &target, programs).await?;
            self.print_how_to_join(server, &target, &progress);
        }
        let (states, seen, file) = (Some(states), TournamentStatus::default(), self.file.to_owned());
        Ok(RunningTournament {
            file,
            target,
            players,
            ledgers: ModelLedgers::of_run(self.file, &self.kept),
            outages: Outages::default(),
            outage_limit: self.plan.llm.outage_limit,
            freeze: OutageFreeze::new(self.folder.saved_run_file(), paused_at_us),
            freeze_retry: None,
            progress,
            states,
            seen,
            missing,
            returning,
        })
    }

    /// Finds the tournament of an earlier run, if there is one.
    async fn find_tournament(&self, server: &RunServer) -> Result<Option<pb::Tournament>, Failure> {
        let organiser = &server.organiser;
        let kept = match &self.kept.tournament {
            Some(id) => {
                let id = id
                    .parse()
                    .map_err(|error| Failure::runtime(error, self.folder.saved_run_file().display()))?;
                organiser.fetch_tournament(id).await.map(Some)
            }
            None => Ok(None),
        };
        match kept {
            kept if server.is_foreign() => kept,
            Ok(Some(tournament)) => Ok(Some(tournament)),
            // An earlier run may have been killed before it saved its file, or while it removed the store.
            _ => organiser.newest_tournament().await,
        }
    }

    /// Registers the bots, and writes the tokens of remote ones.
    async fn register_bots(&mut self, server: &RunServer) -> Result<(), Failure> {
        for PlayerEntry { name, origin } in &self.plan.players {
            let token = server.organiser.register_bot(name).await?;
            let is_ours = !server.is_foreign() || self.kept.registered.contains(name.as_str());
            let token = match (token, origin) {
                (Some(token), _) => {
                    if server.is_foreign() {
                        self.kept.registered.insert(name.to_string());
                        self.kept.write(&self.folder.saved_run_file())?;
                    }
                    token
                }
                (None, BotOrigin::Remote) if !is_ours || self.folder.token_file(name).exists() => continue,
                (None, _) if !is_ours => {
                    return Err(Failure::Runtime(anyhow::Error::msg(format!(
                        "{}: bot {name}: the name is taken on the server at {}: use another name, or `remote = true` and run it yourself",
                        self.file.display(),
                        server.address
                    ))));
                }
                (None, BotOrigin::Remote) => server.organiser.rotate_token(name).await?,
                (None, _) => continue,
            };
            if *origin == BotOrigin::Remote {
                self.folder.write_token(name, &token)?;
            }
        }
        Ok(())
    }

    async fn start_bots(
        &self,
        players: &mut LocalBots,
        target: &TournamentAddress,
        programs: &HashMap<BotName, ProgramCommand>,
    ) -> Result<(), Failure> {
        for PlayerEntry { name, origin } in &self.plan.players {
            match origin {
                BotOrigin::House(bot, seed) => {
                    let token = target.organiser.rotate_token(name).await?;
                    players.add_house_bot(name.clone(), *bot, *seed, token);
                }
                BotOrigin::Command(program) => {
                    let Some(command) = programs.get(name) else { continue };
                    let word = program.words.first().cloned().unwrap_or_default();
                    let program = BotProgram {
                        bot: name.clone(),
                        command: command.clone(),
                        log: self.folder.open_log(name)?,
                    };
                    players.add_program(program, word);
                }
                BotOrigin::Llm(settings, seed) => {
                    let settings = settings_in_run(self.plan, self.folder, name, settings)?;
                    if let Some(transcript) = &settings.transcript {
                        players.follow_transcript(name.clone(), transcript);
                    }
                    let program = self.model_program(name, &settings, *seed)?;
                    players.add_program(program, "lastnim bot run llm".to_owned());
                }
                BotOrigin::Remote => {}
            }
        }
        Ok(())
    }

    /// Returns the command that runs this program as the bot of a model.
    fn model_program(&self, bot: &BotName, settings: &LlmSettings, seed: u64) -> Result<BotProgram, Failure> {
        let given = ["bot", "run", "llm", "--json", &format!("--seed={seed}")].map(OsString::from);
        let arguments = given.into_iter().chain(llm_arguments(settings).into_iter().map(OsString::from));
        Ok(BotProgram {
            bot: bot.clone(),
            command: ProgramCommand {
                words: self.own.words.iter().cloned().chain(arguments).collect(),
                own: self.own.clone(),
                working_folder: working_folder(self.file)?,
                variables: ProgramVariables::OwnProgram,
                sandbox: None,
            },
            log: self.folder.open_log(bot)?,
        })
    }

    /// Describes the tournament and its server.
    fn opening_message(&self, server: &RunServer, tournament: &pb::Tournament, begins: &str) -> String {
        let title = &self.plan.settings().title;
        let (bots, address) = (self.plan.players.len(), &server.address);
        let page = if server.is_foreign() {
            String::new()
        } else {
            format!("\nor in a browser: http://{address}/tournaments/{}", tournament.id)
        };
        let message = format!(
            "{title} {begins}: {bots} bots, files in {}; matches: {}\nfollow it in another terminal: lastnim tournament watch {} --server {address}{page}",
            self.folder.path().display(),
            match_count_text(self.plan.total),
            tournament.id
        );
        if self.plan.total != TotalMatches::Open {
            return message;
        }
        let file = self.file.display();
        format!("{message}\nend it and print its standings: lastnim tournament finish {file}")
    }

    /// Names the commands that the file runs without a sandbox, if it runs any.
    fn command_warning(&self) -> Option<String> {
        let commands = self.plan.programs().filter(|(_, program)| !program.is_sandboxed);
        let commands = commands.map(|(_, program)| program.words.join(" "));
        let commands: BTreeSet<_> = commands.collect();
        let mut named: Vec<_> = commands.iter().take(MAX_NAMED_COMMANDS).cloned().collect();
        if commands.len() > named.len() {
            named.push(format!("and {} more", commands.len() - named.len()));
        }
        let (file, named) = (self.file.display(), named.join("; "));
        (!commands.is_empty()).then(|| format!("{file} runs commands as you, with all your rights: {named}"))
    }

    fn print_how_to_join(&self, server: &RunServer, target: &TournamentAddress, progress: &RunProgress) {
        let remote = self.plan.players.iter().filter(|player| player.origin == BotOrigin::Remote);
        for player in remote {
            let file = self.folder.token_file(&player.name);
            let file = file.exists().then(|| file.display().to_string());
            let id = target.tournament.to_string();
            progress.print_line(&how_to_join_text(&player.name, &target.address, &id, file.as_deref()));
            if server.listen_address().is_some_and(|address| address.ip().is_loopback()) {
                progress.print_line("  (to reach the server from other machines, use --listen 0.0.0.0:PORT)");
            }
        }
    }

    /// Prints where to see the matches.
    fn print_kept_files(&self, seen: &TournamentStatus) {
        if self.form == OutputFormat::Text && io::stderr().is_terminal() && self.kept.server.is_none() {
            screen::print_note(format_args!(
                "see its matches: lastnim serve --store sqlite:{}",
                self.folder.store_file().display()
            ));
            screen::print_note(format_args!("then: lastnim match list --tournament {}", seen.tournament.id));
        }
    }
}
