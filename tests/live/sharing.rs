//! What a link to a page shows elsewhere: titles, pictures, frames and feeds.

use super::{
    host::{Host, exhibition, round_robin, soon},
    http2::{local, socket},
    organise_pages::signed_in,
    pages::{Answer, get, style_address},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{self, tournament_settings::Format};
use lastnim_server::Config;
use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const HOSTILE: &str = "]]></svg><script>alert(1)</script>\"'&\u{1f980}";

/// Plays a tournament of two house bots with this title. Returns its id and those of its matches.
pub async fn played_tournament(host: &Host, title: &str) -> (String, Vec<String>) {
    let bots = [HouseBot::Greedy, HouseBot::Random];
    let party = host.house_bots(&bots, 1).await;
    let settings =
        pb::TournamentSettings { title: title.into(), seats: 2, ..round_robin(&[&[3, 4], &[25, 2, 5]]) };
    let id = host.create_tournament(settings, &bots.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    let matches = host.matches_of(&id).await.into_iter().map(|game| game.id).collect();
    (id, matches)
}

/// Returns the links above the heading of a page, with their texts.
fn trail(page: &Answer) -> Vec<(String, String)> {
    let Some((_, trail)) = page.body.split_once("<nav class=\"trail\"") else { return Vec::new() };
    let links = trail.split("</nav>").next().unwrap().split("<a href=\"").skip(1);
    let link = |link: &str| {
        let (address, rest) = link.split_once("\">").unwrap();
        (address.to_owned(), rest.split("</a>").next().unwrap().to_owned())
    };
    links.map(link).collect()
}

fn between<'p>(page: &'p str, before: &str, behind: &str) -> &'p str {
    let rest = page.split_once(before).unwrap_or_else(|| panic!("{before} is missing: {page}")).1;
    rest.split(behind).next().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_below_a_tournament_show_its_name() {
    let host = Host::start().await;
    let (id, matches) = played_tournament(&host, "Spring & <b>").await;
    let game = &matches[0];
    let link = |address: &str, title: &str| (address.to_owned(), title.to_owned());
    let all = link("/tournaments", "Tournaments");
    let own = link(&format!("/tournaments/{id}"), "Spring &#38; &#60;b&#62;");
    let setup = host.get_match(game).await.r#match.unwrap().setup.unwrap();
    let shown_match = link(&format!("/matches/{game}?ply=0"), &setup.bots.join(", "));
    for (path, above) in [
        (own.0.clone(), vec![all.clone()]),
        (format!("{}/standings", own.0), vec![all.clone(), own.clone()]),
        (format!("{}/matches", own.0), vec![all.clone(), own.clone()]),
        (format!("/matches/{game}"), vec![all.clone(), own.clone()]),
        (format!("/matches/{game}/what-if?ply=0&take=1"), vec![all.clone(), own.clone(), shown_match]),
        ("/bots/greedy/audit".to_owned(), vec![link("/bots", "Bots"), link("/bots/greedy", "greedy")]),
        ("/docs/first-bot".to_owned(), vec![link("/docs", "Docs")]),
        ("/bots".to_owned(), vec![]),
    ] {
        let page = get(&host, &path).await;
        assert_eq!((page.status, trail(&page)), (200, above.clone()), "{path}");
        let title = between(&page.body, "<title>", "</title>");
        match above.as_slice() {
            [_, .., (_, above)] => {
                assert!(title.ends_with(&format!(" - {above} - lastnim")), "{path}: {title}");
            }
            _ => assert_eq!(title.matches(" - ").count(), 1, "{path}: {title}"),
        }
        let told = between(&page.body, "property=\"og:title\" content=\"", "\"");
        assert_eq!(format!("{told} - lastnim"), title);
        assert!(!between(&page.body, "name=\"description\" content=\"", "\"").is_empty(), "{path}");
    }
    let mut organiser = signed_in(&host).await;
    let managed = format!("/organise/tournaments/{id}");
    let page = organiser.get(&managed).await;
    assert_eq!(trail(&page), [link("/organise", "Organise")]);
    assert!(page.body.contains("<h1>Spring &#38; &#60;b&#62;</h1>"), "{}", page.body);
    let asked = organiser.submit(&page, &format!("{managed}/cancel"), &[]).await;
    assert_eq!(trail(&asked), [link("/organise", "Organise"), link(&managed, &own.1)]);
    // A match outside a tournament is below the list of matches.
    host.register("one").await;
    let alone = host.create_match(exhibition(["one", "greedy"], &[4])).await;
    let page = get(&host, &format!("/matches/{alone}")).await;
    assert_eq!(trail(&page), [link("/matches", "Matches")]);
}

/// The headers and the body of a response.
struct File {
    head: String,
    body: Vec<u8>,
}

impl File {
    fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value).unwrap_or_default()
    }

    fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }
}

/// Fetches a file that need not be text, with additional headers.
async fn fetch(host: &Host, path: &str, headers: &str) -> File {
    let mut stream = socket(&host.address, local(1)).await;
    let request = format!("GET {path} HTTP/1.0\r\nHost: server\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    soon("a file", stream.read_to_end(&mut answer)).await.unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("the end of the headers");
    let body = answer.split_off(end + 4);
    File { head: String::from_utf8(answer).unwrap(), body }
}

/// Fetches an SVG, and returns the text in it.
async fn svg_text(host: &Host, path: &str) -> String {
    let svg = fetch(host, path, "").await;
    assert_eq!((svg.status(), svg.header("content-type")), ("200", "image/svg+xml"), "{path}");
    let document = roxmltree::Document::parse(svg.text()).unwrap_or_else(|error| panic!("{error}: {path}"));
    assert!(document.descendants().all(|node| !node.has_tag_name("script")), "{path}");
    let texts = document.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text());
    texts.collect::<Vec<_>>().join("\n")
}

/// Fetches a PNG, and returns how many colours its pixels have.
async fn png_colours(host: &Host, path: &str) -> usize {
    let file = fetch(host, path, "").await;
    assert_eq!((file.status(), file.header("content-type")), ("200", "image/png"), "{path}");
    let mut reader = png::Decoder::new(Cursor::new(&file.body)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1_200, 630), "{path}");
    assert!(file.body.len() < 200 << 10, "{path}: {} bytes", file.body.len());
    pixels.chunks(4).collect::<BTreeSet<_>>().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_and_tournaments_have_pictures() {
    let config = Config { public_url: Some("https://nim.example".parse().unwrap()), ..Config::default() };
    let host = Host::with(config).await;
    let (id, matches) = played_tournament(&host, HOSTILE).await;
    let text = svg_text(&host, &format!("/tournaments/{id}.svg")).await;
    assert!(text.contains("greedy") && text.contains("random") && text.contains(" won"), "{text}");
    assert!(text.contains(&format!("lastnim · {HOSTILE}")), "{text}");
    assert!(png_colours(&host, &format!("/tournaments/{id}.png")).await > 10);
    for game in &matches {
        let text = svg_text(&host, &format!("/matches/{game}.svg")).await;
        assert!(text.contains(" won") && text.contains(HOSTILE), "{text}");
        let first = svg_text(&host, &format!("/matches/{game}.svg?ply=0")).await;
        assert!(first.contains("Who wins under optimal play"), "{first}");
    }
    assert!(png_colours(&host, &format!("/matches/{}.png", matches[0])).await > 10);
    // Link previews show the same picture for each ply, but the page links the picture of its own ply.
    for (page, picture, query) in
        [("tournaments", &id, ""), ("matches", &matches[0], ""), ("matches", &matches[0], "?ply=1")]
    {
        let shown = get(&host, &format!("/{page}/{picture}{query}")).await;
        let address = between(&shown.body, "property=\"og:image\" content=\"", "\"");
        assert_eq!(address, format!("https://nim.example/{page}/{picture}.png"));
        for (form, word) in [("svg", "SVG"), ("png", "PNG")] {
            let link = format!("<a href=\"/{page}/{picture}.{form}{query}\">as {word}</a>");
            assert!(shown.body.contains(&link), "{link}: {}", shown.body);
        }
    }
    // A match with many seats, of which nobody has moved.
    let names: Vec<String> = (0..32).map(|seat| format!("bot{seat}")).collect();
    for name in &names {
        host.register(name).await;
    }
    let wide = exhibition(["bot0", "bot1"], &[1, i64::MAX as u64]);
    let open = host.create_match(pb::CreateMatchRequest { bots: names, ..wide }).await;
    assert!(svg_text(&host, &format!("/matches/{open}.svg")).await.contains("9223372036854775798 more"));
    assert!(png_colours(&host, &format!("/matches/{open}.png")).await > 3);
    for path in [
        "/matches/x.svg".to_owned(),
        "/tournaments/x.png".to_owned(),
        format!("/matches/{open}.svg?ply=1"),
        format!("/matches/{id}.png"),
        "/tournaments.svg".to_owned(),
        "/index.png".to_owned(),
    ] {
        assert_eq!(fetch(&host, &path, "").await.status(), "404", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_picture_of_a_large_knockout_shows_the_whole_path_of_its_champion() {
    let host = Host::start().await;
    let bots = [HouseBot::Greedy, HouseBot::Random, HouseBot::Timid, HouseBot::Loyal];
    let party = host.house_bots(&bots, 1).await;
    // Each of the three tables has 400 matches.
    let knockout = Format::Knockout(pb::KnockoutFormat { advance: 1, table_groups: 200 });
    let settings =
        pb::TournamentSettings { seats: 2, concurrency: 50, format: Some(knockout), ..round_robin(&[&[1]]) };
    let id = host.create_tournament(settings, &bots.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    let text = svg_text(&host, &format!("/tournaments/{id}.svg")).await;
    assert!(text.contains(" is champion") && text.contains("It met "), "{text}");
    for round in ["Final", "Round 1"] {
        assert!(text.contains(round), "{round}: {text}");
    }
    assert_eq!(text.matches("against ").count(), 2, "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_other_sites_show_boards_and_standings() {
    let host = Host::start().await;
    let (id, matches) = played_tournament(&host, "Spring").await;
    for (page, whole) in [("tournaments", &id), ("matches", &matches[0])] {
        let shown = get(&host, &format!("/embed/{page}/{whole}")).await;
        assert_eq!(shown.status, 200, "{}", shown.body);
        let policy = shown.header("content-security-policy");
        assert!(policy.contains("frame-ancestors *") && policy.contains("script-src 'none'"), "{policy}");
        assert_eq!(shown.header("set-cookie"), "");
        assert!(!shown.body.contains("<form") && !shown.body.contains("<script"), "{}", shown.body);
        assert!(shown.body.contains(" won") && shown.body.contains("greedy"), "{}", shown.body);
        let links: Vec<_> = shown.body.split("<a ").skip(1).collect();
        assert!(
            links.iter().any(|link| link.contains(&format!("href=\"/{page}/{whole}\""))),
            "{}",
            shown.body
        );
        assert!(links.iter().all(|link| link.contains(" target=\"_blank\"")), "{}", shown.body);
        // The page itself has the tag, and no other site can frame it.
        let page = get(&host, &format!("/{page}/{whole}")).await;
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
        let tag = between(&page.body, "<pre data-copy>&#60;iframe src=&#34;", "&#34;");
        assert!(
            get(&host, tag).await.header("content-security-policy").contains("frame-ancestors *"),
            "{tag}"
        );
    }
    for path in ["/embed/matches/x", "/embed/tournaments/x", "/embed", &format!("/embed/matches/{id}")] {
        let refused = get(&host, path).await;
        assert_eq!(refused.status, 404, "{path}");
        assert!(refused.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_shown_to_a_token_are_not_cached_by_others() {
    let host = Host::start().await;
    let (id, matches) = played_tournament(&host, "Spring").await;
    let game = &matches[0];
    let token = format!("Authorization: Bearer {}\r\n", host.viewer.reveal());
    let (day, now) = ("public, max-age=86400", "no-cache");
    for (path, freshness) in [
        (format!("/embed/matches/{game}"), now),
        (format!("/embed/tournaments/{id}"), now),
        (format!("/matches/{game}"), now),
        (format!("/matches/{game}.svg"), day),
        (format!("/matches/{game}.png?ply=0"), day),
    ] {
        let file = fetch(&host, &path, "").await;
        assert_eq!((file.status(), file.header("cache-control")), ("200", freshness), "{path}");
        let private = fetch(&host, &path, &token).await;
        assert_eq!((private.status(), private.header("cache-control")), ("200", "no-store"), "{path}");
    }
    host.register("one").await;
    let open = host.create_match(exhibition(["one", "greedy"], &[4])).await;
    let changing = fetch(&host, &format!("/matches/{open}.png"), "").await;
    assert_eq!((changing.status(), changing.header("cache-control")), ("200", now));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feeds_list_what_is_new() {
    let config = Config { public_url: Some("https://nim.example".parse().unwrap()), ..Config::default() };
    let host = Host::with(config).await;
    let (id, matches) = played_tournament(&host, HOSTILE).await;
    let news = |path: String| {
        let host = &host;
        async move {
            let file = fetch(host, &path, "").await;
            assert_eq!((file.status(), file.header("content-type")), ("200", "application/atom+xml"));
            let known = fetch(host, &path, &format!("If-None-Match: {}\r\n", file.header("etag"))).await;
            assert_eq!((known.status(), known.body.len()), ("304", 0), "{path}");
            file.text().to_owned()
        }
    };
    let texts_of = |feed: &str, name: &str| -> Vec<String> {
        let document = roxmltree::Document::parse(feed).unwrap();
        let entries =
            document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2005/Atom", "entry")));
        let child = |entry: roxmltree::Node<'_, '_>| {
            let mut children = entry.children().filter(|child| child.tag_name().name() == name);
            children
                .next()
                .map(|child| child.text().or(child.attribute("href")).unwrap_or_default().to_owned())
        };
        entries.filter_map(child).collect()
    };
    assert_eq!(fetch(&host, "/tournaments.atom?page=1", "").await.status(), "404");
    let feed = news("/tournaments.atom".to_owned()).await;
    let titles = texts_of(&feed, "title");
    assert_eq!(titles, [format!("Finished: {HOSTILE}"), format!("New: {HOSTILE}")], "{feed}");
    assert_eq!(texts_of(&feed, "id"), [format!("urn:uuid:{id}#finished"), format!("urn:uuid:{id}")]);
    assert_eq!(texts_of(&feed, "link")[0], format!("https://nim.example/tournaments/{id}"));
    let address = format!("/tournaments/{id}/matches.atom");
    let feed = news(address.clone()).await;
    let mut told = texts_of(&feed, "id");
    told.sort_unstable();
    let mut expected: Vec<_> = matches.iter().map(|game| format!("urn:uuid:{game}")).collect();
    expected.sort_unstable();
    assert_eq!(told, expected);
    assert!(texts_of(&feed, "summary").iter().all(|sentence| sentence.contains(" won")), "{feed}");
    let times = texts_of(&feed, "updated");
    assert!(times.is_sorted_by(|newer, older| newer >= older) && times[0].starts_with("20"), "{times:?}");
    let page = get(&host, &format!("/tournaments/{id}")).await;
    assert_eq!(between(&page.body, "type=\"application/atom+xml\" href=\"", "\""), address);
    for path in ["/matches.atom", "/bots.atom", "/tournaments/x/matches.atom"] {
        assert_eq!(get(&host, path).await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_feeds_and_frames_of_a_private_server_are_private() {
    let host = Host::with(Config { private: true, ..Config::default() }).await;
    let (id, matches) = played_tournament(&host, "Spring").await;
    let game = &matches[0];
    for path in [
        format!("/matches/{game}.svg"),
        format!("/matches/{game}.png"),
        format!("/tournaments/{id}.svg"),
        format!("/tournaments/{id}.png"),
        format!("/embed/matches/{game}"),
        format!("/embed/tournaments/{id}"),
        "/tournaments.atom".to_owned(),
        format!("/tournaments/{id}/matches.atom"),
    ] {
        let refused = get(&host, &path).await;
        assert_eq!(refused.status, 401, "{path}");
        assert!(!refused.body.contains("Spring") && !refused.body.contains("greedy"), "{path}");
        let headers = format!("Authorization: Bearer {}\r\n", host.viewer.reveal());
        assert_eq!(fetch(&host, &path, &headers).await.status(), "200", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn assets_are_kept_and_compressed() {
    let host = Host::start().await;
    let page = get(&host, "/").await;
    let style = style_address(&page);
    let whole = fetch(&host, &style, "").await;
    assert_eq!((whole.status(), whole.header("content-encoding")), ("200", ""));
    assert_eq!(whole.header("cache-control"), "public, max-age=31536000, immutable");
    let small = fetch(&host, &style, "Accept-Encoding: br, gzip\r\n").await;
    assert_eq!(small.header("content-encoding"), "gzip");
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(small.body.as_slice()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, whole.text());
    assert!(small.body.len() * 2 < whole.body.len(), "{} bytes", small.body.len());
    let (folder, _) = style.rsplit_once('/').unwrap();
    assert!(
        page.body.contains(&format!("{folder}/lastnim.js"))
            && page.body.contains(&format!("{folder}/icon.svg"))
    );
    assert_eq!(fetch(&host, &format!("{folder}/live.js"), "").await.status(), "200");
    // A page that was loaded before an upgrade gets the current files, but not for ever.
    for file in ["style.css", "lastnim.js"] {
        let old = fetch(&host, &format!("/assets/0123456789abcdef/{file}"), "").await;
        assert_eq!((old.status(), old.header("cache-control")), ("200", "no-cache"));
        assert_eq!(old.body, fetch(&host, &format!("{folder}/{file}"), "").await.body);
    }
    for path in [
        "/style.css",
        "/assets/style.css",
        "/assets/0123456789abcde/style.css",
        "/assets/0123456789abcdeg/style.css",
        "/assets/0123456789abcdef/x",
        &format!("{folder}/x"),
    ] {
        assert_eq!(fetch(&host, path, "").await.status(), "404", "{path}");
    }
    let icon = fetch(&host, "/favicon.ico", "").await;
    assert_eq!((icon.status(), icon.header("content-type")), ("200", "image/png"));
}
