//! Processes that end with their test.

use serde_json::Value;
use std::{
    io::{Read, Write as _},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// A timeout that no process reaches unless something is wrong.
pub const LONG: Duration = Duration::from_mins(5);

/// A process that ends with the test, however the test ends.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    pub fn start(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(piped.spawn().unwrap())
    }

    /// Sends the process its input, and waits until it ends. The warning about a token on the command line is removed
    /// from its errors.
    pub fn finish(mut self, input: &[u8]) -> Output {
        let mut stdin = self.0.stdin.take().unwrap();
        let input = input.to_vec();
        thread::spawn(move || {
            // A program that does not read its input may have closed it.
            let _ = stdin.write_all(&input);
        });
        let stdout = read_to_end(self.0.stdout.take().unwrap());
        let stderr = read_to_end(self.0.stderr.take().unwrap());
        let (stdout, stderr) = (stdout.recv_timeout(LONG).unwrap(), stderr.recv_timeout(LONG).unwrap());
        Output { status: self.0.wait().unwrap(), stdout, stderr: without_token_warning(stderr) }
    }
}

/// Returns a program's complaints, except about a token on its command line, which the tests put there on purpose.
fn without_token_warning(stderr: Vec<u8>) -> Vec<u8> {
    let warning = "other users of this machine can read --token";
    let complaints = text(stderr);
    complaints.split_inclusive('\n').filter(|line| !line.contains(warning)).collect::<String>().into_bytes()
}

fn read_to_end(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

pub fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
