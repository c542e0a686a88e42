//! A disk that is full.

use crate::place::{Place, TemporaryFolder};
use crate::played::{bots, match_id, play, written};
use crate::store_checks::assert_kept;
use lastnim::store::StoreError;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where the small disk is, for the test that runs on it.
const DISK: &str = "LASTNIM_SMALL_DISK";

/// Runs a command with a disk of 2 MiB at a folder, which nobody else sees.
fn with_small_disk(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount -t tmpfs -o size=2m none \"${DISK}\" && {script}")).env(DISK, folder);
    command
}

#[test]
fn a_full_disk_is_waited_out() {
    let folder = TemporaryFolder::new();
    if !with_small_disk(folder.path(), "true").output().is_ok_and(|done| done.status.success()) {
        // Containers often forbid it, and nothing that could be installed would help.
        eprintln!("skipped: this system lets nobody mount a small disk of their own");
        return;
    }
    let done = with_small_disk(
        folder.path(),
        "exec \"$0\" --exact disk_full::on_a_small_disk --ignored --nocapture",
    )
    .arg(env::current_exe().unwrap())
    .output()
    .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let complained = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}{complained}");
}

#[test]
#[ignore = "it needs a small disk, and is run on one by the test above"]
fn on_a_small_disk() {
    let disk = env::var_os(DISK).expect("the test above says where the disk is");
    let disk = Path::new(&disk);
    let place = Place::new(&format!("sqlite:{}", disk.join("store.db").display()));
    let store = place.open();
    let ballast = disk.join("ballast");
    let mut kept = Vec::new();
    let (mut number, mut refusals) = (0, 0);
    while refusals < 3 {
        number += 1;
        let record = play(match_id(number), bots(0..3), None, number, 40);
        let changes = written(&record);
        if number == 20 {
            // All but the last of what is left is taken by others.
            let mut size = 2 << 20;
            while size > 4_096 {
                let more = [fs::read(&ballast).unwrap_or_default(), vec![1; size]].concat();
                if fs::write(&ballast, &more).is_err() {
                    fs::write(&ballast, &more[..more.len() - size]).unwrap();
                    size /= 2;
                }
            }
        }
        match place.run(store.write(&changes)) {
            Ok(()) => kept.push(record),
            Err(StoreError::Unavailable(_)) => {
                refusals += 1;
                // What was acknowledged is there, and nothing else.
                assert_kept(&place, &store, &kept);
                assert_eq!(place.run(store.record(record.id())), Ok(None));
            }
            Err(other) => panic!("{other}"),
        }
        assert!(number < 5_000, "the disk is never full");
    }
    assert!(kept.len() >= 19);
    fs::remove_file(&ballast).unwrap();
    let record = play(match_id(number + 1), bots(0..3), None, number, 40);
    place.write(&store, &written(&record));
    kept.push(record);
    assert_kept(&place, &store, &kept);
    drop(store);
    assert_kept(&place, &place.open(), &kept);
}
