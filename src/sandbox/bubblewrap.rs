//! The command line of bubblewrap.

use super::{SandboxLimits, guard::SCRATCH_FOLDERS};
use crate::OwnCommand;
use serde_json::Value;
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
    process::{Command, Stdio},
};

/// The system folders that a sandboxed bot can read.
const SYSTEM_FOLDERS: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// The files outside these folders that programs need to start.
const SYSTEM_FILES: [&str; 3] = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"];
/// The folder of the bot inside the sandbox.
const BOT_FOLDER: &str = "/bot";
/// This program inside the sandbox.
const OWN_PROGRAM: &str = "/lastnim";
/// The options that do not depend on the bot. With `--as-pid-1` the bot can kill neither its supervisor nor the sandbox
/// itself, and the end of the supervisor ends all processes of the sandbox.
const ISOLATION_OPTIONS: [&str; 14] = [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--hostname",
    "sandbox",
    "--new-session",
    "--die-with-parent",
    "--as-pid-1",
];

/// The sandbox of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The folder that the bot sees as its working folder; `None` for an empty one.
    pub folder: Option<PathBuf>,
    /// More files and folders that the bot can read.
    pub read_only: Vec<PathBuf>,
    /// What the bot may use.
    pub limits: SandboxLimits,
}

impl Sandbox {
    /// Returns the command that starts a program in the sandbox, under a supervisor.
    pub fn command_line(&self, own: &OwnCommand, words: &[OsString]) -> Vec<OsString> {
        let limits = Value::from(self.limits.to_json()).to_string();
        let supervisor = ["tournament", "supervise", "--limits", &limits, "--"].map(OsString::from);
        let mut line = self.bubblewrap_command(own);
        line.extend(supervisor);
        line.extend_from_slice(words);
        line
    }

    /// Returns the bubblewrap command that starts this program in the sandbox, to which its arguments are added.
    fn bubblewrap_command(&self, own: &OwnCommand) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec!["bwrap".into()];
        line.extend(ISOLATION_OPTIONS.map(OsString::from));
        let mut add = |words: &[&OsStr]| line.extend(words.iter().map(|&word| word.to_owned()));
        for folder in SYSTEM_FOLDERS.map(OsStr::new) {
            // On most systems these are links to folders in /usr.
            match fs::read_link(folder) {
                Ok(target) => add(&["--symlink".as_ref(), target.as_os_str(), folder]),
                Err(_) => add(&["--ro-bind-try".as_ref(), folder, folder]),
            }
        }
        for file in SYSTEM_FILES.map(OsStr::new) {
            add(&["--ro-bind-try".as_ref(), file, file]);
        }
        add(&["--proc", "/proc", "--dev", "/dev"].map(OsStr::new));
        // The guard ends the bot at the limit. The file system refuses more than twice as much.
        let size = self.limits.scratch_bytes.saturating_mul(2).to_string();
        for scratch in SCRATCH_FOLDERS {
            add(&["--size", &size, "--tmpfs", scratch].map(OsStr::new));
        }
        for path in &self.read_only {
            add(&["--ro-bind".as_ref(), path.as_os_str(), path.as_os_str()]);
        }
        match &self.folder {
            Some(folder) => add(&["--ro-bind".as_ref(), folder.as_os_str(), BOT_FOLDER.as_ref()]),
            None => add(&["--dir", BOT_FOLDER].map(OsStr::new)),
        }
        let program = own.words.first().map(OsString::as_os_str).unwrap_or_default();
        add(&["--ro-bind".as_ref(), program, OWN_PROGRAM.as_ref()]);
        add(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", BOT_FOLDER, "--", OWN_PROGRAM]
            .map(OsStr::new));
        line
    }

    /// Finds a program, and returns its path in the sandbox. A relative path with a `/` starts from the bot's folder,
    /// an absolute path must be in a folder that the sandbox has, `lastnim` is this program, and any other word is
    /// looked up in those folders of PATH that the sandbox has.
    ///
    /// # Errors
    /// Says why the sandbox has no such program.
    pub fn find_program(&self, word: &str) -> Result<OsString, String> {
        if word == "lastnim" {
            return Ok(OWN_PROGRAM.into());
        }
        let is_visible = |path: &Path| {
            let system = SYSTEM_FOLDERS.iter().map(Path::new);
            system.chain(self.read_only.iter().map(PathBuf::as_path)).any(|folder| path.starts_with(folder))
        };
        let hint = "add its folder to `read_only` in [sandbox]";
        let path = Path::new(word);
        if path.is_absolute() {
            let hidden_file = || format!("a sandboxed bot does not see this file: {hint}");
            return is_visible(path).then(|| word.into()).ok_or_else(hidden_file);
        }
        if word.contains('/') {
            let Some(folder) = &self.folder else {
                return Err("a sandboxed bot with its own program needs `folder`".to_owned());
            };
            if path.components().any(|part| part == Component::ParentDir) || !folder.join(path).is_file() {
                return Err(format!("there is no such file in {}", folder.display()));
            }
            return Ok(Path::new(BOT_FOLDER).join(path).into());
        }
        let found: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .map(|place| place.join(word))
            .filter(|place| !word.is_empty() && place.is_file())
            .collect();
        match (found.iter().find(|place| is_visible(place)), found.first()) {
            (Some(visible), _) => Ok(visible.into()),
            (None, Some(hidden)) => {
                Err(format!("it is {}, and a sandboxed bot does not see this file: {hint}", hidden.display()))
            }
            (None, None) => Err("there is no such program in PATH".to_owned()),
        }
    }

    /// Starts this program in the sandbox once.
    ///
    /// # Errors
    /// Says why there can be no sandbox, and what to do.
    pub fn check(&self, own: &OwnCommand) -> Result<(), String> {
        if own.words.len() != 1 {
            return Err("this lastnim is part of a Python package: run the tournament with the program `lastnim` (cargo install)".to_owned());
        }
        let line = self.bubblewrap_command(own);
        let (program, arguments) = line.split_first().ok_or("the command is empty")?;
        let trial = Command::new(program).args(arguments).arg("--version").stdin(Stdio::null()).output();
        let trial = trial.map_err(|error| {
            format!("bubblewrap cannot be started ({error}): install it (Debian: apt-get install bubblewrap)")
        })?;
        if trial.status.success() {
            return Ok(());
        }
        let printed = String::from_utf8_lossy(&trial.stderr);
        let why = printed.lines().last().unwrap_or("it printed nothing");
        Err(format!(
            "bubblewrap cannot make the sandbox ({why}): allow user namespaces on this machine, and check `folder` and `read_only`"
        ))
    }
}
