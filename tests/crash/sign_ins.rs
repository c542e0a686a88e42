//! People who are signed in on the pages, and guests, continue after a restart or a takeover.

use super::database::Database;
use super::database_pair::is_ready;
use super::server::{ADMIN, Start, TIMEOUT};
use super::stage::Stage;
use super::standby::stand_by;
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A browser without scripts.
#[derive(Debug, Clone, Default)]
struct Browser {
    cookies: BTreeMap<String, String>,
}

impl Browser {
    /// Loads a page.
    fn get(&mut self, start: &Start, path: &str) -> String {
        self.send(start, "GET", path, "", "")
    }

    /// Sends a form of a page, which the same or another server wrote.
    fn submit(&mut self, start: &Start, page: &str, path: &str, fields: &str) -> String {
        let body = format!("form_token={}&{fields}", value_after(page, "name=\"form_token\" value=\""));
        let headers = format!(
            "Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            start.address(),
            body.len()
        );
        self.send(start, "POST", path, &headers, &body)
    }

    fn send(&mut self, start: &Start, method: &str, path: &str, headers: &str, body: &str) -> String {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let (address, cookies) = (start.address(), cookies.join("; "));
        let mut stream = TcpStream::connect(&address).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        write!(stream, "{head}Cookie: {cookies}\r\n{headers}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        for cookie in answer.lines().filter_map(|line| line.strip_prefix("set-cookie: ")) {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        answer
    }

    /// Signs in with a token.
    fn sign_in(start: &Start, form: &str, path: &str, token: &str) -> Self {
        let mut browser = Self::default();
        let page = browser.get(start, form);
        let answer = browser.submit(start, &page, path, &format!("token={token}"));
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        browser
    }
}

/// Returns what follows `before` on a page, up to the next quotation mark.
fn value_after<'p>(page: &'p str, before: &str) -> &'p str {
    let found = page.split(before).nth(1).unwrap_or_else(|| panic!("{before} is missing: {page}"));
    found.split('"').next().unwrap()
}

/// People in front of browsers.
struct People {
    organiser: Browser,
    /// A page of the organiser, with forms.
    bots_page: String,
    /// The number of bots that the organiser has registered.
    registered: usize,
    /// Plays as the bot `anna`.
    player: Browser,
    guest: Browser,
    /// The path of the guest's game.
    game: String,
}

impl People {
    async fn arrive(stage: &Stage) -> Self {
        let (start, token) = (&stage.start, stage.organiser.register("anna").await);
        let mut organiser = Browser::sign_in(start, "/sign-in", "/sign-in", ADMIN);
        let bots_page = organiser.get(start, "/organise/bots");
        let player = Browser::sign_in(start, "/play/bot", "/play/bot/sign-in", &token);
        let mut guest = Browser::default();
        let table = guest.get(start, "/play");
        let game =
            "against-timid=on&piles=900&size=small&ending=last_mover_wins&seat=0&time=3600&rows=standard";
        let begun = guest.submit(start, &table, "/play", game);
        assert!(begun.starts_with("HTTP/1.1 303"), "{begun}");
        let game = begun.lines().find_map(|line| line.strip_prefix("location: ")).unwrap().to_owned();
        let mut people = Self { organiser, bots_page, registered: 0, player, guest, game };
        people.check(start).await;
        people
    }

    /// Checks that a server knows everybody, and that all can act.
    async fn check(&mut self, start: &Start) {
        // The page with the form may be from the other server.
        let name = format!("name=bot-{}", self.registered);
        let registered = self.organiser.submit(start, &self.bots_page, "/organise/bots", &name);
        assert!(
            registered.starts_with("HTTP/1.1 200") && registered.contains("shown only once"),
            "{registered}"
        );
        self.registered += 1;
        let seats = self.player.get(start, "/play/bot");
        assert!(seats.contains("anna</a>'s seats.") && seats.contains(" data-followed"), "{seats}");
        let page = self.game_page(start).await;
        let ply: u32 = value_after(&page, "name=\"ply\" value=\"").parse().unwrap();
        let taken = self.guest.submit(start, &page, &self.game, &format!("act=take&ply={ply}&take=1"));
        assert!(taken.starts_with("HTTP/1.1 303"), "{taken}");
        let page = self.game_page(start).await;
        assert!(value_after(&page, "name=\"ply\" value=\"").parse::<u32>().unwrap() > ply, "{page}");
    }

    /// Returns the page of the game once it is the guest's turn.
    async fn game_page(&mut self, start: &Start) -> String {
        let began = Instant::now();
        loop {
            let page = self.guest.get(start, &self.game);
            assert!(page.starts_with("HTTP/1.1 200"), "{page}");
            if page.contains("name=\"ply\" value=\"") {
                return page;
            }
            assert!(began.elapsed() < TIMEOUT, "it is never the guest's turn: {page}");
            tokio::task::yield_now().await;
        }
    }
}

async fn wait_until_ready(start: &Start) {
    let began = Instant::now();
    while !is_ready(start) {
        assert!(began.elapsed() < TIMEOUT, "the server does not serve: {}", start.log_text());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn is_organiser(browser: &mut Browser, start: &Start) -> bool {
    let page = browser.get(start, "/organise");
    let [asks, shows] = ["Admin token", "Sign out"].map(|words| page.contains(words));
    assert_ne!(asks, shows, "{page}");
    shows
}

/// Signs in on a server whose sign-ins expire after `lifetime`, and sees that it is accepted. On a machine so slow that it
/// expires before that, signs in again.
fn sign_in_for(lifetime: Duration, start: &Start) -> Browser {
    let first = Instant::now();
    loop {
        let began = Instant::now();
        let mut visitor = Browser::sign_in(start, "/sign-in", "/sign-in", ADMIN);
        if is_organiser(&mut visitor, start) {
            return visitor;
        }
        assert!(began.elapsed() >= lifetime, "the cookie is refused before it expires");
        assert!(first.elapsed() < TIMEOUT, "the machine is too slow");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_in_people_and_guests_continue_after_a_takeover() {
    let Some((mut stage, mut second)) = Stage::for_pair() else { return };
    for start in [&mut stage.start, &mut second] {
        start.more.extend(["--house", "timid"].map(str::to_owned));
    }
    let active = stage.start.start().await;
    let standby = stand_by(&second, 1).await;
    let mut people = People::arrive(&stage).await;
    active.kill();
    wait_until_ready(&second).await;
    people.check(&second).await;
    let successor = stand_by(&stage.start, 1).await;
    standby.signal("USR1");
    wait_until_ready(&stage.start).await;
    people.check(&stage.start).await;
    drop(standby);
    successor.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_in_people_and_guests_continue_after_a_restart() {
    let mut stage = Stage::new(Database::sqlite);
    stage.start.more.extend(["--house", "timid"].map(str::to_owned));
    let server = stage.start.start().await;
    let mut people = People::arrive(&stage).await;
    server.kill();
    let server = stage.start.start().await;
    people.check(&stage.start).await;

    // A changed cookie is refused.
    let start = stage.start.clone();
    let mut forger = people.organiser.clone();
    let cookie = forger.cookies.get_mut("lastnim_session").unwrap();
    let other = if cookie.starts_with('A') { "B" } else { "A" };
    cookie.replace_range(..1, other);
    assert!(!is_organiser(&mut forger, &start) && is_organiser(&mut people.organiser, &start));

    // So is a cookie with a token that was replaced, also after another restart.
    let asked = people.organiser.submit(
        &start,
        &people.bots_page,
        "/organise/bots/rotate",
        "name=anna&confirmed=yes",
    );
    assert!(asked.contains("shown only once"), "{asked}");
    let kept = people.player.clone();
    assert!(people.player.get(&start, "/play/bot").contains("Token of the bot"));
    server.kill();
    let server = start.start().await;
    assert!(kept.clone().get(&start, "/play/bot").contains("Token of the bot"));
    assert!(is_organiser(&mut people.organiser, &start));
    server.stop();

    // A cookie is accepted until it expires.
    let mut brief = start.clone();
    brief.more.extend(["--organiser-session", "2s"].map(str::to_owned));
    let server = brief.start().await;
    let mut visitor = sign_in_for(Duration::from_secs(2), &brief);
    let began = Instant::now();
    while is_organiser(&mut visitor, &brief) {
        assert!(began.elapsed() < TIMEOUT, "the cookie does not expire");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.stop();
}
