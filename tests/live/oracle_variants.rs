//! Questions about variants of Last Nim, over gRPC and on the page.

use super::{host::Host, oracle::fields, pages::get};
use lastnim_analysis::variants::{Alliances, PassCount, TiedMatrix, Variant, VariantGame, parse_seat_list};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Piles, SeatCount},
    oracle::Budget,
};
use lastnim_proto::{json::message_to_json, pb, variant::variant_solution_message};

fn variants() -> [Variant; 4] {
    let seats = SeatCount::new(3).unwrap();
    let rows = AllianceMatrix::parse(&[vec![0, 2, 1], vec![0, 1, 2], vec![2, 0, 1]]).unwrap();
    let tied =
        TiedMatrix::parse(&[vec![vec![0], vec![1, 2]], vec![vec![0, 1, 2]], vec![vec![2], vec![1, 0]]]);
    [
        Variant::Ties(tied.unwrap()),
        Variant::Passes(rows.clone(), PassCount::new(2).unwrap()),
        Variant::Alliances(Alliances::parse(&[0, 2], seats).unwrap()),
        Variant::RandomSeats(rows, parse_seat_list(&[1], seats).unwrap()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn variants_agree_with_the_library() {
    let host = Host::start().await;
    for (variant, ending) in variants().into_iter().zip(Ending::ALL.into_iter().cycle()) {
        let game = VariantGame::new(Piles::parse(&[2, 4]).unwrap(), variant, 1, ending).unwrap();
        let solved = host.oracle().solve_variant(pb::SolveVariantRequest::from(&game)).await.unwrap();
        let expected = game.solve(&mut Budget::unbounded()).unwrap();
        assert_eq!(solved.into_inner(), variant_solution_message(&game, &expected));
    }
    let refused = host.oracle().solve_variant(pb::SolveVariantRequest::default()).await.unwrap_err();
    assert_eq!(fields(&refused), ["piles", "variant"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_gives_the_same_answers_for_variants_as_grpc() {
    let host = Host::start().await;
    let rows = "rows=1+3+2;2+3+1;2+3+1";
    let queries = [
        ("rows=1+2%3D3;2%3D3%3D1;2+1%3D3".to_owned(), "Optimal takes in some equilibrium"),
        (format!("{rows}&passes=2"), "pass is"),
        ("seats=3&alliance=1+3".to_owned(), "Winning alliance if seat 1 moves first: "),
        (format!("{rows}&random=2"), "Seat 2 moves at random."),
    ];
    for (variant, (query, words)) in variants().into_iter().zip(queries) {
        let game = VariantGame::new(Piles::parse(&[2, 4]).unwrap(), variant, 1, Ending::ToMoveWins).unwrap();
        let solved = host.oracle().solve_variant(pb::SolveVariantRequest::from(&game)).await.unwrap();
        let twin = get(&host, &format!("/oracle.json?piles=2+4&first=2&{query}")).await.json();
        assert_eq!(twin, message_to_json(&solved.into_inner()), "{query}");
        let page = get(&host, &format!("/oracle?piles=2+4&first=2&{query}")).await.body;
        assert!(page.contains(words), "{query}: {page}");
    }
    let mistaken = get(&host, "/oracle?passes=2&random=1").await.body;
    assert!(mistaken.contains("leave it empty, as passes has a value"), "{mistaken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_robustness_of_other_games_agrees_with_the_library() {
    use lastnim_analysis::general::{GameNumbers, GeneralGame, MemoryBounds, Ruleset};
    let host = Host::start().await;
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    for (ruleset, piles) in
        [(Ruleset::Nim, vec![2, 3]), (Ruleset::Kayles, vec![6]), (Ruleset::LastNim, vec![2, 4])]
    {
        let request = pb::SolveRulesetRequest {
            ruleset: ruleset.name().into(),
            piles: piles.clone(),
            alliance_matrix: Some((&matrix).into()),
            max_coalition: Some(0),
            ..Default::default()
        };
        let solved = host.oracle().solve_ruleset(request).await.unwrap().into_inner();
        let game = GeneralGame::parse(ruleset, &GameNumbers::of_piles(&piles)).unwrap();
        let (first, ending) = (matrix.seats().seat(0).unwrap(), ruleset.default_ending());
        let (bounds, mut budget) = (MemoryBounds::default(), Budget::unbounded());
        let (_, expected) = game.solve_and_assess(&matrix, first, ending, 3, bounds, &mut budget).unwrap();
        let found = solved.robustness.unwrap();
        assert_eq!(found.moves.len(), solved.options.len());
        for (robustness, expected) in found.moves.iter().zip(&expected.moves) {
            assert_eq!(robustness.guaranteed_rank, expected.guaranteed_rank);
            assert_eq!(robustness.safety(), pb::TakeSafety::from(expected.safety));
        }
        for (figures, (_, expected)) in found.seats.iter().zip(expected.seats.enumerate()) {
            assert_eq!(figures.guaranteed_rank, expected.guaranteed_rank, "{game}");
            assert_eq!(figures.price_of_trust, expected.price_of_trust(), "{game}");
        }
    }
}
