//! Guests' games give up their places to other guests' games.

use super::browser::Browser;
use super::host::Host;
use super::play_limits::begin;
use super::play_pages::{Guest, duel};
use super::practice::hosting;
use lastnim_arena::Limits;
use lastnim_server::Config;
use std::time::Duration;

/// Long enough that a busy machine opens three games before the first one may be ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(8);
const ENDED: &str = "The server ended this game, which was waiting for you, to make room for another guest";

/// Returns how many seconds a refused newcomer is asked to wait, in the header and in words.
async fn seconds_to_wait(host: &Host, from: u8, game: &[(&str, &str)]) -> u64 {
    let refused = begin(&mut Browser::open_at(host, from), game).await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    let seconds = refused.header("retry-after").parse().unwrap();
    assert!(refused.body.contains(&format!("try again in {seconds} s")), "{}", refused.body);
    seconds
}

async fn is_ended(game: &mut Guest<'_>) -> bool {
    game.browser.get(&game.address).await.body.contains(ENDED)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_few_addresses_cannot_hold_all_places() {
    // No game waits for its guest as long.
    let long = Duration::from_mins(20);
    let host = Host::with(Config { guest_idle_timeout: long, ..hosting(&["timid"]) }).await;
    let game = duel("against-timid", "5");
    let mut games = Vec::new();
    for from in 1..=25 {
        for _ in 0..8 {
            games.push(Guest::begin_in(Browser::open_at(&host, from), &game).await);
        }
    }
    // Only games of the same address give up their places to it: other games keep theirs.
    let wait = seconds_to_wait(&host, 1, &game).await;
    assert!((2..=long.as_secs()).contains(&wait), "{wait} s");
    for from in 101..=125 {
        let mut newcomer = Guest::begin_in(Browser::open_at(&host, from), &game).await;
        assert!(!is_ended(&mut newcomer).await);
    }
    let mut ended = Vec::new();
    for game in &mut games {
        ended.push(is_ended(game).await);
    }
    assert_eq!(ended.iter().filter(|&&ended| ended).count(), 25, "one for each newcomer");
    assert!(ended.chunks(8).all(|of_address| of_address[0]), "each address lost its first: {ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_waits_for_its_guest_gives_up_its_place() {
    let game = duel("against-timid", "5 5");
    let limits = || Limits { guest_matches: 2, ..Limits::default() };
    let host = Host::with(Config { limits: limits(), ..hosting(&["timid"]) }).await;
    let _open = [
        Guest::begin_in(Browser::open_at(&host, 1), &game).await,
        Guest::begin_in(Browser::open_at(&host, 2), &game).await,
    ];
    let wait = seconds_to_wait(&host, 3, &game).await;
    assert!((2..=120).contains(&wait), "{wait} s");

    for per_address in [1, 2] {
        let config = Config {
            limits: limits(),
            guest_idle_timeout: IDLE_TIMEOUT,
            guest_matches_per_address: per_address,
            ..hosting(&["timid"])
        };
        let host = Host::with(config).await;
        let mut idle = Guest::begin_in(Browser::open_at(&host, 1), &game).await;
        // The time counts from the guest's turn.
        idle.until_awaited().await;
        let mut other = Guest::begin_in(Browser::open_at(&host, 2), &game).await;
        let newcomer = if per_address == 1 { 1 } else { 3 };
        let wait = seconds_to_wait(&host, newcomer, &game).await;
        assert!((1..=IDLE_TIMEOUT.as_secs()).contains(&wait), "{wait} s");
        // The time that the server stated is enough, unless the server stalls: its clock then stands still.
        let mut wait = wait;
        let mut attempts = 0;
        loop {
            tokio::time::sleep(Duration::from_secs(wait)).await;
            let answer = begin(&mut Browser::open_at(&host, newcomer), &game).await;
            attempts += 1;
            match answer.status {
                303 => break,
                429 if attempts < 5 => wait = answer.header("retry-after").parse().unwrap(),
                _ => panic!("{} after {attempts} attempts: {}", answer.status, answer.body),
            }
        }
        assert!(is_ended(&mut idle).await);
        assert!(!is_ended(&mut other).await, "it began later");
    }
}
