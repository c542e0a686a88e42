//! What a store keeps of what organisers do.

use crate::place::Place;
use crate::played::{bots, match_id, play, seal, tournament_id, written};
use crate::store_checks::tournament;
use lastnim::referee::{Origin, Timestamp};
use lastnim::store::Change;
use lastnim::tournament::{OpenMatches, Reason, TournamentEvent, VoidedMatch};
use lastnim::wire::tournament_event::TimedTournamentEvent;

pub fn a_voided_match_gives_its_number_away(place: &Place) {
    let store = place.open();
    let tournament_id = tournament_id(1);
    place.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let played = |number: u64, id: u64| {
        let origin = Origin { tournament: tournament_id, number, group: 0 };
        let record = play(match_id(id), bots(0..3), Some(origin), id, u32::MAX);
        place.write(&store, &written(&record));
        record
    };
    let first = played(0, 1);
    played(1, 2);
    let reason: Reason = "the network was down".parse().unwrap();
    let matches = vec![VoidedMatch { number: 0, id: match_id(1) }];
    let event = TournamentEvent::Voided { matches, reason: reason.clone() };
    let at = Timestamp::from_micros;
    let events = [
        TimedTournamentEvent { at: at(1), event: TournamentEvent::Paused { open: OpenMatches::Freeze } },
        TimedTournamentEvent { at: at(2), event },
    ];
    let change = |seq: usize| Change::TournamentEvent { id: tournament_id, seq, event: events[seq].clone() };
    let voided = Change::MatchVoided { id: match_id(1), reason: reason.clone() };
    place.write(&store, &[change(0)]);
    for _ in 0..2 {
        place.write(&store, &[change(1), voided.clone()]);
    }
    assert_eq!(place.run(store.tournament_events(tournament_id)).unwrap(), events);
    assert_eq!(place.run(store.tournament_events(crate::played::tournament_id(9))).unwrap(), []);
    let results = || {
        let found = place.run(store.match_results(tournament_id, 0, 9)).unwrap();
        found.into_iter().map(|result| (result.number, result.id)).collect::<Vec<_>>()
    };
    assert_eq!(results(), [(1, match_id(2))]);
    played(0, 3);
    assert_eq!(results(), [(0, match_id(3)), (1, match_id(2))]);
    place.write(&store, &[voided]);
    assert_eq!(results().len(), 2, "another one has the number now");
    let summary = |id| place.run(store.match_summary(match_id(id))).unwrap().unwrap();
    assert_eq!(summary(1).void_reason.as_deref(), Some(reason.as_str()));
    assert_eq!(summary(3).void_reason, None);
    let kept = place.run(store.match_record(match_id(1))).unwrap().unwrap();
    assert_eq!((kept.record, kept.seal), (first.clone(), Some(seal(&first))), "its record stays as it was");
}
