//! Pages as browsers load them.

use super::{
    host::{Host, exhibition, round_robin, soon},
    http2::{local, socket},
};
use lastnim_bots::HouseBot;
use lastnim_proto::{json::message_to_json, pb, record::verify_record, record_file::read_record};
use lastnim_server::Config;
use serde_json::Value;
use std::net::Ipv4Addr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const TRIO: [HouseBot; 3] = [HouseBot::Random, HouseBot::Greedy, HouseBot::Oracle];

/// A response.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// Parses a response after which the connection closes.
    pub fn read(bytes: &[u8]) -> Self {
        let text = str::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<_> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let is_chunked =
            headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if is_chunked { join_chunks(body) } else { body.to_owned() };
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        assert_eq!((self.status, self.header("content-type")), (200, "application/json"), "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

fn join_chunks(mut body: &str) -> String {
    let mut joined = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        joined += &rest[..length];
        body = rest[length..].strip_prefix("\r\n").unwrap();
    }
    joined
}

/// Sends a request, and reads its response.
pub async fn send(host: &Host, request: &str) -> Answer {
    send_from(local(1), &host.address, request).await
}

/// Sends a request to a server, and reads its response.
pub async fn send_to(server: &str, request: &str) -> Answer {
    send_from(local(1), server, request).await
}

/// Sends a request from an address, and reads its response.
pub async fn send_from(from: Ipv4Addr, server: &str, request: &str) -> Answer {
    let mut stream = socket(server, from).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    soon("an answer", stream.read_to_end(&mut answer)).await.unwrap();
    Answer::read(&answer)
}

pub async fn get(host: &Host, path: &str) -> Answer {
    get_at(&host.address, path).await
}

/// Returns the address of the style sheet of a page.
pub fn style_address(page: &Answer) -> String {
    let rest = page.body.split_once("<link rel=\"stylesheet\" href=\"").expect("a style sheet").1;
    rest.split('"').next().unwrap().to_owned()
}

pub async fn get_at(server: &str, path: &str) -> Answer {
    let request = format!("GET {path} HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n");
    send_to(server, &request).await
}

/// Plays a tournament of three house bots, and returns its id.
async fn played_tournament(host: &Host) -> String {
    let party = host.house_bots(&TRIO, 1).await;
    let id = host.create_tournament(round_robin(&[&[3, 4], &[2, 5]]), &TRIO.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tournament_pages_agree_with_grpc() {
    let host = Host::start().await;
    let empty = get(&host, "/").await;
    assert!(empty.status == 200 && empty.body.contains("There are no tournaments yet"), "{}", empty.body);
    let id = played_tournament(&host).await;

    let home = get(&host, "/").await;
    assert_eq!((home.status, home.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(home.body.contains(&format!("href=\"/tournaments/{id}\"")), "{}", home.body);

    let page = get(&host, &format!("/tournaments/{id}")).await;
    for part in [
        "<b>live</b>",
        "<h1 id=\"headline\">oracle won</h1>",
        "finished, 6 of 6 matches played",
        "href=\"/bots/oracle\"",
        "<dt>seed</dt><dd>7</dd>",
    ] {
        assert!(page.body.contains(part), "{part:?} is missing:\n{}", page.body);
    }
    let request = pb::GetTournamentRequest { tournament_id: id.clone() };
    let mut expected = host.tournaments().get_tournament(request).await.unwrap().into_inner();
    // The activity depends on the time of the request.
    expected.activity = None;
    let mut twin = get(&host, &format!("/tournaments/{id}.json")).await.json();
    twin["activity"] = Value::Null;
    assert_eq!(twin, message_to_json(&expected));

    let request = pb::GetStandingsRequest { tournament_id: id.clone(), cross_table: true };
    let expected = host.tournaments().get_standings(request).await.unwrap().into_inner();
    assert_eq!(
        get(&host, &format!("/tournaments/{id}/standings.json")).await.json(),
        message_to_json(&expected)
    );
    let csv = get(&host, &format!("/tournaments/{id}/standings.csv")).await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert!(csv.body.starts_with("place,places,bot,points,"), "{}", csv.body);

    let matches = get(&host, &format!("/tournaments/{id}/matches")).await;
    assert_eq!(matches.body.matches("href=\"/matches/").count(), 6);
    assert_eq!(get(&host, "/matches.json").await.json()["matches"].as_array().unwrap().len(), 6);
    let bot = get(&host, "/bots/oracle").await;
    assert!(
        bot.body.contains("<h1 id=\"headline\">oracle is rated ") && bot.body.contains("Newest matches"),
        "{}",
        bot.body
    );
    assert_eq!(get(&host, "/bots.json").await.json()["bots"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_shown_after_each_ply() {
    let host = Host::start().await;
    let id = played_tournament(&host).await;
    let game = host.matches_of(&id).await.swap_remove(0);
    let shown = host.get_match(&game.id).await;
    let audit = shown.audit.clone().unwrap();
    let mut piles = game.setup.as_ref().unwrap().piles.clone();
    for ply in 0..=game.plies {
        let page = get(&host, &format!("/matches/{}?ply={ply}", game.id)).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let left: Vec<_> = piles.iter().map(ToString::to_string).collect();
        let description = match piles.iter().rposition(|&counters| counters > 0) {
            Some(pile) => format!("piles of {}; pile {} is in play\"", left.join(", "), pile + 1),
            None => "The board: no counter is left\"".to_owned(),
        };
        assert!(page.body.contains(&description), "ply {ply}: {description:?} is missing:\n{}", page.body);
        let Some(found) = audit.plies.get(ply as usize) else { break };
        let bot = &game.setup.as_ref().unwrap().bots[found.predicted_before as usize];
        let winner = format!("{bot}</span> wins</p>");
        assert!(page.body.contains(&winner), "ply {ply}: {winner:?} is missing:\n{}", page.body);
        let in_play = piles.iter().rposition(|&counters| counters > 0).unwrap();
        piles[in_play] -= found.take;
    }
    let first = get(&host, &format!("/matches/{}?ply=0", game.id)).await;
    assert!(first.body.contains("rel=\"next\" href"), "{}", first.body);
    let last = get(&host, &format!("/matches/{}?ply={}", game.id, game.plies)).await;
    assert!(!last.body.contains("rel=\"next\" href"), "{}", last.body);
    // The page opens after the last error, which its heading explains.
    let opened = get(&host, &format!("/matches/{}", game.id)).await.body;
    let error = audit.plies.iter().rfind(|ply| ply.regret > 0).expect("the bots are not perfect");
    let because = format!(" took {} of {} at take {}. Taking ", error.take, error.counters, error.ply + 1);
    let heading = opened.split("<h1 id=\"headline\">").nth(1).unwrap().split("</h1>").next().unwrap();
    assert!(heading.contains(" won, because ") && heading.contains(&because), "{heading}");
    let marked = format!("data-ply=\"{}\" aria-current=\"step\"", error.ply + 1);
    assert_eq!(opened.matches("aria-current=\"step\"").count(), 1, "{opened}");
    assert!(opened.contains(&marked), "{marked:?} is missing: {opened}");
    let beyond_end = get(&host, &format!("/matches/{}?ply={}", game.id, game.plies + 1)).await;
    assert_eq!(beyond_end.status, 404);

    assert_eq!(get(&host, &format!("/matches/{}.json", game.id)).await.json(), message_to_json(&shown));
    let record = get(&host, &format!("/matches/{}/record.json", game.id)).await;
    let record = read_record(&record.body).unwrap();
    assert!(verify_record(&record).unwrap().seal().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_match_hides_unrevealed_rows() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (mut line, _) = super::session::BotSession::open(&host, &tokens[0]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4])).await;
    line.started().await;
    line.send(super::session::declare(&id, vec![1, 0])).await;
    // The answer to a second row reveals that the first one was accepted, and that the other seat's is missing.
    line.send(super::session::declare(&id, vec![0, 1])).await;
    line.refused().await;
    let page = get(&host, &format!("/matches/{id}")).await;
    assert!(page.body.contains("The seats are saying whom they want to see win."), "{}", page.body);
    assert!(!page.body.contains("data-take=") && !page.body.contains("class=\"wants\""), "{}", page.body);
    let record = get(&host, &format!("/matches/{id}/record.json")).await.json();
    assert_eq!(record["events"].as_array().unwrap().len(), 1, "{record}");
    let home = get(&host, "/").await;
    assert!(home.body.contains(&format!("/matches/{id}")), "{}", home.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_server_has_private_pages() {
    let host = Host::with(Config { private: true, ..Config::default() }).await;
    for path in ["/", "/tournaments", "/tournaments.json", "/matches", "/bots", "/matches.csv"] {
        assert_eq!(get(&host, path).await.status, 401, "{path}");
    }
    let style = style_address(&get(&host, "/").await);
    for path in [style.as_str(), "/healthz", "/readyz"] {
        assert_eq!(get(&host, path).await.status, 200, "{path}");
    }
    let request_with = |token: &str| {
        format!(
            "GET /bots.json HTTP/1.1\r\nHost: server\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
    };
    assert_eq!(send(&host, &request_with(host.viewer.reveal())).await.status, 200);
    assert_eq!(send(&host, &request_with("lastnim_0")).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_solves_a_position_in_the_same_way_as_grpc() {
    let host = Host::start().await;
    let page = get(&host, "/oracle?piles=1,2%202&rows=1+3+2%3B+2+3+1%3B+3+2+1&first=2").await;
    for part in [
        "value=\"1,2 2\"",
        "value=\"1 3 2; 2 3 1; 3 2 1\"",
        "aria-label=\"The board: piles of 1, 2, 2; pile 3 is in play\"",
        "Outcomes of seat 2&#39;s takes:",
        "The line of best play",
        "<h2>Each seat&#39;s predicted and guaranteed rank (place in its own row, 1 is best):</h2>",
        "<h2>How seat 2&#39;s takes change its ranks:</h2>",
    ] {
        assert!(page.body.contains(part), "{part:?} is missing:\n{}", page.body);
    }
    let rows = [[0, 2, 1], [0, 1, 2], [0, 2, 1]].map(|offsets| pb::Row { offsets: offsets.to_vec() });
    let game = pb::Game {
        piles: vec![1, 2, 2],
        alliance_matrix: Some(pb::AllianceMatrix { rows: rows.to_vec() }),
        first: 1,
        ..Default::default()
    };
    let request = pb::SolveRequest { game: Some(game) };
    let solved = host.oracle().solve(request).await.unwrap().into_inner();
    assert!(
        page.body.contains(&format!("Seat {} wins under optimal play", solved.winner + 1)),
        "{}",
        page.body
    );
    let twin = get(&host, "/oracle.json?piles=1,2+2&rows=1+3+2;2+3+1;3+2+1&first=2").await.json();
    let expected = message_to_json(&solved);
    assert!(
        expected.as_object().unwrap().iter().all(|(key, value)| twin[key] == *value),
        "{twin} {expected}"
    );
    assert_eq!(twin["robustness"]["winner"], solved.winner, "{twin}");
    let mistaken = get(&host, "/oracle?piles=1,x&seats=4").await;
    assert_eq!(mistaken.status, 200);
    assert!(mistaken.body.contains("is not a whole number, 0 or more"), "{}", mistaken.body);
    assert!(
        mistaken.body.contains("value=\"1,x\"") && mistaken.body.contains("value=\"4\""),
        "{}",
        mistaken.body
    );
    // Everything within the limits is answered.
    let piles = vec![i64::MAX.to_string(); 700].join("+");
    let large = get(&host, &format!("/oracle?piles={piles}&seats=32")).await;
    assert!(large.status == 200 && large.body.len() < 100 << 10, "{} {}", large.status, large.body.len());
}
