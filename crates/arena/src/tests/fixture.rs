//! An arena with two registered bots.

use super::shaky_store::{ShakyStore, shaky_store};
use crate::matches::open_matches::{BegunMatch, MatchFuture};
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

/// No wait in these tests comes near it unless something is wrong.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// What each seat of the duel has in its bank.
pub(crate) const BANK: Duration = Duration::from_mins(1);

/// A request as it comes from the network.
pub(crate) type Request = Result<pb::PlayRequest, Infallible>;

/// Waits for something that is bound to come.
pub(crate) async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, coming).await.unwrap_or_else(|_| panic!("{what}: not within {LONG:?}"))
}

pub(crate) fn name(bot: &str) -> BotName {
    bot.parse().unwrap()
}

/// Opens an arena for the bots `first` and `second`.
pub(crate) async fn arena() -> Arena {
    arena_on(Backend::in_memory().store).await
}

/// Opens an arena for the two on a store that is out of order whenever it is told to be.
pub(crate) async fn shaky_arena() -> (Arc<ShakyStore>, Arena) {
    let store = shaky_store();
    let arena = arena_on(store.clone()).await;
    (store, arena)
}

/// Opens an arena for the two on a store.
pub(crate) async fn arena_on(store: Arc<dyn Store>) -> Arena {
    let arena = reopen(store).await;
    register(&arena).await;
    arena
}

/// Opens an arena for the two with limits of its own.
pub(crate) async fn arena_with(limits: Limits) -> Arena {
    let arena = Arena::open(limits, Backend::in_memory(), []).await.unwrap();
    register(&arena).await;
    arena
}

async fn register(arena: &Arena) {
    for bot in ["first", "second"] {
        arena.register_bot(name(bot)).await.unwrap();
    }
}

/// Opens an arena on a store in which the bots are registered already.
pub(crate) async fn reopen(store: Arc<dyn Store>) -> Arena {
    let backend = Backend { store, ..Backend::in_memory() };
    Arena::open(Limits::default(), backend, []).await.unwrap()
}

/// A match of the two whose rows are given and whose clocks do not run out.
pub(crate) fn duel() -> MatchSetup {
    let bots: BySeat<BotName> = vec![name("first"), name("second")].try_into().unwrap();
    let mut setup = MatchSetup::new(bots, Piles::parse(&[2, 3]).unwrap());
    setup.assigned = Some(AllianceMatrix::standard(setup.seats()));
    setup.terms.clock = Clock { initial: BANK, ..setup.terms.clock };
    setup
}

/// Begins the duel.
pub(crate) fn begin(arena: &Arena) -> Result<BegunMatch<impl MatchFuture + use<>>, ArenaError> {
    arena.begin_match(duel(), OracleAccess::Open)
}

/// Opens a session and runs it; what its bot says goes into the sender.
pub(crate) fn connect(
    arena: &Arena,
    bot: &str,
) -> Result<(mpsc::UnboundedSender<Request>, OutboxStream<ServerEvent>), ArenaError> {
    connect_as(arena, bot, BotVersion::default())
}

/// Opens a session that says its version, and runs it.
pub(crate) fn connect_as(
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

/// Runs a session whose bot says nothing.
pub(crate) async fn run_silent(session: Session) {
    session.run(tokio_stream::pending::<Result<_, Infallible>>()).await;
}

/// Reads on until the given thing is sent.
pub(crate) async fn until<T>(
    stream: &mut OutboxStream<ServerEvent>,
    wanted: impl Fn(&ServerEvent) -> Option<T>,
) -> T {
    let reading = async {
        loop {
            let event = stream.next().await.expect("the stream goes on").expect("nothing closes it");
            if let Some(found) = wanted(&event) {
                return found;
            }
        }
    };
    soon("an event", reading).await
}
