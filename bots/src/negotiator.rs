//! Bots that believe what others claim, and that sign pacts.

use super::{
    oracle::smallest_optimal_take,
    outlook::{
        Belief, MAX_STEPS, MIN_MATRICES, Outlook, draws_in, ranking_first, rows_to_consider,
        steps_of_solution,
    },
};
use lastnim_client::{Bot, MatchInfo, MatchView, Message, OfferedPact, TalkRound};
use lastnim_core::{
    game::{MAX_PACT_SEATS, Pact, PactMember, PartialRow, Row, Seat},
    referee::{DealRule, MAX_ROUND_MESSAGES},
};

/// The maximum number of offers that a bot examines in a round.
const MAX_OFFERS: usize = 8;

/// A bot that talks about its dealt row: it claims the row, signs pacts, and declares the row with the best expected
/// rank in its dealt row.
///
/// It expects that the other seats want the rows that they have claimed, as far as it believes them, or else rows that
/// follow from the rule of the deal. It expects that each declares the row that it wants, or the nearest row that keeps
/// the signed pacts of which the bot knows, and that all then play optimally. If at most 144 combinations of rows are
/// possible, the expectation is exact, otherwise the bot draws some of them. It considers all rows if there are at most
/// 120, otherwise 120 drawn ones. Of equally good rows it prefers the one nearest to its dealt row.
///
/// The value of a pact is the number of ranks that a seat can expect to gain if the members declare the nearest rows that
/// keep the pact, instead of the rows that they want. The bot examines the first eight offers of a round, and accepts at
/// most three.
///
/// A decision takes about 4,000,000 steps of the oracle at most, or those of 40 games if that is more; a game of N piles
/// and n seats takes N n² steps, whatever the size of the piles. If the search for a pact to offer would take longer,
/// the bot offers none. It plays optimally for the row that it has declared. If no rows are dealt, it is silent and
/// declares the standard row.
#[derive(Debug, Clone, Copy)]
pub struct Negotiator {
    manner: Manner,
    seed: u64,
}

/// How a [`Negotiator`] treats claims and pacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Manner {
    /// It believes every claim. It accepts every pact whose value to it is at least 0 and that it can keep together with
    /// the earlier ones, and keeps its signed pacts. It offers none.
    Naive,
    /// It believes a claim with a probability of one half. It offers and accepts pacts whose value to it is positive. It
    /// declares the best of the rows that keep its signed pacts.
    Keeper,
    /// It talks as the keeper does, but declares the best of all rows. So it breaks its word exactly if it expects to
    /// gain by that.
    Breaker,
}

impl Negotiator {
    /// Creates a bot that draws rows from this seed.
    pub fn new(manner: Manner, seed: u64) -> Self {
        Self { manner, seed }
    }
}

impl Bot for Negotiator {
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        let negotiation = Negotiation::new(round, *self)?;
        let mut messages = Vec::new();
        if round.round() == 0 {
            messages.push(Message::claim(round.honest_row()));
        }
        if let Some(terms) = round.terms.talk.filter(|talk| talk.pacts)
            && round.seats().get() <= MAX_PACT_SEATS
        {
            let mut promise =
                negotiation.promise_of(round.seat, |offered| offered.accepted.contains(round.seat));
            messages.extend(negotiation.accept_offers(round.round(), &mut promise));
            if round.round() + 1 < terms.rounds && self.manner != Manner::Naive {
                messages.extend(negotiation.best_offer(&promise).map(Message::offer));
            }
        }
        Some(messages)
    }

    fn declare(&mut self, game: &MatchInfo) -> Row {
        let negotiation = Negotiation::new(game, *self);
        negotiation.map_or_else(|| game.honest_row(), |negotiation| negotiation.best_row())
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(game.game(), game.position())
    }
}

/// What a bot knows before it declares in a match in which a row was dealt to it.
struct Negotiation<'a> {
    game: &'a MatchInfo,
    rule: &'a DealRule,
    bot: Negotiator,
    pacts: Vec<OfferedPact>,
}

impl<'a> Negotiation<'a> {
    /// Returns what the bot knows; `None` if no row was dealt to it.
    fn new(game: &'a MatchInfo, bot: Negotiator) -> Option<Self> {
        let deal = game.deal.as_ref().filter(|_| game.dealt_row.is_some())?;
        Some(Self { game, rule: &deal.rule, bot, pacts: game.pacts() })
    }

    /// Returns the outlook of the bot, which takes this many steps for each matrix.
    fn outlook(&self, steps: usize) -> Outlook<'a> {
        let belief = match self.bot.manner {
            Manner::Naive => Belief::Always,
            Manner::Keeper | Manner::Breaker => Belief::Half,
        };
        Outlook::new(self.game, self.rule, belief, steps, &mut draws_in(self.game, self.bot.seed))
    }

    /// Returns what a seat promises in these pacts, without promises that contradict earlier ones.
    fn promise_of(&self, seat: Seat, is_meant: impl Fn(&OfferedPact) -> bool) -> PartialRow {
        let meant = self.pacts.iter().filter(|offered| is_meant(offered));
        let constraints = meant.filter_map(|offered| offered.pact.constraint(seat));
        constraints.fold(PartialRow::unknown(self.game.seats()), |promise, constraint| {
            promise.with_all(constraint).unwrap_or(promise)
        })
    }

    /// Accepts the offers of the previous round that are good for the bot and that it can keep, and adds what it promises
    /// by that.
    fn accept_offers(&self, round: u32, promise: &mut PartialRow) -> Vec<Message> {
        let own = self.game.seat;
        let new_offers = self.pacts.iter().filter_map(|offered| {
            let is_new = offered.offer.round + 1 == round && !offered.accepted.contains(own);
            Some((offered, offered.pact.constraint(own).filter(|_| is_new)?))
        });
        let mut messages = Vec::new();
        for (OfferedPact { offer, pact, .. }, constraint) in new_offers.take(MAX_OFFERS) {
            // One message is left for an offer.
            let is_full = messages.len() + 1 == MAX_ROUND_MESSAGES as usize;
            if let Some(together) = promise.with_all(constraint).filter(|_| !is_full && self.accepts(pact)) {
                *promise = together;
                messages.push(Message::accept(*offer));
            }
        }
        messages
    }

    /// Returns whether a pact is good enough for the bot.
    fn accepts(&self, pact: &Pact) -> bool {
        let outlook = self.outlook(MAX_OFFERS * self.steps_of_pact(pact.members().len()));
        let [without, with] = [outlook.winners(), outlook.winners_if_kept(pact)]
            .map(|winners| outlook.total_rank(self.game.seat, &winners));
        with < without || with == without && self.bot.manner == Manner::Naive
    }

    /// Returns the approximate number of steps that a pact with this many members takes for each matrix.
    fn steps_of_pact(&self, members: usize) -> usize {
        let seats = self.game.seats().get();
        2 * steps_of_solution(self.game) + members * (seats << seats)
    }

    /// Returns the pact to offer: of the pacts that the bot can keep, in which it and one other seat both rank the same
    /// seat first, the one with the largest value to the bot, if it has a positive value to both. `None` if nobody can
    /// offer such a pact for the first time, or if the search would take too long.
    fn best_offer(&self, promise: &PartialRow) -> Option<Pact> {
        let (seats, own) = (self.game.seats(), self.game.seat);
        let member = |seat, first| PactMember {
            seat,
            constraint: ranking_first(seats, seats.distance_between(seat, first)),
        };
        let is_possible = |pact: &Pact| {
            let is_known = self.pacts.iter().any(|known| known.pact == *pact);
            let constraint = pact.constraint(own).expect("the bot is a member");
            !is_known && promise.with_all(constraint).is_some()
        };
        let pairs = seats
            .iter()
            .filter(|&other| other != own)
            .flat_map(|other| seats.iter().map(move |first| vec![member(own, first), member(other, first)]));
        let pacts: Vec<_> =
            pairs.filter_map(|members| Pact::of_members(seats, members).ok()).filter(is_possible).collect();
        let steps = pacts.len() * self.steps_of_pact(2);
        if pacts.is_empty() || steps > MAX_STEPS / MIN_MATRICES {
            return None;
        }
        let outlook = self.outlook(steps);
        let without = outlook.winners();
        let judged = pacts.into_iter().filter_map(|pact| {
            let with = outlook.winners_if_kept(&pact);
            let helps = |seat| outlook.total_rank(seat, &with) < outlook.total_rank(seat, &without);
            let helps_all = pact.seat_set().iter().all(helps);
            helps_all.then(|| (outlook.total_rank(own, &with), pact))
        });
        judged.min_by_key(|(rank, _)| *rank).map(|(_, pact)| pact)
    }

    /// Returns the row to declare.
    fn best_row(&self) -> Row {
        let (seats, own) = (self.game.seats(), self.game.seat);
        let promise = self.promise_of(own, OfferedPact::is_signed);
        let unknown = PartialRow::unknown(seats);
        let mut draw = draws_in(self.game, self.bot.seed);
        let mut rows = vec![promise.nearest_row(&self.game.honest_row())];
        rows.extend(rows_to_consider(self.game, &promise, &mut draw));
        let all_rows = match self.bot.manner {
            Manner::Breaker if promise != unknown => rows_to_consider(self.game, &unknown, &mut draw),
            _ => Vec::new(),
        };
        let steps = (rows.len() + all_rows.len()) * steps_of_solution(self.game);
        let mut outlook = self.outlook(steps);
        for seat in seats.iter().filter(|&seat| seat != own) {
            outlook.keep_promise(seat, &self.promise_of(seat, OfferedPact::is_signed));
        }
        // Of equally good rows the bot declares the first, so a breaker that gains nothing keeps its word.
        let best = outlook.best_row(rows);
        outlook.best_row([best].into_iter().chain(all_rows))
    }
}
