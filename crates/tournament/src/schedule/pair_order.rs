//! All pairs of a field, in an order that is balanced after every pair.

/// Returns the pair with this number in a field of this size. After the last pair, the first one follows again.
///
/// In every prefix of the order, all bots play equally often and all pairs meet equally often, give or take one. Even
/// fields follow the circle method: each round is a perfect matching. Odd fields follow Walecki's Hamiltonian cycles,
/// each traversed twice, taking every second edge, so that all bots but one play once before any plays again. Source
/// for both: Lucas, "Récréations mathématiques" II (1883).
pub(super) fn nth_pair(field: usize, number: u64) -> [usize; 2] {
    let pairs = (field * (field - 1) / 2) as u64;
    let number = (number % pairs) as usize;
    if field.is_multiple_of(2) { pair_of_even_field(field, number) } else { pair_of_odd_field(field, number) }
}

fn pair_of_even_field(field: usize, number: usize) -> [usize; 2] {
    let others = field - 1;
    let (round, place) = (number / (field / 2), number % (field / 2));
    match place {
        0 => [round, others],
        _ => [(round + place) % others, (round + others - place) % others],
    }
}

fn pair_of_odd_field(field: usize, number: usize) -> [usize; 2] {
    let (cycle, step) = (number / field, 2 * (number % field));
    [step, step + 1].map(|step| match step % field {
        0 => field - 1,
        step => (zigzag_term(step - 1, field - 1) + cycle) % (field - 1),
    })
}

/// Returns a term of the sequence 0, 1, -1, 2, -2, ... on a circle with `circle` points.
fn zigzag_term(term: usize, circle: usize) -> usize {
    if term % 2 == 1 { term.div_ceil(2) } else { circle - term / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_prefix_of_the_pairs_is_balanced() {
        for field in 2..24 {
            let pairs = (field * (field - 1) / 2) as u64;
            let (mut seen, mut plays) = (HashSet::new(), vec![0; field]);
            for number in 0..pairs {
                let mut two = nth_pair(field, number);
                assert_eq!(nth_pair(field, number + pairs), two);
                two.sort_unstable();
                assert!(two[0] < two[1] && two[1] < field, "{two:?} of {field}");
                assert!(seen.insert(two), "{two:?} of {field} comes twice");
                for bot in two {
                    plays[bot] += 1;
                }
                let spread = plays.iter().max().unwrap() - plays.iter().min().unwrap();
                assert!(spread <= 1, "{number} of {field}: {plays:?}");
            }
        }
    }
}
