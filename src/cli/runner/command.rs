//! The run of a tournament, from its file to its standings.

use super::{
    folder::{RunFolder, working_folder},
    players::{Players, Stage},
    program::Program,
    program_path::find_program,
    progress::{Progress, how_to_join},
    report::{Seen, is_over},
    resumption::{begin_anew, carry_on},
    run_server::RunServer,
    running_tournament::RunningTournament,
    saved_run::SavedRun,
};
use crate::{
    cli::{
        Exit, Failure, Outcome,
        args::listen_address::ListenAddress,
        form::Form,
        remote::ServerArgs,
        runner::check::{json_of, match_count},
        runtime,
        toml_file::read_or_complain,
        tournament_file::{
            plan::TournamentPlan,
            player::{Origin, Player},
        },
    },
    game::TournamentId,
    wire::pb,
};
use pb::TournamentState;
use serde_json::Value;
use std::{
    collections::HashMap,
    io::{self, IsTerminal as _},
    path::PathBuf,
    time::Duration,
};

/// How long another's server that was lost is sought again.
const GIVE_UP_AFTER: Duration = Duration::from_mins(2);

/// How a tournament is run.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The file, in TOML; examples of every format are in `examples/`
    file: PathBuf,
    /// Where the server of the tournament listens [default: a free port of 127.0.0.1, and later the one of the run before]
    #[arg(long, value_name = "ADDR")]
    listen: Option<ListenAddress>,
    /// Begins anew, and removes what earlier runs of this tournament have left
    #[arg(long)]
    fresh: bool,
}

/// Runs the tournament of a file to its end, or until it is interrupted.
pub fn run(args: &RunArgs, server: &ServerArgs, form: Form) -> Outcome {
    let Some(plan) = read_or_complain(&args.file, form, TournamentPlan::parse)? else {
        return Ok(Exit::Mistakes);
    };
    if let (Some(listen), Some(named)) = (&args.listen, server.named()) {
        return Err(Failure::input(format!(
            "--listen {listen}: the tournament is played on the server at {named}, which --server or LASTNIM_SERVER names"
        )));
    }
    let programs = find_programs(&plan, args)?;
    let folder = RunFolder::take(&args.file)?;
    runtime::block_on(None, async {
        let interrupted = runtime::interrupted();
        let plan_now = json_of(&plan);
        let (kept, server) = if let Some(address) = server.named() {
            let server = RunServer::other(server).await?;
            if args.fresh {
                cancel_earlier(&server, &folder).await?;
            }
            (begin_run(args, Some(address), &folder, plan_now)?, server)
        } else {
            let mut kept = begin_run(args, None, &folder, plan_now)?;
            let server = RunServer::own(&folder, &mut kept, &plan, args.listen.as_ref()).await?;
            (kept, server)
        };
        Run { args, plan: &plan, folder: &folder, kept, form }.play_at(server, programs, interrupted).await
    })
}

/// Returns what is kept of the tournament as it begins anew or carries on.
fn begin_run(
    args: &RunArgs,
    server: Option<&str>,
    folder: &RunFolder,
    plan: Value,
) -> Result<SavedRun, Failure> {
    if args.fresh {
        return begin_anew(server, folder, plan);
    }
    carry_on(&args.file, server, folder, plan)
}

/// Calls off what an earlier run has left on another's server.
async fn cancel_earlier(server: &RunServer, folder: &RunFolder) -> Result<(), Failure> {
    // Of what cannot be read nothing is known, and it goes.
    let Ok(Some(before)) = SavedRun::read(&folder.saved_run()) else { return Ok(()) };
    let left = before.tournament.filter(|_| before.server.as_deref() == Some(server.address.as_str()));
    match left.and_then(|id| id.parse().ok()) {
        Some(id) => server.organiser.cancel(id).await,
        None => Ok(()),
    }
}

/// Finds the programs of the file, each with the word that names it, before anything is begun.
fn find_programs(plan: &TournamentPlan, args: &RunArgs) -> Result<HashMap<String, PathBuf>, Failure> {
    let folder = working_folder(&args.file)?;
    let mut programs = HashMap::new();
    for player in &plan.players {
        let Origin::Command(words) = &player.origin else { continue };
        let word = words.first().map(String::as_str).unwrap_or_default();
        let path = find_program(word, &folder).map_err(|why| {
            let (file, bot) = (args.file.display(), &player.name);
            Failure::input(format!("{file}: bot {bot}: {word:?} cannot be started: {why}"))
        })?;
        programs.insert(word.to_owned(), path);
    }
    Ok(programs)
}

/// A run of a tournament.
struct Run<'a> {
    args: &'a RunArgs,
    plan: &'a TournamentPlan,
    folder: &'a RunFolder,
    kept: SavedRun,
    form: Form,
}

impl<'a> Run<'a> {
    /// Plays the tournament, and leaves the server in good order however that ends.
    async fn play_at(
        mut self,
        mut server: RunServer,
        programs: HashMap<String, PathBuf>,
        interrupted: impl Future<Output = ()>,
    ) -> Outcome {
        let mut played = match self.prepare(&server, &programs).await {
            Ok(played) => played,
            Err(failure) => {
                return server.close().await.and(Err(failure));
            }
        };
        let (form, file) = (self.form, self.args.file.display());
        // A server of its own does not come back.
        let patience = if server.is_anothers() { GIVE_UP_AFTER } else { Duration::ZERO };
        let ended = tokio::select! {
            ended = played.finish(patience) => Some(ended),
            () = interrupted => None,
        };
        let RunningTournament { players, progress, seen, .. } = played;
        match ended {
            Some(Ok(())) => {
                players.dismiss().await;
                progress.finish();
                seen.print(form)?;
                server.close().await?;
                self.say_what_is_kept(&seen);
                Ok(Exit::Done)
            }
            Some(Err(failure)) => {
                players.stop().await;
                // If the server broke down, that is why.
                let closed = server.close().await;
                progress.finish();
                closed.and(Err(failure))
            }
            None => {
                let again = runtime::interrupted();
                if server.is_anothers() && seen.tournament.state() == TournamentState::Running {
                    progress.say("stopping; the tournament goes on where it is played, and the clocks of these bots run: carry on soon");
                } else {
                    progress.say("stopping: open matches may finish; Ctrl-C once more stops at once");
                }
                let closed = tokio::select! {
                    closed = server.close() => closed,
                    () = again => Ok(()),
                };
                players.stop().await;
                progress.finish();
                closed?;
                if seen.tournament.matches_played > 0 {
                    seen.print(form)?;
                }
                Err(Failure::Runtime(anyhow::Error::msg(format!(
                    "{file}: stopped before the end: the same command carries on"
                ))))
            }
        }
    }

    /// Enrols the bots, sees to it that there is a tournament, and starts what is to be started.
    async fn prepare(
        &mut self,
        server: &RunServer,
        programs: &HashMap<String, PathBuf>,
    ) -> Result<RunningTournament<'a>, Failure> {
        let progress = Progress::new(&self.plan.players, self.folder);
        let organiser = server.organiser.clone();
        let found = self.find_tournament(server).await?;
        let is_new = found.is_none();
        if !found.as_ref().is_some_and(is_over) {
            self.enrol(server).await?;
        }
        let tournament = match found {
            Some(tournament) => tournament,
            None => organiser.create(self.plan.settings()).await?,
        };
        let id: TournamentId =
            tournament.id.parse().map_err(|error| Failure::runtime(error, "the server"))?;
        if self.kept.tournament.as_deref() != Some(tournament.id.as_str()) {
            self.kept.tournament = Some(tournament.id.clone());
            self.kept.write(&self.folder.saved_run())?;
        }
        let states = organiser.watch(id).await.map_err(|status| organiser.broken_off(&status))?;
        let stage = Stage { organiser, address: server.address.clone(), tournament: id };
        let mut players = Players::new(stage.clone());
        let file = self.args.file.display();
        let mut missing = Vec::new();
        if is_over(&tournament) {
            eprintln!("{file}: this tournament is over; --fresh plays it anew");
        } else {
            progress.say(&self.opening(server, &tournament, is_new));
            if tournament.state() == TournamentState::Open {
                missing = self.plan.players.iter().collect();
            }
            self.start_bots(&mut players, &stage, programs).await?;
            self.say_how_to_join(server, &stage, &progress);
        }
        let (states, seen, file) = (Some(states), Seen::default(), self.args.file.clone());
        Ok(RunningTournament { file, stage, players, progress, states, seen, missing })
    }

    /// Finds the tournament of an earlier run, if there is one.
    async fn find_tournament(&self, server: &RunServer) -> Result<Option<pb::Tournament>, Failure> {
        let organiser = &server.organiser;
        let kept = match &self.kept.tournament {
            Some(id) => {
                let id =
                    id.parse().map_err(|error| Failure::runtime(error, self.folder.saved_run().display()))?;
                organiser.tournament(id).await.map(Some)
            }
            None => Ok(None),
        };
        match kept {
            kept if server.is_anothers() => kept,
            Ok(Some(tournament)) => Ok(Some(tournament)),
            // A run may have died before it could write which one it is, or after it began to remove the store.
            _ => organiser.newest().await,
        }
    }

    /// Registers the bots, and writes the tokens of those that are run elsewhere.
    async fn enrol(&mut self, server: &RunServer) -> Result<(), Failure> {
        for Player { name, origin } in &self.plan.players {
            let token = server.organiser.register(name).await?;
            let is_ours = !server.is_anothers() || self.kept.registered.contains(name.as_str());
            let token = match (token, origin) {
                (Some(token), _) => {
                    if server.is_anothers() {
                        self.kept.registered.insert(name.to_string());
                        self.kept.write(&self.folder.saved_run())?;
                    }
                    token
                }
                (None, Origin::Remote) if !is_ours || self.folder.token(name).exists() => continue,
                (None, _) if !is_ours => {
                    return Err(Failure::Runtime(anyhow::Error::msg(format!(
                        "{}: bot {name}: the server at {} has one of that name already, which this tournament did not register: give it another name, or `remote = true` and run it yourself",
                        self.args.file.display(),
                        server.address
                    ))));
                }
                (None, Origin::Remote) => server.organiser.new_token(name).await?,
                (None, _) => continue,
            };
            if *origin == Origin::Remote {
                self.folder.write_token(name, &token)?;
            }
        }
        Ok(())
    }

    async fn start_bots(
        &self,
        players: &mut Players,
        stage: &Stage,
        programs: &HashMap<String, PathBuf>,
    ) -> Result<(), Failure> {
        for Player { name, origin } in &self.plan.players {
            match origin {
                Origin::House(bot, seed) => {
                    let token = stage.organiser.new_token(name).await?;
                    players.add_house_bot(name.clone(), *bot, *seed, token);
                }
                Origin::Command(words) => {
                    let Some((word, arguments)) = words.split_first() else { continue };
                    let Some(path) = programs.get(word).cloned() else { continue };
                    let program = Program {
                        bot: name.clone(),
                        path,
                        arguments: arguments.to_vec(),
                        workplace: working_folder(&self.args.file)?,
                        log: self.folder.log(name),
                    };
                    players.add_program(program, word.clone());
                }
                Origin::Remote => {}
            }
        }
        Ok(())
    }

    /// Says what is played where.
    fn opening(&self, server: &RunServer, tournament: &pb::Tournament, is_new: bool) -> String {
        let title = &self.plan.settings().title;
        let (bots, address) = (self.plan.players.len(), &server.address);
        let begins = if is_new { "begins" } else { "carries on" };
        format!(
            "{title} {begins}: {bots} bots, matches: {}, kept in {}\nlook on from another terminal: lastnim tournament watch {} --server {address}",
            match_count(self.plan.total),
            self.folder.path().display(),
            tournament.id
        )
    }

    fn say_how_to_join(&self, server: &RunServer, stage: &Stage, progress: &Progress) {
        let remote = self.plan.players.iter().filter(|player| player.origin == Origin::Remote);
        for player in remote {
            let file = self.folder.token(&player.name);
            let file = file.exists().then(|| file.display().to_string());
            let id = stage.tournament.to_string();
            progress.say(&how_to_join(&player.name, &stage.address, &id, file.as_deref()));
            if server.listens_on().is_some_and(|address| address.ip().is_loopback()) {
                progress.say("  (from other machines the server is reached with --listen 0.0.0.0:PORT)");
            }
        }
    }

    /// Says, to a person, where the matches are.
    fn say_what_is_kept(&self, seen: &Seen) {
        if self.form == Form::Text && io::stderr().is_terminal() && self.kept.server.is_none() {
            eprintln!("look at its matches: lastnim serve --store sqlite:{}", self.folder.store().display());
            eprintln!("then: lastnim match list --tournament {}", seen.tournament.id);
        }
    }
}
