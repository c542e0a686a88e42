// Draws the board of a match, like the server.

const maxPiles = 24;
/** The counters up to which all of a pile are drawn. */
export const maxDrawnCounters = 20n;
const countersAboveGap = 8n;
const maxTakesOfHighPile = 6;
const maxTakes = 200;

/** Escapes text for HTML. */
export const escape = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Returns the HTML of a board. `steps` are the takes so far, each with its pile, seat, take, counters, cost and whether it is only supposed;
 * `left` has the counters of each pile, and `whatIf` returns the address of another take.
 */
export function boardHtml({ piles, left, steps, position, outcomes, seats, path, whatIf }) {
  const { pile: inPlay, mover } = position;
  const from = Math.max(0, Math.min(Math.max(0, Math.max(0, inPlay) - (maxPiles / 2 - 1)), piles.length - maxPiles));
  const to = Math.min(piles.length, from + maxPiles);
  const note = to - from < piles.length ? `<p class="hint">Piles ${from + 1} to ${to}, out of ${piles.length}.</p>\n` : "";
  const named = left.slice(0, 40).join(", ") + (left.length > 40 ? " and more" : "");
  const words = inPlay < 0 ? "The board: no counter is left" : `The board: piles of ${named}; pile ${inPlay + 1} is in play`;

  const takeHtml = (step, isHigh) => {
    const now = step.after === steps.length ? " now" : "";
    const said = `Take ${step.after}: ${seats[step.seat].name} took ${step.take} of ${step.counters}${step.cost ? ", an error" : ""}`;
    const isFolded = isHigh && step.take > 1n;
    const signs = `<i>${seats[step.seat].sign}</i>`.repeat(isFolded ? 1 : Number(step.take));
    const number = isFolded ? `<span class="number-taken">×${step.take}</span>` : "";
    const error = step.cost ? '<span class="error-mark oracle-says" aria-hidden="true">✕</span>' : "";
    const place = step.isSupposed ? "" : ` href="${path}?ply=${step.after}" data-ply="${step.after}"`;
    const role = step.isSupposed ? ' role="img"' : "";
    const classes = `taken ${seats[step.seat].colour}${now}${step.isSupposed ? " supposed" : ""}`;
    return `<a class="${classes}"${place}${role} aria-label="${escape(said)}" title="${escape(said)}">${signs}${number}${error}</a>\n`;
  };

  const counterHtml = (take, isInPlay) => {
    if (!isInPlay) return '<span class="counter"></span>\n';
    const { winner, cost } = outcomes.find(({ lo, hi }) => lo <= take && take <= hi);
    const best = cost ? "" : ", which is optimal";
    const said = `If ${seats[mover].name} takes ${take}${best}, ${seats[winner].name} wins`;
    return `<a class="counter${cost ? "" : " best"}" href="${whatIf(take)}" data-take="${take}" aria-label="${escape(said)}">${seats[winner].sign}</a>\n`;
  };

  const pileHtml = (pile) => {
    const isHigh = piles[pile] > maxDrawnCounters;
    const isInPlay = pile === inPlay;
    let takes = steps.slice(-maxTakes).filter((step) => step.pile === pile);
    if (isHigh) takes = takes.slice(-maxTakesOfHighPile);
    const missing = piles[pile] - left[pile] - takes.reduce((sum, { take }) => sum + take, 0n);
    let html = missing > 0n ? `<span class="gap">${missing} taken</span>\n` : "";
    html += takes.map((step) => takeHtml(step, isHigh)).join("");
    const all = left[pile];
    const isWhole = !isHigh || all <= countersAboveGap + 1n;
    for (let take = 1n; take <= (isWhole ? all : countersAboveGap); take++) html += counterHtml(take, isInPlay);
    if (!isWhole) html += `<span class="gap">${all - countersAboveGap - 1n} more</span>\n${counterHtml(all, isInPlay)}`;
    return `<div class="pile${isInPlay ? " in-play" : ""}"><div class="stack">\n${html}</div><span class="count" aria-hidden="true">${all}</span></div>\n`;
  };

  let html = "";
  for (let pile = from; pile < to; pile++) html += pileHtml(pile);
  const many = to - from > 8 ? " many" : "";
  return `${note}<div class="scroll"><div class="piles${many}" role="group" aria-label="${words}">\n${html}</div></div>\n`;
}
