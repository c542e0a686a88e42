//! A fair queue of turns.

use super::caller::{CallSource, Caller, CallerConnection};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How often a paused request checks whether it is still wanted.
const WANTED_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Grants a limited number of turns at the same time.
///
/// A free turn goes to the waiting caller with the fewest turns; among several of these, to the one that has waited
/// longest since its last turn. So a caller that is alone can get all turns, but a busy one leaves some to others. If
/// the calls of one caller come from several sources, the sources take turns. A long request lends its turn to others
/// from time to time, and continues when it gets a turn back.
#[derive(Debug)]
pub(crate) struct RequestQueue {
    shared: Arc<QueueShared>,
}

/// The part of a queue that its turns and waiting requests share.
#[derive(Debug)]
struct QueueShared {
    queue: Mutex<QueueState>,
    /// The number of waiting callers, readable without the lock.
    waiting_callers: AtomicUsize,
}

/// The free turns of a queue, and its callers.
#[derive(Debug)]
struct QueueState {
    free_turns: usize,
    /// The maximum number of requests that have begun but not ended, whether they run now or not, since each may hold
    /// memory.
    max_begun: usize,
    begun: usize,
    /// Every caller that has a turn or waits for one.
    shares: HashMap<Caller, CallerShare>,
    /// Waiting callers. Among callers with the same number of turns, the one nearest to the front is next.
    waiting: VecDeque<Caller>,
}

/// The turns and the waiting requests of one caller.
#[derive(Debug, Default)]
struct CallerShare {
    turns: usize,
    /// The caller's requests that have lent their turns to others. The one at the front continues first.
    interrupted: VecDeque<Waiter>,
    /// The caller's requests that have not begun, by source. The source at the front is next.
    sources: VecDeque<(Option<CallSource>, VecDeque<Waiter>)>,
}

/// Grants a turn to a waiting request; it is closed once that request has left.
type Waiter = oneshot::Sender<()>;

/// Whether a request has already begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaiterStage {
    New,
    Interrupted,
}

/// A waiting request, which leaves the queue when dropped.
#[derive(Debug)]
struct QueuedRequest {
    shared: Arc<QueueShared>,
    asker: CallerConnection,
    granted: oneshot::Receiver<()>,
}

/// A turn, which passes to the next waiter when dropped.
#[derive(Debug)]
#[must_use = "dropping it ends the turn"]
pub(crate) struct Turn {
    shared: Arc<QueueShared>,
    asker: CallerConnection,
    is_lent: bool,
}

impl CallerShare {
    fn has_waiters(&self) -> bool {
        !(self.interrupted.is_empty() && self.sources.is_empty())
    }

    fn push(&mut self, source: Option<CallSource>, waiter: Waiter, stage: WaiterStage) {
        if stage == WaiterStage::Interrupted {
            self.interrupted.push_back(waiter);
            return;
        }
        match self.sources.iter_mut().find(|(of, _)| *of == source) {
            Some((_, waiters)) => waiters.push_back(waiter),
            None => self.sources.push_back((source, VecDeque::from([waiter]))),
        }
    }

    /// Removes and returns the next waiter.
    fn pop_next(&mut self) -> Option<Waiter> {
        if let Some(waiter) = self.interrupted.pop_front() {
            return Some(waiter);
        }
        let (source, mut waiters) = self.sources.pop_front()?;
        let waiter = waiters.pop_front();
        if !waiters.is_empty() {
            self.sources.push_back((source, waiters));
        }
        waiter
    }

    /// Removes waiters that have left.
    fn remove_departed(&mut self) {
        self.interrupted.retain(|waiter| !waiter.is_closed());
        self.sources.retain_mut(|(_, waiters)| {
            waiters.retain(|waiter| !waiter.is_closed());
            !waiters.is_empty()
        });
    }
}

impl QueueState {
    fn turns_of(&self, caller: &Caller) -> usize {
        self.shares.get(caller).map_or(0, |share| share.turns)
    }

    fn grant_free_turns(&mut self) {
        while self.free_turns > 0
            && let Some(place) = (0..self.waiting.len()).min_by_key(|&at| self.turns_of(&self.waiting[at]))
            && let Some(caller) = self.waiting.remove(place)
        {
            let Some(share) = self.shares.get_mut(&caller) else { continue };
            if let Some(waiter) = share.pop_next()
                && waiter.send(()).is_ok()
            {
                share.turns += 1;
                self.free_turns -= 1;
            }
            if share.has_waiters() {
                self.waiting.push_back(caller);
            } else {
                self.forget_idle_caller(&caller);
            }
        }
    }

    fn enqueue(&mut self, asker: &CallerConnection, stage: WaiterStage) -> oneshot::Receiver<()> {
        let (waiter, granted) = oneshot::channel();
        let share = self.shares.entry(asker.caller.clone()).or_default();
        if !share.has_waiters() {
            self.waiting.push_back(asker.caller.clone());
        }
        share.push(asker.source, waiter, stage);
        granted
    }

    /// Removes a caller's waiters that have left.
    fn remove_departed(&mut self, caller: &Caller) {
        let Some(share) = self.shares.get_mut(caller) else { return };
        share.remove_departed();
        if !share.has_waiters() {
            self.waiting.retain(|waiting| waiting != caller);
        }
        self.forget_idle_caller(caller);
    }

    /// Takes a turn back. If its caller is waiting for another turn, that caller moves behind all other waiting
    /// callers.
    fn return_turn(&mut self, caller: &Caller) {
        if let Some(share) = self.shares.get_mut(caller) {
            share.turns -= 1;
            if share.has_waiters() {
                self.waiting.retain(|waiting| waiting != caller);
                self.waiting.push_back(caller.clone());
            }
        }
        self.free_turns += 1;
        self.forget_idle_caller(caller);
    }

    /// Removes a caller that has neither turns nor waiters.
    fn forget_idle_caller(&mut self, caller: &Caller) {
        if self.shares.get(caller).is_some_and(|share| share.turns == 0 && !share.has_waiters()) {
            self.shares.remove(caller);
        }
    }
}

impl QueueShared {
    /// Changes the queue, and then grants free turns.
    fn update<T>(&self, act: impl FnOnce(&mut QueueState) -> T) -> T {
        let mut queue = self.lock();
        let done = act(&mut queue);
        queue.grant_free_turns();
        self.waiting_callers.store(queue.waiting.len(), Ordering::Relaxed);
        done
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestQueue {
    /// Creates a queue that grants `max_concurrent` turns at the same time. At most four times as many requests may have begun
    /// but not ended.
    pub(crate) fn new(max_concurrent: usize) -> Self {
        let max_concurrent = max_concurrent.max(1);
        let queue = QueueState {
            free_turns: max_concurrent,
            max_begun: max_concurrent.saturating_mul(4),
            begun: 0,
            shares: HashMap::new(),
            waiting: VecDeque::new(),
        };
        let shared = QueueShared { queue: Mutex::new(queue), waiting_callers: AtomicUsize::new(0) };
        Self { shared: Arc::new(shared) }
    }

    /// Waits for a turn.
    pub(crate) async fn wait_for_turn(&self, asker: &CallerConnection) -> Turn {
        let granted = self.shared.update(|queue| queue.enqueue(asker, WaiterStage::New));
        let mut waiting = QueuedRequest { shared: Arc::clone(&self.shared), asker: asker.clone(), granted };
        // The sender is dropped only when the turn is granted, or after this request has left.
        let _granted = (&mut waiting.granted).await;
        self.shared.lock().begun += 1;
        Turn { shared: Arc::clone(&self.shared), asker: asker.clone(), is_lent: false }
    }

    #[cfg(test)]
    pub(crate) fn free_turn_count(&self) -> usize {
        self.shared.lock().free_turns
    }
}

impl Drop for QueuedRequest {
    fn drop(&mut self) {
        if self.granted.is_terminated() {
            return;
        }
        let Self { shared, asker, granted } = self;
        shared.update(|queue| {
            granted.close();
            match granted.try_recv() {
                // The turn was granted but not taken.
                Ok(()) => queue.return_turn(&asker.caller),
                Err(_) => queue.remove_departed(&asker.caller),
            }
        });
    }
}

impl Turn {
    /// Lends the turn to another waiting caller with fewer turns, and blocks until it gets a turn back; returns at once
    /// if there is no such caller. Returns false if the turn is no longer wanted. This blocks its thread, so do not
    /// call it on a runtime thread.
    pub(crate) fn yield_and_wait(&mut self, is_wanted: impl Fn() -> bool) -> bool {
        if self.shared.waiting_callers.load(Ordering::Relaxed) == 0 {
            return true;
        }
        let Some(mut waiting) = self.give_up_and_requeue() else { return true };
        Handle::current().block_on(async {
            loop {
                if timeout(WANTED_CHECK_INTERVAL, &mut waiting.granted).await.is_ok() {
                    self.is_lent = false;
                    return true;
                }
                if !is_wanted() {
                    return false;
                }
            }
        })
    }

    /// Releases the turn and joins the queue again, if another waiting caller has fewer turns.
    fn give_up_and_requeue(&mut self) -> Option<QueuedRequest> {
        let (shared, asker) = (&self.shared, &self.asker);
        let granted = shared.update(|queue| {
            let own = queue.turns_of(&asker.caller);
            let has_fewer = |caller: &Caller| queue.turns_of(caller) < own;
            if queue.begun >= queue.max_begun || !queue.waiting.iter().any(has_fewer) {
                return None;
            }
            let granted = queue.enqueue(asker, WaiterStage::Interrupted);
            queue.return_turn(&asker.caller);
            Some(granted)
        })?;
        self.is_lent = true;
        Some(QueuedRequest { shared: Arc::clone(shared), asker: asker.clone(), granted })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.shared.update(|queue| {
            queue.begun -= 1;
            if !self.is_lent {
                queue.return_turn(&self.asker.caller);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::pin::{Pin, pin};
    use std::sync::atomic::AtomicBool;
    use std::task::{Context, Poll, Waker};
    use tokio::task::spawn_blocking;

    fn asker(name: &str) -> CallerConnection {
        caller_at_port(name, 1)
    }

    fn caller_at_port(name: &str, port: u16) -> CallerConnection {
        let source = Some(CallSource::Connection((Ipv4Addr::LOCALHOST, port).into()));
        CallerConnection { caller: Caller::Bot(name.parse().unwrap()), source }
    }

    fn poll_once<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(ready) => Some(ready),
            Poll::Pending => None,
        }
    }

    fn has_no_callers(line: &RequestQueue) -> bool {
        let queue = line.shared.lock();
        queue.shares.is_empty() && queue.waiting.is_empty() && queue.begun == 0
    }

    #[test]
    fn a_single_caller_may_use_all_turns_but_others_come_next() {
        let line = RequestQueue::new(2);
        let (greedy, modest) = (asker("greedy"), asker("modest"));
        let first = poll_once(pin!(line.wait_for_turn(&greedy))).unwrap();
        let second = poll_once(pin!(line.wait_for_turn(&greedy))).unwrap();
        let mut third = pin!(line.wait_for_turn(&greedy));
        let mut other = pin!(line.wait_for_turn(&modest));
        assert!(poll_once(third.as_mut()).is_none() && poll_once(other.as_mut()).is_none());
        drop(first);
        assert!(poll_once(third.as_mut()).is_none(), "waiting callers with fewer turns come first");
        let others = poll_once(other.as_mut()).unwrap();
        drop(second);
        let third = poll_once(third.as_mut()).unwrap();
        drop((others, third));
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (2, true));
    }

    #[test]
    fn callers_and_their_connections_take_turns() {
        let line = RequestQueue::new(1);
        let turn = poll_once(pin!(line.wait_for_turn(&asker("first")))).unwrap();
        let askers = [
            caller_at_port("a", 1),
            caller_at_port("a", 1),
            caller_at_port("a", 1),
            caller_at_port("a", 2),
            caller_at_port("b", 3),
            caller_at_port("c", 4),
        ];
        let mut waiting: Vec<_> = askers.iter().map(|asker| Box::pin(line.wait_for_turn(asker))).collect();
        assert!(waiting.iter_mut().all(|turn| poll_once(turn.as_mut()).is_none()));
        drop(turn);
        let mut order = Vec::new();
        while order.len() < askers.len() {
            let ready = (0..askers.len())
                .filter(|at| !order.contains(at))
                .find_map(|at| Some((at, poll_once(waiting[at].as_mut())?)));
            // The turn is dropped here at once, so it goes to the next waiter.
            order.push(ready.expect("a turn was granted").0);
        }
        assert_eq!(order, [0, 4, 5, 3, 1, 2]);
        drop(waiting);
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }

    #[test]
    fn a_caller_that_just_had_a_turn_comes_after_others() {
        let line = RequestQueue::new(1);
        let (greedy, modest) = (asker("greedy"), asker("modest"));
        let turn = poll_once(pin!(line.wait_for_turn(&greedy))).unwrap();
        let mut second = pin!(line.wait_for_turn(&greedy));
        let mut other = pin!(line.wait_for_turn(&modest));
        assert!(poll_once(second.as_mut()).is_none() && poll_once(other.as_mut()).is_none());
        drop(turn);
        assert!(poll_once(second.as_mut()).is_none());
        drop(poll_once(other.as_mut()).unwrap());
        drop(poll_once(second.as_mut()).unwrap());
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }

    #[test]
    fn a_waiting_caller_that_leaves_is_removed_from_the_queue() {
        let line = RequestQueue::new(1);
        let turn = poll_once(pin!(line.wait_for_turn(&asker("first")))).unwrap();
        {
            let second = asker("second");
            assert!(poll_once(pin!(line.wait_for_turn(&second))).is_none());
        }
        assert_eq!(line.shared.lock().shares.len(), 1);
        {
            let third = asker("third");
            let mut given_up = pin!(line.wait_for_turn(&third));
            assert!(poll_once(given_up.as_mut()).is_none());
            drop(turn);
            assert_eq!(line.free_turn_count(), 0, "it was granted but not taken");
        }
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }

    #[tokio::test]
    async fn a_long_request_lends_its_turn_to_others() {
        let line = RequestQueue::new(1);
        let mut long = line.wait_for_turn(&asker("long")).await;
        let own = asker("long");
        let mut own = pin!(line.wait_for_turn(&own));
        assert!(poll_once(own.as_mut()).is_none());
        assert!(long.yield_and_wait(|| true), "no other caller waits");
        assert_eq!(line.free_turn_count(), 0);
        let short = asker("short");
        let mut short = pin!(line.wait_for_turn(&short));
        assert!(poll_once(short.as_mut()).is_none());
        let lending = spawn_blocking(move || {
            let is_back = long.yield_and_wait(|| true);
            (long, is_back)
        });
        let short = short.await;
        assert!(poll_once(own.as_mut()).is_none() && !lending.is_finished());
        drop(short);
        let (long, is_back) = lending.await.unwrap();
        assert!(is_back && poll_once(own.as_mut()).is_none(), "requests that have begun come first");
        drop(long);
        drop(own.await);
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }

    #[tokio::test]
    async fn a_caller_that_left_does_not_take_back_its_lent_turn() {
        let line = RequestQueue::new(1);
        let mut long = line.wait_for_turn(&asker("long")).await;
        let short = asker("short");
        let mut short = pin!(line.wait_for_turn(&short));
        assert!(poll_once(short.as_mut()).is_none());
        let left = Arc::new(AtomicBool::new(false));
        let is_gone = Arc::clone(&left);
        let lending = spawn_blocking(move || long.yield_and_wait(|| !is_gone.load(Ordering::Relaxed)));
        let short = short.await;
        left.store(true, Ordering::Relaxed);
        assert!(!lending.await.unwrap());
        assert_eq!(line.free_turn_count(), 0);
        drop(short);
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }

    #[test]
    fn requests_that_have_begun_are_limited() {
        let line = RequestQueue::new(1);
        let mut turn = poll_once(pin!(line.wait_for_turn(&asker("first")))).unwrap();
        let second = asker("second");
        let mut second = pin!(line.wait_for_turn(&second));
        assert!(poll_once(second.as_mut()).is_none());
        line.shared.lock().begun = 4;
        assert!(turn.give_up_and_requeue().is_none());
        line.shared.lock().begun = 1;
        let waiting = turn.give_up_and_requeue().unwrap();
        let second = poll_once(second.as_mut()).unwrap();
        drop((waiting, turn, second));
        assert_eq!((line.free_turn_count(), has_no_callers(&line)), (1, true));
    }
}
