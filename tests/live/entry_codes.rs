//! Entry codes over gRPC: who gets in with them, and how guesses are limited.

use super::{
    host::{Host, round_robin},
    session::{BotSession, reason},
};
use lastnim_proto::pb::{self, entry_service_client::EntryServiceClient};
use lastnim_server::Config;
use std::time::Duration;
use tonic::{Code, Status};

pub(super) async fn create_code(host: &Host, id: &str, uses: u32) -> Result<String, Status> {
    let mut entries = EntryServiceClient::new(host.authorized(host.admin.reveal()));
    let request = pb::CreateEntryCodeRequest { tournament_id: id.into(), uses };
    Ok(entries.create_entry_code(request).await?.into_inner().entry_code)
}

/// Registers a bot without a token.
async fn enter(host: &Host, id: &str, name: &str, code: &str) -> Result<pb::RegisterEntrantResponse, Status> {
    let mut entries = EntryServiceClient::new(host.channel.clone());
    let (tournament_id, name, entry_code) = (id.into(), name.into(), code.into());
    let request = pb::RegisterEntrantRequest { tournament_id, name, entry_code, ..Default::default() };
    Ok(entries.register_entrant(request).await?.into_inner())
}

async fn uses_left(host: &Host, id: &str) -> u32 {
    let request = pb::GetTournamentRequest { tournament_id: id.into() };
    host.tournaments().get_tournament(request).await.unwrap().into_inner().entry_code_uses
}

fn code_and_reason(refused: &Status) -> (Code, String) {
    (refused.code(), reason(refused))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_class_behind_one_address_enters_a_private_server_with_its_code() {
    let config = Config {
        private: true,
        registrations: 1,
        registration_interval: Duration::from_hours(1),
        failed_logins: 3,
        failed_login_interval: Duration::from_hours(1),
        ..Config::default()
    };
    let host = Host::with(config).await;
    let id = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    assert_eq!(uses_left(&host, &id).await, 0);
    let code = create_code(&host, &id, 30).await.unwrap();
    assert_eq!(uses_left(&host, &id).await, 30);
    for number in 0..30 {
        let wrong = enter(&host, &id, "guesser", "0000-0000-0000-0000").await.unwrap_err();
        let expected = match number {
            0..3 => (Code::PermissionDenied, "WRONG_ENTRY_CODE".to_owned()),
            _ => (Code::ResourceExhausted, "TOO_MANY_FAILED_LOGINS".to_owned()),
        };
        assert_eq!(code_and_reason(&wrong), expected, "{wrong}");
        let name = format!("student-{number}");
        let typed = code.replace('-', " ").to_uppercase();
        let entered = enter(&host, &id, &name, &typed).await.unwrap();
        assert_eq!(entered.bot.unwrap().name, name);
        assert_eq!(entered.tournament.unwrap().field.last(), Some(&name));
        let (_line, welcome) = BotSession::open(&host, &entered.token).await;
        assert_eq!(welcome.bot, name);
    }
    let full = enter(&host, &id, "late", &code).await.unwrap_err();
    assert_eq!(code_and_reason(&full), (Code::FailedPrecondition, "ENTRY_CODE_USED_UP".to_owned()));
    assert_eq!(uses_left(&host, &id).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_name_the_fault_but_never_the_code() {
    let host = Host::start().await;
    host.register("taken").await;
    let id = host.create_tournament(round_robin(&[&[2]]), &["taken"]).await;
    let code = create_code(&host, &id, 1).await.unwrap();
    let taken = enter(&host, &id, "taken", &code).await.unwrap_err();
    assert_eq!(code_and_reason(&taken), (Code::AlreadyExists, "NAME_TAKEN".to_owned()));
    let mut refusals = vec![taken];
    let bare_code = code.replace('-', "");
    let (long, typing_mistake) = ("7".repeat(40_000), bare_code.replace(&code[..1], "u"));
    for malformed in ["", "7k2m", &long, &typing_mistake] {
        let refused = enter(&host, &id, "new", malformed).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        let expected =
            "entry_code: not an entry code: expected 16 letters and digits, such as 7k2m-q9tx-4hvb-z0wc";
        assert_eq!(refused.message(), expected);
        refusals.push(refused);
    }
    let malformed = enter(&host, "cup", "No", "7k2m").await.unwrap_err();
    for field in ["tournament_id: ", "name: ", "entry_code: "] {
        assert!(malformed.message().contains(field), "{malformed}");
    }
    refusals.push(enter(&host, "cup", "No", &code).await.unwrap_err());
    for uses in [0, 10_001, u32::MAX] {
        let refused = create_code(&host, &id, uses).await.unwrap_err();
        assert_eq!(refused.message(), format!("uses: {uses}: expected 1 to 10000"));
    }
    let mut entries = EntryServiceClient::new(host.authorized(host.admin.reveal()));
    let request = pb::RevokeEntryCodeRequest { tournament_id: id.clone() };
    entries.revoke_entry_code(request).await.unwrap();
    let revoked = enter(&host, &id, "new", &code).await.unwrap_err();
    assert_eq!(code_and_reason(&revoked), (Code::PermissionDenied, "WRONG_ENTRY_CODE".to_owned()));
    refusals.push(revoked);
    for refused in refusals {
        let shown = format!("{refused:?}");
        assert!([&code, &bare_code, &typing_mistake].iter().all(|code| !shown.contains(*code)), "{refused}");
    }
}
