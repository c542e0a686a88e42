// The game being played: a tap chooses, a second one takes; moves are sent without reloading the page, and the others' takes are shown one by one.
// The page works without this script.

import { startClocks, stopClocks } from "./clock.js";

const statusLine = document.getElementById("game-status");
const currentGame = () => document.getElementById("game");
const PAUSE_MS = 2000;

// How long each take is shown before the next, and the maximum for all takes together.
const TAKE_MS = 700;
const MAX_TAKES_MS = 4000;
const still = matchMedia("(prefers-reduced-motion: reduce)");

// How long a status message stays; after that it would only repeat the heading.
const STATUS_MS = 10000;

let isSending = false;
let clearing = 0;
let telling = 0;

const field = () => document.getElementById("take");
const counters = () => [...document.querySelectorAll("#game button.counter")];

/** Shows that a number of counters is chosen: those move aside. */
function choose(number) {
  const amount = field();
  const isChosen = number >= 1n && number <= BigInt(amount.dataset.max);
  amount.value = isChosen ? String(number) : "";
  for (const counter of counters()) {
    const isPart = isChosen && BigInt(counter.value) <= number;
    counter.classList.toggle("chosen", isPart);
    counter.setAttribute("aria-pressed", isPart);
  }
  const take = amount.form.querySelector(".main");
  take.textContent = isChosen ? `Take ${number}` : counters().length ? "Tap a counter" : "Take";
  take.disabled = !isChosen;
}

const chosen = () => (/^[0-9]{1,19}$/.test(field().value) ? BigInt(field().value) : 0n);

/** Completes a game that has just been shown. The takes after the first `seen` are shown one by one. */
function complete(seen) {
  for (const frame of currentGame().querySelectorAll(".match-board .scroll")) frame.scrollLeft = (frame.querySelector(".in-play")?.offsetLeft ?? 0) - frame.clientWidth / 2;
  startClocks();
  // A number may have been typed before this script was loaded.
  if (field()) choose(chosen());
  clearInterval(telling);
  if (still.matches) return;
  const coming = [...currentGame().querySelectorAll(".taken")].filter((take) => Number(take.dataset.ply) > seen).sort((one, other) => one.dataset.ply - other.dataset.ply);
  const told = [...currentGame().querySelectorAll(".told li")].slice(-coming.length);
  const all = [...coming, ...(coming.length ? told : [])];
  for (const part of all) part.classList.add("coming");
  const show = () => {
    for (const part of [coming.shift(), told.length > coming.length ? told.shift() : null]) part?.classList.remove("coming");
    if (!coming.length) clearInterval(telling);
  };
  show();
  if (coming.length) telling = setInterval(show, Math.min(TAKE_MS, MAX_TAKES_MS / coming.length));
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
  const hasMore = fresh.dataset.plies !== shown.dataset.plies;
  shown.replaceWith(fresh);
  fresh.dispatchEvent(new Event("swapped", { bubbles: true }));
  document.title = page.title;
  const heading = document.querySelector("h1");
  heading.innerHTML = page.querySelector("h1").innerHTML;
  complete(Number(hasMore ? shown.dataset.plies : fresh.dataset.plies));
  const told = hasMore ? [...fresh.querySelectorAll(".told li")].map((line) => line.textContent).join(" ") : "";
  clearTimeout(clearing);
  clearing = setTimeout(() => (statusLine.textContent = ""), STATUS_MS);
  statusLine.textContent = `${told} ${fresh.querySelector(".alert, .state strong")?.textContent ?? heading.textContent}`;
  // A link keeps the focus. Never focus a counter or the button that takes: another press of Enter would take again.
  const href = focused?.getAttribute("href");
  const same = href && [...fresh.querySelectorAll("a")].find((link) => link.getAttribute("href") === href);
  const next = same || (byKeyboard && fresh.querySelector(".table, .waiting a"));
  if (focused) (next || fresh.querySelector(".table") || fresh).focus({ preventScroll: true });
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  // Another game has its own address.
  if (!form.closest("#game") || form.matches(".again") || form.getAttribute("action") !== currentGame().dataset.game) return;
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

document.addEventListener("click", (event) => {
  const step = event.target.closest?.("#game [data-step]");
  const counter = event.target.closest?.("#game button.counter");
  if (step) {
    const [number, max] = [chosen() + BigInt(step.dataset.step), BigInt(field().dataset.max)];
    choose(number < 1n ? 1n : number > max ? max : number);
  } else if (counter) {
    event.preventDefault();
    const number = BigInt(counter.value);
    if (number === chosen()) field().form.requestSubmit();
    else choose(number);
  }
});

document.addEventListener("input", (event) => event.target === field() && chosen() && choose(chosen()));

// Keys act only in the position, or while nothing has the focus: with speech input, keys that act everywhere cause moves by accident.
document.addEventListener("keydown", (event) => {
  const isHere = event.target === document.body || event.target.closest?.("#game .table, #game .thumb-bar");
  if (!field() || !isHere || event.altKey || event.ctrlKey || event.metaKey) return;
  const isTyping = event.target.matches("input");
  const step = { ArrowUp: "1", ArrowDown: "-1" }[event.key];
  if (step) document.querySelector(`#game [data-step="${step}"]`).click();
  else if (/^[1-9]$/.test(event.key) && !isTyping) choose(BigInt(event.key));
  else if (event.key === "Enter" && chosen() && !event.target.matches("a, input, button:not(.counter)")) field().form.requestSubmit();
  else return;
  event.preventDefault();
});

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
      if (!asking.signal.aborted) {
        stopClocks();
        statusLine.textContent = "Connection lost: trying again";
        await pause();
      }
    } finally {
      document.removeEventListener("visibilitychange", stop);
    }
  }
}

complete(Number(currentGame().dataset.plies));
followGame();
