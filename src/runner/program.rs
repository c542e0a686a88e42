//! A bot that is a program on this machine.

use super::{
    bounded_log::BoundedLog,
    host_process::{spawn_child, wait_for_child},
    program_path::find_program,
    supervisor::{SupervisorReport, TERMINATION_GRACE},
};
use crate::{Failure, OwnCommand, program_variables::ProgramVariables, sandbox::Sandbox};
use lastnim_client::ServerAddress;
use lastnim_core::game::BotName;
use std::{
    env,
    ffi::OsString,
    io::{self, BufRead as _, BufReader, PipeReader, Read as _},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::Duration,
};
use tokio::{sync::mpsc, time::timeout};

/// How long a supervisor has to end a program: longer than the supervisor waits before it kills the program.
const SUPERVISOR_GRACE: Duration = TERMINATION_GRACE.saturating_mul(2);
/// The maximum number of bytes read from a program's output at a time.
const READ_BYTES: usize = 64 << 10;
/// How long a run waits for the last output of an ended program, whose children may keep it open.
const OUTPUT_GRACE: Duration = Duration::from_secs(1);

/// A program with its arguments, folder and environment.
#[derive(Debug, Clone)]
pub struct ProgramCommand {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The command that starts the program's supervisor.
    pub own: OwnCommand,
    /// The folder in which the program runs.
    pub working_folder: PathBuf,
    /// The environment variables of the program.
    pub variables: ProgramVariables,
    /// The sandbox of the program, if it has one.
    pub sandbox: Option<Box<Sandbox>>,
}

/// A bot's program, and the log for its output.
#[derive(Debug, Clone)]
pub struct BotProgram {
    /// The bot as which the program plays.
    pub bot: BotName,
    /// The program.
    pub command: ProgramCommand,
    /// The file for the program's output.
    pub log: BoundedLog,
}

/// The environment of a program.
#[derive(Debug, Clone)]
pub struct ProgramEnvironment {
    /// The server.
    pub server: ServerAddress,
    /// The bot's token.
    pub token: String,
    /// The tournament.
    pub tournament: String,
}

impl BotProgram {
    /// Starts the program under a supervisor.
    pub fn start_supervised(&self, environment: &ProgramEnvironment) -> io::Result<SupervisedProgram> {
        let (log, mut is_reported) = (self.log.clone(), false);
        self.command.start_supervised(environment, move |printed| {
            // A full disk must not stop the program.
            if let Err(error) = log.push_bytes(printed)
                && !is_reported
            {
                tracing::warn!(%error, log = %log.path().display(), "cannot write a program's output to its log");
                is_reported = true;
            }
        })
    }
}

impl ProgramCommand {
    /// Finds the program that is named by the words after `--` on a command line. The program will run in the current
    /// folder.
    ///
    /// # Errors
    /// If the program does not exist.
    pub fn find(words: &[String], variables: ProgramVariables, own: &OwnCommand) -> Result<Self, Failure> {
        let (word, arguments) =
            words.split_first().ok_or_else(|| Failure::input("COMMAND: required after `--`"))?;
        let working_folder = env::current_dir()
            .map_err(|error| Failure::runtime(error, "the current folder cannot be used"))?;
        let program = find_program(word, &working_folder, own);
        let mut words = program.map_err(|why| Failure::input(format!("{word}: {why}")))?;
        words.extend(arguments.iter().map(OsString::from));
        Ok(Self { words, own: own.clone(), working_folder, variables, sandbox: None })
    }

    /// Starts the program under a supervisor, and forwards its output.
    pub fn start_supervised(
        &self,
        environment: &ProgramEnvironment,
        pass_on: impl FnMut(&[u8]) + Send + 'static,
    ) -> io::Result<SupervisedProgram> {
        let (program, arguments) = self
            .own
            .words
            .split_first()
            .ok_or_else(|| io::Error::other("the command that starts lastnim is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(sandbox) = &self.sandbox {
            let line = sandbox.command_line(&self.own, &self.words);
            command.args(["tournament", "sandbox", "--"]).args(line);
            self.variables.apply_in_sandbox(&mut command);
        } else {
            command.args(["tournament", "supervise", "--"]).args(&self.words);
            self.variables.apply(&mut command);
        }
        command
            .env("LASTNIM_SERVER", environment.server.to_absolute_paths())
            .env("LASTNIM_TOKEN", &environment.token)
            .env("LASTNIM_TOURNAMENT", &environment.tournament);
        match environment.server.ca() {
            Some(ca) => command.env("LASTNIM_CA", ca.path()),
            None => command.env_remove("LASTNIM_CA"),
        };
        match environment.server.client_certificate() {
            Some(certificate) => command
                .env("LASTNIM_CLIENT_CERT", certificate.certificate_path())
                .env("LASTNIM_CLIENT_KEY", certificate.key_path()),
            None => command.env_remove("LASTNIM_CLIENT_CERT").env_remove("LASTNIM_CLIENT_KEY"),
        };
        let (output, printed) = io::pipe()?;
        command
            .current_dir(&self.working_folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(printed)
            // The program is in its own process group, so Ctrl-C reaches only the organiser's process, which stops the
            // programs after the server.
            .process_group(0);
        let mut supervisor = spawn_child(&mut command)?;
        let missing_pipe = || io::Error::other("the supervisor's input or output is not a pipe");
        let input = supervisor.stdin.take().ok_or_else(missing_pipe)?;
        // The command keeps the program's end of the output pipe open, so it is dropped.
        drop(command);
        let reports = listen_to_supervisor(supervisor, read_output(output, pass_on)?)?;
        Ok(SupervisedProgram { input: Some(input), reports })
    }
}

/// Reads everything that a program prints on a thread, so that the program never blocks on output. The receiver is closed
/// at the end.
fn read_output(
    mut output: PipeReader,
    mut pass_on: impl FnMut(&[u8]) + Send + 'static,
) -> io::Result<std::sync::mpsc::Receiver<()>> {
    let (reading, done) = std::sync::mpsc::channel();
    thread::Builder::new().name("bot output".into()).spawn(move || {
        let mut printed = vec![0; READ_BYTES];
        while let Ok(read @ 1..) = output.read(&mut printed) {
            pass_on(&printed[..read]);
        }
        drop(reading);
    })?;
    Ok(done)
}

/// Reads the reports of a supervisor, and waits for its end, on a thread. The end of the program is reported once its output
/// has been read.
fn listen_to_supervisor(
    mut supervisor: Child,
    output_read: std::sync::mpsc::Receiver<()>,
) -> io::Result<mpsc::Receiver<SupervisorReport>> {
    let output = supervisor
        .stdout
        .take()
        .ok_or_else(|| io::Error::other("the supervisor's input or output is not a pipe"))?;
    let (sender, reports) = mpsc::channel(2);
    thread::Builder::new().name("supervisor".into()).spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let mut last = None;
        for report in lines.filter_map(|line| SupervisorReport::parse(&line)) {
            if report == SupervisorReport::Started {
                // An error is ignored: the receiver may be gone, but the supervisor must be reaped.
                let _ = sender.blocking_send(report);
            } else {
                last = Some(report);
            }
        }
        wait_for_child(&mut supervisor);
        // A timeout is ignored: a child that the program left behind may still print.
        let _ = output_read.recv_timeout(OUTPUT_GRACE);
        if let Some(last) = last {
            // An error is ignored: the receiver may be gone.
            let _ = sender.blocking_send(last);
        }
    })?;
    Ok(reports)
}

/// A program and its supervisor, which ends it when this is dropped.
#[derive(Debug)]
pub struct SupervisedProgram {
    input: Option<ChildStdin>,
    reports: mpsc::Receiver<SupervisorReport>,
}

impl SupervisedProgram {
    /// Waits for the next report; `None` if the supervisor is gone. Safe to cancel.
    pub async fn next_report(&mut self) -> Option<SupervisorReport> {
        self.reports.recv().await
    }

    /// Ends the program, and waits for its exit.
    pub async fn stop_and_wait(mut self) {
        self.input = None;
        // If the supervisor is slow, it finishes without this process.
        let _ = timeout(SUPERVISOR_GRACE, async { while self.next_report().await.is_some() {} }).await;
    }
}
