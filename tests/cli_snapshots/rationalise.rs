//! `lastnim audit rationalise`.

use crate::audit::with_record;

#[test]
fn rows_that_explain_play_are_found() {
    let lines = [
        "lastnim audit rationalise --bot bob record.pretty.json",
        "lastnim audit rationalise --bot alice --examples 1 record.json",
        "lastnim audit rationalise --bot bob record.json record.pretty.json --json",
        r#"echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim audit rationalise --seat 0 -"#,
        r#"echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"takes":[2,1,1,1]}' > game.json"#,
        "cat game.json game.json | lastnim audit rationalise --seat 0 -",
        "lastnim audit rationalise --seat 2 --json game.json",
    ];
    with_record().run_all(&lines).assert_shown("rationalise", "rows");
}

#[test]
fn folders_of_records_are_read_and_ignored_records_are_named() {
    let mut terminal = with_record();
    terminal.set("KEY", crate::stable_text::PUBLIC_KEY);
    let lines = [
        "mkdir -p folder && cp record.json folder/a.json && cp record.pretty.json folder/b.json",
        "lastnim audit rationalise --bot bob --key $KEY folder",
        "sed 's/\"take\":\"2\"/\"take\":\"1\"/' record.json > folder/changed.json",
        "head -c 300 record.json > folder/cut.json",
        "sed 's/,\"signer\":.*/}/' record.json > folder/unsigned.json",
        "cat folder/a.json folder/cut.json > folder/lines.jsonl",
        "lastnim audit rationalise --bot bob --key $KEY folder",
        "lastnim audit rationalise --bot bob --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= record.json",
        "lastnim audit rationalise --bot bob folder/cut.json record.pretty.json --json",
        "mkdir -p empty && lastnim audit rationalise --bot bob empty",
    ];
    terminal.run_all(&lines).assert_shown("rationalise", "folders");
}

#[test]
fn takes_that_contradict_each_other_are_shown_with_their_positions() {
    let lines = [
        r#"echo '{"piles":[2,3],"players":3,"takes":[1,2,2]}' > one.json"#,
        r#"echo '{"piles":[1,2,2],"players":3,"takes":[2,1,1,1]}' > two.json"#,
        r#"echo '{"piles":[3,3],"players":3,"takes":[3,1,2]}' > three.json"#,
        "lastnim audit rationalise --seat 0 one.json two.json three.json",
        "lastnim audit rationalise --seat 0 one.json two.json three.json --json",
    ];
    with_record().run_all(&lines).assert_shown("rationalise", "contradiction");
}

#[test]
fn play_that_cannot_be_rationalised_is_named() {
    let lines = [
        "lastnim audit rationalise",
        "lastnim audit rationalise record.json",
        "lastnim audit rationalise --bot nobody record.json",
        "lastnim audit rationalise --seat 3 record.json",
        "lastnim audit rationalise --bot bob no-such-file",
        "(cat record.json; echo nonsense) | lastnim audit rationalise --bot bob -",
        r#"echo '{"piles":[3],"players":2,"takes":[1,2]}' | lastnim audit rationalise --bot bob -"#,
        r#"echo '{"piles":[3],"players":2,"takes":[4]}' | lastnim audit rationalise --seat 0 -"#,
        r#"echo '{"piles":[3],"players":2,"takes":[1,2]}' | lastnim audit rationalise --seat 0 --key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= -"#,
        "echo '[[3],2,[1,2]]' | lastnim audit rationalise --seat 0 -",
    ];
    with_record().run_all(&lines).assert_shown("rationalise", "errors");
}
