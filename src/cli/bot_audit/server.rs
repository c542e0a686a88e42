//! Records of a server.

use super::{admission::Admission, intake::Intake};
use crate::{
    auditing::Scope,
    cli::{
        Failure,
        played_matches::{PlayedMatches, WhichArgs},
        progress::matches_bar,
        remote::Remote,
    },
};

/// Reads the records of the server's matches, of one tournament or bot where one is named.
pub(super) async fn read(
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
    which.check(remote).await?;
    let bar = matches_bar(which.expected(remote).await?);
    let mut played = PlayedMatches::new(remote, &which, bar.clone(), |_| true);
    let mut number = 0;
    while let Some((game, sealed)) = played.next().await? {
        number += 1;
        intake.add(number, || format!("match {}", game.id), admission.of_sealed(sealed));
        bar.inc(1);
    }
    intake.count_open(played.still_open());
    intake.count_damaged(played.damaged());
    bar.finish_and_clear();
    Ok(())
}
