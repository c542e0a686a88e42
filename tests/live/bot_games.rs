//! Matches of registered bots, played by hand in the browser.

use super::browser::Browser;
use super::host::{Host, Party, exhibition, round_robin, soon};
use super::pages::{Answer, get};
use super::play_pages::Guest;
use super::session::BotSession;
use lastnim_bots::HouseBot;
use lastnim_proto::{pb, record::verify_record, record_file::read_record};
use lastnim_server::Config;
use std::time::Duration;

const COOKIE: &str = "lastnim_bot";

pub async fn seated<'h>(host: &'h Host, token: &str) -> Browser<'h> {
    let mut browser = Browser::open(host);
    let page = browser.get("/play/bot").await;
    let answer = browser.submit(&page, "/play/bot/sign-in", &[("token", token)]).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/play/bot"), "{}", answer.body);
    browser
}

fn revision_of(page: &Answer) -> &str {
    page.body.split("data-revision=\"").nth(1).unwrap().split('"').next().unwrap()
}

/// Follows the page of the bot's matches until it contains a string.
pub async fn until_listed(browser: &mut Browser<'_>, words: &str) -> Answer {
    let mut page = browser.get("/play/bot").await;
    let waiting = async {
        while !page.body.contains(words) {
            assert_eq!(page.status, 200, "{}", page.body);
            page = browser.get(&format!("/play/bot?since={}", revision_of(&page))).await;
        }
    };
    soon(words, waiting).await;
    page
}

/// Opens the game that waits for the bot.
pub async fn open_game<'h>(mut browser: Browser<'h>, list: &Answer, words: &str) -> Guest<'h> {
    let before = list.body.split(&format!("\">{words}</a>")).next().unwrap();
    let address = before.rsplit("href=\"").next().unwrap().to_owned();
    let page = browser.get(&address).await;
    assert_eq!(page.status, 200, "{}", page.body);
    Guest { browser, page, address }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exhibition_against_a_named_bot_is_played_by_hand() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob"]).await;
    let mut party = Party::empty();
    party.invite(&host.address, tokens[1].clone(), HouseBot::Timid, 1);
    let table = get(&host, "/play").await;
    assert!(table.body.contains("href=\"/play/bot\""), "{}", table.body);
    let mut browser = seated(&host, &tokens[0]).await;
    let empty = browser.get("/play/bot").await;
    assert!(empty.body.contains("ann has no open matches."), "{}", empty.body);
    assert!(!empty.body.contains(&tokens[0]), "{}", empty.body);

    let id = host.create_match(exhibition(["ann", "bob"], &[3, 2])).await;
    let list = until_listed(&mut browser, "say whom you want to see win").await;
    assert!(list.body.contains("an exhibition"), "{}", list.body);
    let mut game = open_game(browser, &list, "say whom you want to see win").await;
    assert_eq!(game.address, format!("/play/bot/{id}"));
    let stranger = Browser::open(&host).get(&game.address).await;
    assert!(stranger.body.contains("Token of the bot"), "{}", stranger.body);
    game.act(&[("act", "declare"), ("wish-0", "0"), ("wish-1", "1")]).await;
    game.play_on().await;
    assert!(game.page.body.contains("href=\"/play/bot\""), "{}", game.page.body);
    let record = get(&host, &format!("/matches/{id}/record.json")).await;
    verify_record(&read_record(&record.body).unwrap()).unwrap();
    let game = host.get_match(&id).await.r#match.unwrap();
    assert_eq!(
        (game.reason(), game.setup.unwrap().bots),
        (pb::EndReason::Finished, vec!["ann".into(), "bob".into()])
    );
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_is_played_by_hand() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob"]).await;
    let mut party = Party::empty();
    party.invite(&host.address, tokens[1].clone(), HouseBot::Greedy, 1);
    let settings = pb::TournamentSettings { seats: 2, ..round_robin(&[&[2, 2]]) };
    let tournament = host.create_tournament(settings, &["ann", "bob"]).await;
    let mut browser = seated(&host, &tokens[0]).await;
    host.start_tournament(&tournament).await;
    for _ in 0..2 {
        let list = until_listed(&mut browser, "your move").await;
        assert!(list.body.contains(&format!("href=\"/tournaments/{tournament}\"")), "{}", list.body);
        let mut game = open_game(browser, &list, "your move").await;
        game.play_on().await;
        browser = game.browser;
    }
    let ended = host.tournament_over(&tournament).await;
    assert_eq!(ended.tournament.unwrap().matches_played, 2);
    assert!(ended.standings.iter().all(|line| line.forfeits == 0), "{:?}", ended.standings);
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_latest_session_takes_over_the_seats() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob"]).await;
    let (mut program, _) = BotSession::open(&host, &tokens[0]).await;
    let mut browser = seated(&host, &tokens[0]).await;
    assert_eq!(program.end().await.reason(), "REPLACED");
    let mut request = exhibition(["ann", "bob"], &[3]);
    request.alliance = pb::AllianceMode::Standard.into();
    let id = host.create_match(request).await;
    let list = until_listed(&mut browser, "your move").await;
    let mut game = open_game(browser, &list, "your move").await;

    // When the program reconnects, actions by hand are refused.
    let (mut program, _) = BotSession::open(&host, &tokens[0]).await;
    program.snapshot().await;
    let refused =
        game.browser.submit(&game.page, &game.address, &[("act", "take"), ("ply", "0"), ("take", "1")]).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("another session has ann&#39;s seats"), "{}", refused.body);
    let (retake, act) = ("action=\"/play/bot/take-seats\"", "name=\"act\"");
    assert!(refused.body.contains(retake) && !refused.body.contains(act), "{}", refused.body);
    assert_eq!(host.get_match(&id).await.r#match.unwrap().plies, 0);
    let shown = game.browser.get(&game.address).await;
    assert!(shown.body.contains("Another session has ann&#39;s seats"), "{}", shown.body);
    assert!(!shown.body.contains(" data-followed"), "the page does not update: {}", shown.body);
    let list = game.browser.get("/play/bot").await;
    assert!(
        list.body.contains("Take the seats back") && !list.body.contains(" data-followed"),
        "{}",
        list.body
    );
    let taken = game.browser.submit(&list, "/play/bot/take-seats", &[]).await;
    assert_eq!(taken.status, 303, "{}", taken.body);
    assert_eq!(program.end().await.reason(), "REPLACED");
    game.page = game.browser.get(&game.address).await;
    game.act(&[("act", "take"), ("ply", "0"), ("take", "1")]).await;
    assert_eq!(host.get_match(&id).await.r#match.unwrap().plies, 1);

    // Two browsers with the token share the seats. If one leaves them, the other one gets them at its next visit.
    let mut other = seated(&host, &tokens[0]).await;
    for browser in [&mut game.browser, &mut other] {
        let page = browser.get("/play/bot").await;
        assert!(page.body.contains("'s seats.") && page.body.contains(" data-followed"), "{}", page.body);
    }
    let page = other.get("/play/bot").await;
    assert_eq!(other.submit(&page, "/play/bot/sign-out", &[]).await.status, 303);
    assert_eq!(other.cookie(COOKIE), None);
    host.until_bot("ann", |bot| !bot.connected).await;
    let followed = game.browser.get("/play/bot").await;
    assert!(followed.body.contains("'s seats."), "{}", followed.body);

    // Signing out ends what is open in other tabs.
    let mut tab = Browser::open(&host);
    tab.keep_cookie(COOKIE, game.browser.cookie(COOKIE).unwrap());
    let following = async {
        let mut page = followed;
        while page.status == 200 {
            page = game.browser.get(&format!("/play/bot?since={}", revision_of(&page))).await;
        }
        page
    };
    let leaving = async {
        let page = tab.get("/play/bot").await;
        assert_eq!(tab.submit(&page, "/play/bot/sign-out", &[]).await.status, 303);
    };
    let (signed_out, ()) = soon("the sign-in is lost", async { tokio::join!(following, leaving) }).await;
    assert_eq!(signed_out.status, 401, "{}", signed_out.body);
    assert!(
        signed_out.body.contains("no longer signed in") && signed_out.body.contains("Token of the bot"),
        "{}",
        signed_out.body
    );
    let signed_out = game.browser.get(&format!("{}?since=1", game.address)).await;
    assert_eq!(signed_out.status, 401, "{}", signed_out.body);
    assert!(game.browser.get("/play/bot").await.body.contains("Token of the bot"));
    host.until_bot("ann", |bot| !bot.connected).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn taking_seats_needs_the_token_of_a_bot() {
    let host = Host::with(Config { failed_logins: 3, ..Config::default() }).await;
    let ann = host.register("ann").await;
    // A browser elsewhere on the network uses neither a loopback name nor https.
    let plain = get(&host, "/play/bot").await;
    assert!(plain.status == 403 && !plain.body.contains("<form"), "{}", plain.body);

    let mut browser = Browser::open(&host);
    let page = browser.get("/play/bot").await;
    assert!(page.body.contains("You take its program's place."), "{}", page.body);
    let before = browser.cookie(COOKIE).unwrap().to_owned();
    let forged = browser.post("/play/bot/sign-in", &format!("token={ann}")).await;
    assert_eq!(forged.status, 403, "a form without its token: {}", forged.body);
    let admin = browser.submit(&page, "/play/bot/sign-in", &[("token", host.admin.reveal())]).await;
    assert!(admin.status == 403 && admin.body.contains("needs a bot&#39;s token"), "{}", admin.body);
    let blank = browser.submit(&page, "/play/bot/sign-in", &[("token", "a b")]).await;
    assert!(blank.status == 401 && !blank.body.contains("a b\""), "{}", blank.body);
    for path in ["/play/bot/take-seats", "/play/bot/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f"] {
        let nothing = browser.submit(&page, path, &[("act", "resign")]).await;
        assert!(nothing.status == 401 && nothing.body.contains("Nothing was changed"), "{}", nothing.body);
    }
    assert!(!host.bot("ann").await.connected);

    let answer = browser.submit(&page, "/play/bot/sign-in", &[("token", &ann)]).await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert_ne!(browser.cookie(COOKIE), Some(before.as_str()), "signing in changes the cookie");
    assert!(host.bot("ann").await.connected);
    let nowhere = browser.get("/play/bot/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f").await;
    assert_eq!(nowhere.status, 404, "{}", nowhere.body);
    host.register_all(["bob", "cid"]).await;
    let others = host.create_match(exhibition(["bob", "cid"], &[3])).await;
    let others = browser.get(&format!("/play/bot/{others}")).await;
    assert!(
        others.status == 403 && others.body.contains("The bot ann has no seat in this match"),
        "{}",
        others.body
    );

    // Replacing the token signs the browser out.
    let request = pb::RotateTokenRequest { name: "ann".into() };
    host.bots().rotate_token(request).await.unwrap();
    host.until_bot("ann", |bot| !bot.connected).await;
    let page = browser.get("/play/bot").await;
    assert!(page.body.contains("Token of the bot"), "{}", page.body);

    // Wrong tokens count like those of calls.
    let mut statuses = Vec::new();
    for guess in 0..6 {
        let token = format!("lastnim_{guess}");
        statuses.push(browser.submit(&page, "/play/bot/sign-in", &[("token", &token)]).await.status);
    }
    assert_eq!((statuses[0], statuses[5]), (401, 429), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_leaves_its_seats_when_the_session_expires() {
    let host = Host::with(Config { organiser_session: Duration::ZERO, ..Config::default() }).await;
    let ann = host.register("ann").await;
    let mut browser = seated(&host, &ann).await;
    host.until_bot("ann", |bot| !bot.connected).await;
    assert!(browser.get("/play/bot").await.body.contains("Token of the bot"));
}
