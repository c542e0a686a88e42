// The module that follows pages for all tabs, without a browser and with a clock that the tests move.

import assert from "node:assert/strict";
import { test } from "node:test";

const streams = [];
let now;

globalThis.self = globalThis;
globalThis.addEventListener = () => {};
globalThis.EventSource = class extends EventTarget {
  constructor(address) {
    super();
    this.feeds = new URL(address, "http://server").searchParams.getAll("feed");
    streams.push(this);
  }
  /** Sends a message for a page, or for all if `place` is null. */
  send(type, place, { data = "{}", id = "" } = {}) {
    if (place !== null) this.dispatchEvent(new MessageEvent("feed", { data: String(place) }));
    this.dispatchEvent(new MessageEvent(type, { data, lastEventId: id }));
  }
  close() {
    this.isClosed = true;
  }
};
performance.now = () => now;
const { serve } = await import("../../crates/web/src/assets/live_stream.js");

/** A tab that follows a page, with the messages that it has got. */
class Tab {
  received = [];
  answers = true;
  constructor(feed, after) {
    this.port = { postMessage: (message) => this.receive(message) };
    serve(this.port);
    this.send({ feed, after });
  }
  receive({ type }) {
    this.received.push(type);
    if (this.answers) this.send("received");
  }
  send(data) {
    this.port.onmessage({ data });
  }
}

const stream = () => streams.at(-1);
let tick;
/** Runs a test with tabs that leave at its end. */
function withTabs(name, run) {
  test(name, (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    streams.length = now = 0;
    tick = (milliseconds) => {
      now += milliseconds;
      context.mock.timers.tick(milliseconds);
    };
    const tabs = [];
    run((...args) => {
      tabs.push(new Tab(...args));
      return tabs.at(-1);
    });
    tabs.forEach((tab) => tab.send("leave"));
    tick(50);
    assert.ok(stream().isClosed);
  });
}

withTabs("a tab that does not answer is forgotten", (open) => {
  const [alive, gone] = [open("/events"), open("/tournaments/1/events")];
  tick(50);
  assert.deepEqual(stream().feeds, ["/events", "/tournaments/1/events"]);
  gone.answers = false;
  for (let seconds = 0; seconds <= 70; seconds += 10) {
    for (const place of [0, 1]) stream().send("heartbeat", place);
    tick(10_000);
  }
  assert.deepEqual(stream().feeds, ["/events"]);
  assert.equal(alive.received.length, 8);
});

withTabs("tabs that show different takes of a match are followed apart until they show the same", (open) => {
  const [early, late] = [open("/matches/1/events", "3"), open("/matches/1/events", "7")];
  tick(50);
  assert.deepEqual(stream().feeds, ["/matches/1/events?after=3", "/matches/1/events?after=7"]);
  stream().send("message", 0, { id: "9" });
  stream().send("message", 1, { id: "9" });
  assert.deepEqual([early.received, late.received], [["message"], ["message"]]);
  open("/events");
  tick(50);
  assert.deepEqual(stream().feeds, ["/matches/1/events?after=9", "/events"]);
});

withTabs("a refused page leaves the others alone, and is tried again", (open) => {
  const [refused, other] = [open("/matches/1/events"), open("/events")];
  tick(50);
  const first = stream();
  first.send("refused", 0, { data: '{"message":"no"}' });
  first.send("heartbeat", 1);
  assert.deepEqual([refused.received, other.received, first.isClosed], [["refused"], ["heartbeat"], undefined]);
  tick(46_000);
  assert.deepEqual(stream().feeds, ["/matches/1/events", "/events"]);
  assert.notEqual(stream(), first);
});

withTabs("a lost or busy stream is opened again for all tabs", (open) => {
  const tabs = [open("/events"), open("/matches/1/events")];
  tick(50);
  for (const lose of [() => stream().onerror(), () => stream().send("busy", null)]) {
    const before = streams.length;
    lose();
    tick(46_000);
    assert.equal(streams.length, before + 1);
  }
  for (const tab of tabs) assert.deepEqual(tab.received, ["lost", "busy"]);
  stream().send("end", 1);
  stream().send("heartbeat", 1);
  assert.deepEqual(tabs[1].received, ["lost", "busy", "end"]);
});

withTabs("a stream has at most 32 pages", (open) => {
  for (let number = 0; number < 40; number++) open(`/matches/${number}/events`);
  tick(50);
  assert.equal(stream().feeds.length, 32);
  assert.equal(streams.length, 1);
});
