//! Claims of rows in talk.

use lastnim_client::{MatchInfo, Message, TalkRound};
use lastnim_core::game::Row;

/// Returns the claim of a row to everyone, if this is the first round and a private row was dealt to the bot. In other
/// rounds and matches, the bot does not talk.
pub(super) fn claim_once(round: &TalkRound, row: impl FnOnce(&MatchInfo) -> Row) -> Option<Vec<Message>> {
    let claims = round.round() == 0 && round.dealt_row.is_some();
    claims.then(|| vec![Message::claim(row(round.info()))])
}
