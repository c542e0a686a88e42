// The game being played: sends moves without reloading the page, and shows the others' moves as they happen. The page works without this script.

const statusLine = document.getElementById("game-status");
const currentGame = () => document.getElementById("game");
const PAUSE_MS = 2000;

let shownAt = performance.now();
let isSending = false;

/** Scrolls a wide board to the pile in play, which is the last. */
function showPileInPlay() {
  for (const frame of currentGame().querySelectorAll(".position .scroll")) frame.scrollLeft = frame.scrollWidth;
}

/** Shows the sign-in page in place of this one. */
function showSignIn(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.title = page.title;
}

/** Shows the game from a fetched page, unless it is not newer; returns whether it did. */
function showGame(html, isAnswer) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = page.getElementById("game");
  const shown = currentGame();
  if (!fresh) {
    delete shown.dataset.followed;
    location.reload();
    return true;
  }
  // A slow answer may be older than the page. A finished game does not change.
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
  statusLine.textContent = fresh.querySelector(".alert, .state strong")?.textContent ?? "";
  // A link keeps the focus. Never focus a counter: a second press of Enter would take it.
  const href = focused?.getAttribute("href");
  const same = href && [...fresh.querySelectorAll("a")].find((link) => link.getAttribute("href") === href);
  const next = same || (byKeyboard && fresh.querySelector("#take, .again button, .waiting a"));
  if (focused) (next || fresh.querySelector(".position") || fresh).focus({ preventScroll: true });
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.closest("#game") || form.getAttribute("action") !== currentGame().dataset.game) return;
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  try {
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const answer = await fetch(form.action, { method: "POST", body: fields });
    const html = await answer.text();
    if (answer.status === 401) showSignIn(html);
    else showGame(html, true);
  } catch {
    // The server ignores a repeated move.
    statusLine.textContent = "The server could not be reached: try again.";
  } finally {
    isSending = false;
  }
});

const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]");

// Keys act only while the focus is in the position: with speech input, keys that act everywhere cause moves by accident.
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("take");
  if (!field || !event.target.closest?.("#game .position") || event.altKey || event.ctrlKey || event.metaKey) return;
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
  const clock = document.querySelector("#game [data-left-ms]");
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

/** Long-polls for the next change of the game, while the page is visible. */
async function followGame() {
  while (currentGame()?.hasAttribute("data-followed")) {
    await untilSeen();
    const { game, revision } = currentGame().dataset;
    const asking = new AbortController();
    const stop = () => document.hidden && asking.abort();
    document.addEventListener("visibilitychange", stop);
    try {
      const begun = performance.now();
      const answer = await fetch(`${game}?since=${revision}`, { signal: asking.signal });
      const html = await answer.text();
      if (answer.status === 401) showSignIn(html);
      else if (!answer.ok || isSending) await pause();
      else if (!showGame(html, false) && performance.now() - begun < PAUSE_MS) await pause();
    } catch {
      if (!asking.signal.aborted) await pause();
    } finally {
      document.removeEventListener("visibilitychange", stop);
    }
  }
}

showPileInPlay();
setInterval(showClock, 250);
followGame();
