//! Organising a tournament in a browser, from creation to end.

use super::browser::{Browser, form_token};
use super::host::{Host, Party, exhibition, soon};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;

pub async fn signed_in(host: &Host) -> Browser<'_> {
    let mut browser = Browser::open(host);
    let page = browser.get("/organise").await;
    let answer = browser.submit(&page, "/organise/sign-in", &[("token", host.admin.reveal())]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    browser
}

/// The initial fields of the form, with some changed.
fn settings<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("seats", "2"),
        ("format", "round_robin"),
        ("position_source", "positions"),
        ("positions", "3 4 5\n2,2"),
        ("clock", "1m+100ms"),
        ("clock.declaration_ms", "1m"),
        ("clock.lag_quota_ms", "100ms"),
        ("clock.lag_total_ms", "10s"),
    ];
    let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
    usual.into_iter().filter(|(name, _)| !is_changed(name)).chain(changes.iter().copied()).collect()
}

async fn create(browser: &mut Browser<'_>, changes: &[(&str, &str)]) -> String {
    let form = browser.get("/organise/new-tournament").await;
    let answer = browser.submit(&form, "/organise/new-tournament", &settings(changes)).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.header("location").strip_prefix("/organise/tournaments/").unwrap().to_owned()
}

async fn state(host: &Host, id: &str) -> pb::TournamentState {
    let request = pb::GetTournamentRequest { tournament_id: id.to_owned() };
    host.tournaments().get_tournament(request).await.unwrap().into_inner().tournament.unwrap().state()
}

/// Registers a bot in the browser, and returns the token on the page.
async fn register(browser: &mut Browser<'_>, name: &str) -> String {
    let page = browser.get("/organise/bots").await;
    let answer = browser.submit(&page, "/organise/bots", &[("name", name)]).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{}", answer.body);
    shown_token(&answer.body)
}

fn shown_token(page: &str) -> String {
    let token = page.split("<pre><code>").nth(1).unwrap_or_else(|| panic!("no token in {page}"));
    token.split('<').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_is_created_started_and_played() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let id = create(&mut browser, &[("title", "Spring <cup>"), ("seed", "7")]).await;
    let path = format!("/organise/tournaments/{id}");
    let page = browser.get(&path).await;
    assert!(
        page.body.contains("Spring &#60;cup&#62;") && page.body.contains("No bots have joined yet"),
        "{}",
        page.body
    );

    // It cannot start without bots, and the page says why.
    let refused = browser.submit(&page, &format!("{path}/start"), &[]).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);

    let mut party = Party::empty();
    for bot in [HouseBot::Oracle, HouseBot::Greedy] {
        let token = register(&mut browser, bot.kind()).await;
        party.invite(&host.address, token, bot, 1);
        let joined = browser.submit(&page, &format!("{path}/join"), &[("bot", bot.kind())]).await;
        assert_eq!((joined.status, joined.header("location")), (303, path.as_str()), "{}", joined.body);
    }
    let page = browser.get(&path).await;
    assert!(page.body.contains("href=\"/bots/oracle\"") && page.body.contains(">Start<"), "{}", page.body);
    assert_eq!(browser.submit(&page, &format!("{path}/start"), &[]).await.status, 303);
    let ended = host.tournament_over(&id).await;
    let tournament = ended.tournament.unwrap();
    assert_eq!((tournament.state(), tournament.matches_played), (pb::TournamentState::Finished, 4));
    let page = browser.get(&path).await;
    assert!(page.body.contains("finished") && !page.body.contains(">Start<"), "{}", page.body);
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_can_be_created() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    host.register_all(["new", "old"]).await;
    for (format, fields) in [
        ("round_robin", vec![("round_robin.groups", "4")]),
        ("gauntlet", vec![("gauntlet.bot", "new")]),
        ("swiss", vec![("swiss.rounds", "3"), ("swiss.table_groups", "1")]),
        ("knockout", vec![("knockout.advance", "1")]),
        ("ladder", vec![("ladder.suspend_after", "9")]),
        (
            "sprt",
            vec![
                ("sprt.candidate", "new"),
                ("sprt.baseline", "old"),
                ("sprt.effect_none", "-0.5"),
                ("sprt.effect_some", "0.5"),
                ("sprt.groups", "10"),
            ],
        ),
    ] {
        let fields = [vec![("title", format), ("format", format)], fields].concat();
        let id = create(&mut browser, &fields).await;
        let request = pb::GetTournamentRequest { tournament_id: id };
        let shown = host.tournaments().get_tournament(request).await.unwrap().into_inner();
        let made = lastnim_proto::json::message_to_json(&shown.tournament.unwrap().settings.unwrap());
        assert!(made[format].is_object(), "{format}: {made}");
    }
    let drawn = [
        ("title", "drawn"),
        ("position_source", "drawn_positions"),
        ("drawn_positions.count", "3"),
        ("drawn_positions.piles", "2, 3"),
        ("drawn_positions.counters", "1 4"),
    ];
    create(&mut browser, &drawn).await;
    create(&mut browser, &[("title", "paper"), ("position_source", "paper_positions")]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_forms_keep_their_values_and_show_errors() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let form = browser.get("/organise/new-tournament").await;
    let hostile = "\"><img src=x onerror=alert(1)><script>alert(2)</script>";
    let typed = settings(&[
        ("title", hostile),
        ("seats", "many"),
        ("positions", hostile),
        ("format", "swiss"),
        ("swiss.rounds", "99999999999999999999"),
    ]);
    let answer = browser.submit(&form, "/organise/new-tournament", &typed).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    for part in [
        "There are 3 errors.",
        "id=\"seats-mistake\"",
        "value=\"many\"",
        "id=\"positions-mistake\"",
        "id=\"swiss-rounds-mistake\"",
    ] {
        assert!(answer.body.contains(part), "{part} is missing in {}", answer.body);
    }
    assert!(!answer.body.contains("<img") && !answer.body.contains("<script>alert"), "{}", answer.body);

    // Errors of the service are also shown next to their fields.
    let typed = settings(&[
        ("title", ""),
        ("seats", "33"),
        ("format", "swiss"),
        ("swiss.rounds", "1001"),
        ("strikes", "101"),
    ]);
    let answer = browser.submit(&form, "/organise/new-tournament", &typed).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    for field in ["title", "seats", "swiss-rounds", "strikes"] {
        assert!(answer.body.contains(&format!("id=\"{field}-mistake\"")), "{field}: {}", answer.body);
    }
    assert!(answer.body.contains("<details open>"), "a mistake is not hidden");

    // Invalid bytes and missing fields are handled.
    let token = form_token(&form);
    for body in
        [format!("form_token={token}"), format!("form_token={token}&title=%ff%fe&seats=%00&format=%80")]
    {
        let answer = browser.post("/organise/new-tournament", &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.body);
    }
    let list = host.tournaments().list_tournaments(pb::ListTournamentsRequest::default()).await.unwrap();
    assert!(list.into_inner().tournaments.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn irreversible_actions_need_confirmation() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let id = create(&mut browser, &[("title", "short")]).await;
    let path = format!("/organise/tournaments/{id}");
    let page = browser.get(&path).await;
    let asked = browser.submit(&page, &format!("{path}/cancel"), &[]).await;
    assert!(asked.status == 200 && asked.body.contains("Cancel the tournament?"), "{}", asked.body);
    assert_eq!(state(&host, &id).await, pb::TournamentState::Open);
    let done = browser.submit(&asked, &format!("{path}/cancel"), &[("confirmed", "yes")]).await;
    assert_eq!(done.status, 303, "{}", done.body);
    assert_eq!(state(&host, &id).await, pb::TournamentState::Cancelled);
    // Following a link changes nothing, and an ended tournament cannot be started.
    let other = create(&mut browser, &[("title", "other")]).await;
    let followed = browser.get(&format!("/organise/tournaments/{other}/cancel?confirmed=yes")).await;
    assert_eq!(followed.status, 303);
    assert_eq!(state(&host, &other).await, pb::TournamentState::Open);
    assert_eq!(browser.submit(&page, &format!("{path}/start"), &[]).await.status, 409);
    let nowhere = "/organise/tournaments/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f/start";
    assert_eq!(browser.submit(&page, nowhere, &[]).await.status, 404);
    assert_eq!(browser.get("/organise/tournaments/x").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_tournament_is_paused_and_a_bot_disqualified() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    host.register_all(["one", "two", "three"]).await;
    let id = create(&mut browser, &[("title", "long")]).await;
    let path = format!("/organise/tournaments/{id}");
    let page = browser.get(&path).await;
    for bot in ["one", "two", "three"] {
        assert_eq!(browser.submit(&page, &format!("{path}/join"), &[("bot", bot)]).await.status, 303);
    }
    let unknown = browser.submit(&page, &format!("{path}/join"), &[("bot", "<b>nobody</b>")]).await;
    assert!(unknown.status == 422 && !unknown.body.contains("<b>nobody"), "{}", unknown.body);
    assert_eq!(browser.submit(&page, &format!("{path}/leave"), &[("bot", "three")]).await.status, 303);
    assert_eq!(browser.submit(&page, &format!("{path}/join"), &[("bot", "three")]).await.status, 303);
    assert_eq!(browser.submit(&page, &format!("{path}/start"), &[]).await.status, 303);
    assert_eq!(browser.submit(&page, &format!("{path}/freeze"), &[]).await.status, 303);
    let paused = browser.get(&path).await;
    assert!(paused.body.contains(">Resume<") && !paused.body.contains(">Pause<"), "{}", paused.body);
    assert_eq!(browser.submit(&page, &format!("{path}/resume"), &[]).await.status, 303);

    // A page from before the start still has the button to leave.
    for (page, action) in [(&page, "leave"), (&paused, "withdraw")] {
        let asked = browser.submit(page, &format!("{path}/{action}"), &[("bot", "two")]).await;
        let title = "Withdraw the bot?";
        assert!(asked.status == 200 && asked.body.contains(title), "{action}: {}", asked.body);
        assert!(asked.body.contains(&format!("action=\"{path}/withdraw\"")), "{action}: {}", asked.body);
        assert!(!host.standing(&id, "two").await.withdrawn, "{action}");
    }
    let asked = browser.submit(&paused, &format!("{path}/withdraw"), &[("bot", "two")]).await;
    let confirmed = [("bot", "two"), ("confirmed", "yes")];
    let done = browser.submit(&asked, &format!("{path}/withdraw"), &confirmed).await;
    assert_eq!(done.status, 303, "{}", done.body);

    let fields = [("bot", "three"), ("results", "stand"), ("reason", "copied <code>")];
    let asked = browser.submit(&paused, &format!("{path}/disqualify"), &fields).await;
    assert!(
        asked.body.contains("Disqualify the bot?") && asked.body.contains("value=\"copied &#60;code&#62;\""),
        "{}",
        asked.body
    );
    let confirmed = [&fields[..], &[("confirmed", "yes")]].concat();
    let done = browser.submit(&asked, &format!("{path}/disqualify"), &confirmed).await;
    assert_eq!(done.status, 303, "{}", done.body);
    assert!(host.standing(&id, "three").await.disqualified && host.standing(&id, "two").await.withdrawn);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_shown_once_and_replaced_after_confirmation() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let token = register(&mut browser, "ann").await;
    let whose = |token: String| {
        let request = super::host::bearing(&token, pb::GetCallerRequest::default());
        let channel = host.channel.clone();
        async move { pb::bot_service_client::BotServiceClient::new(channel).get_caller(request).await }
    };
    assert!(whose(token.clone()).await.is_ok());
    let page = browser.get("/organise/bots").await;
    assert!(!page.body.contains(&token), "it is never shown again");
    let again = browser.submit(&page, "/organise/bots", &[("name", "ann")]).await;
    assert!(again.status == 409 && !again.body.contains("<pre>"), "{}", again.body);
    let wrong = browser.submit(&page, "/organise/bots", &[("name", "<script>x")]).await;
    assert!(wrong.status == 422 && wrong.body.contains("value=\"&#60;script&#62;x\""), "{}", wrong.body);

    let asked = browser.submit(&page, "/organise/bots/rotate", &[("name", "ann")]).await;
    assert!(asked.body.contains("Replace the token?"), "{}", asked.body);
    assert!(whose(token.clone()).await.is_ok(), "nothing is done before that");
    let replaced =
        browser.submit(&asked, "/organise/bots/rotate", &[("name", "ann"), ("confirmed", "yes")]).await;
    let newer = shown_token(&replaced.body);
    assert!(whose(newer).await.is_ok() && whose(token).await.is_err());
    let nobody =
        browser.submit(&page, "/organise/bots/rotate", &[("name", "bob"), ("confirmed", "yes")]).await;
    assert_eq!(nobody.status, 404, "{}", nobody.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_need_a_session() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let id = create(&mut browser, &[("title", "mine")]).await;
    let page = browser.get("/organise").await;
    let kept = browser.cookie("lastnim_session").unwrap().to_owned();
    assert_eq!(browser.submit(&page, "/organise/sign-out", &[]).await.status, 303);
    browser.keep_cookie("lastnim_session", &kept);
    for path in [
        "/organise/new-tournament".to_owned(),
        "/organise/bots".to_owned(),
        "/organise/bots/rotate".to_owned(),
        format!("/organise/tournaments/{id}/cancel"),
    ] {
        let fields = settings(&[("title", "theirs"), ("name", "bob"), ("confirmed", "yes")]);
        let answer = browser.submit(&page, &path, &fields).await;
        assert!(
            answer.status == 401 && answer.body.contains("Nothing was changed"),
            "{path}: {}",
            answer.body
        );
    }
    assert_eq!(state(&host, &id).await, pb::TournamentState::Open);
    assert!(
        host.bots().list_bots(pb::ListBotsRequest::default()).await.unwrap().into_inner().bots.is_empty()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_voided_after_confirmation() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    host.register_all(["one", "two"]).await;
    let id = create(&mut browser, &[("title", "voided")]).await;
    let path = format!("/organise/tournaments/{id}");
    let page = browser.get(&path).await;
    assert!(!page.body.contains("Void matches"), "it has not begun: {}", page.body);
    for bot in ["one", "two"] {
        assert_eq!(browser.submit(&page, &format!("{path}/join"), &[("bot", bot)]).await.status, 303);
    }
    assert_eq!(browser.submit(&page, &format!("{path}/start"), &[]).await.status, 303);
    let begun = async { while host.matches_of(&id).await.len() < 4 {} };
    soon("four matches", begun).await;
    let page = browser.get(&path).await;
    let games = host.matches_of(&id).await;
    let first = &games.iter().find(|game| game.setup.as_ref().unwrap().number == 0).unwrap().id;
    assert!(page.body.contains(&format!("value=\"{first}\"> 1</label>")), "{}", page.body);

    let void = format!("{path}/void");
    let wrong = [("match", first.as_str()), ("groups", "1, -2"), ("others", "no-id"), ("reason", "")];
    let answer = browser.submit(&page, &void, &wrong).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    for part in [
        "match &#34;no-id&#34;: ",
        "group &#34;-2&#34;: expected a whole number",
        "a blank reason",
        "value=\"1, -2\"",
        &format!("value=\"{first}\" checked"),
    ] {
        assert!(answer.body.contains(part), "{part} is missing in {}", answer.body);
    }

    let fields = [("match", first.as_str()), ("groups", "2"), ("reason", "no <network>")];
    let asked = browser.submit(&page, &void, &fields).await;
    let said = ["<p>This voids match 1 (", "); all matches in group 2 that have started."];
    assert!(asked.status == 200 && said.iter().all(|said| asked.body.contains(said)), "{}", asked.body);
    let is_voided = |game: &pb::Match| !game.void_reason.is_empty();
    assert!(!host.matches_of(&id).await.iter().any(is_voided), "nothing is done before that");
    let confirmed = [&fields[..], &[("confirmed", "yes")]].concat();
    let done = browser.submit(&asked, &void, &confirmed).await;
    assert_eq!((done.status, done.header("location")), (303, path.as_str()), "{}", done.body);
    let voided =
        async { while host.matches_of(&id).await.iter().filter(|game| is_voided(game)).count() < 3 {} };
    soon("three matches that are voided", voided).await;
    let page = browser.get(&path).await;
    let event = "matches 1, 3, 4 voided, to be played again: no &#60;network&#62;";
    assert!(page.body.contains(event), "{}", page.body);

    // All matches are voided by one event; if one of them cannot be voided, none is, and the form keeps its values.
    let request = pb::GetStandingsRequest { tournament_id: id.clone(), cross_table: false };
    let events = host.tournaments().get_standings(request.clone()).await.unwrap().into_inner().events;
    assert_eq!(events.len(), 1, "{events:?}");
    let mixed = [("match", first.as_str()), ("groups", "99 2"), ("reason", "again"), ("confirmed", "yes")];
    let answer = browser.submit(&page, &void, &mixed).await;
    assert_eq!(answer.status, 409, "{}", answer.body);
    for part in [
        "is already voided",
        "group 99 has no started match left to void",
        "nothing was voided",
        "value=\"99 2\"",
    ] {
        assert!(answer.body.contains(part), "{part} is missing in {}", answer.body);
    }
    let after = host.tournaments().get_standings(request).await.unwrap().into_inner().events;
    assert_eq!(after, events);
    let followed = browser.get(&format!("{void}?confirmed=yes&groups=1&reason=x")).await;
    assert_eq!(followed.status, 303, "a link alone does nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_never_played_is_removed() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    host.register_all(["one", "two"]).await;
    host.create_match(exhibition(["one", "two"], &[3])).await;
    register(&mut browser, "three").await;
    let page = browser.get("/organise/bots").await;
    let remove = "/organise/bots/remove";
    let asked = browser.submit(&page, remove, &[("name", "three")]).await;
    assert!(asked.status == 200 && asked.body.contains("Remove the bot?"), "{}", asked.body);
    assert_eq!(host.bot("three").await.name, "three");
    let done = browser.submit(&asked, remove, &[("name", "three"), ("confirmed", "yes")]).await;
    assert!(done.status == 200 && done.body.contains("three was removed"), "{}", done.body);
    let kept = browser.submit(&page, remove, &[("name", "one"), ("confirmed", "yes")]).await;
    assert!(kept.status == 409 && kept.body.contains("value=\"one\""), "{}", kept.body);
    let nobody = browser.submit(&page, remove, &[("name", "three"), ("confirmed", "yes")]).await;
    assert_eq!(nobody.status, 404, "{}", nobody.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exhibition_is_started() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    host.register_all(["one", "two", "three"]).await;
    let form = browser.get("/organise/new-match").await;
    let fields = |bots| {
        let rest = [("alliance", "given"), ("assigned", "1>2>3; 3>2>1; 3>2>1"), ("clock", "1m")];
        let usual =
            [("piles", "3 4"), ("first", "3"), ("ending", "last_mover_wins"), ("clock.declaration_ms", "1s")];
        [&[("bots", bots)], &rest[..], &usual].concat()
    };
    let begun = browser.submit(&form, "/organise/new-match", &fields("three one two")).await;
    assert_eq!(begun.status, 303, "{}", begun.body);
    let id = begun.header("location").strip_prefix("/matches/").unwrap();
    let game = host.get_match(id).await.r#match.unwrap().setup.unwrap();
    assert_eq!(
        (game.bots, game.piles, game.first),
        (vec!["three".into(), "one".into(), "two".into()], vec![3, 4], 2)
    );
    assert_eq!(game.assigned.unwrap().rows[2].offsets, [0, 2, 1]);
    // Errors of the service are also shown next to their fields.
    for (bots, status, part) in [
        ("one two", 422, "id=\"assigned-mistake\""),
        ("one one two", 422, "id=\"bots-mistake\""),
        ("one two nobody", 404, "nobody"),
    ] {
        let refused = browser.submit(&form, "/organise/new-match", &fields(bots)).await;
        assert!(
            refused.status == status && refused.body.contains(part),
            "{part}: {} {}",
            refused.status,
            refused.body
        );
        assert!(refused.body.contains(&format!("value=\"{bots}\"")), "{}", refused.body);
    }
}
