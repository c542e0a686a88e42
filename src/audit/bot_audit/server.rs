//! Reads the records of a server's matches.

use super::{
    admission::RecordPolicy,
    intake::{MatchCounter, RecordIntake},
    summary::RecordPlace,
    trust::KeyTrust,
};
use crate::{
    Failure,
    played_matches::{MatchSelectionArgs, PlayedMatches},
    progress::matches_bar,
    record::key::fetch_public_key,
    remote::RemoteServer,
};
use lastnim_auditing::AuditSubject;
use lastnim_core::game::{BotName, SeatVersions, TournamentId, VersionLabel};
use lastnim_proto::{bot_version::parse_seat_versions, pb};

/// The maximum number of bots that the error names if the requested bot is not in the tournament.
const MAX_NAMED_BOTS: usize = 16;

/// Reads the records of the server's matches. If a tournament or a bot is named, reads only the records of its matches.
pub async fn read_server_records<C: MatchCounter>(
    remote: &RemoteServer,
    scope: &AuditSubject,
    version: Option<&VersionLabel>,
    admission: &RecordPolicy,
    intake: &mut RecordIntake<C>,
) -> Result<(), Failure> {
    let bot = match scope {
        AuditSubject::Bot(bot) => Some(bot),
        AuditSubject::Field => None,
    };
    check_bot_entered(remote, admission.tournament, bot).await?;
    let bots = bot.cloned().into_iter().collect();
    let which = MatchSelectionArgs { tournament: admission.tournament, bots, ..Default::default() };
    which.check_selection(remote).await?;
    if bot.is_some() {
        intake.expect_gaps();
    }
    if admission.key.is_none() {
        intake.set_key_trust(KeyTrust::NamedByServer(fetch_public_key(remote).await?));
    }
    let bar = matches_bar(which.expected_matches(remote).await?);
    let mut played = PlayedMatches::new(remote, &which, bar.clone(), |game| {
        // A voided match does not count, because another match replaces it.
        game.void_reason.is_empty() && version.is_none_or(|version| played_only_version(game, bot, version))
    });
    while let Some((game, sealed)) = played.next().await? {
        let versions = parse_seat_versions(&game.seat_versions)
            .map_err(|why| Failure::Runtime(anyhow::anyhow!("match {}: {why}", game.id)))?;
        let admitted = admission.admit_sealed(sealed).map(|admitted| admitted.with_versions(versions));
        intake.add_record(|| RecordPlace { source: format!("match {}", game.id), line: None }, admitted);
        bar.inc(1);
    }
    intake.count_left_out(played.left_out());
    bar.finish_and_clear();
    Ok(())
}

/// Returns whether a bot played the whole match with this version.
fn played_only_version(game: &pb::Match, bot: Option<&BotName>, version: &VersionLabel) -> bool {
    let bots = game.setup.iter().flat_map(|setup| &setup.bots);
    let mut seated = bots.zip(&game.seat_versions);
    let versions = seated.find(|(name, _)| bot.is_some_and(|bot| bot.as_str() == **name));
    versions.is_some_and(|(_, said)| {
        SeatVersions::try_from(said).is_ok_and(|versions| versions.is_only_version(version))
    })
}

/// Checks that the bot takes part in the tournament, if both are named.
async fn check_bot_entered(
    remote: &RemoteServer,
    tournament: Option<TournamentId>,
    bot: Option<&BotName>,
) -> Result<(), Failure> {
    if let (Some(id), Some(bot)) = (tournament, bot) {
        let field = remote.fetch_tournament(id).await?.field;
        if !field.iter().any(|other| *other == bot.as_str()) {
            let (named, more) = field.split_at(field.len().min(MAX_NAMED_BOTS));
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let field = named.join(", ");
            return Err(Failure::input(format!(
                "{bot} does not play in tournament {id}: expected one of {field}{more}"
            )));
        }
    }
    Ok(())
}
