//! The page that registers bots and replaces their tokens.

use crate::address::OrganiseAddress;
use crate::confirmation::{Confirmation, confirmation_page, is_confirmed};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, form_status, private_response};
use crate::site::Site;
use crate::trail::organise_trail;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use pb::bot_service_server::BotService as _;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// The typed fields, and the new token, which is shown in this response only.
#[derive(Default)]
struct BotTokens {
    name: String,
    mistake: String,
    rotated_name: String,
    rotated_mistake: String,
    token: String,
    owner: String,
    unwanted_name: String,
    unwanted_mistake: String,
    /// The bot that was removed; may be empty.
    removed: String,
}

#[derive(Template)]
#[template(path = "organise/bots.html")]
struct BotTokensPage {
    form_token: FormToken,
    shown: BotTokens,
}

pub(super) fn bots_page(organiser: &Visitor) -> Result<PageResponse, Status> {
    bots_response(organiser, StatusCode::OK, BotTokens::default())
}

/// Registers a bot and shows its token.
pub(super) async fn register_bot(
    site: &Site,
    organiser: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let name = fields.value("name").trim().to_owned();
    let request = pb::RegisterBotRequest { name: name.clone(), ..Default::default() };
    match site.bots.register_bot(organiser.request(request)).await {
        Ok(registered) => {
            let token = registered.into_inner().token;
            bots_response(organiser, StatusCode::OK, BotTokens { token, owner: name, ..BotTokens::default() })
        }
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let shown = BotTokens { name, mistake: name_mistake(&status), ..BotTokens::default() };
            Ok(with_refusal(bots_response(organiser, form_status(&status), shown)?, &status))
        }
    }
}

/// Returns the error of a name, which is shown beside its field.
fn name_mistake(status: &Status) -> String {
    status.message().trim_start_matches("name: ").to_owned()
}

/// Asks for confirmation of a change that cannot be undone.
fn confirm_bot_change(
    organiser: &Visitor,
    name: &str,
    button: &'static str,
    what: String,
    action: &OrganiseAddress,
) -> Result<PageResponse, Status> {
    confirmation_page(
        organiser,
        &Confirmation {
            trail: organise_trail(),
            title: &format!("{button}?"),
            what,
            button,
            action: action.to_string(),
            back: OrganiseAddress::Bots.to_string(),
            kept: vec![("name", name)],
        },
    )
}

/// Replaces the token of a bot after confirmation, and shows the new one.
pub(super) async fn rotate_token(
    site: &Site,
    organiser: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let name = fields.value("name").trim().to_owned();
    if !name.is_empty() && !is_confirmed(fields) {
        let what = format!(
            "{name}'s current token becomes invalid at once, and its session ends. The bot keeps its seats, and their clocks keep running."
        );
        return confirm_bot_change(
            organiser,
            &name,
            "Replace the token",
            what,
            &OrganiseAddress::RotateToken,
        );
    }
    let request = pb::RotateTokenRequest { name: name.clone() };
    match site.bots.rotate_token(organiser.request(request)).await {
        Ok(rotated) => {
            let token = rotated.into_inner().token;
            bots_response(organiser, StatusCode::OK, BotTokens { token, owner: name, ..BotTokens::default() })
        }
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let rotated_mistake = name_mistake(&status);
            let shown = BotTokens { rotated_name: name, rotated_mistake, ..BotTokens::default() };
            Ok(with_refusal(bots_response(organiser, form_status(&status), shown)?, &status))
        }
    }
}

/// Removes a bot that never played, after confirmation.
pub(super) async fn remove_bot(
    site: &Site,
    organiser: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let name = fields.value("name").trim().to_owned();
    if !name.is_empty() && !is_confirmed(fields) {
        let what = format!(
            "{name}'s token becomes invalid at once, the bot's session ends, and its name can be registered again. A bot that has played cannot be removed."
        );
        return confirm_bot_change(organiser, &name, "Remove the bot", what, &OrganiseAddress::RemoveBot);
    }
    let request = pb::RemoveBotRequest { name: name.clone() };
    match site.bots.remove_bot(organiser.request(request)).await {
        Ok(_) => {
            bots_response(organiser, StatusCode::OK, BotTokens { removed: name, ..BotTokens::default() })
        }
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let unwanted_mistake = name_mistake(&status);
            let shown = BotTokens { unwanted_name: name, unwanted_mistake, ..BotTokens::default() };
            Ok(with_refusal(bots_response(organiser, form_status(&status), shown)?, &status))
        }
    }
}

fn bots_response(organiser: &Visitor, status: StatusCode, shown: BotTokens) -> Result<PageResponse, Status> {
    let form_token = organiser.form_token()?;
    let content = BotTokensPage { form_token, shown };
    let page = Page::of_template(
        "Bots and their tokens",
        "Register a bot, replace a lost token, or remove a bot that has never played",
        &content,
    )
    .with_trail(organise_trail());
    Ok(private_response(organiser, status, page))
}
