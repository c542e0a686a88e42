//! Sends events about the bot's tournaments, and waits for the bot to exit after the end.

use super::{ScenarioResult, Stage, event_of};
use crate::{bot_session::Inbound, stage::FIRST_MATCH_MS};
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use tokio::time::{Instant, timeout_at};

impl Stage {
    /// Accepts the bot's request to join. `state` is the state of the tournament in the answer.
    pub(crate) fn send_joined(&mut self, state: pb::TournamentState) {
        let joined = self.joined_tournament(state);
        self.send(event_of(pb::play_response::Event::JoinedTournament(Box::new(joined))));
    }

    /// Creates the answer that accepts the bot's request to join.
    pub(crate) fn joined_tournament(&self, state: pb::TournamentState) -> pb::JoinedTournament {
        let settings = pb::TournamentSettings {
            title: "conformance".to_owned(),
            seats: 2,
            ending: pb::Ending::ToMoveWins.into(),
            alliance: pb::AllianceMode::Declared.into(),
            scoring: pb::Scoring::Win.into(),
            strikes: 3,
            max_plies: 10_000,
            methods: 2,
            ..Default::default()
        };
        let tournament = pb::Tournament {
            id: self.tournament.to_string(),
            settings: Some(settings),
            state: state.into(),
            field: vec![self.name.to_string(), "rival-1".to_owned()],
            ..Default::default()
        };
        pb::JoinedTournament { tournament: Some(tournament) }
    }

    /// Sends the event that a tournament has ended.
    pub(crate) fn send_tournament_end(&mut self, whose: EndedTournament) {
        let id = match whose {
            EndedTournament::Bot => self.tournament,
            EndedTournament::Other => other_tournament(),
        };
        let standing = pb::Standing {
            place: 1,
            bot: self.name.to_string(),
            points: 1.0,
            matches: self.matches_begun as u32,
            wins: 1,
            ..Default::default()
        };
        let ended = pb::TournamentEnded {
            tournament_id: id.to_string(),
            title: "conformance".to_owned(),
            state: pb::TournamentState::Finished.into(),
            standing: Some(standing),
            bots: 2,
        };
        self.send(event_of(pb::play_response::Event::TournamentEnded(Box::new(ended))));
    }

    /// Announces that a ladder has suspended the bot.
    pub(crate) fn send_suspended(&mut self, reason: i32) {
        let suspended = pb::Suspended {
            tournament_id: other_tournament().to_string(),
            reason,
            message: "the seat was lost in 5 matches in a row: join again to return".to_owned(),
            from_round: 6,
            lost: 5,
            no_shows: 0,
            last: 4,
        };
        self.send(event_of(pb::play_response::Event::Suspended(suspended)));
    }

    /// Waits until the program exits, and checks its exit status. If the bot closes its session first, the server
    /// closes it as well, as the real server does.
    pub(crate) async fn await_exit(&mut self) -> ScenarioResult {
        let expected = format!("the program exits with status 0 within {} s", self.patience.as_secs());
        let deadline = Instant::now() + self.patience;
        let end = loop {
            let inbound = async {
                match &mut self.session {
                    Some(session) => session.next_inbound().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                inbound = inbound => {
                    if !matches!(inbound, Inbound::Request(_)) {
                        self.session = None;
                    }
                }
                end = timeout_at(deadline, self.bot.wait_until_ended()) => break end,
            }
        };
        match end {
            Ok(end) if end.is_success => Ok(()),
            Ok(end) => Err(self.failure(expected, format!("the program ended ({})", end.description))),
            Err(_) => Err(self.failure(expected, "it is still running")),
        }
    }
}

/// Returns the id of a tournament other than the one in the bot's environment.
fn other_tournament() -> TournamentId {
    TournamentId::new(FIRST_MATCH_MS, &[9; 10])
}

/// The tournament whose end is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedTournament {
    /// The tournament in the bot's environment.
    Bot,
    /// Another tournament in which the bot plays.
    Other,
}
