//! Bots that believe what others claim, and that sign pacts.

use super::{
    oracle::smallest_optimal_take,
    outlook::{
        Belief, MAX_STEPS, MIN_MATRICES, Outlook, draw_of_match, ranking_first, rows_to_consider,
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
/// 120, otherwise 120 drawn ones, and fewer in games with many piles or seats. If no other row is better than its dealt
/// row, or the nearest row that keeps its pacts, it declares that one.
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
    /// It talks as the keeper does, but declares the best of all rows that it considers, so it breaks its word if it
    /// expects to gain by that.
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
        Outlook::new(self.game, self.rule, belief, steps, &mut draw_of_match(self.game, self.bot.seed))
    }

    /// Returns what a seat promises in the pacts that `is_meant` selects, without promises that contradict earlier ones.
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
    /// seat first, the one with the largest value to the bot, if it has a positive value to both. `None` if there is
    /// no such pact that is new, or if the search would take too long.
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
        let honest_winners = outlook.winners();
        let judged = pacts.into_iter().filter_map(|pact| {
            let kept_winners = outlook.winners_if_kept(&pact);
            let helps =
                |seat| outlook.total_rank(seat, &kept_winners) < outlook.total_rank(seat, &honest_winners);
            let helps_all = pact.seat_set().iter().all(helps);
            helps_all.then(|| (outlook.total_rank(own, &kept_winners), pact))
        });
        judged.min_by_key(|(rank, _)| *rank).map(|(_, pact)| pact)
    }

    /// Returns the row to declare.
    fn best_row(&self) -> Row {
        let (seats, own) = (self.game.seats(), self.game.seat);
        let promise = self.promise_of(own, OfferedPact::is_signed);
        let unknown = PartialRow::unknown(seats);
        let mut draw = draw_of_match(self.game, self.bot.seed);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Liar, Oracle,
        practice_games::{dealt_view, games, games_with_seats},
        practice_talk::{TalkOutcome, dealt_info, talk_and_declare},
    };
    use lastnim_client::{TalkMessage, TalkTerms};
    use lastnim_core::{
        game::{
            AllianceMatrix, BySeat, Ending, Game, MAX_COUNTERS, MAX_PILES, MAX_SEATS, Piles, SeatCount,
            SeatSet,
            testing::{cases, matrices, permutations, with_row},
        },
        oracle::solve_winners,
        referee::TalkContent,
    };
    use proptest::{prelude::*, sample::select};

    fn bot(manner: Manner) -> Box<dyn Bot> {
        Box::new(Negotiator::new(manner, 1))
    }

    /// Returns a game with these piles and rows, in which seat 0 moves first.
    fn game(piles: &[u64], rows: &[&[u64]]) -> Game {
        let rows: Vec<_> = rows.iter().map(|row| row.to_vec()).collect();
        Game::parse(piles, &rows, 0, Ending::ToMoveWins).unwrap()
    }

    /// Lets bots talk and declare. Their dealt rows are those of the game, and the rule of the deal lists these rows.
    fn talk(game: &Game, bots: Vec<Box<dyn Bot>>) -> TalkOutcome {
        let mut rows: Vec<_> = game.matrix.rows().iter().cloned().collect();
        rows.sort_by_key(ToString::to_string);
        rows.dedup();
        talk_and_declare(game, &DealRule::List(rows), &mut bots.try_into().ok().unwrap())
    }

    fn winner(game: &Game, declared: &AllianceMatrix) -> Seat {
        solve_winners(&game.piles, declared, game.ending)[game.first_seat()]
    }

    fn signed_pacts(talked: &TalkOutcome) -> Vec<String> {
        talked.signed_pacts().map(|offered| offered.pact.to_string()).collect()
    }

    #[test]
    fn a_tempted_breaker_breaks_its_word_and_a_keeper_keeps_it() {
        let game = game(&[1, 2, 3], &[&[0, 2, 1], &[0, 1, 2], &[0, 2, 1]]);
        let last = game.matrix.seats().seat(2).unwrap();
        for (manner, declared) in [(Manner::Keeper, "2 0 1"), (Manner::Breaker, "0 1 2")] {
            let talked = talk(&game, vec![bot(Manner::Keeper), bot(Manner::Keeper), bot(manner)]);
            assert_eq!(signed_pacts(&talked), ["1: 1>2, 1>0; 2: 1>2, 1>0"]);
            assert_eq!(talked.declared[last].to_string(), declared);
            assert_eq!(talked.has_broken_its_word(last), manner == Manner::Breaker);
        }
    }

    #[test]
    fn nobody_breaks_its_word_without_temptation() {
        let game = game(&[2, 3, 3], &[[0, 1, 2].as_slice(); 3]);
        assert_eq!(winner(&game, &game.matrix).index(), 1);
        for manner in [Manner::Keeper, Manner::Breaker] {
            let talked = talk(&game, (0..3).map(|_| bot(manner)).collect());
            // Both offer the same pact at once, and each accepts the offer of the other.
            assert_eq!(signed_pacts(&talked), ["0: 0>1, 0>2; 2: 0>2, 0>1"; 2]);
            assert_eq!(talked.declared.to_string(), "0 1 2; 0 1 2; 1 0 2");
            assert_eq!(winner(&game, &talked.declared).index(), 0);
        }
    }

    #[test]
    fn the_naive_bot_is_misled_by_a_lie() {
        let game = game(&[4], &[&[3, 0, 2, 1], &[3, 0, 2, 1], &[1, 3, 2, 0], &[3, 0, 2, 1]]);
        let naive = game.matrix.seats().seat(2).unwrap();
        let play_against = |rival: Box<dyn Bot>| {
            let talked = talk(&game, vec![Box::new(Oracle), rival, bot(Manner::Naive), Box::new(Oracle)]);
            let winner = winner(&game, &talked.declared);
            (talked.declared[naive].to_string(), game.matrix.rank(naive, winner))
        };
        assert_eq!(play_against(Box::new(Oracle)), ("1 3 2 0".to_owned(), 0), "everybody tells the truth");
        assert_eq!(play_against(Box::new(Liar::new(1))), ("0 2 1 3".to_owned(), 2), "seat 1 lies");
    }

    #[test]
    fn the_naive_bot_accepts_a_pact_that_is_worth_nothing() {
        let game = game(&[4], &[[0, 1, 2].as_slice(); 3]);
        let seats = game.matrix.seats();
        let rule = DealRule::List(vec![Row::standard(seats)]);
        let pact = Pact::parse(seats, &[(0, vec![(0, 1)]), (1, vec![])]).unwrap();
        let offer = TalkMessage {
            seat: seats.seat(1).unwrap(),
            round: 0,
            number: 0,
            to: pact.seat_set(),
            content: TalkContent::Offer(pact),
        };
        let info = dealt_info(&game, &rule, Seat::FIRST, std::slice::from_ref(&offer));
        let round = TalkRound::practice(&info, 1);
        assert_eq!(bot(Manner::Naive).talk(&round), Some(vec![Message::accept(offer.offer_id())]));
        assert_eq!(bot(Manner::Keeper).talk(&round), Some(Vec::new()));
    }

    /// Returns, for each row that the seat can declare, its rank in the row that it has in the game.
    fn ranks(game: &Game, others: &AllianceMatrix, seat: Seat) -> Vec<(Row, usize)> {
        let rank =
            |row: &Row| game.matrix.rank(seat, winner(game, &others.clone().with_row(seat, row.clone())));
        permutations(game.matrix.seats()).into_iter().map(|row| (row.clone(), rank(&row))).collect()
    }

    fn best<'a>(ranks: impl IntoIterator<Item = &'a (Row, usize)>) -> usize {
        ranks.into_iter().map(|(_, rank)| *rank).min().unwrap()
    }

    /// Generates games with 2 to 4 seats, each with the rows that its seats claim to have.
    fn games_with_claims() -> impl Strategy<Value = (Game, AllianceMatrix)> {
        games_with_seats(2..=4).prop_flat_map(|game| {
            let seats = game.matrix.seats().get();
            (Just(game), matrices(seats..=seats))
        })
    }

    proptest! {
        #![proptest_config(cases(48))]

        #[test]
        fn the_naive_bot_declares_a_best_reply_to_the_claims((game, claimed) in games_with_claims()) {
            let claim = |(seat, row): (Seat, &Row)| TalkMessage {
                seat,
                round: 0,
                number: 0,
                to: SeatSet::default(),
                content: TalkContent::Claim(row.clone()),
            };
            let claims: Vec<_> = claimed.rows().enumerate().map(claim).collect();
            let ranks = ranks(&game, &claimed, Seat::FIRST);
            let info = dealt_info(&game, &DealRule::SelfFirst, Seat::FIRST, &claims);
            let declared = bot(Manner::Naive).declare(&info);
            prop_assert!(ranks.contains(&(declared.clone(), best(&ranks))));
            let honest = &game.matrix[Seat::FIRST];
            prop_assert!(ranks.contains(&(honest.clone(), best(&ranks))) == (declared == *honest));
        }

        /// All seats know all rows, since only one can be dealt.
        #[test]
        fn a_breaker_breaks_its_word_if_that_is_better(
            game in games_with_seats(3..=4),
            manners in prop::collection::vec(select(vec![Manner::Naive, Manner::Keeper, Manner::Breaker]), 4),
        ) {
            let seats = game.matrix.seats();
            let row = game.matrix[Seat::FIRST].clone();
            let game = seats.iter().fold(game, |game, seat| with_row(&game, seat, &row));
            let talked = talk(&game, manners[..seats.get()].iter().map(|&manner| bot(manner)).collect());
            let promise = |seat| {
                let constraints = talked.signed_pacts().filter_map(|offered| offered.pact.constraint(seat));
                constraints.fold(PartialRow::unknown(seats), |all, constraint| all.with_all(constraint).unwrap())
            };
            let expected = BySeat::from_fn(seats, |seat| promise(seat).nearest_row(&row));
            let expected = AllianceMatrix::from_rows(expected).unwrap();
            for (seat, &manner) in seats.iter().zip(&manners) {
                // A seat does not know the pacts of others.
                if talked.signed_pacts().any(|offered| offered.pact.constraint(seat).is_none()) {
                    continue;
                }
                let ranks = ranks(&game, &expected, seat);
                let keeping = best(ranks.iter().filter(|(row, _)| promise(seat).admits(row)));
                let reached = if manner == Manner::Breaker { best(&ranks) } else { keeping };
                let declared = talked.declared[seat].clone();
                prop_assert_eq!(promise(seat).admits(&declared), keeping == reached);
                prop_assert!(ranks.contains(&(declared, reached)));
            }
        }

        #[test]
        fn the_bot_talks_and_declares_in_any_match(game in games(), with_pacts: bool, rounds in 1..4_u32, seed: u64) {
            for manner in [Manner::Naive, Manner::Keeper, Manner::Breaker] {
                let mut bot = Negotiator::new(manner, seed);
                let plain = MatchView::practice(&game, &[]).unwrap();
                prop_assert_eq!(bot.talk(&TalkRound::practice(plain.info(), 0)), None);
                prop_assert_eq!(bot.declare(plain.info()), Row::standard(game.matrix.seats()));
                let mut info = dealt_view(&game, DealRule::All).info().clone();
                info.setup.terms.talk = Some(TalkTerms { rounds, pacts: with_pacts, ..TalkTerms::default() });
                let said = bot.talk(&TalkRound::practice(&info, 0)).unwrap();
                prop_assert_eq!(&said[0], &Message::claim(info.honest_row()));
                let offers = with_pacts && rounds > 1 && manner != Manner::Naive;
                prop_assert!(said.len() <= 1 + usize::from(offers));
                info.setup.terms.talk = None;
                prop_assert_eq!(bot.declare(&info).seats(), game.matrix.seats());
            }
        }
    }

    #[test]
    fn the_bot_talks_and_declares_in_the_largest_matches() {
        for (seats, piles) in [(MAX_PACT_SEATS, 10), (MAX_PACT_SEATS, MAX_PILES), (MAX_SEATS, MAX_PILES)] {
            let seats = SeatCount::new(seats).unwrap();
            let piles = Piles::parse(&vec![MAX_COUNTERS; piles]).unwrap();
            let game = Game::new(piles, AllianceMatrix::standard(seats), 0, Ending::ToMoveWins).unwrap();
            // Each other seat offers four pacts to all seats, where pacts are possible.
            let members: Vec<_> = seats.iter().map(|seat| (seat.index(), vec![(0, 1)])).collect();
            let pact = Pact::parse(seats, &members).ok();
            let places = seats.iter().skip(1).flat_map(|seat| (0..4).map(move |number| (seat, number)));
            let offer = |(seat, number)| {
                let content = TalkContent::Offer(pact.clone()?);
                Some(TalkMessage { seat, round: 0, number, to: SeatSet::all(seats), content })
            };
            let offers: Vec<_> = places.filter_map(offer).collect();
            let info = dealt_info(&game, &DealRule::All, Seat::FIRST, &offers);
            for manner in [Manner::Naive, Manner::Keeper, Manner::Breaker] {
                let mut bot = Negotiator::new(manner, 1);
                let said = bot.talk(&TalkRound::practice(&info, 1)).unwrap();
                assert!(said.len() <= MAX_ROUND_MESSAGES as usize, "{said:?}");
                assert_eq!(bot.declare(&info).seats(), seats);
            }
        }
    }
}
