//! The addresses of hands that are played in the browser.

use crate::forms::{SameSite, SiteCookie};
use lastnim_core::game::{MatchId, TournamentId};
use std::fmt;

/// The cookie by which a guest is known. It comes along with a link of another site, since where a browser does not say that it follows one (over plain http) a new cookie
/// would take its place, and the guest's hands would be lost. Such a link changes nothing: only forms do, which this server's own pages send.
pub(crate) static PLAY_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_guest", path: "/play", same_site: SameSite::Lax };
/// The cookie by which a browser is signed in with the token of a bot; before that, it only belongs to the form. All pages get it: whoever has the seats of a bot
/// reads as that bot.
pub(crate) static PLAYER_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_bot", path: "/", same_site: SameSite::Strict };

/// Where a hand is begun or played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayAddress {
    /// Where opponents and piles are chosen.
    NewHand,
    /// A hand of the visitor. With `since` the answer waits until something else has happened than the page with this number shows.
    Hand { id: MatchId, since: Option<u64> },
    /// The matches of the bot as which the visitor plays; `since` is as for a hand.
    BotSeats { since: Option<u64> },
    /// Types the token of a bot, and takes its seats.
    BotSignIn,
    /// Takes its seats again, which another session has taken.
    RetakeSeats,
    /// Leaves them.
    BotSignOut,
    /// Enters the bot into a tournament, or takes it out.
    ChangeField(TournamentId, FieldAction),
    /// A hand of the bot as which the visitor plays; `since` is as for other hands.
    BotHand { id: MatchId, since: Option<u64> },
}

/// What a bot does to the field of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldAction {
    /// It enters.
    Join,
    /// It leaves.
    Leave,
}

impl PlayAddress {
    /// Reads the segments of a path behind the first, and what `since` is in the query.
    ///
    /// # Errors
    /// Says what is not there.
    pub(crate) fn parse(segments: &[&str], since: Option<&str>) -> Result<Self, String> {
        let match_id = |id: &str| id.parse().map_err(|error| format!("match {id:?}: {error}"));
        let number = |since: &str| {
            since.parse().map_err(|_| format!("since {since:?}: expected a whole number from 0 on"))
        };
        let since = || since.map(number).transpose();
        match segments {
            [] => Ok(Self::NewHand),
            ["bot"] => Ok(Self::BotSeats { since: since()? }),
            ["bot", "sign-in"] => Ok(Self::BotSignIn),
            ["bot", "sign-out"] => Ok(Self::BotSignOut),
            ["bot", "take-seats"] => Ok(Self::RetakeSeats),
            ["bot", "tournaments", id, action @ ("join" | "leave")] => {
                let id = id.parse().map_err(|error| format!("tournament {id:?}: {error}"))?;
                let action = if *action == "join" { FieldAction::Join } else { FieldAction::Leave };
                Ok(Self::ChangeField(id, action))
            }
            ["bot", id] => Ok(Self::BotHand { id: match_id(id)?, since: since()? }),
            [id] => Ok(Self::Hand { id: match_id(id)?, since: since()? }),
            _ => Err("nothing has this address".to_owned()),
        }
    }

    /// Returns one of each kind.
    #[cfg(test)]
    pub(crate) fn examples() -> Vec<Self> {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        let mut examples = vec![Self::NewHand, Self::BotSignIn, Self::BotSignOut, Self::RetakeSeats];
        let tournament = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        examples.extend(
            [FieldAction::Join, FieldAction::Leave].map(|action| Self::ChangeField(tournament, action)),
        );
        for since in [None, Some(7)] {
            examples.extend([
                Self::Hand { id, since },
                Self::BotSeats { since },
                Self::BotHand { id, since },
            ]);
        }
        examples
    }
}

impl PlayAddress {
    /// Returns the cookie that belongs to it.
    pub(crate) fn cookie(&self) -> &'static SiteCookie {
        match self {
            Self::NewHand | Self::Hand { .. } => &PLAY_COOKIE,
            Self::BotSeats { .. }
            | Self::BotSignIn
            | Self::BotSignOut
            | Self::RetakeSeats
            | Self::ChangeField(..)
            | Self::BotHand { .. } => &PLAYER_COOKIE,
        }
    }

    /// Returns the number that the page shows which asks what has happened since.
    pub(super) fn since(&self) -> Option<u64> {
        match self {
            Self::Hand { since, .. } | Self::BotSeats { since } | Self::BotHand { since, .. } => *since,
            Self::NewHand
            | Self::BotSignIn
            | Self::RetakeSeats
            | Self::BotSignOut
            | Self::ChangeField(..) => None,
        }
    }

    /// Returns its path, and its query without the question mark.
    pub(crate) fn path_and_query(&self) -> (String, String) {
        let (path, since) = match self {
            Self::NewHand => ("/play".into(), None),
            Self::Hand { id, since } => (format!("/play/{id}"), *since),
            Self::BotSeats { since } => ("/play/bot".into(), *since),
            Self::BotSignIn => ("/play/bot/sign-in".into(), None),
            Self::BotSignOut => ("/play/bot/sign-out".into(), None),
            Self::RetakeSeats => ("/play/bot/take-seats".into(), None),
            Self::ChangeField(id, FieldAction::Join) => (format!("/play/bot/tournaments/{id}/join"), None),
            Self::ChangeField(id, FieldAction::Leave) => (format!("/play/bot/tournaments/{id}/leave"), None),
            Self::BotHand { id, since } => (format!("/play/bot/{id}"), *since),
        };
        (path, since.map(|since| format!("since={since}")).unwrap_or_default())
    }
}

impl fmt::Display for PlayAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, query) = self.path_and_query();
        if query.is_empty() { f.write_str(&path) } else { write!(f, "{path}?{query}") }
    }
}
