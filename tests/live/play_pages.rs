//! Games played in the browser without scripts.

use super::browser::{Browser, form_body, form_token};
use super::host::{Host, soon};
use super::pages::{Answer, get};
use super::practice::{hosting, new_store, serve};
use lastnim_proto::{pb, record::verify_record, record_file::read_record};
use lastnim_server::Config;
use pb::record_event::Event;
use std::time::Duration;
use tonic::Code;

/// A person who plays in a browser.
pub struct Guest<'h> {
    pub browser: Browser<'h>,
    /// The current page.
    pub page: Answer,
    /// The address of the game.
    pub address: String,
}

/// A game against one opponent: the guest moves first and its clock does not run out.
pub const DUEL: [(&str, &str); 5] =
    [("size", "small"), ("ending", "last_mover_wins"), ("seat", "0"), ("time", "3600"), ("rows", "standard")];

/// Returns the fields of a duel on some piles.
pub fn duel<'a>(opponent: &'a str, piles: &'a str) -> Vec<(&'a str, &'a str)> {
    [(opponent, "on"), ("piles", piles)].into_iter().chain(DUEL).collect()
}

impl<'h> Guest<'h> {
    /// Starts a game.
    pub async fn begin(host: &'h Host, fields: &[(&str, &str)]) -> Self {
        Self::begin_in(Browser::open(host), fields).await
    }

    pub async fn begin_in(mut browser: Browser<'h>, fields: &[(&str, &str)]) -> Self {
        let table = browser.get("/play").await;
        let begun = browser.submit(&table, "/play", fields).await;
        assert_eq!(begun.status, 303, "{}", begun.body);
        let address = begun.header("location").to_owned();
        let page = browser.get(&address).await;
        assert_eq!(page.status, 200, "{}", page.body);
        Self { browser, page, address }
    }

    fn id(&self) -> &str {
        self.address.strip_prefix("/play/").unwrap()
    }

    fn is_over(&self) -> bool {
        !self.page.body.contains(" data-followed")
    }

    /// Returns the ply and the counters of the pile in play, if it is the guest's turn.
    fn turn(&self) -> Option<(u32, u64)> {
        let attribute_after =
            |before: &str| Some(self.page.body.split(before).nth(1)?.split('"').next()?.to_owned());
        Some((
            attribute_after("name=\"ply\" value=\"")?.parse().unwrap(),
            attribute_after("data-max=\"")?.parse().unwrap(),
        ))
    }

    /// Sends a form on the page, and loads the page that it redirects to.
    pub async fn act(&mut self, fields: &[(&str, &str)]) {
        let answer = self.browser.submit(&self.page, &self.address, fields).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, self.address.as_str()),
            "{}",
            answer.body
        );
        self.page = self.browser.get(&self.address).await;
        assert_eq!(self.page.status, 200, "{}", self.page.body);
    }

    async fn take(&mut self, ply: u32, take: u64) {
        let (ply, take) = (ply.to_string(), take.to_string());
        self.act(&[("act", "take"), ("ply", &ply), ("take", &take)]).await;
    }

    /// Waits until something happens that the page does not show.
    async fn wait(&mut self) {
        let revision = self.page.body.split("data-revision=\"").nth(1).unwrap().split('"').next().unwrap();
        self.page = self.browser.get(&format!("{}?since={revision}", self.address)).await;
        assert_eq!(self.page.status, 200, "{}", self.page.body);
    }

    /// Waits until the page contains a string.
    async fn until_shown(&mut self, words: &str) {
        let waiting = async {
            while !self.page.body.contains(words) {
                self.wait().await;
            }
        };
        soon(words, waiting).await;
    }

    /// Waits for the guest's turn or the end of the game.
    pub async fn until_awaited(&mut self) {
        while !self.is_over() && self.turn().is_none() {
            self.wait().await;
        }
    }

    /// Takes one counter at a time until the game is over.
    pub async fn play_on(&mut self) {
        loop {
            self.until_awaited().await;
            let Some((ply, _)) = self.turn() else { return };
            self.take(ply, 1).await;
        }
    }

    fn assert_shows(&self, words: &str) {
        assert!(self.page.body.contains(words), "{words:?} is missing:\n{}", self.page.body);
    }
}

/// Returns the takes of a match with their seats.
async fn takes(host: &Host, id: &str) -> Vec<(u32, u64)> {
    let seat_and_take = |event: pb::RecordEvent| match event.event {
        Some(Event::Took(took)) => Some((took.seat, took.take)),
        _ => None,
    };
    host.record(id).await.events.into_iter().filter_map(seat_and_take).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_played_to_its_end_against_each_house_bot() {
    let host = Host::with(hosting(&["oracle", "easy=timid"])).await;
    for (opponent, seat) in [("against-oracle", "0"), ("against-easy", "1"), ("against-easy", "drawn")] {
        let fields: Vec<_> = duel(opponent, "2 3")
            .into_iter()
            .map(|(name, value)| (name, if name == "seat" { seat } else { value }))
            .collect();
        let mut guest = Guest::begin(&host, &fields).await;
        assert!(guest.browser.cookie("lastnim_guest").is_some());
        guest.play_on().await;
        guest.assert_shows("How you played");
        guest.assert_shows("class=\"change\"");
        let id = guest.id().to_owned();
        let shown = host.get_match(&id).await;
        let game = shown.r#match.clone().unwrap();
        let bots = game.setup.unwrap().bots;
        let own = bots.iter().position(|bot| bot.starts_with("guest-")).unwrap();
        assert_eq!(game.reason, i32::from(pb::EndReason::Finished));
        guest.assert_shows(if game.winner == Some(own as u32) {
            "<h1 id=\"headline\">You won</h1>"
        } else {
            "You lost to "
        });
        // Every error of the guest is listed with a link to its ply.
        let errors =
            shown.audit.unwrap().plies.into_iter().filter(|ply| ply.seat == own as u32 && ply.regret > 0);
        for error in errors {
            guest.assert_shows(&format!(
                "<a href=\"/matches/{id}?ply={}\">At take {0} you took",
                error.ply + 1
            ));
        }
        // It is a match like any other.
        let record = get(&host, &format!("/matches/{id}/record.json")).await;
        assert!(verify_record(&read_record(&record.body).unwrap()).unwrap().seal().is_some());
        let watched = get(&host, &format!("/matches/{id}")).await;
        assert!(watched.status == 200 && watched.body.contains(&bots[own]), "{}", watched.body);
        assert!(!watched.body.contains(&format!("/bots/{}", bots[own])), "guests have no page");
    }
    assert_eq!(
        get(&host, "/bots.json").await.json()["bots"].as_array().unwrap().len(),
        2,
        "guests are not bots"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_declared_and_a_game_is_played_again() {
    let host = Host::with(hosting(&["oracle", "timid"])).await;
    let fields: Vec<_> = duel("against-timid", "1 2")
        .into_iter()
        .chain([("against-oracle", "on")])
        .map(|(name, value)| (name, if name == "rows" { "declared" } else { value }))
        .collect();
    let mut guest = Guest::begin(&host, &fields).await;
    guest.assert_shows("Whom would you like to see win?");
    // An invalid row is refused, and the form keeps it.
    let answer =
        guest.browser.submit(&guest.page, &guest.address, &[("act", "declare"), ("row", "2 2 1")]).await;
    assert_eq!(answer.status, 422);
    assert!(
        answer.body.contains("the seat in place 2 was already chosen: choose each seat once"),
        "{}",
        answer.body
    );
    assert_eq!(answer.body.matches("type=\"radio\"").count(), 6, "{}", answer.body);
    guest.act(&[("act", "declare"), ("row", "2 0 1")]).await;
    guest.play_on().await;
    let rows = host.record(guest.id()).await.events.into_iter().find_map(|event| match event.event {
        Some(Event::Revealed(revealed)) => revealed.alliance_matrix,
        _ => None,
    });
    assert_eq!(rows.unwrap().rows[0].offsets, [2, 0, 1]);

    let again = [("act", "again"), ("ply", "0")];
    let begun = guest.browser.submit(&guest.page, &guest.address, &again).await;
    assert_eq!(begun.status, 303, "{}", begun.body);
    let next = begun.header("location").strip_prefix("/play/").unwrap().to_owned();
    assert_ne!(next, guest.id());
    let [first, second] = [guest.id(), &next].map(|id| host.get_match(id));
    let [first, second] = [first.await, second.await].map(|shown| shown.r#match.unwrap().setup.unwrap());
    assert_eq!((first.bots, first.piles, first.ending), (second.bots, second.piles, second.ending));
    assert_eq!(first.clock, second.clock);
    // The open game is listed.
    let table = guest.browser.get("/play").await;
    assert!(table.body.contains(&format!("<a href=\"/play/{next}\">")), "{}", table.body);
    guest.address = format!("/play/{next}");
    guest.page = guest.browser.get(&guest.address).await;
    guest.act(&[("act", "resign")]).await;
    guest.until_shown("You lost your seat: you resigned").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_can_go_back_to_an_earlier_take() {
    let host = Host::with(hosting(&["oracle", "timid"])).await;
    let fields: Vec<_> = duel("against-timid", "3 4 5")
        .into_iter()
        .chain([("against-oracle", "on")])
        .map(|(name, value)| (name, if name == "rows" { "declared" } else { value }))
        .collect();
    let mut guest = Guest::begin(&host, &fields).await;
    guest.act(&[("act", "declare"), ("row", "2 0 1")]).await;
    // An open game cannot go back.
    let answer = guest.browser.submit(&guest.page, &guest.address, &[("act", "again"), ("ply", "0")]).await;
    assert!(answer.body.contains("This game is not over"), "{}", answer.body);
    guest.play_on().await;
    let own: Vec<_> = takes(&host, guest.id()).await;
    let played = host.record(guest.id()).await;
    // The guest is in seat 0 of 3, so that its second take is at ply 3.
    let taken: u64 = own[..3].iter().map(|(_, take)| take).sum();
    let mut left = vec![3, 4, 5];
    let mut counters = taken;
    while counters > 0 {
        let pile = left.last_mut().unwrap();
        let part = counters.min(*pile);
        (*pile, counters) = (*pile - part, counters - part);
        left.retain(|&pile| pile > 0);
    }
    let begun = guest.browser.submit(&guest.page, &guest.address, &[("act", "again"), ("ply", "3")]).await;
    assert_eq!(begun.status, 303, "{}", begun.body);
    let next = begun.header("location").strip_prefix("/play/").unwrap().to_owned();
    let again = host.get_match(&next).await.r#match.unwrap().setup.unwrap();
    let first = host.get_match(guest.id()).await.r#match.unwrap().setup.unwrap();
    assert_eq!((again.piles, again.first, again.bots, again.clock), (left, 0, first.bots, first.clock));
    let rows = played.events.into_iter().find_map(|event| match event.event {
        Some(Event::Revealed(revealed)) => revealed.alliance_matrix,
        _ => None,
    });
    assert_eq!(again.assigned, rows);
    // There is no counter to take after the last one.
    let last = own.len().to_string();
    for (ply, status) in [(last.as_str(), 400), ("4000000000", 404), ("x", 400)] {
        let answer =
            guest.browser.submit(&guest.page, &guest.address, &[("act", "again"), ("ply", ply)]).await;
        assert_eq!(answer.status, status, "{ply}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_explained() {
    let host = Host::with(hosting(&["timid"])).await;
    let mut guest = Guest::begin(&host, &duel("against-timid", "5 9")).await;
    assert_eq!(guest.turn(), Some((0, 9)));
    let first =
        form_body(&[("form_token", form_token(&guest.page)), ("act", "take"), ("ply", "0"), ("take", "2")]);
    // A repeated form counts once.
    for _ in 0..2 {
        assert_eq!(guest.browser.post(&guest.address, &first).await.status, 303);
    }
    guest.page = guest.browser.get(&guest.address).await;
    guest.until_shown("Take 2: timid took 1 of 7").await;
    assert_eq!(takes(&host, guest.id()).await, [(0, 2), (1, 1)]);
    assert_eq!(guest.turn(), Some((2, 6)));
    assert!(!guest.page.body.contains("Your move was not accepted"), "{}", guest.page.body);

    // A different take at a past ply changes nothing; one at a future ply costs a strike.
    for (ply, why) in
        [("0", "take 1 was already made: you took 2"), ("1", "take 2 was already made: timid took 1")]
    {
        let fields = [("act", "take"), ("ply", ply), ("take", "3")];
        let answer = guest.browser.submit(&guest.page, &guest.address, &fields).await;
        assert!(answer.status == 422 && answer.body.contains(why), "{}", answer.body);
    }
    guest.take(9, 1).await;
    guest
        .until_shown("Your move was not accepted: ply 9 is in the future: the match has reached ply 2")
        .await;
    guest.assert_shows("You have 1 strike; you lose the seat when you have 3.");
    // So does a take that is too large.
    guest.take(2, 7).await;
    guest.until_shown("take 1 to 6").await;
    guest.assert_shows("You have 2 strikes; you lose the seat when you have 3.");
    // An invalid number never reaches the match.
    for take in ["", "abc", "-1", "1.5", "18446744073709551616", "<b>"] {
        let fields = [("act", "take"), ("ply", "2"), ("take", take)];
        let answer = guest.browser.submit(&guest.page, &guest.address, &fields).await;
        assert_eq!(answer.status, 422, "{take}");
        assert!(
            answer.body.contains("expected a whole number") && !answer.body.contains("<b>\""),
            "{}",
            answer.body
        );
    }
    guest.take(2, 6).await;
    guest.until_shown("take 1 to 4").await;
    assert!(!guest.page.body.contains("Your move was not accepted"), "{}", guest.page.body);
    assert_eq!(takes(&host, guest.id()).await, [(0, 2), (1, 1), (0, 6), (1, 1)]);
    guest.assert_shows("You have 2 strikes");
    for words in
        ["Your turn: take 1 to 4", "aria-label=\"take 4 of 4\"", "timid took 1 of 5", "you took 6 of 6"]
    {
        guest.assert_shows(words);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_forms_are_refused() {
    let host = Host::with(hosting(&["timid"])).await;
    let mut guest = Guest::begin(&host, &duel("against-timid", "5")).await;
    let token = form_token(&guest.page).to_owned();
    let own = form_body(&[("form_token", &token), ("act", "take"), ("ply", "0"), ("take", "1")]);
    let other = Guest::begin(&host, &duel("against-timid", "5")).await;
    let others =
        form_body(&[("form_token", form_token(&other.page)), ("act", "take"), ("ply", "0"), ("take", "1")]);
    assert_eq!(guest.browser.post(&guest.address, &others).await.status, 403, "a token of somebody else");
    assert_eq!(guest.browser.post(&guest.address, "act=take&ply=0&take=1").await.status, 403, "no token");
    let foreign = guest.browser.post_with(&guest.address, "Origin: http://evil.example\r\n", &own).await;
    assert_eq!(foreign.status, 403, "another site");
    assert_eq!(guest.browser.post_with(&guest.address, "", &own).await.status, 403, "an unknown origin");
    let mut stranger = Browser::open(&host);
    let refused = stranger.post(&guest.address, &own).await;
    assert!(refused.status == 403 && refused.body.contains("without its cookie"), "{}", refused.body);
    // Somebody else's cookie and token identify somebody else.
    let Guest { browser: mut somebody, .. } = other;
    for answer in [
        somebody.get(&guest.address).await,
        somebody.post(&guest.address, &others).await,
        stranger.get(&guest.address).await,
    ] {
        assert!(
            answer.status == 403 && answer.body.contains("This game belongs to another player"),
            "{}",
            answer.body
        );
    }
    assert!(takes(&host, guest.id()).await.is_empty());
    let missing = guest.browser.get("/play/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f").await;
    assert_eq!(missing.status, 404);
    assert_eq!(guest.browser.post(&guest.address, &own).await.status, 303);
    guest.page = guest.browser.get(&guest.address).await;
    guest.until_shown("you took 1 of 5").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_out_of_time_loses_the_seat() {
    let host = Host::with(hosting(&["timid"])).await;
    let fields: Vec<_> = duel("against-timid", "3")
        .into_iter()
        .map(|(name, value)| (name, if name == "time" { "1" } else { value }))
        .collect();
    let mut guest = Guest::begin(&host, &fields).await;
    while !guest.is_over() {
        guest.wait().await;
    }
    guest.assert_shows("You lost your seat: your time ran out");
    guest.assert_shows("Your seat won, played by the steward");
    // The game is over: forms lead to the same page.
    guest.act(&[("act", "take"), ("ply", "0"), ("take", "1")]).await;
    guest.assert_shows("How you played");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_continues_after_a_restart_of_the_server() {
    let store = new_store("guests");
    let config = || Config { shutdown_grace: Duration::ZERO, ..hosting(&["timid"]) };
    let first = serve(&store, config()).await;
    let host = Host::at(&first.address, &first.admin).await;
    let mut guest = Guest::begin(&host, &duel("against-timid", "4 4")).await;
    guest.take(0, 1).await;
    guest.until_awaited().await;
    let (address, cookie) =
        (guest.address.clone(), guest.browser.cookie("lastnim_guest").unwrap().to_owned());
    first.stop().await.unwrap();

    let second = serve(&store, config()).await;
    let host = Host::at(&second.address, &second.admin).await;
    let mut browser = Browser::open(&host);
    browser.keep_cookie("lastnim_guest", &cookie);
    let table = browser.get("/play").await;
    assert!(table.body.contains(&address), "{}", table.body);
    let page = browser.get(&address).await;
    let mut guest = Guest { browser, page, address };
    guest.play_on().await;
    guest.assert_shows("How you played");
    let game = host.get_match(guest.id()).await.r#match.unwrap();
    assert_eq!((game.reason(), game.plies), (pb::EndReason::Finished, 8));
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_of_other_sites_do_not_lose_games() {
    let host = Host::with(hosting(&["timid"])).await;
    let cookie = Browser::open(&host).get("/play").await.header("set-cookie").to_owned();
    assert!(cookie.ends_with("; Path=/play; HttpOnly; SameSite=Lax"), "{cookie}");
    let mut guest = Guest::begin(&host, &duel("against-timid", "5")).await;
    let before = guest.browser.cookie("lastnim_guest").unwrap().to_owned();
    // Over plain http, a browser does not say that a link is on another site, and sends the cookie.
    let table = guest.browser.get("/play").await;
    assert_eq!((table.status, table.header("set-cookie")), (200, ""));
    assert!(table.body.contains(&guest.address), "{}", table.body);
    // A browser that says so must reload the page, and keeps the cookie.
    guest.browser.added = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n".to_owned();
    for path in ["/play", &guest.address] {
        let answer = guest.browser.get(path).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (200, ""), "{path}");
        assert_eq!(answer.header("refresh"), format!("0; url={path}"));
    }
    guest.browser.added.clear();
    assert_eq!(guest.browser.cookie("lastnim_guest"), Some(before.as_str()));
    // A form on another site does nothing, with or without headers.
    let form = guest.browser.get(&guest.address).await;
    let body = form_body(&[("form_token", form_token(&form)), ("ply", "0"), ("take", "1")]);
    for headers in ["", "Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
        let refused = guest.browser.post_with(&guest.address, headers, &body).await;
        assert_eq!(refused.status, 403, "{headers:?}: {}", refused.body);
    }
    let refused = guest.browser.post(&guest.address, "ply=0&take=1").await;
    assert_eq!(refused.status, 403, "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_can_only_play() {
    let host = Host::with(hosting(&["timid"])).await;
    let guest = Guest::begin(&host, &duel("against-timid", "5")).await;
    let name = host.get_match(guest.id()).await.r#match.unwrap().setup.unwrap().bots[0].clone();
    let invited = pb::CreateMatchRequest {
        bots: vec![name.clone(), "timid".into()],
        piles: vec![3],
        ..Default::default()
    };
    assert_eq!(host.matches().create_match(invited).await.unwrap_err().code(), Code::NotFound);
    let registered = host
        .bots()
        .register_bot(pb::RegisterBotRequest { name: name.clone(), ..Default::default() })
        .await
        .unwrap_err();
    assert_eq!(registered.code(), Code::InvalidArgument);
    assert!(registered.message().contains("people who play in a browser"), "{}", registered.message());
    assert_eq!(get(&host, &format!("/bots/{name}")).await.status, 404);
    // The cookie is not a token.
    let cookie = guest.browser.cookie("lastnim_guest").unwrap();
    let request =
        format!("GET / HTTP/1.1\r\nHost: s\r\nConnection: close\r\nAuthorization: Bearer {cookie}\r\n\r\n");
    assert_eq!(super::pages::send(&host, &request).await.status, 401);
}
