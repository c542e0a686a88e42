// A hand that is played: moves are sent without loading the page, and what the others do is shown as it happens. The page is whole without this.

const said = document.getElementById("hand-said");
const currentHand = () => document.getElementById("hand");
const PAUSE_MS = 2000;

let shownAt = performance.now();
let isSending = false;

/** Scrolls a board that is too wide to the pile in play, which is the last. */
function showPileInPlay() {
  for (const frame of currentHand().querySelectorAll(".position .scroll")) frame.scrollLeft = frame.scrollWidth;
}

/** Shows a page without a hand, which says why and asks to sign in, in place of this one. */
function showSignIn(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.title = page.title;
}

/** Puts the hand of a page in place of the one that is shown, unless nothing has happened; returns whether it did. */
function showHand(html, isAnswer) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = page.getElementById("hand");
  const shown = currentHand();
  if (!fresh) {
    delete shown.dataset.followed;
    location.reload();
    return true;
  }
  // An answer that was long on its way may be older than what is shown. Of a hand that is over nothing newer comes.
  if (fresh.hasAttribute("data-followed") && Number(fresh.dataset.revision) < Number(shown.dataset.revision)) return false;
  if (!isAnswer && fresh.dataset.revision === shown.dataset.revision) return false;
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  const byKeyboard = focused?.matches(":focus-visible");
  shown.replaceWith(fresh);
  fresh.dispatchEvent(new Event("swapped", { bubbles: true }));
  shownAt = performance.now();
  showPileInPlay();
  document.title = page.title;
  document.querySelector("h1").textContent = page.querySelector("h1").textContent;
  said.textContent = fresh.querySelector(".alert, .state strong")?.textContent ?? "";
  // A link keeps the focus. Otherwise never onto a counter, which a second press of Enter would take.
  const href = focused?.getAttribute("href");
  const same = href && [...fresh.querySelectorAll("a")].find((link) => link.getAttribute("href") === href);
  const next = same || (byKeyboard && fresh.querySelector("#take, .again button, .waiting a"));
  if (focused) (next || fresh.querySelector(".position") || fresh).focus({ preventScroll: true });
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.closest("#hand") || form.getAttribute("action") !== currentHand().dataset.hand) return;
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  try {
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const answer = await fetch(form.action, { method: "POST", body: fields });
    const html = await answer.text();
    if (answer.status === 401) showSignIn(html);
    else showHand(html, true);
  } catch {
    // A move that has arrived twice counts once.
    said.textContent = "The server could not be reached: try again.";
  } finally {
    isSending = false;
  }
});

const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]");

// Only while the focus is in the position: people who speak to their browser, or whose hands slip, would move by keys that act everywhere.
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("take");
  if (!field || !event.target.closest?.("#hand .position") || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
  if (step && (event.target === field || !isTyping(event.target))) {
    event.preventDefault();
    const max = BigInt(field.dataset.max);
    const next = (/^[0-9]+$/.test(field.value) ? BigInt(field.value) : 0n) + step;
    field.value = String(next < 1n ? 1n : next > max ? max : next);
    field.focus();
  } else if (/^[0-9]$/.test(event.key) && !isTyping(event.target)) {
    event.preventDefault();
    field.value = event.key;
    field.focus();
  }
});

function showClock() {
  const clock = document.querySelector("#hand [data-left-ms]");
  if (!clock) return;
  const seconds = Math.max(0, Math.ceil((Number(clock.dataset.leftMs) - (performance.now() - shownAt)) / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const words = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  if (clock.textContent !== words) clock.textContent = words;
  clock.parentElement.classList.toggle("short", seconds < 30);
}

const pause = () => new Promise((resume) => setTimeout(resume, PAUSE_MS));
const untilSeen = () =>
  new Promise((resume) => {
    if (!document.hidden) return resume();
    document.addEventListener("visibilitychange", resume, { once: true });
  });

/** Asks for the hand, which the server answers once something has happened. A page that nobody sees asks for nothing. */
async function followHand() {
  while (currentHand()?.hasAttribute("data-followed")) {
    await untilSeen();
    const { hand, revision } = currentHand().dataset;
    const asking = new AbortController();
    const stop = () => document.hidden && asking.abort();
    document.addEventListener("visibilitychange", stop);
    try {
      const begun = performance.now();
      const answer = await fetch(`${hand}?since=${revision}`, { signal: asking.signal });
      const html = await answer.text();
      if (answer.status === 401) showSignIn(html);
      else if (!answer.ok || isSending) await pause();
      else if (!showHand(html, false) && performance.now() - begun < PAUSE_MS) await pause();
    } catch {
      if (!asking.signal.aborted) await pause();
    } finally {
      document.removeEventListener("visibilitychange", stop);
    }
  }
}

showPileInPlay();
setInterval(showClock, 250);
followHand();
