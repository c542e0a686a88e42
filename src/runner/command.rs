//! `lastnim tournament run`.

use super::{
    check::{check_passed_variables, plan_json},
    folder::RunFolder,
    model_checks::check_models,
    model_settings::models_in_run,
    probes::probe_or_stop,
    program_path::find_programs,
    result_file::ResultFile,
    resumption::{resume_or_start_run, start_new_run},
    run_server::RunServer,
    saved_run::SavedRun,
    tournament_run::TournamentRun,
};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand, args::listen_address::ListenAddress, form::OutputFormat,
    remote::ServerArgs, runtime, sandbox::check_server_address, screen, toml_file::read_or_print_mistakes,
    tournament_file::plan::TournamentPlan,
};
use serde_json::Value;
use std::{path::PathBuf, pin::pin};

/// The flags of `lastnim tournament run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The tournament file in TOML; `examples/` has one for every format
    file: PathBuf,
    /// The address of the tournament's server [default: a free port of 127.0.0.1, kept for later runs]
    #[arg(long, value_name = "ADDR")]
    listen: Option<ListenAddress>,
    /// Starts from scratch and removes the files of earlier runs
    #[arg(long)]
    fresh: bool,
    /// Writes the result to a .csv, .json or .txt file at the end; may be repeated
    #[arg(long = "result", value_name = "FILE")]
    results: Vec<ResultFile>,
}

/// Runs the tournament of a file to its end, or until it is interrupted.
pub fn run(args: &RunArgs, server: &ServerArgs, form: OutputFormat, own: &OwnCommand) -> CommandResult {
    let Some(plan) = read_or_print_mistakes(&args.file, form, TournamentPlan::parse)? else {
        return Ok(CommandExit::Mistakes);
    };
    if let (Some(listen), Some(named)) = (&args.listen, server.given_server()) {
        return Err(Failure::input(format!(
            "--listen {listen}: leave it out, because --server or LASTNIM_SERVER names the server at {named}"
        )));
    }
    args.results.iter().try_for_each(ResultFile::check)?;
    check_models(&plan, &args.file)?;
    check_passed_variables(&plan, &args.file)?;
    let programs = find_programs(&plan, &args.file, own)?;
    if let Some(address) = server.given_server()
        && plan.programs().any(|(_, program)| program.is_sandboxed)
    {
        let checked = check_server_address(address);
        checked.map_err(|why| Failure::input(format!("{}: {why}", args.file.display())))?;
    }
    let folder = RunFolder::lock_folder(&args.file)?;
    runtime::run_on_runtime(None, async {
        let mut interrupted = pin!(runtime::wait_for_interrupt());
        if args.fresh || !folder.saved_run_file().exists() {
            // The models are checked before anything starts, so that the file can still be corrected.
            let mut models = models_in_run(&plan, &folder)?;
            if args.fresh {
                // The spending of the earlier run no longer counts.
                models =
                    models.into_iter().map(|(bot, settings)| (bot, settings.without_ledgers())).collect();
            }
            let lines = tokio::select! {
                probed = probe_or_stop(models, &args.file) => probed?,
                () = &mut interrupted => {
                    let file = args.file.display();
                    return Err(Failure::Runtime(anyhow::Error::msg(format!("{file}: interrupted before the tournament started"))));
                }
            };
            for line in lines {
                screen::print_note(format_args!("{line}"));
            }
        }
        let plan_now = plan_json(&plan);
        let (kept, server) = if let Some(address) = server.given_server() {
            let server = RunServer::connect_to_other(server).await?;
            if args.fresh {
                cancel_earlier_tournament(&server, &folder).await?;
            }
            (begin_or_resume_run(args, Some(address), &folder, plan_now)?, server)
        } else {
            let mut kept = begin_or_resume_run(args, None, &folder, plan_now)?;
            let server = RunServer::start_embedded(&folder, &mut kept, &plan, args.listen.as_ref()).await?;
            (kept, server)
        };
        let (file, results) = (args.file.as_path(), args.results.as_slice());
        let run = TournamentRun { file, plan: &plan, folder: &folder, kept, form, results, own };
        Box::pin(run.play_on_server(server, programs, interrupted)).await
    })
}

/// Returns the saved state of a new or continued run.
fn begin_or_resume_run(
    args: &RunArgs,
    server: Option<&str>,
    folder: &RunFolder,
    plan: Value,
) -> Result<SavedRun, Failure> {
    if args.fresh {
        return start_new_run(server, folder, plan);
    }
    resume_or_start_run(&args.file, server, folder, plan)
}

/// Cancels the tournament that an earlier run left unfinished on this server.
async fn cancel_earlier_tournament(server: &RunServer, folder: &RunFolder) -> Result<(), Failure> {
    // If the saved run cannot be read, its tournament is unknown and cannot be cancelled.
    let Ok(Some(before)) = SavedRun::read(&folder.saved_run_file()) else { return Ok(()) };
    let left = before.tournament.filter(|_| before.server.as_deref() == Some(server.address.as_str()));
    match left.and_then(|id| id.parse().ok()) {
        Some(id) => server.organiser.cancel_tournament(id).await,
        None => Ok(()),
    }
}
