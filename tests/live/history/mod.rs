//! Checks of logs against records: an honest server passes, and every alteration is found.

mod logged_session;
mod played;

use lastnim_core::referee::{Event, Record, TimedEvent, Timestamp};
use lastnim_history::{Certainty, Finding, FindingKind};
use played::{Played, play_logged};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// The indices of the logs.
const ALICE: usize = 0;
const BOB: usize = 1;
const CAROL: usize = 2;

/// The log, the match and a part of the line to alter, and the change.
struct Alteration {
    found: FindingKind,
    log: usize,
    game: usize,
    line: &'static str,
    change: Change,
}

enum Change {
    /// Sets a value in the message, by its path.
    Set(&'static str, Value),
    /// Increases a number in the message, by its path.
    Increase(&'static str),
    /// Removes the line.
    Remove,
    /// Repeats the line.
    Repeat,
    /// Adds a line with this message and the id of the match.
    Follow(&'static str, Value),
}

const fn alter_record(
    found: FindingKind,
    log: usize,
    game: usize,
    line: &'static str,
    change: Change,
) -> Alteration {
    Alteration { found, log, game, line, change }
}

fn alterations() -> Vec<Alteration> {
    use Change::{Follow, Increase, Remove, Repeat, Set};
    use FindingKind as Kind;
    vec![
        alter_record(Kind::Setup, ALICE, 0, "\"match_started\"", Increase("match_started/setup/piles/0")),
        alter_record(Kind::Setup, ALICE, 0, "\"match_started\"", Set("match_started/seat", json!(1))),
        alter_record(
            Kind::Setup,
            CAROL,
            0,
            "\"snapshot\"",
            Increase("snapshot/started/setup/clock/initial_ms"),
        ),
        alter_record(
            Kind::Rows,
            BOB,
            0,
            "\"revealed\"",
            Set("revealed/alliance_matrix/rows/0/offsets", json!([2, 0, 1])),
        ),
        alter_record(Kind::Rows, BOB, 1, "\"revealed\"", Set("revealed/defaulted", json!([]))),
        alter_record(Kind::Rows, CAROL, 0, "\"declared\"", Set("declared/row/offsets", json!([0, 1, 2]))),
        alter_record(
            Kind::RowNeverSent,
            CAROL,
            0,
            "\"declare\"",
            Set("declare/row/offsets", json!([0, 1, 2])),
        ),
        alter_record(Kind::RowNeverSent, ALICE, 0, "\"declare\"", Remove),
        alter_record(
            Kind::RowReplaced,
            CAROL,
            1,
            "\"declare\"",
            Set("declare/row/offsets", json!([1, 0, 2])),
        ),
        alter_record(Kind::Take, CAROL, 0, "\"took\"", Increase("took/take")),
        alter_record(Kind::Take, CAROL, 0, "\"took\"", Set("took/steward", json!(true))),
        alter_record(Kind::TakeMissing, CAROL, 0, "\"took\"", Set("took/ply", json!(500))),
        alter_record(Kind::TakeNeverSent, BOB, 0, "\"take\":{", Remove),
        alter_record(Kind::TakeNeverSent, ALICE, 0, "\"take\":{", Increase("take/take")),
        alter_record(Kind::TakeNeverSent, ALICE, 0, "\"take\":{", Set("take/note_hash", json!("AAAA"))),
        alter_record(Kind::Turn, ALICE, 0, "\"turn\":{", Increase("turn/counters")),
        alter_record(Kind::Turn, BOB, 0, "\"turn\":{", Increase("turn/ply")),
        alter_record(Kind::Turn, ALICE, 2, "\"revealed\"", Remove),
        alter_record(Kind::WentBack, CAROL, 0, "\"snapshot\"", Set("snapshot/ply", json!(1))),
        alter_record(Kind::Refusal, CAROL, 0, "\"take\":0,", Set("take/take", json!(1))),
        alter_record(Kind::Refusal, CAROL, 0, "\"refused\"", Set("refused/reason", json!("not_your_turn"))),
        alter_record(Kind::Refusal, CAROL, 0, "\"refused\"", Set("refused/reason", json!("future_ply"))),
        alter_record(Kind::Refusal, CAROL, 0, "\"refused\"", Set("refused/reason", json!("stale"))),
        alter_record(Kind::Refusal, CAROL, 0, "\"refused\"", Set("refused/reason", json!("forfeited"))),
        alter_record(Kind::Strike, CAROL, 0, "\"refused\"", Increase("refused/strikes")),
        alter_record(Kind::Strike, CAROL, 0, "\"refused\"", Increase("refused/strikes_left")),
        alter_record(Kind::Strike, CAROL, 0, "\"refused\"", Remove),
        alter_record(Kind::Forfeit, ALICE, 1, "\"forfeited\":{", Set("forfeited/reason", json!("timed_out"))),
        alter_record(Kind::Forfeit, ALICE, 1, "\"forfeited\":{", Set("forfeited/seat", json!(0))),
        alter_record(Kind::Forfeit, BOB, 1, "\"forfeited\":{", Remove),
        alter_record(Kind::ForfeitReason, CAROL, 1, "\"resign\"", Remove),
        alter_record(Kind::End, ALICE, 0, "\"match_ended\"", Set("match_ended/reason", json!("ply_limit"))),
        alter_record(Kind::End, ALICE, 0, "\"match_ended\"", Set("match_ended/winner", Value::Null)),
        alter_record(Kind::AfterEnd, BOB, 0, "\"match_ended\"", Repeat),
        alter_record(Kind::Audit, ALICE, 0, "\"match_ended\"", Increase("match_ended/audit/seats/0/regret")),
        alter_record(
            Kind::Audit,
            ALICE,
            0,
            "\"match_ended\"",
            Increase("match_ended/audit/plies/0/predicted_after"),
        ),
        alter_record(Kind::Snapshot, CAROL, 0, "\"snapshot\"", Increase("snapshot/counters")),
        alter_record(Kind::Snapshot, CAROL, 0, "\"snapshot\"", Increase("snapshot/to_move")),
        alter_record(Kind::Snapshot, CAROL, 0, "\"snapshot\"", Set("snapshot/strikes", json!([0, 0, 0]))),
        alter_record(Kind::Snapshot, CAROL, 0, "\"snapshot\"", Set("snapshot/forfeited", json!([1]))),
        alter_record(
            Kind::Rows,
            CAROL,
            0,
            "\"snapshot\"",
            Set("snapshot/alliance_matrix/rows/1/offsets", json!([2, 1, 0])),
        ),
        alter_record(Kind::Bank, BOB, 0, "\"turn\":{", Increase("turn/bank_ms")),
        alter_record(Kind::Bank, CAROL, 0, "\"snapshot\"", Increase("snapshot/banks_ms/0")),
        alter_record(
            Kind::Late,
            CAROL,
            2,
            "\"turn\":{",
            Follow("take", json!({ "ply": 2, "take": 1, "note_hash": "" })),
        ),
    ]
}

impl Alteration {
    /// Alters the logs, and returns the number of the line.
    fn apply(&self, played: &mut Played) -> u64 {
        let id = played.ids[self.game].clone();
        let lines = &mut played.logs[self.log];
        let is_it = |line: &String| line.contains(self.line) && line.contains(&id);
        let at =
            lines.iter().position(is_it).unwrap_or_else(|| panic!("no line has {}: {lines:#?}", self.line));
        let mut line: Value = serde_json::from_str(&lines[at]).unwrap();
        match &self.change {
            Change::Set(path, value) => *value_at_path(&mut line, path) = value.clone(),
            Change::Increase(path) => {
                let number = value_at_path(&mut line, path);
                *number = json!(number.as_u64().unwrap() + 1);
            }
            Change::Remove => {
                lines.remove(at);
                return at as u64 + 1;
            }
            Change::Repeat => lines.insert(at, line.to_string()),
            Change::Follow(kind, message) => {
                line["event"] = json!("sent");
                line["message"] = json!({ *kind: message });
                line["message"][*kind]["match_id"] = json!(id);
                lines.insert(at + 1, line.to_string());
                return at as u64 + 2;
            }
        }
        lines[at] = line.to_string();
        at as u64 + 1
    }
}

fn value_at_path<'a>(line: &'a mut Value, path: &str) -> &'a mut Value {
    line.pointer_mut(&format!("/message/{path}")).unwrap_or_else(|| panic!("nothing at {path}"))
}

/// Alters events of a record, and rebuilds its hashes, as a lying server could.
fn altered_record(record: &Record, alter: impl Fn(&mut TimedEvent)) -> Record {
    let mut events = record.events().to_vec();
    events.iter_mut().for_each(alter);
    Record::replay(record.id(), events).unwrap()
}

#[tokio::test]
async fn every_alteration_of_a_log_is_found() {
    let honest = play_logged().await;
    assert_eq!(honest.check(), [], "{}", honest.logs.concat().join("\n"));
    assert_eq!(honest.check_without_records(), []);

    let mut found = BTreeSet::new();
    for alteration in alterations() {
        let mut altered = honest.clone();
        let line = alteration.apply(&mut altered);
        let findings = altered.check();
        let what = (alteration.found, alteration.line);
        let fits = |finding: &&Finding| finding.kind == alteration.found && !finding.message.is_empty();
        let finding = findings.iter().find(fits).unwrap_or_else(|| panic!("{what:?}: {findings:#?}"));
        assert_eq!(finding.match_id, altered.ids[alteration.game], "{what:?}");
        let (log, shown) = finding.line.unwrap_or_else(|| panic!("{what:?}: no line"));
        assert_eq!(log, alteration.log, "{what:?}: {finding:?}");
        // Missing lines show later, and a repeated end shows at its second occurrence.
        assert!(shown >= line, "{what:?}: line {line}: {finding:?}");
        found.insert(finding.kind);
    }
    found.extend(find_forged_records(&honest));
    // The command itself reports invalid records, so they are not checked here.
    let all = FindingKind::ALL.into_iter().filter(|&kind| kind != FindingKind::Record).collect();
    assert_eq!(found, all, "the cases cover every kind");
}

fn finding_kinds(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(|finding| finding.kind).collect()
}

/// Forges records as a server could, and returns the kinds of findings.
fn find_forged_records(honest: &Played) -> Vec<FindingKind> {
    let mut found = Vec::new();
    let mut lie = |game: usize, kind: FindingKind, alter: &dyn Fn(&mut TimedEvent)| {
        let mut lying = honest.clone();
        let record = lying.records.get_mut(&honest.ids[game]).unwrap();
        *record = altered_record(record, alter);
        let kinds = finding_kinds(&lying.check());
        assert!(kinds.contains(&kind), "{kind:?}: {kinds:?}");
        found.push(kind);
    };
    let took_at =
        |timed: &TimedEvent, wanted: u32| matches!(timed.event, Event::Took { ply, .. } if ply == wanted);
    lie(0, FindingKind::Time, &|timed| {
        let is_second = took_at(timed, 1);
        if let Event::Took { charged, .. } = &mut timed.event
            && is_second
        {
            *charged += Duration::from_secs(20);
        }
    });
    // Everything happens 30 s later, and 20 s of them are charged.
    lie(0, FindingKind::Charge, &|timed| {
        let (is_later, is_second) = (
            matches!(
                timed.event,
                Event::Took { ply: 1.., .. } | Event::Ended { .. } | Event::Struck { ply: 1.., .. }
            ),
            took_at(timed, 1),
        );
        if is_later {
            timed.at = timed.at + Duration::from_secs(30);
        }
        if let Event::Took { charged, .. } = &mut timed.event
            && is_second
        {
            *charged += Duration::from_secs(20);
        }
    });
    // A seat is lost as soon as it is to move.
    let began = honest.records[&honest.ids[2]].events().iter().find(|timed| took_at(timed, 1)).unwrap().at;
    lie(2, FindingKind::Time, &|timed| {
        timed.at = timed.at.min(Timestamp::from_micros(began.as_micros() + 10));
    });
    found
}

#[tokio::test]
async fn without_records_logs_are_compared_with_each_other() {
    let honest = play_logged().await;
    let contradicting = [
        FindingKind::Setup,
        FindingKind::Rows,
        FindingKind::Take,
        FindingKind::Forfeit,
        FindingKind::End,
        FindingKind::Audit,
        FindingKind::WentBack,
        FindingKind::AfterEnd,
    ];
    let mut found = BTreeSet::new();
    for alteration in alterations() {
        let mut altered = honest.clone();
        alteration.apply(&mut altered);
        found.extend(finding_kinds(&altered.check_without_records()));
    }
    assert_eq!(found, contradicting.into_iter().collect());
}

#[tokio::test]
async fn nothing_is_claimed_about_missing_lines() {
    let honest = play_logged().await;
    let gap = |line: &str| {
        let mut gap: Value = serde_json::from_str(line).unwrap();
        gap["event"] = json!("gap");
        gap["lines"] = json!(1);
        gap.to_string()
    };
    for alteration in alterations().iter().filter(|alteration| matches!(alteration.change, Change::Remove)) {
        let mut altered = honest.clone();
        let line = alteration.apply(&mut altered) as usize - 1;
        let lines = &mut altered.logs[alteration.log];
        lines.insert(line, gap(&lines[line]));
        assert_eq!(altered.check(), [], "{:?} {}", alteration.found, alteration.line);
    }
    assert!(honest.check().iter().all(|finding| finding.kind.certainty() == Certainty::Doubt));
}
