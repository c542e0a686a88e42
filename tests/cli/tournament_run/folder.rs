//! A folder with a tournament file.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process,
};

pub const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

/// The settings above the bots, for a short tournament with long clocks, since a machine may be busy.
pub const SMALL: &str = "title = \"Small\"\nseats = 2\nseed = 3\nclock = \"1m\"\ndeclare_within = \"1m\"\n\
     [positions]\nlist = [[3, 4, 5], [2, 2]]\n";
/// The same settings for a tournament that takes a few seconds.
pub const LONG: &str = "title = \"Long\"\nseats = 2\nseed = 3\nconcurrency = 4\nclock = \"1m\"\ndeclare_within = \"1m\"\n\
     [format]\nkind = \"round-robin\"\ngroups = 400\n[positions]\ndrawn = { count = 40, piles = [3, 6], counters = [3, 9] }\n";

/// Returns the same settings for a tournament that does not end by itself during a test.
pub fn endless() -> String {
    LONG.replace("groups = 400", "groups = 100000")
}

/// Returns a house bot as it is written in a file.
pub fn house(name: &str, bot: &str) -> String {
    format!("[[bot]]\nname = \"{name}\"\nhouse = \"{bot}\"\n")
}

/// Returns a program as it is written in a file.
pub fn program(name: &str, words: &[&str]) -> String {
    format!("[[bot]]\nname = \"{name}\"\ncommand = {words:?}\n")
}

/// Returns the folder for the secrets of the runs of a test's files.
pub fn state_folder(folder: &Path) -> PathBuf {
    folder.with_extension("state")
}

/// A folder for this test, removed when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("lastnim-run-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a shell script.
    pub fn script(&self, name: &str, lines: &str) {
        let path = self.write(name, &format!("#!/bin/sh\n{lines}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        let _ = fs::remove_dir_all(state_folder(&self.0));
    }
}
