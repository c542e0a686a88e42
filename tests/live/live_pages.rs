//! Live updates of pages.

use super::{
    event_source::{EventSource, PageEvent},
    host::{Host, exhibition, round_robin, soon},
    pages::get,
    session::{BotSession, declare},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use lastnim_server::Config;
use pb::tournament_settings::Format;
use std::time::{Duration, Instant};

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&<script>alert(2)</script>";

/// Starts a match of two bots and waits for its first turn.
pub async fn begun_match(host: &Host, piles: &[u64]) -> (String, BotSession, BotSession) {
    let tokens = host.register_all(["one", "two"]).await;
    let (mut one, _) = BotSession::open(host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], piles)).await;
    for line in [&mut one, &mut two] {
        let started = line.started().await;
        line.declare_standard(&started).await;
    }
    (id, one, two)
}

/// Plays the next takes of a match, one counter each.
pub async fn take_turns([one, two]: [&mut BotSession; 2], first: usize, takes: usize) {
    for take in first..first + takes {
        let line = if take % 2 == 0 { &mut *one } else { &mut *two };
        let turn = line.turn().await;
        assert_eq!(turn.ply as usize, take);
        line.take(&turn, 1).await;
    }
}

/// Adds the rows in an event to those that a tab shows.
fn add_plies(shown: &mut Vec<u32>, event: &PageEvent) {
    let (plies, is_whole) = event.plies();
    if is_whole && event.part("takes").is_some() {
        shown.clear();
    }
    shown.extend(plies);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_page_updates_until_the_end() {
    let host = Host::start().await;
    let (id, one, two) = begun_match(&host, &[12]).await;
    let page = get(&host, &format!("/matches/{id}")).await;
    let live = format!("data-live=\"/matches/{id}/events\"");
    assert!(page.body.contains(&live) && page.body.contains("data-follow"), "{}", page.body);
    let earlier = get(&host, &format!("/matches/{id}?ply=0")).await;
    assert!(earlier.body.contains("id=\"plies\">0<"), "{}", earlier.body);

    let mut source = EventSource::open(&host, &format!("/matches/{id}/events")).await;
    let first = source.next().await.unwrap();
    let playing = [one.playing_timidly(1), two.playing_timidly(1)];
    let mut events = vec![first];
    events.extend(source.rest().await);
    for playing in playing {
        soon("the end of the match", playing).await.unwrap();
    }
    assert_eq!(source.next().await.map(|event| event.name), None, "the stream closes after the end");

    let mut shown = Vec::new();
    for event in &events {
        add_plies(&mut shown, event);
    }
    assert_eq!(shown, (0..12).collect::<Vec<_>>(), "every take arrives once");
    assert_eq!(events.pop().unwrap().name, "end");
    let ids: Vec<u64> = events.iter().map(|event| event.id.as_ref().unwrap().parse().unwrap()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let record = host.record(&id).await;
    assert_eq!(ids.last(), Some(&(record.events.len() as u64)));

    // A tab with all updates shows the same as the page.
    let page = get(&host, &format!("/matches/{id}?ply=12")).await;
    assert!(!page.body.contains("data-live"), "{}", page.body);
    for part in
        ["headline", "state", "board", "line", "steps", "said", "oracle", "seats", "takes", "rows", "ledger"]
    {
        let last = events.iter().rev().find_map(|event| event.part(part)).unwrap();
        assert!(!last.is_empty() && page.body.contains(last), "{part} differs:\n{last}\n{}", page.body);
    }
    let page_events = EventSource::open(&host, &format!("/matches/{id}/events")).await.rest().await;
    assert_eq!(page_events.last().unwrap().name, "end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconnecting_tab_gets_each_row_once() {
    let host = Host::start().await;
    let (id, mut one, mut two) = begun_match(&host, &[40]).await;
    let path = format!("/matches/{id}/events");
    let mut shown = Vec::new();
    let mut last_id = String::new();
    let mut made = 0;
    for resumed in 0..4 {
        // A reconnecting browser sends the last event in a header; a tab that was hidden, in the address. The header is newer.
        let mut source = match resumed {
            0 => EventSource::open(&host, &path).await,
            1 => {
                EventSource::open_with(
                    &host,
                    &format!("{path}?after=1"),
                    &format!("Last-Event-ID: {last_id}\r\n"),
                )
                .await
            }
            _ => EventSource::open(&host, &format!("{path}?after={last_id}")).await,
        };
        take_turns([&mut one, &mut two], made, 5).await;
        made += 5;
        while shown.len() < made {
            let event = source.next().await.expect("the stream is open");
            add_plies(&mut shown, &event);
            last_id = event.id.unwrap();
        }
        assert_eq!(shown, (0..made as u32).collect::<Vec<_>>());
        drop(source);
        // Events during a disconnection are sent as well.
        take_turns([&mut one, &mut two], made, 3).await;
        made += 3;
    }
    // A tab without state, or with too many events, gets the whole page.
    for after in ["", "?after=1000000"] {
        let first = EventSource::open(&host, &format!("{path}{after}")).await.next().await.unwrap();
        let (plies, is_whole) = first.plies();
        assert!(is_whole && plies == (1..32).collect::<Vec<_>>(), "{plies:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_has_the_updates_of_several_pages() {
    let host = Host::start().await;
    let (id, one, two) = begun_match(&host, &[12]).await;
    let unknown = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
    let feeds = ["events", &format!("matches/{unknown}/events"), &format!("matches/{id}/events?after=1")];
    let path = format!("/live?feed=/{}", feeds.join("&feed=/"));
    let mut source = EventSource::open(&host, &path).await;
    let mut feed_events: [Vec<PageEvent>; 3] = Default::default();
    let mut playing = Some((one, two));
    while feed_events[2].last().is_none_or(|event| event.name != "end") || feed_events[0].is_empty() {
        let place = source.next().await.unwrap();
        assert_eq!((place.name.as_str(), place.id.as_deref()), ("feed", Some("")));
        feed_events[place.data.as_u64().unwrap() as usize].push(source.next().await.unwrap());
        if !feed_events[2].is_empty()
            && let Some((one, two)) = playing.take()
        {
            let playing = async { tokio::join!(one.playing_timidly(1), two.playing_timidly(1)) };
            let (one, two) = soon("the end of the match", playing).await;
            one.and(two).unwrap();
        }
    }
    assert!(
        feed_events[0][0].name == "message" && feed_events[0][0].part("tournaments").is_some(),
        "{feed_events:?}"
    );
    let refused: Vec<_> =
        feed_events[1].iter().map(|event| (event.name.as_str(), &event.data["message"])).collect();
    assert!(
        matches!(refused[..], [("refused", why)] if why.as_str().unwrap().contains(unknown)),
        "{refused:?}"
    );
    let mut shown = Vec::new();
    for event in &feed_events[2] {
        add_plies(&mut shown, event);
    }
    assert_eq!(shown, (0..12).collect::<Vec<_>>(), "every take arrives once");
    for wrong in ["", "?feed=/matches", &format!("?feed=/events{}", "&feed=/events".repeat(32))] {
        assert_eq!(get(&host, &format!("/live{wrong}")).await.status, 404, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_stay_secret_until_they_are_revealed() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4])).await;
    let mut source = EventSource::open(&host, &format!("/matches/{id}/events")).await;
    one.started().await;
    one.send(declare(&id, vec![1, 0])).await;
    // The answer to a second row reveals that the first one was accepted.
    one.send(declare(&id, vec![0, 1])).await;
    one.refused().await;
    let first = source.next().await.unwrap();
    let whole = first.data.to_string();
    assert!(whole.contains("Not all seats have declared this yet"), "{whole}");
    assert!(!whole.contains("class=\\\"wants\\\""), "{whole}");
    // A tab that connects now sees no more.
    let late = EventSource::open(&host, &format!("/matches/{id}/events")).await.next().await.unwrap();
    assert!(!late.data.to_string().contains("class=\\\"wants\\\""), "{}", late.data);
    two.send(declare(&id, vec![0, 1])).await;
    let revealed = source.until(|event| event.data.to_string().contains("class=\\\"wants\\\"")).await;
    assert!(revealed.part("rows").unwrap().contains("<table class=\"heat\">"), "{}", revealed.data);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_server_has_private_streams() {
    let host = Host::with(Config { private: true, ..Config::default() }).await;
    let (id, mut one, mut two) = begun_match(&host, &[9]).await;
    let path = format!("/matches/{id}/events");
    assert_eq!(EventSource::open_with(&host, &path, "").await.status(), 401);
    let wrong = "Authorization: Bearer lastnim_0\r\n";
    assert_eq!(EventSource::open_with(&host, &path, wrong).await.status(), 401);
    let right = format!("Authorization: Bearer {}\r\n", host.viewer.reveal());
    let mut source = EventSource::open_with(&host, &path, &right).await;
    assert_eq!(source.status(), 200);
    take_turns([&mut one, &mut two], 0, 1).await;
    source.until(|event| event.plies().0.contains(&0)).await;
    // A running feed does not admit readers without access.
    assert_eq!(EventSource::open_with(&host, &path, wrong).await.status(), 401);
    assert_eq!(EventSource::open_with(&host, &path, "").await.status(), 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_pages_have_no_stream() {
    let host = Host::start().await;
    let unknown = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
    assert_eq!(EventSource::open_with(&host, &format!("/matches/{unknown}/events"), "").await.status(), 404);
    let (id, _one, _two) = begun_match(&host, &[3]).await;
    let wrong = format!("/matches/{id}/events?after=-1");
    assert_eq!(EventSource::open_with(&host, &wrong, "").await.status(), 404);
    assert_eq!(get(&host, &format!("/matches/{id}/events.json")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_that_never_reads_is_dropped() {
    let config = Config { response_timeout: Duration::from_millis(300), ..Config::default() };
    let host = Host::with(config).await;
    let tokens = host.register_all(["one", "two"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], &[2; 1_000])).await;
    // With a tiny HTTP/2 window the server cannot send much, however large the buffers on the way are.
    let deaf = super::http2::RawConnection::over(
        super::http2::socket(&host.address, super::http2::local(2)).await,
        h2::client::Builder::new().initial_window_size(100),
    )
    .await;
    let request = tonic::codegen::http::Request::get(format!("http://server/matches/{id}/events")).body(());
    let mut requests = soon("room for a request", deaf.requests.clone().ready()).await.unwrap();
    let (response, _) = requests.send_request(request.unwrap(), true).unwrap();
    let mut unread = soon("a response", response).await.unwrap().into_body();
    let mut source = EventSource::open(&host, &format!("/matches/{id}/events")).await;
    let reading = tokio::spawn(async move { source.rest().await });
    let playing = [one.playing_timidly(1), two.playing_timidly(1)];
    for playing in playing {
        soon("the end of the match", playing).await.unwrap();
    }
    let reads_to_the_end = reading.await.unwrap();
    assert_eq!(reads_to_the_end.last().unwrap().name, "end");
    let cut = async {
        loop {
            match unread.data().await {
                // The server never learns that its bytes were read.
                Some(Ok(_)) => {}
                Some(Err(error)) => return error.reason(),
                None => return None,
            }
        }
    };
    assert_eq!(soon("the end of a stream that nobody reads", cut).await, Some(h2::Reason::CANCEL));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_closes_streams() {
    let config = Config { shutdown_grace: Duration::ZERO, ..Config::default() };
    let host = Host::with(config).await;
    let (id, _one, _two) = begun_match(&host, &[9]).await;
    let mut sources = Vec::new();
    for _ in 0..5 {
        let mut source = EventSource::open(&host, &format!("/matches/{id}/events")).await;
        source.next().await.unwrap();
        sources.push(source);
    }
    let began = Instant::now();
    let running = host.stop();
    for source in &mut sources {
        let rest = source.rest().await;
        assert!(rest.iter().all(|event| event.name != "end"), "the match is not over: {rest:?}");
    }
    soon("the end of the server", running).await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_show_the_remaining_time() {
    let host = Host::start().await;
    let (id, mut one, mut two) = begun_match(&host, &[9]).await;
    take_turns([&mut one, &mut two], 0, 1).await;
    two.turn().await;
    let shown = host.get_match(&id).await;
    let open = shown.open.unwrap();
    assert_eq!((open.awaited_seats.as_slice(), open.plies, open.frozen), ([1].as_slice(), 1, false));
    assert!(open.left_ms.is_some_and(|left| left <= 60_000), "{open:?}");
    let page = get(&host, &format!("/matches/{id}")).await;
    assert_eq!(page.body.matches("data-left=\"").count(), 2, "{}", page.body);
    assert_eq!(page.body.matches("data-runs").count(), 1, "{}", page.body);
    let earlier = get(&host, &format!("/matches/{id}?ply=0")).await;
    assert_eq!(earlier.body.matches("data-left=\"60000\"").count(), 2, "{}", earlier.body);
    assert!(!earlier.body.contains("data-runs"), "{}", earlier.body);
    let request = pb::GetMatchRequest { match_id: "x".into() };
    assert!(host.matches().get_match(request).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_page_updates_until_the_end() {
    let host = Host::start().await;
    let trio = [HouseBot::Random, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&trio, 1).await;
    let settings = pb::TournamentSettings { title: HOSTILE.into(), ..round_robin(&[&[3, 4], &[2, 5]]) };
    let id = host.create_tournament(settings, &trio.map(HouseBot::kind)).await;
    let page = get(&host, &format!("/tournaments/{id}")).await;
    assert!(page.body.contains(&format!("data-live=\"/tournaments/{id}/events\"")), "{}", page.body);
    let mut source = EventSource::open(&host, &format!("/tournaments/{id}/events")).await;
    let mut home = EventSource::open(&host, "/events").await;
    let first = source.next().await.unwrap();
    assert!(first.part("progress").unwrap().contains("<strong>open</strong>"), "{}", first.data);
    assert!(home.next().await.unwrap().part("tournaments").unwrap().contains(&id));
    host.start_tournament(&id).await;
    let mut events = source.rest().await;
    assert_eq!(events.pop().unwrap().name, "end");
    let page = get(&host, &format!("/tournaments/{id}")).await;
    assert!(!page.body.contains("data-live"), "{}", page.body);
    for part in ["headline", "progress", "finding", "standings", "cross", "matches", "result"] {
        let last = events.iter().rev().find_map(|event| event.part(part)).unwrap();
        assert!(!last.is_empty() && page.body.contains(last), "{part} differs:\n{last}\n{}", page.body);
    }
    let shown =
        home.until(|event| event.part("tournaments").is_some_and(|part| part.contains("finished"))).await;
    for event in events.iter().chain([&shown]) {
        let text = event.data.to_string();
        assert!(!text.contains("<img") && !text.contains("<script"), "{text}");
    }
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_page_shows_open_matches() {
    let host = Host::start().await;
    let (id, mut one, mut two) = begun_match(&host, &[9]).await;
    let board = |counters: &str| format!("aria-label=\"The board: piles of {counters}; pile 1 is in play\"");
    let page = get(&host, "/").await;
    assert!(page.body.contains("data-live=\"/events\"") && page.body.contains(&board("9")), "{}", page.body);
    let mut source = EventSource::open(&host, "/events").await;
    take_turns([&mut one, &mut two], 0, 2).await;
    let shows_board =
        |event: &PageEvent| event.part("featured").is_some_and(|part| part.contains(&board("7")));
    let event = source.until(shows_board).await;
    assert!(event.part("featured").unwrap().contains(&format!("href=\"/matches/{id}\"")), "{}", event.data);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_page_shows_running_ladders() {
    let host = Host::start().await;
    let names = ["first", "second"];
    host.register_all(names).await;
    let mut home = EventSource::open(&host, "/events").await;
    let format = Some(Format::Ladder(pb::LadderFormat::default()));
    let settings = pb::TournamentSettings { seats: 2, format, ..round_robin(&[&[2, 3]]) };
    let id = host.create_tournament(settings, &names).await;
    let is_shown = |part: &str| part.contains("Bots can join at any time") && part.contains(&id);
    assert!(!is_shown(&get(&host, "/").await.body), "it does not run yet");
    host.start_tournament(&id).await;
    home.until(|event| event.part("tournaments").is_some_and(is_shown)).await;
    assert!(is_shown(&get(&host, "/").await.body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sections_of_formats_are_updated() {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let sprt = pb::SprtFormat {
        candidate: "oracle".into(),
        baseline: "random".into(),
        effect_some: 0.2,
        groups: 200,
        ..Default::default()
    };
    for (format, wanted) in [
        (Format::Knockout(pb::KnockoutFormat::default()), ["<h2>Bracket</h2>", "> champion, <"]),
        (Format::Sprt(sprt), ["<h2>Capital</h2>", "The candidate is better: after "]),
    ] {
        let alliance = pb::AllianceMode::Standard.into();
        let format = Some(format);
        let settings =
            pb::TournamentSettings { seats: 2, alliance, format, ..round_robin(&[&[2, 3], &[1, 4]]) };
        let id = host.create_tournament(settings, &HouseBot::BASIC.map(HouseBot::kind)).await;
        let mut source = EventSource::open(&host, &format!("/tournaments/{id}/events")).await;
        source.next().await.unwrap();
        host.start_tournament(&id).await;
        let events = source.rest().await;
        assert_eq!(events.last().unwrap().name, "end");
        let page = get(&host, &format!("/tournaments/{id}")).await;
        for part in ["format", "result"] {
            let last = events.iter().rev().find_map(|event| event.part(part)).unwrap();
            assert!(!last.is_empty() && page.body.contains(last), "{part} differs:\n{last}\n{}", page.body);
        }
        for words in wanted {
            assert!(page.body.contains(words), "{words:?} is missing:\n{}", page.body);
        }
    }
    party.dismiss().await;
}
