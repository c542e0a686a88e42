//! Hostile questions to the oracle.

use super::{
    host::{Authorized, Host, soon},
    session::reason,
};
use lastnim_core::game::{AllianceMatrix, Ending, Game, MAX_COUNTERS, SeatCount};
use lastnim_proto::pb::{self, oracle_service_client::OracleServiceClient, solve_variant_request::Variant};
use tonic::{Code, Request, Status, metadata::MetadataValue};

/// The largest game: the maximum number of seats and piles, maximal piles, and different rows.
fn largest() -> pb::Game {
    let rows: Vec<Vec<u64>> =
        (0..32).map(|seat| (0..32).map(|place| (place * (2 * seat + 1) + seat) % 32).collect()).collect();
    (&Game::parse(&[MAX_COUNTERS; 1_024], &rows, 31, Ending::LastMoverWins).unwrap()).into()
}

fn small() -> pb::Game {
    (&Game::parse(&[2, 2], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap()).into()
}

/// Returns the variants with the most work for these rows.
fn largest_variants(rows: &pb::AllianceMatrix) -> [Variant; 4] {
    let n = rows.rows.len() as u32;
    let alliance_matrix = Some(rows.clone());
    let seats: Vec<u32> = (0..n / 2).collect();
    let tied = pb::TiedRow { groups: vec![pb::TiedOffsets { offsets: (0..n).collect() }] };
    [
        Variant::Ties(pb::TiedMatrix { rows: vec![tied; n as usize] }),
        Variant::Passes(pb::SharedPasses { alliance_matrix: alliance_matrix.clone(), passes: 1_000 }),
        Variant::Alliances(pb::TwoAlliances { seats: n, alliance: seats.clone() }),
        Variant::RandomSeats(pb::RandomSeats { alliance_matrix, seats }),
    ]
}

/// Asks every question about a game with a deadline, and returns the results by call.
async fn every_question(
    oracle: &OracleServiceClient<Authorized>,
    game: &pb::Game,
) -> Vec<(&'static str, Result<(), Status>)> {
    fn hurried<T>(request: T) -> Request<T> {
        let mut request = Request::new(request);
        request.set_timeout(std::time::Duration::from_secs(3));
        request
    }
    let game = || Some(game.clone());
    let mut answers = Vec::new();
    let mut oracle = oracle.clone();
    macro_rules! ask {
        ($call:ident, $request:expr) => {
            let answer = soon(stringify!($call), oracle.$call(hurried($request))).await;
            answers.push((stringify!($call), answer.map(drop)));
        };
    }
    ask!(solve, pb::SolveRequest { game: game() });
    ask!(audit, pb::AuditRequest { game: game(), takes: vec![1] });
    ask!(explain, pb::ExplainRequest { game: game(), max_plies: 1_024 });
    let robustness = pb::AssessRobustnessRequest { game: game(), max_coalition: u32::MAX, error_rate: None };
    ask!(assess_robustness, robustness.clone());
    ask!(assess_robustness, pb::AssessRobustnessRequest { error_rate: Some(0.5), ..robustness });
    ask!(build_tree, pb::BuildTreeRequest { game: game(), form: 1, depth: Some(u64::MAX) });
    ask!(build_tree, pb::BuildTreeRequest { game: game(), form: 2, depth: None });
    ask!(
        find_best_declaration,
        pb::FindBestDeclarationRequest { game: game(), seat: 1, max_examples: 1_000 }
    );
    ask!(check_truth, pb::CheckTruthRequest { game: game() });
    ask!(find_equilibria, pb::FindEquilibriaRequest { game: game(), max_examples: 1_000 });
    let played = pb::PlayedGame { game: game(), seat: 1, takes: vec![1; 64], ..Default::default() };
    ask!(rationalise, pb::RationaliseRequest { games: vec![played], ..Default::default() });
    let ruleset = pb::SolveRulesetRequest {
        ruleset: "nim".into(),
        piles: vec![1_000_000; 64],
        alliance_matrix: game().and_then(|game| game.alliance_matrix),
        ..Default::default()
    };
    ask!(solve_ruleset, ruleset.clone());
    ask!(solve_ruleset, pb::SolveRulesetRequest { max_coalition: Some(u32::MAX), ..ruleset });
    let largest = game().unwrap();
    for variant in largest_variants(&largest.alliance_matrix.unwrap()) {
        let piles = largest.piles.clone();
        ask!(solve_variant, pb::SolveVariantRequest { piles, variant: Some(variant), ..Default::default() });
    }
    let sequence =
        pb::ListGrundyValuesRequest { ruleset: "stone-piles".into(), to: 100_000, ..Default::default() };
    ask!(list_grundy_values, sequence);
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_questions_are_answered_refused_or_stopped() {
    let host = Host::start().await;
    let token = host.register("glutton").await;
    for (call, answer) in every_question(&host.oracle_for(&token), &largest()).await {
        if let Err(refused) = answer {
            // On a busy machine the caller's clock may run out before the answer about the lack of time arrives.
            let expected =
                [Code::InvalidArgument, Code::DeadlineExceeded, Code::ResourceExhausted, Code::Cancelled];
            assert!(expected.contains(&refused.code()), "{call}: {refused}");
            assert!(refused.message().len() < 8 << 10, "{call}: {refused}");
        }
    }
    // The questions have been cancelled, so they occupy none of the caller's few slots.
    let mut oracle = host.oracle_for(&token);
    soon("a solution", oracle.solve(pb::SolveRequest { game: Some(small()) })).await.unwrap();
    soon("another's", host.oracle().solve(pb::SolveRequest { game: Some(small()) })).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_texts_and_lists_get_short_refusals() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let long = "x".repeat(500_000);
    let bot =
        pb::AuditBotRequest { bot: long.clone(), tournament_id: long.clone(), seed: 1, ..Default::default() };
    let seats = SeatCount::new(2).unwrap();
    let ruleset = pb::SolveRulesetRequest {
        ruleset: long,
        alliance_matrix: Some((&AllianceMatrix::standard(seats)).into()),
        ..Default::default()
    };
    let games = vec![pb::PlayedGame::default(); 500_000];
    let rationalise = pb::RationaliseRequest { games, ..Default::default() };
    for refused in [
        oracle.audit_bot(bot).await.unwrap_err(),
        oracle.solve_ruleset(ruleset).await.unwrap_err(),
        oracle.rationalise(rationalise).await.unwrap_err(),
    ] {
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "BAD_REQUEST"));
        assert!(refused.message().len() < 1 << 10, "{refused}");
    }
    let positions = vec![pb::BatchPosition::default(); 500_000];
    let batch = pb::SolveBatchRequest { positions, ..Default::default() };
    // The stream of requests ends at once, and the answer still arrives.
    let answers = oracle.solve_batch(tokio_stream::iter([batch])).await.unwrap();
    let mut answers = answers.into_inner();
    let answer = soon("an answer", answers.message()).await.unwrap().unwrap();
    let fields: Vec<_> = answer.refusal.unwrap().violations.into_iter().map(|each| each.field).collect();
    assert_eq!(fields, ["positions", "alliance_matrix"]);
    assert!(soon("the end", answers.message()).await.unwrap().is_none());
}

/// Whether a deadline leaves time for an answer.
#[derive(Debug, PartialEq, Eq)]
enum Deadline {
    Short,
    Long,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusual_deadlines_are_handled() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for (timeout, deadline) in [
        ("0S", Deadline::Short),
        ("1n", Deadline::Short),
        ("99999999H", Deadline::Long),
        ("99999999n", Deadline::Short),
        ("garbage", Deadline::Long),
        ("-1S", Deadline::Long),
        ("123456789S", Deadline::Long),
        ("S", Deadline::Long),
    ] {
        let mut request = Request::new(pb::CheckTruthRequest { game: Some(small()) });
        request.metadata_mut().insert("grpc-timeout", MetadataValue::try_from(timeout).unwrap());
        match soon(timeout, oracle.check_truth(request)).await {
            Ok(_) => {}
            Err(refused) => {
                assert_eq!(deadline, Deadline::Short, "{timeout}: {refused}");
                // Any of client, transport and oracle may notice a past deadline first.
                let over = [Code::DeadlineExceeded, Code::Cancelled];
                assert!(over.contains(&refused.code()), "{timeout}: {refused}");
            }
        }
    }
    soon("a solution", host.oracle().solve(pb::SolveRequest { game: Some(small()) })).await.unwrap();
}
