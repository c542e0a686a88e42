//! `lastnim audit` of single games and batches.

use crate::terminal::{Terminal, assert_all_shown};
use lastnim_core::game::{AllianceMatrix, Ending, Game, MatchId, Piles};
use lastnim_core::referee::{
    TalkPrivacy,
    testing::{OfferedTerms, TalkedMatch},
};
use lastnim_proto::record_file::RecordForm;

/// The game of the README, with its errors.
const GAME: &str =
    r#"echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"takes":[2,1,1,1]}'"#;

/// A terminal with the frozen record, in each of its formats.
pub fn with_record() -> Terminal {
    let terminal = Terminal::offline();
    for file in ["record.json", "record.pretty.json", "record.txt"] {
        terminal.copy(file);
    }
    terminal
}

#[test]
fn a_game_is_audited() {
    assert_all_shown("audit", "game", &[&format!("{GAME} | lastnim audit match -")]);
    assert_all_shown("audit", "game_json", &[&format!("{GAME} | lastnim audit match --json")]);
    let optimal = r#"echo '{"piles":[3],"players":2,"takes":[1,2],"first":1}' | lastnim audit match"#;
    assert_all_shown("audit", "optimal_play", &[optimal]);
}

#[test]
fn a_record_is_audited_in_each_of_its_forms() {
    let lines = [
        "lastnim audit match record.json",
        "lastnim audit match record.json --json",
        "lastnim audit match record.pretty.json --json",
        r#"echo "{\"record\":$(cat record.json)}" | lastnim audit match - --json"#,
    ];
    with_record().run_all(&lines).assert_shown("audit", "record");
}

/// Three seats on one pile of 2. Seat 0 wants seat 2 to win and signs two pacts that contradict each other, seat 1 is late,
/// and seat 2 lies about its row.
fn talked_match() -> TalkedMatch {
    let rows: [&[u64]; 3] = [&[2, 1, 0], &[0, 1, 2], &[0, 1, 2]];
    let matrix = AllianceMatrix::parse(&rows.map(<[u64]>::to_vec)).unwrap();
    let game = Game::new(Piles::parse(&[2]).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
    let mut talked = TalkedMatch::of_game(game);
    talked.declared[1] = None;
    talked.pacts = vec![
        OfferedTerms::signed(vec![(0, vec![(1, 2)]), (1, vec![(0, 2)])]),
        OfferedTerms::signed(vec![(2, vec![]), (0, vec![(2, 1), (2, 0)])]),
        OfferedTerms { accepted: vec![], ..OfferedTerms::signed(vec![(1, vec![]), (2, vec![])]) },
    ];
    talked.claims = vec![(2, vec![2, 1, 0], vec![])];
    talked
}

#[test]
fn the_talk_of_a_record_is_audited() {
    let mut talked = talked_match();
    let mut terminal = Terminal::offline();
    let write = |name, talked: &TalkedMatch| {
        terminal.write(name, &RecordForm::Json.write(&talked.play(), None));
    };
    write("talk.json", &talked);
    talked.privacy = TalkPrivacy::Private;
    write("private.json", &talked);
    talked.is_dealt = false;
    talked.privacy = TalkPrivacy::Open;
    write("declared.json", &talked);
    let lines = [
        "lastnim audit match talk.json | sed -n '/^Pacts/,$p'",
        "lastnim audit match talk.json --json",
        "lastnim audit match private.json | sed -n '/^Pacts/,$p'",
        "lastnim audit match declared.json | sed -n '/^Pacts/,$p'",
    ];
    terminal.run_all(&lines).assert_shown("audit", "talk");
}

#[test]
fn the_talk_of_a_field_is_audited() {
    let mut terminal = Terminal::offline();
    let write = |name, privacy| {
        let records = (0..4).map(|number| {
            let id = MatchId::new(1_700_000_000_000, &[number; 10]);
            let mut talked = TalkedMatch { id, privacy, ..talked_match() };
            talked.is_dealt = number > 0;
            RecordForm::Json.write(&talked.play(), None)
        });
        terminal.write(name, &records.collect::<String>());
    };
    write("open.jsonl", TalkPrivacy::Open);
    write("private.jsonl", TalkPrivacy::Private);
    let talk_lines = "sed -n '/^Pacts/,/^Pairs/p'";
    let lines = [
        format!("lastnim audit field open.jsonl --unsigned | {talk_lines}"),
        format!("lastnim audit bot bot-0 open.jsonl --unsigned | {talk_lines}"),
        format!("lastnim audit field private.jsonl --unsigned | {talk_lines}"),
        r#"lastnim audit bot bot-0 open.jsonl --unsigned --json | grep -o '"talk":{.*"distance":null}'"#
            .to_owned(),
    ];
    terminal.run_all(&lines.each_ref().map(String::as_str)).assert_shown("audit", "talk_of_a_field");
}

#[test]
fn a_batch_is_audited_line_by_line() {
    let batch = r#"(cat record.json; echo; echo nonsense
echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}'
echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,3]}'
echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1]}'
echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"taken":[1,2]}') | lastnim audit match --batch"#;
    with_record().run(batch).assert_shown("audit", "batch");
}

#[test]
fn records_that_cannot_be_audited_are_named() {
    let mut terminal = with_record();
    terminal.write("broken.json", "{\n  \"piles\": [3, 4],\n  \"takes\": [1,,2]\n}\n");
    terminal.write("cut.json", "{\"piles\": [3, 4],\n");
    terminal.write("mistyped.json", "{\n  \"piles\": \"3, 4\",\n  \"takes\": [1]\n}\n");
    let lines = [
        "lastnim audit match no-such-file",
        "lastnim audit match .",
        "lastnim audit match record.json record.pretty.json",
        "lastnim audit match record.json --seed 3",
        "lastnim audit match broken.json",
        "lastnim audit match cut.json",
        "lastnim audit match mistyped.json",
        "cat record.json record.json | lastnim audit match",
        "printf '\\377' | lastnim audit match",
        "lastnim audit match /dev/null",
        r#"echo '{"piles":[3],"players":2,"takes":[1,3]}' | lastnim audit match"#,
        r#"echo '{"piles":[3],"players":2,"takes":[1]}' | lastnim audit match"#,
        r#"echo '{"piles":[3],"players":2,"takes":[3,1]}' | lastnim audit match"#,
        r#"echo '{"piles":[3],"players":2,"take":[3]}' | lastnim audit match"#,
        r#"echo '{"piles":[3],"takes":[3]}' | lastnim audit match"#,
        r#"echo '{"piles":[3],"alliance_matrix":[[0,1],[0,0]],"takes":[3]}' | lastnim audit match"#,
        r#"sed 's/"take":"2"/"take":"9"/' record.json | lastnim audit match"#,
        "lastnim audit match record.txt",
    ];
    terminal.run_all(&lines).assert_shown("audit", "errors");
}
