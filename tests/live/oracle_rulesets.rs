//! Questions about games with other rules.

use super::{host::Host, oracle::fields, session::reason};
use lastnim_analysis::general::{
    GameNumbers, GeneralGame, GrundySequence, MemoryBounds, Ruleset, SequenceGame,
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, SeatCount},
    oracle::Budget,
};
use lastnim_proto::pb;
use tonic::Code;
use tonic_types::StatusExt as _;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_games_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for (ruleset, seats) in Ruleset::ALL.into_iter().zip([2, 3, 4].into_iter().cycle()) {
        let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
        let is_graph = ruleset == Ruleset::GraphNim;
        let numbers = GameNumbers {
            piles: match ruleset {
                Ruleset::GraphNim => vec![],
                Ruleset::FibonacciNim => vec![8],
                _ => vec![4, 3],
            },
            set: if ruleset == Ruleset::Subtraction { vec![1, 3] } else { vec![] },
            window: (ruleset == Ruleset::CircularNim).then_some(2),
            most: None,
            edges: if is_graph { vec![[0, 1, 2], [1, 2, 1]] } else { vec![] },
            vertex: is_graph.then_some(0),
            max: None,
        };
        let edge = |&[from, to, weight]: &[u64; 3]| pb::GraphEdge { from, to, weight };
        // The default ending is that of the game.
        let (asked, ending) = match seats {
            2 => (pb::Ending::LastMoverWins, Ending::LastMoverWins),
            3 => (pb::Ending::ToMoveWins, Ending::ToMoveWins),
            _ => (pb::Ending::Unspecified, ruleset.default_ending()),
        };
        let request = pb::SolveRulesetRequest {
            ruleset: ruleset.name().into(),
            piles: numbers.piles.clone(),
            alliance_matrix: Some((&matrix).into()),
            first: 1,
            ending: asked.into(),
            set: numbers.set.clone(),
            window: numbers.window,
            most: None,
            edges: numbers.edges.iter().map(edge).collect(),
            vertex: numbers.vertex,
            max: None,
            explain: true,
            max_coalition: None,
        };
        let solved = oracle.solve_ruleset(request).await.unwrap().into_inner();
        let game = GeneralGame::parse(ruleset, &numbers).unwrap();
        let first = matrix.seats().seat(1).unwrap();
        let expected =
            game.solve(&matrix, first, ending, MemoryBounds::default(), &mut Budget::unbounded()).unwrap();
        assert_eq!(solved.winner, u32::from(expected.winner), "{game}");
        assert_eq!(solved.value as usize, expected.value);
        let winners: Vec<u32> = expected.winner_by_first.iter().map(|&winner| winner.into()).collect();
        assert_eq!(solved.winner_by_first, winners);
        assert_eq!((solved.method.as_str(), solved.states), (expected.method.name(), expected.states));
        assert_eq!((solved.options.len(), solved.options_left_out), (expected.options.len(), 0));
        for (option, expected) in solved.options.iter().zip(&expected.options) {
            assert_eq!((&option.play, &option.position), (&expected.play, &expected.position));
            assert_eq!((option.winner, option.optimal), (expected.winner.into(), expected.is_optimal()));
        }
        assert_eq!(solved.ending(), pb::Ending::from(ending));
        assert_eq!(solved.two_players.is_some(), seats == 2);
        if let (Some(two), Some(expected)) = (solved.two_players, expected.two_players) {
            assert_eq!(two.outcome().as_str_name(), format!("OUTCOME_{}", expected.outcome));
            let value = expected.grundy.ok().map(|grundy| grundy.value);
            assert_eq!(two.grundy.as_ref().map(|grundy| grundy.value), value);
            for part in two.grundy.into_iter().flat_map(|grundy| grundy.parts) {
                let values: Vec<u64> = part.options.iter().map(|option| option.value).collect();
                let expected = if ruleset == Ruleset::LastNim { vec![] } else { (0..part.value).collect() };
                assert_eq!(values, expected, "{game}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for (ruleset, set, max, to) in [
        ("kayles", vec![], None, 100_000),
        ("take-away", vec![4, 1, 3], None, 30),
        ("subtraction", vec![], Some(3), 9),
        ("nim", vec![], None, 5),
    ] {
        let request = pb::ListGrundyValuesRequest { ruleset: ruleset.into(), set: set.clone(), max, to };
        let listed = oracle.list_grundy_values(request).await.unwrap().into_inner();
        let game = SequenceGame::parse(ruleset.parse().unwrap(), &set, max).unwrap();
        let expected =
            GrundySequence::compute(game, to, MemoryBounds::default(), &mut Budget::unbounded()).unwrap();
        assert_eq!(listed, pb::ListGrundyValuesResponse::from(&expected), "{ruleset}");
        assert_eq!((listed.terms.len(), listed.ending()), (to as usize + 1, pb::Ending::LastMoverWins));
    }
    let refused =
        |ruleset: &str, to| pb::ListGrundyValuesRequest { ruleset: ruleset.into(), to, ..Default::default() };
    let answer = oracle.list_grundy_values(refused("kayles", 100_001)).await.unwrap_err();
    assert_eq!(fields(&answer), ["to"]);
    let answer = oracle.list_grundy_values(refused("end-nim", 9)).await.unwrap_err();
    assert_eq!(fields(&answer), ["ruleset"]);
    let answer = oracle.list_grundy_values(refused("fibonacci-nim", 100_000)).await.unwrap_err();
    let why = (answer.code(), reason(&answer));
    let expected =
        [(Code::ResourceExhausted, "TOO_LARGE".to_owned()), (Code::DeadlineExceeded, "TOO_LONG".to_owned())];
    assert!(expected.contains(&why) && answer.message().contains("fibonacci-nim to 100000: "), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_games_are_refused_with_the_limit() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let request = |ruleset: &str, piles: &[u64]| pb::SolveRulesetRequest {
        ruleset: ruleset.into(),
        piles: piles.to_vec(),
        alliance_matrix: Some((&matrix).into()),
        ..Default::default()
    };
    let refused = oracle.solve_ruleset(request("nim", &[1_000_001])).await.unwrap_err();
    assert_eq!(fields(&refused), ["piles"]);
    let refused = oracle.solve_ruleset(request("chess", &[1])).await.unwrap_err();
    assert_eq!(fields(&refused), ["ruleset"]);
    let refused = oracle.solve_ruleset(request("stone-piles", &[150])).await.unwrap_err();
    let why = (refused.code(), reason(&refused));
    let expected =
        [(Code::ResourceExhausted, "TOO_LARGE".to_owned()), (Code::DeadlineExceeded, "TOO_LONG".to_owned())];
    assert!(expected.contains(&why), "{refused}");
    assert!(refused.message().contains("stone-piles"), "{refused}");
    assert!(refused.get_details_retry_info().is_none(), "a retry would fail as well");
}
