//! A position, and what the oracle says of it.

use super::board::draw_still_board;
use super::kept_pages::PageLifetime;
use super::page::Page;
use super::page_content::PageContent;
use super::site::Site;
use super::typed_position::TypedPosition;
use super::visitor::Visitor;
use askama::Template;
use lastnim_analysis::tree::PlayGraph;
use lastnim_core::game::{Ending, Game};
use lastnim_core::oracle::{Budget, Explanation};
use lastnim_proto::json::message_to_json;
use lastnim_proto::pb;
use lastnim_report::render::{Html, write_template};
use lastnim_report::words::count_words;
use lastnim_report::{
    Report,
    explanation::{MAX_PLIES, explanation_sections},
    play_tree::tree_report,
    robustness::{ReportReader, robustness_sections},
    solution::solution_section,
};
use pb::oracle_service_server::OracleService as _;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

/// The nodes of a tree that is shown.
const MAX_TREE_NODES: u64 = 130;
/// How long it may take to find out how safe a winner is, as gRPC says it.
const SAFETY_TIMEOUT: &str = "500m";
/// The most bytes of the line of best play: each ply of it shows all piles.
const MAX_LINE_BYTES: usize = 20_000;

/// What is its own of the page of the oracle.
#[derive(Debug, Template)]
#[template(path = "oracle.html")]
struct OracleContent<'a> {
    typed: &'a TypedPosition,
    endings: Vec<EndingChoice>,
    /// What is wrong with what was typed; empty if nothing is.
    mistake: String,
    /// The piles; empty if something is wrong.
    board: String,
    /// How many piles are left out of it, in words; empty if none is.
    hidden_piles: String,
    /// What the oracle says.
    answer: String,
    /// All play from there, where that is little; empty otherwise.
    tree: String,
}

/// An ending that can be chosen.
#[derive(Debug)]
struct EndingChoice {
    name: String,
    words: &'static str,
    is_chosen: bool,
}

/// Returns a position with what the oracle says of it, or with what is wrong with it.
pub(super) async fn oracle_page(
    site: &Site,
    visitor: &Visitor,
    typed: &TypedPosition,
) -> Result<PageContent, Status> {
    let read = typed.read_message();
    let (json, lifetime, read) = match read {
        Ok((game, message)) => {
            let answer = ask_oracle(site, visitor, &message).await?;
            let lifetime = answer.lifetime();
            (answer.json, lifetime, Ok((game, answer.safety)))
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
            board: String::new(),
            hidden_piles: String::new(),
            answer: String::new(),
            tree: String::new(),
        };
        match read {
            Ok((game, safety)) => {
                let board = draw_still_board(&game.first_position(), None);
                (content.board, content.hidden_piles) = (board.svg, hidden_piles_words(board.hidden));
                content.answer =
                    Html::with_links(&|_, _| None).report_html(&position_report(&game, safety.as_ref()));
                content.tree = tree_html(&game);
            }
            Err(mistake) => content.mistake = mistake,
        }
        let html = write_template(&content);
        let summary = "Who wins a position of Last Nim under optimal play, by which takes, and why";
        Ok(Page::of_html(address, "Oracle".into(), html).with_summary(summary))
    });
    Ok(content.with_lifetime(lifetime))
}

/// Writes the tree of all play; nothing where it has more nodes than people look at.
fn tree_html(game: &Game) -> String {
    let mut budget = Budget::of_steps(4 * MAX_TREE_NODES);
    match PlayGraph::build_tree(game, None, MAX_TREE_NODES, &mut budget) {
        Ok(tree) => Html::with_links(&|_, _| None).report_html(&tree_report(&tree)),
        Err(_) => String::new(),
    }
}

fn ending_choice(ending: Ending, typed: &TypedPosition) -> EndingChoice {
    let words = match ending {
        Ending::ToMoveWins => "the seat that cannot move",
        Ending::LastMoverWins => "the seat that moved last",
    };
    EndingChoice { name: ending.to_string(), words, is_chosen: typed.ending == ending.to_string() }
}

/// Says how many piles a board leaves out; nothing if none.
pub(super) fn hidden_piles_words(hidden: usize) -> String {
    match hidden {
        0 => String::new(),
        hidden => format!("Not drawn: {} before these.", count_words(hidden as u64, "pile", "piles")),
    }
}

/// What the oracle answers to a page.
#[derive(Debug)]
pub(super) struct OracleAnswer {
    /// All of it, for programs.
    pub json: String,
    /// How safe the winner is; none where nobody had the time to find out.
    pub safety: Option<pb::AssessRobustnessResponse>,
}

impl OracleAnswer {
    /// Returns what a page of it holds for. At the next look there may be time for what is left out.
    pub(super) fn lifetime(&self) -> PageLifetime {
        if self.safety.is_some() { PageLifetime::default() } else { PageLifetime::Moment }
    }
}

/// Asks the oracle as any caller does.
pub(super) async fn ask_oracle(
    site: &Site,
    visitor: &Visitor,
    game: &pb::Game,
) -> Result<OracleAnswer, Status> {
    let request = pb::SolveRequest { game: Some(game.clone()) };
    let solved = site.oracle.solve(visitor.request(request)).await?.into_inner();
    let request = pb::ExplainRequest { game: Some(game.clone()), max_plies: MAX_PLIES as u32 };
    let explained = site.oracle.explain(visitor.request(request)).await?.into_inner();
    let mut json = message_to_json(&solved);
    json["explanation"] = message_to_json(&explained);
    let safety = assess_safety(site, visitor, game).await?;
    json["robustness"] = safety.as_ref().map(message_to_json).unwrap_or_default();
    Ok(OracleAnswer { json: json.to_string(), safety })
}

/// Asks how safe the winner is; returns nothing where that takes too long, or too many ask.
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
    let plies = (MAX_LINE_BYTES / game.first_position().to_string().len()).clamp(1, MAX_PLIES);
    let to_move = game.first_seat().index();
    let safety = safety.map(|found| robustness_sections(found, to_move, ReportReader::Page));
    Report::from(solution_section(game))
        .with_sections(explanation_sections(&Explanation::of(game, plies)))
        .with_sections(safety.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, stranger};
    use lastnim_arena::{Arena, Backend, Limits};
    use std::time::Duration;
    use tokio::time::{sleep, timeout};

    /// A question that takes far longer than it may: (8!)^8 declarations.
    fn endless() -> pb::FindEquilibriaRequest {
        let rows: Vec<Vec<u64>> =
            (0..8).map(|seat| (0..8).map(|rank| (rank * 3 + seat) % 8).collect()).collect();
        let game = Game::parse(&[9, 9, 9, 9], &rows, 0, Ending::ToMoveWins).unwrap();
        pb::FindEquilibriaRequest { game: Some((&game).into()), max_examples: 1 }
    }

    /// Asks for a page until it holds for so long, and returns it.
    async fn page_with(site: &Site, lifetime: PageLifetime) -> PageContent {
        let typed =
            TypedPosition { piles: "2 2".into(), rows: "0 1; 0 1".into(), ..TypedPosition::default() };
        let asking = async {
            loop {
                let content = oracle_page(site, &stranger(), &typed).await.unwrap();
                if content.lifetime == lifetime {
                    return content;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(30), asking).await.expect("such a page")
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_left_out_in_a_busy_moment_is_looked_for_at_the_next_look() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let site = open_site(&arena, 1);
        let oracle = site.oracle.clone();
        let asking = tokio::spawn(async move { oracle.find_equilibria(stranger().request(endless())).await });
        let content = page_with(&site, PageLifetime::Moment).await;
        assert!(content.json().contains("\"robustness\":null"));
        assert!(!asking.is_finished(), "it keeps the oracle busy");
        asking.abort();
        let content = page_with(&site, PageLifetime::UntilChange).await;
        assert!(content.json().contains("\"robustness\":{"));
    }
}
