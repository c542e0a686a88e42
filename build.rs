//! Sets `LASTNIM_VERSION`, which `lastnim --version` prints. Release builds of a checkout include the commit.
//!
//! Debug builds leave it out, so that a new commit recompiles nothing.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let is_release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    match is_release.then(find_commit).flatten() {
        Some(commit) => println!("cargo::rustc-env=LASTNIM_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=LASTNIM_VERSION={version}"),
    }
}

/// Returns the current commit; `None` unless this package is the top of a repository.
fn find_commit() -> Option<String> {
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    // HEAD changes on checkout, and its branch on commit.
    for name in
        ["HEAD".into(), git(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default(), "packed-refs".into()]
    {
        let file = git(&["rev-parse", "--git-path", &name])?;
        if !name.is_empty() && Path::new(&file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// Returns the output of a git command; `None` if it fails or git is missing.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
