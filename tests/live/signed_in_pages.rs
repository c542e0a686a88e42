//! Reading pages while signed in by a cookie.

use super::browser::{Browser, form_body, form_token};
use super::event_source::EventSource;
use super::host::{Host, round_robin, soon};
use super::kept_pages::host_on_sqlite;
use super::organise_pages;
use super::pages::{Answer, get};
use lastnim_proto::pb;
use lastnim_server::Config;
use std::time::Duration;

const SESSION: &str = "lastnim_session";

async fn private_host() -> Host {
    Host::with(Config { private: true, ..Config::default() }).await
}

/// Signs in from a refused page, and returns what that page shows then.
async fn sign_in_to<'h>(host: &'h Host, path: &str, token: &str) -> (Browser<'h>, Answer) {
    let mut browser = Browser::open(host);
    let refused = browser.get(path).await;
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, "Bearer"), "{}", refused.body);
    let link = refused.body.split("href=\"/sign-in?to=").nth(1).expect("a link to the form");
    let form = format!("/sign-in?to={}", link.split('"').next().unwrap());
    let page = browser.get(&form).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"), "{}", page.body);
    let answer = browser.submit(&page, &form, &[("token", token)]).await;
    assert_eq!((answer.status, answer.header("location")), (303, path), "{}", answer.body);
    let cookie = answer.header("set-cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let page = browser.get(path).await;
    (browser, page)
}

fn signed_in_as(page: &Answer) -> Option<&str> {
    let name = page.body.split("signed in as <a href=\"").nth(1)?.split('>').nth(1)?;
    name.split('<').next()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_in_gives_access_to_a_private_server() {
    let host = private_host().await;
    let ann = host.register("ann").await;
    let tournament = host.create_tournament(round_robin(&[&[3]]), &["ann"]).await;
    let page_path = format!("/tournaments/{tournament}/standings?from=1");
    for (token, name) in [(host.viewer.reveal(), "viewer"), (&ann, "ann"), (host.admin.reveal(), "organiser")]
    {
        let (mut browser, page) = sign_in_to(&host, &page_path, token).await;
        assert_eq!((page.status, page.header("cache-control")), (200, "no-store"), "{}", page.body);
        assert_eq!(signed_in_as(&page), Some(name), "{}", page.body);
        assert!(!page.body.contains(token), "{}", page.body);
        for path in ["/", "/index.json", "/bots.csv", "/play", "/oracle", "/bots/ann/audit"] {
            let page = browser.get(path).await;
            assert!([200, 404].contains(&page.status), "{path}: {} {}", page.status, page.body);
            assert_eq!(page.header("cache-control"), "no-store", "{path}");
        }
        let organise = browser.get("/organise").await;
        assert_eq!(organise.body.contains("Admin token"), name != "organiser", "{}", organise.body);

        let cookie =
            format!("Connection: close\r\nCookie: {SESSION}={}\r\n", browser.cookie(SESSION).unwrap());
        let mut events = EventSource::open_with(&host, "/events", &cookie).await;
        assert_eq!(events.status(), 200);
        events.next().await.expect("the home page");
        let mut together = EventSource::open_with(&host, "/live?feed=/events", &cookie).await;
        together.until(|event| event.name == "message").await;
        let left = browser.submit(&page, "/sign-out", &[]).await;
        assert_eq!((left.status, left.header("location")), (303, "/sign-in"), "{}", left.body);
        assert_eq!(browser.cookie(SESSION), None);
        let mut last = None;
        let reading = async {
            while let Some(event) = events.next().await {
                last = Some(event.name);
            }
        };
        soon("the end of a stream with its session", reading).await;
        assert_eq!(last.as_deref(), Some("signed-out"), "the stream says why it ends");
        together.until(|event| event.name == "signed-out").await;
        let mut refused = EventSource::open_with(&host, "/live?feed=/events", &cookie).await;
        refused.until(|event| event.name == "signed-out").await;
        assert_eq!(EventSource::open_with(&host, "/events", &cookie).await.status(), 401);
        assert_eq!(browser.get(&page_path).await.status, 401);
    }
    // Programs get JSON, and redirects stay on this server.
    let refused = Browser::open(&host).get("/bots.json").await;
    assert!(refused.status == 401 && refused.body.contains("\"status\":401"), "{}", refused.body);
    let mut browser = Browser::open(&host);
    let page = browser.get("/sign-in?to=//evil.example").await;
    let token = [("token", host.viewer.reveal())];
    let answer = browser.submit(&page, "/sign-in?to=https://evil.example/", &token).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"), "{}", answer.body);
    let again = browser.get("/sign-in?to=/bots").await;
    assert_eq!((again.status, again.header("location")), (303, "/bots"), "it is signed in already");
    for coded in ["%00", "%0A", "%0D%0AX-Own:1", "%7F", "%20", "%C3%A9"] {
        let form = browser.get(&format!("/sign-in?to=%2Fbots%3Fpage%3D{coded}")).await;
        assert_eq!((form.status, form.header("location")), (200, ""), "{coded}: {}", form.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organisers_see_more_on_all_pages() {
    let host = Host::start().await;
    host.register_all(["one", "two"]).await;
    let oracle = pb::OracleAccess::Closed.into();
    let settings = pb::TournamentSettings { seats: 2, oracle, ..round_robin(&[&[3]]) };
    let id = host.create_tournament(settings, &["one", "two"]).await;
    host.start_tournament(&id).await;
    let (page, twin) = ("/oracle?piles=3&seats=2", "/oracle.json?piles=3&seats=2");
    let mut stranger = Browser::open(&host);
    for path in [page, twin] {
        let refused = stranger.get(path).await;
        assert!(!refused.body.contains("wins under optimal play"), "{}", refused.body);
    }
    let mut organiser = organise_pages::signed_in(&host).await;
    let shown = organiser.get(page).await;
    assert!(shown.body.contains("wins under optimal play"), "{}", shown.body);
    assert!(shown.body.contains("href=\"/organise\">organiser</a>"), "{}", shown.body);
    assert!(organiser.get(twin).await.json()["winner"].is_number());
    // On an unprotected connection cookies do not count, and signing in is refused.
    organiser.added = "X-Forwarded-For: 192.0.2.1\r\n".to_owned();
    let plain = organiser.get(page).await;
    assert!(!plain.body.contains("wins under optimal play"), "{}", plain.body);
    assert_eq!(signed_in_as(&plain), None);
    let refused = organiser.get("/sign-in").await;
    assert!(refused.status == 403 && refused.body.contains("--trusted-proxy"), "{}", refused.body);
    assert_eq!(organiser.post("/sign-in", "token=x").await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identities_have_an_order_of_precedence() {
    let host = private_host().await;
    let [ann, bob] = host.register_all(["ann", "bob"]).await;
    let mut browser = Browser::open(&host);
    let seats = browser.get("/play/bot").await;
    assert_eq!(browser.submit(&seats, "/play/bot/sign-in", &[("token", &ann)]).await.status, 303);
    let page = browser.get("/bots").await;
    assert_eq!((page.status, signed_in_as(&page)), (200, Some("ann")), "{}", page.body);
    assert!(page.body.contains("action=\"/play/bot/sign-out\""), "{}", page.body);

    // The session has priority over the seats, and both stay usable.
    let form = browser.get("/sign-in").await;
    assert!(form.body.contains("You are signed in as <strong>ann</strong>"), "{}", form.body);
    let token = [("token", host.viewer.reveal())];
    assert_eq!(browser.submit(&form, "/sign-in", &token).await.status, 303);
    let page = browser.get("/bots").await;
    assert_eq!(signed_in_as(&page), Some("viewer"), "{}", page.body);
    let seats = browser.get("/play/bot").await;
    assert!(seats.body.contains("'s seats."), "{}", seats.body);
    assert_eq!(signed_in_as(&seats), Some("viewer"), "{}", seats.body);

    // A header has priority over both, even with a wrong token.
    browser.added = format!("Authorization: Bearer {bob}\r\n");
    let page = browser.get("/bots").await;
    assert_eq!((page.status, signed_in_as(&page)), (200, None), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    browser.added = "Authorization: Bearer lastnim_0\r\n".to_owned();
    assert_eq!(browser.get("/bots").await.status, 401);
    browser.added.clear();

    let page = browser.get("/bots").await;
    assert_eq!(browser.submit(&page, "/sign-out", &[]).await.status, 303);
    let page = browser.get("/bots").await;
    assert_eq!(signed_in_as(&page), Some("ann"), "{}", page.body);
    assert_eq!(browser.submit(&page, "/play/bot/sign-out", &[]).await.status, 303);
    assert_eq!(browser.get("/bots").await.status, 401);
    assert!(!host.bot("ann").await.connected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_session_counts_as_no_token() {
    let host = Host::with(Config { organiser_session: Duration::ZERO, ..Config::default() }).await;
    let mut browser = organise_pages::signed_in(&host).await;
    let page = browser.get("/bots").await;
    assert_eq!((page.status, signed_in_as(&page)), (200, None), "{}", page.body);

    // Replacing a token signs the browser out, and does not block pages that need no token.
    let host = Host::start().await;
    let ann = host.register("ann").await;
    let mut browser = Browser::open(&host);
    let form = browser.get("/sign-in").await;
    assert_eq!(browser.submit(&form, "/sign-in", &[("token", &ann)]).await.status, 303);
    assert_eq!(signed_in_as(&browser.get("/bots").await), Some("ann"));
    let rotate = pb::RotateTokenRequest { name: "ann".into() };
    host.bots().rotate_token(rotate).await.unwrap();
    let page = browser.get("/bots").await;
    assert_eq!((page.status, signed_in_as(&page)), (200, None), "{}", page.body);
    let form = browser.get("/sign-in").await;
    let refused = browser.submit(&form, "/sign-in", &[("token", &ann)]).await;
    assert!(refused.status == 401 && !refused.body.contains(&ann), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_signed_in_visitors_are_not_shared() {
    let host = host_on_sqlite("kept-signed-in").await;
    host.register_all(["one", "two"]).await;
    let id = host.create_tournament(round_robin(&[&[3]]), &["one", "two"]).await;
    let request = pb::CancelTournamentRequest { tournament_id: id.clone() };
    host.tournaments().cancel_tournament(request).await.unwrap();
    let path = format!("/tournaments/{id}");
    let mut organiser = organise_pages::signed_in(&host).await;
    for _ in 0..2 {
        let own = organiser.get(&path).await;
        assert_eq!((signed_in_as(&own), own.header("cache-control")), (Some("organiser"), "no-store"));
        let theirs = get(&host, &path).await;
        assert_eq!((theirs.status, signed_in_as(&theirs)), (200, None), "{}", theirs.body);
        assert!(!theirs.body.contains("form_token"), "{}", theirs.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_in_visitors_use_the_memory_limit_of_tokens() {
    let stranger_memory_bytes = 82 << 10;
    let config = Config { stranger_memory_bytes, stranger_memory_per_address: 82 << 10, ..Config::default() };
    let host = Host::with(config).await;
    let mut browser = organise_pages::signed_in(&host).await;
    // The stranger's live page leaves too little memory for another request of a stranger.
    let stream = EventSource::open(&host, "/events").await;
    let refused = get(&host, "/bots").await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    let page = browser.get("/bots").await;
    assert_eq!((page.status, signed_in_as(&page)), (200, Some("organiser")), "{}", page.body);
    browser.added = "X-Forwarded-For: 192.0.2.1\r\n".to_owned();
    assert_eq!(browser.get("/bots").await.status, 429, "a cookie that does not count changes nothing");
    drop(stream);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_of_other_sites_cannot_sign_in_or_out() {
    let host = Host::start().await;
    let mut browser = organise_pages::signed_in(&host).await;
    let page = browser.get("/bots").await;
    let body = form_body(&[("form_token", form_token(&page)), ("token", host.viewer.reveal())]);
    for path in ["/sign-out", "/sign-in"] {
        for headers in ["", "Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
            assert_eq!(browser.post_with(path, headers, &body).await.status, 403, "{path} {headers:?}");
        }
        assert_eq!(browser.post(path, "form_token=").await.status, 403, "{path}");
    }
    // Following a link changes nothing.
    assert_eq!(browser.get("/sign-out").await.status, 303);
    assert_eq!(signed_in_as(&browser.get("/bots").await), Some("organiser"));
}

/// The headers of a link from another site, without cookies.
const FROM_ELSEWHERE: &str = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_of_other_sites_are_redirected_without_setting_cookies() {
    let (public, private) = (Host::start().await, private_host().await);
    let public_paths = ["/organise", "/sign-in?to=%2Fbots", "/play", "/play/bot"];
    let private_paths = ["/", "/bots.json", "/oracle?piles=3%2C4&rows=1+2%3B2+1", "/organise", "/play/bot"];
    let cases = public_paths
        .map(|path| (&public, path))
        .into_iter()
        .chain(private_paths.map(|path| (&private, path)));
    for (host, path) in cases {
        let mut browser = Browser::open(host);
        browser.added = FROM_ELSEWHERE.to_owned();
        let answer = browser.get(path).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (200, ""), "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        let onward = answer.header("refresh").strip_prefix("0; url=").expect(path);
        assert!(
            answer.body.contains(&format!("href=\"{}\"", onward.replace('&', "&#38;"))),
            "{}",
            answer.body
        );
        // The redirect comes from this server, so it is not redirected again.
        browser.added = FROM_ELSEWHERE.replace("cross-site", "same-origin");
        let shown = browser.get(onward).await;
        assert_eq!(shown.header("refresh"), "", "{path}");
        assert!(!shown.body.contains("Continue to the page"), "{path}: {}", shown.body);
    }

    // Public pages are shown at once, without a cookie.
    let mut stranger = Browser::open(&public);
    stranger.added = FROM_ELSEWHERE.to_owned();
    for path in ["/", "/bots", "/bots.json", "/tournaments", "/oracle"] {
        let answer = stranger.get(path).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (200, ""), "{path}");
        assert!(!answer.body.contains("Continue to the page"), "{path}: {}", answer.body);
    }
    assert_eq!(stranger.get("/nothing").await.status, 404);

    // Requests with a token, or not opened by a person, are answered at once.
    let mut program = Browser::open(&private);
    program.added = format!("{FROM_ELSEWHERE}Authorization: Bearer {}\r\n", private.viewer.reveal());
    assert!(program.get("/bots").await.body.contains("<h1>Bots</h1>"));
    program.added = format!("{FROM_ELSEWHERE}Authorization: Bearer lastnim_0\r\n");
    assert_eq!(program.get("/bots").await.status, 401);
    program.added = FROM_ELSEWHERE.replace("navigate", "no-cors");
    assert_eq!(program.get("/bots").await.status, 401);
    // Forms are refused as before.
    let (mut organiser, form) = sign_in_to(&private, "/bots", private.admin.reveal()).await;
    let body = form_body(&[("form_token", form_token(&form))]);
    assert_eq!(organiser.post_with("/sign-out", FROM_ELSEWHERE, &body).await.status, 403);
    assert_eq!(signed_in_as(&organiser.get("/bots").await), Some("organiser"));
}
