//! Checks that every snapshot belongs to a test.

use std::{fs, path::Path};

/// Returns the names of the files in a folder without their extensions, in order.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let path = entries.map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = path
        .filter(|path| path.extension().is_none_or(|extension| extension != "new"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_snapshot_is_named_in_its_module() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli_snapshots");
    let snapshots = here.join("snapshots");
    for module in names_in(&snapshots) {
        let source = fs::read_to_string(here.join(format!("{module}.rs"))).unwrap();
        // The module of the help pages compares its own snapshots.
        for name in names_in(&snapshots.join(&module)).into_iter().filter(|_| module != "help") {
            assert!(
                source.contains(&format!("\"{name}\"")),
                "snapshots/{module}/{name}.snap: no test has it"
            );
        }
    }
}
