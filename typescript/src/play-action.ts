import { create } from "@bufbuild/protobuf";
import { DeclareSchema, PongSchema, ResignSchema, TakeSchema, type PlayRequest } from "./gen/lastnim/v1/arena_service_pb.js";

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

/** Creates the message that resigns a seat. */
export function resignAction(matchId: string): PlayAction {
  return { case: "resign", value: create(ResignSchema, { matchId }) };
}

/** Creates the message that answers a ping. */
export function pongAction(id: bigint): PlayAction {
  return { case: "pong", value: create(PongSchema, { id }) };
}
