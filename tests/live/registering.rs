//! Limits on registering bots, and removing them.

use super::{
    host::{Host, soon},
    session::{BotSession, reason},
};
use lastnim_proto::pb::{self, bot_service_client::BotServiceClient};
use lastnim_server::Config;
use lastnim_store::Token;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

async fn register(host: &Host, name: &str) -> Result<String, Status> {
    let mut bots = BotServiceClient::new(host.channel.clone());
    let request = pb::RegisterBotRequest { name: name.into(), ..Default::default() };
    Ok(soon("an answer", bots.register_bot(request)).await?.into_inner().token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn registrations_are_limited_per_address_and_admins_remove_bots() {
    let config = Config {
        open_registration: true,
        registrations: 3,
        registration_interval: Duration::from_hours(1),
        ..Config::default()
    };
    let host = Host::with(config).await;
    let token = register(&host, "spam-0").await.unwrap();
    for number in 1..3 {
        register(&host, &format!("spam-{number}")).await.unwrap();
    }
    let refused = register(&host, "spam-3").await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_REGISTRATIONS")
    );
    assert!(refused.message().contains("127.0.0.1"), "{refused}");
    let delay = refused.get_details_retry_info().unwrap().retry_delay.unwrap();
    assert!(delay > Duration::from_mins(10) && delay <= Duration::from_hours(1), "{delay:?}");
    // A bot's token does not lift the limit; the admin's does.
    let request = pb::RegisterBotRequest { name: "spam-4".into(), ..Default::default() };
    let refused = BotServiceClient::new(host.authorized(&token)).register_bot(request).await.unwrap_err();
    assert_eq!(reason(&refused), "TOO_MANY_REGISTRATIONS");
    host.register("honest").await;

    let (mut line, _) = BotSession::open(&host, &token).await;
    for number in 0..3 {
        let request = pb::RemoveBotRequest { name: format!("spam-{number}") };
        host.bots().remove_bot(request).await.unwrap();
    }
    let end = line.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unauthenticated, "BOT_REMOVED"));
    let refused = BotSession::try_open_on(host.channel.clone(), &token).await.err().unwrap();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let left = host.bots().list_bots(pb::ListBotsRequest::default()).await.unwrap().into_inner().bots;
    assert_eq!(left.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["honest"]);
    let request = pb::RemoveBotRequest { name: "spam-0".into() };
    let refused = host.bots().remove_bot(request).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "NO_SUCH_BOT"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_that_have_played_cannot_be_removed() {
    let host = Host::start().await;
    host.register_all(["one", "two"]).await;
    host.create_match(super::host::exhibition(["one", "two"], &[3])).await;
    let request = pb::RemoveBotRequest { name: "two".into() };
    let refused = host.bots().remove_bot(request).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "BOT_IN_USE"));
    assert!(refused.message().contains("two cannot be removed"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_repeats_a_registration_with_its_own_token() {
    let config = Config {
        open_registration: true,
        registrations: 2,
        registration_interval: Duration::from_hours(1),
        ..Config::default()
    };
    let host = Host::with(config).await;
    let token = Token::generate().reveal().to_owned();
    let register = async |name: &str, token: &str| {
        let request = pb::RegisterBotRequest { name: name.into(), token: token.into(), profile: None };
        let mut bots = BotServiceClient::new(host.channel.clone());
        Ok::<_, Status>(soon("an answer", bots.register_bot(request)).await?.into_inner().token)
    };
    for _ in 0..4 {
        assert_eq!(register("ann", &token).await.unwrap(), token, "only the first call counts");
    }
    let refused = register("bob", "short").await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().starts_with("token: not a generated token"), "{refused}");
    let refused = register("bob", &token).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::AlreadyExists, "TOKEN_TAKEN"));
    let refused = register("ann", Token::generate().reveal()).await.unwrap_err();
    assert_eq!(reason(&refused), "TOO_MANY_REGISTRATIONS");
    assert_eq!(host.bot("ann").await.name, "ann");
    let repeating = async {
        loop {
            if let Err(refused) = register("ann", &token).await {
                break refused;
            }
        }
    };
    let refused = soon("a refusal", repeating).await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_REPEATS"));
}
