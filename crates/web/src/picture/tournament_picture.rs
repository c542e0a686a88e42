//! The picture of a tournament: its leader or champion, and the standings or the champion's path.

#![expect(clippy::cast_precision_loss, reason = "the numbers are positions in a picture")]

use super::frame::{DrawPicture, Picture, PictureColour};
use super::text_fit::fitted_size;
use crate::page_cache::PageLifetime;
use crate::site::Site;
use crate::trail::tournament_title;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::{self, verdict::Verdict};
use lastnim_report::Round;
use lastnim_report::played_rounds::{KnownMatches, played_rounds};
use lastnim_report::render::write_template;
use lastnim_report::tournament::progress_text;
use lastnim_report::tournament_finding::{TournamentFinding, may_be_ahead, tournament_finding};
use lastnim_report::words::{count_with_noun, join_items};
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// The maximum number of rows.
const MAX_ROWS: usize = 9;
/// After this many matches, no more are read for the path of a champion.
const MAX_MATCHES: usize = 5_000;
/// The number of matches per read.
const PAGE_SIZE: u32 = 1_000;
/// The x coordinate of the lowest rating.
const LOW_X: f64 = 850.0;
/// The x coordinate of the highest rating.
const HIGH_X: f64 = 1150.0;
/// The distance between two rows, in pixels.
const ROW_STEP: f64 = 60.0;
/// The y coordinate of the middle of the first row.
const FIRST_ROW_Y: f64 = 78.0;
/// The width of a name.
const NAME_WIDTH: f64 = 180.0;
/// The width of a row without an interval.
const ROW_WIDTH: f64 = 500.0;

#[derive(Template)]
#[template(path = "picture/standings.svg")]
struct StandingsChart {
    rows: Vec<PictureRow>,
    /// The x coordinate of the lower end of the leader's interval.
    bound: Option<f64>,
}

/// A line with a bot, its figure and perhaps its interval.
struct PictureRow {
    y: f64,
    name: String,
    name_size: f64,
    /// The text after the name, if there is no interval.
    words: String,
    words_size: f64,
    interval: Option<Interval>,
}

/// The interval of a rating, as x coordinates.
struct Interval {
    low: f64,
    middle: f64,
    high: f64,
    /// Whether the bot may be ahead of the leader, or is the leader.
    may_lead: bool,
}

#[derive(Template)]
#[template(path = "picture/progress.svg")]
struct ProgressView {
    /// The played share, 0 to 1; `None` if the number of matches is unknown.
    share: Option<f64>,
    words: String,
    words_size: f64,
}

/// Reads a tournament for its picture.
pub(crate) async fn tournament_picture(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<(DrawPicture, PageLifetime), Status> {
    let is_ended = site.arena.is_ended(id).await;
    let tournament = site.get_tournament(visitor, id).await?.tournament.unwrap_or_default();
    let request = pb::GetStandingsRequest { tournament_id: id.to_string(), cross_table: false };
    let shown = site.tournaments.get_standings(visitor.request(request)).await?.into_inner();
    let path = match knockout_champion(&shown) {
        Some(champion) => ChampionPath::read(site, visitor, id, champion).await?,
        None => ChampionPath::default(),
    };
    let lifetime = if is_ended { PageLifetime::Permanent } else { PageLifetime::default() };
    Ok((Box::new(move || Ok(picture_of_tournament(&tournament, &shown, &path))), lifetime))
}

/// The matches of the champion of a knockout, the newest first.
#[derive(Debug, Default)]
struct ChampionPath {
    matches: Vec<pb::Match>,
    has_more: bool,
}

impl ChampionPath {
    async fn read(site: &Site, visitor: &Visitor, id: TournamentId, champion: &str) -> Result<Self, Status> {
        let (mut path, mut page_token) = (Self::default(), String::new());
        loop {
            let request = pb::ListMatchesRequest {
                page_size: PAGE_SIZE,
                page_token,
                tournament_id: id.to_string(),
                bots: vec![champion.to_owned()],
                ..Default::default()
            };
            let list = site.list_matches(visitor, request).await?;
            path.matches.extend(list.matches);
            page_token = list.next_page_token;
            path.has_more = !page_token.is_empty();
            if !path.has_more || path.matches.len() >= MAX_MATCHES {
                return Ok(path);
            }
        }
    }

    fn rounds(&self, tournament: &pb::Tournament, verdict: Option<&pb::Verdict>) -> Vec<Round> {
        let known = if self.has_more { KnownMatches::Newest } else { KnownMatches::All };
        played_rounds(tournament, verdict, &self.matches, known)
    }
}

/// Returns the only bot that is still in a knockout, if there is only one.
fn knockout_champion(shown: &pb::GetStandingsResponse) -> Option<&str> {
    let Some(Verdict::Knockout(knockout)) = &shown.verdict.as_ref()?.verdict else { return None };
    let mut still_in = knockout.bots.iter().filter(|bot| bot.out_in.is_none());
    let champion = still_in.next()?;
    still_in.next().is_none().then_some(&champion.bot)
}

/// Says who leads or has won, and how sure that is.
pub(crate) fn current_finding(
    tournament: &pb::Tournament,
    shown: &pb::GetStandingsResponse,
) -> TournamentFinding {
    tournament_finding(tournament, &shown.standings, shown.verdict.as_ref(), &[])
}

fn picture_of_tournament(
    tournament: &pb::Tournament,
    shown: &pb::GetStandingsResponse,
    path: &ChampionPath,
) -> Picture {
    let lines = &shown.standings;
    let verdict = shown.verdict.as_ref();
    let (rows, rounds) = match verdict.and_then(|verdict| verdict.verdict.as_ref()) {
        Some(Verdict::Knockout(knockout)) => {
            let rounds = path.rounds(tournament, verdict);
            let rows = match knockout_champion(shown) {
                Some(champion) => path_rows(champion, &rounds),
                None => fate_rows(knockout),
            };
            (rows, rounds)
        }
        Some(Verdict::Sprt(_)) => (point_rows(lines), Vec::new()),
        _ if lines.first().is_some_and(|leader| leader.rating.is_some()) => (rating_rows(lines), Vec::new()),
        _ => (point_rows(lines), Vec::new()),
    };
    let finding = tournament_finding(tournament, lines, verdict, &rounds);
    let has_intervals = rows.iter().any(|row| row.interval.is_some());
    let bound = lines.first().and_then(|leader| leader.rating.as_ref()).filter(|_| has_intervals);
    let scale = RatingScale::of_lines(lines);
    let progress = progress_text(tournament);
    let share = (tournament.matches_total > 0)
        .then(|| (tournament.matches_played as f64 / tournament.matches_total as f64).min(1.0));
    let progress_view =
        ProgressView { share, words_size: fitted_size(&progress, 24.0, 480.0), words: progress };
    let drawing = StandingsChart { rows, bound: bound.zip(scale).map(|(leader, scale)| scale.x(leader.low)) };
    Picture {
        headline: finding.headline,
        seat: None,
        sentence: finding.certainty,
        below: write_template(&progress_view),
        drawing: write_template(&drawing),
        title: tournament_title(tournament),
    }
}

/// Lists what became of each bot in a knockout.
fn fate_rows(knockout: &pb::KnockoutVerdict) -> Vec<PictureRow> {
    let fate = |bot: &pb::KnockoutBot| {
        let state =
            bot.out_in.map_or("still in".to_owned(), |round| format!("out in round {}", shown_number(round)));
        (bot.bot.clone(), state)
    };
    text_rows(knockout.bots.iter().map(fate))
}

/// Lists the path of the champion, the final first.
fn path_rows(champion: &str, rounds: &[Round]) -> Vec<PictureRow> {
    let path = rounds.iter().rev().filter_map(|round| {
        let table = round.table_of(champion)?;
        let others = table.entries.iter().map(|entry| &entry.bot).filter(|bot| *bot != champion);
        Some((round.name.clone(), format!("against {}", join_items(others, ", "))))
    });
    text_rows(path)
}

/// The range of ratings that is drawn.
#[derive(Debug, Clone, Copy)]
struct RatingScale {
    low: f64,
    high: f64,
}

impl RatingScale {
    /// Returns a scale for the first lines; `None` if none of them is rated.
    fn of_lines(lines: &[pb::Standing]) -> Option<Self> {
        let ratings = lines.iter().take(MAX_ROWS).filter_map(|line| line.rating.as_ref());
        let ends = ratings.filter(|rating| rating.low.is_finite() && rating.high.is_finite());
        ends.map(|rating| Self { low: rating.low, high: rating.high })
            .reduce(|all, next| Self { low: all.low.min(next.low), high: all.high.max(next.high) })
    }

    fn x(self, points: f64) -> f64 {
        let share = (points - self.low) / (self.high - self.low).max(f64::EPSILON);
        LOW_X + share.clamp(0.0, 1.0) * (HIGH_X - LOW_X)
    }
}

fn rating_rows(lines: &[pb::Standing]) -> Vec<PictureRow> {
    let scale = RatingScale::of_lines(lines);
    let row = |(y, line): (f64, &pb::Standing)| {
        let interval = line.rating.as_ref().zip(scale).map(|(rating, scale)| Interval {
            low: scale.x(rating.low),
            middle: scale.x(rating.points),
            high: scale.x(rating.high),
            may_lead: lines.first().is_some_and(|leader| may_be_ahead(line, leader)),
        });
        let name_size = fitted_size(&line.bot, 26.0, NAME_WIDTH);
        PictureRow { y, name: line.bot.clone(), name_size, words: String::new(), words_size: 0.0, interval }
    };
    row_y_coordinates().zip(lines).map(row).collect()
}

fn point_rows(lines: &[pb::Standing]) -> Vec<PictureRow> {
    text_rows(lines.iter().map(|line| (line.bot.clone(), count_with_noun(line.wins, "win", "wins"))))
}

fn text_rows(rows: impl Iterator<Item = (String, String)>) -> Vec<PictureRow> {
    let row = |(y, (name, words)): (f64, (String, String))| PictureRow {
        y,
        name_size: fitted_size(&name, 26.0, NAME_WIDTH),
        words_size: fitted_size(&words, 26.0, ROW_WIDTH - NAME_WIDTH),
        name,
        words,
        interval: None,
    };
    row_y_coordinates().zip(rows).map(row).collect()
}

fn row_y_coordinates() -> impl Iterator<Item = f64> {
    (0..MAX_ROWS).map(|index| FIRST_ROW_Y + index as f64 * ROW_STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated_line(bot: &str, (low, points, high): (f64, f64, f64)) -> pb::Standing {
        let rating = pb::BotRating { points, low, high, ..Default::default() };
        pb::Standing { bot: bot.into(), rating: Some(rating), matches: 9, ..Default::default() }
    }

    fn draw_tournament(
        state: pb::TournamentState,
        standings: Vec<pb::Standing>,
        verdict: Option<Verdict>,
    ) -> Picture {
        let settings = pb::TournamentSettings { title: "Cup <1>".into(), ..Default::default() };
        let tournament = pb::Tournament {
            state: state.into(),
            matches_played: 4,
            matches_total: 6,
            settings: Some(settings),
            ..Default::default()
        };
        let verdict = Some(pb::Verdict { verdict });
        let shown = pb::GetStandingsResponse { standings, verdict, ..Default::default() };
        picture_of_tournament(&tournament, &shown, &ChampionPath::default())
    }

    #[test]
    fn bots_that_may_be_better_are_named() {
        let standings = vec![
            pb::Standing { place: 1, ..rated_line("top", (1500.0, 1600.0, 1700.0)) },
            pb::Standing { place: 2, ..rated_line("near", (1450.0, 1500.0, 1550.0)) },
            pb::Standing { place: 3, ..rated_line("low", (1300.0, 1350.0, 1400.0)) },
        ];
        let picture = draw_tournament(pb::TournamentState::Running, standings, None);
        assert_eq!(picture.headline, "top leads");
        assert!(picture.sentence.contains(" be ahead of it: near."), "{}", picture.sentence);
        assert_eq!(picture.drawing.matches(PictureColour::GOOD).count(), 4, "{}", picture.drawing);
        assert!(picture.drawing.contains("M1000.0 "), "the lower bound of top: {}", picture.drawing);
        assert!(picture.svg().contains("lastnim · Cup &#60;1&#62;"));
    }

    #[test]
    fn unrated_and_absent_bots_have_a_picture() {
        let line = |place, bot: &str| pb::Standing {
            place,
            bot: bot.into(),
            wins: 3,
            matches: 4,
            ..Default::default()
        };
        let won = draw_tournament(pb::TournamentState::Finished, vec![line(1, "ann"), line(2, "bob")], None);
        assert_eq!(
            (won.headline.as_str(), won.sentence.as_str()),
            (
                "ann won",
                "It won 3 of 4 matches. There are no ratings, which would show how sure this ranking is."
            )
        );
        let shared =
            draw_tournament(pb::TournamentState::Running, vec![line(1, "ann"), line(1, "bob")], None);
        assert_eq!(shared.headline, "ann and bob share the lead");
        assert_eq!(
            draw_tournament(pb::TournamentState::Open, vec![], None).headline,
            "No bot has joined yet"
        );
    }

    #[test]
    fn a_knockout_names_its_champion() {
        let bot = |bot: &str, out_in| pb::KnockoutBot { bot: bot.into(), out_in, ..Default::default() };
        let knockout = |bots| Some(Verdict::Knockout(pb::KnockoutVerdict { bots }));
        let over = knockout(vec![bot("ann", None), bot("bob", Some(1))]);
        let picture =
            draw_tournament(pb::TournamentState::Finished, vec![rated_line("ann", (0.0, 1.0, 2.0))], over);
        assert_eq!(picture.headline, "ann is champion");
        let open = knockout(vec![bot("ann", None), bot("bob", None), bot("eve", Some(0))]);
        let picture = draw_tournament(pb::TournamentState::Running, vec![], open);
        assert_eq!(picture.headline, "2 bots are still in");
        assert!(picture.drawing.contains("out in round 1"), "{}", picture.drawing);
    }
}
