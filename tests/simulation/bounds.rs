//! Compares the resources that a server holds with its limits: every queue is bounded, and nothing is left of finished
//! matches.

use super::players::bot_name;
use super::world::World;
use lastnim_arena::{Arena, Limits};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::sleep;

/// The interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The resources that a server holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldResources {
    sessions: usize,
    open_matches: usize,
    open_tournaments: usize,
    /// Matches that are open or have ended since the server started.
    matches: usize,
    waiting_commits: usize,
    /// The length of the longest queue of a bot.
    longest_queue: usize,
    tasks: usize,
}

impl HeldResources {
    /// Measures an arena; `None` while its store cannot be read.
    async fn by(arena: &Arena, world: &World) -> Option<Self> {
        let mut longest_queue = 0;
        for bot in 0..world.plan.setting.bots.len() {
            let view = arena.bot(&bot_name(&world.plan, bot)).await.ok()?;
            let waiting = view.session.map_or(0, |session| session.waiting_message_count());
            longest_queue = longest_queue.max(waiting);
        }
        let measured = arena.measurements();
        Some(Self {
            sessions: measured.sessions,
            open_matches: measured.open_matches,
            open_tournaments: measured.open_tournaments,
            matches: measured.open_matches + measured.played.ended_matches as usize,
            waiting_commits: measured.waiting_commits as usize,
            longest_queue,
            tasks: Handle::current().metrics().num_alive_tasks(),
        })
    }

    /// Returns whether nothing is left of finished matches, apart from a ping just sent, and no bot has more than one
    /// session.
    pub fn is_nothing_left(&self, bots: usize) -> bool {
        let left = [self.open_matches, self.open_tournaments, self.waiting_commits];
        left == [0; 3] && self.longest_queue <= 1 && self.sessions <= bots
    }

    /// Describes what exceeds its limit, if anything.
    fn excess(&self, world: &World, limits: &Limits) -> Option<String> {
        let setting = &world.plan.setting;
        let (bots, tournaments) = (setting.bots.len(), &setting.tournaments);
        let concurrency: usize = tournaments.iter().map(|tournament| tournament.concurrency).sum();
        let seats = tournaments.iter().map(|tournament| tournament.seats).max().unwrap_or_default();
        // Each match may send a seat this many messages between two of its turns, and all of them may be in a queue
        // that never empties.
        let queue = limits.session_outbox_limit() + self.matches * (2 * seats + 8);
        let bounds = [
            ("sessions", self.sessions, 2 * bots),
            ("open matches", self.open_matches, concurrency),
            ("open tournaments", self.open_tournaments, tournaments.len()),
            ("commits that wait", self.waiting_commits, self.open_matches + 2 * tournaments.len() + bots),
            ("messages that wait for one bot", self.longest_queue, queue),
            ("tasks", self.tasks, 32 + 6 * bots),
        ];
        let (what, held, max) = bounds.into_iter().find(|&(_, held, max)| held > max)?;
        Some(format!("{held} {what}, expected at most {max}: {self:?}"))
    }
}

/// Checks the resources that a server holds as long as its host runs.
pub async fn watch_bounds(world: Arc<World>, server: usize, arena: Arena, limits: Limits) {
    loop {
        sleep(CHECK_INTERVAL).await;
        let Some(held) = HeldResources::by(&arena, &world).await else { continue };
        world.note_held(server, held);
        if let Some(excess) = held.excess(&world, &limits) {
            return world.history.note_violation("what a server holds is limited", excess);
        }
    }
}
