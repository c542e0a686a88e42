//! Hostile text in everything that pages show: stored texts, typed texts and addresses.

use super::{
    browser::{Browser, form_body, form_token},
    event_source::EventSource,
    host::{Host, exhibition, round_robin, soon},
    organise_pages::signed_in,
    page_markup::assert_own_markup,
    pages::{Answer, get},
    play_pages::{DUEL, Guest, duel},
    practice::hosting,
};
use lastnim_proto::pb::{self, transcript_service_client::TranscriptServiceClient};
use lastnim_server::Config;
use serde_json::{Value, json};

/// Texts that would run something or break the markup if they were not escaped.
const HOSTILE: [&str; 7] = [
    "<img src=x onerror=alert(1)>\"'&<script>alert(2)</script>",
    "\" onmouseover=\"alert(1)\" x=\"",
    "' onfocus='alert(1)' autofocus='",
    "</textarea></title></pre></code></select></script><img src=x>",
    "]]></text></svg><!-- <iframe src=//evil.example>",
    "javascript:alert(1)//{{7*7}}\\\"</a>",
    "\u{202e}\u{2028}<base href=//evil.example>&lt;&#60;",
];
const PUBLIC_URL: &str = "https://nim.example.org/";

/// A server with a public address and house bots.
async fn start_server() -> Host {
    let config = hosting(&["greedy", "timid"]);
    let limits = lastnim_arena::Limits { practice_per_minute: 1_000, ..config.limits.clone() };
    Host::with(Config { public_url: Some(PUBLIC_URL.parse().unwrap()), limits, ..config }).await
}

/// Encodes a string for a URL.
fn character_codes(text: &str) -> String {
    form_body(&[("", text)]).trim_start_matches('=').replace('+', "%20")
}

fn assert_harmless(what: &str, page: &Answer) {
    assert!(page.body.contains("<h1"), "{what} is a page: {} {}", page.status, page.body);
    assert_own_markup(what, &page.body, PUBLIC_URL);
    assert!(page.header("content-security-policy").starts_with("default-src 'self'"), "{what}");
    assert_eq!(page.header("x-content-type-options"), "nosniff", "{what}");
}

/// Creates a running tournament with a hostile title and hostile reasons.
async fn hostile_tournament(host: &Host, title: &str) -> String {
    let settings = pb::TournamentSettings {
        title: title.into(),
        seats: 2,
        seed: u64::MAX,
        ..round_robin(&[&[3], &[4]])
    };
    let tournament_id = host.create_tournament(settings, &["one", "two", "three"]).await;
    host.start_tournament(&tournament_id).await;
    let begun = async { while host.matches_of(&tournament_id).await.is_empty() {} };
    soon("a match", begun).await;
    let (target, reason) = (Some(pb::void_matches_request::Target::Group(0)), title.to_owned());
    let request = pb::VoidMatchesRequest {
        tournament_id: tournament_id.clone(),
        target,
        reason: reason.clone(),
        ..Default::default()
    };
    host.tournaments().void_matches(request).await.unwrap();
    let results = pb::DisqualifiedResults::Stand.into();
    let bot = "three".into();
    let request = pb::DisqualifyBotRequest { tournament_id: tournament_id.clone(), bot, results, reason };
    host.tournaments().disqualify_bot(request).await.unwrap();
    let voided = async {
        while host.matches_of(&tournament_id).await.iter().all(|game| game.void_reason.is_empty()) {}
    };
    soon("a match that is voided", voided).await;
    tournament_id
}

/// Plays a match with hostile published transcripts.
async fn told_match(host: &Host) -> String {
    let id = host.create_match(exhibition(["greedy", "timid"], &[2])).await;
    host.until_closed(&id).await;
    let mut transcripts = TranscriptServiceClient::new(host.authorized(host.admin.reveal()));
    for (ply, text) in [None, Some(0)].into_iter().zip(HOSTILE) {
        let line =
            json!({ "event": "call", "match_id": id, "seat": 0, "ply": ply, "reply": text, text: text });
        let lines = format!("{line}\n");
        let request = pb::PublishTranscriptRequest { match_id: id.clone(), seat: 0, ply, lines };
        transcripts.publish_transcript(request).await.unwrap();
    }
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_texts_are_escaped() {
    let host = start_server().await;
    host.register_all(["one", "two", "three"]).await;
    let told = told_match(&host).await;
    let mut browser = signed_in(&host).await;
    let mut paths = vec![
        "/".to_owned(),
        "/tournaments".to_owned(),
        "/matches".to_owned(),
        "/bots".to_owned(),
        "/bots/one".to_owned(),
        "/bots/one/audit".to_owned(),
        "/organise".to_owned(),
        format!("/matches/{told}"),
        format!("/matches/{told}?ply=1"),
        format!("/matches/{told}/what-if?ply=0&take=1"),
        format!("/matches/{told}/transcript?seat=0"),
        format!("/matches/{told}/transcript?seat=0&ply=0"),
    ];
    for title in HOSTILE {
        let id = hostile_tournament(&host, title).await;
        let page = get(&host, &format!("/tournaments/{id}")).await;
        let shown_title = page.body.split("<meta property=\"og:title\" content=\"").nth(1).unwrap();
        assert!(!shown_title.split('"').next().unwrap().contains(['<', '>']), "{}", page.body);
        let pasted =
            page.body.split("<pre id=\"result\" data-copy>").nth(1).unwrap().split("</pre>").next().unwrap();
        assert!(!pasted.contains(['<', '>']) && pasted.starts_with("title"), "{pasted}");

        let toml = get(&host, &format!("/tournaments/{id}.toml")).await;
        assert_eq!((toml.status, toml.header("x-content-type-options")), (200, "nosniff"));
        let file = toml
            .body
            .parse::<toml_edit::DocumentMut>()
            .unwrap_or_else(|error| panic!("{error}: {}", toml.body));
        assert_eq!(
            (file["title"].as_str(), file["seed"].as_str()),
            (Some(title), Some("18446744073709551615"))
        );

        let open = host.matches_of(&id).await;
        let voided = open.iter().find(|game| !game.void_reason.is_empty()).unwrap();
        paths.extend(["", "/standings", "/matches"].map(|page| format!("/tournaments/{id}{page}")));
        paths.extend([format!("/organise/tournaments/{id}"), format!("/matches/{}", voided.id)]);
        for stream in [format!("/tournaments/{id}/events"), format!("/matches/{}/events?after=0", open[0].id)]
        {
            assert_harmless_stream(&host, &stream).await;
        }
    }
    assert_harmless_stream(&host, "/events").await;
    for path in paths {
        assert_harmless(&path, &browser.get(&path).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn titles_are_not_formulas_in_csv() {
    let host = start_server().await;
    let settings = pb::TournamentSettings {
        title: "=HYPERLINK(\"//evil.example\")\u{202e}".into(),
        ..round_robin(&[&[3]])
    };
    host.create_tournament(settings, &[]).await;
    let csv = get(&host, "/tournaments.csv").await;
    assert!(csv.body.contains("\"'=HYPERLINK(\"\"//evil.example\"\")\\u202e\""), "{}", csv.body);
}

/// Checks the first event of a stream.
async fn assert_harmless_stream(host: &Host, path: &str) {
    let event = EventSource::open(host, path).await.next().await.expect("the state of the page");
    let mut parts = 0;
    for part in ["parts", "append"] {
        for (id, html) in event.data[part].as_object().into_iter().flatten() {
            let html = html.as_str().unwrap_or_default();
            assert_own_markup(&format!("{path}: {id}"), html, PUBLIC_URL);
            parts += 1;
        }
    }
    assert!(parts > 0 || event.data != Value::Null, "{path}: {event:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_are_escaped() {
    let host = start_server().await;
    host.register_all(["one", "two"]).await;
    let game = host.create_match(exhibition(["one", "two"], &[4])).await;
    for text in HOSTILE.map(character_codes) {
        for path in [
            format!("/{text}"),
            format!("/tournaments/{text}"),
            format!("/tournaments?page={text}"),
            format!("/matches?bot={text}&state={text}&reason={text}"),
            format!("/matches?state={text}"),
            format!("/matches?reason={text}"),
            format!("/matches/{text}"),
            format!("/matches/{text}/events"),
            format!("/matches/{game}?ply={text}"),
            format!("/matches/{game}/what-if?ply={text}&take={text}"),
            format!("/matches/{game}/transcript?seat={text}&ply={text}"),
            format!("/oracle?piles={text}&rows={text}&first={text}&ending={text}&seats={text}"),
            format!("/oracle?piles=1+2&rows={text}"),
            format!("/oracle?passes={text}"),
            format!("/oracle?alliance={text}"),
            format!("/oracle?random={text}"),
            format!("/bots/{text}"),
            format!("/bots/{text}/audit"),
            format!("/bots?page={text}"),
            format!("/docs/{text}"),
            format!("/play/{text}"),
            format!("/play/{game}?since={text}"),
            format!("/play/bot/{text}"),
            format!("/play/bot?since={text}"),
            format!("/sign-in?to={text}"),
            format!("/organise/{text}"),
            format!("/organise/tournaments/{text}/void"),
        ] {
            assert_harmless(&path, &get(&host, &path).await);
        }
    }
}

/// Returns the names of the fields on a page.
fn field_names(page: &Answer) -> Vec<&str> {
    let names = page.body.split(" name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    names.filter(|name| !["form_token", "viewport", "description"].contains(name)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typed_texts_are_escaped() {
    let host = start_server().await;
    host.register_all(["one", "two", "three"]).await;
    let mut browser = signed_in(&host).await;
    let id = hostile_tournament(&host, HOSTILE[0]).await;
    let own = format!("/organise/tournaments/{id}");
    let forms = [
        "/organise/new-tournament".to_owned(),
        "/organise/new-match".to_owned(),
        "/organise/bots".to_owned(),
        "/organise/bots/rotate".to_owned(),
        "/organise/bots/remove".to_owned(),
        format!("{own}/join"),
        format!("{own}/leave"),
        format!("{own}/disqualify"),
        format!("{own}/void"),
    ];
    let page = browser.get(&own).await;
    let mut names = field_names(&page);
    let settings = browser.get("/organise/new-tournament").await;
    let bots = browser.get("/organise/bots").await;
    let game = browser.get("/organise/new-match").await;
    names.extend([&settings, &bots, &game].into_iter().flat_map(field_names));
    for text in HOSTILE {
        let typed: Vec<_> = names.iter().map(|name| (*name, text)).collect();
        let confirmed = [&typed[..], &[("confirmed", "yes")]].concat();
        for form in &forms {
            for fields in [&typed, &confirmed] {
                let answer = browser.submit(&page, form, fields).await;
                assert!([200, 404, 409, 422].contains(&answer.status), "{form}: {}", answer.status);
                assert_harmless(&format!("{form} with {text:?}"), &answer);
            }
        }
        let asked = [("groups", "1"), ("reason", text)];
        let asked = browser.submit(&page, &format!("{own}/void"), &asked).await;
        assert_eq!(asked.status, 200, "{}", asked.body);
        assert_harmless(text, &asked);
    }

    let mut reader = Browser::open(&host);
    let form = reader.get("/sign-in").await;
    for text in HOSTILE {
        let answer = reader.submit(&form, "/sign-in?to=/bots", &[("token", text)]).await;
        assert_eq!(answer.status, 401, "{}", answer.body);
        assert_harmless(text, &answer);
    }
    let stranger = Browser::open(&host).get("/organise").await;
    assert_harmless("signing in", &stranger);
    let mut guest = Browser::open(&host);
    let table = guest.get("/play").await;
    for text in HOSTILE {
        let typed: Vec<_> = field_names(&table).into_iter().map(|name| (name, text)).collect();
        let answer = guest.submit(&table, "/play", &typed).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
        assert_harmless(&format!("/play with {text:?}"), &answer);
    }
    let mut guest = Guest::begin(&host, &duel("against-timid", "3 4")).await;
    assert_eq!(DUEL[2], ("seat", "0"), "the guest is to move");
    for text in HOSTILE {
        let token = form_token(&guest.page).to_owned();
        for act in ["take", "declare", text] {
            let fields = [("form_token", &*token), ("act", act), ("ply", text), ("take", text)];
            let answer = guest.browser.post(&guest.address, &form_body(&fields)).await;
            assert!([303, 422].contains(&answer.status), "{act}: {}", answer.status);
            if answer.status == 422 {
                assert_harmless(&format!("a game with {text:?}"), &answer);
            }
        }
    }
}
