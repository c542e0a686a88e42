//! The start page of organisers.

use crate::address::OrganiseAddress;
use crate::page::Page;
use crate::response::{PageResponse, private_response};
use crate::site::Site;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::Html;
use lastnim_report::{
    Section,
    tournament::{move_title_to_front, tournament_table},
};
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;
use tonic::codegen::http::StatusCode;

const MAX_TOURNAMENTS: u32 = 50;

#[derive(Debug, Template)]
#[template(path = "organise/overview.html")]
struct Overview {
    tournaments: String,
}

fn organiser_cell_link(key: &str, text: &str) -> Option<String> {
    let id = text.parse().ok().filter(|_| key == "id")?;
    Some(OrganiseAddress::Tournament { id }.to_string())
}

/// Lists the newest tournaments and possible actions.
pub(super) async fn overview_page(site: &Site, organiser: &Visitor) -> Result<PageResponse, Status> {
    let request = pb::ListTournamentsRequest { page_size: MAX_TOURNAMENTS, ..Default::default() };
    let list = site.tournaments.list_tournaments(organiser.request(request)).await?.into_inner();
    let section = if list.tournaments.is_empty() {
        Section::with_heading("Tournaments").paragraph("There are no tournaments yet.")
    } else {
        Section::with_heading("Tournaments").table(move_title_to_front(tournament_table(&list.tournaments)))
    };
    let tournaments = Html::with_links(&organiser_cell_link).section_html(&section);
    let content = Overview { tournaments };
    let page = Page::of_template("Organise", "The newest tournaments, and how to create more", &content);
    Ok(private_response(organiser, StatusCode::OK, page))
}
