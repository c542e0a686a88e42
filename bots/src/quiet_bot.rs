//! A wrapper for which refusals are no warnings.

use lastnim_client::{Bot, MatchInfo, MatchView, Message, Refusal, TakeFeed, TalkRound};
use lastnim_core::game::Row;

/// A house bot that logs refusals only as debug messages. Since it follows the rules, a refusal only means that its
/// action was late.
pub struct QuietBot(pub Box<dyn Bot>);

impl Bot for QuietBot {
    fn take_feed(&self) -> TakeFeed {
        self.0.take_feed()
    }

    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        self.0.talk(round)
    }

    fn heard(&mut self, game: &MatchInfo, round: u32) {
        self.0.heard(game, round);
    }

    fn declare(&mut self, game: &MatchInfo) -> Row {
        self.0.declare(game)
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        self.0.play(game)
    }

    fn refused(&mut self, refusal: &Refusal) {
        tracing::debug!(reason = refusal.reason.map(tracing::field::display), "{}", refusal.message);
    }
}
