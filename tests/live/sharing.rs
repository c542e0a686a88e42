//! What a link to a page shows elsewhere.

use super::{
    host::{Host, exhibition, round_robin},
    organise_pages::signed_in,
    pages::{Answer, get},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;

/// Plays a tournament of two house bots with this title. Returns its id and those of its matches.
async fn played_tournament(host: &Host, title: &str) -> (String, Vec<String>) {
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
async fn pages_below_a_tournament_name_it() {
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
