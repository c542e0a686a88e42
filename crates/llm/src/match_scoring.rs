//! The scoring of a match, as prompts describe it.

use lastnim_client::{
    Authorization, Error, Options, Origin, ServerAddress, connect, fetch_scoring, token_authorization,
};
use lastnim_core::game::TournamentId;
use lastnim_tournament::Scoring;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::timeout;

/// The time limit for asking the server for the scoring of a tournament.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);

/// The scoring of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchScoring {
    /// The match belongs to a tournament with this scoring.
    Of(Scoring),
    /// The match does not belong to a tournament.
    Unscored,
    /// The match belongs to a tournament whose scoring is not known.
    Unknown,
}

impl MatchScoring {
    /// All kinds of scoring.
    pub const ALL: [Self; 4] =
        [Self::Of(Scoring::Win), Self::Of(Scoring::Satisfaction), Self::Unscored, Self::Unknown];

    /// Returns the name of the scoring in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Of(Scoring::Win) => "win",
            Self::Of(Scoring::Satisfaction) => "satisfaction",
            Self::Unscored => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// The scorings of tournaments on a server; the server is asked once for each.
#[derive(Debug)]
pub struct ScoringLookup {
    server: ServerAddress,
    authorization: Authorization,
    known: Mutex<HashMap<TournamentId, Scoring>>,
}

impl ScoringLookup {
    /// Creates a lookup on the server on which a bot plays, with the token of the bot.
    ///
    /// # Errors
    /// If the token is invalid.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let authorization = token_authorization(&options.token)?;
        Ok(Self { server: options.server.clone(), authorization, known: Mutex::default() })
    }

    /// Returns the scoring of a tournament. A failure is logged, and the next question asks again.
    async fn scoring_of_tournament(&self, id: TournamentId) -> MatchScoring {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&id).copied();
        if let Some(scoring) = known {
            return MatchScoring::Of(scoring);
        }
        let tournament = id.to_string();
        let asked = async {
            let channel = connect(self.server.clone()).await?;
            fetch_scoring(channel, self.authorization.clone(), &tournament).await
        };
        let why = match timeout(LOOKUP_TIMEOUT, asked).await {
            Ok(Ok(scoring)) => {
                self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(id, scoring);
                return MatchScoring::Of(scoring);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {} s", LOOKUP_TIMEOUT.as_secs()),
        };
        tracing::warn!(
            tournament,
            why,
            "cannot look up the scoring of the tournament, so the prompt leaves it out"
        );
        MatchScoring::Unknown
    }
}

/// The source from which a bot learns the scoring of its matches.
#[derive(Debug)]
pub enum ScoringSource {
    /// Nowhere: only matches without a tournament are known to be unscored.
    Unavailable,
    /// All matches have this scoring.
    Fixed(Scoring),
    /// The server is asked for the scoring of each tournament.
    Server(ScoringLookup),
}

impl ScoringSource {
    /// Returns the scoring of a match, by its tournament.
    pub async fn scoring_of_match(&self, origin: Option<&Origin>) -> MatchScoring {
        match (self, origin) {
            (Self::Fixed(scoring), _) => MatchScoring::Of(*scoring),
            (_, None) => MatchScoring::Unscored,
            (Self::Unavailable, Some(_)) => MatchScoring::Unknown,
            (Self::Server(lookup), Some(origin)) => lookup.scoring_of_tournament(origin.tournament).await,
        }
    }
}
