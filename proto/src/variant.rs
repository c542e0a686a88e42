//! Converts variants of Last Nim to and from messages.

use super::{
    RequestField,
    game::{parse_alliance_matrix, parse_ending},
    pb,
};
use lastnim_analysis::variants::{
    AllianceSolution, Alliances, PassCount, PassingSolution, RandomSeatSolution, TiedMatrix, TiedRow,
    TiedSolution, Variant, VariantGame, VariantGameError, VariantSolution, parse_seat_list,
};
use lastnim_core::game::{BySeat, Piles, SeatCount, SeatSet};
use pb::{solve_variant_request, solve_variant_response};

/// Reads a request to solve a variant.
pub fn parse_variant_question(
    request: &pb::SolveVariantRequest,
    field: RequestField<'_>,
) -> Option<VariantGame> {
    use solve_variant_request::Variant as Given;
    let piles = field.member("piles").ok_or_report(Piles::parse_partly_emptied(&request.piles));
    let ending = parse_ending(request.ending, field.member("ending"));
    let variant = match &request.variant {
        Some(Given::Ties(matrix)) => parse_tied_matrix(matrix, field.member("ties")).map(Variant::Ties),
        Some(Given::Passes(passes)) => parse_passes(passes, field.member("passes")),
        Some(Given::Alliances(given)) => {
            parse_alliances(given, field.member("alliances")).map(Variant::Alliances)
        }
        Some(Given::RandomSeats(given)) => parse_random_seats(given, field.member("random_seats")),
        None => {
            field.member("variant").report("required: one of ties, passes, alliances and random_seats");
            None
        }
    }?;
    let game = VariantGame::new(piles?, variant, request.first as usize, ending?);
    let at = match game {
        Err(VariantGameError::First(_)) => "first",
        _ => "piles",
    };
    field.member(at).ok_or_report(game)
}

fn parse_tied_matrix(matrix: &pb::TiedMatrix, field: RequestField<'_>) -> Option<TiedMatrix> {
    let rows = field.member("rows");
    let seats = rows.ok_or_report(SeatCount::new(matrix.rows.len()))?;
    let parsed = rows.parse_each(&matrix.rows, |row, at| {
        let groups: Vec<Vec<u64>> = row.groups.iter().map(|group| wide_numbers(&group.offsets)).collect();
        at.member("groups").ok_or_report(TiedRow::parse(&groups, seats))
    })?;
    let by_seat: BySeat<TiedRow> = parsed.try_into().ok()?;
    rows.ok_or_report(TiedMatrix::from_rows(by_seat))
}

fn parse_passes(given: &pb::SharedPasses, field: RequestField<'_>) -> Option<Variant> {
    let matrix = field.member("alliance_matrix");
    let matrix = matrix.parse_required(given.alliance_matrix.as_ref(), parse_alliance_matrix);
    let passes = field.member("passes").ok_or_report(PassCount::new(given.passes));
    Some(Variant::Passes(matrix?, passes?))
}

fn parse_alliances(given: &pb::TwoAlliances, field: RequestField<'_>) -> Option<Alliances> {
    let seats = field.member("seats").ok_or_report(SeatCount::new(given.seats as usize))?;
    field.member("alliance").ok_or_report(Alliances::parse(&wide_numbers(&given.alliance), seats))
}

fn parse_random_seats(given: &pb::RandomSeats, field: RequestField<'_>) -> Option<Variant> {
    let matrix = field.member("alliance_matrix");
    let matrix = matrix.parse_required(given.alliance_matrix.as_ref(), parse_alliance_matrix)?;
    let listed = parse_seat_list(&wide_numbers(&given.seats), matrix.seats());
    let random = field.member("seats").ok_or_report(listed)?;
    Some(Variant::RandomSeats(matrix, random))
}

fn wide_numbers(numbers: &[u32]) -> Vec<u64> {
    numbers.iter().map(|&number| number.into()).collect()
}

/// Writes the solution of a variant.
pub fn variant_solution_message(game: &VariantGame, solution: &VariantSolution) -> pb::SolveVariantResponse {
    use solve_variant_response::Solution as Found;
    let first = game.position().to_move();
    let solution = match solution {
        VariantSolution::Ties(TiedSolution { winners_by_first, optimal_in_some, optimal_in_every }) => {
            Found::Ties(pb::TiedSolution {
                winners: Some(winners_by_first[first].into()),
                winners_by_first: winners_by_first.iter().map(|&winners| winners.into()).collect(),
                optimal_in_some: optimal_in_some.iter().map(Into::into).collect(),
                optimal_in_every: optimal_in_every.iter().map(Into::into).collect(),
            })
        }
        VariantSolution::Passes(PassingSolution { winner_by_first, optimal_takes, is_pass_optimal }) => {
            Found::Passes(pb::PassingSolution {
                winner: winner_by_first[first].into(),
                winner_by_first: winner_by_first.iter().map(|&winner| winner.into()).collect(),
                optimal_takes: optimal_takes.iter().map(Into::into).collect(),
                pass_optimal: *is_pass_optimal,
            })
        }
        VariantSolution::Alliances(AllianceSolution { winning_by_first, optimal_takes }) => {
            Found::Alliances(pb::AllianceSolution {
                winning: Some(winning_by_first[first].into()),
                winning_by_first: winning_by_first.iter().map(|&winning| winning.into()).collect(),
                optimal_takes: optimal_takes.iter().map(Into::into).collect(),
            })
        }
        VariantSolution::RandomSeats(RandomSeatSolution {
            win_probabilities,
            expected_ranks,
            optimal_takes,
            has_ties,
        }) => Found::RandomSeats(pb::RandomSeatSolution {
            win_probabilities: win_probabilities.as_slice().to_vec(),
            expected_ranks: expected_ranks.as_slice().to_vec(),
            optimal_takes: optimal_takes.iter().map(Into::into).collect(),
            has_ties: *has_ties,
        }),
    };
    pb::SolveVariantResponse { solution: Some(solution), ending: pb::Ending::from(game.ending()).into() }
}

impl From<&VariantGame> for pb::SolveVariantRequest {
    fn from(game: &VariantGame) -> Self {
        use solve_variant_request::Variant as Given;
        let variant = match game.variant() {
            Variant::Ties(matrix) => {
                Given::Ties(pb::TiedMatrix { rows: matrix.rows().iter().map(pb::TiedRow::from).collect() })
            }
            Variant::Passes(matrix, passes) => {
                Given::Passes(pb::SharedPasses { alliance_matrix: Some(matrix.into()), passes: passes.get() })
            }
            Variant::Alliances(alliances) => Given::Alliances(pb::TwoAlliances {
                seats: alliances.seats().get() as u32,
                alliance: pb::SeatList::from(alliances.alliance_of(lastnim_core::game::Seat::FIRST)).seats,
            }),
            Variant::RandomSeats(matrix, random) => Given::RandomSeats(pb::RandomSeats {
                alliance_matrix: Some(matrix.into()),
                seats: pb::SeatList::from(*random).seats,
            }),
        };
        Self {
            piles: game.position().piles().collect(),
            first: game.position().to_move().into(),
            ending: pb::Ending::from(game.ending()).into(),
            variant: Some(variant),
        }
    }
}

impl From<&TiedRow> for pb::TiedRow {
    fn from(row: &TiedRow) -> Self {
        let group =
            |group: &[u8]| pb::TiedOffsets { offsets: group.iter().map(|&offset| offset.into()).collect() };
        Self { groups: row.groups().map(group).collect() }
    }
}

impl From<SeatSet> for pb::SeatList {
    fn from(seats: SeatSet) -> Self {
        Self { seats: seats.iter().map(Into::into).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request};
    use lastnim_core::game::{AllianceMatrix, Ending};
    use solve_variant_request::Variant as Given;

    fn parse(request: &pb::SolveVariantRequest) -> Result<VariantGame, Violations> {
        parse_request(|field| parse_variant_question(request, field))
    }

    fn request(variant: Given) -> pb::SolveVariantRequest {
        pb::SolveVariantRequest { piles: vec![2, 3], first: 1, ending: 0, variant: Some(variant) }
    }

    fn tied_row(groups: &[&[u32]]) -> pb::TiedRow {
        pb::TiedRow {
            groups: groups.iter().map(|group| pb::TiedOffsets { offsets: group.to_vec() }).collect(),
        }
    }

    fn standard(seats: usize) -> pb::AllianceMatrix {
        (&AllianceMatrix::standard(SeatCount::new(seats).unwrap())).into()
    }

    #[test]
    fn every_variant_reads_back() {
        let tied = [tied_row(&[&[0], &[1, 2]]), tied_row(&[&[2, 1, 0]]), tied_row(&[&[1], &[0], &[2]])];
        for variant in [
            Given::Ties(pb::TiedMatrix { rows: tied.into() }),
            Given::Passes(pb::SharedPasses { alliance_matrix: Some(standard(3)), passes: 1_000 }),
            Given::Alliances(pb::TwoAlliances { seats: 4, alliance: vec![0, 2] }),
            Given::RandomSeats(pb::RandomSeats { alliance_matrix: Some(standard(3)), seats: vec![0, 2] }),
        ] {
            let game = parse(&request(variant.clone())).unwrap();
            let message = pb::SolveVariantRequest::from(&game);
            assert_eq!(message.variant, Some(variant));
            assert_eq!(parse(&message), Ok(game.clone()));
            assert_eq!(game.ending(), Ending::default());
        }
    }

    #[test]
    fn mistakes_are_reported_by_field() {
        let passes = |passes, alliance_matrix| Given::Passes(pb::SharedPasses { alliance_matrix, passes });
        let alliances = |seats, alliance: &[u32]| {
            Given::Alliances(pb::TwoAlliances { seats, alliance: alliance.to_vec() })
        };
        let random_request = |seats: &[u32]| {
            Given::RandomSeats(pb::RandomSeats { alliance_matrix: Some(standard(3)), seats: seats.to_vec() })
        };
        let ties = |rows: &[pb::TiedRow]| Given::Ties(pb::TiedMatrix { rows: rows.to_vec() });
        let good_request = || request(alliances(3, &[0]));
        let cases = [
            (pb::SolveVariantRequest { variant: None, ..good_request() }, "variant"),
            (pb::SolveVariantRequest { first: 3, ..good_request() }, "first"),
            (pb::SolveVariantRequest { piles: vec![], ..good_request() }, "piles"),
            (pb::SolveVariantRequest { ending: 9, ..good_request() }, "ending"),
            (request(passes(1_001, Some(standard(3)))), "passes.passes"),
            (request(passes(1, None)), "passes.alliance_matrix"),
            (request(alliances(1, &[0])), "alliances.seats"),
            (request(alliances(3, &[3])), "alliances.alliance"),
            (request(alliances(3, &[0, 1, 2])), "alliances.alliance"),
            (request(random_request(&[])), "random_seats.seats"),
            (request(random_request(&[1, 1])), "random_seats.seats"),
            (pb::SolveVariantRequest { piles: vec![100_001], ..request(random_request(&[1])) }, "piles"),
            (request(ties(&[])), "ties.rows"),
            (request(ties(&[tied_row(&[&[0, 1]]), tied_row(&[&[0, 0]])])), "ties.rows[1].groups"),
            (request(ties(&[tied_row(&[&[0, 1]]), tied_row(&[&[0, 1], &[]])])), "ties.rows[1].groups"),
        ];
        for (request, field) in cases {
            let refused = parse(&request).unwrap_err();
            let fields: Vec<_> = refused.as_slice().iter().map(|violation| &violation.field).collect();
            assert_eq!(fields, [field], "{request:?}");
        }
    }
}
