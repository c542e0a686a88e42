import { create } from "@bufbuild/protobuf";
import { DeclareSchema, EndTalkSchema, PongSchema, ResignSchema, SaySchema, TakeSchema, type PlayRequest } from "./gen/lastnim/v1/arena_service_pb.js";
import type { Message } from "./talk.js";

/** A request of a bot. */
export type PlayAction = Exclude<PlayRequest["action"], { case: undefined }>;

const NO_HASH: Uint8Array = new Uint8Array();

/** Creates the message that declares a row. */
export function declareAction(matchId: string, row: readonly number[], noteHash = NO_HASH): PlayAction {
  return { case: "declare", value: create(DeclareSchema, { matchId, row: { offsets: [...row] }, noteHash }) };
}

/** Creates the message that takes counters. */
export function takeAction(matchId: string, ply: number, take: bigint, noteHash = NO_HASH): PlayAction {
  return { case: "take", value: create(TakeSchema, { matchId, ply, take, noteHash }) };
}

/** Creates the message that sends a message to other seats. */
export function sayAction(matchId: string, round: number, number: number, message: Message): PlayAction {
  const content = wireContent(message);
  return { case: "say", value: create(SaySchema, { matchId, round, number, to: [...(message.to ?? [])], content: { content } }) };
}

function wireContent(message: Message) {
  if ("text" in message) return { case: "text" as const, value: message.text };
  if ("claim" in message) return { case: "claim" as const, value: { offsets: [...message.claim] } };
  if ("accept" in message) {
    const { seat, round, number } = message.accept;
    return { case: "accept" as const, value: { seat, round, number } };
  }
  const members = message.offer.members.map(({ seat, relations }) => {
    return { seat, relations: relations.map(({ before, after }) => ({ before, after })) };
  });
  return { case: "offer" as const, value: { members } };
}

/** Creates the message that ends the bot's talk in a round. */
export function endTalkAction(matchId: string, round: number): PlayAction {
  return { case: "endTalk", value: create(EndTalkSchema, { matchId, round }) };
}

/** Creates the message that resigns a seat. */
export function resignAction(matchId: string): PlayAction {
  return { case: "resign", value: create(ResignSchema, { matchId }) };
}

/** Creates the message that answers a ping. */
export function pongAction(id: bigint): PlayAction {
  return { case: "pong", value: create(PongSchema, { id }) };
}
