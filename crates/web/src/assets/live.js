// Keeps a page up to date. The server sends new HTML for elements, by id.

import { calm, startClocks, stopClocks } from "./clock.js";

const root = document.querySelector("[data-live]");
const follows = root.hasAttribute("data-follow");
// These change even while the page shows an earlier position.
const alwaysSwapped = ["plies", "state"];
const firstDelay = 1000;
const longestDelay = 30000;
const sentenceInterval = 5000;
// The number of rows in a full list from the server; the note below the list counts the rest.
const maxRows = 31;
// A quiet stream has a heartbeat every 10 seconds.
const maxSilence = 18000;

let source = null;
let after = root.dataset.after;
let isOver = false;
let delay = firstDelay;
let timer = 0;
let silence = 0;

const status = addElement("live-status", "status");
const speaker = addElement("spoken", "log");

function addElement(className, role) {
  const element = document.createElement("p");
  element.className = className;
  element.setAttribute("role", role);
  element.setAttribute("aria-live", "polite");
  document.body.append(element);
  return element;
}

function connect() {
  clearTimeout(timer);
  if (source || isOver || document.hidden) return;
  const address = new URL(root.dataset.live, location.href);
  if (after) address.searchParams.set("after", after);
  source = new EventSource(address);
  let hasOpened = false;
  const lose = (words = "Connection lost: trying again") => {
    disconnect();
    stopClocks();
    showStatus(words);
    timer = setTimeout(connect, delay * (0.5 + Math.random()));
    delay = Math.min(2 * delay, longestDelay);
  };
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => lose(), maxSilence);
  };
  listen();
  source.onopen = () => {
    hasOpened = true;
    listen();
    if (status.textContent) showStatus("Connected again", 3000);
    delay = firstDelay;
  };
  source.addEventListener("heartbeat", listen);
  source.onmessage = (event) => {
    listen();
    if (event.lastEventId) after = event.lastEventId;
    show(JSON.parse(event.data));
  };
  source.addEventListener("end", () => {
    isOver = true;
    disconnect();
    stepInPlace();
  });
  source.addEventListener("busy", () => {
    delay = longestDelay;
    lose("The server has too many viewers: trying again");
  });
  source.addEventListener("signed-out", stopSignedOut);
  source.onerror = () => {
    lose();
    // An EventSource does not tell the status of a failed request.
    if (!hasOpened) stopIfRefused(address);
  };
}

/** Makes a match that has just ended step in place, like one that was loaded after its end. */
async function stepInPlace() {
  const plies = document.getElementById("plies")?.textContent;
  const shown = follows ? plies : new URL(location.href).searchParams.get("ply");
  if (root.id !== "match" || !plies || !shown) return;
  const answer = await fetch(`${location.pathname}?ply=${shown}`).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.getElementById("stepped")) return;
  swap(document.getElementById("headline"), page.getElementById("headline").innerHTML);
  swap(root, page.getElementById("match").innerHTML);
  document.title = page.title;
  import("./match.js").catch(() => {});
}

async function stopIfRefused(address) {
  const answer = await fetch(address, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status === 401) stopSignedOut();
}

// The page keeps its content: a visitor who is signed out may see less.
function stopSignedOut() {
  isOver = true;
  clearTimeout(timer);
  disconnect();
  showStatus("You are signed out, so this page no longer updates.");
  const link = document.createElement("a");
  link.href = `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Sign in again";
  status.append(" ", link);
}

function disconnect() {
  clearTimeout(silence);
  source?.close();
  source = null;
}

let statusTimer = 0;
function showStatus(words, milliseconds) {
  clearTimeout(statusTimer);
  status.textContent = words;
  if (milliseconds) statusTimer = setTimeout(() => (status.textContent = ""), milliseconds);
}

function show({ parts, append = {}, say }) {
  for (const [id, html] of Object.entries(parts)) {
    if (paused.has(id)) paused.set(id, html);
    else if (follows || alwaysSwapped.includes(id)) swap(document.getElementById(id), html);
  }
  for (const [id, html] of Object.entries(append)) {
    const list = follows && document.querySelector(`#${id} ol`);
    if (!list) continue;
    const before = list.lastElementChild;
    list.insertAdjacentHTML("beforeend", html);
    for (let row = before?.nextElementSibling; row; row = row.nextElementSibling) row.className += " fresh";
    while (list.children.length > maxRows) list.firstElementChild.remove();
  }
  if (say && follows) speak(say);
  startClocks();
}

// Parts that the viewer has paused, each with its newest HTML.
const paused = new Map();
for (const button of document.querySelectorAll("[data-pause]")) {
  const id = button.dataset.pause;
  const toggle = () => {
    const html = paused.get(id);
    if (!paused.delete(id)) paused.set(id, null);
    if (html) swap(document.getElementById(id), html);
    button.ariaPressed = paused.has(id);
    button.textContent = paused.has(id) ? "Go on" : "Pause";
  };
  button.addEventListener("click", toggle);
  if (calm.matches) toggle();
}

// Replaces the HTML of an element, and restores focus, scrolling, sorting and open details.
function swap(element, html) {
  if (!element) return;
  const orders = [...element.querySelectorAll("table")].map(orderOf);
  const open = [...element.querySelectorAll("details")].map((details) => details.open);
  const focused = element.contains(document.activeElement) ? pathOf(element, document.activeElement) : null;
  const offsets = [...element.querySelectorAll(".scroll")].map((frame) => frame.scrollLeft);
  element.innerHTML = html;
  [...element.querySelectorAll(".scroll")].forEach((frame, index) => (frame.scrollLeft = offsets[index] ?? 0));
  [...element.querySelectorAll("details")].forEach((details, index) => (details.open = open[index] ?? details.open));
  announceSwap(element);
  [...element.querySelectorAll("table")].forEach((table, index) => orders[index] && sortAgain(table, orders[index]));
  if (focused) elementAt(element, focused)?.focus({ preventScroll: true });
}

// The column and order by which a table is sorted.
function orderOf(table) {
  const heading = table.querySelector("th[aria-sort]");
  return heading && { words: heading.textContent, order: heading.ariaSort };
}

function sortAgain(table, { words, order }) {
  const heading = [...table.querySelectorAll("th")].find((other) => other.textContent === words);
  const button = heading?.querySelector("button");
  for (let clicks = 0; button && heading.ariaSort !== order && clicks < 2; clicks++) button.click();
}

const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";

function pathOf(element, focused) {
  const index = [...element.querySelectorAll(focusable)].indexOf(focused);
  return { rel: focused.rel, href: focused.getAttribute("href"), text: focused.textContent, index };
}

function elementAt(element, { rel, href, text, index }) {
  const all = [...element.querySelectorAll(focusable)];
  const find = (isIt) => all.find(isIt);
  const same = (rel && find((other) => other.rel === rel)) || (href && find((other) => other.getAttribute("href") === href));
  return same || find((other) => other.textContent === text) || all[Math.min(index, all.length - 1)];
}

// Tells other modules that an element is new.
function announceSwap(element) {
  element.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
}

// Announces the newest sentence, at most one every few seconds.
let sentence = "";
let speaks = false;
function speak(words) {
  sentence = words;
  if (speaks) return;
  speaks = true;
  speaker.textContent = sentence;
  sentence = "";
  setTimeout(() => {
    speaks = false;
    if (sentence) speak(sentence);
  }, sentenceInterval);
}

// A hidden tab disconnects, since browsers limit connections per server.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    clearTimeout(timer);
    disconnect();
  } else connect();
});
addEventListener("online", connect);
addEventListener("pagehide", disconnect);
addEventListener("pageshow", connect);

startClocks();
connect();
