//! Questions to the oracle, one at a time.

use super::{host::Host, line::reason};
use lastnim::{
    game::{Ending, Game},
    oracle::{Audit, PlayedTake, Solution},
    wire::pb,
};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Some games, of two to five seats and both endings.
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

/// Returns the fields that an answer calls wrong.
fn fields(status: &Status) -> Vec<String> {
    assert_eq!((status.code(), reason(status).as_str()), (Code::InvalidArgument, "BAD_REQUEST"), "{status}");
    let details = status.get_details_bad_request().expect("the fields are named");
    details.field_violations.into_iter().map(|violation| violation.field).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_solved_and_audited_as_the_oracle_does() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    for game in games() {
        let (solution, position) = (Solution::new(&game), game.position());
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
async fn what_is_wrong_with_a_game_or_its_takes_is_named() {
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
