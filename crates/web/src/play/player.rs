//! The player of a game in the browser.

use crate::address::{BotPlayAddress, FormAddress, PlayAddress};
use crate::site::Site;
use crate::site_cookies::PLAYER_COOKIE;
use crate::visitor::Visitor;
use lastnim_arena::{OpenSeat, guest_name};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::SeatAction;
use lastnim_rpc::GameStatus;
use std::time::{Duration, Instant};
use tonic::Status;

/// The player of a game in the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Player {
    /// A guest, under this name.
    Guest(BotName),
    /// A person with the token of this bot.
    Bot(BotName),
}

/// Returns the guest name of a visitor.
pub(super) fn visitor_guest_name(visitor: &Visitor) -> Result<BotName, Status> {
    let secret = visitor.secret().ok_or_else(|| Status::internal("this page sets no visitor cookie"))?;
    Ok(guest_name(secret.hash().as_bytes()))
}

/// A visitor who is signed in as a bot.
#[derive(Debug)]
pub(super) struct BotVisitor {
    /// The visitor, with the bot's token.
    pub as_bot: Visitor,
    pub bot: BotName,
    /// When the sign-in expires.
    pub until: Instant,
}

impl BotVisitor {
    /// Returns the visitor as the bot that they signed in as; `None` if they are not signed in as a bot, or the bot's
    /// token is no longer valid.
    pub(super) fn of_visitor(site: &Site, visitor: &Visitor) -> Option<Self> {
        let (secret, now) = (visitor.secret()?, site.now());
        let sign_in = site.sign_ins.open(&PLAYER_COOKIE, secret, now)?;
        let as_bot = visitor.with_authorization(sign_in.authorization);
        let Ok(bot) = site.bot_games.bot_of_request(&as_bot.request(())) else {
            site.sign_ins.end(&PLAYER_COOKIE, secret, now);
            return None;
        };
        Some(Self { as_bot, bot, until: sign_in.end.at() })
    }
}

impl Player {
    /// Returns the name in matches.
    pub(super) fn name(&self) -> &BotName {
        match self {
            Self::Guest(name) | Self::Bot(name) => name,
        }
    }

    /// Returns the address of a game.
    pub(super) fn game_address(&self, id: MatchId) -> FormAddress {
        match self {
            Self::Guest(_) => FormAddress::Play(PlayAddress::Game { id, since: None }),
            Self::Bot(_) => FormAddress::BotPlay(BotPlayAddress::Game { id, since: None }),
        }
    }

    /// Returns the status of a game according to the player's session.
    ///
    /// # Errors
    /// If a guest gets no session.
    pub(super) fn game_status(&self, site: &Site, id: MatchId) -> Result<GameStatus, Status> {
        match self {
            Self::Guest(guest) => site.guests.game_status(guest, id),
            Self::Bot(bot) => Ok(site.bot_games.game_status(bot, id)),
        }
    }

    /// Waits until the status of the game meets a condition, the session ends, or the time is up.
    ///
    /// # Errors
    /// If a guest gets no session.
    pub(super) async fn wait_for_status(
        &self,
        site: &Site,
        id: MatchId,
        within: Duration,
        is_enough: impl FnMut(&GameStatus) -> bool,
    ) -> Result<(), Status> {
        match self {
            Self::Guest(guest) => site.guests.wait_for_status(guest, id, within, is_enough).await,
            Self::Bot(bot) => {
                site.bot_games.wait_for_status(bot, id, within, is_enough).await;
                Ok(())
            }
        }
    }

    /// Returns whether the player has a session. A guest's session is opened when it is needed.
    pub(super) fn has_session(&self, site: &Site) -> bool {
        match self {
            Self::Guest(_) => true,
            Self::Bot(bot) => site.bot_games.revision(bot).is_some(),
        }
    }

    /// Sends an action to a match.
    ///
    /// # Errors
    /// If the visitor has no read access, the match is over, or the player has no session.
    pub(super) async fn act(
        &self,
        site: &Site,
        visitor: &Visitor,
        id: MatchId,
        action: SeatAction,
    ) -> Result<(), Status> {
        let request = visitor.request(());
        match self {
            Self::Guest(guest) => site.guests.act(&request, guest, id, action).await,
            Self::Bot(_) => site.bot_games.act(&request, id, action).await,
        }
    }

    /// Returns the player's seat in an open match, if there is one. It never waits for other reads.
    ///
    /// # Errors
    /// If the visitor has no read access.
    pub(super) fn open_seat(
        &self,
        site: &Site,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<Option<OpenSeat>, Status> {
        match self {
            Self::Guest(guest) => site.guests.open_seat(&visitor.request(()), guest, id),
            Self::Bot(bot) => Ok(site.bot_games.open_seat(bot, id)),
        }
    }
}
