import {
  JoinRefusal as WireJoinRefusal,
  Phase,
  type MatchEnded,
  type MatchStarted,
  type PlayResponse,
  type Snapshot,
  type TalkMessage as WireTalkMessage,
  type TournamentEnded,
  type Turn,
} from "./gen/lastnim/v1/arena_service_pb.js";
import type { Audit } from "./gen/lastnim/v1/audit_pb.js";
import { Ending as WireEnding, type AllianceMatrix as WireMatrix } from "./gen/lastnim/v1/game_pb.js";
import {
  EndReason as WireEndReason,
  RefusalReason as WireRefusalReason,
  TalkPrivacy,
  type OfferId as WireOfferId,
  type Pact as WirePact,
} from "./gen/lastnim/v1/record_pb.js";
import { SuspensionReason as WireSuspensionReason, TournamentState } from "./gen/lastnim/v1/tournament_service_pb.js";
import { MAX_ROUND_MESSAGES, cutText } from "./bounds.js";
import { protocolError } from "./errors.js";
import type { EndReason, SeatFigures } from "./match-end.js";
import type { MatchInfo } from "./match-info.js";
import type { Connected, Refusal, Suspension, TournamentEnd } from "./notices.js";
import { isRow, type AllianceMatrix } from "./row.js";
import type { Mover } from "./seen-takes.js";
import type { OfferId, Pact, TalkMessage } from "./talk.js";
import { enumWord, type EnumWord } from "./wire-enum.js";

/** Why a bot did not enter a tournament. */
export type JoinRefusal = EnumWord<typeof WireJoinRefusal>;

/** A turn as sent; the tracker checks whether it is possible in its match. */
export interface RawTurn {
  readonly ply: number;
  readonly pile: number;
  readonly counters: bigint;
  readonly bankMs: number;
}

/** The state of a match in play; the tracker checks whether it is possible. */
export interface ReachedPly {
  readonly ply: number;
  readonly pile: number;
  readonly counters: bigint;
}

/** The stage of a match in a snapshot; `unknown` is a phase of a newer protocol version. */
export type SnapshotStage =
  | { readonly kind: "declaring" | "declared" | "ended" | "unknown" }
  | { readonly kind: "playing"; readonly matrix: AllianceMatrix; readonly reached: ReachedPly; readonly turn: RawTurn | undefined };

/** The full state of an open match. */
export interface MatchSnapshot {
  readonly match: MatchInfo;
  readonly stage: SnapshotStage;
  /** The talk, if the seats talk. */
  readonly talk: SnapshotTalk | undefined;
  /** Whether the bot's seat is forfeited. */
  readonly forfeited: boolean;
}

/** The talk in a snapshot. */
export interface SnapshotTalk {
  /** The round that is open; absent once the talk is over. */
  readonly round: number | undefined;
  readonly timeLeftMs: number;
  /** Whether the bot has ended its own talk in this round. */
  readonly isDone: boolean;
  /** The messages that the bot has sent or heard. */
  readonly messages: readonly TalkMessage[];
}

export interface EndedMatch {
  readonly matchId: string;
  readonly reason: EndReason;
  readonly winner: number | undefined;
  /** By seat. */
  readonly figures: readonly SeatFigures[];
  /** The match, if the bot may not know it. */
  readonly match: MatchInfo | undefined;
  /** The forfeited seats, if the message lists them. */
  readonly forfeited: readonly number[];
}

/** A parsed event of a session. */
export type SessionEvent =
  | { readonly kind: "welcome"; readonly session: Connected }
  | { readonly kind: "started"; readonly match: MatchInfo }
  | { readonly kind: "snapshot"; readonly snapshot: MatchSnapshot }
  | { readonly kind: "talkAccepted"; readonly matchId: string; readonly round: number; readonly number: number | undefined }
  /** The tracker parses the messages, since that needs the match. */
  | { readonly kind: "heard"; readonly matchId: string; readonly round: number; readonly messages: readonly WireTalkMessage[] }
  | { readonly kind: "revealed"; readonly matchId: string; readonly matrix: AllianceMatrix }
  | { readonly kind: "turn"; readonly matchId: string; readonly turn: RawTurn }
  | { readonly kind: "took"; readonly matchId: string; readonly ply: number; readonly take: bigint; readonly mover: Mover }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "suspended"; readonly notice: Suspension }
  | { readonly kind: "forfeited"; readonly matchId: string; readonly seat: number }
  | { readonly kind: "ended"; readonly ended: EndedMatch }
  | { readonly kind: "tournamentEnded"; readonly end: TournamentEnd }
  | { readonly kind: "caughtUp"; readonly leftOut: bigint }
  | { readonly kind: "ping"; readonly id: bigint }
  | { readonly kind: "draining"; readonly withinMs: number }
  | { readonly kind: "joined"; readonly tournament: string; readonly bots: number; readonly isOver: boolean }
  | { readonly kind: "notJoined"; readonly tournament: string; readonly reason: JoinRefusal; readonly message: string }
  /** An acknowledgement, or an event of a newer protocol version. */
  | { readonly kind: "ignored" };

/**
 * Parses a message of the server.
 *
 * @throws LastnimError that names the missing or invalid field.
 */
export function parseEvent(response: PlayResponse): SessionEvent {
  const event = response.event;
  switch (event.case) {
    case "welcome": {
      const { bot, serverVersion, openMatches } = event.value;
      return { kind: "welcome", session: { bot: cutText(bot), serverVersion: cutText(serverVersion), openMatches } };
    }
    case "matchStarted":
      return { kind: "started", match: parseMatch(event.value, "match_started") };
    case "snapshot":
      return { kind: "snapshot", snapshot: parseSnapshot(event.value) };
    case "talkAccepted": {
      const { matchId, round, number } = event.value;
      return { kind: "talkAccepted", matchId: parseId(matchId, "talk_accepted.match_id"), round, number };
    }
    case "heard": {
      const { matchId, round, messages } = event.value;
      return { kind: "heard", matchId: parseId(matchId, "heard.match_id"), round, messages };
    }
    case "revealed": {
      const matrix = parseMatrix(event.value.allianceMatrix, "revealed.alliance_matrix");
      return { kind: "revealed", matchId: parseId(event.value.matchId, "revealed.match_id"), matrix };
    }
    case "turn":
      return { kind: "turn", matchId: parseId(event.value.matchId, "turn.match_id"), turn: rawTurn(event.value) };
    case "refused": {
      const { matchId, reason, message, ply, strikes, strikesLeft } = event.value;
      const refusal = { match: matchId || undefined, reason: enumWord(WireRefusalReason, reason), message: cutText(message), ply, strikes, strikesLeft };
      return { kind: "refused", refusal };
    }
    case "suspended": {
      const { tournamentId, message, fromRound, lost, noShows, last } = event.value;
      const tournament = parseId(tournamentId, "suspended.tournament_id");
      const reason = enumWord(WireSuspensionReason, event.value.reason);
      return { kind: "suspended", notice: { tournament, reason, message: cutText(message), fromRound, lost, noShows, last } };
    }
    case "forfeited":
      return { kind: "forfeited", matchId: parseId(event.value.matchId, "forfeited.match_id"), seat: event.value.seat };
    case "matchEnded":
      return { kind: "ended", ended: parseEnd(event.value) };
    case "tournamentEnded":
      return { kind: "tournamentEnded", end: parseTournamentEnd(event.value) };
    case "caughtUp":
      return { kind: "caughtUp", leftOut: event.value.leftOut };
    case "ping":
      return { kind: "ping", id: event.value.id };
    case "draining":
      return { kind: "draining", withinMs: event.value.withinMs };
    case "joinedTournament": {
      const tournament = required(event.value.tournament, "joined_tournament.tournament");
      const isOver = endState(tournament.state) !== undefined;
      return { kind: "joined", tournament: tournament.id, bots: tournament.field.length, isOver };
    }
    case "joinRefused": {
      const { tournamentId, reason, message } = event.value;
      return { kind: "notJoined", tournament: tournamentId, reason: enumWord(WireJoinRefusal, reason), message: cutText(message) };
    }
    case "took": {
      const { matchId, ply, take, steward } = event.value;
      return { kind: "took", matchId: parseId(matchId, "took.match_id"), ply, take, mover: steward ? "steward" : "bot" };
    }
    case "declared":
    case undefined:
      return { kind: "ignored" };
  }
}

function unfit(field: string, reason: string): Error {
  return protocolError(`an invalid event: ${field}: ${reason}`);
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw unfit(field, "missing");
  return value;
}

function parseId(id: string, field: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw unfit(field, `${JSON.stringify(id)}: expected a UUID`);
  return id.toLowerCase();
}

function parseMatrix(matrix: WireMatrix | undefined, field: string): AllianceMatrix {
  const rows = required(matrix, field).rows.map((row) => row.offsets);
  const wrong = rows.findIndex((row) => !isRow(row, rows.length));
  if (wrong >= 0 || rows.length < 2) {
    throw unfit(field, `row ${Math.max(wrong, 0)} of ${rows.length} is not a permutation of the offsets`);
  }
  return rows;
}

function parseMatch(started: MatchStarted, field: string): MatchInfo {
  const setup = required(started.setup, `${field}.setup`);
  const clock = required(setup.clock, `${field}.setup.clock`);
  const seats = setup.bots.length;
  if (seats < 2) throw unfit(`${field}.setup.bots`, `${seats} bots: expected 2 or more`);
  if (setup.piles.length === 0 || setup.piles.includes(0n)) throw unfit(`${field}.setup.piles`, "expected a counter in every pile");
  for (const [name, seat] of [["seat", started.seat], ["setup.first", setup.first]] as const) {
    if (seat >= seats) throw unfit(`${field}.${name}`, `seat ${seat}: expected 0 to ${seats - 1}`);
  }
  const assigned = setup.assigned && parseMatrix(setup.assigned, `${field}.setup.assigned`);
  if (assigned) checkRowCount(assigned, seats);
  const dealtRow = started.dealtRow?.offsets;
  if (dealtRow && !isRow(dealtRow, seats)) throw unfit(`${field}.dealt_row`, "not a permutation of the offsets");
  const origin = setup.tournamentId
    ? { tournament: parseId(setup.tournamentId, `${field}.setup.tournament_id`), number: setup.number, group: setup.group }
    : undefined;
  const { initialMs, incrementMs, lagQuotaMs, lagTotalMs, declarationMs, returnWithinMs } = clock;
  return {
    id: parseId(started.matchId, `${field}.match_id`),
    seat: started.seat,
    seats,
    bots: setup.bots,
    piles: setup.piles,
    first: setup.first,
    ending: enumWord(WireEnding, setup.ending || WireEnding.TO_MOVE_WINS),
    clock: { initialMs, incrementMs, lagQuotaMs, lagTotalMs, declarationMs, returnWithinMs },
    strikes: setup.strikes,
    maxPlies: setup.maxPlies,
    assigned,
    origin,
    dealtRow,
    talk: setup.talk && {
      rounds: setup.talk.rounds,
      roundMs: setup.talk.roundMs,
      textChars: setup.talk.textChars,
      privacy: enumWord(TalkPrivacy, setup.talk.privacy),
      pacts: setup.talk.pacts,
    },
    messages: [],
  };
}

/** Parses messages of talk. Those with an unknown kind of content, from a newer server, are left out. */
export function parseTalkMessages(messages: readonly WireTalkMessage[], { seats, talk }: MatchInfo, field: string): TalkMessage[] {
  return messages.flatMap(({ seat, round, number, to, content }) => {
    if (content?.content.case === undefined) return [];
    const offer = content.content.case === "offer" ? readPact(content.content.value) : undefined;
    const accept = content.content.case === "accept" ? readOfferId(content.content.value) : undefined;
    const ofPact = offer?.members.flatMap((member) => [member.seat, ...member.relations.flatMap(({ before, after }) => [before, after])]);
    const wrong = [seat, ...to, ...(ofPact ?? []), accept?.seat ?? 0].find((named) => named >= seats);
    if (wrong !== undefined) throw unfit(field, `seat ${wrong}: expected 0 to ${seats - 1}`);
    if (round >= (talk?.rounds ?? 0) || number >= MAX_ROUND_MESSAGES) {
      throw unfit(field, `message ${number} of round ${round}: the match has no such message`);
    }
    const text = content.content.case === "text" ? cutText(content.content.value) : undefined;
    const claim = content.content.case === "claim" ? content.content.value.offsets : undefined;
    if (claim !== undefined && !isRow(claim, seats)) throw unfit(field, "a claim that is not a permutation of the offsets");
    return [{ seat, round, number, to, text, claim, offer, accept }];
  });
}

function readPact({ members }: WirePact): Pact {
  return { members: members.map(({ seat, relations }) => ({ seat, relations: relations.map(({ before, after }) => ({ before, after })) })) };
}

function readOfferId({ seat, round, number }: WireOfferId): OfferId {
  return { seat, round, number };
}

/** Checks that a matrix has a row for each seat of its match. */
export function checkRowCount(matrix: AllianceMatrix, seats: number): void {
  if (matrix.length !== seats) throw protocolError(`${matrix.length} rows for a match with ${seats} seats`);
}

function rawTurn({ ply, pile, counters, bankMs }: Turn): RawTurn {
  return { ply, pile, counters, bankMs };
}

function parseSnapshot(snapshot: Snapshot): MatchSnapshot {
  const match = parseMatch(required(snapshot.started, "snapshot.started"), "snapshot.started");
  const talk = snapshot.talk && {
    round: snapshot.talk.round,
    timeLeftMs: snapshot.talk.leftMs,
    isDone: snapshot.talk.ended,
    messages: parseTalkMessages(snapshot.talk.messages, match, "snapshot.talk.messages"),
  };
  return { match, stage: parseStage(snapshot), talk, forfeited: snapshot.forfeited.includes(match.seat) };
}

function parseStage(snapshot: Snapshot): SnapshotStage {
  switch (snapshot.phase) {
    case Phase.DECLARING:
      return { kind: snapshot.declarationLeftMs === 0 ? "declared" : "declaring" };
    case Phase.PLAYING: {
      const matrix = parseMatrix(snapshot.allianceMatrix, "snapshot.alliance_matrix");
      const { ply, pile, counters } = snapshot;
      return { kind: "playing", matrix, reached: { ply, pile, counters }, turn: snapshot.turn && rawTurn(snapshot.turn) };
    }
    case Phase.ENDED:
      return { kind: "ended" };
    case Phase.UNSPECIFIED:
      throw unfit("snapshot.phase", "missing");
    case Phase.QUARANTINED:
      throw unfit("snapshot.phase", "a quarantined match cannot have a snapshot");
    default:
      return { kind: "unknown" };
  }
}

function parseEnd(ended: MatchEnded): EndedMatch {
  return {
    matchId: parseId(ended.matchId, "match_ended.match_id"),
    reason: enumWord(WireEndReason, ended.reason),
    winner: ended.winner,
    figures: ended.audit ? seatFigures(ended.audit) : [],
    match: ended.started && parseMatch(ended.started, "match_ended.started"),
    forfeited: ended.forfeited.map((lost) => lost.seat),
  };
}

function seatFigures(audit: Audit): SeatFigures[] {
  return audit.seats.map(({ satisfaction, regret, luck, plies, optimalPlies }) => {
    return { satisfaction, regret, luck, takes: plies, optimalTakes: optimalPlies };
  });
}

/** Returns how a tournament ended, if it is over. */
function endState(state: TournamentState): TournamentEnd["state"] | undefined {
  if (state === TournamentState.FINISHED) return "finished";
  if (state === TournamentState.CANCELLED) return "cancelled";
  return undefined;
}

function parseTournamentEnd(ended: TournamentEnded): TournamentEnd {
  const standing = required(ended.standing, "tournament_ended.standing");
  const state = endState(ended.state);
  if (state === undefined) throw unfit("tournament_ended.state", `${ended.state} is not the state of a tournament that is over`);
  const tournament = parseId(ended.tournamentId, "tournament_ended.tournament_id");
  const { place, points, matches, wins } = standing;
  return { tournament, title: cutText(ended.title), state, place, points, matches, wins, bots: ended.bots };
}
