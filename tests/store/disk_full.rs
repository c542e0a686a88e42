//! A disk that is full: a small one, where one can be mounted, and files that may not grow, everywhere.

use crate::place::{Place, TemporaryFolder};
use crate::played::{bots, match_id, play, written};
use crate::records::assert_kept;
use lastnim_store::StoreError;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};

/// Where the store is, for the tests that run in a process of their own.
const FOLDER: &str = "LASTNIM_SMALL_DISK";

/// Runs a command with a disk of 2 MiB at a folder, which nobody else sees.
fn with_small_disk(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount -t tmpfs -o size=2m none \"${FOLDER}\" && {script}")).env(FOLDER, folder);
    command
}

/// Lets a shell become this program, to run one test that is ignored otherwise.
fn run_test(mut shell: Command, test: &str) {
    shell.arg(env::current_exe().unwrap()).args(["--exact", test, "--ignored", "--nocapture"]);
    let Output { status, stdout, stderr } = shell.output().unwrap();
    let [said, complained] = [&stdout, &stderr].map(|output| String::from_utf8_lossy(output));
    assert!(status.success() && said.contains("1 passed"), "{said}{complained}");
}

#[test]
fn a_full_disk_is_waited_out() {
    let folder = TemporaryFolder::new();
    if !with_small_disk(folder.path(), "true").output().is_ok_and(|done| done.status.success()) {
        // Containers often forbid it, and nothing that could be installed would help.
        eprintln!(
            "skipped: nobody can mount a small disk here (files_that_may_not_grow_are_waited_out runs all the same)"
        );
        return;
    }
    run_test(with_small_disk(folder.path(), "exec \"$0\" \"$@\""), "disk_full::on_a_small_disk");
}

#[test]
fn files_that_may_not_grow_are_waited_out() {
    let folder = TemporaryFolder::new();
    let mut shell = Command::new("sh");
    // The signal that comes with the limit would end the process.
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).env(FOLDER, folder.path());
    run_test(shell, "disk_full::where_files_may_not_grow");
}

fn folder() -> PathBuf {
    env::var_os(FOLDER).expect("another test says where the store is").into()
}

#[test]
#[ignore = "it needs a small disk, and is run on one by a_full_disk_is_waited_out"]
fn on_a_small_disk() {
    let folder = folder();
    let ballast = folder.join("ballast");
    // All but the last of what is left is taken by others.
    let fill = || {
        let mut size = 2 << 20;
        while size > 4_096 {
            let more = [fs::read(&ballast).unwrap_or_default(), vec![1; size]].concat();
            if fs::write(&ballast, &more).is_err() {
                fs::write(&ballast, &more[..more.len() - size]).unwrap();
                size /= 2;
            }
        }
    };
    sit_out(&folder, fill, || fs::remove_file(&ballast).unwrap());
}

#[test]
#[ignore = "it limits its whole process, and is run in one of its own by files_that_may_not_grow_are_waited_out"]
fn where_files_may_not_grow() {
    let folder = folder();
    let fill = || {
        let sizes = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        let largest = sizes.max().expect("there is a database");
        limit_files(&(largest + 50_000).to_string());
    };
    sit_out(&folder, fill, || limit_files("unlimited"));
}

/// Sets how large a file this process may write.
fn limit_files(limit: &str) {
    let (pid, limit) = (process::id().to_string(), format!("--fsize={limit}:unlimited"));
    let set = Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    let is_set = set.as_ref().is_ok_and(process::ExitStatus::success);
    assert!(is_set, "prlimit --pid {pid} {limit} (Debian: apt-get install util-linux): {set:?}");
}

/// Writes matches to a store before and after nothing more can be written there, and checks that what was acknowledged is kept,
/// and nothing else.
fn sit_out(folder: &Path, fill: impl Fn(), free: impl Fn()) {
    let place = Place::new(&format!("sqlite:{}", folder.join("store.db").display()));
    let store = place.open();
    let mut kept = Vec::new();
    let (mut number, mut refusals) = (0, 0);
    while refusals < 3 {
        number += 1;
        let record = play(match_id(number), bots(0..3), None, number, 40);
        if number == 20 {
            fill();
        }
        match place.run(store.write(&written(&record))) {
            Ok(()) => kept.push(record),
            Err(StoreError::Unavailable(_)) => {
                refusals += 1;
                assert_kept(&place, &store, &kept);
                assert_eq!(place.run(store.match_record(record.id())), Ok(None));
            }
            Err(other) => panic!("{other}"),
        }
        assert!(number < 5_000, "the disk is never full");
    }
    assert!(kept.len() >= 19);
    free();
    let record = play(match_id(number + 1), bots(0..3), None, number, 40);
    place.write(&store, &written(&record));
    kept.push(record);
    assert_kept(&place, &store, &kept);
    drop(store);
    assert_kept(&place, &place.open(), &kept);
}
