//! `lastnim tournament manifest`, and `lastnim record verify` on its output.

use crate::server::PLAYED;

#[test]
fn a_manifest_is_verified_with_its_records() {
    let lines = [
        "lastnim tournament manifest $CUP",
        "lastnim tournament manifest $CUP --output cup.manifest",
        "lastnim tournament manifest $CUP --output cup.manifest --json",
        "lastnim record export --tournament $CUP --dir records",
        "lastnim record verify cup.manifest",
        "lastnim record verify cup.manifest --records records",
        "lastnim record verify cup.manifest --records records --key $(lastnim record key) --json",
        "lastnim tournament manifest $OPEN > open.manifest",
        "lastnim record verify open.manifest --records records",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("manifest", "whole");
}

#[test]
fn manifests_of_every_format_follow_from_the_records() {
    let mut terminal = PLAYED.terminal();
    for id in ["CUP", "THREE", "SWISS", "KNOCKOUT", "GAUNTLET", "LADDER", "SPRT"] {
        terminal.quietly(&format!("lastnim tournament manifest ${id} > {id}.manifest"));
        terminal.quietly(&format!("lastnim record export --tournament ${id} --dir {id}"));
        terminal
            .run(&format!("lastnim record verify {id}.manifest --records {id} --key $(lastnim record key)"));
    }
    terminal.assert_shown("manifest", "formats");
}

#[test]
fn faults_of_manifests_are_named() {
    let lines = [
        "lastnim tournament manifest $CUP > cup.manifest",
        "lastnim record export --tournament $CUP --dir records",
        "mv records/$DECLARED.json aside.json",
        "lastnim record verify cup.manifest --records records",
        "sed 's/\"take\":\"2\"/\"take\":\"1\"/' aside.json > records/changed.json",
        "lastnim record verify cup.manifest --records records",
        "rm records/changed.json",
        "grep -v $DECLARED cup.manifest > shorter.manifest",
        "lastnim record verify shorter.manifest --records records",
        "lastnim record verify shorter.manifest --records records aside.json",
        "sed 's/\"points\":[0-9.]*/\"points\":9.0/' cup.manifest > other.manifest",
        "lastnim record verify other.manifest --records records aside.json",
        "head -n 3 cup.manifest | lastnim record verify -",
        "sed 's/\"seats\":2/\"seats\":2,\"mood\":1/' cup.manifest | lastnim record verify -",
        "lastnim record verify aside.json --records records",
        "lastnim tournament manifest 01890a5d-ac96-774b-bcce-b302099a8057",
        "lastnim tournament manifest $CUP --output no-such-folder/cup.manifest",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("manifest", "flaws");
}
