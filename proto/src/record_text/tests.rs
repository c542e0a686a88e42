//! Tests of what the text of a record shows, and what it hides until the rows are revealed.

use super::*;
use lastnim_core::referee::SigningKey;
use lastnim_core::referee::testing::scenario;
use proptest::prelude::*;

proptest! {
    // Signatures are slow without optimisation, so the number of cases is small.
    #![proptest_config(lastnim_core::game::testing::cases(80))]

    #[test]
    fn each_event_has_a_line_and_hashes_appear_with_the_rows(scenario in scenario(), seed: [u8; 32]) {
        let finished = scenario.finish(&mut |_| ());
        let seal = SigningKey::from_seed(&seed).seal(finished.last_hash());
        for record in [finished, scenario.play(&mut |_| ()).0.into_record()] {
            let text = write_record_text(&record, Some(&seal));
            let (head, events) = text.split_once("\nevents ").unwrap();
            prop_assert!(head.starts_with(VERSION_LINE), "{head}");
            let (count, events) = events.split_once('\n').unwrap();
            prop_assert_eq!(events.lines().count().to_string(), count);
            prop_assert_eq!(record.public_events().count().to_string(), count);
            let is_revealed = record.state().is_all_public();
            prop_assert_eq!(events.lines().all(|event| event.contains(" hash ")), is_revealed);
            prop_assert_eq!(head.contains("\nsignature "), is_revealed);
        }
    }
}
