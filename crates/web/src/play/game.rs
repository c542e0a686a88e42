//! A game of a person against bots.

use super::player::Player;
use crate::match_page::Seats;
use crate::replay::Replay;
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_arena::OpenSeat;
use lastnim_core::game::MatchId;
use lastnim_proto::pb::{self, record_event::Event};
use lastnim_rpc::GameStatus;
use tonic::Status;

/// A game of a person against bots.
#[derive(Debug)]
pub(super) struct PlayerGame {
    /// The match.
    pub id: MatchId,
    /// Who plays it.
    pub player: Player,
    /// The player's seat.
    pub seat: usize,
    /// The match as the service returns it, with the audit once it is over.
    pub shown: pb::GetMatchResponse,
    /// The match ply by ply.
    pub replay: Box<Replay>,
    /// The player's strikes.
    pub strikes: u32,
    /// The status according to the player's session.
    pub status: GameStatus,
    /// Whether the player has a session.
    pub has_session: bool,
    /// The player's seat while the match is open.
    pub open_seat: Option<OpenSeat>,
    /// The names of the seats, with "you" for the player's.
    pub names: Seats,
}

impl PlayerGame {
    /// Reads a game of a player.
    ///
    /// # Errors
    /// If there is no such match, the player has no seat in it, or its record cannot be read.
    pub(super) async fn load(
        site: &Site,
        visitor: &Visitor,
        player: Player,
        id: MatchId,
    ) -> Result<Self, Status> {
        let seat_of = |shown: &pb::GetMatchResponse| {
            let setup = shown.r#match.as_ref()?.setup.as_ref()?;
            setup.bots.iter().position(|bot| bot == player.name().as_str())
        };
        let first = site.get_match(visitor, id).await?;
        let seat = seat_of(&first).ok_or_else(|| {
            let who = match &player {
                Player::Guest(_) => "this game belongs to another player".to_owned(),
                Player::Bot(bot) => format!("the bot {bot} has no seat in this match"),
            };
            Status::permission_denied(format!("{who}: watch it at /matches/{id}"))
        })?;
        // The status is read before the record, so the next update shows events that arrive in between.
        let status = player.game_status(site, id)?;
        let record = site.get_record(visitor, id).await?;
        let replay_and_count = move || {
            let is_own_strike = |event: &&pb::RecordEvent| matches!(&event.event, Some(Event::Struck(struck)) if struck.seat as usize == seat);
            let strikes = record.events.iter().filter(is_own_strike).count() as u32;
            Replay::of_record(&record).map(|replay| (Box::new(replay), strikes))
        };
        let (replay, strikes) = site
            .run_slow_work(visitor, replay_and_count)
            .await?
            .ok_or_else(|| Status::data_loss("the record of this match has no first event"))?;
        // If the match has just ended, it has an audit now.
        let shown = if replay.end.is_some() && first.audit.is_none() {
            site.get_match(visitor, id).await?
        } else {
            first
        };
        let open_seat = player.open_seat(site, visitor, id)?;
        let has_session = player.has_session(site);
        let names = Seats::of_setup(&replay.setup).with_own_seat(seat);
        Ok(Self { id, player, seat, shown, replay, strikes, status, has_session, open_seat, names })
    }

    /// Returns whether a guest plays it.
    pub(super) fn is_guest_game(&self) -> bool {
        matches!(self.player, Player::Guest(_))
    }

    pub(super) fn is_over(&self) -> bool {
        self.replay.end.is_some()
    }

    /// Returns why the player lost its seat, if it did.
    pub(super) fn forfeit_reason(&self) -> Option<pb::ForfeitReason> {
        let lost = self.replay.forfeits.iter().find(|(_, lost)| lost.seat as usize == self.seat)?;
        Some(lost.1.reason())
    }

    /// Returns whether rows are still being declared.
    pub(super) fn is_declaring(&self) -> bool {
        self.replay.rows.is_empty() && self.replay.setup.assigned.is_none() && !self.is_over()
    }

    /// Returns whether it is the player's turn. If the record ends at another seat's turn, the session may already be
    /// at a ply that the record does not have yet.
    pub(super) fn is_awaited(&self) -> bool {
        let is_own_turn = || {
            let position = self.replay.position_after(self.replay.ply_count());
            position.is_some_and(|position| position.to_move().index() == self.seat)
        };
        self.forfeit_reason().is_none()
            && self.open_seat.is_some_and(|open| open.is_awaited)
            && (self.is_declaring() || is_own_turn())
    }
}
