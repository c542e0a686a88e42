//! A full disk, if a small one can be mounted, and a limit on file sizes, everywhere.

use crate::played::{bots, match_changes, match_id, play_match};
use crate::records::assert_kept;
use crate::test_database::{TemporaryFolder, TestDatabase};
use lastnim_store::StoreError;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};

/// The environment variable with the store's folder, for tests in a separate process.
const FOLDER: &str = "LASTNIM_SMALL_DISK";

/// Returns the command that runs a script with a private disk of 2 MiB at a folder.
fn with_small_disk(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount -t tmpfs -o size=2m none \"${FOLDER}\" && {script}")).env(FOLDER, folder);
    command
}

/// Replaces a shell with this program, running one test that is otherwise ignored.
fn run_test(mut shell: Command, test: &str) {
    shell.arg(env::current_exe().unwrap()).args(["--exact", test, "--ignored", "--nocapture"]);
    let Output { status, stdout, stderr } = shell.output().unwrap();
    let [said, complained] = [&stdout, &stderr].map(|output| String::from_utf8_lossy(output));
    assert!(status.success() && said.contains("1 passed"), "{said}{complained}");
}

#[test]
fn the_store_waits_while_the_disk_is_full() {
    let folder = TemporaryFolder::new();
    if !with_small_disk(folder.path(), "true").output().is_ok_and(|done| done.status.success()) {
        // Containers often forbid mounting, and no package would help.
        eprintln!(
            "skipped: no small disk can be mounted here (the_store_waits_while_files_cannot_grow runs anyway)"
        );
        return;
    }
    run_test(with_small_disk(folder.path(), "exec \"$0\" \"$@\""), "disk_full::on_a_small_disk");
}

#[test]
fn the_store_waits_while_files_cannot_grow() {
    let folder = TemporaryFolder::new();
    let mut shell = Command::new("sh");
    // The signal at the limit is ignored, since it would end the process.
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).env(FOLDER, folder.path());
    run_test(shell, "disk_full::where_files_cannot_grow");
}

fn folder() -> PathBuf {
    env::var_os(FOLDER).expect("set by the parent test").into()
}

#[test]
#[ignore = "needs a small disk: the_store_waits_while_the_disk_is_full runs it"]
fn on_a_small_disk() {
    let folder = folder();
    let ballast = folder.join("ballast");
    // Another file uses all but the last bytes.
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
    check_full_disk(&folder, fill, || fs::remove_file(&ballast).unwrap());
}

#[test]
#[ignore = "limits its whole process: the_store_waits_while_files_cannot_grow runs it"]
fn where_files_cannot_grow() {
    let folder = folder();
    let fill = || {
        let sizes = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        let largest = sizes.max().expect("there is a database");
        limit_files(&(largest + 50_000).to_string());
    };
    check_full_disk(&folder, fill, || limit_files("unlimited"));
}

/// Sets the file size limit of this process.
fn limit_files(limit: &str) {
    let (pid, limit) = (process::id().to_string(), format!("--fsize={limit}:unlimited"));
    let set = Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    let is_set = set.as_ref().is_ok_and(process::ExitStatus::success);
    assert!(is_set, "prlimit --pid {pid} {limit} (Debian: apt-get install util-linux): {set:?}");
}

/// Writes matches before and after the disk is full, and checks that exactly the acknowledged ones are stored.
fn check_full_disk(folder: &Path, fill: impl Fn(), free: impl Fn()) {
    let database = TestDatabase::new(&format!("sqlite:{}", folder.join("store.db").display()));
    let store = database.open();
    let mut kept = Vec::new();
    let (mut number, mut refusals) = (0, 0);
    while refusals < 3 {
        number += 1;
        let record = play_match(match_id(number), bots(0..3), None, number, 40);
        if number == 20 {
            fill();
        }
        match database.run(store.write(&match_changes(&record))) {
            Ok(()) => kept.push(record),
            Err(StoreError::Unavailable(_)) => {
                refusals += 1;
                assert_kept(&database, &store, &kept);
                assert_eq!(database.run(store.match_record(record.id())), Ok(None));
            }
            Err(other) => panic!("{other}"),
        }
        assert!(number < 5_000, "the disk is never full");
    }
    assert!(kept.len() >= 19);
    free();
    let record = play_match(match_id(number + 1), bots(0..3), None, number, 40);
    database.write(&store, &match_changes(&record));
    kept.push(record);
    assert_kept(&database, &store, &kept);
    drop(store);
    assert_kept(&database, &database.open(), &kept);
}
