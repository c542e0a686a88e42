//! Requests that their callers may repeat.

use crate::played::{bots, match_id, tournament_id};
use crate::test_database::TestDatabase;
use lastnim_core::referee::Timestamp;
use lastnim_store::{
    Change, Creation, MAX_REQUESTS, MAX_REQUESTS_PER_CALLER, REQUEST_LIFETIME, RequestHash, RequestKey,
    StoredRequest,
};

const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

/// Returns a request by number: of an admin if the number is even, and otherwise of a bot.
pub fn request(number: u64, at: Timestamp) -> StoredRequest {
    let is_even = number.is_multiple_of(2);
    StoredRequest {
        key: RequestKey {
            caller: (!is_even).then(|| bots([1])[0].clone()),
            id: format!("request-{}~\"'\\", number / 2).parse().unwrap(),
        },
        hash: RequestHash::of_request("CreateMatch", &number.to_le_bytes()),
        created: if is_even {
            Creation::Tournament(tournament_id(number))
        } else {
            Creation::Match(match_id(number))
        },
        at,
    }
}

pub fn requests_are_kept(database: &TestDatabase) {
    let store = database.open();
    assert_eq!(database.run(store.requests()).unwrap(), []);
    // The two callers use the same ids.
    let made: Vec<_> = (0..6).map(|number| request(number, NOW)).collect();
    let changes: Vec<_> = made.iter().cloned().map(Change::RequestDone).collect();
    for _ in 0..2 {
        database.write(&store, &changes);
        assert_eq!(database.run(store.requests()).unwrap(), made, "writing them again is harmless");
    }
    let again = StoredRequest { key: made[5].key.clone(), ..request(7, NOW) };
    database.write(&store, &[Change::RequestDone(again.clone())]);
    assert_eq!(
        database.run(store.requests()).unwrap()[5],
        again,
        "an id that is used again names the new request"
    );
}

pub fn requests_of_a_removed_bot_are_deleted(database: &TestDatabase) {
    let store = database.open();
    let made: Vec<_> = (0..4).map(|number| request(number, NOW)).collect();
    database.write(&store, &made.iter().cloned().map(Change::RequestDone).collect::<Vec<_>>());
    let name = made[1].key.caller.clone().unwrap();
    database.write(&store, &[Change::BotRemoved { name }]);
    assert_eq!(database.run(store.requests()).unwrap(), [made[0].clone(), made[2].clone()]);
}

pub fn old_requests_are_deleted(database: &TestDatabase) {
    let store = database.open();
    let write = |number, at| database.write(&store, &[Change::RequestDone(request(number, at))]);
    write(0, NOW);
    write(1, NOW + REQUEST_LIFETIME);
    let kept_requests = || database.run(store.requests()).unwrap().len();
    assert_eq!(kept_requests(), 2);
    write(2, NOW + REQUEST_LIFETIME + std::time::Duration::from_micros(1));
    assert_eq!(kept_requests(), 2, "the first is older than 24 hours");
}

pub fn a_busy_caller_displaces_only_its_own_requests(database: &TestDatabase) {
    let store = database.open();
    let write = |requests: &[StoredRequest]| {
        let changes: Vec<_> = requests.iter().cloned().map(Change::RequestDone).collect();
        database.write(&store, &changes);
        database.run(store.requests()).unwrap()
    };
    let admin_request = request(0, NOW);
    let bot_requests: Vec<_> =
        (0..=MAX_REQUESTS_PER_CALLER as u64).map(|number| request(2 * number + 1, NOW)).collect();
    write(std::slice::from_ref(&admin_request));
    let kept = write(&bot_requests);
    assert_eq!(kept[0], admin_request);
    assert_eq!(kept[1..], bot_requests[1..], "the bot's oldest request is deleted");

    // An id that is used again counts as new, so the next request displaces another one.
    let again = StoredRequest { created: Creation::Tournament(tournament_id(1)), ..bot_requests[1].clone() };
    write(std::slice::from_ref(&again));
    let kept = write(&bot_requests[..1]);
    assert_eq!((kept[0].clone(), kept[1].clone()), (admin_request, bot_requests[3].clone()));
    assert_eq!(kept[kept.len() - 2..], [again, bot_requests[0].clone()]);
    assert_eq!(kept.len(), 1 + MAX_REQUESTS_PER_CALLER);
}

pub fn the_number_of_requests_is_limited(database: &TestDatabase) {
    let store = database.open();
    let write = |number| database.write(&store, &[Change::RequestDone(request(number, NOW))]);
    (0..3).for_each(write);
    // The next id is the first that leaves no room for the oldest request.
    let newest = MAX_REQUESTS;
    let renumber = format!("UPDATE requests SET id = {newest} WHERE id = 3");
    assert_eq!(database.execute(&mut database.client(), &renumber), 1);
    write(3);
    let kept = database.run(store.requests()).unwrap();
    assert_eq!(kept, [1, 2, 3].map(|number| request(number, NOW)));
}
