// A server with bots, for one test file, on a free port of 127.0.0.1.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { until } from "./wait.js";

const program = process.env.LASTNIM_BINARY;
const adminToken = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/** Clocks that do not run out, however slow the machine is. */
const patientClocks = ["--clock", "1h", "--declare-within", "10m"];

export class Server {
  /** The admin's token. */
  adminToken = adminToken;
  #children = [];

  /** Starts a server with additional arguments. */
  static async start(...further) {
    const server = new Server();
    const process = server.#spawn(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--log", "error", "--json", ...further]);
    const [line] = await once(createInterface({ input: process.stdout }), "line");
    server.address = JSON.parse(line).listening;
    server.url = `http://${server.address}`;
    return server;
  }

  /** Creates a tournament, registers bots and starts them. Returns its id. */
  async createTournament({ bots, further = [] }) {
    const create = ["tournament", "create", "--start-when", String(Object.keys(bots).length), ...patientClocks, ...further];
    const id = await this.run(...create);
    for (const [name, house] of Object.entries(bots)) {
      const token = await this.run("bot", "register", name);
      this.#spawn(["bot", "run", house, "--tournament", id], { LASTNIM_TOKEN: token });
    }
    return id;
  }

  /** Plays a tournament of the server's house bots, one match after the other. Returns its id. */
  async playTournament(bots, ...further) {
    const create = ["tournament", "create", "--start-when", String(bots.length), "--concurrency", "1", ...patientClocks, ...further];
    const id = await this.run(...create);
    for (const bot of bots) await this.run("tournament", "join", id, "--bot", bot);
    await this.waitUntilOver(id);
    return id;
  }

  /** Runs the program as the admin. Returns its output. */
  async run(...args) {
    const { stdout } = await promisify(execFile)(program, args, { env: this.#environment() });
    return stdout.trim();
  }

  /** Fetches the JSON of a page. */
  async json(path) {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Waits until a tournament is over. */
  async waitUntilOver(id) {
    await until(async () => (await this.json(`/tournaments/${id}.json`)).tournament.state === "finished", `tournament ${id} is over`);
  }

  /** Waits until a match is over. */
  async waitUntilEnded(id) {
    await until(async () => (await this.json(`/matches/${id}.json`)).match.phase === "ended", `match ${id} is over`);
  }

  /** Stops the bots, then the server. */
  async stop() {
    for (const child of this.#children.reverse()) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }
  }

  #spawn(args, more = {}) {
    const child = spawn(program, args, { env: { ...this.#environment(), ...more }, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.resume();
    this.#children.push(child);
    return child;
  }

  #environment() {
    return { ...process.env, LASTNIM_ADMIN_TOKEN: adminToken, LASTNIM_SERVER: this.address ?? "" };
  }
}
