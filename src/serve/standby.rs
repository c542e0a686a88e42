//! A standby server, which waits while another server has the PostgreSQL database.

use super::{listening::BoundAddress, settings::ServeSettings};
use crate::Failure;
use lastnim_arena::Principal;
use lastnim_core::referee::PublicKey;
use lastnim_store::{DatabaseHolder, StoreError, StoreUrl, Token, wait_for_database};
use serde_json::{Map, Value, json};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::sleep};

/// How long the server that has the database may send no queries before another one takes over.
const MAX_SILENCE: Duration = Duration::from_secs(10);
/// How long the server that has the database may get no answer from it before it gives the database up. Shorter than
/// [`MAX_SILENCE`] by the time it takes to close all streams.
const MAX_UNCONFIRMED: Duration = Duration::from_secs(8);
/// How often the server that has the database checks whether [`MAX_UNCONFIRMED`] has passed.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// How long a server that gave up the database waits for another one to take over.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the settings of two servers may differ before the standby server gives up.
const DIFFERENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// The pause before the next attempt to reach the database.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// The settings whose values may differ between two servers of a database, because they describe one machine.
const MACHINE_SETTINGS: [&str; 13] = [
    "listen",
    "tls_cert",
    "tls_key",
    "client_ca",
    "log",
    "log_format",
    "store",
    "key",
    "threads",
    "standby",
    "public_url",
    "trusted_proxies",
    "metrics_listen",
];

/// A server's description of itself, for a server that waits for the same database.
#[derive(Debug, Clone)]
pub struct ServerCard {
    name: String,
    /// The settings that both servers must share, and the hashes of tokens.
    shared: Map<String, Value>,
    /// Whether the server serves, or only has the database open so far.
    is_serving: bool,
}

impl ServerCard {
    /// Describes the server that listens at `address`.
    pub fn new(
        settings: &ServeSettings,
        known_tokens: &[(Token, Principal)],
        key: PublicKey,
        address: &BoundAddress,
    ) -> Self {
        let Value::Object(mut shared) = settings.clone().into_json() else { return Self::unknown() };
        shared.retain(|setting, _| !MACHINE_SETTINGS.contains(&setting.as_str()));
        shared.insert("key".to_owned(), key.to_string().into());
        // Clients meet the same demands on both servers, whatever the files are called.
        for (setting, file) in [("tls_cert", &settings.tls_cert), ("client_ca", &settings.client_ca)] {
            shared.insert(setting.to_owned(), if file.is_some() { "given" } else { "absent" }.into());
        }
        shared.insert("viewer_token".to_owned(), Value::Null);
        for (token, principal) in known_tokens {
            let role = if *principal == Principal::Admin { "admin_token" } else { "viewer_token" };
            shared.insert(role.to_owned(), hex_of(token.hash().as_bytes()).into());
        }
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { name: format!("{host}:{}", address.local_name()), shared, is_serving: false }
    }

    /// Returns the name of the server: its host, and its port or the path of its socket.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the card of this server once it serves.
    pub fn serving(&self) -> Self {
        Self { is_serving: true, ..self.clone() }
    }

    fn unknown() -> Self {
        Self { name: "another server".to_owned(), shared: Map::new(), is_serving: true }
    }

    /// Reads the card of the server that has a database.
    fn of_holder(holder: &DatabaseHolder) -> Self {
        let found: Option<Value> = serde_json::from_str(&holder.description).ok();
        let card = found.and_then(|found| {
            let name = found["name"].as_str()?.to_owned();
            let shared = found["shared"].as_object()?.clone();
            Some(Self { name, shared, is_serving: found["serving"].as_bool()? })
        });
        card.unwrap_or_else(Self::unknown)
    }

    /// Returns the card as JSON.
    pub fn to_json(&self) -> String {
        json!({ "name": self.name, "shared": self.shared, "serving": self.is_serving }).to_string()
    }

    /// Compares this server with the one that has the database.
    ///
    /// # Errors
    /// The first setting that differs.
    fn check_shared_settings(&self, holder: &Self) -> Result<(), StoreError> {
        if holder.shared.is_empty() {
            return Ok(());
        }
        // Another version of the program may know other settings.
        let keys = self.shared.keys().filter(|key| holder.shared.contains_key(*key));
        for key in keys {
            let [own, other] = [self, holder].map(|card| card.shared.get(key).unwrap_or(&Value::Null));
            if own != other {
                // The message may be read by others, so it does not contain the hashes of tokens.
                let values = if key.ends_with("token") {
                    String::new()
                } else {
                    format!(" ({own} here, {other} there)")
                };
                let flag = key.replace('_', "-");
                return Err(StoreError::Unusable(format!(
                    "--{flag} differs from that of {}, which is using the database{values}: both servers must use the same value",
                    holder.name
                )));
            }
        }
        Ok(())
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Waits until no live server holds the database. If this server has just released it (`has_let_go`), it first gives
/// other servers time to take over. Sends the current holder's name to `name` once that server serves.
///
/// # Errors
/// If the holder's shared settings differ from this server's, or a standby server cannot use the database.
pub async fn wait_for_turn(
    store: &StoreUrl,
    own: &ServerCard,
    name: &watch::Sender<Option<String>>,
    has_let_go: bool,
) -> Result<(), Failure> {
    let waited = wait_for_lock(store, own, name, has_let_go).await;
    waited.map_err(|error| Failure::runtime(error, format!("--store {store}")))
}

async fn wait_for_lock(
    store: &StoreUrl,
    own: &ServerCard,
    name: &watch::Sender<Option<String>>,
    has_let_go: bool,
) -> Result<(), StoreError> {
    let began = Instant::now();
    let (mut description, mut logged_name, mut differs_since) = (None, None, None);
    let newest_seen = AtomicU64::new(0);
    let mut note_holder = |holder: &DatabaseHolder| {
        newest_seen.fetch_max(holder.commit, Ordering::Relaxed);
        if description.as_ref() == Some(&holder.description) {
            return Ok(());
        }
        let card = ServerCard::of_holder(holder);
        if let Err(difference) = own.check_shared_settings(&card) {
            // A server that is only starting may not have described itself yet.
            let since = *differs_since.get_or_insert_with(Instant::now);
            return if since.elapsed() > DIFFERENCE_TIMEOUT { Err(difference) } else { Ok(()) };
        }
        differs_since = None;
        description = Some(holder.description.clone());
        // A server that takes over has not described itself yet, so the former server still finds its own card.
        if has_let_go && card.name == own.name {
            return Ok(());
        }
        if card.is_serving {
            name.send_replace(Some(card.name.clone()));
        }
        if logged_name.as_ref() == Some(&card.name) {
            return Ok(());
        }
        tracing::info!(
            holder = card.name,
            host = holder.host,
            "standing by: another server is using the database"
        );
        if holder.silent_for.is_none() {
            tracing::warn!(
                "this database user is not allowed to see when the other server was last active, so the loss of its machine would go unnoticed: use the same user as the other server, or grant pg_read_all_stats"
            );
        }
        logged_name = Some(card.name);
        Ok(())
    };
    let mut was_reached = true;
    loop {
        match wait_for_database(store, &own.name, MAX_SILENCE, &mut note_holder).await {
            Err(error) if error.is_transient() => {
                if was_reached {
                    tracing::warn!(%error, "standing by: the database cannot be used yet");
                }
                was_reached = false;
            }
            Err(error) => return Err(error),
            Ok(commit) => {
                was_reached = true;
                let seen = newest_seen.swap(commit, Ordering::Relaxed);
                if commit < seen {
                    tracing::error!(
                        commits = seen - commit,
                        "THE DATABASE LOST COMMITS made by the other server: the server that takes over starts from the data that is left"
                    );
                }
            }
        }
        let leaves_it = has_let_go && began.elapsed() < HAND_OVER_TIMEOUT && name.borrow().is_none();
        if was_reached && !leaves_it {
            return Ok(());
        }
        sleep(RETRY_INTERVAL).await;
    }
}

/// Waits until it has been too long since the database confirmed that it belongs to this server, so that another server
/// may take over soon. Returns the time since the last confirmation, as `time_since_confirmed` reports it.
pub async fn wait_until_unconfirmed(time_since_confirmed: impl Fn() -> Option<Duration>) -> Duration {
    loop {
        if let Some(silent) = time_since_confirmed().filter(|&silent| silent > MAX_UNCONFIRMED) {
            return silent;
        }
        sleep(CHECK_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(change: impl FnOnce(&mut ServeSettings), token: &str) -> ServerCard {
        let mut settings = ServeSettings::default();
        change(&mut settings);
        let known_tokens = [(Token::parse(token).unwrap(), Principal::Admin)];
        let key = lastnim_core::referee::SigningKey::from_seed(&[7; 32]).public_key();
        ServerCard::new(&settings, &known_tokens, key, &BoundAddress::Port("127.0.0.1:7600".parse().unwrap()))
    }

    #[test]
    fn a_standby_server_may_differ_only_in_settings_of_its_machine() {
        const TOKEN: &str = "8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
        let own = card(|_| {}, TOKEN);
        let stored = |card: &ServerCard| {
            ServerCard::of_holder(&DatabaseHolder { description: card.to_json(), ..Default::default() })
        };
        assert_eq!(own.check_shared_settings(&stored(&own)), Ok(()));
        let elsewhere = card(|settings| settings.listen = "0.0.0.0:1".parse().unwrap(), TOKEN);
        assert_eq!(own.check_shared_settings(&stored(&elsewhere)), Ok(()));
        let private = card(|settings| settings.server.private = true, TOKEN);
        let refusal = own.check_shared_settings(&stored(&private)).unwrap_err().to_string();
        assert!(
            refusal.starts_with("--private differs from that of ")
                && refusal.contains(" (false here, true there):"),
            "{refusal}"
        );
        let tls_card = |file: &str| {
            let file = std::path::PathBuf::from(file);
            card(|settings| (settings.tls_cert, settings.client_ca) = (Some(file.clone()), Some(file)), TOKEN)
        };
        assert_eq!(tls_card("a.pem").check_shared_settings(&stored(&tls_card("b.pem"))), Ok(()));
        let without_clients = card(|settings| settings.tls_cert = Some("a.pem".into()), TOKEN);
        for (standby, holder, words) in [
            (
                &without_clients,
                &tls_card("a.pem"),
                ["--client-ca differs", r#"("absent" here, "given" there)"#],
            ),
            (&without_clients, &own, ["--tls-cert differs", r#"("given" here, "absent" there)"#]),
        ] {
            let refusal = standby.check_shared_settings(&stored(holder)).unwrap_err().to_string();
            assert!(words.iter().all(|words| refusal.contains(words)), "{refusal}");
        }
        let other = TOKEN.replace('8', "9");
        let refusal = own.check_shared_settings(&stored(&card(|_| {}, &other))).unwrap_err().to_string();
        assert!(
            refusal.starts_with("--admin-token differs")
                && !refusal.contains(&own.shared["admin_token"].to_string()),
            "{refusal}"
        );
        // A server that has not described itself yet, or an older one, is not compared.
        assert_eq!(own.check_shared_settings(&ServerCard::of_holder(&DatabaseHolder::default())), Ok(()));
    }
}
