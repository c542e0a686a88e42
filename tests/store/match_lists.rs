//! Lists of matches by result.

use crate::played::{bots, events_change, match_changes, match_id, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::{EndReason, MatchPhase, Origin, Record, Timestamp};
use lastnim_proto::ListedState;
use lastnim_store::{Change, MatchFilter};
use std::collections::BTreeSet;

/// A match that lists show, and its expected state and reason.
struct Listed {
    record: Record,
    state: ListedState,
    reason: Option<EndReason>,
}

const REASONS: [EndReason; 4] =
    [EndReason::Finished, EndReason::PlyLimit, EndReason::AllForfeited, EndReason::Cancelled];

/// Plays a match that ends for a given reason, if possible.
fn ended_for(reason: EndReason, id: MatchId, seated: &[BotName], origin: Option<&Origin>) -> Option<Record> {
    let mut played = (0..3_000).map(|seed| play_match(id, seated.to_vec(), origin.cloned(), seed, u32::MAX));
    played.find(|record| record.state().end().is_some_and(|(found, _)| found == reason))
}

pub fn matches_are_listed_by_their_results(database: &TestDatabase) {
    let store = database.open();
    for number in 0..2 {
        database.write(&store, &[Change::TournamentCreated(tournament(number))]);
    }
    let mut listed = Vec::new();
    let mut open = Vec::new();
    for number in 0..48 {
        let seated = bots((0..3).map(|seat| (number * (seat + 1)) % 4 + 4 * seat));
        let origin = (number % 3 > 0).then(|| Origin {
            tournament: tournament_id(number % 3 - 1),
            number,
            group: number / 2,
        });
        let id = match_id(number);
        let wanted = REASONS[[0, 0, 3, 2, 0, 3][number as usize % 6]];
        let record = ended_for(wanted, id, &seated, origin.as_ref()).unwrap();
        let half = events_change(&record, 0, record.events().len() / 2);
        match number % 8 {
            // Of every eight matches one is open, one is quarantined, and one is voided after its end.
            0 => {
                database.write(&store, &[half]);
                open.push(id);
            }
            1 => {
                let why = "a hash does not fit".to_owned();
                let at = Timestamp::from_micros(7);
                database.write(&store, &[half, Change::MatchQuarantined { id, at, why }]);
                listed.push(Listed { record, state: ListedState::Quarantined, reason: None });
            }
            7 => {
                database.write(&store, &match_changes(&record));
                database.write(&store, &[Change::MatchVoided { id, reason: "again".parse().unwrap() }]);
                listed.push(Listed { record, state: ListedState::Voided, reason: Some(wanted) });
            }
            _ => {
                database.write(&store, &match_changes(&record));
                assert_eq!(record.state().phase(), MatchPhase::Ended);
                listed.push(Listed { record, state: ListedState::Over, reason: Some(wanted) });
            }
        }
    }
    assert_eq!(database.run(store.unfinished_matches()), Ok(open));

    let states = [ListedState::Open, ListedState::Over, ListedState::Voided, ListedState::Quarantined];
    let states: Vec<_> = [None].into_iter().chain(states.map(Some)).collect();
    let reasons = REASONS.map(Some).into_iter().chain([None]);
    let seated = [vec![], vec![1], vec![1, 5], vec![1, 5, 9], vec![1, 2], vec![1, 999]];
    let mut found_some = BTreeSet::new();
    for reason in reasons {
        for (state, numbers) in
            states.iter().flat_map(|state| seated.iter().map(move |seated| (state, seated)))
        {
            for tournament in [None, Some(0), Some(1), Some(2)] {
                let filter = MatchFilter {
                    tournament: tournament.map(tournament_id),
                    bots: bots(numbers.iter().copied()).into_iter().collect(),
                    state: *state,
                    reason,
                };
                let admitted = listed.iter().rev().filter(|listed| {
                    let setup = listed.record.state().setup();
                    (state.is_none() || *state == Some(listed.state))
                        && (reason.is_none() || reason == listed.reason)
                        && filter.bots.iter().all(|bot| setup.bots.iter().any(|seated| seated == bot))
                        && filter.tournament.is_none_or(|id| {
                            setup.origin.as_ref().is_some_and(|origin| origin.tournament == id)
                        })
                });
                let expected: Vec<MatchId> = admitted.map(|listed| listed.record.id()).collect();
                let (mut found, mut before) = (Vec::new(), None);
                loop {
                    let page = database.run(store.match_summaries(&filter, before, 3)).unwrap();
                    assert!(page.len() <= 3);
                    let Some(last) = page.last() else { break };
                    before = Some(last.id);
                    found.extend(page.into_iter().map(|summary| summary.id));
                }
                assert_eq!(found, expected, "{filter:?}");
                if !found.is_empty() {
                    found_some.insert((tournament, numbers.len(), format!("{state:?} {reason:?}")));
                }
            }
        }
    }
    assert!(found_some.len() > 40, "only {} filters admit anything", found_some.len());
}
