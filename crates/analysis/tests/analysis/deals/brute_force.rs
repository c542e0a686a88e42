//! Computes the measures directly from their definitions, by searching the whole tree of play, all rows, and all rows
//! that keep a pact.

/// A strict order of the seats, the most preferred winner first.
pub type Order = Vec<usize>;

/// A match with few counters.
#[derive(Debug, Clone)]
pub struct SmallMatch {
    pub seats: usize,
    pub piles: Vec<u64>,
    pub first: usize,
    pub last_mover_wins: bool,
}

/// A state of play: the piles and the seat to move.
pub type State = (Vec<u64>, usize);

pub fn place_in(order: &Order, seat: usize) -> usize {
    order.iter().position(|&other| other == seat).unwrap()
}

/// Returns the place of a seat in an order, as a signed number so that places can be subtracted.
pub fn signed_place(order: &Order, seat: usize) -> i32 {
    i32::try_from(place_in(order, seat)).unwrap()
}

/// Returns all orders of `seats` seats.
pub fn all_orders(seats: usize) -> Vec<Order> {
    fn extend(order: &mut Order, seats: usize, all: &mut Vec<Order>) {
        if order.len() == seats {
            all.push(order.clone());
        }
        for seat in 0..seats {
            if !order.contains(&seat) {
                order.push(seat);
                extend(order, seats, all);
                order.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(&mut Vec::new(), seats, &mut all);
    all
}

pub fn has_relations(order: &Order, relations: &[(usize, usize)]) -> bool {
    relations.iter().all(|&(before, after)| place_in(order, before) < place_in(order, after))
}

/// Counts the pairs of seats that two orders put in different orders.
pub fn pair_distance(one: &Order, other: &Order) -> usize {
    let mut pairs = 0;
    for a in 0..one.len() {
        for b in 0..a {
            pairs += usize::from(
                (place_in(one, a) < place_in(one, b)) != (place_in(other, a) < place_in(other, b)),
            );
        }
    }
    pairs
}

/// Returns the order of `seat` that has the relations and is nearest to `target`; of several, the one whose offsets
/// from the seat come first.
pub fn nearest_keeping_order(seat: usize, target: &Order, relations: &[(usize, usize)]) -> Order {
    let n = target.len();
    let offsets = |order: &Order| order.iter().map(|other| (other + n - seat) % n).collect::<Vec<_>>();
    let keeping = all_orders(n).into_iter().filter(|order| has_relations(order, relations));
    keeping.min_by_key(|order| (pair_distance(order, target), offsets(order))).unwrap()
}

impl SmallMatch {
    pub fn start(&self) -> State {
        (self.piles.clone(), self.first)
    }

    /// Returns the winner if the match is over.
    fn result(&self, (piles, mover): &State) -> Option<usize> {
        let winner = if self.last_mover_wins { (mover + self.seats - 1) % self.seats } else { *mover };
        piles.iter().all(|&counters| counters == 0).then_some(winner)
    }

    pub fn after(&self, (piles, mover): &State, take: u64) -> State {
        let mut piles = piles.clone();
        let last = piles.iter_mut().rfind(|counters| **counters > 0).unwrap();
        *last -= take;
        (piles, (mover + 1) % self.seats)
    }

    pub fn takes((piles, _): &State) -> std::ops::RangeInclusive<u64> {
        1..=piles.iter().rfind(|&&counters| counters > 0).copied().unwrap_or(0)
    }

    pub fn winner_from(&self, state: &State, orders: &[Order]) -> usize {
        self.result(state).unwrap_or_else(|| {
            let winners = Self::takes(state).map(|take| self.winner_from(&self.after(state, take), orders));
            winners.min_by_key(|&winner| place_in(&orders[state.1], winner)).unwrap()
        })
    }

    pub fn winner(&self, orders: &[Order]) -> usize {
        self.winner_from(&self.start(), orders)
    }

    pub fn optimal_takes(&self, state: &State, orders: &[Order]) -> Vec<u64> {
        let best = self.winner_from(state, orders);
        Self::takes(state)
            .filter(|&take| self.winner_from(&self.after(state, take), orders) == best)
            .collect()
    }

    /// Returns the place in `dealt` that the deceiver can be sure of if the others play optimally for `declared`.
    pub fn sure_place(&self, state: &State, deceiver: usize, dealt: &Order, declared: &[Order]) -> usize {
        if let Some(winner) = self.result(state) {
            return place_in(dealt, winner);
        }
        let place_after = |take| self.sure_place(&self.after(state, take), deceiver, dealt, declared);
        if state.1 == deceiver {
            Self::takes(state).map(place_after).min().unwrap()
        } else {
            self.optimal_takes(state, declared).into_iter().map(place_after).max().unwrap()
        }
    }

    /// Returns the winner with one order replaced.
    pub fn winner_with(&self, orders: &[Order], seat: usize, order: &Order) -> usize {
        let mut orders = orders.to_vec();
        orders[seat].clone_from(order);
        self.winner(&orders)
    }

    /// Returns the best place in `dealt` that a seat can reach by declaring an order with the relations.
    pub fn best_place(
        &self,
        declared: &[Order],
        seat: usize,
        dealt: &Order,
        relations: &[(usize, usize)],
    ) -> usize {
        let orders = all_orders(self.seats);
        let keeping = orders.iter().filter(|order| has_relations(order, relations));
        keeping.map(|order| place_in(dealt, self.winner_with(declared, seat, order))).min().unwrap()
    }
}
