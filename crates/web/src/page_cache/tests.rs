use super::*;
use std::sync::atomic::AtomicBool;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::sleep;

fn page_of_size(lifetime: PageLifetime, bytes: usize) -> Arc<RenderedPage> {
    let body = "x".repeat(bytes).into();
    Arc::new(RenderedPage { content_type: "text/plain", body, next: None, lifetime, is_awaited: false })
}

/// Returns a page that was made instantly.
fn finished_page(made: &Arc<RenderedPage>, state_before: SiteState) -> FinishedPage {
    FinishedPage { made: Arc::clone(made), state_before, at: state_before.at }
}

#[test]
fn a_cached_page_is_used_until_something_changes() {
    let (mut kept, began) = (CacheState::default(), Instant::now());
    let time_at = |millis| began + Duration::from_millis(millis);
    let [first, second] = [1, 2].map(Revision::of_number);
    let page = page_of_size(PageLifetime::UntilChange, 9);
    let observe = |kept: &mut CacheState, revision, millis| kept.observe(revision, 0, time_at(millis));
    let now = observe(&mut kept, Some(first), 0);
    kept.insert("/".into(), finished_page(&page, now));
    assert!(kept.find("/", &now).is_none(), "it may show the earlier state");
    let now = observe(&mut kept, Some(first), 1_000);
    kept.insert("/".into(), finished_page(&page, now));
    let later = observe(&mut kept, Some(first), 30_900);
    assert!(kept.find("/", &later).is_some() && kept.find("/bots", &later).is_none());
    let late = observe(&mut kept, Some(first), 31_000);
    assert!(kept.find("/", &late).is_none(), "it has expired");
    kept.insert("/".into(), finished_page(&page, late));
    let changed = observe(&mut kept, Some(second), 31_001);
    assert!(kept.find("/", &changed).is_none());
    let played = observe(&mut kept, None, 33_000);
    assert!(kept.find("/", &played).is_none());
    let again = observe(&mut kept, Some(second), 33_001);
    assert!(again.settled.is_none(), "a take was played in between");
    let moment = observe(&mut kept, Some(second), 34_001);
    kept.insert("/bots".into(), finished_page(&page_of_size(PageLifetime::Uncacheable, 9), moment));
    assert!(kept.find("/bots", &moment).is_none());
}

#[test]
fn html_pages_stay_cached_for_a_second_while_matches_are_played() {
    let (mut kept, began) = (CacheState::default(), Instant::now());
    let time_at = |millis| began + Duration::from_millis(millis);
    let page = |content_type| {
        let made = page_of_size(PageLifetime::UntilChange, 9);
        Arc::new(RenderedPage { content_type, body: made.body.clone(), next: None, ..*made })
    };
    let played = kept.observe(None, 0, time_at(0));
    kept.insert("/".into(), finished_page(&page("text/html; charset=utf-8"), played));
    kept.insert("/index.json".into(), finished_page(&page("application/json"), played));
    let soon = kept.observe(None, 0, time_at(999));
    assert!(kept.find("/", &soon).is_some());
    assert!(kept.find("/index.json", &soon).is_none(), "programs get the current state");
    let late = kept.observe(None, 0, time_at(1_000));
    assert!(kept.find("/", &late).is_none());
    kept.insert("/".into(), finished_page(&page("text/html; charset=utf-8"), late));
    let over = kept.observe(Some(Revision::of_number(1)), 0, time_at(1_001));
    assert!(kept.find("/", &over).is_none(), "the last match has ended");
    kept.insert("/bots".into(), finished_page(&page("text/html; charset=utf-8"), over));
    let again = kept.observe(None, 0, time_at(1_002));
    assert!(kept.find("/bots", &again).is_none(), "a match has begun");
}

#[test]
fn pages_of_ended_matches_stay_cached_until_the_matches_change() {
    let (mut kept, at) = (CacheState::default(), Instant::now());
    let before = kept.observe(None, 7, at);
    kept.insert("/matches/1".into(), finished_page(&page_of_size(PageLifetime::Permanent, 9), before));
    let later = kept.observe(None, 7, at + MAX_AGE * 100);
    assert!(kept.find("/matches/1", &later).is_some(), "even while other matches are played");
    let pruned = kept.observe(None, 8, at);
    assert!(kept.find("/matches/1", &pruned).is_none());
    // This page was made from the state before the change.
    kept.insert("/matches/1".into(), finished_page(&page_of_size(PageLifetime::Permanent, 9), before));
    assert!(kept.find("/matches/1", &pruned).is_none());
}

#[test]
fn the_cache_evicts_least_recently_used_pages() {
    let mut kept = CacheState::default();
    let now = kept.observe(None, 0, Instant::now());
    kept.insert("/large".into(), finished_page(&page_of_size(PageLifetime::Permanent, MAX_PAGE_BYTES), now));
    assert_eq!((kept.pages.len(), kept.bytes.len()), (0, 0));
    let page = page_of_size(PageLifetime::Permanent, 200 << 10);
    for number in 0..200 {
        kept.insert(format!("/{}", number % 150), finished_page(&page, now));
        assert!(kept.find("/0", &now).is_some(), "it is used all the time");
        let bytes: usize = kept.pages.iter().map(|(address, kept)| kept.page.made.bytes(address)).sum();
        assert_eq!(bytes, kept.bytes[&CachePart::Pages]);
        assert!(bytes <= CachePart::Pages.max_bytes());
    }
    assert!(kept.pages.len() > 70 && kept.find("/49", &now).is_some());
}

#[test]
fn pictures_and_queries_do_not_evict_pages() {
    let mut kept = CacheState::default();
    let now = kept.observe(None, 0, Instant::now());
    let page = page_of_size(PageLifetime::Permanent, 200 << 10);
    let picture =
        Arc::new(RenderedPage { content_type: "image/png", body: page.body.clone(), next: None, ..*page });
    kept.insert("/matches/1".into(), finished_page(&page, now));
    kept.insert("/matches/1.png".into(), finished_page(&picture, now));
    for ply in 0..200 {
        kept.insert(format!("/matches/1.png?ply={ply}"), finished_page(&picture, now));
        kept.insert(format!("/tournaments?page={ply}"), finished_page(&page, now));
    }
    assert!(kept.find("/matches/1.png", &now).is_some(), "the picture of the whole match");
    for number in 2..200 {
        kept.insert(format!("/matches/{number}.png"), finished_page(&picture, now));
    }
    assert!(kept.find("/matches/1", &now).is_some() && kept.find("/matches/1.png", &now).is_none());
    let bytes = |part| kept.bytes[&part];
    assert!([CachePart::Pictures, CachePart::Queries].iter().all(|&part| bytes(part) <= part.max_bytes()));
}

#[test]
fn the_age_of_a_page_counts_from_its_completion() {
    let (mut kept, began) = (CacheState::default(), Instant::now());
    let time_at = |millis| began + Duration::from_millis(millis);
    let html = RenderedPage {
        content_type: "text/html; charset=utf-8",
        body: Bytes::new(),
        next: None,
        lifetime: PageLifetime::UntilChange,
        is_awaited: false,
    };
    let (made, state_before) = (Arc::new(html), kept.observe(None, 0, time_at(0)));
    kept.insert("/".into(), FinishedPage { made, state_before, at: time_at(4_000) });
    let soon = kept.observe(None, 0, time_at(4_999));
    assert!(kept.find("/", &soon).is_some());
    let late = kept.observe(None, 0, time_at(5_000));
    assert!(kept.find("/", &late).is_none());
}

/// Returns a cache, and the state after nothing has happened for long.
fn settled_pages() -> (PageCache, SiteState) {
    let (kept, began) = (PageCache::default(), Instant::now());
    let observe = |at| kept.lock().observe(Some(Revision::of_number(1)), 0, at);
    observe(began);
    let now = observe(began + SETTLING_TIME);
    (kept, now)
}

/// A request for a page, and its outcome if it is the one that makes the page.
struct Asker {
    request: JoinHandle<Result<Arc<RenderedPage>, Status>>,
    /// Sends the page that the request makes.
    made: oneshot::Sender<Result<RenderedPage, Status>>,
    is_maker: Arc<AtomicBool>,
}

impl Asker {
    /// Requests a page until the request makes it or waits for another.
    async fn ask(kept: &PageCache, now: SiteState) -> Self {
        let (made, outcome) = oneshot::channel();
        let (kept, is_maker) = (kept.clone(), Arc::new(AtomicBool::new(false)));
        let begins = Arc::clone(&is_maker);
        let request = tokio::spawn(async move {
            let make_page = || async move {
                begins.store(true, Ordering::Relaxed);
                outcome.await.unwrap()
            };
            kept.find_or_make(("/".into(), PageFormat::Html), now, make_page).await
        });
        yield_now().await;
        Self { request, made, is_maker }
    }

    fn is_maker(&self) -> bool {
        self.is_maker.load(Ordering::Relaxed)
    }
}

/// Requests a page several times, in order.
async fn ask_times(times: usize, kept: &PageCache, now: SiteState) -> Vec<Asker> {
    let mut askers = Vec::new();
    for _ in 0..times {
        askers.push(Asker::ask(kept, now).await);
    }
    askers
}

/// Waits until one of these requests makes the page, and removes it from the list.
async fn next_maker(askers: &mut Vec<Asker>) -> Asker {
    loop {
        if let Some(place) = askers.iter().position(Asker::is_maker) {
            let maker = askers.remove(place);
            assert!(!askers.iter().any(Asker::is_maker), "only one makes it");
            return maker;
        }
        sleep(Duration::from_millis(10)).await;
    }
}

fn page_of(text: &str, lifetime: PageLifetime) -> RenderedPage {
    let body = text.to_owned().into();
    RenderedPage { content_type: "text/html", body, next: None, lifetime, is_awaited: false }
}

#[tokio::test(start_paused = true)]
async fn one_request_makes_the_page_for_all_waiting_requests() {
    let (kept, now) = settled_pages();
    let first = Asker::ask(&kept, now).await;
    let others = ask_times(20, &kept, now).await;
    first.made.send(Ok(page_of("it", PageLifetime::UntilChange))).unwrap();
    let page = first.request.await.unwrap().unwrap();
    for other in others {
        assert!(!other.is_maker());
        assert!(Arc::ptr_eq(&other.request.await.unwrap().unwrap(), &page));
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_takes_over_from_a_lost_or_slow_maker() {
    let (kept, now) = settled_pages();
    let gone = Asker::ask(&kept, now).await;
    let mut others = ask_times(5, &kept, now).await;
    assert!(gone.is_maker());
    gone.request.abort();
    let began = tokio::time::Instant::now();
    let slow = next_maker(&mut others).await;
    assert!(began.elapsed() < Duration::from_secs(1), "nobody waits for a lost maker");
    let third = next_maker(&mut others).await;
    third.made.send(Ok(page_of("it", PageLifetime::UntilChange))).unwrap();
    let page = third.request.await.unwrap().unwrap();
    for other in others {
        assert!(!other.is_maker());
        assert!(Arc::ptr_eq(&other.request.await.unwrap().unwrap(), &page));
    }
    slow.made.send(Ok(page_of("late", PageLifetime::UntilChange))).unwrap();
    assert_eq!(slow.request.await.unwrap().unwrap().body, "late");
}

#[tokio::test(start_paused = true)]
async fn the_number_of_waits_for_a_page_is_limited() {
    let (kept, now) = settled_pages();
    let mut slow = Vec::new();
    for _ in 0..=MAX_WAITS {
        slow.push(Asker::ask(&kept, now).await);
    }
    let began = tokio::time::Instant::now();
    let late = Asker::ask(&kept, now).await;
    while !late.is_maker() {
        sleep(Duration::from_millis(10)).await;
    }
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(slow.iter().all(|asker| !asker.request.is_finished()));
}

#[tokio::test(start_paused = true)]
async fn errors_are_not_shared_with_waiting_requests() {
    let (kept, now) = settled_pages();
    for outcome in [Err(Status::resource_exhausted("yours")), Ok(page_of("", PageLifetime::Uncacheable))] {
        let is_refused = outcome.is_err();
        let first = Asker::ask(&kept, now).await;
        let second = Asker::ask(&kept, now).await;
        first.made.send(outcome).unwrap();
        assert_eq!(first.request.await.unwrap().is_err(), is_refused);
        second.made.send(Ok(page_of("its own", PageLifetime::Uncacheable))).unwrap();
        assert_eq!(second.request.await.unwrap().unwrap().body, "its own");
    }
}
