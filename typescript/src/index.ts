/**
 * The TypeScript SDK of lastnim: implement {@link Bot}, and {@link run} plays all its matches over one session that it keeps
 * alive.
 *
 * `event.ts` parses what the server sends; `match-tracker.ts` decides how to react, without I/O; `session.ts` sends and receives.
 *
 * @packageDocumentation
 */
export type { Bot } from "./bot.js";
export { LastnimError, type LastnimErrorCode } from "./errors.js";
export { silentLogger, stderrLogger, type Logger } from "./logger.js";
export type { EndReason, MatchEnd, SeatFigures } from "./match-end.js";
export type { Clock, Ending, MatchInfo, Origin } from "./match-info.js";
export { practiceView, type MatchView, type PracticeGame } from "./match-view.js";
export type { Connected, Refusal, RefusalReason, Suspension, SuspensionReason, TournamentEnd } from "./notices.js";
export { optionsFromEnv, type Options } from "./options.js";
export { Position } from "./position.js";
export { practice, type Practice } from "./practice.js";
export { favouringRow, standardRow, type AllianceMatrix, type Row } from "./row.js";
export { run } from "./run.js";
export type { Mover, SeenTake, TakeFeed } from "./seen-takes.js";
export { Summary } from "./summary.js";
export { lastClaim, type Message, type OfferId, type Pact, type PactMember, type Talk, type TalkMessage, type TalkRound } from "./talk.js";
