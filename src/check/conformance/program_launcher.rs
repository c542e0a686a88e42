//! Runs the bot under test as a program on this machine.

use crate::runner::{ProgramCommand, ProgramEnvironment, SupervisedProgram, SupervisorReport};
use lastnim_conformance::{BotEnd, BotEnvironment, BotLauncher, LaunchedBot, OutputTail};
use std::process::ExitStatus;
use tokio::sync::oneshot;

/// Starts a program under a supervisor, which ends it even if the suite is killed.
#[derive(Debug, Clone)]
pub struct ProgramLauncher(pub ProgramCommand);

impl BotLauncher for ProgramLauncher {
    fn launch(&self, environment: &BotEnvironment) -> Result<LaunchedBot, String> {
        let ticket = ProgramEnvironment {
            server: environment.server.as_str().into(),
            token: environment.token.clone(),
            tournament: environment.tournament.clone(),
        };
        let output = OutputTail::default();
        let kept = output.clone();
        let supervised = self.0.start_supervised(&ticket, move |printed| kept.push_bytes(printed));
        let supervised = supervised.map_err(|error| error.to_string())?;
        Ok(LaunchedBot::spawn(|stopped| await_program_end(supervised, stopped), output))
    }
}

/// Waits until a program ends, or stops it when `stopped` reports that it should stop.
async fn await_program_end(mut supervised: SupervisedProgram, stopped: oneshot::Receiver<()>) -> BotEnd {
    let ended = async {
        loop {
            match supervised.next_report().await {
                Some(SupervisorReport::Started) => {}
                Some(SupervisorReport::Refused(why)) => break format!("it could not be started: {why}"),
                Some(SupervisorReport::Ended(how)) => break how,
                None => break "its supervisor process ended unexpectedly".to_owned(),
            }
        }
    };
    tokio::select! {
        description = ended => BotEnd {
            is_success: description == ExitStatus::default().to_string(),
            description,
        },
        _ = stopped => {
            supervised.stop_and_wait().await;
            BotEnd { description: "stopped".to_owned(), is_success: false }
        }
    }
}
