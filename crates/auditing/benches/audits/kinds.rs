//! Kinds of fields, honest and colluding.

use crate::{
    declares::DeclarationStrategy::{
        self, AlliesFirst, BestAgainstPlay, BestResponse, BestSecond, FewestWinsFirst, Helps, LastWinnerLast,
        Offset, RandomRow, RandomRowIn, Returns, SeatOrder, SecondIn, Standard, StrongestFirst, WeakestFirst,
        WeakestSecond,
    },
    plays::{
        PlayStrategy::{self, Errs, ErrsFor, ExploitsForRank, ExploitsToWin, Greedy, Reacts, Timid},
        Reaction::{AlternatesStyles, Answers, Imitates, Learns, Mirrors, Punishes, Rewards, Tilts},
    },
};
use lastnim_auditing::{
    HelpKind,
    RowSource::{self, Assigned, Declared},
};

/// A kind of field: its name, the source of its rows, and the behaviour of each bot.
pub type FieldKind = (&'static str, RowSource, Vec<(DeclarationStrategy, PlayStrategy)>);

const OPTIMAL: PlayStrategy = Errs(0);
const RANDOM: PlayStrategy = Errs(100);

/// Returns all kinds of honest fields, in which no bot tries to help another.
pub fn honest_fields() -> Vec<FieldKind> {
    [fields_by_rows(), fields_by_play(), fields_by_reaction()].concat()
}

/// Returns bots that play in these ways and declare the standard row.
fn standard_rows<const BOTS: usize>(plays: [PlayStrategy; BOTS]) -> Vec<(DeclarationStrategy, PlayStrategy)> {
    plays.map(|plays| (Standard, plays)).to_vec()
}

/// Returns bots that play in different ways, weak and strong, and declare the standard row.
fn mixed_play() -> Vec<(DeclarationStrategy, PlayStrategy)> {
    standard_rows([OPTIMAL, Errs(10), Errs(30), Greedy, RANDOM])
}

/// Returns honest fields that differ in how their bots declare.
fn fields_by_rows() -> Vec<FieldKind> {
    // The bots are listed from strong to weak, because bots that declare by strength assume this order.
    let weaker = [OPTIMAL, Errs(5), Errs(10), Errs(30), Greedy, RANDOM];
    let all_declare = |declares: DeclarationStrategy| weaker.map(|plays| (declares, plays)).to_vec();
    let among = |declares: DeclarationStrategy, modellers: &[usize]| {
        let declaration_of = |bot: usize| if modellers.contains(&bot) { declares } else { Standard };
        weaker.iter().enumerate().map(|(bot, &plays)| (declaration_of(bot), plays)).collect::<Vec<_>>()
    };
    vec![
        ("standard rows, all kinds of play", Declared, mixed_play()),
        (
            "oracles, greedy, timid and random",
            Declared,
            standard_rows([OPTIMAL, OPTIMAL, Greedy, Timid, RANDOM]),
        ),
        (
            "constant and random rows",
            Declared,
            vec![
                (Offset(1), OPTIMAL),
                (Offset(2), Errs(20)),
                (RandomRow, Errs(10)),
                (RandomRow, Greedy),
                (Standard, Errs(5)),
            ],
        ),
        (
            "two declare rows in the order of seat numbers",
            Declared,
            vec![
                (SeatOrder, OPTIMAL),
                (SeatOrder, Errs(10)),
                (Standard, OPTIMAL),
                (Standard, Greedy),
                (Standard, RANDOM),
            ],
        ),
        ("two strong bots declare for the weak bots", Declared, among(WeakestFirst, &[0, 1])),
        ("two strong bots declare the weakest bot second", Declared, among(WeakestSecond, &[0, 1])),
        (
            "two weak bots among oracles declare for the weak bots",
            Declared,
            vec![
                (Standard, OPTIMAL),
                (Standard, OPTIMAL),
                (Standard, OPTIMAL),
                (WeakestFirst, Errs(10)),
                (WeakestFirst, Errs(30)),
            ],
        ),
        (
            "two weak bots among oracles declare the weakest bot second",
            Declared,
            vec![
                (Standard, OPTIMAL),
                (Standard, OPTIMAL),
                (Standard, OPTIMAL),
                (WeakestSecond, Errs(10)),
                (WeakestSecond, Errs(30)),
            ],
        ),
        ("all declare for the weak bots", Declared, all_declare(WeakestFirst)),
        ("two strong bots declare for the strong bots", Declared, among(StrongestFirst, &[0, 1])),
        ("all declare for the strong bots", Declared, all_declare(StrongestFirst)),
        ("three declare against the leaders", Declared, among(FewestWinsFirst, &[0, 1, 3])),
        ("two declare against the leaders", Declared, among(FewestWinsFirst, &[0, 5])),
        ("all declare against the last winner", Declared, all_declare(LastWinnerLast)),
        ("two declare the best response", Declared, among(BestResponse, &[0, 2])),
        ("all declare the best response", Declared, all_declare(BestResponse)),
        ("two declare the best second preference", Declared, among(BestSecond, &[0, 2])),
        ("all declare the best second preference", Declared, all_declare(BestSecond)),
        ("two declare the best row against known play", Declared, among(BestAgainstPlay, &[0, 1])),
        ("all declare the best row against known play", Declared, all_declare(BestAgainstPlay)),
        ("one declares for another, which does not know this", Declared, {
            let mut bots = mixed_play();
            bots[0].0 = Returns(1);
            bots
        }),
    ]
}

/// Returns honest fields that differ in how their bots play and in the number of bots.
fn fields_by_play() -> Vec<FieldKind> {
    let exploiters = standard_rows([ExploitsToWin, ExploitsToWin, OPTIMAL, Errs(10), RANDOM]);
    let rank_exploiters = standard_rows([ExploitsForRank, ExploitsForRank, OPTIMAL, Greedy, RANDOM]);
    vec![
        ("two choose the takes that win most against known play", Declared, exploiters.clone()),
        (
            "two choose takes for their own best rank, knowing how the others play",
            Declared,
            rank_exploiters.clone(),
        ),
        (
            "two model the others' rows and play",
            Declared,
            vec![
                (BestAgainstPlay, ExploitsToWin),
                (BestAgainstPlay, ExploitsToWin),
                (Standard, OPTIMAL),
                (Standard, Greedy),
                (Standard, RANDOM),
            ],
        ),
        (
            "two declare for the weak bots and exploit them",
            Declared,
            vec![
                (WeakestFirst, ExploitsToWin),
                (WeakestFirst, ExploitsToWin),
                (Standard, OPTIMAL),
                (Standard, Errs(10)),
                (Standard, Errs(30)),
                (Standard, RANDOM),
            ],
        ),
        ("nine bots: two weak bots declare for the weak bots", Declared, {
            let mut bots = vec![(Standard, OPTIMAL); 7];
            bots.extend([(WeakestFirst, Errs(10)), (WeakestFirst, Errs(30))]);
            bots
        }),
        ("eight bots: three declare the weakest bot second, and four exploit known play", Declared, {
            let modellers = [(WeakestSecond, ExploitsToWin); 3];
            let others = [OPTIMAL, ExploitsForRank, Errs(10), Greedy, RANDOM].map(|plays| (Standard, plays));
            modellers.into_iter().chain(others).collect()
        }),
        ("twelve bots with all kinds of play", Declared, {
            let plays = [OPTIMAL, Errs(5), Errs(10), Greedy, Timid, RANDOM];
            [standard_rows(plays), standard_rows(plays)].concat()
        }),
        ("assigned rows, all kinds of play", Assigned, mixed_play()),
        ("assigned rows, two exploit known play to improve their rank", Assigned, rank_exploiters),
        ("assigned rows, two exploit known play to win", Assigned, exploiters),
    ]
}

/// Returns honest fields with bots that react to takes, to results or to time.
fn fields_by_reaction() -> Vec<FieldKind> {
    let one_reacts = |reaction| standard_rows([Reacts(reaction), OPTIMAL, Greedy, Timid, RANDOM]);
    let two =
        |reaction| standard_rows([Reacts(reaction), Reacts(reaction), OPTIMAL, Errs(10), Greedy, Timid]);
    vec![
        ("one copies the previous take", Declared, one_reacts(Mirrors)),
        ("two copy the previous take", Declared, two(Mirrors)),
        ("one copies the previous take, assigned rows", Assigned, one_reacts(Mirrors)),
        (
            "one takes one counter after a larger take, otherwise the whole pile",
            Declared,
            one_reacts(Answers),
        ),
        ("two take one counter after a larger take, otherwise the whole pile", Declared, two(Answers)),
        (
            "two take one counter after a larger take, otherwise the whole pile; assigned rows",
            Assigned,
            two(Answers),
        ),
        ("two play randomly right after an error", Declared, two(Imitates)),
        ("two punish the seat that last cost them ranks", Declared, two(Punishes)),
        ("two punish the seat that last cost them ranks, assigned rows", Assigned, two(Punishes)),
        ("two reward the seat that last gained them ranks", Declared, two(Rewards)),
        ("two play randomly after lost matches", Declared, two(Tilts)),
        ("two alternate between optimal and greedy play every 20 matches", Declared, two(AlternatesStyles)),
        ("two learn from earlier matches", Declared, two(Learns)),
        (
            "one bot for each kind of reaction",
            Declared,
            standard_rows(
                [Mirrors, Answers, Imitates, Punishes, Rewards, Tilts, AlternatesStyles, Learns].map(Reacts),
            ),
        ),
    ]
}

/// Returns fields in which the first two bots collude, or the first three if they form a ring.
pub fn colluding_fields() -> Vec<FieldKind> {
    let field_with = |pair: [(DeclarationStrategy, PlayStrategy); 2]| {
        pair.into_iter().chain([(Standard, OPTIMAL); 3]).collect::<Vec<_>>()
    };
    let erring = |pair: [(DeclarationStrategy, PlayStrategy); 2]| {
        let others = [(WeakestFirst, Errs(10)), (Standard, Errs(30)), (Standard, Greedy)];
        pair.into_iter().chain(others).collect::<Vec<_>>()
    };
    let takes = |pair: [PlayStrategy; 2]| {
        let others = [Errs(20), RANDOM, Greedy, Errs(10)];
        pair.into_iter().chain(others).map(|plays| (Standard, plays)).collect::<Vec<_>>()
    };
    let one_way = |often: u64| {
        let others = [OPTIMAL, OPTIMAL, Errs(10), RANDOM];
        [PlayStrategy::Helps(1, often)]
            .into_iter()
            .chain(others)
            .map(|plays| (Standard, plays))
            .collect::<Vec<_>>()
    };
    vec![
        (
            "one declares for the other, which returns the favour",
            Declared,
            field_with([(Helps(1, 100), OPTIMAL), (Returns(0), OPTIMAL)]),
        ),
        (
            "in half of their groups, one declares for the other, which returns the favour",
            Declared,
            field_with([(Helps(1, 50), OPTIMAL), (Returns(0), OPTIMAL)]),
        ),
        (
            "one declares for the other, which does not return the favour",
            Declared,
            field_with([(Helps(1, 100), OPTIMAL), (Standard, OPTIMAL)]),
        ),
        (
            "each puts itself first and the other second",
            Declared,
            field_with([(Returns(1), OPTIMAL), (Returns(0), OPTIMAL)]),
        ),
        (
            "one declares for the other, which returns the favour; all bots err",
            Declared,
            erring([(Helps(1, 100), Errs(10)), (Returns(0), Errs(10))]),
        ),
        (
            "one declares for the other, which does not return the favour; all bots err",
            Declared,
            erring([(Helps(1, 100), Errs(10)), (Standard, Errs(10))]),
        ),
        ("a ring of three declare themselves, then each other", Declared, {
            let ring = [(AlliesFirst(&[0, 1, 2]), OPTIMAL); 3];
            ring.into_iter().chain([(Standard, OPTIMAL); 3]).collect()
        }),
        ("each declares itself, then the other; a third declares one of them", Declared, {
            let others =
                [(Returns(0), OPTIMAL), (Standard, OPTIMAL), (Standard, OPTIMAL), (Standard, OPTIMAL)];
            [(Returns(1), OPTIMAL), (Returns(0), OPTIMAL)].into_iter().chain(others).collect()
        }),
        ("they help each other in 60% of their takes; another bot declares random rows", Declared, {
            let mut bots = takes([ErrsFor(1, 60), ErrsFor(0, 60)]);
            bots[5].0 = RandomRow;
            bots
        }),
        (
            "they help each other in 60% of their takes; another bot declares random rows in 3% of groups",
            Declared,
            {
                let mut bots = takes([ErrsFor(1, 60), ErrsFor(0, 60)]);
                bots[5].0 = RandomRowIn(3);
                bots
            },
        ),
        (
            "they help each other in 100% of their takes; another bot declares random rows in 3% of groups",
            Declared,
            {
                let mut bots = takes([ErrsFor(1, 100), ErrsFor(0, 100)]);
                bots[5].0 = RandomRowIn(3);
                bots
            },
        ),
        ("they help each other in 30% of their takes", Declared, takes([ErrsFor(1, 30), ErrsFor(0, 30)])),
        ("they help each other in 60% of their takes", Declared, takes([ErrsFor(1, 60), ErrsFor(0, 60)])),
        (
            "they help each other in 60% of their takes, with assigned rows",
            Assigned,
            takes([ErrsFor(1, 60), ErrsFor(0, 60)]),
        ),
        ("one helps the other in 60% of its takes", Declared, one_way(60)),
        ("one helps the other in 60% of its takes, with assigned rows", Assigned, one_way(60)),
    ]
}

/// Returns honest fields in which two bots could help each other.
pub fn fields_with_room_to_help() -> Vec<FieldKind> {
    vec![
        ("six bots", Declared, standard_rows([OPTIMAL, OPTIMAL, Errs(20), Errs(10), RANDOM, Greedy])),
        ("five bots, assigned rows", Assigned, standard_rows([OPTIMAL, OPTIMAL, Errs(10), Greedy, RANDOM])),
    ]
}

/// Makes the first bot help the second in this percentage of groups, and if help is mutual, the second help the first.
pub fn with_help(
    bots: &[(DeclarationStrategy, PlayStrategy)],
    kind: HelpKind,
    often: u64,
) -> Vec<(DeclarationStrategy, PlayStrategy)> {
    let mut bots = bots.to_vec();
    match kind {
        HelpKind::MutualDeclarations => {
            bots[0].0 = SecondIn(1, often);
            bots[1].0 = SecondIn(0, often);
        }
        HelpKind::OneWayDeclarations => bots[0].0 = Helps(1, often),
        HelpKind::MutualTakes => {
            bots[0].1 = PlayStrategy::Helps(1, often);
            bots[1].1 = PlayStrategy::Helps(0, often);
        }
        HelpKind::OneWayTakes => bots[0].1 = PlayStrategy::Helps(1, often),
    }
    bots
}
