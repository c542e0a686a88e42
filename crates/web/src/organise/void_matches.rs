//! Organisers void matches, which are then played again.

use super::tournament_page::{FormInputs, RefusedForm, tournament_page_with};
use crate::address::OrganiseAddress;
use crate::confirmation::{Confirmation, confirmation_page, is_confirmed};
use crate::forms::FormFields;
use crate::page_refusal::with_refusal;
use crate::refusal_words::without_id;
use crate::response::{PageResponse, form_status, redirect_response};
use crate::site::Site;
use crate::trail::organised_tournament_trail;
use crate::visitor::Visitor;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::{self, void_target::Target};
use lastnim_report::matches::outcome_line;
use lastnim_tournament::Reason;
use pb::tournament_service_server::TournamentService as _;
use std::mem;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// The number of newest matches with a box to tick.
const MAX_NEWEST_MATCHES: u32 = 30;
/// The maximum number of matches and groups in a form.
const MAX_TARGETS: usize = 50;
/// The maximum number of errors shown.
const MAX_MISTAKES: usize = 10;
/// The maximum number of characters quoted in an error.
const MAX_QUOTED_CHARS: usize = 40;

/// The form as it was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VoidInput {
    /// The ids of ticked matches.
    pub ticked: Vec<String>,
    /// The typed ids of further matches.
    pub others: String,
    /// The numbers of duplicate groups, from 1.
    pub groups: String,
    pub reason: String,
}

#[derive(Debug, PartialEq)]
struct VoidRequest {
    targets: Vec<Target>,
    reason: Reason,
}

/// A match with a box to tick.
#[derive(Debug)]
pub(super) struct VoidableMatch {
    pub id: String,
    /// The numbers of the match and of its duplicate group, from 1.
    pub number: u64,
    pub group: u64,
    pub bots: String,
    pub state: String,
    pub is_ticked: bool,
}

impl VoidInput {
    fn of_form(fields: &FormFields) -> Self {
        Self {
            ticked: fields.values("match").map(str::to_owned).collect(),
            others: fields.value("others").to_owned(),
            groups: fields.value("groups").to_owned(),
            reason: fields.value("reason").trim().to_owned(),
        }
    }

    /// Returns the typed form as hidden fields.
    fn fields(&self) -> Vec<(&'static str, &str)> {
        let ticked = self.ticked.iter().map(|id| ("match", id.as_str()));
        ticked
            .chain([("others", &*self.others), ("groups", &self.groups), ("reason", &self.reason)])
            .collect()
    }

    /// Parses the form.
    ///
    /// # Errors
    /// Names each invalid entry and each missing field.
    fn read(&self) -> Result<VoidRequest, Vec<String>> {
        let (mut targets, mut mistakes) = (Vec::new(), Vec::new());
        let ids = self.ticked.iter().map(String::as_str).chain(split_words(&self.others));
        for id in ids {
            match id.parse::<MatchId>() {
                Ok(id) => targets.push(Target::MatchId(id.to_string())),
                Err(_) => mistakes.push(format!(
                    "match {:?}: expected an id such as 01890a5d-ac96-774b-bcce-b302099a8057",
                    shorten_text(id)
                )),
            }
        }
        for group in split_words(&self.groups) {
            if let Some(group) = group.parse::<u64>().ok().and_then(|group| group.checked_sub(1)) {
                targets.push(Target::Group(group));
            } else {
                let group = shorten_text(group);
                mistakes.push(format!("group {group:?}: expected a whole number from 1, such as 7"));
            }
        }
        let mut chosen: Vec<Target> = Vec::new();
        for target in targets {
            // With too many targets, the form is refused, so it is enough to collect one more than the maximum.
            if chosen.len() <= MAX_TARGETS && !chosen.contains(&target) {
                chosen.push(target);
            }
        }
        if mistakes.is_empty() && chosen.is_empty() {
            mistakes.push(
                "no match was chosen: tick one, or enter the id of a match or the number of a group"
                    .to_owned(),
            );
        }
        if chosen.len() > MAX_TARGETS {
            mistakes.push(format!(
                "too many matches and groups: expected at most {MAX_TARGETS} at once; void them in several steps"
            ));
        }
        mistakes.truncate(MAX_MISTAKES);
        let reason = self.reason.parse::<Reason>().map_err(|error| mistakes.push(error.to_string()));
        match reason {
            Ok(reason) if mistakes.is_empty() => Ok(VoidRequest { targets: chosen, reason }),
            _ => Err(mistakes),
        }
    }

    /// Adds ticked matches that are no longer listed to the typed ids.
    pub(super) fn move_unlisted_to_others(&mut self, listed: &[VoidableMatch]) {
        let is_listed = |id: &String| listed.iter().any(|game| game.id == *id);
        let (ticked, unlisted): (Vec<_>, Vec<_>) =
            mem::take(&mut self.ticked).into_iter().partition(is_listed);
        self.ticked = ticked;
        let others = unlisted.iter().map(String::as_str).chain(split_words(&self.others));
        self.others = if unlisted.is_empty() { return } else { others.collect::<Vec<_>>().join(" ") };
    }
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| character == ',' || character.is_whitespace())
        .filter(|word| !word.is_empty())
}

fn shorten_text(text: &str) -> String {
    text.chars().take(MAX_QUOTED_CHARS).collect()
}

/// Returns the newest matches that can be voided, with their ticks.
pub(super) async fn voidable_matches(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
    ticked: &[String],
) -> Result<Vec<VoidableMatch>, Status> {
    let tournament_id = id.to_string();
    let request =
        pb::ListMatchesRequest { page_size: MAX_NEWEST_MATCHES, tournament_id, ..Default::default() };
    let matches = site.list_matches(organiser, request).await?.matches;
    let voidable = |game: pb::Match| {
        let setup = game.setup.as_ref().filter(|_| game.void_reason.is_empty())?;
        Some(VoidableMatch {
            number: shown_number(setup.number),
            group: shown_number(setup.group),
            bots: setup.bots.join(", "),
            state: outcome_line(&game),
            is_ticked: ticked.contains(&game.id),
            id: game.id,
        })
    };
    Ok(matches.into_iter().filter_map(voidable).collect())
}

/// Voids matches after confirmation, and shows the tournament.
pub(super) async fn void_matches(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let typed = VoidInput::of_form(fields);
    let voiding = match typed.read() {
        Ok(voiding) => voiding,
        Err(mistakes) => {
            return refused_response(
                site,
                organiser,
                id,
                (StatusCode::UNPROCESSABLE_ENTITY, mistakes),
                typed,
            )
            .await;
        }
    };
    if !is_confirmed(fields) {
        let newest = voidable_matches(site, organiser, id, &[]).await?;
        return confirmation_page(
            organiser,
            &Confirmation {
                trail: organised_tournament_trail(site, organiser, id).await?,
                title: "Void the matches?",
                what: void_question(&voiding, &newest),
                button: "Void",
                action: OrganiseAddress::VoidMatches { id }.to_string(),
                back: OrganiseAddress::Tournament { id }.to_string(),
                kept: typed.fields(),
            },
        );
    }
    let targets = voiding.targets.into_iter().map(|target| pb::VoidTarget { target: Some(target) }).collect();
    let (tournament_id, reason) = (id.to_string(), voiding.reason.to_string());
    let request = pb::VoidMatchesRequest { tournament_id, target: None, reason, targets };
    match site.tournaments.void_matches(organiser.request(request)).await {
        Ok(_) => Ok(redirect_response(&OrganiseAddress::Tournament { id })),
        Err(status) if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) => Err(status),
        Err(status) => {
            let listed = voidable_matches(site, organiser, id, &[]).await?;
            let mistakes = vec![refusal_text(&without_id(status.message(), &id.to_string()), &listed)];
            let refused = (form_status(&status), mistakes);
            Ok(with_refusal(refused_response(site, organiser, id, refused, typed).await?, &status))
        }
    }
}

async fn refused_response(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
    (status, mistakes): (StatusCode, Vec<String>),
    voiding: VoidInput,
) -> Result<PageResponse, Status> {
    let typed = FormInputs { voiding, ..FormInputs::default() };
    tournament_page_with(site, organiser, id, RefusedForm { status, mistakes, typed }).await
}

/// Returns the service's refusal with the numbers of listed matches instead of their ids.
fn refusal_text(message: &str, listed: &[VoidableMatch]) -> String {
    listed.iter().fold(message.to_owned(), |text, game| {
        text.replace(&format!("match {}", game.id), &format!("match {} ({})", game.number, game.bots))
    })
}

/// Says what will happen. Matches that are not listed are named by id.
fn void_question(voiding: &VoidRequest, newest: &[VoidableMatch]) -> String {
    let name = |target: &Target| match target {
        Target::MatchId(id) => match newest.iter().find(|game| game.id == *id) {
            Some(game) => format!("match {} ({})", game.number, game.bots),
            None => format!("match {id}"),
        },
        Target::Group(group) => {
            format!("all matches in group {} that have started", shown_number(*group))
        }
    };
    let what = voiding.targets.iter().map(name).collect::<Vec<_>>().join("; ");
    format!(
        "This voids {what}. Voided matches do not count and are played again, with the same bots on the same position; \
         their records are kept. The reason is public: {}",
        voiding.reason
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";

    fn typed_input(ticked: &[&str], others: &str, groups: &str) -> VoidInput {
        let ticked = ticked.iter().map(|&id| id.to_owned()).collect();
        let (others, groups) = (others.to_owned(), groups.to_owned());
        VoidInput { ticked, others, groups, reason: "no network".into() }
    }

    #[test]
    fn repeated_matches_and_groups_count_once() {
        let voiding = typed_input(&[ID], &format!(" {ID},\n"), "7, 9 7").read().unwrap();
        assert_eq!(voiding.targets, [Target::MatchId(ID.into()), Target::Group(6), Target::Group(8)]);
        let question = void_question(&voiding, &[]);
        assert!(
            question.starts_with(&format!("This voids match {ID}; all matches in group 7 that")),
            "{question}"
        );
    }

    #[test]
    fn a_refusal_names_listed_matches_by_number() {
        let listed = VoidableMatch {
            id: ID.into(),
            number: 7,
            group: 2,
            bots: "ann, bob".into(),
            state: String::new(),
            is_ticked: false,
        };
        let refusal = format!("match {ID} is already voided; group 2 has no started match");
        assert_eq!(
            refusal_text(&refusal, &[listed]),
            "match 7 (ann, bob) is already voided; group 2 has no started match"
        );
    }

    #[test]
    fn each_error_names_the_invalid_word() {
        let blank = VoidInput { reason: " ".into(), ..typed_input(&["x"], "y", "0 z") };
        let mistakes = blank.read().unwrap_err();
        for (mistake, begin) in mistakes.iter().zip([
            "match \"x\": ",
            "match \"y\": ",
            "group \"0\": expected",
            "group \"z\"",
            "a blank reason",
        ]) {
            assert!(mistake.starts_with(begin), "{mistake}");
        }
        assert_eq!(mistakes.len(), 5);
        assert_eq!(
            typed_input(&[], " ", ",").read().unwrap_err(),
            ["no match was chosen: tick one, or enter the id of a match or the number of a group"]
        );
        let groups = |count: usize| (1..=count).map(|group| group.to_string()).collect::<Vec<_>>().join(" ");
        assert!(typed_input(&[], "", &groups(MAX_TARGETS)).read().is_ok());
        assert!(
            typed_input(&[], "", &groups(MAX_TARGETS + 1)).read().unwrap_err()[0]
                .starts_with("too many matches and groups: expected at most 50")
        );
    }

    #[test]
    fn ticked_matches_that_left_the_list_are_kept() {
        let listed = VoidableMatch {
            id: ID.into(),
            number: 0,
            group: 0,
            bots: String::new(),
            state: String::new(),
            is_ticked: true,
        };
        let [gone, other] = ["0193", "0194"].map(|begin| ID.replace("0192", begin));
        let mut shown = typed_input(&[ID, &gone], &format!("{other},"), "7");
        shown.move_unlisted_to_others(&[listed]);
        assert_eq!(shown, typed_input(&[ID], &format!("{gone} {other}"), "7"));
        shown.move_unlisted_to_others(&[]);
        assert_eq!(shown, typed_input(&[], &format!("{ID} {gone} {other}"), "7"));
    }

    proptest! {
        #[test]
        fn no_input_causes_a_panic(ticked in "\\PC{0,50}", others in ".{0,50}", groups in ".{0,50}") {
            let _ = typed_input(&[&ticked], &others, &groups).read();
        }
    }
}
