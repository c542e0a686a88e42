//! The trait of bots that answer one question at a time.

use super::{MatchEnd, MatchInfo, MatchView, Message, Refusal, Suspension, TalkRound, TournamentEnd};
use lastnim_core::game::Row;
use lastnim_proto::TakeFeed;

/// A bot that plays Last Nim.
///
/// Methods are called one at a time on the bot's own thread, and may take as long as the match's clock allows. The view
/// contains everything that a take depends on, so a bot need not remember anything.
pub trait Bot: Send + 'static {
    /// Returns which takes the bot receives; by default, only its own takes. Called once, before the first session.
    ///
    /// With [`TakeFeed::All`], [`MatchView::seen_takes`] has the takes of all seats, for bots that adapt to the play of
    /// others.
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::OwnTurns
    }

    /// Returns the messages to send in a round of talk, at most four; `None`, the default, to declare at once, so that
    /// the bot sends nothing in later rounds either.
    ///
    /// Called at the beginning of each round, if the seats of the match talk. The server delivers all messages when the
    /// round ends; an invalid one is refused and costs nothing. Messages that the bot has already sent in this round,
    /// before a restart, are not sent again.
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        let _ = round;
        None
    }

    /// Called when a round of talk has ended; `game.messages` now has the messages that the bot heard in it. After a
    /// reconnect, the rounds that the bot missed are reported.
    fn heard(&mut self, game: &MatchInfo, round: u32) {
        let _ = (game, round);
    }

    /// Returns the row to declare; the default is the bot's dealt row, or the standard row if no rows are dealt.
    ///
    /// Not called if the rows are assigned.
    fn declare(&mut self, game: &MatchInfo) -> Row {
        game.honest_row()
    }

    /// Returns how many counters to take: 1 to `game.position().counters()`.
    ///
    /// A take out of range is refused and costs a strike; then the bot is asked again.
    fn play(&mut self, game: &MatchView) -> u64;

    /// Returns a hash to record with the row or take that the bot has just chosen; none by default.
    ///
    /// Called after each `declare` and `play`. The bot decides what to hash, for instance a transcript that it may
    /// publish later. Every reader of the record sees the hash.
    fn note_hash(&mut self) -> Option<[u8; 32]> {
        None
    }

    /// Called once for each match that began, after the match has ended. Ends that the bot missed while it was not
    /// connected are reported when it connects again. Some of these may belong to matches that an earlier process of
    /// the bot began; the summary does not count those.
    fn ended(&mut self, end: &MatchEnd) {
        let _ = end;
    }

    /// Called when the server has refused a request from the bot; the default logs it.
    fn refused(&mut self, refusal: &Refusal) {
        refusal.log();
    }

    /// Called when a ladder has suspended the bot, and after each reconnect while it is suspended; the default logs it.
    fn suspended(&mut self, notice: &Suspension) {
        notice.log();
    }

    /// Called when one of the bot's tournaments is over, even if it ended while the bot was not connected. After a
    /// restart, the same end may be reported again.
    fn tournament_ended(&mut self, end: &TournamentEnd) {
        let _ = end;
    }

    /// Called when a session has been opened, including after each reconnect.
    fn connected(&mut self, session: &Connected) {
        let _ = session;
    }
}

/// A session that has just been opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connected {
    /// The name of the bot that the token belongs to.
    pub bot: String,
    /// The version of the server.
    pub server_version: String,
    /// Number of the bot's open matches.
    pub open_matches: u32,
}

impl<B: Bot + ?Sized> Bot for Box<B> {
    fn take_feed(&self) -> TakeFeed {
        (**self).take_feed()
    }

    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        (**self).talk(round)
    }

    fn heard(&mut self, game: &MatchInfo, round: u32) {
        (**self).heard(game, round);
    }

    fn declare(&mut self, game: &MatchInfo) -> Row {
        (**self).declare(game)
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        (**self).play(game)
    }

    fn note_hash(&mut self) -> Option<[u8; 32]> {
        (**self).note_hash()
    }

    fn ended(&mut self, end: &MatchEnd) {
        (**self).ended(end);
    }

    fn refused(&mut self, refusal: &Refusal) {
        (**self).refused(refusal);
    }

    fn suspended(&mut self, notice: &Suspension) {
        (**self).suspended(notice);
    }

    fn tournament_ended(&mut self, end: &TournamentEnd) {
        (**self).tournament_ended(end);
    }

    fn connected(&mut self, session: &Connected) {
        (**self).connected(session);
    }
}
