//! A site without a server, for tests of pages.

use super::bot_audits::BotAudits;
use super::live::Feeds;
use super::page_cache::PageCache;
use super::sign_in::SignIns;
use super::site::Site;
use super::tournament_headlines::KeptHeadlines;
use super::visitor::Visitor;
use super::visitor_channel::VisitorChannel;
use lastnim_arena::{Arena, NewTournament};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_rpc::{
    Access, AddressLimiter, BotGames, BotRpc, ClientAddress, EntryRpc, GuestGames, GuestLimits, LoginLimits,
    MatchRpc, OracleRpc, ReadScheduler, TournamentRpc, TranscriptRpc,
};
use lastnim_tournament::{
    AllianceSource, BoundedCount, LadderPairing, LadderSettings, Settings, SettingsDraft, TableGroups,
    TournamentFormat, testing,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tonic::codegen::http::{HeaderMap, Uri};

/// The number of newer cancelled tournaments: more than fit on one page of a list.
const NEWER_TOURNAMENTS: usize = 1_001;

/// Returns a site that anyone can read; at most `reads` reads run at the same time.
pub(super) fn open_site(arena: &Arena, reads: usize) -> Site {
    let minute = Duration::from_mins(1);
    let mut access = Access::tokens_only(arena.clone(), Arc::new(LoginLimits::new(10, minute)));
    access.private = false;
    let reads = ReadScheduler::new(arena.clone(), access.clone(), reads);
    let registrations = AddressLimiter::new(10, minute);
    let guest_limits = GuestLimits { per_minute: 20, per_address: 8, idle_timeout: 2 * minute };
    Site {
        arena: arena.clone(),
        public_url: None,
        tournaments: TournamentRpc::new(arena.clone(), access.clone(), reads.clone()),
        matches: MatchRpc::new(arena.clone(), access.clone(), reads.clone()),
        bots: BotRpc::new(arena.clone(), access.clone(), reads.clone(), registrations),
        entries: EntryRpc::new(arena.clone(), access.clone()),
        transcripts: TranscriptRpc::new(arena.clone(), access.clone(), reads.clone()),
        oracle: OracleRpc::new(arena.clone(), access.clone(), 1),
        guests: GuestGames::new(arena.clone(), access.clone(), guest_limits),
        sign_ins: SignIns::new(arena, minute),
        bot_games: BotGames::new(arena.clone(), access.clone()),
        metrics: None,
        feeds: Feeds::default(),
        kept: PageCache::default(),
        headlines: KeptHeadlines::default(),
        audits: BotAudits::default(),
        access,
        reads,
    }
}

thread_local! {
    static IS_SLOW_WORK_FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Makes slow work on this thread fail, as it would delay the messages that the thread handles.
pub(super) fn forbid_slow_work() {
    IS_SLOW_WORK_FORBIDDEN.set(true);
}

/// Fails on a thread that forbids slow work.
pub(super) fn check_slow_work_allowed() {
    assert!(!IS_SLOW_WORK_FORBIDDEN.get(), "slow work on a thread that handles messages");
}

pub(super) fn stranger() -> Visitor {
    let (uri, headers) = (Uri::from_static("/"), HeaderMap::new());
    Visitor::of_request(ClientAddress::UNKNOWN, VisitorChannel::Plain, &uri, &headers)
}

/// Lets two bots that never connect play a tournament to its end.
pub(super) async fn finished_tournament(arena: &Arena) {
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in ["one", "two"].map(|bot| bot.parse().unwrap()) {
        arena.register_bot(bot).await.unwrap();
    }
    for bot in ["one", "two"].map(|bot| bot.parse().unwrap()) {
        arena.join_tournament(id, &bot).await.unwrap();
    }
    arena.start_tournament(id).await.unwrap();
    arena.wait_until_over(id).await.unwrap();
}

/// Starts a ladder of two bots, then finishes many newer tournaments.
pub(super) async fn start_old_ladder(arena: &Arena, bots: [&BotName; 2]) -> TournamentId {
    let plain = testing::settings(2, 1, AllianceSource::Standard);
    let ladder = LadderSettings {
        groups: None,
        table_groups: TableGroups::ONE,
        suspend_after: BoundedCount::new(2).unwrap(),
        pairing: LadderPairing::default(),
    };
    let draft = SettingsDraft { format: TournamentFormat::Ladder(ladder), ..(*plain).clone() };
    let create = async |settings| {
        let new = NewTournament { settings, terms: Terms::default() };
        arena.create_tournament(new).await.unwrap().stored.id
    };
    let id = create(Settings::new(draft).unwrap()).await;
    for bot in bots {
        arena.register_bot(bot.clone()).await.unwrap();
        arena.join_tournament(id, bot).await.unwrap();
    }
    arena.start_tournament(id).await.unwrap();
    for _ in 0..NEWER_TOURNAMENTS {
        arena.cancel_tournament(create(plain.clone()).await).await.unwrap();
    }
    id
}
