//! `lastnim tournament run`, which plays the tournament of a file, and `check`, which only reads the file.
//!
//! `command` prepares a run, and `tournament_run` plays it; `folder`, `secrets_folder`, `saved_run` and `resumption`
//! are the data kept on disk between runs; `run_server` is the server that hosts the matches, and `organiser` sends
//! requests to it. `players` starts the bots: `program` starts external programs, each with a `bounded_log` and under a
//! `supervisor`, a process that ends the program when this process is gone for any reason; `host_process` protects this
//! process from them. `leaving` pauses a tournament on someone else's server while the run is stopped, and
//! `located_run` finds a run from another terminal; `finished_run` serves its results once it is over. `model_spending`
//! reads what the models have cost, and `group_plan` derives from a `pilot` how large a tournament must be, and
//! `resolution` says what its matches can resolve. `running_tournament` follows the tournament to its end,
//! `model_measures` then measures its models, `progress` shows its progress, and `result_file` writes the result to a
//! file. `outages` finds models whose endpoint fails, `outage_freeze` freezes the tournament until they answer, and
//! `probes` tries each endpoint before the first match.

mod bounded_log;
mod check;
mod command;
mod finished_run;
mod folder;
mod group_plan;
mod host_process;
mod leaving;
mod located_run;
mod model_checks;
mod model_measures;
mod model_settings;
mod model_spending;
mod organiser;
mod outage_freeze;
mod outages;
mod pilot;
mod players;
mod probes;
mod program;
mod program_path;
mod progress;
mod report;
mod resolution;
mod result_file;
mod resumption;
mod run_server;
mod running_tournament;
mod saved_run;
mod secrets_folder;
mod supervisor;
mod tournament_run;

pub use bounded_log::BoundedLog;
pub use check::{CheckArgs, check_file};
pub use command::{RunArgs, run};
pub use group_plan::{PlanArgs, plan_groups};
pub use located_run::locate_run;
pub use model_spending::{ModelLedgers, spending_json, spending_section};
pub use organiser::OrganiserClient;
pub use players::{LocalBotEvent, LocalBots, TournamentAddress};
pub use program::{BotProgram, ProgramCommand, ProgramEnvironment, SupervisedProgram};
pub use report::TournamentStatus;
pub use resolution::resolution_text;
pub use supervisor::{
    SuperviseArgs, SupervisorReport, TERMINATION_GRACE, supervise_program, watch_stdin_closed,
    write_report_line,
};
