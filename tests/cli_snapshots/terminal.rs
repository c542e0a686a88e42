//! A terminal whose commands and output become a snapshot.

use crate::{
    json_layout::broken_json,
    stable_text::{SeenIds, without_version},
};
use insta::{Settings, assert_snapshot};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, ExitStatus, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

pub const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

/// A folder that is removed with the test.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("snapshots-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Anything that cannot be removed now is deleted with the build folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The dependencies of a terminal's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depends {
    /// Only the commands.
    OnCommands,
    /// Also a server, with random ids and times.
    OnServer,
}

/// A shell in its own folder, with `lastnim` in the path.
#[derive(Debug)]
pub struct Terminal {
    folder: Folder,
    depends: Depends,
    variables: Vec<(String, String)>,
    shown: Vec<(String, Output)>,
}

impl Terminal {
    /// Opens a terminal for commands that need no server.
    pub fn offline() -> Self {
        Self { folder: Folder::new(), depends: Depends::OnCommands, variables: Vec::new(), shown: Vec::new() }
    }

    /// Opens a terminal for commands that start their own server.
    pub fn live() -> Self {
        Self { depends: Depends::OnServer, ..Self::offline() }
    }

    /// Opens a terminal for commands that call a server.
    pub fn online(server: &str, admin: &str) -> Self {
        let mut terminal = Self::live();
        terminal.set("LASTNIM_SERVER", server);
        terminal.set("LASTNIM_ADMIN_TOKEN", admin);
        terminal
    }

    /// Sets a variable of the shell.
    pub fn set(&mut self, name: &str, value: &str) {
        self.unset(name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Removes a variable of the shell.
    pub fn unset(&mut self, name: &str) {
        self.variables.retain(|(known, _)| known != name);
    }

    /// Writes a file into the folder.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Copies a file of `tests/data` into the folder.
    pub fn copy(&self, file: &str) {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
        self.write(file, &fs::read_to_string(data).unwrap());
    }

    /// Makes a command with the environment of the terminal, not that of the user who runs the tests.
    pub fn command(&self, program: &str) -> Command {
        let own = Path::new(LASTNIM).parent().unwrap().to_owned();
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([own].into_iter().chain(env::split_paths(&path))).unwrap();
        let mut command = Command::new(program);
        command.env_clear().env("PATH", path).env("HOME", self.folder.path()).current_dir(self.folder.path());
        for (name, value) in [("NO_COLOR", "1"), ("COLUMNS", "100"), ("LC_ALL", "C"), ("RUST_LOG", "off")] {
            command.env(name, value);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    fn output(&self, line: &str) -> Output {
        self.command("sh").args(["-c", line]).output().unwrap()
    }

    /// Runs a line, and shows it with its output.
    pub fn run(&mut self, line: &str) -> &mut Self {
        let output = self.output(line);
        self.shown.push((line.to_owned(), output));
        self
    }

    /// Shows a line with its output from elsewhere.
    pub fn show(&mut self, line: &str, printed: &str) -> &mut Self {
        let output = Output { status: ExitStatus::default(), stdout: printed.into(), stderr: Vec::new() };
        self.shown.push((line.to_owned(), output));
        self
    }

    /// Runs lines in order, and shows each with its output.
    pub fn run_all(&mut self, lines: &[&str]) -> &mut Self {
        lines.iter().fold(self, |terminal, line| terminal.run(line))
    }

    /// Runs a line that must succeed, and returns its output instead of showing it.
    pub fn quietly(&self, line: &str) -> String {
        let output = self.output(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Asserts that everything shown equals the snapshot of this name in the folder of a module.
    pub fn assert_shown(&self, folder: &str, name: &str) {
        let mut ids = SeenIds::default();
        let parts = self.shown.iter().map(|(line, output)| self.part(line, output, &mut ids));
        let shown = parts.collect::<Vec<_>>().join("\n");
        let mut settings = Settings::new();
        settings.set_snapshot_path(format!("snapshots/{folder}"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| assert_snapshot!(name, shown));
    }

    fn part(&self, line: &str, output: &Output, ids: &mut SeenIds) -> String {
        let mut stable = |bytes: &[u8]| {
            let text = str::from_utf8(bytes).unwrap_or_else(|error| panic!("{line}: {error}"));
            let text = without_version(&text.replace(self.folder.path().to_str().unwrap(), "FOLDER"));
            if self.depends == Depends::OnServer { ids.stable(&text) } else { text }
        };
        let mut lines = vec![format!("$ {line}")];
        lines.extend(stable(&output.stdout).lines().map(broken_json));
        lines.extend(stable(&output.stderr).lines().map(|line| format!("! {line}")));
        if !output.status.success() {
            lines.push(format!("({})", output.status));
        }
        lines.join("\n") + "\n"
    }
}

/// Asserts that the output of lines without a server equals the snapshot.
pub fn assert_all_shown(folder: &str, name: &str, lines: &[&str]) {
    Terminal::offline().run_all(lines).assert_shown(folder, name);
}
