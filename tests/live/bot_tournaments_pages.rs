//! Joining and leaving tournaments by hand, with the token of a bot.

use super::bot_games::{open_game, seated, until_listed};
use super::browser::Browser;
use super::host::{Host, Party, round_robin};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use pb::tournament_settings::Format;

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&<script>alert(2)</script>";

fn two_seats(title: &str, start_when: u32) -> pb::TournamentSettings {
    pb::TournamentSettings { title: title.into(), seats: 2, start_when, ..round_robin(&[&[2, 2]]) }
}

async fn field(host: &Host, id: &str) -> Vec<String> {
    let request = pb::GetTournamentRequest { tournament_id: id.to_owned() };
    host.tournaments().get_tournament(request).await.unwrap().into_inner().tournament.unwrap().field
}

/// Sends a form on the page of the bot's matches, and checks that it is accepted.
async fn change(browser: &mut Browser<'_>, id: &str, action: &str) {
    let page = browser.get("/play/bot").await;
    let path = format!("/play/bot/tournaments/{id}/{action}");
    assert!(page.body.contains(&format!("action=\"{path}\"")), "{path}: {}", page.body);
    let answer = browser.submit(&page, &path, &[]).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/play/bot"), "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_is_joined_left_and_played_by_hand() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob"]).await;
    let mut party = Party::empty();
    party.invite(&host.address, tokens[1].clone(), HouseBot::Greedy, 1);
    let mut browser = seated(&host, &tokens[0]).await;
    let page = browser.get("/play/bot").await;
    assert!(
        page.body.contains("ann is not in a tournament, and no tournament is open to it"),
        "{}",
        page.body
    );

    let id = host.create_tournament(two_seats(HOSTILE, 2), &[]).await;
    let page = browser.get("/play/bot").await;
    assert!(page.body.contains("Open for joining") && !page.body.contains(">Joined<"), "{}", page.body);
    assert!(page.body.contains("&#60;img") && !page.body.contains("<img"), "{}", page.body);
    change(&mut browser, &id, "join").await;
    assert_eq!(field(&host, &id).await, ["ann"]);
    let page = browser.get("/play/bot").await;
    assert!(page.body.contains(">Joined<") && !page.body.contains("Open for joining"), "{}", page.body);
    change(&mut browser, &id, "leave").await;
    assert!(field(&host, &id).await.is_empty());
    change(&mut browser, &id, "join").await;
    // Joining twice is harmless.
    let twice = browser.submit(&page, &format!("/play/bot/tournaments/{id}/join"), &[]).await;
    assert_eq!(twice.status, 303, "{}", twice.body);
    assert_eq!(field(&host, &id).await, ["ann"]);

    let request = pb::JoinTournamentRequest { tournament_id: id.clone(), bot: "bob".into() };
    host.tournaments().join_tournament(request).await.unwrap();
    for _ in 0..2 {
        let list = until_listed(&mut browser, "your move").await;
        let mut game = open_game(browser, &list, "your move").await;
        game.play_on().await;
        browser = game.browser;
    }
    assert_eq!(host.tournament_over(&id).await.tournament.unwrap().matches_played, 2);
    let page = browser.get("/play/bot").await;
    assert!(
        page.body.contains("ann is not in a tournament, and no tournament is open to it"),
        "{}",
        page.body
    );
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ladder_is_joined_and_left_while_it_runs() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob", "cid"]).await;
    let format = Some(Format::Ladder(pb::LadderFormat::default()));
    let id = host
        .create_tournament(pb::TournamentSettings { format, ..two_seats("ladder", 0) }, &["bob", "cid"])
        .await;
    host.start_tournament(&id).await;
    let mut browser = seated(&host, &tokens[0]).await;
    let page = browser.get("/play/bot").await;
    assert!(page.body.contains("a running ladder"), "{}", page.body);
    change(&mut browser, &id, "join").await;
    assert!(field(&host, &id).await.contains(&"ann".to_owned()));
    change(&mut browser, &id, "leave").await;
    assert!(!field(&host, &id).await.contains(&"ann".to_owned()));

    // A disqualified bot cannot return, and is told so.
    change(&mut browser, &id, "join").await;
    let request = pb::DisqualifyBotRequest {
        tournament_id: id.clone(),
        bot: "ann".into(),
        results: pb::DisqualifiedResults::Stand.into(),
        reason: "it is played by hand".into(),
    };
    host.tournaments().disqualify_bot(request).await.unwrap();
    let page = browser.get("/play/bot").await;
    let refused = browser.submit(&page, &format!("/play/bot/tournaments/{id}/join"), &[]).await;
    assert!(refused.status == 409 && refused.body.contains("this bot was disqualified"), "{}", refused.body);
    assert!(refused.body.contains("'s seats."), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_from_before_the_start_asks_before_it_withdraws_the_bot() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob", "cid"]).await;
    let id = host.create_tournament(two_seats("begins", 0), &["ann", "bob", "cid"]).await;
    let mut browser = seated(&host, &tokens[0]).await;
    let (page, path) = (browser.get("/play/bot").await, format!("/play/bot/tournaments/{id}/leave"));
    host.start_tournament(&id).await;
    let asked = browser.submit(&page, &path, &[]).await;
    assert!(asked.status == 200 && asked.body.contains("Withdraw the bot?"), "{}", asked.body);
    assert!(asked.body.contains("ann finishes its open matches"), "{}", asked.body);
    assert!(!host.standing(&id, "ann").await.withdrawn);
    let done = browser.submit(&asked, &path, &[("confirmed", "yes")]).await;
    assert_eq!((done.status, done.header("location")), (303, "/play/bot"), "{}", done.body);
    assert!(host.standing(&id, "ann").await.withdrawn);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_to_join_have_a_reason() {
    let host = Host::start().await;
    let tokens = host.register_all(["ann", "bob", "cid"]).await;
    let id = host.create_tournament(two_seats("running", 0), &["bob", "cid"]).await;
    host.start_tournament(&id).await;
    let mut browser = seated(&host, &tokens[0]).await;
    let page = browser.get("/play/bot").await;
    assert!(!page.body.contains(">running<"), "{}", page.body);
    for (action, why) in [("join", "before a tournament starts"), ("leave", "ann does not play in it")] {
        let refused = browser.submit(&page, &format!("/play/bot/tournaments/{id}/{action}"), &[]).await;
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert!(refused.body.contains("role=\"alert\"") && refused.body.contains(why), "{}", refused.body);
    }
    let nowhere = "/play/bot/tournaments/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f/join";
    let refused = browser.submit(&page, nowhere, &[]).await;
    assert!(refused.status == 404 && refused.body.contains("role=\"alert\""), "{}", refused.body);
    assert_eq!(browser.get(nowhere).await.header("location"), "/play/bot", "a link does nothing");
    for path in
        ["/play/bot/tournaments/x/join", "/play/bot/tournaments/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f/start"]
    {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
    // Joining needs a form of this server and a session.
    let open = host.create_tournament(two_seats("open", 0), &[]).await;
    let join = format!("/play/bot/tournaments/{open}/join");
    assert_eq!(browser.post(&join, "").await.status, 403);
    let mut stranger = Browser::open(&host);
    let form = stranger.get("/play/bot").await;
    let refused = stranger.submit(&form, &join, &[]).await;
    assert!(refused.status == 401 && refused.body.contains("Nothing was changed"), "{}", refused.body);
    assert!(field(&host, &open).await.is_empty());
}
