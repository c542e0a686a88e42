//! The timer for all matches of a shard.

use super::handle::ShardCore;
use std::sync::{Arc, Weak};
use tokio::sync::Notify;

/// Checks the shard's clocks when one may have run out, for as long as the shard exists.
pub(super) async fn run_timer(core: Weak<ShardCore>, alarm_changed: Arc<Notify>) {
    loop {
        let rings_at = {
            let Some(core) = core.upgrade() else { return };
            core.set_timer()
        };
        match rings_at {
            None => alarm_changed.notified().await,
            Some(at) => tokio::select! {
                biased;
                () = tokio::time::sleep_until(at) => {
                    let Some(core) = core.upgrade() else { return };
                    core.tick();
                }
                () = alarm_changed.notified() => {}
            },
        }
    }
}
