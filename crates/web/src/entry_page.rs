//! The page where a person enters a bot into a tournament with its entry code.

use super::address::{EntryAddress, PageAddress};
use super::forms::{FormFields, FormToken};
use super::page::Page;
use super::page_refusal::with_refusal;
use super::response::{PageResponse, form_status, private_response};
use super::site::Site;
use super::trail::{tournament_title, trail_below_tournament};
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_store::Token;
use pb::entry_service_server::EntryService as _;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The reasons for refusals that another name would avoid.
const NAME_REASONS: [&str; 3] = ["NAME_TAKEN", "GUEST_NAME", "NOT_ALLOWED"];
/// The reason for the refusal of a form with which another bot was registered.
const FORM_USED: &str = "TOKEN_TAKEN";

/// What the page shows. The typed code is never shown again.
#[derive(Default)]
struct EntryForm {
    name: String,
    /// What the person says about the bot.
    profile: pb::BotProfile,
    name_mistake: String,
    profile_mistake: String,
    code_mistake: String,
    /// The token of the new bot. Before it is registered, the form contains it, so that a form that is sent twice
    /// registers one bot; afterwards this response shows it.
    token: String,
    is_registered: bool,
}

#[derive(Template)]
#[template(path = "entry.html")]
struct EntryContent {
    form_token: FormToken,
    /// The address of the form.
    action: String,
    id: TournamentId,
    /// Whether bots can be registered with a code now, as far as the visitor may know.
    is_open: bool,
    shown: EntryForm,
    /// The public address of the server; may be empty.
    server: String,
    tournament: String,
}

/// Shows the form.
pub(super) async fn show_entry_page(
    site: &Site,
    visitor: &Visitor,
    address: &EntryAddress,
) -> Result<PageResponse, Status> {
    check_entry_channel(visitor)?;
    let tournament = find_tournament(site, visitor, address).await?;
    let empty = EntryForm::of_fields(&FormFields::default());
    entry_response(site, visitor, address, StatusCode::OK, empty, tournament)
}

/// Registers a bot, enters it, and shows its token.
pub(super) async fn handle_entry_form(
    site: &Site,
    visitor: &Visitor,
    address: &EntryAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_entry_channel(visitor)?;
    let EntryAddress::Form { id } = address;
    let form = EntryForm::of_fields(fields);
    // What can fail comes before the registration: the token is shown only once.
    let tournament = find_tournament(site, visitor, address).await?;
    visitor.form_token()?;
    let request = pb::RegisterEntrantRequest {
        tournament_id: id.to_string(),
        name: form.name.clone(),
        entry_code: fields.value("code").to_owned(),
        token: form.token.clone(),
        profile: Some(form.profile.clone()),
    };
    match site.entries.register_entrant(visitor.request(request)).await {
        Ok(_) => {
            let shown = EntryForm { is_registered: true, ..form };
            entry_response(site, visitor, address, StatusCode::OK, shown, tournament)
        }
        Err(status) => {
            let [name_mistake, profile_mistake, code_mistake] = mistakes_of_status(&status);
            let token = if reason_of_status(&status) == FORM_USED {
                // Sent again, the form with its old token would be refused again.
                Token::generate().reveal().to_owned()
            } else {
                form.token
            };
            let shown = EntryForm { name_mistake, profile_mistake, code_mistake, token, ..form };
            let response = entry_response(site, visitor, address, form_status(&status), shown, tournament)?;
            Ok(with_refusal(response, &status))
        }
    }
}

impl EntryForm {
    /// Creates the form as it was sent. If its token is not a generated one, it is replaced by a new one.
    fn of_fields(fields: &FormFields) -> Self {
        let token = Token::parse_generated(fields.value("token")).unwrap_or_else(|_| Token::generate());
        let [name, team, author, link] =
            ["name", "team", "author", "link"].map(|field| fields.value(field).trim().to_owned());
        Self {
            name,
            profile: pb::BotProfile { team, author, link },
            token: token.reveal().to_owned(),
            ..Self::default()
        }
    }

    fn has_mistake(&self) -> bool {
        [&self.name_mistake, &self.profile_mistake, &self.code_mistake].iter().any(|words| !words.is_empty())
    }
}

fn reason_of_status(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// Returns what is wrong with the name, with the profile, and with the code. Refusals that have other causes are shown
/// at the code.
fn mistakes_of_status(status: &Status) -> [String; 3] {
    let reason = reason_of_status(status);
    if reason == FORM_USED {
        let used =
            "a bot was already registered with this form: to register another one, type the code again";
        return [String::new(), String::new(), used.to_owned()];
    }
    let violations =
        status.get_details_bad_request().map(|request| request.field_violations).unwrap_or_default();
    if violations.is_empty() {
        let message = status.message().trim_start_matches("entry_code: ").to_owned();
        return if NAME_REASONS.contains(&reason.as_str()) {
            [message, String::new(), String::new()]
        } else {
            [String::new(), String::new(), message]
        };
    }
    let mut mistakes: [Vec<String>; 3] = Default::default();
    for violation in violations {
        match violation.field.as_str() {
            "name" => mistakes[0].push(violation.description),
            field => match field.strip_prefix("profile.") {
                Some(field) => mistakes[1].push(format!("{field}: {}", violation.description)),
                None => mistakes[2].push(violation.description),
            },
        }
    }
    mistakes.map(|mistakes| mistakes.join("; "))
}

/// Checks that the connection keeps the code and the token secret.
fn check_entry_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "entering a bot needs a code and shows a token, but this connection would not protect them: open this page on the server's own machine, or over https, with \
         --tls-cert or through a proxy that the server trusts (--trusted-proxy) and that sets x-forwarded-proto. Programs use `lastnim bot register --tournament ID --code CODE`.",
    )
}

/// Returns the tournament; `None` if the visitor may not read about it. A stranger can enter a tournament of a private
/// server, but cannot read about it.
async fn find_tournament(
    site: &Site,
    visitor: &Visitor,
    &EntryAddress::Form { id }: &EntryAddress,
) -> Result<Option<pb::GetTournamentResponse>, Status> {
    match site.get_tournament(visitor, id).await {
        Ok(found) => Ok(Some(found)),
        Err(refused) if refused.code() == Code::Unauthenticated => Ok(None),
        Err(refused) => Err(refused),
    }
}

fn entry_response(
    site: &Site,
    visitor: &Visitor,
    address: &EntryAddress,
    status: StatusCode,
    shown: EntryForm,
    tournament: Option<pb::GetTournamentResponse>,
) -> Result<PageResponse, Status> {
    let &EntryAddress::Form { id } = address;
    let content = EntryContent {
        form_token: visitor.form_token()?,
        action: address.to_string(),
        id,
        is_open: tournament.as_ref().is_none_or(|found| found.entry_code_uses > 0),
        shown,
        server: site.public_url.as_ref().map(ToString::to_string).unwrap_or_default(),
        tournament: PageAddress::Tournament { id }.to_string(),
    };
    let tournament = tournament.and_then(|found| found.tournament);
    let title = tournament.as_ref().map_or_else(
        || "Enter a bot".to_owned(),
        |tournament| format!("Enter a bot into {}", tournament_title(tournament)),
    );
    let page =
        Page::of_template(title, "Register a bot and enter it, with a code from the organiser", &content);
    let page = match &tournament {
        Some(tournament) => page.with_trail(trail_below_tournament(id, tournament)),
        None => page,
    };
    Ok(private_response(visitor, status, page))
}
