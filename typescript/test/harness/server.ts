import { AllianceMode } from "#src/gen/lastnim/v1/record_pb.js";
import { create } from "@bufbuild/protobuf";
import { createClient, type Client } from "@connectrpc/connect";
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { BotService } from "#src/gen/lastnim/v1/bot_service_pb.js";
import { MatchService } from "#src/gen/lastnim/v1/match_service_pb.js";
import type { MatchRecord } from "#src/gen/lastnim/v1/record_pb.js";
import { TournamentService, TournamentSettingsSchema, type Standing, type TournamentSettings } from "#src/gen/lastnim/v1/tournament_service_pb.js";
import { Http2Connection } from "#src/http2-connection.js";
import { grpcTransport } from "#src/play-stream.js";
import { parseServerAddress, type TlsFiles } from "#src/server-address.js";
import type { MessageInitShape } from "@bufbuild/protobuf";

const ADMIN_TOKEN = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/** Clocks that never run out in tests. */
const PATIENT_CLOCK = { initialMs: 600_000, declarationMs: 600_000 };
const PACKAGE = path.resolve(import.meta.dirname, "../../..");

/** The lastnim program to test with. */
export function lastnimBinary(): string {
  const given = process.env["LASTNIM_BINARY"];
  const built = ["release", "debug"].map((profile) => path.join(PACKAGE, "../target", profile, "lastnim"));
  const candidates = given ? [given] : built;
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found !== undefined) return found;
  throw new Error(
    `no program lastnim to test against at ${candidates.join(" or ")}: ` +
      "build it with `cargo build` in the root of the repository, or say in LASTNIM_BINARY where it is",
  );
}

/** Creates a folder that is removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "lastnim-typescript-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How to start a server. */
export interface ServerOptions {
  /** The value of `--listen`; by default a free port. */
  readonly listen?: string;
  /** The value of `--store`. */
  readonly store?: string;
  readonly flags?: readonly string[];
  /** The files for TLS, if the flags turn it on. */
  readonly tls?: TlsFiles;
}

/** A real server on a free port, which is stopped after its test. */
export class TestServer {
  readonly bots: Client<typeof BotService>;
  readonly matches: Client<typeof MatchService>;
  readonly tournaments: Client<typeof TournamentService>;
  readonly #connection: Http2Connection;

  private constructor(
    readonly process: ChildProcess,
    /** Its address, as the server printed it. */
    readonly address: string,
    tls?: TlsFiles,
  ) {
    this.#connection = new Http2Connection(parseServerAddress(address, tls));
    const transport = grpcTransport(this.#connection);
    this.bots = createClient(BotService, transport);
    this.matches = createClient(MatchService, transport);
    this.tournaments = createClient(TournamentService, transport);
  }

  static async start(test: TestContext, { listen = "127.0.0.1:0", store = "memory", flags = [], tls }: ServerOptions = {}): Promise<TestServer> {
    const folder = temporaryFolder(test);
    const child = spawn(
      lastnimBinary(),
      ["serve", "--listen", listen, "--json", "--store", store, "--log", "error", ...flags],
      { cwd: folder, env: { PATH: process.env["PATH"], LASTNIM_ADMIN_TOKEN: ADMIN_TOKEN }, stdio: ["ignore", "pipe", "inherit"] },
    );
    const first = await Promise.race([
      once(createInterface(child.stdout), "line").then(([line]) => line as string),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
    ]);
    const { listening } = JSON.parse(first) as { listening: string };
    const server = new TestServer(child, listening, tls);
    test.after(() => server.kill());
    return server;
  }

  get port(): number {
    return Number(this.address.split(":").at(-1));
  }

  /** The options of the admin's calls. */
  get asAdmin(): { headers: Record<string, string> } {
    return { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    this.#connection.close();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGCONT");
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }

  /** Registers a bot and returns its token. */
  async register(name: string): Promise<string> {
    return (await this.bots.registerBot({ name }, this.asAdmin)).token;
  }

  /** Registers bots and returns their tokens, by name. */
  async registerAll<Name extends string>(names: readonly Name[]): Promise<Record<Name, string>> {
    const tokens: Partial<Record<Name, string>> = {};
    for (const name of names) tokens[name] = await this.register(name);
    return tokens as Record<Name, string>;
  }

  /** Creates a tournament, by default with clocks that never run out, and returns its id. */
  async createTournament(settings: Omit<MessageInitShape<typeof TournamentSettingsSchema>, "$typeName">): Promise<string> {
    const request = { settings: create(TournamentSettingsSchema, { title: "test", clock: PATIENT_CLOCK, alliance: AllianceMode.DECLARED, ...settings } as TournamentSettings) };
    const { tournament } = await this.tournaments.createTournament(request, this.asAdmin);
    return tournament!.id;
  }

  /** Returns the standings of a tournament by bot name. */
  async standings(tournamentId: string): Promise<Map<string, Standing>> {
    const { standings } = await this.tournaments.getStandings({ tournamentId }, this.asAdmin);
    return new Map(standings.map((standing) => [standing.bot, standing]));
  }

  /** Returns the record of a match. */
  async record(matchId: string): Promise<MatchRecord> {
    const { record } = await this.matches.getRecord({ matchId }, this.asAdmin);
    assert(record);
    return record;
  }
}
