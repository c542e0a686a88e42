//! `lastnim tournament run`: a tournament from its file to its standings; and `check`, which only reads the file.
//!
//! `command` is the whole run from above; `folder`, `saved_run` and `resumption` say what stays on the disk from one run to the
//! next; `run_server` is the server that is played on, and `organiser` what is asked of it. `players` starts the bots: `program`
//! those that are programs, each under a `supervisor`, a process that ends it when this one is gone, however it
//! went. `leaving` pauses a tournament on another's server while the run is away, and `located_run` finds a run from another terminal.
//! `running_tournament` follows the tournament to its end, `model_measures` measures its models then, and `progress` shows how far it is; `endpoint_errors` has groups played again in which
//! the endpoint of a model failed.

mod check;
mod command;
mod endpoint_errors;
mod folder;
mod leaving;
mod located_run;
mod model_checks;
mod model_measures;
mod organiser;
mod players;
mod program;
mod program_path;
mod progress;
mod report;
mod resumption;
mod run_server;
mod running_tournament;
mod saved_run;
mod supervisor;

pub use check::{CheckArgs, check_file};
pub use command::{RunArgs, run};
pub use located_run::locate_run;
pub use organiser::OrganiserClient;
pub use players::{LocalBots, PlayerNews, TournamentAddress};
pub use program::{BotProgram, ProgramCommand, ProgramEnvironment, SupervisedProgram};
pub use program_path::find_program;
pub use report::SeenTournament;
pub use supervisor::{SuperviseArgs, SupervisorReport, supervise_program};
