//! A server behind a TLS proxy, and a folder for files.

use super::{certificates::Authority, proxy::Proxy};
use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{self, Child, Command, Output, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

/// The environment of a test; removed when the test ends.
pub struct Place {
    folder: PathBuf,
    server: Child,
    /// The address of the server, without TLS.
    pub address: String,
    pub authority: Authority,
    /// The proxy, with a certificate for `localhost` and `127.0.0.1`.
    pub proxy: Proxy,
}

impl Place {
    pub fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("lastnim-tls-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut command = lastnim(&["serve", "--listen", "127.0.0.1:0", "--json", "--store", "memory"]);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced: Value = serde_json::from_str(&line).unwrap();
        let address = announced["listening"].as_str().unwrap().to_owned();
        let authority = Authority::new("an authority of the tests");
        let proxy = Proxy::start(authority.server(&["localhost", "127.0.0.1"]), address.parse().unwrap());
        let place = Self { folder, server, address, authority, proxy };
        place.write("ca.pem", place.authority.pem());
        place
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    /// Returns the proxy's address under a host name.
    pub fn behind(&self, host: &str) -> String {
        format!("https://{host}:{}", self.proxy.port)
    }

    /// Runs a command as the admin through the proxy, trusting its authority.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut command = lastnim(arguments);
        command.args(["--server", &self.behind("localhost"), "--ca", &self.path("ca.pem")]);
        command.output().unwrap()
    }

    /// Runs a command in the same way and returns its output.
    pub fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.printed(arguments)).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns a command with the admin's token, but without other variables of the tests.
pub fn lastnim(arguments: &[&str]) -> Command {
    let mut command = Command::new(LASTNIM);
    for variable in [
        "LASTNIM_CA",
        "LASTNIM_CLIENT_CERT",
        "LASTNIM_CLIENT_KEY",
        "LASTNIM_TOKEN",
        "LASTNIM_SERVER",
        "LASTNIM_TOURNAMENT",
        "LASTNIM_STORE",
        "SSL_CERT_FILE",
    ] {
        command.env_remove(variable);
    }
    command.env("LASTNIM_ADMIN_TOKEN", ADMIN).args(arguments).stdin(Stdio::null());
    command
}

/// Returns the error in the output of a failed command.
pub fn failure(output: &Output, code: i32) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{message}");
    let line = message.lines().find_map(|line| line.strip_prefix("error: "));
    line.unwrap_or_else(|| panic!("{message}")).to_owned()
}
