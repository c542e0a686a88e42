//! The bot under test as a program of this machine.

use crate::runner::{ProgramCommand, ProgramEnvironment, SupervisedProgram, SupervisorReport};
use lastnim_conformance::{BotEnd, BotEnvironment, BotLauncher, LaunchedBot, OutputTail};
use std::{
    io::{self, Read as _},
    process::ExitStatus,
    thread,
};
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
        let supervised = (|| {
            let (reader, writer) = io::pipe()?;
            keep_output(reader, output.clone())?;
            self.0.start_supervised(&ticket, writer)
        })();
        let supervised = supervised.map_err(|error| error.to_string())?;
        Ok(LaunchedBot::spawn(|stopped| await_program_end(supervised, stopped), output))
    }
}

/// Reads everything that a program prints, so that the program never blocks on output, and keeps the end.
fn keep_output(mut reader: io::PipeReader, output: OutputTail) -> io::Result<()> {
    thread::Builder::new().name("bot output".into()).spawn(move || {
        let mut printed = [0; 4096];
        while let Ok(read @ 1..) = reader.read(&mut printed) {
            output.push_bytes(&printed[..read]);
        }
    })?;
    Ok(())
}

/// Waits until a program ends, or ends it when told to stop.
async fn await_program_end(mut supervised: SupervisedProgram, stopped: oneshot::Receiver<()>) -> BotEnd {
    let ended = async {
        loop {
            match supervised.next_report().await {
                Some(SupervisorReport::Started) => {}
                Some(SupervisorReport::Refused(why)) => break format!("it could not be started: {why}"),
                Some(SupervisorReport::Ended(how)) => break how,
                None => break "its supervisor is gone".to_owned(),
            }
        }
    };
    tokio::select! {
        words = ended => BotEnd { is_success: words == ExitStatus::default().to_string(), words },
        _ = stopped => {
            supervised.stop_and_wait().await;
            BotEnd { words: "stopped".to_owned(), is_success: false }
        }
    }
}
