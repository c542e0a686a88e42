//! Tests that standings, audits and exported tables have the same figures for a match, also if the steward played on
//! for a forfeited seat.

use super::rows::ExportedMatch;
use lastnim_auditing::{AuditSubject, Auditor};
use lastnim_core::{oracle::Budget, referee::testing::scenario};
use lastnim_proto::{
    admission::RecordAdmission,
    pb,
    record::{seat_loss_of_forfeit, verify_record},
};
use lastnim_tournament::{
    AllianceSource, BotComparison, CrossTable, MatchOutcome, MatchResult, RatingEvidence, Standings,
    TournamentState, testing,
};
use proptest::prelude::*;

fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-5
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(200))]

    #[test]
    fn standings_audits_and_tables_have_the_same_counts(scenario in scenario()) {
        let record = scenario.finish(&mut |_| ());
        let admitted = RecordAdmission::from_trusted(record.clone(), &mut Budget::unbounded()).unwrap();
        let RecordAdmission::Counts(played) = admitted else { return Ok(()) };
        let (state, audit) = (record.state(), record.audit().unwrap());
        let bots = state.setup().bots.clone();

        let outcome = MatchOutcome::of_audit(&audit, |seat| state.forfeits()[seat].map(seat_loss_of_forfeit));
        let result = MatchResult { number: 0, group: 0, bots: bots.clone(), outcome: Some(outcome) };
        let settings = testing::settings(bots.seats().get(), 1, AllianceSource::Random);
        let mut standings = Standings::new(&settings, []);
        standings.add_result(&result);

        let mut auditor = Auditor::new(AuditSubject::Field, 0);
        played.with_audited_match(|game| auditor.add_match(game));
        let found = auditor.finish();

        let sealed = verify_record(&pb::MatchRecord::from(&record)).unwrap();
        let rows: Vec<_> = ExportedMatch::of(&sealed, pb::Match::default()).seat_rows().collect();

        let (mut table, mut evidence) = (CrossTable::new(), RatingEvidence::new(&settings));
        table.add_result(&result);
        evidence.add_result(&result);
        let appraisal = evidence.final_appraisal(&|| true).unwrap();
        let mut won = 0;
        for line in standings.lines(TournamentState::Finished) {
            let row = rows.iter().find(|row| row.bot == line.bot.as_str()).unwrap();
            let figures = &found.bots.iter().find(|found| found.bot == line.bot).unwrap().figures;
            won += line.wins;
            prop_assert_eq!(row.won, Some(line.wins == 1));
            prop_assert_eq!(figures.wins, u64::from(line.wins));
            let satisfaction = line.satisfaction.unwrap();
            prop_assert!(is_close(row.satisfaction.unwrap(), satisfaction));
            prop_assert!(is_close(figures.satisfaction.unwrap().value, satisfaction));
            prop_assert!(line.forfeits == 0 || satisfaction == 0.0, "a lost seat scores the last place");
            prop_assert_eq!(row.forfeit_reason.is_some(), line.forfeits == 1);
            prop_assert_eq!(figures.forfeits, u64::from(line.forfeits));
            prop_assert_eq!(row.attended, line.no_shows == 0);
            prop_assert_eq!(row.accuracy, line.accuracy);
            prop_assert_eq!(figures.accuracy.map(|accuracy| accuracy.value), line.accuracy);
        }
        prop_assert!(won <= 1);
        let compared = BotComparison::compare_all(&table, &appraisal);
        prop_assert!(compared.iter().all(|pair| pair.meeting.wins + pair.meeting.other_wins <= won));
    }
}
