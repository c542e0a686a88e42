import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { ArenaService, PlayResponseSchema, type PlayRequest, type PlayResponse } from "#src/gen/lastnim/v1/arena_service_pb.js";

/** The actions of the bot. */
export type Received = AsyncIterator<PlayRequest>;
/** The script of a server for one session; sessions count from 0. */
export type Script = (received: Received, session: number) => AsyncGenerator<PlayResponse>;

/** Creates an event of a server. */
export function event(event: NonNullable<MessageInitShape<typeof PlayResponseSchema>["event"]>): PlayResponse {
  return create(PlayResponseSchema, { event } as MessageInitShape<typeof PlayResponseSchema>);
}

/** Creates the event that opens a session. */
export function welcome(openMatches = 0): PlayResponse {
  return event({ case: "welcome", value: { bot: "a", openMatches, serverVersion: "9.9" } });
}

/** Waits for the next action apart from subscribe and pong. */
export async function nextAction(received: Received): Promise<PlayRequest["action"]> {
  for (;;) {
    const next = await received.next();
    if (next.done === true) return { case: undefined };
    const { action } = next.value;
    if (action.case !== "subscribe" && action.case !== "pong") return action;
  }
}

/** A server that follows a script; returns its address. */
export async function startScriptedServer(t: TestContext, script: Script): Promise<string> {
  let sessions = 0;
  const open = new Set<http2.ServerHttp2Session>();
  const server = http2.createServer(
    connectNodeAdapter({
      routes: (router) => {
        router.service(ArenaService, {
          play: (requests) => script(requests[Symbol.asyncIterator](), sessions++),
        });
      },
    }),
  );
  server.on("session", (session) => {
    open.add(session);
    session.on("close", () => open.delete(session));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const session of open) session.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
