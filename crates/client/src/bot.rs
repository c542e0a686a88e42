//! What a bot is.

use super::{MatchEnd, MatchInfo, MatchView, Refusal, Suspension, TournamentEnd};
use lastnim_core::game::Row;
use lastnim_proto::TakeFeed;

/// A player of Last Nim.
///
/// Its methods are called one at a time, on a thread of the bot's own, and may take as long as the clock of the match
/// allows. Everything that a take depends on is in the view: a bot needs no memory.
pub trait Bot: Send + 'static {
    /// Returns which takes the bot hears of; its own only unless overridden. It is asked once, before the first session.
    ///
    /// With [`TakeFeed::All`] the takes of all seats are in [`MatchView::seen_takes`]: a bot needs that only if how the others
    /// played changes what it does.
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::OwnTurns
    }

    /// Returns the row to declare; the standard row unless overridden.
    ///
    /// It is not asked where the rows are assigned.
    fn declare(&mut self, game: &MatchInfo) -> Row {
        Row::standard(game.seats())
    }

    /// Returns how many counters to take: 1 to `game.position().counters()`.
    ///
    /// A take outside that range is refused and costs a strike; then the bot is asked again.
    fn play(&mut self, game: &MatchView) -> u64;

    /// Returns a hash to put into the record with the row or the take that the bot has just chosen; none unless overridden.
    ///
    /// It is called after each `declare` and `play`. What is hashed, and how, is the bot's own affair: say, a transcript that
    /// it may want to show later. Everybody who reads the record sees the hash.
    fn note_hash(&mut self) -> Option<[u8; 32]> {
        None
    }

    /// Hears how a match ended; called once for each match that was begun. Where the bot was away, it hears of it when it is
    /// back: also of matches that were begun by a process before this one, which the summary does not count.
    fn ended(&mut self, end: &MatchEnd) {
        let _ = end;
    }

    /// Hears why something that it did was refused; logs it unless overridden.
    fn refused(&mut self, refusal: &Refusal) {
        refusal.log();
    }

    /// Hears that a ladder gives it no more matches, and why: when that happens, and after each reconnect; logs it unless
    /// overridden.
    fn suspended(&mut self, notice: &Suspension) {
        notice.log();
    }

    /// Hears that a tournament in which it played is over, perhaps while it was away; a process that is started anew may hear of
    /// it again.
    fn tournament_ended(&mut self, end: &TournamentEnd) {
        let _ = end;
    }

    /// Hears that a session was opened, at first and after each reconnect.
    fn connected(&mut self, session: &Connected) {
        let _ = session;
    }
}

/// An open session, as the server welcomed it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connected {
    /// The name of the bot whose token was given.
    pub bot: String,
    /// The version of the server.
    pub server_version: String,
    /// How many of the bot's matches are under way.
    pub open_matches: u32,
}

impl<B: Bot + ?Sized> Bot for Box<B> {
    fn take_feed(&self) -> TakeFeed {
        (**self).take_feed()
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
