//! Tests the steps of a frozen record and of matches of all kinds.

use super::*;
use lastnim_core::referee::testing::scenario;
use lastnim_proto::{record::parse_record, record_file::read_record};
use lastnim_report::{Report, render::Terminal};
use proptest::prelude::*;

fn frozen_record() -> Record {
    let given = read_record(include_str!("../../../../tests/data/record.json")).unwrap();
    parse_record(&given).unwrap()
}

fn whole_report(record: &Record) -> String {
    let steps = ReplaySteps::of_record(record).map(|step| step.to_section(record));
    let report: Report =
        [head_section(record, &[])].into_iter().chain(steps).chain([end_section(record)]).collect();
    Terminal::without_styles().wrapped_at(MAX_COLUMNS).report_text(&report)
}

#[test]
fn every_ply_shows_the_oracles_view() {
    let text = whole_report(&frozen_record());
    let expected = "\
match      01890a5d-ac96-774b-bcce-b302099a8057
created    2023-11-14T22:13:20.000000Z
tournament 01890a5d-0000-774b-bcce-b302099a8057, match 4, group 2
piles      2, 3
ending     last_mover_wins
seat 0     alice, row 0 1 2
seat 1     bob, row 2 0 1
seat 2     carol, row 0 1 2

take 1: seat 1 (bob) to move, 10.000 s on the clock
";
    assert!(text.starts_with(expected), "{text}");
    for words in [
        "\ntake 1: seat 1 (bob) to move, 10.000 s on the clock\n  piles      2, 3\n  optimal    1 or 2 of 3; then seat 0 (alice) wins\n",
        "\n  took       2 in 0.001 s, 10.098 s left\n",
        "\n  event      after 10.002 s: take 2: a strike for seat 2 (carol): illegal take\n",
        "\ntake 3: seat 0 (alice) to move, 10.000 s on the clock\n  event      after 10.003 s: seat 0 (alice) is forfeited: resigned; the steward\n             takes over\n",
        "\n  took       2, by the steward, because the seat is forfeited\n  result     optimal; the winner under optimal play is still seat 0 (alice)\n",
        "\n\nevent      after 10.003 s: finished: seat 0 (alice) won\naudit      the same winner as under optimal play; every take by a bot was\n           optimal; ",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
}

#[test]
fn step_messages_are_complete() {
    let record = frozen_record();
    let first = ReplaySteps::of_record(&record).next().unwrap().to_message(&record);
    assert_eq!(first.piles, [2, 3]);
    assert_eq!((first.bank_us, first.bank_after_us), (10_000_000, 10_098_900));
    assert_eq!((first.charged_us, first.lag_us), (1_100, 150));
    let audit = first.audit.unwrap();
    assert_eq!((audit.seat, first.bot.as_str(), audit.take), (1, "bob", 2));
}

proptest! {
    #[test]
    fn no_line_is_wider_than_a_terminal(scenario in scenario()) {
        let open = scenario.play(&mut |_| ()).0.into_record();
        for record in [scenario.finish(&mut |_| ()), open] {
            let plies = record.state().ply() as usize;
            prop_assert_eq!(ReplaySteps::of_record(&record).count(), plies);
            for line in whole_report(&record).lines() {
                prop_assert!(line.chars().count() <= MAX_COLUMNS, "{line}");
            }
        }
    }
}
