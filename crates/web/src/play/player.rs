//! Who plays a hand in the browser.

use crate::address::{BotPlayAddress, FormAddress, PlayAddress};
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_arena::{OpenSeat, guest_name};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::SeatAction;
use lastnim_rpc::HandStatus;
use std::time::{Duration, Instant};
use tonic::Status;

/// Who plays a hand in the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Player {
    /// Somebody without an account, under this name.
    Guest(BotName),
    /// Somebody who holds the token of this bot.
    Bot(BotName),
}

/// Returns the visitor as a guest.
pub(super) fn guest_of_visitor(visitor: &Visitor) -> Result<BotName, Status> {
    let secret = visitor.secret().ok_or_else(|| Status::internal("this page has no cookie"))?;
    Ok(guest_name(secret.hash().as_bytes()))
}

/// Returns a visitor who is signed in with the token of a bot, as somebody who shows it, and the bot. A token that is void by now signs nobody in.
pub(super) fn seated_visitor(site: &Site, visitor: &Visitor) -> Option<(Visitor, BotName)> {
    let (secret, now) = (visitor.secret()?, Instant::now());
    let seated = visitor.with_authorization(site.players.authorization_of(secret, now)?);
    let bot = site.bot_hands.bot_of_request(&seated.request(()));
    bot.inspect_err(|_| site.players.end(secret, now)).ok().map(|bot| (seated, bot))
}

impl Player {
    /// Returns the name in matches.
    pub(super) fn name(&self) -> &BotName {
        match self {
            Self::Guest(name) | Self::Bot(name) => name,
        }
    }

    /// Returns where a hand is played.
    pub(super) fn hand_address(&self, id: MatchId) -> FormAddress {
        match self {
            Self::Guest(_) => FormAddress::Play(PlayAddress::Hand { id, since: None }),
            Self::Bot(_) => FormAddress::BotPlay(BotPlayAddress::Hand { id, since: None }),
        }
    }

    /// Returns how a hand stands, as far as the player's session has heard.
    ///
    /// # Errors
    /// If a guest gets no session.
    pub(super) fn hand_status(&self, site: &Site, id: MatchId) -> Result<HandStatus, Status> {
        match self {
            Self::Guest(guest) => site.guests.hand_status(guest, id),
            Self::Bot(bot) => Ok(site.bot_hands.hand_status(bot, id)),
        }
    }

    /// Waits until the status of a hand is as it should be, the session is over, or the time is.
    ///
    /// # Errors
    /// If a guest gets no session.
    pub(super) async fn wait_for_status(
        &self,
        site: &Site,
        id: MatchId,
        within: Duration,
        is_enough: impl FnMut(&HandStatus) -> bool,
    ) -> Result<(), Status> {
        match self {
            Self::Guest(guest) => site.guests.wait_for_status(guest, id, within, is_enough).await,
            Self::Bot(bot) => {
                site.bot_hands.wait_for_status(bot, id, within, is_enough).await;
                Ok(())
            }
        }
    }

    /// Returns whether a session of the player hears what happens. That of a guest is opened where it is needed.
    pub(super) fn has_session(&self, site: &Site) -> bool {
        match self {
            Self::Guest(_) => true,
            Self::Bot(bot) => site.bot_hands.revision(bot).is_some(),
        }
    }

    /// Does something in a match.
    ///
    /// # Errors
    /// If the match is over, or no session carries it.
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
            Self::Bot(_) => site.bot_hands.act(&request, id, action).await,
        }
    }

    /// Returns the player's seat in an open match; `None` if there is none, or the match is over. It waits for nobody, whatever is read meanwhile.
    ///
    /// # Errors
    /// If the visitor may not look.
    pub(super) fn open_seat(
        &self,
        site: &Site,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<Option<OpenSeat>, Status> {
        match self {
            Self::Guest(guest) => site.guests.open_seat(&visitor.request(()), guest, id),
            Self::Bot(bot) => Ok(site.bot_hands.open_seat(bot, id)),
        }
    }
}
