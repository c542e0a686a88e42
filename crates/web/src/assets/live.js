// Keeps a page up to date. The server sends new HTML for elements, by id.

import { calm, startClocks, stopClocks } from "./clock.js";
import { serve } from "./live_stream.js";

const root = document.querySelector("[data-live]");
const follows = root.hasAttribute("data-follow");
// These change even while the page shows an earlier position.
const alwaysSwapped = ["plies", "state"];
const sentenceInterval = 5000;
// The number of rows in a full list from the server; the note below the list counts the rest.
const maxRows = 31;
// A quiet stream has a heartbeat every 10 seconds; while there is no stream, the next try comes within 45 seconds.
const maxSilence = 18000;
const maxSilenceBetweenTries = 60000;

let port = null;
let hasWorker = "SharedWorker" in window;
let after = root.dataset.after;
let isOver = false;
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
  if (port || isOver || document.hidden) return;
  port = hasWorker ? portOfWorker() : ownPort();
  port.onmessage = receive;
  port.postMessage({ feed: root.dataset.live, after });
  listen(maxSilence);
}

function portOfWorker() {
  const worker = new SharedWorker(new URL("./live_stream.js", import.meta.url), { type: "module" });
  // The browser cannot run the worker.
  worker.onerror = () => {
    hasWorker = false;
    disconnect();
    connect();
  };
  return worker.port;
}

function ownPort() {
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  return port1;
}

function disconnect() {
  clearTimeout(silence);
  port?.postMessage("leave");
  port?.close();
  port = null;
}

/** Joins again if no message comes for this many milliseconds. */
function listen(milliseconds) {
  clearTimeout(silence);
  silence = setTimeout(() => {
    lose(lostWords);
    disconnect();
    connect();
  }, milliseconds);
}

const lostWords = "Connection lost: trying again";

/** Shows why the page is not up to date. The tab need not act: `live_stream.js` opens the stream again. */
function lose(words) {
  stopClocks();
  showStatus(words);
  listen(maxSilenceBetweenTries);
}

function receive({ data: { type, data, id } }) {
  port.postMessage("received");
  if (type === "lost") return lose(lostWords);
  if (type === "busy") return lose("The server has too many viewers: trying again");
  if (type === "refused") return lose(`This page is not updated: ${JSON.parse(data).message}`);
  if (type === "signed-out") return stopSignedOut();
  if (status.textContent) showStatus("Connected again", 3000);
  listen(maxSilence);
  if (type === "message") {
    if (id) after = id;
    show(JSON.parse(data));
  } else if (type === "end") {
    isOver = true;
    disconnect();
    stepInPlace();
  }
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

// The page keeps its content: a visitor who is signed out may see less.
function stopSignedOut() {
  isOver = true;
  disconnect();
  showStatus("You are signed out, so this page no longer updates.");
  const link = document.createElement("a");
  link.href = `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Sign in again";
  status.append(" ", link);
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
    else if (isPressed && (follows || alwaysSwapped.includes(id))) delayed.set(id, html);
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

// While the viewer presses something, nothing is replaced: the press would be no click.
let isPressed = false;
const delayed = new Map();
addEventListener("pointerdown", () => (isPressed = true), true);
function release() {
  isPressed = false;
  for (const [id, html] of delayed) swap(document.getElementById(id), html);
  delayed.clear();
}
// The click follows its pointerup at once.
for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => setTimeout(release), true);

// Parts that the viewer has paused, each with its newest HTML.
const paused = new Map();
for (const button of document.querySelectorAll("[data-pause]")) {
  const id = button.dataset.pause;
  const toggle = () => {
    const html = paused.get(id);
    if (!paused.delete(id)) paused.set(id, null);
    if (html) swap(document.getElementById(id), html);
    button.ariaPressed = paused.has(id);
    button.textContent = paused.has(id) ? "Resume" : "Pause";
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
    else speaker.textContent = "";
  }, sentenceInterval);
}

// A hidden tab disconnects: it shows the newest state once it is seen.
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
addEventListener("pagehide", disconnect);
addEventListener("pageshow", connect);

startClocks();
connect();
