//! `lastnim rationalise`.

use crate::audit::with_record;

#[test]
fn rows_that_explain_play_are_found() {
    let lines = [
        "lastnim rationalise --bot bob record.txt",
        "lastnim rationalise --bot alice --examples 1 record.json",
        "lastnim rationalise --bot bob record.json record.txt --json",
        r#"echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim rationalise --seat 0 -"#,
        r#"echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"takes":[2,1,1,1]}' > game.json"#,
        "cat game.json game.json | lastnim rationalise --seat 0 -",
        "lastnim rationalise --seat 2 --json game.json",
    ];
    with_record().run_all(&lines).is_snapshot("rationalise", "rows");
}

#[test]
fn what_cannot_be_rationalised_is_named() {
    let lines = [
        "lastnim rationalise",
        "lastnim rationalise record.json",
        "lastnim rationalise --bot nobody record.json",
        "lastnim rationalise --seat 3 record.json",
        "lastnim rationalise --bot bob no-such-file",
        "(cat record.json; echo nonsense) | lastnim rationalise --bot bob -",
        r#"echo '{"piles":[3],"players":2,"takes":[1,2]}' | lastnim rationalise --bot bob -"#,
        r#"echo '{"piles":[3],"players":2,"takes":[4]}' | lastnim rationalise --seat 0 -"#,
    ];
    with_record().run_all(&lines).is_snapshot("rationalise", "errors");
}
