//! The process outside a sandbox, which starts bubblewrap and connects the bot with its server.

use super::guard::SERVER_PORT;
use crate::{
    CommandExit,
    hidden_memory::hide_memory,
    runner::{SupervisorReport, TERMINATION_GRACE, watch_stdin_closed, write_report_line},
};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::{
    env,
    ffi::OsString,
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    net::{Shutdown, TcpListener, TcpStream},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Child, Command},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// The maximum number of connections that a sandboxed bot has at a time.
const MAX_CONNECTIONS: usize = 16;
/// How often this process checks whether the sandbox has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The arguments of `lastnim tournament sandbox`.
#[derive(Debug, clap::Args)]
pub struct SandboxArgs {
    /// The command that starts the sandbox
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Checks that a sandboxed bot can reach a server: its connections are forwarded to a single address, without TLS, because
/// a certificate would name another host than the bot's.
///
/// # Errors
/// Names the address and a valid one.
pub fn check_server_address(server: &str) -> Result<&str, String> {
    let address = server.strip_prefix("http://").unwrap_or(server);
    let is_single = !address.contains(['/', ',']);
    match address.rsplit_once(':') {
        Some((host, port)) if is_single && !host.is_empty() && port.parse::<u16>().is_ok() => Ok(address),
        _ => Err(format!(
            "{server}: a sandboxed bot reaches only a single server without TLS: expected HOST:PORT, such as 127.0.0.1:7600"
        )),
    }
}

/// Starts a sandbox, forwards its connections to the server, and waits for its end. The supervisor in the sandbox reports
/// on the same standard output.
pub fn run_sandbox(args: &SandboxArgs) -> CommandExit {
    hide_memory();
    if let Err(why) = supervise_sandbox(&args.words) {
        write_report_line(&SupervisorReport::Refused(why));
    }
    CommandExit::Done
}

/// Starts the sandbox and waits for its end.
///
/// # Errors
/// Says why the sandbox did not start.
fn supervise_sandbox(words: &[OsString]) -> Result<(), String> {
    let text = |error: io::Error| error.to_string();
    let server = env::var("LASTNIM_SERVER").unwrap_or_default();
    let server = check_server_address(&server)?.to_owned();
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let (host, sandbox) = UnixStream::pair().map_err(text)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LASTNIM_SERVER", format!("127.0.0.1:{SERVER_PORT}"))
        .stdin(OwnedFd::from(sandbox))
        .process_group(0);
    let mut child = command.spawn().map_err(|error| format!("bubblewrap cannot be started: {error}"))?;
    // The command keeps the sandbox's end of the connection open, so it is dropped.
    drop(command);
    let abandoned = watch_stdin_closed();
    let listener = receive_listener(host.as_fd()).map_err(text)?;
    let has_started = listener.is_some();
    if let Some(listener) = listener {
        thread::Builder::new()
            .name("relay".into())
            .spawn(move || forward_connections(&listener, &server))
            .map_err(text)?;
    }
    wait_for_sandbox(&mut child, &host, &abandoned).map_err(text)?;
    if has_started {
        Ok(())
    } else {
        Err("bubblewrap could not make the sandbox: see the bot's log".to_owned())
    }
}

/// Waits for the end of a sandbox. Once this process's input is closed, the supervisor in the sandbox ends the bot.
fn wait_for_sandbox(child: &mut Child, host: &UnixStream, abandoned: &mpsc::Receiver<()>) -> io::Result<()> {
    let mut asked_at = None;
    while child.try_wait()?.is_none() {
        match asked_at {
            Some(asked_at)
                if Instant::now().duration_since(asked_at) > TERMINATION_GRACE + Duration::from_secs(1) =>
            {
                child.kill()?;
                return child.wait().map(drop);
            }
            Some(_) => thread::sleep(POLL_INTERVAL),
            // If the thread that watches the input is gone, the input counts as closed.
            None if !matches!(
                abandoned.recv_timeout(POLL_INTERVAL),
                Err(mpsc::RecvTimeoutError::Timeout)
            ) =>
            {
                asked_at = Some(Instant::now());
                // An error is ignored: the sandbox may have ended just now.
                let _ = host.shutdown(Shutdown::Write);
            }
            None => {}
        }
    }
    Ok(())
}

/// Sends a listening socket from a sandbox to the process outside it.
pub(super) fn send_listener(target: BorrowedFd<'_>, listener: BorrowedFd<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let listeners = [listener];
    control.push(SendAncillaryMessage::ScmRights(&listeners));
    sendmsg(target, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives the listening socket of a sandbox; `None` if the sandbox ended without one.
fn receive_listener(source: BorrowedFd<'_>) -> io::Result<Option<TcpListener>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(source, &mut [IoSliceMut::new(&mut [0])], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut received = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    Ok(received.next().map(TcpListener::from))
}

/// Connects each connection of the bot with the server. A connection beyond the maximum is closed.
fn forward_connections(listener: &TcpListener, server: &str) {
    let open = Arc::new(AtomicUsize::new(0));
    for bot in listener.incoming() {
        let Ok(bot) = bot else {
            thread::sleep(POLL_INTERVAL);
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (server, open) = (server.to_owned(), open.clone());
        thread::spawn(move || {
            // An error is ignored: the bot sees that its connection is closed.
            let _ = forward_connection(&bot, &server);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// Forwards bytes in both directions until both sides have closed the connection.
fn forward_connection(bot: &TcpStream, server: &str) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    bot.set_nodelay(true)?;
    server.set_nodelay(true)?;
    thread::scope(|scope| {
        scope.spawn(|| copy_one_way(bot, &server));
        copy_one_way(&server, bot);
    });
    Ok(())
}

/// Copies bytes until `from` sends no more, and then says so to `to`. If a connection breaks, closes both.
fn copy_one_way(mut from: &TcpStream, mut to: &TcpStream) {
    if io::copy(&mut from, &mut to).is_err() {
        // The connection is broken, so the other direction ends as well.
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    } else {
        let _ = to.shutdown(Shutdown::Write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};

    #[test]
    fn a_sandboxed_bot_reaches_only_a_single_server_without_tls() {
        for (server, address) in [("127.0.0.1:7600", "127.0.0.1:7600"), ("http://[::1]:80", "[::1]:80")] {
            assert_eq!(check_server_address(server), Ok(address));
        }
        for server in ["", "host", "https://host:443", "a:1,b:2", ":7600", "host:99999", "http://host:1/x"] {
            let refused = check_server_address(server).unwrap_err();
            assert!(
                refused.starts_with(&format!("{server}: ")) && refused.ends_with("127.0.0.1:7600"),
                "{refused}"
            );
        }
    }

    #[test]
    fn connections_to_a_passed_listener_reach_the_server() {
        let (inside, outside) = UnixStream::pair().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        send_listener(inside.as_fd(), listener.as_fd()).unwrap();
        drop(listener);
        let passed = receive_listener(outside.as_fd()).unwrap().unwrap();
        drop(inside);
        assert!(receive_listener(outside.as_fd()).unwrap().is_none(), "the sandbox has ended");

        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = server.local_addr().unwrap().to_string();
        thread::spawn(move || forward_connections(&passed, &target));
        let mut bot = TcpStream::connect(address).unwrap();
        let (mut accepted, _) = server.accept().unwrap();
        bot.write_all(b"question").unwrap();
        bot.shutdown(Shutdown::Write).unwrap();
        let mut text = String::new();
        accepted.read_to_string(&mut text).unwrap();
        accepted.write_all(b"answer").unwrap();
        drop(accepted);
        bot.read_to_string(&mut text).unwrap();
        assert_eq!(text, "questionanswer");
    }
}
