//! The page where a person enters a bot with an entry code.

use super::browser::{Browser, form_body, form_token};
use super::entry_codes::create_code;
use super::host::{Host, round_robin};
use super::page_markup::assert_own_markup;
use super::session::BotSession;
use lastnim_server::Config;
use std::time::Duration;

const LINK: &str = ">Enter a bot with a code</a>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_enters_a_bot_with_the_code_and_sees_its_token_once() {
    let host = Host::start().await;
    host.register("taken").await;
    let id = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    let (tournament, path) = (format!("/tournaments/{id}"), format!("/tournaments/{id}/enter"));
    let mut browser = Browser::open(&host);
    assert!(!browser.get(&tournament).await.body.contains(LINK), "there is no code yet");
    let closed = browser.get(&path).await;
    assert!(closed.status == 200 && !closed.body.contains("name=\"code\""), "{}", closed.body);
    let code = create_code(&host, &id, 2).await.unwrap();
    let linked = browser.get(&tournament).await.body;
    assert!(linked.contains(&format!("<a href=\"{path}\"{LINK}")), "{linked}");

    let page = browser.get(&path).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
    for (name, typed, status, why) in [
        ("taken", code.as_str(), 409, "the name taken is taken"),
        ("<b>", &code, 422, "&#60;b&#62;"),
        ("new", "0000-0000-0000-0000", 403, "this is not its entry code"),
        ("new", "7k2m", 422, "expected 16 letters and digits"),
        ("new", "", 422, "expected 16 letters and digits"),
    ] {
        let refused = browser.submit(&page, &path, &[("name", name), ("code", typed)]).await;
        assert_eq!((refused.status, refused.header("cache-control")), (status, "no-store"), "{name} {typed}");
        let body = &refused.body;
        assert!(body.contains(why) && body.contains("role=\"alert\""), "{name} {typed}: {body}");
        assert!(!body.contains(&code) && !body.contains("<b>"), "{name} {typed}: {body}");
    }
    let drawn_token = |body: &str| {
        body.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let drawn = &drawn_token(&page.body);
    let entered = browser.submit(&page, &path, &[("name", "new"), ("code", &code), ("token", drawn)]).await;
    assert_eq!((entered.status, entered.header("cache-control")), (200, "no-store"), "{}", entered.body);
    assert!(entered.body.contains(&format!("export LASTNIM_TOURNAMENT={id}")), "{}", entered.body);
    assert!(!entered.body.contains(&code), "{}", entered.body);
    let token = entered.body.split("LASTNIM_TOKEN=").nth(1).unwrap().lines().next().unwrap();
    assert_eq!(token, drawn);
    let (_line, welcome) = BotSession::open(&host, token).await;
    assert_eq!(welcome.bot, "new");
    // The same form again, as after a double click or a lost answer.
    let again = browser.submit(&page, &path, &[("name", "new"), ("code", &code), ("token", token)]).await;
    assert_eq!((again.status, &again.body), (200, &entered.body));
    // The same form for another bot, after going back: the next form registers it.
    let used = browser.submit(&page, &path, &[("name", "other"), ("code", &code), ("token", token)]).await;
    assert_eq!((used.status, used.header("cache-control")), (409, "no-store"), "{}", used.body);
    let why = "a bot was already registered with this form";
    assert!(used.body.contains(why) && used.body.contains("value=\"other\""), "{}", used.body);
    let other = drawn_token(&used.body);
    let fields = [("name", "other"), ("code", code.as_str()), ("token", other.as_str())];
    let entered = browser.submit(&used, &path, &fields).await;
    assert_eq!(entered.status, 200, "{}", entered.body);
    assert!(entered.body.contains(&format!("LASTNIM_TOKEN={other}\n")), "{}", entered.body);
    for later in [&path, &tournament] {
        let page = browser.get(later).await;
        assert!(!page.body.contains(token) && !page.body.contains(&code), "{}", page.body);
    }
    assert!(!browser.get(&tournament).await.body.contains(LINK), "the code is used up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_page_shows_what_its_registrant_says_and_nothing_of_it_is_markup() {
    const TEAM: &str = "<b>Nimbers</b>\" onload=\"x";
    const SHOWN_LINK: &str = "<a href=\"https://example.org/?a&#38;b=&#39;c\" rel=\"nofollow noopener ugc\">https://example.org/?a&#38;b=&#39;c</a>";
    let host = Host::start().await;
    let id = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    let path = format!("/tournaments/{id}/enter");
    let code = create_code(&host, &id, 1).await.unwrap();
    let mut browser = Browser::open(&host);
    let page = browser.get(&path).await;
    for (field, typed) in
        [("link", "javascript:alert(1)"), ("link", "https://a@b.example"), ("author", "a\u{202e}b")]
    {
        let wrong = [("name", "new"), ("code", &code), ("team", TEAM), (field, typed)];
        let refused = browser.submit(&page, &path, &wrong).await;
        assert_eq!(refused.status, 422, "{typed}");
        let alert = format!("id=\"profile-mistake\" role=\"alert\">{field}: ");
        assert!(refused.body.contains(&alert), "{typed}: {}", refused.body);
        assert_own_markup(typed, &refused.body, "");
    }
    let typed = [
        ("name", "new"),
        ("code", &code),
        ("team", TEAM),
        ("author", " Ada "),
        ("link", "https://example.org/?a&b='c"),
    ];
    let entered = browser.submit(&page, &path, &typed).await;
    assert_eq!(entered.status, 200, "{}", entered.body);
    let shown = browser.get("/bots/new").await.body;
    assert!(shown.contains("Author: <bdi>Ada</bdi>"), "{shown}");
    assert!(shown.contains("Team: <bdi>&#60;b&#62;Nimbers&#60;/b&#62;"), "{shown}");
    assert!(shown.contains(SHOWN_LINK), "{shown}");
    assert_own_markup("the page of a bot", &shown.replace(SHOWN_LINK, ""), "");
    let profile = host.bot("new").await.profile.unwrap();
    assert_eq!((profile.team.as_str(), profile.author.as_str()), (TEAM, "Ada"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_enter_a_private_server_but_foreign_forms_and_guesses_are_refused() {
    let config = Config {
        private: true,
        failed_logins: 2,
        failed_login_interval: Duration::from_hours(1),
        ..Config::default()
    };
    let host = Host::with(config).await;
    let id = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    let path = format!("/tournaments/{id}/enter");
    let code = create_code(&host, &id, 2).await.unwrap();
    let mut browser = Browser::open(&host);
    let page = browser.get(&path).await;
    assert!(page.status == 200 && !page.body.contains("live"), "its title is private: {}", page.body);
    let fields = [("form_token", form_token(&page)), ("name", "forged"), ("code", &code)];
    let forged = browser.post_with(&path, "Origin: http://evil.example\r\n", &form_body(&fields)).await;
    assert_eq!(forged.status, 403, "{}", forged.body);
    let without_token = browser.post(&path, &form_body(&fields[1..])).await;
    assert_eq!(without_token.status, 403, "{}", without_token.body);
    for expected in [403, 403, 429, 429] {
        let guess = [("name", "new"), ("code", "0000-0000-0000-0000")];
        assert_eq!(browser.submit(&page, &path, &guess).await.status, expected);
    }
    let entered = browser.submit(&page, &path, &[("name", "new"), ("code", &code.to_uppercase())]).await;
    assert!(entered.status == 200 && entered.body.contains("LASTNIM_TOKEN="), "{}", entered.body);
    let unknown = browser.get("/tournaments/01890a5d-ac96-774b-bcce-b302099a8057/enter").await;
    assert_eq!(unknown.status, 200, "a stranger does not learn which tournaments exist");
}
