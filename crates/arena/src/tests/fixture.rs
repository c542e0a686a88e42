//! Helpers for tests, such as an arena with two registered bots.

use super::shaky_store::{ShakyStore, shaky_store};
use crate::matches::open_matches::{MatchFuture, StartedMatch};
use crate::{Arena, ArenaError, Backend, Limits, OutboxStream, Session};
use lastnim_core::game::{AllianceMatrix, BotName, BotVersion, BySeat, Piles};
use lastnim_core::referee::{Clock, MatchSetup};
use lastnim_proto::{BotAction, ServerEvent, pb};
use lastnim_store::Store;
use lastnim_tournament::OracleAccess;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::UnboundedReceiverStream;

/// A timeout that no wait reaches unless something is wrong.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(5);

/// The time bank of each seat in the duel.
pub(crate) const BANK: Duration = Duration::from_mins(1);

/// A request as the network delivers it.
pub(crate) type Request = Result<pb::PlayRequest, Infallible>;

/// Awaits a future that must resolve within the timeout.
pub(crate) async fn with_timeout<T>(what: &str, coming: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, coming).await.unwrap_or_else(|_| panic!("{what}: not within {TIMEOUT:?}"))
}

pub(crate) fn name(bot: &str) -> BotName {
    bot.parse().unwrap()
}

/// Opens an arena with the bots `first` and `second`.
pub(crate) async fn arena() -> Arena {
    arena_with_store(Backend::in_memory().store).await
}

/// Opens an arena with both bots on a store that can be made to fail.
pub(crate) async fn shaky_arena() -> (Arc<ShakyStore>, Arena) {
    let store = shaky_store();
    let arena = arena_with_store(store.clone()).await;
    (store, arena)
}

/// Opens an arena with both bots on the given store.
pub(crate) async fn arena_with_store(store: Arc<dyn Store>) -> Arena {
    let arena = reopen(store).await;
    register(&arena).await;
    arena
}

/// Opens an arena with both bots and custom limits.
pub(crate) async fn arena_with_limits(limits: Limits) -> Arena {
    let arena = Arena::open(limits, Backend::in_memory(), []).await.unwrap();
    register(&arena).await;
    arena
}

async fn register(arena: &Arena) {
    for bot in ["first", "second"] {
        arena.register_bot(name(bot)).await.unwrap();
    }
}

/// Opens an arena on a store in which the bots are already registered.
pub(crate) async fn reopen(store: Arc<dyn Store>) -> Arena {
    let backend = Backend { store, ..Backend::in_memory() };
    Arena::open(Limits::default(), backend, []).await.unwrap()
}

/// Returns the setup of a match between both bots, with assigned rows and long clocks.
pub(crate) fn duel_setup() -> MatchSetup {
    let bots: BySeat<BotName> = vec![name("first"), name("second")].try_into().unwrap();
    let mut setup = MatchSetup::new(bots, Piles::parse(&[2, 3]).unwrap());
    setup.assigned = Some(AllianceMatrix::standard(setup.seats()));
    setup.terms.clock = Clock { initial: BANK, ..setup.terms.clock };
    setup
}

pub(crate) fn begin(arena: &Arena) -> Result<StartedMatch<impl MatchFuture + use<>>, ArenaError> {
    arena.begin_match(duel_setup(), None, OracleAccess::Open, None)
}

/// Opens and runs a session; returns a sender for the bot's messages, and the stream to the bot.
pub(crate) fn connect(
    arena: &Arena,
    bot: &str,
) -> Result<(mpsc::UnboundedSender<Request>, OutboxStream<ServerEvent>), ArenaError> {
    connect_with_version(arena, bot, BotVersion::default())
}

/// Opens and runs a session whose bot reports the given version.
pub(crate) fn connect_with_version(
    arena: &Arena,
    bot: &str,
    version: BotVersion,
) -> Result<(mpsc::UnboundedSender<Request>, OutboxStream<ServerEvent>), ArenaError> {
    let (session, stream) = arena.open_session(name(bot), version)?;
    let (requests, inbox) = mpsc::unbounded_channel();
    let inbound = UnboundedReceiverStream::new(inbox).map(|sent: Request| sent.map(BotAction::try_from));
    tokio::spawn(session.run(inbound));
    Ok((requests, stream))
}

/// Runs a session whose bot sends nothing.
pub(crate) async fn run_without_messages(session: Session) {
    session.run(tokio_stream::pending::<Result<_, Infallible>>()).await;
}

/// Reads events until `wanted` returns a value for one of them, and returns that value.
pub(crate) async fn read_until<T>(
    stream: &mut OutboxStream<ServerEvent>,
    wanted: impl Fn(&ServerEvent) -> Option<T>,
) -> T {
    let reading = async {
        loop {
            let event = stream.next().await.expect("the stream continues").expect("it is not closed");
            if let Some(found) = wanted(&event) {
                return found;
            }
        }
    };
    with_timeout("an event", reading).await
}
