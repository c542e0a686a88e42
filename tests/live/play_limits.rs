//! Limits on playing in the browser, and refused forms.

use super::browser::{Browser, form_body, form_token};
use super::host::{Host, round_robin};
use super::pages::Answer;
use super::play_pages::{DUEL, Guest, duel};
use super::practice::hosting;
use lastnim_arena::Limits;
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use lastnim_server::Config;

/// Asks for a game in the same browser.
pub async fn begin(browser: &mut Browser<'_>, fields: &[(&str, &str)]) -> Answer {
    let table = browser.get("/play").await;
    browser.submit(&table, "/play", fields).await
}

fn assert_answer(answer: &Answer, status: u16, why: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert!(answer.body.contains(why), "{why:?} is missing:\n{}", answer.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_limited_per_address() {
    let config = Config { guest_matches_per_address: 2, guest_matches_per_minute: 3, ..hosting(&["timid"]) };
    let host = Host::with(config).await;
    let game = duel("against-timid", "5");
    let mut first = Guest::begin(&host, &game).await;
    Guest::begin(&host, &game).await;
    let mut browser = Browser::open(&host);
    let refused = begin(&mut browser, &game).await;
    assert_answer(&refused, 429, "127.0.0.1 has reached its limit on open matches (2)");
    // The form keeps its values.
    assert!(refused.body.contains("name=\"piles\" value=\"5\""), "{}", refused.body);
    for _ in 0..2 {
        let resigned = first.browser.submit(&first.page, &first.address, &[("act", "resign")]).await;
        assert_eq!(resigned.status, 303, "{}", resigned.body);
        host.watched_to_its_end(first.address.strip_prefix("/play/").unwrap()).await;
        let next = begin(&mut browser, &game).await;
        if next.status == 303 {
            first.address = next.header("location").to_owned();
            first.browser = std::mem::replace(&mut browser, Browser::open(&host));
            first.page = first.browser.get(&first.address).await;
        } else {
            return assert_answer(&next, 429, "too many matches were started from 127.0.0.1: try again in");
        }
    }
    panic!("four matches were started in a minute");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_limited_in_total() {
    let limits_with = |guest_matches| Limits { guest_matches, ..Limits::default() };
    let host = Host::with(Config { limits: limits_with(1), ..hosting(&["timid"]) }).await;
    let game = duel("against-timid", "5");
    Guest::begin(&host, &game).await;
    let refused = begin(&mut Browser::open(&host), &game).await;
    assert_answer(&refused, 429, "the limit on open guest matches is reached (1)");

    let host = Host::with(Config { limits: limits_with(0), ..hosting(&["timid"]) }).await;
    let mut browser = Browser::open(&host);
    let closed = browser.get("/play").await;
    assert_answer(&closed, 200, "This server admits no guests");
    assert!(!closed.body.contains("<form"), "{}", closed.body);

    let host = Host::start().await;
    let mut browser = Browser::open(&host);
    assert_answer(&browser.get("/play").await, 200, "This server hosts no house bots");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn playing_needs_read_access() {
    let host = Host::with(Config { private: true, ..hosting(&["timid"]) }).await;
    let mut browser = Browser::open(&host);
    assert_eq!(browser.get("/play").await.status, 401);
    let mut viewer = Browser::open(&host);
    viewer.added = format!("Authorization: Bearer {}\r\n", host.viewer.reveal());
    let mut guest = Guest::begin_in(viewer, &duel("against-timid", "5")).await;
    // The cookie alone gives no access.
    let body =
        form_body(&[("form_token", form_token(&guest.page)), ("act", "take"), ("ply", "0"), ("take", "1")]);
    guest.browser.added.clear();
    assert_eq!(guest.browser.get(&guest.address).await.status, 401);
    assert_eq!(guest.browser.post(&guest.address, &body).await.status, 401);

    let host = Host::with(Config { no_web: true, ..hosting(&["timid"]) }).await;
    let refused = Browser::open(&host).get("/play").await;
    assert!((400..600).contains(&refused.status) && !refused.body.contains("<form"), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_oracle_closes_play_to_strangers() {
    let host = Host::with(hosting(&["oracle"])).await;
    host.register_all(["one", "two"]).await;
    let oracle = pb::OracleAccess::Closed.into();
    let settings = pb::TournamentSettings { seats: 2, oracle, ..round_robin(&[&[3]]) };
    let tournament = host.create_tournament(settings, &["one", "two"]).await;
    host.start_tournament(&tournament).await;
    let refused = begin(&mut Browser::open(&host), &duel("against-oracle", "5")).await;
    assert_answer(
        &refused,
        403,
        "play against house bots is closed to callers without a token while tournament",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_forms_start_no_game() {
    let host = Host::with(hosting(&["oracle", "timid"])).await;
    let mut browser = Browser::open(&host);
    let hostile = "\"><script>alert(1)</script>";
    let huge = "9".repeat(500);
    let many = "1 ".repeat(25);
    let cases: [(&str, &str, &str); 10] = [
        ("piles", hostile, "is not a whole number"),
        ("piles", "9223372036854775808", "9223372036854775808"),
        ("piles", &huge, "is not a whole number"),
        ("piles", &many, "25 piles: expected 1 to 24"),
        ("piles", "0", "piles"),
        ("ending", hostile, "ending"),
        ("seat", "7", "seat &#34;7&#34;"),
        ("time", "86400000", "expected 1 to 3600 seconds"),
        ("rows", hostile, "expected standard or declared"),
        ("against-timid", "", "no opponent was chosen: choose 1 to 4"),
    ];
    for (name, value, why) in cases {
        let mut fields: Vec<_> =
            duel("against-timid", "5").into_iter().filter(|(field, _)| *field != name).collect();
        if name != "against-timid" {
            fields.push((name, value));
        }
        let refused = begin(&mut browser, &fields).await;
        assert_answer(&refused, 422, why);
        assert!(!refused.body.contains("<script>"), "{}", refused.body);
    }
    let table = browser.get("/play").await;
    let token = form_token(&table);
    let large = format!("form_token={token}&piles={}", "1+".repeat(500_000));
    assert_eq!(browser.post("/play", &large).await.status, 413);
    let invalid = format!("form_token={token}&piles=%ff%fe&against-timid=on&against-=%00&%ff=%ff");
    assert_answer(&browser.post("/play", &invalid).await, 422, "is not a whole number");
    let untyped = format!("form_token={token}&{}", "&=".repeat(400));
    assert_eq!(browser.post("/play", &untyped).await.status, 422);
    let matches = host.matches().list_matches(pb::ListMatchesRequest::default()).await.unwrap().into_inner();
    assert!(matches.matches.is_empty());

    // The largest pile can be played, by typing numbers.
    let fields: Vec<_> =
        [("against-oracle", "on"), ("piles", "9223372036854775807")].into_iter().chain(DUEL).collect();
    let guest = Guest::begin_in(browser, &fields).await;
    assert!(guest.page.body.contains("data-max=\"9223372036854775807\""), "{}", guest.page.body);
    assert!(!guest.page.body.contains("class=\"take-counters\""), "{}", guest.page.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_house_bot_is_described() {
    let bots = HouseBot::EXAMPLES.map(|bot| format!("{}={bot}", bot.kind()));
    let bots: Vec<_> = bots.iter().map(String::as_str).collect();
    let host = Host::with(hosting(&bots)).await;
    let table = Browser::open(&host).get("/play").await;
    assert_eq!(table.body.matches("type=\"checkbox\"").count(), bots.len());
    assert!(!table.body.contains("docs/reference/house-bots.md"), "{}", table.body);
}
