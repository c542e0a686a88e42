//! What is read of a database beside its server.

use crate::place::Place;
use crate::played::{bots, match_id, play, tournament_id, written};
use crate::store_checks::tournament;
use lastnim::referee::{MatchPhase, Origin};
use lastnim::store::{Change, check_store, open_reader};

pub fn a_store_is_read_beside_its_server(place: &Place) {
    let store = place.open();
    let mut changes = vec![Change::TournamentCreated(tournament(1))];
    let (mut events, mut unfinished) = (0, 0);
    for number in 0..30 {
        let origin = Origin { tournament: tournament_id(1), number, group: number / 2 };
        let plies = if number % 10 == 9 { 2 } else { u32::MAX };
        let record = play(match_id(number), bots(1..4), (number % 3 > 0).then_some(origin), number, plies);
        events += record.events().len() as u64;
        unfinished += u64::from(record.state().phase() != MatchPhase::Ended);
        changes.extend(written(&record));
    }
    place.write(&store, &changes);
    let reader = place.run(open_reader(&place.url)).unwrap();
    let found = place.run(check_store(reader.as_ref())).unwrap();
    assert_eq!((found.damages, found.described), (0, Vec::new()));
    assert_eq!((found.matches + found.unfinished, found.unfinished, found.events), (30, unfinished, events));
    assert_eq!(found.signers.values().sum::<u64>(), found.matches);
    let counts = place.run(reader.match_counts()).unwrap();
    let by_tournament: Vec<_> = counts.iter().map(|counts| (counts.tournament, counts.matches)).collect();
    assert!(by_tournament.contains(&(None, 10)) && by_tournament.contains(&(Some(tournament_id(1)), 20)));
    assert!(place.run(reader.size()).unwrap().bytes > 0);
    let refused = place.run(reader.write(&[Change::TournamentCreated(tournament(2))]));
    assert!(refused.is_err_and(|error| error.to_string().contains("reading alone")));
    // The server goes on.
    place.write(&store, &[Change::TournamentCreated(tournament(2))]);
    assert!(place.run(reader.tournament(tournament_id(2))).unwrap().is_some());
}
