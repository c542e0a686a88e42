//! A full file system, and a limit on file sizes. The first test is skipped, with a message, if nothing can be mounted;
//! the second one always runs.

use super::database::Database;
use super::outage;
use super::server::Server;
use super::stage::Stage;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The mount option for the size of the file system.
const SIZE: &str = "size=12m";

/// Returns a wrapper command that runs a program with a small file system on a folder; `None` if that is not permitted.
fn small_file_system(at: &Path) -> Option<Vec<String>> {
    let mount = format!("mount -t tmpfs -o {SIZE} tmpfs '{}' && exec \"$0\" \"$@\"", at.display());
    // A mount namespace is enough for root; other users also need a user namespace.
    for flags in ["-Urm", "-m"] {
        let wrapper = ["unshare", flags, "sh", "-c", &mount].map(str::to_owned);
        let mut trial = Command::new(&wrapper[0]);
        let trial =
            trial.args(&wrapper[1..]).arg("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if trial.is_ok_and(|status| status.success()) {
            return Some(wrapper.to_vec());
        }
    }
    None
}

/// Fills a file system completely, and returns the file used for it.
fn fill_disk(folder: &Path) -> PathBuf {
    let path = folder.join("ballast");
    let mut file = File::create(&path).unwrap();
    for chunk in [1 << 16, 1 << 12, 1] {
        let zeros = vec![0; chunk];
        loop {
            match file.write_all(&zeros) {
                Ok(()) => {}
                Err(full) if full.kind() == io::ErrorKind::StorageFull => break,
                Err(other) => panic!("{}: {other}", path.display()),
            }
        }
    }
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_clock_runs_while_the_disk_is_full() {
    let mut stage = Stage::new(|folder| {
        let disk = folder.path().join("disk");
        fs::create_dir(&disk).unwrap();
        Database::Sqlite(disk.join("lastnim.db"))
    });
    let disk = stage.folder.path().join("disk");
    let Some(wrapper) = small_file_system(&disk) else {
        // The message is written directly, since the test harness hides the output of passing tests.
        let skipped = "no_clock_runs_while_the_disk_is_full is SKIPPED: no small file system can be mounted here, \
            not even with `unshare`";
        writeln!(io::stderr(), "{skipped}").unwrap();
        return;
    };
    stage.start.wrapper = wrapper;
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    // The file system as the server sees it; in this process the folder is empty.
    let seen = PathBuf::from(format!("/proc/{}/root", server.pid())).join(disk.strip_prefix("/").unwrap());
    assert!(seen.join("lastnim.db").exists() && !disk.join("lastnim.db").exists());
    let ballast = fill_disk(&seen);
    outage::check_outage(&stage, &id).await;
    fs::remove_file(ballast).unwrap();
    outage::wait_for_recovery(&stage, &id).await;
    // The verdict depends on the contents of its disk at the final kill.
    server.signal("STOP");
    for file in ["lastnim.db", "lastnim.db-wal"] {
        fs::copy(seen.join(file), disk.join(file)).unwrap();
    }
    server.kill();
    stage.start.wrapper.clear();
    let server = stage.start.start().await;
    stage.judge(server, &id, &[]).await;
}

/// Sets the file size limit of a server.
fn limit_files(server: &Server, limit: &str) {
    let (pid, limit) = (server.pid().to_string(), format!("--fsize={limit}:unlimited"));
    let set = Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    assert!(set.unwrap().success(), "prlimit --pid {pid} {limit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_clock_runs_while_files_cannot_grow() {
    let mut stage = Stage::new(Database::sqlite);
    // The signal at the limit is ignored, since it would end the process.
    stage.start.wrapper = ["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""].map(str::to_owned).to_vec();
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    limit_files(&server, "65536");
    outage::check_outage(&stage, &id).await;
    limit_files(&server, "unlimited");
    outage::wait_for_recovery(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
