//! The page of the oracle.

use super::board::draw_static_board;
use super::match_page::AnalysedPosition;
use super::page::Page;
use super::page_cache::PageLifetime;
use super::page_content::PageContent;
use super::position_input::{ParsedQuestion, PositionInput};
use super::refusal_words::refusal_sentence;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_analysis::tree::PlayGraph;
use lastnim_analysis::variants::VariantGame;
use lastnim_core::game::{Ending, Game, Position};
use lastnim_core::oracle::{Budget, Explanation};
use lastnim_proto::json::message_to_json;
use lastnim_proto::pb;
use lastnim_report::render::{Html, write_template};
use lastnim_report::words::count_with_noun;
use lastnim_report::{
    Report, ReportReader,
    explanation::{MAX_BEST_LINE_PLIES, explanation_sections},
    play_tree::tree_report,
    robustness::robustness_sections,
    solution::solution_section,
    variant::variant_section,
};
use pb::oracle_service_server::OracleService as _;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

/// The maximum number of nodes in a tree that is drawn.
const MAX_TREE_NODES: u64 = 130;
/// The timeout of the robustness analysis, in gRPC format.
const SAFETY_TIMEOUT: &str = "500m";
/// The maximum size, in bytes, of the line of best play; each of its plies shows all piles.
const MAX_LINE_BYTES: usize = 20_000;

/// The content of the page.
#[derive(Debug, Template)]
#[template(path = "oracle.html")]
struct OracleContent<'a> {
    typed: &'a PositionInput,
    endings: Vec<EndingChoice>,
    /// The error in the typed position; empty if it is valid.
    mistake: String,
    /// The position with the oracle's answer; `None` if it is invalid, over or a variant.
    asked: Option<AnalysedPosition>,
    /// The drawn piles of a position without `asked`; empty if it is invalid.
    board: String,
    /// A note on the piles that are not drawn; may be empty.
    hidden_piles: String,
    /// The report with the oracle's answer.
    answer: String,
    /// The tree of all play, if it is small; otherwise empty.
    tree: String,
}

/// An ending to choose.
#[derive(Debug)]
struct EndingChoice {
    name: String,
    words: &'static str,
    is_chosen: bool,
}

/// Returns the page of a typed position, with the oracle's answer or the error in the position.
pub(super) async fn oracle_page(
    site: &Site,
    visitor: &Visitor,
    typed: &PositionInput,
) -> Result<PageContent, Status> {
    let (json, lifetime, read) = match typed.read_question() {
        Ok(ParsedQuestion::Game(game)) => {
            let answer = ask_oracle(site, visitor, &(&game).into()).await?;
            let lifetime = answer.lifetime();
            (answer.json, lifetime, Ok(AnsweredQuestion::Game(game, answer.safety)))
        }
        Ok(ParsedQuestion::Variant(game)) => {
            let request = visitor.request(pb::SolveVariantRequest::from(&game));
            let solved = site.oracle.solve_variant(request).await?.into_inner();
            let json = message_to_json(&solved).to_string();
            (json, PageLifetime::default(), Ok(AnsweredQuestion::Variant(game, solved)))
        }
        Err(mistake) => {
            let json = serde_json::json!({ "error": mistake }).to_string();
            (json, PageLifetime::default(), Err(mistake))
        }
    };
    let typed = typed.clone();
    let content = PageContent::of_json(json, move |address| {
        let mut content = OracleContent {
            typed: &typed,
            endings: Ending::ALL.map(|ending| ending_choice(ending, &typed)).into(),
            mistake: String::new(),
            asked: None,
            board: String::new(),
            hidden_piles: String::new(),
            answer: String::new(),
            tree: String::new(),
        };
        match read {
            Ok(answered) => {
                content.asked = answered.asked(&typed);
                if content.asked.is_none() {
                    let board = draw_static_board(&answered.position(), None);
                    (content.board, content.hidden_piles) = (board.svg, hidden_piles_note(board.hidden));
                }
                content.answer = Html::with_links(&|_, _| None).report_html(&answered.report());
                content.tree = answered.tree_html();
            }
            Err(mistake) => content.mistake = refusal_sentence(&mistake),
        }
        let html = write_template(&content);
        let summary = "Who wins a position of Last Nim under optimal play, with which takes, and why";
        let headline = content.asked.map(|asked| asked.headline).unwrap_or_default();
        Ok(Page::of_html(address, "Oracle".into(), html).with_summary(summary).with_heading(headline))
    });
    Ok(content.with_lifetime(lifetime))
}

/// A valid question and its answer.
#[derive(Debug)]
enum AnsweredQuestion {
    /// A question about a game, and whether its winner is safe.
    Game(Game, Option<pb::AssessRobustnessResponse>),
    /// A question about a variant.
    Variant(VariantGame, pb::SolveVariantResponse),
}

impl AnsweredQuestion {
    fn position(&self) -> Position {
        match self {
            Self::Game(game, _) => game.first_position(),
            Self::Variant(game, _) => game.position().clone(),
        }
    }

    fn asked(&self, typed: &PositionInput) -> Option<AnalysedPosition> {
        match self {
            Self::Game(game, _) => AnalysedPosition::of_game(typed, game, None),
            Self::Variant(..) => None,
        }
    }

    fn report(&self) -> Report {
        match self {
            Self::Game(game, safety) => position_report(game, safety.as_ref()),
            Self::Variant(game, solved) => variant_section(game, solved, ReportReader::Page).into(),
        }
    }

    /// Draws the tree of all play; empty if it has too many nodes, or the game is a variant.
    fn tree_html(&self) -> String {
        let Self::Game(game, _) = self else { return String::new() };
        let mut budget = Budget::of_steps(4 * MAX_TREE_NODES);
        match PlayGraph::build_tree(game, None, MAX_TREE_NODES, &mut budget) {
            Ok(tree) => Html::with_links(&|_, _| None).report_html(&tree_report(&tree, ReportReader::Page)),
            Err(_) => String::new(),
        }
    }
}

fn ending_choice(ending: Ending, typed: &PositionInput) -> EndingChoice {
    let description = match ending {
        Ending::ToMoveWins => "the seat to move when no counter is left",
        Ending::LastMoverWins => "the seat that moved last",
    };
    EndingChoice {
        name: ending.to_string(),
        words: description,
        is_chosen: typed.ending == ending.to_string(),
    }
}

/// Says how many piles are not drawn; empty if none.
pub(super) fn hidden_piles_note(hidden: usize) -> String {
    match hidden {
        0 => String::new(),
        hidden => {
            format!("{} not drawn.", count_with_noun(hidden as u64, "earlier pile is", "earlier piles are"))
        }
    }
}

/// The oracle's answer.
#[derive(Debug)]
pub(super) struct OracleAnswer {
    /// The answer as JSON.
    pub json: String,
    /// Whether the winner would win against coalitions or after errors; `None` if the analysis was refused or took too
    /// long.
    pub safety: Option<pb::AssessRobustnessResponse>,
}

impl OracleAnswer {
    /// Returns how long a page with this answer stays valid. If a part is missing, the page is not cached, since the
    /// next request may get that part.
    pub(super) fn lifetime(&self) -> PageLifetime {
        if self.safety.is_some() { PageLifetime::default() } else { PageLifetime::Uncacheable }
    }
}

/// Asks the oracle with the visitor's access and quota.
pub(super) async fn ask_oracle(
    site: &Site,
    visitor: &Visitor,
    game: &pb::Game,
) -> Result<OracleAnswer, Status> {
    let request = pb::SolveRequest { game: Some(game.clone()) };
    let solved = site.oracle.solve(visitor.request(request)).await?.into_inner();
    let request = pb::ExplainRequest { game: Some(game.clone()), max_plies: MAX_BEST_LINE_PLIES as u32 };
    let explained = site.oracle.explain(visitor.request(request)).await?.into_inner();
    let mut json = message_to_json(&solved);
    json["explanation"] = message_to_json(&explained);
    let safety = assess_safety(site, visitor, game).await?;
    json["robustness"] = safety.as_ref().map(message_to_json).unwrap_or_default();
    Ok(OracleAnswer { json: json.to_string(), safety })
}

/// Asks whether the winner would win against coalitions or after errors; `None` if that takes too long or the oracle is
/// busy.
async fn assess_safety(
    site: &Site,
    visitor: &Visitor,
    game: &pb::Game,
) -> Result<Option<pb::AssessRobustnessResponse>, Status> {
    let mut request =
        visitor.request(pb::AssessRobustnessRequest { game: Some(game.clone()), ..Default::default() });
    request.metadata_mut().insert("grpc-timeout", MetadataValue::from_static(SAFETY_TIMEOUT));
    match site.oracle.assess_robustness(request).await {
        Ok(assessed) => Ok(Some(assessed.into_inner())),
        Err(status) if matches!(status.code(), Code::DeadlineExceeded | Code::ResourceExhausted) => Ok(None),
        Err(status) => Err(status),
    }
}

/// Reports who wins and why.
pub(super) fn position_report(game: &Game, safety: Option<&pb::AssessRobustnessResponse>) -> Report {
    let plies = (MAX_LINE_BYTES / game.first_position().to_string().len()).clamp(1, MAX_BEST_LINE_PLIES);
    let to_move = game.first_seat().index();
    let safety = safety.map(|found| robustness_sections(found, to_move, ReportReader::Page));
    Report::from(solution_section(game, ReportReader::Page))
        .with_sections(explanation_sections(&Explanation::of_game(game, plies), ReportReader::Page))
        .with_sections(safety.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, stranger};
    use lastnim_arena::{Arena, Backend, Limits};
    use std::time::Duration;
    use tokio::time::{sleep, timeout};

    /// A question that takes far too long: (8!)^8 declarations.
    fn endless_question() -> pb::FindEquilibriaRequest {
        let rows: Vec<Vec<u64>> =
            (0..8).map(|seat| (0..8).map(|rank| (rank * 3 + seat) % 8).collect()).collect();
        let game = Game::parse(&[9, 9, 9, 9], &rows, 0, Ending::ToMoveWins).unwrap();
        pb::FindEquilibriaRequest { game: Some((&game).into()), max_examples: 1 }
    }

    /// Requests a page until it has this lifetime, and returns it.
    async fn page_with(site: &Site, lifetime: PageLifetime) -> PageContent {
        let typed =
            PositionInput { piles: "2 2".into(), rows: "1>2; 2>1".into(), ..PositionInput::default() };
        let asking = async {
            loop {
                let content = oracle_page(site, &stranger(), &typed).await.unwrap();
                if content.lifetime == lifetime {
                    return content;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(30), asking).await.expect("the page has this lifetime")
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn parts_left_out_by_a_busy_oracle_are_added_later() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let site = open_site(&arena, 1);
        let oracle = site.oracle.clone();
        let asking =
            tokio::spawn(async move { oracle.find_equilibria(stranger().request(endless_question())).await });
        let content = page_with(&site, PageLifetime::Uncacheable).await;
        assert!(content.json().contains("\"robustness\":null"));
        assert!(!asking.is_finished(), "it keeps the oracle busy");
        asking.abort();
        let content = page_with(&site, PageLifetime::UntilChange).await;
        assert!(content.json().contains("\"robustness\":{"));
    }
}
