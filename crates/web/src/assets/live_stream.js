// Follows the live parts of pages over one connection for all tabs, since browsers open only six connections to a server.
// It runs in a worker that the tabs share, or in a page where the browser has no such worker.

const firstDelay = 1000;
const longestDelay = 30000;
// Tabs that open within this time share one request.
const joinDelay = 50;
// The server follows at most this many pages in one stream.
const maxFeeds = 32;
// A tab answers every message, and there is one every 10 seconds. A tab that was closed does not answer.
const maxUnanswered = 60000;
const types = ["message", "heartbeat", "end", "signed-out", "refused", "busy"];

// The tabs that follow a page, by their ports.
const tabs = new Map();
let source = null;
let delay = firstDelay;
let timer = 0;

/** Serves the tab at the other end of a port. It sends what it follows, "received" for each message, and "leave". */
export function serve(port) {
  port.onmessage = ({ data }) => {
    const tab = tabs.get(port);
    if (data === "received") {
      if (tab) tab.unanswered = null;
    } else if (data === "leave") forget(port);
    else {
      tabs.set(port, { ...data, place: -1, unanswered: null });
      openIn(joinDelay);
    }
  };
}

function forget(port) {
  if (tabs.delete(port)) openIn(joinDelay);
}

function openIn(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(open, milliseconds);
}

function addressOf({ feed, after }) {
  return after ? `${feed}?after=${after}` : feed;
}

function close() {
  source?.close();
  source = null;
}

function open() {
  close();
  if (!tabs.size) return;
  // Tabs of one match may show different takes.
  const feeds = [...new Set([...tabs.values()].map(addressOf))].slice(0, maxFeeds);
  for (const tab of tabs.values()) tab.place = feeds.indexOf(addressOf(tab));
  source = new EventSource(`/live?${new URLSearchParams(feeds.map((feed) => ["feed", feed]))}`);
  source.onopen = () => (delay = firstDelay);
  source.onerror = () => lose("lost");
  // An event before each message says for which page it is. Without it, the message is for all.
  let place = null;
  source.addEventListener("feed", ({ data }) => (place = Number(data)));
  for (const type of types) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      if (place === null) return lose(type);
      pass({ type, data, id: lastEventId }, place);
      place = null;
    });
  }
}

/** Connects again later, and tells the tabs why. */
function lose(type) {
  close();
  if (type === "busy") delay = longestDelay;
  for (const port of [...tabs.keys()]) if (tabs.get(port).place >= 0) tell(port, { type });
  openAgain();
}

function openAgain() {
  openIn(delay * (0.5 + Math.random()));
  delay = Math.min(2 * delay, longestDelay);
}

function pass(message, place) {
  for (const [port, tab] of [...tabs]) {
    if (tab.place !== place) continue;
    tell(port, message);
    if (message.id) tab.after = message.id;
    if (message.type === "end" || message.type === "signed-out") tabs.delete(port);
    if (message.type === "refused") {
      tab.place = -1;
      delay = longestDelay;
      openAgain();
    }
  }
  if (!tabs.size) close();
}

function tell(port, message) {
  const tab = tabs.get(port);
  const now = performance.now();
  tab.unanswered ??= now;
  if (now - tab.unanswered > maxUnanswered) forget(port);
  else port.postMessage(message);
}

addEventListener("online", () => source || open());

// A tab connects to the worker.
self.onconnect = (event) => serve(event.ports[0]);
