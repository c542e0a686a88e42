//! The kinds of pages.

use anyhow::Context as _;
use lastnim_store::{MatchFilter, RetentionLimits};
use lastnim_tournament::TournamentFormat;
use std::path::Path;

/// A kind of page, and the address of one.
pub(crate) struct PageKind {
    pub(crate) name: &'static str,
    pub(crate) path: String,
}

impl PageKind {
    /// Returns whether it is a page for people, not for programs or a file.
    pub(crate) fn is_html(&self) -> bool {
        !["settings as TOML", "record", "metrics"].contains(&self.name)
    }
}

/// Returns every kind of page that the server has for people, with addresses of items in the filled store.
pub(crate) async fn page_kinds(path: &Path) -> anyhow::Result<Vec<PageKind>> {
    let url = format!("sqlite:{}", path.display());
    let store = lastnim_store::open_store(&url.parse()?, RetentionLimits::default()).await?;
    let tournaments = store.tournaments(None, 100).await?;
    let titled = |title: &str| {
        let found = tournaments.iter().find(|stored| stored.settings.title.to_string() == title);
        found.map(|stored| stored.id).with_context(|| format!("the store has no tournament {title:?}"))
    };
    let [big, long, ladder, swiss, knockout, gauntlet] =
        ["big sample", "long sample", "ladder", "swiss", "knockout", "gauntlet"].map(titled);
    let (big, long, ladder) = (big?, long?, ladder?);
    let long_filter = MatchFilter { tournament: Some(long), ..MatchFilter::default() };
    let newest = store.match_summaries(&long_filter, None, 1_000).await?;
    let (game, older) = newest.first().zip(newest.last()).context("the long sample has no matches")?;
    let (game, older) = (game.id, older.id);
    let is_ladder = |format: &TournamentFormat| matches!(format, TournamentFormat::Ladder(_));
    anyhow::ensure!(
        tournaments.iter().any(|stored| is_ladder(&stored.settings.format)),
        "the store has no ladder"
    );
    store.close().await;
    let pages = [
        ("first page", "/".to_owned()),
        ("tournaments", "/tournaments".into()),
        ("matches", "/matches".into()),
        ("matches, further", format!("/matches?page={older}")),
        ("a bot's matches", "/matches?bot=bot-7".into()),
        ("matches, cancelled (none)", "/matches?reason=cancelled".into()),
        ("matches, voided (none)", "/matches?state=voided".into()),
        ("bots", "/bots".into()),
        ("bot", "/bots/bot-7".into()),
        ("a bot with few matches", "/bots/bot-777".into()),
        ("a bot's audit", "/bots/bot-7/audit".into()),
        ("sample of 1,000", format!("/tournaments/{big}")),
        ("its standings", format!("/tournaments/{big}/standings")),
        ("its standings, further", format!("/tournaments/{big}/standings?from=300")),
        ("its matches", format!("/tournaments/{big}/matches")),
        ("a bot's matches in the sample", format!("/tournaments/{big}/matches?bot=bot-7")),
        ("a long sample of 12", format!("/tournaments/{long}")),
        ("standings, cross-table", format!("/tournaments/{long}/standings")),
        ("the long sample's matches", format!("/tournaments/{long}/matches")),
        ("settings as TOML", format!("/tournaments/{long}.toml")),
        ("a paused ladder of 1,000", format!("/tournaments/{ladder}")),
        ("the ladder's standings", format!("/tournaments/{ladder}/standings")),
        ("Swiss", format!("/tournaments/{}", swiss?)),
        ("knockout", format!("/tournaments/{}", knockout?)),
        ("gauntlet", format!("/tournaments/{}", gauntlet?)),
        ("match", format!("/matches/{game}")),
        ("a match at a ply", format!("/matches/{game}?ply=1")),
        ("a match with the oracle", format!("/matches/{game}?ply=1&oracle=shown")),
        ("what if", format!("/matches/{game}/what-if?ply=0&take=1")),
        ("record", format!("/matches/{game}/record.json")),
        ("oracle", "/oracle".into()),
        ("oracle, a position", "/oracle?piles=3+4+5&rows=1%3E2%3E3%3B2%3E3%3E1%3B3%3E1%3E2".into()),
        ("play", "/play".into()),
        ("organise, sign in", "/organise/sign-in".into()),
        ("book", "/docs".into()),
        ("chapter", "/docs/run-a-tournament".into()),
        ("metrics", "/metrics".into()),
    ];
    Ok(pages.into_iter().map(|(name, path)| PageKind { name, path }).collect())
}

/// Returns the kinds of pages about a running tournament.
pub(crate) fn live_kinds(id: &str) -> [PageKind; 3] {
    [
        ("tournament that runs", format!("/tournaments/{id}")),
        ("its live standings", format!("/tournaments/{id}/standings")),
        ("its newest matches", format!("/tournaments/{id}/matches")),
    ]
    .map(|(name, path)| PageKind { name, path })
}
