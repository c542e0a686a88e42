import { inspect } from "node:util";
import type { Bot } from "./bot.js";
import type { Logger } from "./logger.js";
import type { MatchInfo } from "./match-info.js";
import { isRequest, matchOfQuestion, type BotAnswer, type BotQuestion } from "./question.js";
import { isRow, standardRow } from "./row.js";
import type { Message, OfferId, Pact } from "./talk.js";

/** The largest number in the protocol. */
const MAX_WIRE_COUNTERS = 2n ** 64n - 1n;
/** The bytes of a note hash. */
const NOTE_HASH_BYTES = 32;

/** Asks the bot a question and returns its answer. Exceptions are logged here. */
export async function askBot(bot: Bot, question: BotQuestion, logger: Logger): Promise<BotAnswer> {
  try {
    return await askMethod(bot, question, logger);
  } catch (thrown) {
    const costsSeat = isRequest(question);
    const consequence = costsSeat ? ": its seat there is resigned" : "";
    logger.error(`the bot failed at ${describeQuestion(question)}${consequence}\n${inspect(thrown)}`);
    return { kind: costsSeat ? "failed" : "handled" };
  }
}

async function askMethod(bot: Bot, question: BotQuestion, logger: Logger): Promise<BotAnswer> {
  switch (question.kind) {
    case "talk": {
      const { seats } = question.round;
      const messages: unknown = await bot.talk?.(question.round);
      if (messages !== undefined && !(Array.isArray(messages) && messages.every((message) => isMessage(message, seats)))) {
        throw new TypeError(`talk returned ${show(messages)}: expected messages, such as { text: "hello", to: [0] } or { claim: [1, 0] }`);
      }
      return { kind: "messages", messages };
    }
    case "declare": {
      const { match } = question;
      const row = bot.declare === undefined ? (match.dealtRow ?? standardRow(match.seats)) : await bot.declare(match);
      if (!isRow(row, match.seats)) {
        throw new TypeError(`declare returned ${show(row)}: a row is a permutation of the offsets 0 to ${match.seats - 1}`);
      }
      return { kind: "row", row, noteHash: await askNoteHash(bot, match) };
    }
    case "play": {
      const take: unknown = await bot.play(question.view);
      if (typeof take !== "bigint") {
        throw new TypeError(`play returned ${show(take)}: a take is a bigint, such as 1n`);
      }
      if (take < 0n || take > MAX_WIRE_COUNTERS) {
        throw new RangeError(`play returned ${take}: a take is 1 to ${question.view.position.counters} here`);
      }
      return { kind: "take", take, noteHash: await askNoteHash(bot, question.view) };
    }
    case "connected":
      await bot.connected?.(question.session);
      break;
    case "heard":
      await bot.heard?.(question.match, question.round);
      break;
    case "refused":
      if (bot.refused) await bot.refused(question.refusal);
      else logger.warn(`refused: ${question.refusal.message}`);
      break;
    case "suspended":
      if (bot.suspended) await bot.suspended(question.notice);
      else logger.warn(`tournament ${question.notice.tournament}: ${question.notice.message}`);
      break;
    case "tournamentEnded":
      await bot.tournamentEnded?.(question.end);
      break;
    case "ended":
      await bot.ended?.(question.end);
      break;
  }
  return { kind: "handled" };
}

function isMessage(message: unknown, seats: number): message is Message {
  if (typeof message !== "object" || message === null) return false;
  const { text, claim, offer, accept, to = [] }: Record<string, unknown> = { ...message };
  const isContent = [typeof text === "string", isRow(claim, seats), isPact(offer), isOfferId(accept)].filter(Boolean).length === 1;
  const isSingle = [text, claim, offer, accept].filter((content) => content !== undefined).length === 1;
  return isSingle && isContent && Array.isArray(to) && to.every((seat) => Number.isInteger(seat) && seat >= 0 && seat < seats);
}

/** Returns whether a value has the shape of a pact. The server checks the seats. */
function isPact(value: unknown): value is Pact {
  const isRelation = (relation: unknown) => isWhole(relation, "before") && isWhole(relation, "after");
  const isMember = (member: unknown) => isWhole(member, "seat") && isList(member, "relations", isRelation);
  return isList(value, "members", isMember);
}

function isOfferId(value: unknown): value is OfferId {
  return ["seat", "round", "number"].every((name) => isWhole(value, name));
}

function isWhole(value: unknown, name: string): boolean {
  const number = memberOf(value, name);
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number < 2 ** 32;
}

function isList(value: unknown, name: string, isItem: (item: unknown) => boolean): boolean {
  const list = memberOf(value, name);
  return Array.isArray(list) && list.every(isItem);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

async function askNoteHash(bot: Bot, match: MatchInfo): Promise<Uint8Array | undefined> {
  const hash = await bot.noteHash?.(match);
  if (hash !== undefined && !(hash instanceof Uint8Array && hash.length === NOTE_HASH_BYTES)) {
    throw new TypeError(`noteHash returned ${show(hash)}: a note hash is a Uint8Array of ${NOTE_HASH_BYTES} bytes`);
  }
  return hash;
}

function describeQuestion(question: BotQuestion): string {
  const matchId = matchOfQuestion(question);
  const where = matchId === undefined ? "" : ` in match ${matchId}`;
  if (question.kind !== "play") return `${question.kind}${where}`;
  const { ply, seat, position } = question.view;
  return `play${where} at ply ${ply} from seat ${seat}, pile ${position.pile} with ${position.counters} counters`;
}

/** Formats any value, shortened. */
function show(value: unknown): string {
  return inspect(value, { depth: 1, breakLength: Infinity }).slice(0, 200);
}
