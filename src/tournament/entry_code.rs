//! `lastnim tournament entry-code`.

use super::named::TournamentArg;
use crate::{Failure, form::OutputFormat, remote::RemoteServer, screen};
use clap::Args;
use lastnim_proto::pb;
use lastnim_report::words::count_with_noun;
use lastnim_store::MAX_ENTRY_CODE_USES;
use std::io::{self, IsTerminal as _, Write as _};

/// The arguments of `lastnim tournament entry-code`.
#[derive(Debug, Args)]
pub struct EntryCodeArgs {
    #[command(flatten)]
    pub named: TournamentArg,
    /// How many bots can be registered with the code
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=MAX_ENTRY_CODE_USES.into()))]
    uses: u32,
    /// Replaces a code that has uses left, which then stops working
    #[arg(long)]
    replace: bool,
    /// Revokes the code: it registers no more bots, and those that have entered stay
    #[arg(long, conflicts_with_all = ["uses", "replace"])]
    revoke: bool,
}

/// Creates or revokes the entry code of a tournament.
pub async fn change_entry_code(
    remote: &RemoteServer,
    args: &EntryCodeArgs,
    form: OutputFormat,
) -> Result<(), Failure> {
    let mut service = remote.entry_client();
    let (tournament_id, uses) = (args.named.id.to_string(), args.uses);
    if args.revoke {
        let request = pb::RevokeEntryCodeRequest { tournament_id };
        let revoked = remote.answer(service.revoke_entry_code(request)).await?;
        form.print_message(&revoked, |_| Ok(()))?;
        if form == OutputFormat::Text {
            screen::print_note(format_args!("the entry code is revoked"));
        }
        return Ok(());
    }
    let shown = pb::GetTournamentRequest { tournament_id: tournament_id.clone() };
    let shown = remote.answer(remote.tournament_client().get_tournament(shown)).await?;
    if shown.entry_code_uses > 0 && !args.replace && is_admin(remote).await? {
        return Err(Failure::input(format!(
            "the tournament has an entry code that registers {}, and the server keeps only its hash: --replace creates a new one and revokes this one",
            count_with_noun(shown.entry_code_uses, "more bot", "more bots")
        )));
    }
    let request = pb::CreateEntryCodeRequest { tournament_id: tournament_id.clone(), uses };
    let created = remote.answer(service.create_entry_code(request)).await?;
    form.print_message(&created, |out| writeln!(out, "{}", created.entry_code))?;
    if form == OutputFormat::Text && io::stdout().is_terminal() {
        screen::print_note(format_args!("Keep the code above: it is shown only once."));
        screen::print_note(format_args!(
            "to enter with it: lastnim bot register NAME --tournament {tournament_id} --code CODE"
        ));
    }
    Ok(())
}

/// Returns whether the caller is the admin. The server tells any other caller which token it needs.
async fn is_admin(remote: &RemoteServer) -> Result<bool, Failure> {
    let caller = remote.answer(remote.bot_client().get_caller(pb::GetCallerRequest {})).await?;
    Ok(caller.role() == pb::Role::Admin)
}
