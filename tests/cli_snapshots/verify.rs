//! `lastnim verify`.

use crate::{audit::with_record, stable_text::PUBLIC_KEY};

#[test]
fn whole_records_verify() {
    let mut terminal = with_record();
    terminal.set("KEY", PUBLIC_KEY);
    let lines = [
        "lastnim verify record.json record.pretty.json",
        "lastnim verify --key $KEY record.json",
        "lastnim verify --key $KEY record.json --json",
        "cat record.json record.json | lastnim verify -",
        "tr , '\\n' < record.json | lastnim verify --any-layout -",
    ];
    terminal.run_all(&lines).is_snapshot("verify", "whole");
}

#[test]
fn what_is_wrong_with_a_record_is_named() {
    let lines = [
        "lastnim verify --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= record.json",
        "lastnim verify --key AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= record.json",
        "sed 's/\"take\":\"2\"/\"take\":\"1\"/' record.json | lastnim verify -",
        "sed 's/\"take\":\"2\"/\"take\":\"9\"/' record.json | lastnim verify - --json",
        "sed 's/,\"signature\":\"[^\"]*\"//' record.json | lastnim verify -",
        "sed 's/\"signature\":\"../\"signature\":\"AA/' record.json | lastnim verify -",
        "sed 's/\"carol\"/\"carla\"/' record.json | lastnim verify -",
        "tr , '\\n' < record.json | lastnim verify -",
        "head -c 500 record.json | lastnim verify -",
        "head -n 20 record.pretty.json | lastnim verify -",
        "lastnim verify record.txt",
        "(cat record.json; echo nonsense) | lastnim verify - --json",
        "lastnim verify /dev/null",
        "lastnim verify no-such-file record.json",
        "lastnim verify --key record.json record.json",
        "lastnim verify --key x record.json",
        "lastnim verify",
    ];
    with_record().run_all(&lines).is_snapshot("verify", "errors");
}
