//! `lastnim audit bot` and `lastnim audit field`, over made-up records that are the same in every run.

#[path = "../../benches/audit/records.rs"]
mod records;

use crate::{server::PLAYED, terminal::Terminal};
use lastnim_proto::record_file::RecordForm;
use records::MadeUp;

/// A terminal with records of 20 groups, one per line, and some of them as files.
fn with_records() -> Terminal {
    let terminal = Terminal::offline();
    let made_up = MadeUp::new(3, 1);
    let record = |number, form: RecordForm| {
        let (record, seal) = made_up.play(number);
        form.write(&record, Some(&seal))
    };
    let lines: String = (0..60).map(|number| record(number, RecordForm::Json)).collect();
    terminal.write("records.jsonl", &lines);
    for number in 0..6 {
        terminal.write(&format!("records/{number}.json"), &record(number, RecordForm::PrettyJson));
    }
    terminal
}

#[test]
fn a_bot_is_audited() {
    with_records().run("lastnim audit bot poor records.jsonl").assert_shown("bot_audit", "bot");
    let line = "lastnim audit bot poor --puzzles 2 records.jsonl --json";
    with_records().run(line).assert_shown("bot_audit", "bot_json");
    with_records().run("lastnim audit bot optimal records").assert_shown("bot_audit", "bot_without_error");
}

#[test]
fn a_field_is_audited() {
    with_records().run("lastnim audit field records.jsonl").assert_shown("bot_audit", "field");
    let line = "lastnim audit field --seed 3 --puzzles 1 records.jsonl --json";
    with_records().run(line).assert_shown("bot_audit", "field_json");
}

#[test]
fn a_bot_is_audited_straight_from_the_server() {
    // Intervals depend on random draws seeded with each tournament's id, but the interval of a bot without errors has
    // no width.
    let line = "lastnim audit bot oracle --tournament $THREE --puzzles 0 | grep -e ^oracle -e ^Of -e ^Signed";
    PLAYED.terminal().run(line).assert_shown("bot_audit", "of_server");
}

#[test]
fn records_that_do_not_count_are_named() {
    let mut terminal = with_records();
    terminal.copy("record.json");
    let lines = [
        "sed '2s/\"take\":\"/\"take\":\"1/; 4s/{.*/nonsense/; 5d' records.jsonl > damaged.jsonl",
        "lastnim audit bot any damaged.jsonl --puzzles 0",
        "lastnim audit bot alice --puzzles 0 record.json record.json",
        "sed 's/,\"signature\":\"[^\"]*\"//' record.json | lastnim audit bot alice --puzzles 0 -",
        "lastnim audit bot alice --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= record.json",
        "lastnim audit bot nobody records.jsonl",
        "lastnim audit bot Nobody records.jsonl",
        "lastnim audit bot any --tournament 01890a5d-0000-774b-bcce-b302099a8057 records.jsonl",
        "lastnim audit field no-such-folder",
        "lastnim audit field --puzzles 51 records",
        "lastnim audit field --key x records",
        "lastnim audit field --unsigned --key x records",
    ];
    terminal.run_all(&lines).assert_shown("bot_audit", "errors");
}
