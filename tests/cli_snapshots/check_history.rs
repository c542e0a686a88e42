//! `lastnim audit history`: frozen logs of a match, and its record.

use crate::terminal::Terminal;

fn with_logs() -> Terminal {
    let terminal = Terminal::offline();
    for file in ["alice.session.jsonl", "bob.session.jsonl", "session-record.json"] {
        terminal.copy(file);
    }
    terminal
}

const CHECK: &str = "lastnim audit history - bob.session.jsonl --records session-record.json";

#[test]
fn logs_of_an_honest_server_have_no_contradiction() {
    let lines = [
        "lastnim audit history alice.session.jsonl bob.session.jsonl --records session-record.json",
        "lastnim audit history alice.session.jsonl --records session-record.json --json",
        "(cat alice.session.jsonl; head -c 500 bob.session.jsonl) | lastnim audit history - --records session-record.json",
    ];
    with_logs().run_all(&lines).assert_shown("check_history", "honest");
}

#[test]
fn contradictions_to_the_record_are_named() {
    let changes = [
        r#"sed 's/"winner":1,"audit"/"winner":0,"audit"/'"#,
        r#"sed 's/"turn":\(.*\)"bank_ms":60100/"turn":\1"bank_ms":60099/'"#,
        r#"grep -v '"sent".*"ply":2'"#,
        r#"sed 's/"regret":2,"luck":1/"regret":1,"luck":1/'"#,
    ];
    let mut lines: Vec<_> =
        changes.iter().map(|change| format!("{change} alice.session.jsonl | {CHECK}")).collect();
    lines.push(format!("{} alice.session.jsonl | {CHECK} --json", changes[0]));
    // The record of another match: the logs are compared with each other.
    let other = CHECK.replace("session-record", "record");
    lines.push(format!(r#"sed 's/"counters":2,"bank/"counters":3,"bank/' alice.session.jsonl | {CHECK}"#));
    lines.push(format!("{} alice.session.jsonl | {other}", changes[0]));
    let mut terminal = with_logs();
    terminal.copy("record.json");
    terminal.run_all(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    terminal.assert_shown("check_history", "contradictions");
}

#[test]
fn invalid_logs_are_named() {
    let lines = [
        "lastnim audit history",
        "lastnim audit history no-such-file --records session-record.json",
        "lastnim audit history session-record.json --records session-record.json",
        "(head -n 3 alice.session.jsonl; echo nonsense; tail -n 3 alice.session.jsonl) | lastnim audit history - --records session-record.json",
        "sed 's/\"version\":1/\"version\":2/' alice.session.jsonl | lastnim audit history - --records session-record.json",
        "sed 's/\"at_us\":1/\"at_us\":-1/' alice.session.jsonl | lastnim audit history - --records session-record.json",
        "sed 's/\"ply\":0/\"plie\":0/' alice.session.jsonl | lastnim audit history - --records session-record.json --json",
        "lastnim audit history alice.session.jsonl --records alice.session.jsonl",
        "lastnim audit history alice.session.jsonl --records session-record.json --key x",
        "lastnim audit history alice.session.jsonl --records session-record.json --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        "lastnim audit history alice.session.jsonl --server nowhere",
    ];
    with_logs().run_all(&lines).assert_shown("check_history", "errors");
}
