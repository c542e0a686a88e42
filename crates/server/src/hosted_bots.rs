//! House bots, which play in the server's own process. They connect to the server like all other bots, but without a
//! socket, and so also without TLS.

use lastnim_arena::{Arena, ArenaError};
use lastnim_bots::{HouseBot, HouseBotError, QuietBot};
use lastnim_client::{ByteStream, OpeningConnection, Options, ServerAddress, Transport};
use lastnim_core::game::{BotName, BotNameError};
use lastnim_store::Token;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};
use thiserror::Error;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};

/// The pause before a house bot is restarted.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of unread bytes in each direction of a house bot's connection.
const BUFFER_BYTES: usize = 64 << 10;

/// A house bot and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedBot {
    name: BotName,
    bot: HouseBot,
}

/// Why a house bot cannot be hosted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HostedBotError {
    /// There is no such house bot.
    #[error(transparent)]
    Bot(#[from] HouseBotError),
    /// The name of the house bot is invalid.
    #[error(transparent)]
    Name(#[from] BotNameError),
    /// The name is taken, or given to two house bots.
    #[error("house bot {0}: the name is taken: choose another, for example --house my-{0}={1}")]
    NameTaken(BotName, HouseBot),
    /// The house bot cannot be registered.
    #[error("house bot {0}: {1}")]
    Arena(BotName, ArenaError),
}

impl FromStr for HostedBot {
    type Err = HostedBotError;

    fn from_str(text: &str) -> Result<Self, HostedBotError> {
        let (name, bot) = text.split_once('=').unwrap_or((text, text));
        let bot: HouseBot = bot.trim().parse()?;
        Ok(Self { name: name.trim().parse()?, bot })
    }
}

impl fmt::Display for HostedBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, bot) = (self.name.as_str(), self.bot.to_string());
        if name == bot { f.write_str(name) } else { write!(f, "{name}={bot}") }
    }
}

/// Returns the address at which a listener can be reached from its own machine.
pub fn local_address(listener: SocketAddr) -> SocketAddr {
    let loopback = match listener.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(loopback, listener.port())
}

/// Registered house bots, with the tokens of their sessions.
#[derive(Debug)]
pub(super) struct HostedBots(Vec<(HostedBot, Token)>);

/// Running house bots, which stop when this is dropped.
#[derive(Debug)]
pub(super) struct RunningBots {
    _stop: watch::Sender<()>,
    _tasks: JoinSet<()>,
}

impl HostedBots {
    pub(super) async fn enrol(arena: &Arena, hosted: &[HostedBot]) -> Result<Self, HostedBotError> {
        let mut bots = Vec::new();
        for hosted in hosted {
            let HostedBot { name, bot } = hosted.clone();
            let token = arena.enrol_house_bot(name, &bot.to_string()).await.map_err(|error| match error {
                ArenaError::NameTaken(name) => HostedBotError::NameTaken(name, bot),
                error => HostedBotError::Arena(hosted.name.clone(), error),
            })?;
            bots.push((hosted.clone(), token));
        }
        Ok(Self(bots))
    }

    /// Starts the house bots. The server gets their connections from `connections`.
    pub(super) fn start(self, connections: mpsc::Sender<DuplexStream>) -> RunningBots {
        let server =
            ServerAddress::new("this-process:0").with_transport(Arc::new(ProcessTransport(connections)));
        let (stop, stopped) = watch::channel(());
        let mut tasks = JoinSet::new();
        for (hosted, token) in self.0 {
            tasks.spawn(run_hosted_bot(hosted, server.clone(), token, stopped.clone()));
        }
        RunningBots { _stop: stop, _tasks: tasks }
    }
}

/// Connects house bots to the server of their process.
struct ProcessTransport(mpsc::Sender<DuplexStream>);

impl Transport for ProcessTransport {
    fn open(&self, _authority: String) -> OpeningConnection {
        let connections = self.0.clone();
        Box::pin(async move {
            let (bot, server) = duplex(BUFFER_BYTES);
            connections.send(server).await.map_err(|_| io::ErrorKind::ConnectionRefused)?;
            Ok(Box::new(bot) as Box<dyn ByteStream>)
        })
    }

    fn draw_jitter(&self) -> u32 {
        // Few house bots reconnect at the same time, so their pauses need not differ.
        0
    }
}

/// Plays as a house bot until the server stops. A lost session is reopened; a run that ends for another reason is
/// restarted.
async fn run_hosted_bot(
    hosted: HostedBot,
    server: ServerAddress,
    token: Token,
    stopped: watch::Receiver<()>,
) {
    let HostedBot { name, bot } = hosted;
    loop {
        let options = Options::new(server.clone(), token.reveal());
        let mut until = stopped.clone();
        let stop = async move {
            // Nothing is ever sent: the wait ends when the sender is dropped.
            let _ = until.changed().await;
        };
        // The client does not log, because the server already logs sessions.
        let playing = lastnim_client::run_until(QuietBot(bot.build_bot(0)), options, stop);
        match playing.with_subscriber(NoSubscriber::default()).await {
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(bot = %name, %error, "a house bot stopped with an error: restarting it");
            }
        }
        sleep(RESTART_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hosted_bot_may_have_another_name() {
        for text in ["oracle", "easy=timid"] {
            assert_eq!(text.parse::<HostedBot>().unwrap().to_string(), text);
        }
        assert_eq!("timid = timid".parse::<HostedBot>().unwrap().to_string(), "timid");
        let refusal = |text: &str| text.parse::<HostedBot>().unwrap_err().to_string();
        assert!(
            refusal("orakle").starts_with("house bot \"orakle\": expected one of random"),
            "{}",
            refusal("orakle")
        );
        assert!(refusal("No One=timid").starts_with("bot name \"No One\""), "{}", refusal("No One=timid"));
        assert!(refusal("easy=").contains("house bot \"\""), "{}", refusal("easy="));
    }

    #[test]
    fn the_local_address_reaches_the_server() {
        let reached_address = |listener: &str| local_address(listener.parse().unwrap()).to_string();
        assert_eq!(reached_address("0.0.0.0:7"), "127.0.0.1:7");
        assert_eq!(reached_address("[::]:7"), "[::1]:7");
        assert_eq!(reached_address("10.1.2.3:7"), "10.1.2.3:7");
    }
}
