//! Access to the pages of organisers.

use super::browser::{Browser, form_body, form_token};
use super::host::Host;
use super::pages::send;
use lastnim_server::Config;
use lastnim_store::Token;
use std::time::Duration;

const COOKIE: &str = "lastnim_session";

async fn signed_in(host: &Host) -> Browser<'_> {
    let mut browser = Browser::open(host);
    let page = browser.get("/organise").await;
    let answer = browser.submit(&page, "/organise/sign-in", &[("token", host.admin.reveal())]).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/organise"), "{}", answer.body);
    browser
}

async fn is_signed_in(browser: &mut Browser<'_>) -> bool {
    let page = browser.get("/organise").await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    let [asks, shows] = ["Admin token", "Sign out"].map(|words| page.body.contains(words));
    assert_ne!(asks, shows, "{}", page.body);
    shows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_lasts_until_signing_out() {
    let host = Host::start().await;
    let mut browser = Browser::open(&host);
    let page = browser.get("/organise").await;
    let before = browser.cookie(COOKIE).expect("the cookie of the form").to_owned();
    let answer = browser.submit(&page, "/organise/sign-in", &[("token", host.admin.reveal())]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let cookie = answer.header("set-cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert_ne!(browser.cookie(COOKIE), Some(before.as_str()), "signing in changes the cookie");
    assert!(is_signed_in(&mut browser).await);
    let mut earlier = Browser::open(&host);
    earlier.keep_cookie(COOKIE, &before);
    assert!(!is_signed_in(&mut earlier).await);

    // Signing out invalidates the earlier cookie as well.
    let kept = browser.cookie(COOKIE).unwrap().to_owned();
    let page = browser.get("/organise").await;
    assert!(!page.body.contains(host.admin.reveal()) && !page.body.contains(&kept), "{}", page.body);
    assert_eq!(browser.submit(&page, "/organise/sign-out", &[]).await.status, 303);
    assert_eq!(browser.cookie(COOKIE), None);
    browser.keep_cookie(COOKIE, &kept);
    assert!(!is_signed_in(&mut browser).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_expires() {
    let host = Host::with(Config { organiser_session: Duration::ZERO, ..Config::default() }).await;
    assert!(!is_signed_in(&mut signed_in(&host).await).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_forms_are_refused() {
    let host = Host::start().await;
    let mut browser = signed_in(&host).await;
    let page = browser.get("/organise").await;
    let body = form_body(&[("form_token", form_token(&page))]);
    let mut other = signed_in(&host).await;
    let others = form_body(&[("form_token", form_token(&other.get("/organise").await))]);
    for (body, why) in [
        ("", "is from an earlier visit"),
        ("form_token=", "is from an earlier visit"),
        (
            "form_token=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "is from an earlier visit",
        ),
        (&others, "is from an earlier visit"),
    ] {
        let answer = browser.post("/organise/sign-out", body).await;
        assert!(
            answer.status == 403 && answer.body.contains(why),
            "{body}: {} {}",
            answer.status,
            answer.body
        );
    }
    for headers in [
        "",
        "Origin: null\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: https://127.0.0.1\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Sec-Fetch-Site: none\r\n",
    ] {
        let answer = browser.post_with("/organise/sign-out", headers, &body).await;
        assert_eq!(answer.status, 403, "{headers:?}: {}", answer.body);
        assert!(
            answer.body.contains("The form&#39;s origin is unknown")
                || answer.body.contains("The form was sent from")
        );
    }
    let mut nobody = Browser::open(&host);
    let answer = nobody.post("/organise/sign-out", &body).await;
    assert!(answer.status == 403 && answer.body.contains("without its cookie"), "{}", answer.body);
    assert!(is_signed_in(&mut browser).await, "the session is not affected");
    let answer = browser.post_with("/organise/sign-out", "Sec-Fetch-Site: same-origin\r\n", &body).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_forms_are_refused_with_reasons() {
    let host = Host::start().await;
    let mut browser = Browser::open(&host);
    browser.get("/organise").await;
    let large = "x".repeat(65_537);
    let answer = browser.post("/organise/sign-in", &large).await;
    assert!(answer.status == 413 && answer.body.contains("at most 65536 bytes"), "{}", answer.body);
    let answer = browser.post("/organise/sign-in", &"a&".repeat(2_000)).await;
    assert!(answer.status == 400 && answer.body.contains("Too many fields"), "{}", answer.body);
    let own = &host.address;
    let head = format!("Host: {own}\r\nConnection: close\r\nOrigin: http://{own}\r\n");
    let cookie = format!("Cookie: {COOKIE}={}\r\n", browser.cookie(COOKIE).unwrap());
    let json = format!(
        "POST /organise/sign-in HTTP/1.1\r\n{head}{cookie}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    let answer = send(&host, &json).await;
    assert!(answer.status == 415 && answer.body.contains("application/json"), "{}", answer.body);
    let put = send(&host, &format!("PUT /organise HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n")).await;
    assert_eq!((put.status, put.header("allow")), (405, "GET, HEAD, POST"));
    let post = send(&host, &format!("POST /bots HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n")).await;
    assert_eq!((post.status, post.header("allow")), (405, "GET, HEAD"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_forms_time_out() {
    let host = Host::with(Config { request_timeout: Duration::from_secs(2), ..Config::default() }).await;
    let mut browser = Browser::open(&host);
    browser.get("/organise").await;
    let own = &host.address;
    let cookie = format!("Cookie: {COOKIE}={}\r\n", browser.cookie(COOKIE).unwrap());
    let begun = format!(
        "POST /organise/sign-in HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\nOrigin: http://{own}\r\n{cookie}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken="
    );
    assert_eq!(send(&host, &begun).await.status, 408);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organising_needs_a_protected_connection() {
    let host = Host::start().await;
    for (name, added) in [
        ("127.0.0.1:7600", "X-Forwarded-For: 192.0.2.1\r\n"),
        ("evil.example", ""),
        ("cup.example", "X-Forwarded-Proto: https\r\n"),
    ] {
        let request = format!("GET /organise HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n{added}\r\n");
        let answer = send(&host, &request).await;
        assert!(answer.status == 403 && answer.body.contains("x-forwarded-proto"), "{name}: {}", answer.body);
        assert!(!answer.body.contains("<form"), "{}", answer.body);
    }
    // The header of a trusted proxy counts.
    let trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let host = Host::with(Config { trusted_proxies, ..Config::default() }).await;
    let mut browser = Browser::open(&host);
    let client = "X-Forwarded-For: 192.0.2.1\r\n";
    for said in ["", "X-Forwarded-Proto: http\r\n", "X-Forwarded-Proto: https, http\r\n"] {
        browser.added = format!("{client}{said}");
        assert_eq!(browser.get("/organise").await.status, 403, "{said}");
    }
    browser.added = format!("{client}X-Forwarded-Proto: https\r\n");
    let page = browser.get("/organise").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let body = form_body(&[("form_token", form_token(&page)), ("token", host.admin.reveal())]);
    // The server sees http, but the browser uses https.
    assert_eq!(browser.post("/organise/sign-in", &body).await.status, 403);
    let origin = format!("Origin: https://{}\r\n", host.address);
    let answer = browser.post_with("/organise/sign-in", &origin, &body).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert!(answer.header("set-cookie").ends_with("; Secure"), "{}", answer.header("set-cookie"));
    assert!(is_signed_in(&mut browser).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_tokens_are_refused() {
    let host = Host::start().await;
    let mut browser = Browser::open(&host);
    let page = browser.get("/organise").await;
    let bot = host.register("ann").await;
    for (token, status, why) in [
        ("", 401, "token: "),
        ("short", 401, "unknown token"),
        ("caf\u{e9} <script>alert(2)</script> with blanks and more", 401, "token: "),
        (bot.as_str(), 403, "this call needs the admin"),
        (host.viewer.reveal(), 403, "this call needs the admin"),
    ] {
        let answer = browser.submit(&page, "/organise/sign-in", &[("token", token)]).await;
        assert_eq!(answer.status, status, "{token}: {}", answer.body);
        assert!(answer.body.contains(why) && !answer.body.contains("<script>alert"), "{}", answer.body);
        assert!(
            token.is_empty() || !answer.body.contains(token),
            "what was typed is not shown: {}",
            answer.body
        );
    }
    assert!(!is_signed_in(&mut browser).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_tokens_are_counted() {
    let failed_login_interval = Duration::from_hours(1);
    let host = Host::with(Config { failed_logins: 3, failed_login_interval, ..Config::default() }).await;
    let mut browser = Browser::open(&host);
    let page = browser.get("/organise").await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let guess = Token::generate();
        statuses.push(browser.submit(&page, "/organise/sign-in", &[("token", guess.reveal())]).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 429, 429, 429]);
    let right = browser.submit(&page, "/organise/sign-in", &[("token", host.admin.reveal())]).await;
    assert_eq!(right.status, 303, "a valid token passes despite the guesses");
    assert!(is_signed_in(&mut browser).await);
}
