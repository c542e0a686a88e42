// The way from a browser to a server, which can be interrupted, and which counts the connections.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { until } from "./wait.js";

export class Network {
  /** The connections of the browser, each with whether it has an event stream. */
  #open = new Map();
  #isCut = false;
  #listener;
  /** The number of event streams so far, open or not. */
  allStreams = 0;

  /** Passes connections on to a server. */
  static async to(server) {
    const network = new Network();
    network.#listener = createServer((near) => network.#pass(near, server.address)).listen(0, "127.0.0.1").unref();
    await once(network.#listener, "listening");
    network.url = `http://127.0.0.1:${network.#listener.address().port}`;
    return network;
  }

  #pass(near, address) {
    if (this.#isCut) return near.destroy();
    const [host, port] = address.split(":");
    const far = connect({ host, port });
    this.#open.set(near, false);
    far.on("data", (bytes) => {
      if (!bytes.includes("content-type: text/event-stream")) return;
      this.#open.set(near, true);
      this.allStreams += 1;
    });
    for (const [from, to] of [[near, far], [far, near]]) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
    near.on("close", () => this.#open.delete(near));
  }

  /** The number of open connections with an event stream. */
  get streams() {
    return [...this.#open.values()].filter(Boolean).length;
  }

  /** Waits for a number of open connections with an event stream. */
  async untilStreams(count) {
    await until(() => this.streams === count, `${count} streams`);
  }

  /** Ends all connections, and refuses new ones until `restore`. */
  cut() {
    this.#isCut = true;
    for (const near of this.#open.keys()) near.destroy();
  }

  restore() {
    this.#isCut = false;
  }

  /** Ends all connections for good. */
  close() {
    this.cut();
    this.#listener.close();
  }
}
