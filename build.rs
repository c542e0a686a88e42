//! Sets `LASTNIM_VERSION`, what `lastnim --version` prints: with the commit in a release build of a checkout.
//!
//! A debug build leaves the commit out, so that a commit compiles nothing again.

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

/// Returns the commit that is checked out; `None` where this package is not the top of a repository, such as a packaged one.
fn find_commit() -> Option<String> {
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    // HEAD changes with a checkout, and the branch that it names with a commit.
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

/// Returns what a command of git prints; `None` if it fails or there is no git.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
