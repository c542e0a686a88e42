//! The process that supervises a bot's program: it starts the program, reports its end, and kills it when the run is gone.
//!
//! The run that starts a supervisor keeps its standard input open. Once that is closed the supervisor ends the program. The
//! system closes it when the run dies, so no program outlives a run that was killed.

use crate::{
    CommandExit, CommandResult, Failure,
    hidden_memory::hide_memory,
    sandbox::{Guard, SandboxLimits},
    screen,
};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    ffi::OsString,
    fmt,
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::process::CommandExt as _,
    },
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// How often the supervisor checks whether the program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long the program has to end after a request to stop.
pub const TERMINATION_GRACE: Duration = Duration::from_secs(3);

/// The arguments of `lastnim tournament supervise`.
#[derive(Debug, clap::Args)]
pub struct SuperviseArgs {
    /// The limits of the program as JSON; this process is then the first one of a sandbox
    #[arg(long, value_parser = SandboxLimits::parse)]
    limits: Option<SandboxLimits>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// The reports of a supervisor, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SupervisorReport {
    /// The program runs.
    Started,
    /// The program could not be started, for this reason.
    Refused(String),
    /// The program ended, as described.
    Ended(String),
}

impl SupervisorReport {
    /// Reads a line; `None` if it is not a report.
    pub fn parse(line: &str) -> Option<Self> {
        match line.split_once(": ") {
            None if line == "started" => Some(Self::Started),
            Some(("refused", why)) => Some(Self::Refused(why.to_owned())),
            Some(("ended", how)) => Some(Self::Ended(how.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for SupervisorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started => f.write_str("started"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Ended(how) => write!(f, "ended: {how}"),
        }
    }
}

/// Starts the program with this process's standard error for its output, and supervises it. With limits, the program also
/// ends when it passes one of them.
pub fn supervise_program(args: &SuperviseArgs) -> CommandResult {
    let failure = |error: io::Error| Failure::runtime(error, "cannot supervise the program");
    let mut guard = args.limits.clone().map(Guard::enter).transpose().map_err(failure)?;
    // The environment has the program's token, and for a model the organiser's keys.
    hide_memory();
    let output = match &mut guard {
        Some(guard) => guard.open_output(),
        None => io::stderr().as_fd().try_clone_to_owned(),
    };
    let mut child = match output.and_then(|output| start_program(&args.words, output)) {
        Ok(child) => child,
        Err(error) => {
            write_report_line(&SupervisorReport::Refused(error.to_string()));
            return Ok(CommandExit::Done);
        }
    };
    write_report_line(&SupervisorReport::Started);
    let abandoned = watch_stdin_closed();
    loop {
        // If the thread that watches the input is gone, the input counts as closed.
        if !matches!(abandoned.recv_timeout(POLL_INTERVAL), Err(mpsc::RecvTimeoutError::Timeout)) {
            end_program(&mut child).map_err(failure)?;
        }
        let status = child.try_wait().map_err(failure)?;
        let passed = guard.as_ref().and_then(|guard| guard.passed_limit(&child));
        let how = match (passed, status) {
            (Some(passed), _) => {
                screen::print_note(format_args!("[lastnim ended this bot: {passed}]"));
                passed
            }
            (None, Some(status)) => {
                // The end of this process ends all other processes of a sandbox.
                guard.as_ref().map_or_else(|| end_orphans(&child), Guard::wait_for_output);
                status.to_string()
            }
            (None, None) => continue,
        };
        write_report_line(&SupervisorReport::Ended(how));
        return Ok(CommandExit::Done);
    }
}

fn start_program(words: &[OsString], output: OwnedFd) -> io::Result<Child> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(output.try_clone()?)
        .stdout(output)
        // The program and its children can be ended together, separately from this process.
        .process_group(0)
        .spawn()
}

/// Sends a report. Errors are ignored, as the closed input shows that the run is gone.
pub fn write_report_line(report: &SupervisorReport) {
    let _ = writeln!(screen::stdout(), "{report}");
}

/// Returns a channel that reports the end of standard input.
pub fn watch_stdin_closed() -> mpsc::Receiver<()> {
    let (closed, told) = mpsc::channel();
    thread::spawn(move || {
        // Reading ends only when the run is gone.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = closed.send(());
    });
    told
}

/// Asks a program to end, and kills it if it does not end in time. The system does not reuse its process id before this
/// process has waited for it.
fn end_program(child: &mut Child) -> io::Result<()> {
    signal_group(Signal::TERM, child);
    let asked_at = Instant::now();
    while asked_at.elapsed() < TERMINATION_GRACE {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(POLL_INTERVAL);
    }
    signal_group(Signal::KILL, child);
    child.kill()?;
    child.wait().map(drop)
}

/// Ends child processes that a program left behind. The number of the process group is not reused while any of them
/// exists.
fn end_orphans(ended: &Child) {
    let group = Pid::from_child(ended);
    let asked_at = Instant::now();
    while kill_process_group(group, Signal::TERM).is_ok() {
        if asked_at.elapsed() >= TERMINATION_GRACE {
            // The group may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Sends a signal to a program and its children.
fn signal_group(signal: Signal, child: &Child) {
    // An error is ignored: the group may already be empty, and the wait shows whether the program has ended.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_are_written() {
        let why = "No such file: it is gone (os error 2)".to_owned();
        for report in [
            SupervisorReport::Started,
            SupervisorReport::Refused(why),
            SupervisorReport::Ended("exit status: 1".into()),
        ] {
            assert_eq!(SupervisorReport::parse(&report.to_string()), Some(report));
        }
        assert_eq!(SupervisorReport::parse("ended"), None);
    }
}
