//! Actions of organisers on a tournament.

use super::tournament_page::{FormInputs, RefusedForm, tournament_page_with};
use crate::address::{OrganiseAddress, TournamentAction};
use crate::confirmation::{Confirmation, confirmation_page, is_confirmed, withdrawal_text};
use crate::forms::FormFields;
use crate::page_refusal::with_refusal;
use crate::refusal_words::without_id;
use crate::response::{PageResponse, form_status, redirect_response};
use crate::site::Site;
use crate::trail::organised_tournament_trail;
use crate::visitor::Visitor;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use pb::tournament_service_server::TournamentService as _;
use tonic::{Code, Status};

impl TournamentAction {
    /// Returns the text that was typed into the form of this action.
    fn form_inputs(self, fields: &FormFields) -> FormInputs {
        let bot = fields.value("bot").to_owned();
        match self {
            Self::Join | Self::Leave | Self::Withdraw => FormInputs { entrant: bot, ..FormInputs::default() },
            Self::Disqualify => FormInputs {
                disqualified: bot,
                annuls: fields.value("results") == "annul",
                reason: fields.value("reason").to_owned(),
                ..FormInputs::default()
            },
            _ => FormInputs::default(),
        }
    }

    /// Returns the title, the text and the button of the question to confirm first; `None` if the action needs no
    /// confirmation.
    fn question(self, bot: &str) -> Option<(&'static str, String, &'static str)> {
        match self {
            Self::Cancel => Some((
                "Cancel the tournament?",
                "Open matches end without a winner, and the tournament cannot be started again.".to_owned(),
                "Cancel the tournament",
            )),
            Self::Finish => Some((
                "Finish the ladder?",
                "The ladder ends after the current round and cannot be resumed.".to_owned(),
                "Finish the ladder",
            )),
            Self::Withdraw => Some(("Withdraw the bot?", withdrawal_text(bot), "Withdraw the bot")),
            Self::Disqualify => Some((
                "Disqualify the bot?",
                format!(
                    "From now on, the steward, which plays optimally, plays the seats of {bot}, and the bot is ranked last. This cannot be undone."
                ),
                "Disqualify the bot",
            )),
            _ => None,
        }
    }
}

/// Applies an action and shows the tournament, or asks for confirmation.
pub(super) async fn act_on_tournament(
    site: &Site,
    organiser: &Visitor,
    (id, action): (TournamentId, TournamentAction),
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let here = OrganiseAddress::Tournament { id };
    let action = match action {
        // The page may be from before the start.
        TournamentAction::Leave
            if site.leaving_is_final(organiser, id, fields.value("bot").trim()).await? =>
        {
            TournamentAction::Withdraw
        }
        action => action,
    };
    if let Some((title, what, button)) = action.question(fields.value("bot"))
        && !is_confirmed(fields)
    {
        let kept = ["bot", "results", "reason"].map(|name| (name, fields.value(name)));
        return confirmation_page(
            organiser,
            &Confirmation {
                trail: organised_tournament_trail(site, organiser, id).await?,
                title,
                what,
                button,
                action: OrganiseAddress::Act { id, action }.to_string(),
                back: here.to_string(),
                kept: kept.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            },
        );
    }
    match apply_action(site, organiser, (id, action), fields).await {
        Ok(()) => Ok(redirect_response(&here)),
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let mistakes = vec![without_id(status.message(), &id.to_string())];
            let typed = action.form_inputs(fields);
            let refused = RefusedForm { status: form_status(&status), mistakes, typed };
            Ok(with_refusal(tournament_page_with(site, organiser, id, refused).await?, &status))
        }
    }
}

async fn apply_action(
    site: &Site,
    organiser: &Visitor,
    (id, action): (TournamentId, TournamentAction),
    fields: &FormFields,
) -> Result<(), Status> {
    let (service, tournament_id) = (&site.tournaments, id.to_string());
    let bot = || fields.value("bot").trim().to_owned();
    let names_bot = matches!(
        action,
        TournamentAction::Join
            | TournamentAction::Leave
            | TournamentAction::Withdraw
            | TournamentAction::Disqualify
    );
    if names_bot && bot().is_empty() {
        return Err(Status::invalid_argument("no bot was named: expected the name of a bot"));
    }
    let pause = |open_matches: pb::OpenMatches| pb::PauseTournamentRequest {
        tournament_id: id.to_string(),
        open_matches: open_matches.into(),
    };
    match action {
        TournamentAction::Start => {
            let request = pb::StartTournamentRequest { tournament_id };
            service.start_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Pause => {
            let request = pause(pb::OpenMatches::Finish);
            service.pause_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Freeze => {
            let request = pause(pb::OpenMatches::Freeze);
            service.pause_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Resume => {
            let request = pb::ResumeTournamentRequest { tournament_id };
            service.resume_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Finish => {
            let request = pb::FinishTournamentRequest { tournament_id };
            service.finish_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Cancel => {
            let request = pb::CancelTournamentRequest { tournament_id };
            service.cancel_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Join => {
            let request = pb::JoinTournamentRequest { tournament_id, bot: bot() };
            service.join_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Leave | TournamentAction::Withdraw => {
            let request = pb::LeaveTournamentRequest { tournament_id, bot: bot() };
            service.leave_tournament(organiser.request(request)).await.map(drop)
        }
        TournamentAction::Disqualify => {
            let results = match fields.value("results") {
                "annul" => pb::DisqualifiedResults::Annul,
                "stand" => pb::DisqualifiedResults::Stand,
                other => {
                    return Err(Status::invalid_argument(format!(
                        "results {other:?}: expected stand or annul"
                    )));
                }
            };
            let (results, reason) = (results.into(), fields.value("reason").trim().to_owned());
            let request = pb::DisqualifyBotRequest { tournament_id, bot: bot(), results, reason };
            service.disqualify_bot(organiser.request(request)).await.map(drop)
        }
    }
}
