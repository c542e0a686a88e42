//! Lists of lost seats.

use crate::played::{bots, match_changes, match_id, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::{Event, MatchPhase, Origin, Record};
use lastnim_store::{Change, LostSeat};

/// Returns the lost seat of a bot in a match, if the match is over with a winner.
fn lost_seat(record: &Record, bot: &BotName) -> Option<LostSeat> {
    let setup = record.state().setup();
    let seat = setup.seat_of(bot)?;
    record.state().forfeits()[seat].filter(|_| record.audit().is_ok())?;
    let mut lost = LostSeat::new(record.id(), setup.origin.as_ref().map(|origin| origin.tournament), seat);
    for event in record.events() {
        match event.event {
            Event::Struck { seat: struck, reason, .. } if struck == seat => lost.strikes.push(reason),
            Event::Forfeited { seat: left, reason } if left == seat => lost.loss = Some((reason, event.at)),
            _ => {}
        }
    }
    assert!(lost.loss.is_some());
    Some(lost)
}

pub fn lost_seats_are_listed(database: &TestDatabase) {
    let store = database.open();
    database.write(&store, &[1, 2].map(|number| Change::TournamentCreated(tournament(number))));
    let origin = |number: u64| {
        let tournament = tournament_id(1 + number % 3);
        (number % 3 < 2).then_some(Origin { tournament, number, group: number })
    };
    let plies = |number: u64| if number % 7 == 6 { 2 } else { u32::MAX };
    let records: Vec<_> = (0..120)
        .map(|number| play_match(match_id(number), bots(0..3), origin(number), number, plies(number)))
        .collect();
    for record in &records {
        database.write(&store, &match_changes(record));
    }
    assert!(records.iter().any(|record| record.state().phase() != MatchPhase::Ended));
    let listed_seats = |bot: &BotName, tournament: Option<TournamentId>, before: Option<MatchId>, limit| {
        database.run(store.lost_seats(bot, tournament, before, limit)).unwrap()
    };
    for bot in &bots(0..3) {
        let expected: Vec<_> = records.iter().rev().filter_map(|record| lost_seat(record, bot)).collect();
        assert!(expected.len() > 5 && expected.iter().any(|lost| !lost.strikes.is_empty()), "{expected:#?}");
        assert_eq!(listed_seats(bot, None, None, 99), expected);
        for tournament in [1, 2, 9].map(tournament_id) {
            let in_tournament: Vec<_> =
                expected.iter().filter(|lost| lost.tournament == Some(tournament)).cloned().collect();
            assert_eq!(listed_seats(bot, Some(tournament), None, 99), in_tournament);
        }
        assert_eq!(listed_seats(bot, None, None, 2), expected[..2]);
        assert_eq!(listed_seats(bot, None, Some(expected[1].id), 2), expected[2..4]);
    }
    assert_eq!(listed_seats(&bots([7])[0], None, None, 99), []);
}
