//! The addresses of what an organiser does.

use super::tournament_action::TournamentAction;
use lastnim_core::game::TournamentId;
use std::fmt;

/// What an organiser does. Each shows a form, or takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OrganiseAddress {
    /// Sees what there is to do.
    Overview,
    /// Types the admin's token.
    SignIn,
    /// Ends the session.
    SignOut,
    /// Creates a tournament.
    NewTournament,
    /// Begins an exhibition.
    NewMatch,
    /// Looks after a tournament.
    Tournament(TournamentId),
    /// Does something to a tournament.
    Act(TournamentId, TournamentAction),
    /// Voids matches of a tournament.
    VoidMatches(TournamentId),
    /// Registers bots.
    Bots,
    /// Replaces the token of a bot.
    RotateToken,
    /// Removes a bot.
    RemoveBot,
}

impl OrganiseAddress {
    /// Reads the segments of a path behind the first.
    ///
    /// # Errors
    /// Says what is not there.
    pub(crate) fn parse(segments: &[&str]) -> Result<Self, String> {
        let tournament =
            |id: &str| id.parse::<TournamentId>().map_err(|error| format!("tournament {id:?}: {error}"));
        match segments {
            [] => Ok(Self::Overview),
            ["sign-in"] => Ok(Self::SignIn),
            ["sign-out"] => Ok(Self::SignOut),
            ["new-tournament"] => Ok(Self::NewTournament),
            ["new-match"] => Ok(Self::NewMatch),
            ["tournaments", id] => Ok(Self::Tournament(tournament(id)?)),
            ["tournaments", id, "void"] => Ok(Self::VoidMatches(tournament(id)?)),
            ["tournaments", id, name] => {
                let id = tournament(id)?;
                let action = TournamentAction::ALL.into_iter().find(|action| action.name() == *name);
                let action =
                    action.ok_or_else(|| format!("nothing named {name:?} can be done to a tournament"))?;
                Ok(Self::Act(id, action))
            }
            ["bots"] => Ok(Self::Bots),
            ["bots", "rotate"] => Ok(Self::RotateToken),
            ["bots", "remove"] => Ok(Self::RemoveBot),
            _ => Err("nothing has this address".to_owned()),
        }
    }

    /// Returns one of each kind.
    #[cfg(test)]
    pub(crate) fn examples() -> Vec<Self> {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse::<TournamentId>().unwrap();
        let mut examples = vec![Self::Overview, Self::SignIn, Self::SignOut, Self::NewTournament];
        examples.extend([Self::Tournament(id), Self::VoidMatches(id)]);
        examples.extend([Self::NewMatch, Self::Bots, Self::RotateToken, Self::RemoveBot]);
        examples.extend(TournamentAction::ALL.map(|action| Self::Act(id, action)));
        examples
    }
}

impl fmt::Display for OrganiseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overview => f.write_str("/organise"),
            Self::SignIn => f.write_str("/organise/sign-in"),
            Self::SignOut => f.write_str("/organise/sign-out"),
            Self::NewTournament => f.write_str("/organise/new-tournament"),
            Self::NewMatch => f.write_str("/organise/new-match"),
            Self::Tournament(id) => write!(f, "/organise/tournaments/{id}"),
            Self::Act(id, action) => write!(f, "/organise/tournaments/{id}/{}", action.name()),
            Self::VoidMatches(id) => write!(f, "/organise/tournaments/{id}/void"),
            Self::Bots => f.write_str("/organise/bots"),
            Self::RotateToken => f.write_str("/organise/bots/rotate"),
            Self::RemoveBot => f.write_str("/organise/bots/remove"),
        }
    }
}
