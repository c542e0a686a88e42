//! The page on which an organiser manages a tournament.

use super::void_matches::{VoidInput, VoidableMatch, voidable_matches};
use crate::address::{OrganiseAddress, PageAddress, TournamentAction};
use crate::forms::FormToken;
use crate::match_filter::MatchFilter;
use crate::page::Page;
use crate::response::{PageResponse, private_response};
use crate::site::Site;
use crate::trail::{organise_trail, tournament_title};
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_report::render::Time;
use lastnim_report::tournament::progress_text;
use lastnim_report::tournament_events::event_line;
use lastnim_tournament::SchedulingMode;
use tonic::Status;
use tonic::codegen::http::StatusCode;

const MAX_FIELD_BOTS: usize = 200;
const MAX_EVENTS: usize = 10;

/// The text that was typed into the forms.
#[derive(Debug, Default)]
pub(super) struct FormInputs {
    /// The bot to join or leave.
    pub entrant: String,
    /// The bot to disqualify.
    pub disqualified: String,
    /// Whether the results of the disqualified bot are annulled.
    pub annuls: bool,
    /// The reason for the disqualification.
    pub reason: String,
    /// The matches to void.
    pub voiding: VoidInput,
}

/// A refused form, which is shown again.
#[derive(Debug)]
pub(super) struct RefusedForm {
    pub status: StatusCode,
    /// The errors.
    pub mistakes: Vec<String>,
    pub typed: FormInputs,
}

#[derive(Debug, Template)]
#[template(path = "organise/tournament.html")]
struct OrganisedTournament {
    form_token: FormToken,
    /// The errors of a refused form.
    mistakes: Vec<String>,
    typed: FormInputs,
    progress: String,
    public_address: String,
    own_address: String,
    matches_address: String,
    /// The actions of organisers, the newest first, each with its time as HTML.
    events: Vec<(String, String)>,
    earlier_events: usize,
    bots: Vec<(String, String)>,
    unshown_bots: usize,
    /// Actions with a single button.
    actions: Vec<ActionButton>,
    field_form: Option<FieldForm>,
    is_running: bool,
    can_disqualify: bool,
    voidable: Vec<VoidableMatch>,
}

/// What can happen to the bots of a tournament now.
#[derive(Debug, PartialEq, Eq)]
enum FieldForm {
    /// They can join and leave.
    Entry,
    /// They can withdraw.
    Withdrawal,
}

#[derive(Debug)]
struct ActionButton {
    address: String,
    words: &'static str,
    hint: &'static str,
}

/// Shows a tournament and possible actions.
pub(super) async fn organised_tournament_page(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
) -> Result<PageResponse, Status> {
    let unrefused =
        RefusedForm { status: StatusCode::OK, mistakes: Vec::new(), typed: FormInputs::default() };
    tournament_page_with(site, organiser, id, unrefused).await
}

/// Shows a tournament and possible actions, with a refused form.
pub(super) async fn tournament_page_with(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
    refused: RefusedForm,
) -> Result<PageResponse, Status> {
    let shown = site.get_tournament(organiser, id).await?;
    let tournament = shown.tournament.unwrap_or_default();
    let form_token = organiser.form_token()?;
    let bot_link = |bot: &String| {
        let address = bot.parse().map(|name| PageAddress::Bot { name }.to_string());
        (bot.clone(), address.unwrap_or_default())
    };
    let state = tournament.state();
    let is_running = state == pb::TournamentState::Running;
    let RefusedForm { status, mistakes, mut typed } = refused;
    let voidable = if is_running {
        voidable_matches(site, organiser, id, &typed.voiding.ticked).await?
    } else {
        Vec::new()
    };
    typed.voiding.move_unlisted_to_others(&voidable);
    let filter = MatchFilter::default();
    let matches = PageAddress::TournamentMatches { id, filter, page: String::new() };
    let event = |event: &pb::TournamentEvent| (Time(event.at_us).to_string(), event_line(event));
    let field_form = if state == pb::TournamentState::Open || tournament.has_open_field() {
        Some(FieldForm::Entry)
    } else {
        tournament.leaving_is_final().then_some(FieldForm::Withdrawal)
    };
    let content = OrganisedTournament {
        form_token,
        mistakes,
        typed,
        progress: progress_text(&tournament),
        public_address: PageAddress::Tournament { id }.to_string(),
        own_address: OrganiseAddress::Tournament { id }.to_string(),
        matches_address: matches.to_string(),
        events: shown.events.iter().rev().take(MAX_EVENTS).map(event).collect(),
        earlier_events: shown.events.len().saturating_sub(MAX_EVENTS),
        bots: tournament.field.iter().take(MAX_FIELD_BOTS).map(bot_link).collect(),
        unshown_bots: tournament.field.len().saturating_sub(MAX_FIELD_BOTS),
        actions: action_buttons(id, &tournament),
        field_form,
        is_running,
        // A sequential test needs complete groups, so no bot can be disqualified in it.
        can_disqualify: is_running && tournament.format_profile().scheduling != SchedulingMode::UntilDecided,
        voidable,
    };
    let page = Page::of_template(
        tournament_title(&tournament),
        "Start, pause, correct or end this tournament",
        &content,
    )
    .with_trail(organise_trail());
    Ok(private_response(organiser, status, page))
}

fn action_buttons(id: TournamentId, tournament: &pb::Tournament) -> Vec<ActionButton> {
    let is_paused = tournament.pause() != pb::OpenMatches::Unspecified;
    let actions: Vec<(TournamentAction, &str, &str)> = match tournament.state() {
        pb::TournamentState::Open => vec![
            (TournamentAction::Start, "Start", "starts with the bots that have joined"),
            (TournamentAction::Cancel, "Cancel", "cannot be undone"),
        ],
        pb::TournamentState::Running => {
            let mut actions = if is_paused {
                vec![(TournamentAction::Resume, "Resume", "continues the tournament")]
            } else {
                vec![
                    (
                        TournamentAction::Pause,
                        "Pause",
                        "starts no more matches; open matches are played to the end",
                    ),
                    (
                        TournamentAction::Freeze,
                        "Freeze",
                        "starts no more matches, and stops open matches and their clocks",
                    ),
                ]
            };
            if tournament.has_open_field() {
                actions.push((TournamentAction::Finish, "Finish", "ends the ladder after this round"));
            }
            actions.push((TournamentAction::Cancel, "Cancel", "cannot be undone"));
            actions
        }
        _ => Vec::new(),
    };
    let button = |(action, words, hint)| ActionButton {
        address: OrganiseAddress::Act { id, action }.to_string(),
        words,
        hint,
    };
    actions.into_iter().map(button).collect()
}
