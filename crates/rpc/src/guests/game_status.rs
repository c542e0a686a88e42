//! The status of a game, as shown to its player.

use lastnim_proto::MatchEvent;

/// The status of a game, as known to its player's session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GameStatus {
    /// A number that grows with each event, so that a page can wait for newer events. A session starts with the time in
    /// microseconds, which is greater than the revisions of all earlier sessions.
    pub revision: u64,
    /// The ply at which the player must move, if it is the player's turn.
    pub own_turn: Option<u32>,
    /// Whether all rows are known.
    pub is_revealed: bool,
    /// Whether the match is over.
    pub is_over: bool,
    /// The refusal of the player's last action; `None` if it was accepted.
    pub refusal: Option<GameRefusal>,
    /// The number of refusals so far.
    pub refusals: u64,
}

/// Why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRefusal {
    /// The message for the player.
    pub message: String,
    /// Strikes so far.
    pub strikes: u32,
    /// Strikes left before the seat is forfeited.
    pub strikes_left: u32,
}

impl GameStatus {
    /// Creates the status of a game without events.
    pub(super) fn with_revision(revision: u64) -> Self {
        Self { revision, ..Self::default() }
    }

    /// Applies an event.
    pub(super) fn apply(&mut self, event: &MatchEvent) {
        self.revision += 1;
        match event {
            MatchEvent::Turn(turn) => self.own_turn = Some(turn.ply),
            MatchEvent::Snapshot(snapshot) => {
                self.own_turn = snapshot.turn.as_ref().map(|turn| turn.ply);
                self.is_revealed = snapshot.matrix.is_some();
            }
            MatchEvent::Refused(refusal) => {
                self.refusals += 1;
                self.refusal = Some(GameRefusal {
                    message: refusal.message.clone(),
                    strikes: refusal.strikes,
                    strikes_left: refusal.strikes_left,
                });
            }
            // An accepted action clears the refusal.
            MatchEvent::Declared { .. } => self.refusal = None,
            MatchEvent::Took { ply, .. } => {
                // Takes of other seats must not clear the refusal before the player has read it.
                if self.own_turn == Some(*ply) {
                    self.refusal = None;
                }
                self.own_turn = self.own_turn.filter(|own| own > ply);
            }
            MatchEvent::Ended { .. } | MatchEvent::MissedEnd(_) => {
                self.is_over = true;
                self.own_turn = None;
            }
            MatchEvent::Revealed(_) => self.is_revealed = true,
            MatchEvent::Started { .. }
            | MatchEvent::TalkAccepted { .. }
            | MatchEvent::Heard { .. }
            | MatchEvent::Forfeited { .. } => {}
        }
    }

    /// Returns whether the player's action at `ply` was answered: it was refused, the player has a turn at a later ply,
    /// or the match is over. `refusals` is the number of refusals before the action.
    pub fn has_answered(&self, ply: u32, refusals: u64) -> bool {
        self.is_over || self.refusals > refusals || self.own_turn.is_some_and(|own| own > ply)
    }
}
