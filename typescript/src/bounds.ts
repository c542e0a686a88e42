/** Maximum number of open matches of a bot: as many as a server opens in total by default. */
export const MAX_OPEN_MATCHES = 20_000;
/** Maximum messages that wait because the server does not read: a row and a take for each open match, and pongs. */
export const MAX_UNSENT_MESSAGES = 2 * MAX_OPEN_MATCHES + 1_024;
/** Maximum questions and reports that a bot thinks about at once. */
export const MAX_THOUGHTS = 2 * MAX_OPEN_MATCHES;
/** The maximum number of messages that a seat can send in one round of talk. */
export const MAX_ROUND_MESSAGES = 4;
/** Maximum characters of a text from the server, such as the reason of a refusal; longer ones are cut. */
const MAX_TEXT_LENGTH = 4_096;

/** Cuts a text that is too long. */
export function cutText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}...` : text;
}
