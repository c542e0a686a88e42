//! The tournaments of a bot that is played by hand.

use super::bot_seats::bot_seats_page_with;
use crate::address::{BotPlayAddress, FieldAction, PageAddress};
use crate::confirmation::{Confirmation, confirmation_page, is_confirmed, withdrawal_text};
use crate::forms::{FormFields, FormToken};
use crate::page_refusal::with_refusal;
use crate::refusal_words::without_id;
use crate::response::{PageResponse, form_status, redirect_response};
use crate::site::Site;
use crate::trail::Crumb;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::pb::{self, verdict::Verdict};
use lastnim_report::render::write_template;
use lastnim_report::words::count_with_noun;
use pb::tournament_service_server::TournamentService as _;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// The number of tournaments of one state that each request reads.
const TOURNAMENTS_PER_REQUEST: u32 = 100;
/// The maximum number of requests for tournaments of one state.
const MAX_REQUESTS: usize = 10;
/// The maximum number of tournaments in a list.
const MAX_LISTED_TOURNAMENTS: usize = 50;
/// The maximum number of ladders for which the page checks whether they have suspended the bot.
const MAX_LADDERS: usize = 10;

/// The tournaments of a bot, with forms to join and leave.
#[derive(Debug, Template)]
#[template(path = "play/bot_tournaments.html")]
struct BotTournaments<'a> {
    form_token: FormToken,
    bot: &'a BotName,
    /// Why joining or leaving failed; may be empty.
    mistake: &'a str,
    sections: Vec<TournamentSection>,
    /// Why the lists are missing; may be empty.
    unread: String,
}

/// A list of tournaments below a heading.
#[derive(Debug)]
struct TournamentSection {
    heading: &'static str,
    tournaments: Vec<ListedTournament>,
    /// Whether there may be more.
    has_more: bool,
}

/// A tournament and what the bot can do in it.
#[derive(Debug)]
struct ListedTournament {
    title: String,
    address: String,
    state: &'static str,
    /// The number of bots in it.
    field: String,
    actions: Vec<TournamentForm>,
}

/// A form with one button.
#[derive(Debug)]
struct TournamentForm {
    action: String,
    button: &'static str,
}

/// Writes the tournaments of a bot. If they cannot be read now, the page is shown without them.
pub(super) async fn bot_tournaments_html(
    site: &Site,
    as_bot: &Visitor,
    bot: &BotName,
    mistake: &str,
) -> Result<String, Status> {
    let form_token = as_bot.form_token()?;
    let (sections, unread) = match read_tournaments(site, as_bot, bot).await {
        Ok(sections) => {
            (sections.into_iter().filter(|section| !section.tournaments.is_empty()).collect(), String::new())
        }
        Err(status) => (Vec::new(), status.message().to_owned()),
    };
    let shown = BotTournaments { form_token, bot, mistake, sections, unread };
    Ok(write_template(&shown))
}

/// Returns the tournaments that a bot is in, and those that it may join.
async fn read_tournaments(
    site: &Site,
    as_bot: &Visitor,
    bot: &BotName,
) -> Result<[TournamentSection; 2], Status> {
    let mut entered = TournamentSection::with_heading("Joined");
    let mut joinable = TournamentSection::with_heading("Open for joining");
    let mut ladders = 0;
    for state in [pb::TournamentState::Running, pb::TournamentState::Open] {
        let mut page_token = String::new();
        for _ in 0..MAX_REQUESTS {
            let (page_size, state) = (TOURNAMENTS_PER_REQUEST, state.into());
            let request = pb::ListTournamentsRequest { page_size, page_token, state };
            let list = site.tournaments.list_tournaments(as_bot.request(request)).await?.into_inner();
            for tournament in list.tournaments {
                let is_entered = tournament.field.iter().any(|entrant| entrant == bot.as_str());
                if !is_entered {
                    joinable.extend(ListedTournament::of(tournament, FieldEntry::NotEntered));
                    continue;
                }
                let is_suspended = tournament.has_open_field() && ladders < MAX_LADDERS && {
                    ladders += 1;
                    is_suspended(site, as_bot, &tournament.id, bot).await?
                };
                let entry = if is_suspended { FieldEntry::Suspended } else { FieldEntry::Entered };
                entered.extend(ListedTournament::of(tournament, entry));
            }
            page_token = list.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        if !page_token.is_empty() {
            (entered.has_more, joinable.has_more) = (true, true);
        }
    }
    Ok([entered, joinable])
}

/// Whether a bot is in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldEntry {
    NotEntered,
    Entered,
    Suspended,
}

impl TournamentSection {
    fn with_heading(heading: &'static str) -> Self {
        Self { heading, tournaments: Vec::new(), has_more: false }
    }

    /// Adds a tournament if there is room.
    fn extend(&mut self, listed: Option<ListedTournament>) {
        let Some(listed) = listed else { return };
        if self.tournaments.len() < MAX_LISTED_TOURNAMENTS {
            self.tournaments.push(listed);
        } else {
            self.has_more = true;
        }
    }
}

impl ListedTournament {
    /// Returns a tournament for the list; `None` if the bot is not in it and cannot join.
    fn of(tournament: pb::Tournament, entry: FieldEntry) -> Option<Self> {
        let id: TournamentId = tournament.id.parse().ok()?;
        let is_ladder = tournament.has_open_field();
        let is_open = tournament.state() == pb::TournamentState::Open || is_ladder;
        let state = match (tournament.state(), is_ladder, entry) {
            (_, _, FieldEntry::Suspended) => "a ladder that has suspended the bot: join again to continue",
            (_, true, _) => "a running ladder",
            (pb::TournamentState::Open, ..) => "not started yet",
            _ => "running",
        };
        let mut actions = Vec::new();
        if is_open && entry != FieldEntry::Entered {
            actions.push(tournament_form(id, FieldAction::Join, "Join"));
        }
        if is_open && entry != FieldEntry::NotEntered {
            actions.push(tournament_form(id, FieldAction::Leave, "Leave"));
        }
        if actions.is_empty() && entry == FieldEntry::NotEntered {
            return None;
        }
        Some(Self {
            title: tournament.settings.map(|settings| settings.title).unwrap_or_default(),
            address: PageAddress::Tournament { id }.to_string(),
            state,
            field: count_with_noun(tournament.field.len(), "bot", "bots"),
            actions,
        })
    }
}

fn tournament_form(id: TournamentId, action: FieldAction, button: &'static str) -> TournamentForm {
    let address = BotPlayAddress::ChangeField { id, action };
    TournamentForm { action: address.to_string(), button }
}

async fn is_suspended(site: &Site, as_bot: &Visitor, id: &str, bot: &BotName) -> Result<bool, Status> {
    let shown = site.get_tournament(as_bot, id).await?;
    let Some(Verdict::Suspended(suspended)) = shown.verdict.and_then(|verdict| verdict.verdict) else {
        return Ok(false);
    };
    Ok(suspended.bots.iter().any(|suspended| suspended.bot == bot.as_str()))
}

/// Lets the bot join or leave a tournament, and shows its tournaments. If the tournament has started since the page was
/// loaded, so that leaving it cannot be undone, asks for confirmation.
pub(super) async fn change_field(
    site: &Site,
    as_bot: &Visitor,
    bot: BotName,
    (id, action): (TournamentId, FieldAction),
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    if action == FieldAction::Leave
        && !is_confirmed(fields)
        && site.leaving_is_final(as_bot, id, bot.as_str()).await.is_ok_and(|is_final| is_final)
    {
        let seats = BotPlayAddress::Seats { since: None };
        let asked = Confirmation {
            trail: vec![Crumb::new(&seats, "Play as a bot")],
            title: "Withdraw the bot?",
            what: withdrawal_text(bot.as_str()),
            button: "Withdraw the bot",
            action: BotPlayAddress::ChangeField { id, action }.to_string(),
            back: seats.to_string(),
            kept: Vec::new(),
        };
        return confirmation_page(as_bot, &asked);
    }
    // The service identifies the bot by the token of the session.
    let (tournament_id, named) = (id.to_string(), String::new());
    let changed = match action {
        FieldAction::Join => {
            let request = pb::JoinTournamentRequest { tournament_id, bot: named };
            site.tournaments.join_tournament(as_bot.request(request)).await.map(drop)
        }
        FieldAction::Leave => {
            let request = pb::LeaveTournamentRequest { tournament_id, bot: named };
            site.tournaments.leave_tournament(as_bot.request(request)).await.map(drop)
        }
    };
    match changed {
        Ok(()) => Ok(redirect_response(&BotPlayAddress::Seats { since: None })),
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let tournaments =
                bot_tournaments_html(site, as_bot, &bot, &without_id(status.message(), &id.to_string()))
                    .await?;
            let response = bot_seats_page_with(site, as_bot, bot, form_status(&status), tournaments)?;
            Ok(with_refusal(response, &status))
        }
    }
}

/// Shows the matches and tournaments of a bot.
pub(super) async fn bot_page_with_tournaments(
    site: &Site,
    as_bot: &Visitor,
    bot: BotName,
) -> Result<PageResponse, Status> {
    let tournaments = bot_tournaments_html(site, as_bot, &bot, "").await?;
    bot_seats_page_with(site, as_bot, bot, StatusCode::OK, tournaments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, start_old_ladder, stranger};
    use lastnim_arena::{Arena, Backend, Limits, NewTournament};
    use lastnim_core::referee::Terms;
    use lastnim_tournament::{AllianceSource, testing};

    #[tokio::test]
    async fn tournaments_of_a_bot_are_found_among_many_newer_ones() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let [one, two, three] = ["one", "two", "three"].map(|bot| bot.parse::<BotName>().unwrap());
        let address = format!("/tournaments/{}", start_old_ladder(&arena, [&one, &two]).await);
        let site = open_site(&arena, 1);
        for (bot, place) in [(&one, 0), (&three, 1)] {
            let sections = read_tournaments(&site, &stranger(), bot).await.unwrap();
            let listed = &sections[place].tournaments;
            assert_eq!(listed.iter().map(|listed| &listed.address).collect::<Vec<_>>(), [&address]);
            assert!(sections[1 - place].tournaments.is_empty());
            assert!(sections.iter().all(|section| !section.has_more));
        }

        // The page says that there are more.
        for _ in 0..=MAX_LISTED_TOURNAMENTS {
            let settings = testing::settings(2, 1, AllianceSource::Standard);
            arena.create_tournament(NewTournament { settings, terms: Terms::default() }).await.unwrap();
        }
        let [entered, joinable] = read_tournaments(&site, &stranger(), &one).await.unwrap();
        assert_eq!((entered.tournaments.len(), entered.has_more), (1, false));
        assert_eq!((joinable.tournaments.len(), joinable.has_more), (MAX_LISTED_TOURNAMENTS, true));
    }
}
