//! The form for a new tournament.

use super::setting_fields::{FieldGroup, FormField};
use super::settings_input::SettingsInput;
use crate::address::OrganiseAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, form_status, private_response, redirect_response};
use crate::site::Site;
use crate::trail::organise_trail;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use lastnim_proto::tournament_settings::{SectionCondition, ValueKind};
use pb::tournament_service_server::TournamentService as _;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

#[derive(Debug, Template)]
#[template(path = "organise/new_tournament.html")]
struct NewTournamentForm {
    form_token: FormToken,
    /// A sentence with the number of errors; empty without errors.
    summary: String,
    other_mistakes: Vec<String>,
    groups: Vec<GroupView>,
    seldom_groups: Vec<GroupView>,
    /// Whether the rarely used settings are expanded.
    shows_seldom: bool,
}

/// A group of fields.
#[derive(Debug)]
struct GroupView {
    legend: &'static str,
    /// The format that it belongs to; empty for all.
    format: &'static str,
    /// The source of positions that it belongs to; empty for all.
    source: &'static str,
    fields: Vec<FieldView>,
}

#[derive(Debug)]
struct FieldView {
    id: String,
    name: &'static str,
    label: &'static str,
    hint: String,
    value: String,
    mistake: String,
    is_long: bool,
    is_number: bool,
    choices: Vec<ChoiceView>,
}

/// An option of a field.
#[derive(Debug)]
struct ChoiceView {
    word: String,
    meaning: String,
    is_chosen: bool,
}

pub(super) fn new_tournament_page(organiser: &Visitor) -> Result<PageResponse, Status> {
    form_response(organiser, StatusCode::OK, &SettingsInput::initial())
}

/// Creates the tournament, or shows the errors.
pub(super) async fn create_tournament(
    site: &Site,
    organiser: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let mut typed = SettingsInput::of_form(fields);
    let Some(settings) = typed.read() else {
        return form_response(organiser, StatusCode::UNPROCESSABLE_ENTITY, &typed);
    };
    let request = pb::CreateTournamentRequest { settings: Some(settings), ..Default::default() };
    match site.tournaments.create_tournament(organiser.request(request)).await {
        Ok(created) => {
            let created = created.into_inner().tournament.map(|tournament| tournament.id);
            let id = created.and_then(|id| id.parse().ok());
            let id = id.ok_or_else(|| Status::internal("the response has no tournament"))?;
            Ok(redirect_response(&OrganiseAddress::Tournament { id }))
        }
        Err(status) if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) => Err(status),
        Err(status) => {
            typed.note_refusal(&status);
            Ok(with_refusal(form_response(organiser, form_status(&status), &typed)?, &status))
        }
    }
}

fn form_response(
    organiser: &Visitor,
    status: StatusCode,
    typed: &SettingsInput,
) -> Result<PageResponse, Status> {
    let form_token = organiser.form_token()?;
    let is_seldom = |group: &FieldGroup| group.condition == SectionCondition::RarelyChanged;
    let (seldom, usual): (Vec<_>, Vec<_>) = FieldGroup::all().into_iter().partition(is_seldom);
    let views = |groups: Vec<FieldGroup>| -> Vec<GroupView> {
        groups.into_iter().map(|group| group_view(group, typed)).collect()
    };
    let (groups, seldom_groups) = (views(usual), views(seldom));
    let has_mistake = |field: &FieldView| !field.mistake.is_empty();
    let shows_seldom = seldom_groups.iter().flat_map(|group| &group.fields).any(has_mistake);
    let summary = match typed.mistake_count() {
        0 => String::new(),
        1 => "There is one error.".to_owned(),
        count => format!("There are {count} errors."),
    };
    let other_mistakes = typed.other_mistakes.clone();
    let form = NewTournamentForm { form_token, summary, other_mistakes, groups, seldom_groups, shows_seldom };
    let page = Page::of_template("New tournament", "Create a tournament of Last Nim", &form)
        .with_trail(organise_trail());
    Ok(private_response(organiser, status, page))
}

fn group_view(group: FieldGroup, typed: &SettingsInput) -> GroupView {
    let (format, source) = match group.condition {
        SectionCondition::Always | SectionCondition::RarelyChanged => ("", ""),
        SectionCondition::Format(format) => (format.name, ""),
        SectionCondition::PositionSource(source) => ("", source),
    };
    let fields = group.fields.into_iter().map(|field| field_view(field, typed)).collect();
    GroupView { legend: group.legend, format, source, fields }
}

fn field_view(field: FormField, typed: &SettingsInput) -> FieldView {
    let (name, value) = (field.name(), typed.value(field.name()));
    let kind = match field {
        FormField::PositionSource => ValueKind::Word,
        FormField::Setting(setting) => setting.kind,
    };
    let choice = |(word, meaning): (String, String)| {
        let is_chosen = word == value;
        ChoiceView { word, meaning, is_chosen }
    };
    FieldView {
        id: name.replace('.', "-"),
        name,
        label: field.label(),
        hint: field.hint(),
        value: value.to_owned(),
        mistake: typed.mistake(name).to_owned(),
        is_long: matches!(kind, ValueKind::Positions | ValueKind::Matrix),
        is_number: matches!(kind, ValueKind::Number | ValueKind::Count),
        choices: field.choices().into_iter().map(choice).collect(),
    }
}
