//! How a hand stands, as far as the session of its player has heard.

use lastnim_proto::MatchEvent;

/// How a hand stands, as far as the session of its player has heard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandStatus {
    /// Grows with all that is heard, so that a page can wait for more. A session begins with the time in microseconds, and so above all earlier ones.
    pub revision: u64,
    /// The ply at which the player is to move, if so.
    pub own_turn: Option<u32>,
    /// Whether all rows are known.
    pub is_revealed: bool,
    /// Whether the match is over.
    pub is_over: bool,
    /// Why what the player did last was refused, if it was.
    pub refusal: Option<HandRefusal>,
    /// How much the player was refused so far.
    pub refusals: u64,
}

/// Why something that a player did was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandRefusal {
    /// Why, in words.
    pub message: String,
    /// Strikes so far.
    pub strikes: u32,
    /// Strikes until the seat is forfeited.
    pub strikes_left: u32,
}

impl HandStatus {
    /// Makes the status of a hand of which nothing was heard yet.
    pub(super) fn with_revision(revision: u64) -> Self {
        Self { revision, ..Self::default() }
    }

    /// Takes an event in.
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
                self.refusal = Some(HandRefusal {
                    message: refusal.message.clone(),
                    strikes: refusal.strikes,
                    strikes_left: refusal.strikes_left,
                });
            }
            // What was refused is settled by what counts.
            MatchEvent::Declared { .. } => self.refusal = None,
            MatchEvent::Took { ply, .. } => {
                // Others take as well before the player has read why.
                if self.own_turn == Some(*ply) {
                    self.refusal = None;
                }
                self.own_turn = self.own_turn.filter(|own| own > ply);
            }
            MatchEvent::Ended { .. } | MatchEvent::EndedUnheard(_) => {
                self.is_over = true;
                self.own_turn = None;
            }
            MatchEvent::Revealed(_) => self.is_revealed = true,
            MatchEvent::Started { .. } | MatchEvent::Forfeited { .. } => {}
        }
    }

    /// Returns whether what a player did at a ply has been answered: others have moved in between, it was refused, or the match is over. `refusals` is how much
    /// was refused before.
    pub fn answers(&self, ply: u32, refusals: u64) -> bool {
        self.is_over || self.refusals > refusals || self.own_turn.is_some_and(|own| own > ply)
    }
}
