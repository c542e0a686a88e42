//! The file system of the database is full, or its files may not grow. Where nothing can be mounted the first is skipped,
//! and says so; the second needs no mount and is never skipped.

use super::database::Database;
use super::outage;
use super::server::Server;
use super::stage::Stage;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The size of the file system.
const SIZE: &str = "size=12m";

/// Returns what starts a program with a small file system of its own on a folder; none where that is not permitted.
fn small_file_system(at: &Path) -> Option<Vec<String>> {
    let mount = format!("mount -t tmpfs -o {SIZE} tmpfs '{}' && exec \"$0\" \"$@\"", at.display());
    // A namespace of mounts alone is enough for root; others need one of users as well.
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

/// Fills a file system to the last byte, and returns the file that does.
fn fill(folder: &Path) -> PathBuf {
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
async fn while_the_disk_is_full_nobody_loses_time() {
    let mut stage = Stage::new(|folder| {
        let disk = folder.path().join("disk");
        fs::create_dir(&disk).unwrap();
        Database::Sqlite(disk.join("lastnim.db"))
    });
    let disk = stage.folder.path().join("disk");
    let Some(wrapper) = small_file_system(&disk) else {
        // Past the harness, which hides what a test prints that passes.
        let skipped = "while_the_disk_is_full_nobody_loses_time is SKIPPED: no small file system can be mounted here, \
            not even with `unshare`";
        writeln!(io::stderr(), "{skipped}").unwrap();
        return;
    };
    stage.start.wrapper = wrapper;
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    // The file system as the server sees it; here the folder is empty.
    let seen = PathBuf::from(format!("/proc/{}/root", server.pid())).join(disk.strip_prefix("/").unwrap());
    assert!(seen.join("lastnim.db").exists() && !disk.join("lastnim.db").exists());
    let ballast = fill(&seen);
    outage::sit_out(&stage, &id).await;
    fs::remove_file(ballast).unwrap();
    outage::play_on(&stage, &id).await;
    // It is judged by what lies on its disk at the moment of a last kill.
    server.signal("STOP");
    for file in ["lastnim.db", "lastnim.db-wal"] {
        fs::copy(seen.join(file), disk.join(file)).unwrap();
    }
    server.kill();
    stage.start.wrapper.clear();
    let server = stage.start.start().await;
    stage.judge(server, &id, &[]).await;
}

/// Sets how large a file a process may write.
fn limit_files(server: &Server, limit: &str) {
    let (pid, limit) = (server.pid().to_string(), format!("--fsize={limit}:unlimited"));
    let set = Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    assert!(set.unwrap().success(), "prlimit --pid {pid} {limit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_files_may_not_grow_nobody_loses_time() {
    let mut stage = Stage::new(Database::sqlite);
    // The signal that comes with it would end the process.
    stage.start.wrapper = ["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""].map(str::to_owned).to_vec();
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    limit_files(&server, "65536");
    outage::sit_out(&stage, &id).await;
    limit_files(&server, "unlimited");
    outage::play_on(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
