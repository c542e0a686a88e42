//! Records of a server.

use super::{admission::Admission, intake::Intake, trust::Trust};
use crate::{
    auditing::Scope,
    cli::{
        Failure,
        key::public_key,
        played_matches::{PlayedMatches, WhichArgs},
        progress::matches_bar,
        remote::Remote,
    },
};

/// The bots of a tournament that are named where another one was asked for.
const MAX_NAMED: usize = 16;

/// Reads the records of the server's matches, of one tournament or bot where one is named.
pub async fn read(
    remote: &Remote,
    scope: &Scope,
    admission: &Admission,
    intake: &mut Intake,
) -> Result<(), Failure> {
    let bot = match scope {
        Scope::Bot(bot) => Some(bot.clone()),
        Scope::Field => None,
    };
    let which = WhichArgs { tournament: admission.tournament, bot };
    check(remote, &which).await?;
    if which.bot.is_some() {
        intake.expect_gaps();
    }
    if admission.key.is_none() {
        intake.trust(Trust::NamedByServer(public_key(remote).await?));
    }
    let bar = matches_bar(which.expected(remote).await?);
    let mut played = PlayedMatches::new(remote, &which, bar.clone(), |_| true);
    let mut number = 0;
    while let Some((game, sealed)) = played.next().await? {
        number += 1;
        intake.add(number, || format!("match {}", game.id), admission.of_sealed(sealed));
        bar.inc(1);
    }
    intake.count_open(played.still_open());
    intake.count_quarantined(played.quarantined());
    intake.count_damaged(played.damaged());
    bar.finish_and_clear();
    Ok(())
}

/// Makes sure that the server knows the tournament and the bot, and that the bot takes part.
async fn check(remote: &Remote, which: &WhichArgs) -> Result<(), Failure> {
    if let (Some(id), Some(bot)) = (which.tournament, &which.bot) {
        let field = remote.tournament(id).await?.field;
        if !field.iter().any(|other| *other == bot.as_str()) {
            let (named, more) = field.split_at(field.len().min(MAX_NAMED));
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let field = named.join(", ");
            return Err(Failure::input(format!(
                "{bot} is no bot of tournament {id}: those are {field}{more}"
            )));
        }
    }
    which.check(remote).await
}
