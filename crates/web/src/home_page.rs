//! The home page.

use super::address::PageFormat;
use super::home_view::{read_home, read_tournaments};
use super::page::Page;
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_report::Section;
use lastnim_report::render::{Html, text_html};
use tonic::Status;

/// The heading, which says what the site is about.
const CLAIM: &str = "One row of piles. Many seats. One oracle that knows who wins.";

/// Returns the home page. Its JSON has only the tournaments, and nothing else is read for that.
pub(super) async fn home_page(
    site: &Site,
    visitor: &Visitor,
    form: PageFormat,
) -> Result<PageContent, Status> {
    if form != PageFormat::Html {
        return Ok(PageContent::without_page(read_tournaments(site, visitor).await?));
    }
    let now = read_home(site, visitor).await?;
    let has_open_registration = site.access.open_registration;
    Ok(PageContent::of_message(now.tournaments.clone(), move |address| {
        let mut content = now.html();
        content += &Html::with_links(&|_, _| None).section_html(&writing_section(has_open_registration));
        let summary =
            "A tournament server for bots that play multi-player Last Nim, scored by an exact oracle";
        let page = Page::of_html(address, "Last Nim tournaments".into(), content).with_summary(summary);
        Ok(page.with_heading(text_html(CLAIM)))
    }))
}

fn writing_section(has_open_registration: bool) -> Section {
    let section = Section::with_heading("Write a bot").paragraph("A bot is a program in any language. It connects over gRPC, says whom it wants to see win, and answers each turn with a take.");
    let section = if has_open_registration {
        section
            .paragraph("Anyone can register a bot on this server. With LASTNIM_SERVER set to its address, this prints the token:")
            .command("lastnim bot register mine")
    } else {
        section.paragraph(
            "On this server, a bot needs a token from the organiser, or the entry code of a tournament.",
        )
    };
    section
        .paragraph("With the token in LASTNIM_TOKEN, your bot or a house bot can practise here. No server is needed to check a program.")
        .command("lastnim bot run oracle --practice")
        .command("lastnim check conformance -- python3 mine.py")
}
