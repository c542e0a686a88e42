//! Whose turn it is.

use super::caller::Caller;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Gives out turns, a bounded number at once: to one caller at most half of them, and to whoever has waited longest.
///
/// What else a caller has to ask waits behind its own and not in the line, so that others have no more than its share
/// before them.
#[derive(Debug)]
pub(super) struct Line {
    turns: Arc<Semaphore>,
    /// Turns of one caller at once, running or in the line.
    share: usize,
    shares: Arc<Shares>,
}

/// The share of every caller that has a turn or waits for one.
#[derive(Debug, Default)]
struct Shares {
    by_caller: Mutex<HashMap<Caller, Share>>,
}

#[derive(Debug)]
struct Share {
    turns: Arc<Semaphore>,
    holders: usize,
}

/// Keeps the share of a caller as long as somebody has or wants a part of it.
#[derive(Debug)]
struct Holder {
    shares: Arc<Shares>,
    caller: Caller,
    turns: Arc<Semaphore>,
}

/// A turn; the next one has it when this is dropped.
#[derive(Debug)]
#[must_use = "the turn is over when it is dropped"]
pub(super) struct Turn {
    _of_all: OwnedSemaphorePermit,
    _of_caller: OwnedSemaphorePermit,
    _holder: Holder,
}

impl Line {
    /// Gives out so many turns at once.
    pub(super) fn new(at_once: usize) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        let share = (at_once / 2).max(1);
        Self { turns: Arc::new(Semaphore::new(at_once)), share, shares: Arc::default() }
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self, caller: &Caller) -> Turn {
        const OPEN: &str = "these semaphores are never closed";
        let holder = self.shares.hold(caller, self.share);
        let of_caller = Arc::clone(&holder.turns).acquire_owned().await.expect(OPEN);
        let of_all = Arc::clone(&self.turns).acquire_owned().await.expect(OPEN);
        Turn { _of_all: of_all, _of_caller: of_caller, _holder: holder }
    }

    /// Returns how many turns are free.
    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.turns.available_permits()
    }
}

impl Shares {
    fn hold(self: &Arc<Self>, caller: &Caller, size: usize) -> Holder {
        let mut by_caller = self.lock();
        let share = by_caller
            .entry(caller.clone())
            .or_insert_with(|| Share { turns: Arc::new(Semaphore::new(size)), holders: 0 });
        share.holders += 1;
        Holder { shares: Arc::clone(self), caller: caller.clone(), turns: Arc::clone(&share.turns) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Caller, Share>> {
        self.by_caller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        if let Entry::Occupied(mut share) = self.shares.lock().entry(self.caller.clone()) {
            share.get_mut().holders -= 1;
            if share.get().holders == 0 {
                share.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn caller(name: &str) -> Caller {
        Caller::Bot(name.parse().unwrap())
    }

    fn poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(ready) => Some(ready),
            Poll::Pending => None,
        }
    }

    #[test]
    fn whoever_asks_much_leaves_turns_to_others() {
        let line = Line::new(4);
        let (greedy, modest) = (caller("greedy"), caller("modest"));
        let first = poll(pin!(line.turn(&greedy))).unwrap();
        let _second = poll(pin!(line.turn(&greedy))).unwrap();
        let mut third = pin!(line.turn(&greedy));
        assert!(poll(third.as_mut()).is_none(), "half of the turns is the most");
        let _turn = poll(pin!(line.turn(&modest))).unwrap();
        assert_eq!(line.free(), 1);
        drop(first);
        assert!(poll(third.as_mut()).is_some());
    }

    #[test]
    fn nobody_waits_behind_all_that_another_asks() {
        let line = Line::new(1);
        let (greedy, modest) = (caller("greedy"), caller("modest"));
        let turn = poll(pin!(line.turn(&greedy))).unwrap();
        let mut second = pin!(line.turn(&greedy));
        let mut third = pin!(line.turn(&greedy));
        let mut other = pin!(line.turn(&modest));
        assert!([second.as_mut(), third.as_mut()].into_iter().all(|waiting| poll(waiting).is_none()));
        assert!(poll(other.as_mut()).is_none());
        drop(turn);
        assert!(poll(second.as_mut()).is_none(), "others that wait come first");
        let turn = poll(other.as_mut()).unwrap();
        drop(turn);
        let turn = poll(second.as_mut()).unwrap();
        assert!(poll(third.as_mut()).is_none());
        drop(turn);
        drop(poll(third.as_mut()).unwrap());
        assert_eq!((line.free(), line.shares.lock().len()), (1, 0), "nobody is remembered");
    }

    #[test]
    fn whoever_gives_up_waiting_leaves_nothing_behind() {
        let line = Line::new(1);
        let turn = poll(pin!(line.turn(&caller("first")))).unwrap();
        {
            let second = caller("second");
            let given_up = line.turn(&second);
            assert!(poll(pin!(given_up)).is_none());
        }
        assert_eq!(line.shares.lock().len(), 1);
        drop(turn);
        assert_eq!((line.free(), line.shares.lock().len()), (1, 0));
    }
}
