//! The static site of a finished run.

use super::{
    folder::{Folder, LONG, SMALL, house},
    running::{Running, lastnim, run, run_command},
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn export(file: &Path, dir: &Path, more: &[&str]) -> Command {
    let mut command = lastnim(&["tournament", "export-site", "--json"]);
    command.arg(file).arg(dir).args(more);
    command
}

fn refusal(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    error["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_finished_run_is_exported_and_verifies_without_a_server() {
    let folder = Folder::new("site");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    run(&file, &[]).result();
    let dir = folder.path("site");
    let output = export(&file, &dir, &[]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&counts["matches"], &counts["without_record"]), (&4.into(), &0.into()), "{counts}");
    let (mut files, mut bytes) = (0, 0);
    let mut folders = vec![dir.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                (files, bytes) = (files + 1, bytes + fs::metadata(&path).unwrap().len());
            }
        }
    }
    assert_eq!((&counts["files"], &counts["bytes"]), (&files.into(), &bytes.into()), "{counts}");
    let verified = lastnim(&["record", "verify"]).arg(&dir).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let record = fs::read_dir(dir.join("records")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replacen("\"piles\"", "\"pile\"", 1)).unwrap();
    let damaged = lastnim(&["record", "verify"]).arg(&dir).output().unwrap();
    assert_eq!(damaged.status.code(), Some(1), "{damaged:?}");

    let shown = dir.display();
    let error_text = refusal(&export(&file, &dir, &[]).output().unwrap(), 2);
    assert_eq!(error_text, format!("{shown}: this folder already has a site: --force replaces it"));
    let replaced = export(&file, &dir, &["--force"]).output().unwrap();
    assert!(replaced.status.success(), "{replaced:?}");
    assert_eq!(fs::read_to_string(&record).unwrap(), text);
    // Nothing temporary is left beside the folder.
    let beside: Vec<_> = fs::read_dir(folder.as_path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(beside.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{beside:?}");
}

#[test]
fn a_folder_with_other_files_is_never_replaced() {
    let folder = Folder::new("site-other");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    run(&file, &[]).result();
    let dir = folder.path("thesis");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("chapter.txt"), "words").unwrap();
    let shown = dir.display();
    for more in [&[][..], &["--force"]] {
        let error_text = refusal(&export(&file, &dir, more).output().unwrap(), 2);
        let why = "this folder has files that no export wrote: name a folder that is empty or missing";
        assert_eq!(error_text, format!("{shown}: {why}"));
    }
    assert_eq!(fs::read_to_string(dir.join("chapter.txt")).unwrap(), "words");
    fs::remove_file(dir.join("chapter.txt")).unwrap();
    let exported = export(&file, &dir, &["--matches", "none"]).output().unwrap();
    assert!(exported.status.success() && !dir.join("records").exists(), "{exported:?}");
}

#[test]
fn a_running_tournament_has_no_site() {
    let folder = Folder::new("site-running");
    let bots = house("first", "oracle") + &house("second", "greedy");
    let file = folder.write("cup.toml", &(LONG.to_owned() + &bots));
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("Long begins");
    let dir = folder.path("site");
    let error_text = refusal(&export(&file, &dir, &[]).output().unwrap(), 2);
    assert!(
        error_text.contains(" is running: a site shows final results, so wait for the end: "),
        "{error_text}"
    );
    assert!(!dir.exists());
    running.signal("KILL");
    running.finish();
}
