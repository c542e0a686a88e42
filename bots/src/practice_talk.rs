//! Matches for bot tests in which bots talk and declare without a server.

use crate::practice_games::dealt_view;
use lastnim_client::{Bot, LocalMatch, MatchInfo, OfferedPact, TalkMessage, TalkTerms};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Game, MatchId, Seat},
    referee::{DealHash, DealRule, DealtRows, MatchPhase, MatchSetup, Timestamp},
};

/// What the bots have agreed on and declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TalkOutcome {
    pub(super) pacts: Vec<OfferedPact>,
    pub(super) declared: AllianceMatrix,
}

impl TalkOutcome {
    /// Returns the pacts that all members have accepted.
    pub(super) fn signed_pacts(&self) -> impl Iterator<Item = &OfferedPact> {
        self.pacts.iter().filter(|offered| offered.is_signed())
    }

    /// Returns whether a seat has signed a pact and broken it.
    pub(super) fn has_broken_its_word(&self, seat: Seat) -> bool {
        let mut constraints = self.signed_pacts().filter_map(|offered| offered.pact.constraint(seat));
        constraints.any(|constraint| !constraint.admits(&self.declared[seat]))
    }
}

fn talking_setup(game: &Game, rule: &DealRule) -> MatchSetup {
    let mut setup = dealt_view(game, rule.clone()).info().setup.clone();
    setup.terms.talk = Some(TalkTerms { rounds: 3, pacts: true, ..TalkTerms::default() });
    setup
}

/// Returns what a bot knows about a match: its seat, its row in the game, which was dealt by the rule, and the messages
/// that it has sent or heard.
pub(super) fn dealt_info(game: &Game, rule: &DealRule, seat: Seat, messages: &[TalkMessage]) -> MatchInfo {
    let mut info = dealt_view(game, rule.clone()).info().clone();
    info.seat = seat;
    info.dealt_row = Some(game.matrix[seat].clone());
    info.setup = talking_setup(game, rule);
    let hears =
        |message: &&TalkMessage| message.seat == seat || message.to.is_empty() || message.to.contains(seat);
    info.messages = messages.iter().filter(hears).cloned().collect();
    info
}

/// Begins a match with three rounds of talk and pacts, in which the rows of the game are dealt.
pub(super) fn talking_match(game: &Game, rule: &DealRule) -> LocalMatch {
    let salts = BySeat::filled(game.matrix.seats(), &DealHash::from_bytes([0; 32]));
    let dealt = DealtRows { matrix: game.matrix.clone(), salts };
    let (setup, now) = (talking_setup(game, rule), Timestamp::from_micros(1));
    LocalMatch::begin(MatchId::least(), setup, Some((rule.clone(), dealt)), now).unwrap()
}

/// Lets the bots talk and declare their rows.
pub(super) fn talk_and_declare(game: &Game, rule: &DealRule, bots: &mut BySeat<Box<dyn Bot>>) -> TalkOutcome {
    let mut local = talking_match(game, rule);
    while local.phase() != MatchPhase::Playing {
        let seat = local.next_seat().expect("no seat has declared");
        local.ask_bot(seat, &mut *bots[seat]).unwrap();
    }
    let state = local.record().state();
    TalkOutcome { pacts: state.pacts().to_vec(), declared: state.game().unwrap().matrix.clone() }
}

mod tests {
    use super::*;
    use crate::{HouseBot, practice_games::random_game};
    use lastnim_client::{MatchEnd, MatchView, Message, TalkContent, TalkRound};
    use lastnim_core::referee::Record;
    use std::sync::{Arc, Mutex};

    /// Plays a match of house bots in the game of this number.
    fn play(number: u64, names: [&str; 4], seed: u64) -> Record {
        let bots = names.map(|name| name.parse::<HouseBot>().unwrap().build_bot(seed)).into_iter();
        let mut bots: BySeat<_> = bots.collect::<Vec<_>>().try_into().ok().unwrap();
        let mut local = talking_match(&random_game(number, 4, 3, 5), &DealRule::All);
        local.play_to_end(&mut bots).unwrap();
        local.record().clone()
    }

    #[test]
    fn the_same_seeds_give_the_same_talk_and_takes() {
        let mut pacts = [0, 0];
        for number in 0..12 {
            for names in [["liar", "naive", "keeper", "breaker"], ["breaker", "random", "keeper", "mcts-20"]]
            {
                let (one, again) = (play(number, names, 7), play(number, names, 7));
                assert_eq!(one.events(), again.events());
                assert!(one.audit().unwrap().dealt.is_some());
                let offered = one.state().pacts();
                pacts[0] += offered.len();
                pacts[1] += offered.iter().filter(|offered| offered.is_signed()).count();
            }
        }
        assert!(pacts[0] > pacts[1] && pacts[1] > 0, "{pacts:?}");
    }

    /// What the server tells a bot, in words.
    type Reports = Arc<Mutex<Vec<String>>>;

    /// A bot that sends what it is given in the first round, and notes what the server tells it.
    struct Scripted(Vec<Message>, Reports);

    impl Bot for Scripted {
        fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
            (round.round() < 2).then(|| std::mem::take(&mut self.0))
        }

        fn heard(&mut self, game: &MatchInfo, round: u32) {
            let said = game.messages.iter().map(|said| match &said.content {
                TalkContent::Text(text) => format!("{}: {text}", said.seat),
                other => format!("{other:?}"),
            });
            let said = said.collect::<Vec<_>>().join(", ");
            self.1.lock().unwrap().push(format!("seat {} after round {round}: {said}", game.seat));
        }

        fn play(&mut self, view: &MatchView) -> u64 {
            assert!(view.seen_takes().is_empty() && view.dealt_row.is_some());
            view.position().counters()
        }

        fn ended(&mut self, end: &MatchEnd) {
            let figures = end.figures.unwrap();
            self.1.lock().unwrap().push(format!("seat {} took {}", end.info.seat, figures.takes));
        }
    }

    #[test]
    fn bots_hear_only_what_is_addressed_to_them() {
        let game = random_game(1, 3, 4, 5);
        let seats = game.matrix.seats();
        let reports = Reports::default();
        let private_message = Message::text("psst").to([seats.seat(2).unwrap()]);
        let scripts = [vec![Message::text("hello"), private_message], Vec::new(), vec![Message::text("hi")]];
        let bots = scripts.map(|script| Box::new(Scripted(script, Arc::clone(&reports))) as Box<dyn Bot>);
        let mut local = talking_match(&game, &DealRule::All);
        local.play_to_end(&mut bots.into_iter().collect::<Vec<_>>().try_into().ok().unwrap()).unwrap();
        let heard = [
            "seat 0 after round R: 0: hello, 0: psst, 2: hi",
            "seat 1 after round R: 0: hello, 2: hi",
            "seat 2 after round R: 0: hello, 0: psst, 2: hi",
        ];
        let mut expected: Vec<String> =
            (0..3).flat_map(|round| heard.map(|line| line.replace('R', &round.to_string()))).collect();
        expected.extend(["seat 0 took 2", "seat 1 took 1", "seat 2 took 1"].map(str::to_owned));
        assert_eq!(*reports.lock().unwrap(), expected);
    }

    #[test]
    fn the_referee_refuses_what_it_refuses_on_a_server() {
        let game = random_game(1, 3, 4, 5);
        let mut local = talking_match(&game, &DealRule::All);
        let first = Seat::FIRST;
        assert!(local.view(lastnim_client::TakeFeed::All).is_none(), "nobody is to move yet");
        let refused = local.talk(first, &[Message::text("")]).unwrap_err();
        assert_eq!(refused.to_string(), "seat 0: a text of 0 characters: expected 1 to 500");
        let refused = local.talk(first, &[(); 5].map(|()| Message::text("x"))).unwrap_err();
        assert_eq!(refused.to_string(), "seat 0: seat 0 has sent 4 messages in round 0, the maximum");
        let refused = local.take(1, None).unwrap_err();
        assert!(refused.to_string().starts_with("seat 0: "), "{refused}");
    }
}
