//! Single questions to the oracle.

use super::{host::Host, session::reason};
use lastnim_analysis::{
    BestDeclaration, Equilibria, ErrorOutlook, ErrorRate, KnowledgeReading, RationalisableRows, Robustness,
    SmallestCoalition, TruthCheck, tree::PlayGraph,
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, SeatCount},
    oracle::{Audit, Budget, Explanation, PlayedTake, Solution},
};
use lastnim_proto::{pb, robustness::robustness_message};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Games of two to five seats with both endings.
fn games() -> Vec<Game> {
    let rows: [&[&[u64]]; 4] = [
        &[&[1, 0], &[0, 1]],
        &[&[0, 2, 1], &[0, 1, 2], &[0, 2, 1]],
        &[&[3, 1, 0, 2], &[0, 1, 2, 3], &[2, 0, 3, 1], &[1, 3, 2, 0]],
        &[&[0, 2, 1, 4, 3], &[3, 1, 2, 0, 4], &[0, 1, 2, 3, 4], &[4, 3, 2, 1, 0], &[1, 0, 3, 2, 4]],
    ];
    let piles: [&[u64]; 3] = [&[1, 2, 2], &[4], &[2, 1, 3]];
    let mut games = Vec::new();
    for (number, rows) in rows.iter().enumerate() {
        let rows: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
        for piles in piles {
            let ending = Ending::ALL[number % 2];
            games.push(Game::parse(piles, &rows, number % rows.len(), ending).unwrap());
        }
    }
    games
}

/// Returns the fields that an error names.
pub fn fields(status: &Status) -> Vec<String> {
    assert_eq!((status.code(), reason(status).as_str()), (Code::InvalidArgument, "BAD_REQUEST"), "{status}");
    let details = status.get_details_bad_request().expect("the fields are named");
    details.field_violations.into_iter().map(|violation| violation.field).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn solve_and_audit_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for game in games() {
        let (solution, position) = (Solution::new(&game), game.first_position());
        let request = pb::SolveRequest { game: Some((&game).into()) };
        let solved = oracle.solve(request).await.unwrap().into_inner();
        assert_eq!(solved.winner, u32::from(solution.winner(&position)));
        let winners: Vec<u32> = solution.winners(&position).iter().map(|&seat| seat.into()).collect();
        assert_eq!(solved.winner_by_first, winners);
        let smallest = solved.optimal_takes.first().map(|range| range.lo);
        assert_eq!(smallest, solution.optimal_takes(&position).smallest());

        let takes = vec![1; game.piles.as_slice().iter().sum::<u64>() as usize];
        let request = pb::AuditRequest { game: Some((&game).into()), takes: takes.clone() };
        let audit = oracle.audit(request).await.unwrap().into_inner().audit.unwrap();
        let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
        assert_eq!(audit, (&Audit::of_finished(&game, &takes).unwrap()).into());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_games_and_takes_are_named() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let game: pb::Game = (&games()[0]).into();
    let refused = oracle.solve(pb::SolveRequest::default()).await.unwrap_err();
    assert_eq!(fields(&refused), ["game"]);
    let broken = pb::Game { piles: vec![0, 1], first: 7, ..game.clone() };
    let refused = oracle.solve(pb::SolveRequest { game: Some(broken) }).await.unwrap_err();
    assert_eq!(fields(&refused), ["game.piles", "game.first"]);
    let refused = oracle.audit(pb::AuditRequest { game: Some(game), takes: vec![2, 9] }).await.unwrap_err();
    assert_eq!(fields(&refused), ["takes"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trees_and_graphs_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let mut budget = Budget::unbounded();
    for game in games() {
        let request = |form: pb::TreeForm, depth| pb::BuildTreeRequest {
            game: Some((&game).into()),
            form: form.into(),
            depth,
        };
        for (form, depth) in [
            (pb::TreeForm::Unspecified, None),
            (pb::TreeForm::Tree, Some(0)),
            (pb::TreeForm::Tree, Some(2)),
            (pb::TreeForm::Graph, None),
        ] {
            let drawn = oracle.build_tree(request(form, depth)).await.unwrap().into_inner();
            let expected = match form {
                pb::TreeForm::Graph => PlayGraph::build_graph(&game, None, 10_000, &mut budget),
                _ => PlayGraph::build_tree(&game, depth, 10_000, &mut budget),
            };
            let expected = expected.unwrap();
            assert_eq!(drawn.nodes.len(), expected.nodes().len());
            for (node, expected) in drawn.nodes.iter().zip(expected.nodes()) {
                let position = &expected.position;
                assert_eq!((node.to_move, node.winner), (position.to_move().into(), expected.winner.into()));
                assert_eq!((node.pile as usize, node.counters), (position.pile_index(), position.counters()));
                assert_eq!(node.below, expected.cut.map(|below| below.to_string()));
                assert_eq!(node.below_log2.is_some(), expected.cut.is_some());
            }
            assert_eq!(drawn.game, Some((&game).into()));
            assert_ne!(drawn.form(), pb::TreeForm::Unspecified);
            let line: Vec<_> = drawn.line.iter().map(|ply| ply.take).collect();
            assert_eq!(line, expected.best_line().iter().map(|edge| edge.take).collect::<Vec<_>>());
            assert_eq!(drawn.edges.len(), expected.edges().len());
            for (edge, expected) in drawn.edges.iter().zip(expected.edges()) {
                assert_eq!((edge.from as usize, edge.to as usize), (expected.from, expected.to));
                assert_eq!((edge.take, edge.optimal), (expected.take, expected.is_optimal));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_trees_are_refused_with_a_depth_that_fits() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let game = Game::parse(&[9, 9, 9], &[vec![0, 1], vec![0, 1]], 0, Ending::default()).unwrap();
    let request = pb::BuildTreeRequest { game: Some((&game).into()), ..Default::default() };
    let refused = oracle.build_tree(request.clone()).await.unwrap_err();
    assert_eq!(fields(&refused), ["game.piles"]);
    // T = 256 (1 + 256 (1 + 512)).
    assert!(refused.message().contains("the tree has 33620224 nodes, more than 32768"), "{refused}");
    let (_, depth) = refused.message().split_once("down to depth ").expect("it says what fits");
    let depth: u64 = depth.split_once(' ').unwrap().0.parse().unwrap();
    let fitting = pb::BuildTreeRequest { depth: Some(depth), ..request.clone() };
    assert!(oracle.build_tree(fitting).await.is_ok());
    let deeper = pb::BuildTreeRequest { depth: Some(depth + 1), ..request.clone() };
    assert_eq!(fields(&oracle.build_tree(deeper).await.unwrap_err()), ["depth"]);
    let graph = pb::BuildTreeRequest { form: pb::TreeForm::Graph.into(), ..request.clone() };
    assert!(oracle.build_tree(graph.clone()).await.is_ok(), "the error says that the graph fits");
    let cut = pb::BuildTreeRequest { depth: Some(2), ..graph };
    assert_eq!(fields(&oracle.build_tree(cut).await.unwrap_err()), ["depth"]);
    let unknown = pb::BuildTreeRequest { form: 7, ..request };
    assert_eq!(fields(&oracle.build_tree(unknown).await.unwrap_err()), ["form"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn explanations_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for (game, max_plies) in games().into_iter().zip([0, 1, 1_024].into_iter().cycle()) {
        let request = pb::ExplainRequest { game: Some((&game).into()), max_plies };
        let explained = oracle.explain(request).await.unwrap().into_inner();
        let expected = Explanation::of_game(&game, if max_plies == 0 { 100 } else { max_plies as usize });
        assert_eq!(explained.winner, u32::from(expected.winner));
        assert_eq!(explained.line_is_whole, expected.line.end.is_over());
        let line: Vec<_> = explained.line.iter().map(|ply| (ply.seat, ply.counters, ply.take)).collect();
        let plies = expected.line.plies.iter();
        let plies = plies.map(|(position, take)| (position.to_move().into(), position.counters(), *take));
        assert_eq!(line, plies.collect::<Vec<_>>());
        assert_eq!(explained.options.len(), expected.options.len());
        for (option, expected) in explained.options.iter().zip(&expected.options) {
            let takes = option.takes.unwrap();
            assert_eq!((takes.lo, takes.hi), (expected.takes.lo, expected.takes.hi));
            assert_eq!((option.winner, option.regret), (expected.winner.into(), expected.regret));
            let changes = |changes: &[pb::RankChange]| -> Vec<_> {
                changes.iter().map(|change| (change.seat, change.ranks)).collect()
            };
            let expect = |changes: &[lastnim_core::oracle::RankChange]| -> Vec<(u32, u32)> {
                changes.iter().map(|change| (change.seat.into(), change.ranks)).collect()
            };
            assert_eq!(changes(&option.better_for), expect(&expected.better_for));
            assert_eq!(changes(&option.worse_for), expect(&expected.worse_for));
        }
    }
    let request = pb::ExplainRequest { game: Some((&games()[0]).into()), max_plies: 1_025 };
    assert_eq!(fields(&oracle.explain(request).await.unwrap_err()), ["max_plies"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn robustness_agrees_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let rate = ErrorRate::new(0.25).unwrap();
    for (game, max_coalition) in games().into_iter().zip([0, 1, u32::MAX].into_iter().cycle()) {
        let error_rate = (max_coalition != 1).then_some(rate.get());
        let request = pb::AssessRobustnessRequest { game: Some((&game).into()), max_coalition, error_rate };
        let answer = oracle.assess_robustness(request).await.unwrap().into_inner();
        let budget = &mut Budget::unbounded();
        let searched = if max_coalition == 0 { 3 } else { max_coalition as usize };
        let robustness = Robustness::assess(&game, searched, budget);
        let errors = error_rate.map(|_| ErrorOutlook::of_game(&game, rate, budget).unwrap());
        assert_eq!(answer, robustness_message(&robustness, errors.as_ref()));

        let n = game.matrix.seats().get() as u32;
        for (seat, sent) in answer.seats.iter().enumerate() {
            let figures = &robustness.seats.as_slice()[seat];
            assert_eq!(sent.price_of_trust, sent.guaranteed_rank - sent.predicted_rank);
            match &figures.smallest_coalition {
                SmallestCoalition::None => {
                    assert_eq!((sent.price_of_trust, sent.coalitions_cleared), (0, n - 1));
                }
                SmallestCoalition::Found(found) => {
                    let coalition = sent.smallest_coalition.as_ref().unwrap();
                    assert_eq!(coalition.seats.len(), found.seats.len());
                    assert_eq!(sent.coalitions_cleared as usize, found.seats.len() - 1);
                    assert!(coalition.rank > sent.predicted_rank);
                }
                SmallestCoalition::LargerThan { seats, .. } => {
                    assert_eq!((sent.coalitions_cleared as usize, seats), (searched, &searched));
                    assert!(sent.smallest_coalition.is_none() && sent.search_halted.is_empty());
                }
            }
        }
    }
    let request = |piles: &[u64], error_rate| {
        let game = Game::parse(piles, &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        pb::AssessRobustnessRequest { game: Some((&game).into()), max_coalition: 0, error_rate }
    };
    for rate in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
        assert_eq!(
            fields(&oracle.assess_robustness(request(&[2], Some(rate))).await.unwrap_err()),
            ["error_rate"]
        );
    }
    let large = [10_000_000, 1];
    assert_eq!(
        fields(&oracle.assess_robustness(request(&large, Some(0.1))).await.unwrap_err()),
        ["game.piles"]
    );
    assert!(
        oracle.assess_robustness(request(&large, None)).await.is_ok(),
        "a guarantee does not depend on them"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declarations_agree_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let budget = &mut Budget::unbounded();
    for game in games() {
        for seat in game.matrix.seats().iter() {
            let request = pb::FindBestDeclarationRequest {
                game: Some((&game).into()),
                seat: seat.into(),
                max_examples: 3,
            };
            let found = oracle.find_best_declaration(request).await.unwrap().into_inner();
            let expected = BestDeclaration::find(&game, seat, budget);
            assert_eq!(found.truthful.unwrap().winner, u32::from(expected.truthful.winner));
            let best = found.best.unwrap();
            assert_eq!((best.winner, best.rank as usize), (expected.best.winner.into(), expected.best.rank));
            let rows = found.rows.unwrap();
            let count = rows.count.unwrap();
            assert_eq!((count.number, count.exact), (expected.count.at_least().to_string(), true));
            let examples: Vec<_> = expected.examples(&game, 3).iter().map(pb::Row::from).collect();
            assert_eq!(rows.examples, examples);
            assert_eq!((rows.leaves.len(), rows.leaves_left_out), (expected.rows.leaves().len(), 0));
            assert!(found.settled.unwrap().complete);
        }
        let request = pb::CheckTruthRequest { game: Some((&game).into()) };
        let checked = oracle.check_truth(request).await.unwrap().into_inner();
        match TruthCheck::check(&game, budget) {
            TruthCheck::Equilibrium => {
                assert_eq!((checked.equilibrium, checked.deviation), (Some(true), None));
            }
            TruthCheck::Refuted(expected) => {
                assert_eq!(checked.equilibrium, Some(false));
                let deviation = checked.deviation.unwrap();
                assert_eq!(deviation.seat, u32::from(expected.seat));
                assert_eq!(deviation.row, Some((&expected.row).into()));
                assert!(deviation.deviating.unwrap().rank < deviation.truthful.unwrap().rank);
            }
            TruthCheck::Unsettled { .. } => panic!("there was time enough"),
        }
        if game.matrix.seats().get() <= 3 {
            let request = pb::FindEquilibriaRequest { game: Some((&game).into()), max_examples: 0 };
            let found = oracle.find_equilibria(request).await.unwrap().into_inner();
            let expected = Equilibria::find(&game, budget).unwrap();
            let by_winner: Vec<_> = found.by_winner.iter().map(|count| count.number.clone()).collect();
            let counts: Vec<_> =
                expected.by_winner.iter().map(|count| count.at_least().to_string()).collect();
            assert_eq!(by_winner, counts);
            assert_eq!(found.count.unwrap().number, expected.count().at_least().to_string());
            let examples = expected.examples(&game.matrix, 10);
            assert_eq!(found.examples.len(), examples.len());
            for (example, (declared, winner)) in found.examples.iter().zip(&examples) {
                assert_eq!(example.declared, Some(declared.into()));
                assert_eq!(example.winner, u32::from(*winner));
                assert!(example.set_size.is_some());
            }
            let is_equilibrium = matches!(expected.truth, TruthCheck::Equilibrium);
            assert_eq!(found.truth.unwrap().equilibrium, Some(is_equilibrium));
            assert!(found.settled.unwrap().complete);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_questions_about_declarations_are_named() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let game: pb::Game = (&games()[0]).into();
    let request = pb::FindBestDeclarationRequest { game: Some(game.clone()), seat: 2, max_examples: 1_001 };
    let refused = oracle.find_best_declaration(request).await.unwrap_err();
    assert_eq!(fields(&refused), ["max_examples", "seat"]);
    assert_eq!(fields(&oracle.check_truth(pb::CheckTruthRequest::default()).await.unwrap_err()), ["game"]);
    let nine = AllianceMatrix::standard(SeatCount::new(9).unwrap());
    let large = pb::Game { alliance_matrix: Some((&nine).into()), ..game.clone() };
    let request = pb::FindEquilibriaRequest { game: Some(large), max_examples: 0 };
    let refused = oracle.find_equilibria(request).await.unwrap_err();
    assert_eq!(fields(&refused), ["game.alliance_matrix"]);
    assert!(refused.message().contains("9 seats"), "{refused}");
    let played_game = |game: &Game, takes: &[u64]| pb::PlayedGame {
        game: Some(game.into()),
        takes: takes.to_vec(),
        ..Default::default()
    };
    let (two, three) = (&games()[0], &games()[3]);
    let request =
        |games: Vec<pb::PlayedGame>| pb::RationaliseRequest { games, reading: 0, ..Default::default() };
    let refused = oracle.rationalise(request(vec![played_game(two, &[1]), played_game(three, &[1])])).await;
    assert_eq!(fields(&refused.unwrap_err()), ["games[1]"]);
    let refused = oracle.rationalise(request(vec![played_game(two, &[1, 99])])).await;
    assert_eq!(fields(&refused.unwrap_err()), ["games[0]"]);
    let unknown = pb::RationaliseRequest { reading: 5, ..request(vec![played_game(two, &[1])]) };
    assert_eq!(fields(&oracle.rationalise(unknown).await.unwrap_err()), ["reading"]);
    assert_eq!(fields(&oracle.rationalise(request(vec![])).await.unwrap_err()), ["games"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rationalisation_agrees_with_the_library() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let budget = &mut Budget::unbounded();
    let mut contradictions = 0;
    for games in games().chunks(3) {
        for (reading, expected) in [
            (pb::Reading::Unspecified, KnowledgeReading::CommonKnowledge),
            (pb::Reading::DeclaredBelieved, KnowledgeReading::DeclaredBelieved),
        ] {
            let mut explained = RationalisableRows::new(games[0].matrix.seats(), expected);
            let mut played = Vec::new();
            for game in games {
                // One counter at a time from a single pile; otherwise whole piles.
                let takes: Vec<u64> = match game.piles.len() {
                    1 => vec![1; game.piles.as_slice()[0] as usize],
                    _ => game.piles.as_slice().iter().rev().copied().collect(),
                };
                let played_takes: Vec<_> = takes.iter().copied().map(PlayedTake::by_bot).collect();
                let _counted = explained.add_game(game, game.first_seat(), &played_takes, budget).unwrap();
                let seat = game.first_seat().into();
                let name = format!("piles {}", game.piles);
                played.push(pb::PlayedGame {
                    game: Some(game.into()),
                    seat,
                    takes,
                    name,
                    ..Default::default()
                });
            }
            let request =
                pb::RationaliseRequest { games: played, reading: reading.into(), max_examples: 1_000 };
            let answer = oracle.rationalise(request).await.unwrap().into_inner();
            let rows = answer.rows.unwrap();
            assert_eq!(
                rows.count.unwrap().number,
                explained.rows().count_rows(budget).at_least().to_string()
            );
            assert_eq!(rows.examples.len(), explained.rows().rows().count());
            assert_eq!(answer.declared_explains, explained.is_declared_rational());
            assert_eq!((answer.games, answer.takes), (3, explained.take_count()));
            let expected = explained.contradiction(budget);
            assert_eq!(answer.contradiction.is_some(), rows.examples.is_empty());
            let takes = |contradiction: pb::Contradiction| -> Vec<_> {
                let game = |take: &pb::TakeOfGame| &games[take.game as usize];
                let is_named = |take: &pb::TakeOfGame| {
                    let game = game(take);
                    (take.seat, &take.name) == (game.first_seat().into(), &format!("piles {}", game.piles))
                };
                assert!(contradiction.takes.iter().all(is_named), "{contradiction:?}");
                contradiction.takes.iter().map(|take| (take.game, take.ply)).collect()
            };
            contradictions += usize::from(expected.is_some());
            let expected =
                expected.map(|expected| expected.takes.iter().map(|take| (take.game, take.ply)).collect());
            assert_eq!(answer.contradiction.map(takes), expected);
        }
    }
    assert!(contradictions > 0, "some play follows no row");
}
