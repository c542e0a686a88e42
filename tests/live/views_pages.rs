//! The content of pages for all formats, matches and bots.

use super::{
    host::{Host, exhibition, round_robin},
    pages::get,
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use lastnim_server::Config;
use pb::tournament_settings::Format;
use pb::transcript_service_client::TranscriptServiceClient;

/// Settings for two seats, so that a table is a pair.
fn settings(format: Format) -> pb::TournamentSettings {
    let format = Some(format);
    let alliance = pb::AllianceMode::Standard.into();
    pb::TournamentSettings { seats: 2, alliance, format, ..round_robin(&[&[2, 3], &[1, 4]]) }
}

/// Lets house bots play a tournament, and returns its page.
async fn played_page(settings: pb::TournamentSettings) -> String {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let id = host.create_tournament(settings, &HouseBot::BASIC.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    let page = get(&host, &format!("/tournaments/{id}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    page.body
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_have_link_previews() {
    let public_url = Some("https://nim.example.org/".parse().unwrap());
    let host = Host::with(Config { public_url, ..Config::default() }).await;
    let page = get(&host, "/tournaments?page=").await.body;
    assert!(
        page.contains("<meta property=\"og:url\" content=\"https://nim.example.org/tournaments\">"),
        "{page}"
    );
    assert!(page.contains("<link rel=\"canonical\" href=\"https://nim.example.org/tournaments\">"), "{page}");
    assert!(!get(&Host::start().await, "/").await.body.contains("og:url"));
}

fn count(page: &str, part: &str) -> usize {
    page.matches(part).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_knockout_has_a_bracket() {
    let page = played_page(settings(Format::Knockout(pb::KnockoutFormat::default()))).await;
    // Three tables, then one and a bye, then the final.
    for part in ["<h2>Bracket</h2>", "<h3>Round 1</h3>", "<h3>Round 2</h3>", "<h3>Final</h3>", ">sat out<"] {
        assert!(page.contains(part), "{part:?} is missing:\n{page}");
    }
    assert_eq!(
        ["> champion, <", "> is out, <", "> goes on, <"].map(|fate| count(&page, fate)),
        [1, 5, 4 + 1],
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swiss_tournament_has_rounds() {
    let page = played_page(settings(Format::Swiss(pb::SwissFormat { rounds: 3, table_groups: 1 }))).await;
    assert!(page.contains("<h2>Rounds</h2>") && page.contains("<h3>Round 3</h3>"), "{page}");
    // Three tables of two bots in each of three rounds.
    assert_eq!(count(&page, "<tr><th scope=\"row\"><a href=\"/bots/"), 3 * 3 * 2, "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ladder_has_ratings_over_time() {
    let ladder = pb::LadderFormat { groups: 9, ..Default::default() };
    let page = played_page(settings(Format::Ladder(ladder))).await;
    assert!(page.contains("<h2>Ratings over time</h2>"), "{page}");
    // A line for each bot, and its key.
    assert_eq!(count(&page, "<polyline class=\"line-"), 2 * HouseBot::BASIC.len(), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gauntlet_has_a_mark_for_each_opponent() {
    let gauntlet = pb::GauntletFormat { bot: "oracle".into(), groups: 0 };
    let page = played_page(settings(Format::Gauntlet(gauntlet))).await;
    let plot = page.split("<h2>Opponents</h2>").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(count(plot, "<circle class=\"mark\""), HouseBot::BASIC.len() - 1, "{plot}");
    assert!(plot.contains(">random</text>"), "{plot}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sequential_test_shows_how_far_it_is_between_its_bounds() {
    let sprt = pb::SprtFormat {
        candidate: "oracle".into(),
        baseline: "random".into(),
        effect_some: 0.2,
        groups: 200,
        ..Default::default()
    };
    let page = played_page(settings(Format::Sprt(sprt))).await;
    assert!(page.contains("The test ends at a bound: at ") && page.contains(">evidence</text>"), "{page}");
    assert!(page.contains("the candidate is better: log-likelihood ratio "), "{page}");
    // The capital is drawn, and described in words.
    let capital = page.split("<h2>Capital</h2>").nth(1).unwrap().split("</section>").next().unwrap();
    for part in [
        "The candidate is better: after ",
        "<polyline class=\"line-0\"",
        "<polyline class=\"line-1\"",
        " bet that the candidate is better +",
        " bet that the candidate is no better ",
        ">bound +3.00</text>",
        "<summary>Numbers as a table</summary>",
        ">bet that the candidate is no better</th>",
    ] {
        assert!(capital.contains(part), "{part:?} is missing:\n{capital}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_can_be_exported() {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let swiss = Format::Swiss(pb::SwissFormat { rounds: 2, table_groups: 1 });
    let id = host.create_tournament(settings(swiss), &HouseBot::BASIC.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    let page = get(&host, &format!("/tournaments/{id}")).await.body;
    let text = page.split("<pre id=\"result\" data-copy>").nth(1).unwrap().split("</pre>").next().unwrap();
    assert!(text.starts_with("title      live\n") && text.contains("Swiss, 2 rounds"), "{text}");
    let headline = page.split("<h1 id=\"headline\">").nth(1).unwrap().split("</h1>").next().unwrap();
    assert!(headline.ends_with(" won") || headline.ends_with(" won by lot"), "{headline}");
    assert!(page.contains(&format!("<meta name=\"description\" content=\"{headline}. ")), "{page}");
    let toml = get(&host, &format!("/tournaments/{id}.toml")).await;
    assert_eq!((toml.status, toml.header("content-type")), (200, "application/toml; charset=utf-8"));
    assert!(toml.body.contains("kind = \"swiss\"\nrounds = 2\n"), "{}", toml.body);
    assert_eq!(get(&host, &format!("/tournaments/{id}/standings.toml")).await.status, 404);
    // Twelve matches in total, four per bot.
    let listed_matches = |query: &str| {
        let path = format!("/tournaments/{id}/matches.json?{query}");
        let host = &host;
        async move { get(host, &path).await.json()["matches"].as_array().unwrap().len() }
    };
    assert_eq!(listed_matches("bot=oracle&state=&reason=").await, 4);
    assert_eq!(listed_matches("state=over&reason=finished").await, 12);
    assert_eq!(listed_matches("state=open").await, 0);
    let narrowed = get(&host, &format!("/tournaments/{id}/matches?bot=oracle&state=over")).await.body;
    assert!(narrowed.contains("name=\"bot\" value=\"oracle\""), "{narrowed}");
    assert!(narrowed.contains("<option value=\"over\" selected>over</option>"), "{narrowed}");
    assert_eq!(get(&host, "/matches?state=odd").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_has_a_record_and_an_audit_with_puzzles() {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let sample = Format::RoundRobin(pb::RoundRobinFormat::default());
    let id = host.create_tournament(settings(sample), &HouseBot::BASIC.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    party.dismiss().await;
    let page = get(&host, "/bots/random").await.body;
    for part in [
        "All its finished matches are counted here.",
        "<h2>By opponent</h2>",
        "<h2>By seat</h2>",
        "<h2>Rating over time</h2>",
    ] {
        assert!(page.contains(part), "{part:?} is missing:\n{page}");
    }
    assert_eq!(count(&page, "<polyline class=\"line-"), 2, "a line, and its key");
    // Neither this page nor anything for programs starts an audit.
    let heading = |page: &str| {
        let rest = page.split("<h1 id=\"headline\">").nth(1).unwrap();
        rest.split("</h1>").next().unwrap().to_owned()
    };
    for _ in 0..2 {
        assert_eq!(get(&host, "/bots/random.json").await.status, 200);
        for form in ["json", "csv", "toml"] {
            let refused = get(&host, &format!("/bots/random/audit.{form}")).await;
            assert!(refused.status == 404 && refused.body.contains("open /bots/random/audit in a browser"));
        }
        let page = get(&host, "/bots/random").await.body;
        assert!(
            page.contains("No comparison of its takes with optimal play is ready: follow the link below"),
            "{page}"
        );
        assert!(!heading(&page).contains("optimal"), "{page}");
    }
    let mut audit = get(&host, "/bots/random/audit").await;
    // While the audit is running, the browser reloads the page.
    while audit.header("refresh") == "2" {
        assert!(audit.body.contains("This page reloads itself"), "{}", audit.body);
        audit = get(&host, "/bots/random/audit").await;
    }
    let page = get(&host, "/bots/random").await.body;
    // The heading says how well it plays, and its worst error is linked. No id is shown.
    let heading = heading(&page);
    assert!(
        heading.starts_with("random is rated 1") && heading.ends_with("% of its takes are optimal"),
        "{heading}"
    );
    let error = page.split("Its worst error:").nth(1).unwrap().split("\">See it").next().unwrap();
    let (id, ply) = error.split("/matches/").nth(1).unwrap().split_once("?ply=").unwrap();
    let after: usize = ply.parse().unwrap();
    assert!(host.get_match(id).await.audit.unwrap().plies[after - 1].regret > 0, "{error}");
    assert!(!page.contains(&format!(">{id}<")), "{page}");
    assert_eq!(audit.status, 200, "{}", audit.body);
    for part in [
        "These are all of its matches that count.",
        "<h2>Who helps whom</h2>",
        "<td>opening</td>",
        "Ask the oracle",
    ] {
        assert!(audit.body.contains(part), "{part:?} is missing:\n{}", audit.body);
    }
    // A puzzle links to its position, where the oracle agrees.
    let puzzle = audit.body.split("<ol class=\"puzzles\">").nth(1).unwrap();
    let answer = puzzle.split("Optimal: ").nth(1).unwrap();
    let winner = answer.split(", and ").nth(1).unwrap().split(' ').next().unwrap();
    let order = puzzle.split("move in the order ").nth(1).unwrap().split(". ").next().unwrap();
    let winner = order.replace(" and ", ", ").split(", ").position(|bot| bot == winner).unwrap() + 1;
    let oracle = puzzle.split("<a href=\"/oracle").nth(1).unwrap().split('"').next().unwrap();
    let oracle = get(&host, &format!("/oracle{}", oracle.replace("&#38;", "&"))).await.body;
    assert!(oracle.contains(&format!("Seat {winner} wins under optimal play")), "{answer}\n{oracle}");
    assert_eq!(get(&host, "/bots/nobody/audit").await.status, 404);
    let twin = get(&host, "/bots/random/audit.json").await;
    assert!(twin.status == 200 && twin.json()["report"]["bots"][0]["bot"] == "random", "{}", twin.body);
    // The page of a position describes the ending in words, and not with the value of the flag.
    assert!(oracle.contains("When no counter is left, the seat to move wins."), "{oracle}");
    assert!(!oracle.contains("Ending: to_move_wins"), "{oracle}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_takes_can_be_analysed() {
    let host = Host::start().await;
    let party = host.house_bots(&[HouseBot::Random, HouseBot::Greedy, HouseBot::Oracle], 1).await;
    let bots = ["random", "greedy", "oracle"];
    let id = host.create_match(exhibition(bots, &[3, 4])).await;
    host.watched_to_its_end(&id).await;
    party.dismiss().await;
    let audit = host.get_match(&id).await.audit.unwrap();
    let page = get(&host, &format!("/matches/{id}?ply=0")).await.body;
    for part in ["data-take=\"4\"", "<table class=\"heat\">", "The record verifies: "] {
        assert!(page.contains(part), "{part:?} is missing:\n{page}");
    }
    assert_eq!(page.contains("Who paid for whose errors"), audit.first_error.is_some(), "{page}");
    // An optimal take leads to the predicted winner.
    let first = &audit.plies[0];
    let take = first.optimal_takes[0].lo;
    let tried = get(&host, &format!("/matches/{id}/what-if?ply=0&take={take}")).await;
    let said = format!("Seat {} wins under optimal play", first.predicted_before + 1);
    assert!(tried.status == 200 && tried.body.contains(&said), "{said}:\n{}", tried.body);
    for wrong in ["ply=0&take=5", "ply=0&take=0", "ply=99&take=1", "take=-1"] {
        assert_eq!(get(&host, &format!("/matches/{id}/what-if?{wrong}")).await.status, 404, "{wrong}");
    }
    assert_eq!(get(&host, &format!("/matches/{id}/transcript?seat=0")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transcripts_are_shown_by_question() {
    let host = Host::start().await;
    let party = host.house_bots(&[HouseBot::Random, HouseBot::Greedy], 1).await;
    let id = host.create_match(exhibition(["random", "greedy"], &[2])).await;
    host.until_closed(&id).await;
    party.dismiss().await;
    let mut transcripts = TranscriptServiceClient::new(host.authorized(host.admin.reveal()));
    for ply in [None, Some(0)] {
        let ply_text = ply.map_or("null".to_owned(), |ply: u32| ply.to_string());
        let said = if ply.is_none() { "row" } else { "take" };
        let line = format!(
            "{{\"event\":\"call\",\"match_id\":\"{id}\",\"seat\":0,\"ply\":{ply_text},\"reply\":\"<script>alert({said})</script>\"}}\n"
        );
        let request = pb::PublishTranscriptRequest { match_id: id.clone(), seat: 0, ply, lines: line };
        transcripts.publish_transcript(request).await.unwrap();
    }
    let page = get(&host, &format!("/matches/{id}")).await.body;
    for address in ["transcript?seat=0\"", "transcript?seat=0&#38;ply=0\""] {
        let found = page.contains(&format!("/matches/{id}/{address}"))
            || page.contains(&format!("/matches/{id}/{}", address.replace("&#38;", "&amp;")));
        assert!(found, "{address}:\n{page}");
    }
    assert!(page.contains("<p class=\"words seat-0\">\u{201c}&#60;script&#62;alert(take)"), "{page}");
    // The words about the row are beside the rows.
    let rows = page.split("id=\"rows\"").nth(1).unwrap().split("</section>").next().unwrap();
    let reply = rows.split("<p class=\"words seat-0\">").nth(1).unwrap();
    assert!(reply.contains("random: \u{201c}&#60;script&#62;alert(row)"), "{rows}");
    assert!(reply.contains(&format!("<a href=\"/matches/{id}/transcript?seat=0\">")), "{rows}");
    let row = get(&host, &format!("/matches/{id}/transcript?seat=0")).await;
    assert!(row.status == 200 && row.body.contains("rel=\"next\""), "{}", row.body);
    assert!(
        row.body.contains("reply: &#60;script&#62;alert(row)") && !row.body.contains("<script>alert"),
        "{}",
        row.body
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_positions_have_a_tree() {
    let host = Host::start().await;
    let page = get(&host, "/oracle?piles=1+3&rows=1%3E3%3E2;2%3E3%3E1;3%3E2%3E1").await.body;
    assert!(page.contains("All possible play") && page.contains("The tree of all possible play: "), "{page}");
    let same = get(&host, "/oracle?piles=1+3&rows=1+3+2;2+3+1;3+2+1").await.body;
    let answer =
        |page: &str| page.split("</form>").nth(1).unwrap().split("<footer>").next().unwrap().to_owned();
    assert_eq!(answer(&page), answer(&same));
    assert!(!get(&host, "/oracle?piles=9+9").await.body.contains("All possible play"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_champion_of_a_knockout_is_first_everywhere() {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let mut lot_count = 0;
    for seed in 1..=6 {
        let knockout = settings(Format::Knockout(pb::KnockoutFormat::default()));
        let knockout = pb::TournamentSettings { seed, ..knockout };
        let id = host.create_tournament(knockout, &HouseBot::BASIC.map(HouseBot::kind)).await;
        host.start_tournament(&id).await;
        let ended = host.tournament_over(&id).await;
        let Some(pb::verdict::Verdict::Knockout(verdict)) = ended.verdict.unwrap().verdict else { panic!() };
        let (champion, second) = (&verdict.bots[0], &verdict.bots[1]);
        assert_eq!((champion.out_in, second.out_in), (None, Some(2)));
        let order: Vec<_> = ended.standings.iter().map(|line| (line.place, line.bot.as_str())).collect();
        assert_eq!(order[..2], [(1, champion.bot.as_str()), (2, second.bot.as_str())], "seed {seed}");
        let last_round = |bot: &str| verdict.bots.iter().find(|each| each.bot == bot).unwrap().out_in;
        assert!(order[1..].is_sorted_by_key(|(_, bot)| std::cmp::Reverse(last_round(bot))), "{order:?}");

        let address = format!("/tournaments/{id}");
        let json = get(&host, &format!("{address}/standings.json")).await.json();
        assert_eq!(json["standings"][0]["bot"], champion.bot, "{json}");
        let csv = get(&host, &format!("{address}/standings.csv")).await.body;
        assert!(csv.lines().nth(1).unwrap().starts_with(&format!("1,{},", champion.bot)), "{csv}");
        let page = get(&host, &address).await.body;
        assert!(page.contains(&format!("{} is champion</h1>", champion.bot)), "{page}");
        let copied = page.lines().skip_while(|line| !line.trim_start().starts_with("place  bot")).nth(1);
        let copied: Vec<_> = copied.unwrap().split_whitespace().take(2).collect();
        assert_eq!(copied, ["1", champion.bot.as_str()], "{page}");
        let lots = verdict.bots.iter().filter(|each| each.tie_break() == pb::TieBreak::Lot).count();
        assert_eq!(count(&page, "level on points; decided by lot"), lots, "{page}");
        lot_count += lots;
    }
    party.dismiss().await;
    assert!(lot_count > 0, "some ties are broken by lot");
}
