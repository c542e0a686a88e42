//! `lastnim record verify`.

use crate::{audit::with_record, stable_text::PUBLIC_KEY};

#[test]
fn whole_records_verify() {
    let mut terminal = with_record();
    terminal.set("KEY", PUBLIC_KEY);
    let lines = [
        "lastnim record verify record.json record.pretty.json",
        "lastnim record verify --key $KEY record.json",
        "lastnim record verify --key $KEY record.json --json",
        "cat record.json record.json | lastnim record verify -",
        "tr , '\\n' < record.json | lastnim record verify --any-layout -",
    ];
    terminal.run_all(&lines).assert_shown("verify", "whole");
}

#[test]
fn faults_of_records_are_named() {
    let lines = [
        "lastnim record verify --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= record.json",
        "lastnim record verify --key AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= record.json",
        "sed 's/\"take\":\"2\"/\"take\":\"1\"/' record.json | lastnim record verify -",
        "sed 's/\"take\":\"2\"/\"take\":\"9\"/' record.json | lastnim record verify - --json",
        "sed 's/,\"signature\":\"[^\"]*\"//' record.json | lastnim record verify -",
        "sed 's/\"signature\":\"../\"signature\":\"AA/' record.json | lastnim record verify -",
        "sed 's/\"carol\"/\"carla\"/' record.json | lastnim record verify -",
        "tr , '\\n' < record.json | lastnim record verify -",
        "head -c 500 record.json | lastnim record verify -",
        "head -n 20 record.pretty.json | lastnim record verify -",
        "lastnim record verify record.txt",
        "(cat record.json; echo nonsense) | lastnim record verify - --json",
        "lastnim record verify /dev/null",
        "lastnim record verify no-such-file record.json",
        "lastnim record verify --key record.json record.json",
        "lastnim record verify --key x record.json",
        "lastnim record verify",
    ];
    with_record().run_all(&lines).assert_shown("verify", "errors");
}
