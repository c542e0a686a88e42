// Steps through a finished match, and asks what if, without a request. The server draws the first position; this draws the others like it does.

import { clockText } from "./clock.js";
import { boardHtml, escape, maxDrawnCounters } from "./match_board.js";
import { solve } from "./match_oracle.js";

const playInterval = 1100;
const lineInterval = 650;
const maxLine = 12;

const find = (selector) => document.querySelector(selector);
const given = find("#stepped").dataset;
const numbers = (text) => (text ? text.split(" ") : []);
const piles = numbers(given.piles).map(BigInt);
const takes = numbers(given.takes).map(BigInt);
const clocks = numbers(given.clocks).map(Number);
const sure = numbers(given.sure);
const stewards = new Set(numbers(given.steward).map(Number));
const wants = given.wants.split(";").map((order) => numbers(order).map(Number));
const cards = [...document.querySelectorAll("#seats > li")];
const seats = cards.map((card) => {
  const sign = card.querySelector(":scope > .sign");
  return { name: card.querySelector(".name").textContent, sign: sign.outerHTML, colour: /seat-\d/.exec(sign.getAttribute("class"))[0] };
});
const oracle = solve({ piles, wants, lastMoverWins: "lastMoverWins" in given });
const path = location.pathname;
// An exported page is one file for all positions.
const isExported = "static" in document.documentElement.dataset;
const last = takes.length;

/** The position before the first take, and after each, with the take that led there. */
function positionsAfter(list) {
  const all = [{ pile: piles.length - 1, counters: piles.at(-1), mover: Number(given.first) }];
  for (const take of list) {
    const before = all.at(-1);
    const position = oracle.after(before, take);
    const [should, does] = [oracle.winnerOf(before), oracle.winnerOf(position)];
    const cost = oracle.rank[before.mover][does] - oracle.rank[before.mover][should];
    all.push({ ...position, step: { after: all.length, pile: before.pile, seat: before.mover, take, counters: before.counters, cost } });
  }
  return all;
}

const played = positionsAfter(takes);
const errors = played.flatMap(({ step }) => (step?.cost ? [step.after] : []));
let ply = Number(given.ply);
// Takes after the position that are only supposed.
let supposed = [];
let timer = 0;
let lineTimer = 0;

const who = (seat) => `<span class="who">${seats[seat].sign}${escape(seats[seat].name)}</span>`;
const places = (count) => `${count} ${count === 1 ? "place" : "places"}`;

function nth(rank) {
  const place = rank + 1;
  const ending = Math.floor((place % 100) / 10) === 1 ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return place + ending;
}

/** The ranges of optimal takes, in words. */
const optimalWords = (position) =>
  oracle
    .outcomes(position)
    .filter(({ cost }) => !cost)
    .map(({ lo, hi }) => (lo === hi ? `${lo}` : `${lo} to ${hi}`))
    .join(" or ");

function sentence(all) {
  const { step, pile } = all.at(-1);
  const winner = oracle.winnerOf(all.at(-1));
  if (!step) return `Before the first take. If every seat plays for what it wants, ${who(winner)} wins.`;
  const amount = `<b>${step.take} of ${step.counters}</b>`;
  const isSteward = !supposed.length && stewards.has(step.after - 1);
  const taking = isSteward
    ? `for ${who(step.seat)}, which is forfeited, the steward takes ${amount}`
    : `${who(step.seat)} takes ${amount}`;
  const said = `Take ${step.after}: ${taking}. `;
  if (step.cost) {
    const before = all.at(-2);
    const rank = nth(oracle.rank[step.seat][winner]);
    return `${said}<b>This is an error, which cost the seat ${places(step.cost)} in its order.</b> Now ${who(winner)} wins, the ${rank} choice of ${who(step.seat)}. <b>Taking ${optimalWords(before)}</b> would have made ${who(oracle.winnerOf(before))} win.`;
  }
  return pile < 0
    ? `${said}No counter is left: ${who(winner)} wins.`
    : `${said}No take was better: ${who(winner)} still wins under optimal play.`;
}

/** What a model wrote before the last take, if it is in the list. */
function modelWords() {
  const words = find(`#takes [data-ply="${ply}"] + .words`);
  if (supposed.length || !words) return "";
  const text = words.firstChild.textContent.trim();
  return `<p class="${words.className}">${escape(text)} <span class="soft">(what the model wrote)</span></p>`;
}

/** The address for another take. The what-if page can suppose only one take, so further ones link to the match. */
const whatIf = (take) => (supposed.length || isExported ? `${path}?ply=${ply}` : `${path}/what-if?ply=${ply}&#38;take=${take}`);

function panelHtml(position) {
  const { mover, counters } = position;
  const options = oracle.outcomes(position);
  if (!options.length) return "<p>The match is over.</p>";
  const option = ({ lo, hi, winner, cost }) =>
    `<li${cost ? "" : ' class="best"'}><a href="${whatIf(lo)}" data-take="${lo}">${lo === hi ? `take ${lo}` : `<span class="unseen">take </span>${lo} to ${hi}`}</a><span>${who(winner)} wins</span><span class="soft">${cost ? `costs ${places(cost)}` : "optimal"}</span></li>\n`;
  let line = "";
  let here = position;
  for (let steps = 0; steps < maxLine && here.pile >= 0; steps++) {
    const take = oracle.outcomes(here).find(({ cost }) => !cost).lo;
    line += `<span>${seats[here.mover].sign}<span class="unseen">${escape(seats[here.mover].name)} takes</span> ${take}</span> `;
    here = oracle.after(here, take);
  }
  if (here.pile >= 0) line += "<span>…</span> ";
  const winner = oracle.winnerOf(position);
  const place = supposed.length ? "-" : (sure[ply] ?? "-");
  const choice = nth(oracle.rank[mover][winner]);
  const against =
    Number(place) + 1 === seats.length
      ? "If all others play together against it, it may get only its last choice."
      : `Even if all others play together against it, it can force its ${nth(Number(place))} choice${Number(place) ? " or a better one" : ""}.`;
  const safe = place === "-" ? "" : `<p class="soft">Optimal play gives ${who(mover)} its ${choice} choice. ${against}</p>\n`;
  const form =
    counters > maxDrawnCounters
      ? `<form method="get" action="${path}/what-if" class="filter">
<input type="hidden" name="ply" value="${ply}">
<label>Another take <input type="number" name="take" min="1" max="${counters}" value="1" inputmode="numeric" required></label>
<button type="submit">What if</button>
</form>
`
      : "";
  return `<p>${who(mover)} is to move, with ${counters} in the pile. It can take:</p>
<ul class="options">${options.map(option).join("")}</ul>
${form}<h3>Best play from here</h3>
<p class="line">${line}${who(winner)} wins</p>
${safe}`;
}

function drawSeats(position, list) {
  const isOver = position.pile < 0 || (!supposed.length && ply === last);
  const winner = oracle.winnerOf(position);
  cards.forEach((card, seat) => {
    const states = [];
    // What the seat really wanted counts, if it is known.
    const real = card.dataset.real?.split(" ").indexOf(String(winner));
    if (isOver) states.push(winner === seat ? "won" : `got its ${nth(real ?? oracle.rank[seat][winner])} choice`);
    else if (position.mover === seat) states.push("to move");
    // The server knows since when a seat is forfeited; the reason stays beside its name.
    const forfeit = card.dataset.forfeit;
    if (forfeit && Number(card.dataset.forfeitedAfter) <= ply) states.push(forfeit);
    card.querySelector(".seat-state").textContent = states.join("; ");
    card.className = isOver && winner === seat ? "won" : !isOver && position.mover === seat ? "to-move" : "";
    const clock = card.querySelector(".clock");
    const own = clocks.filter((_, index) => index < ply && list[index + 1].step.seat === seat && !stewards.has(index));
    if (!clock) return;
    clock.dataset.left = own.at(-1) ?? given.initial;
    clock.textContent = clockText(Number(clock.dataset.left));
  });
}

function drawSteps(all) {
  const isSupposing = supposed.length > 0;
  const isPossible = {
    first: ply > 0 || isSupposing,
    back: ply > 0 || isSupposing,
    forward: ply < last || isSupposing,
    last: ply < last || isSupposing,
    error: errors.length > 0,
  };
  for (const link of document.querySelectorAll("#steps [data-act]")) {
    if (link.dataset.act === "play") continue;
    link.toggleAttribute("aria-disabled", false);
    if (isPossible[link.dataset.act]) link.href = `${path}?ply=${targetOf(link.dataset.act)}`;
    else {
      link.removeAttribute("href");
      link.setAttribute("aria-disabled", "true");
    }
  }
  const where = isSupposing ? `what if: ${supposed.length} more after take ${ply}` : `take ${ply} of ${last}`;
  find("#where").textContent = where;
  find("#plies")?.remove();
  const leader = seats[oracle.winnerOf(all.at(-1))].name;
  const slider = find("#slider");
  if (slider) {
    slider.value = ply;
    slider.setAttribute("aria-valuetext", `after take ${ply} of ${last}: ${leader} wins under optimal play`);
    find(".cursor").setAttribute("x", `${(ply * 100) / (last + 1)}%`);
  }
}

function drawMatrix(position) {
  const winner = oracle.winnerOf(position);
  for (const row of document.querySelectorAll("#rows tbody tr")) {
    [...row.cells].slice(1).forEach((cell, seat) => cell.classList.toggle("won", seat === winner));
  }
  const [gets, wins] = position.pile < 0 ? ["got, because", "won"] : ["gets if", "wins"];
  find("#outlined").innerHTML = `Outlined: the choice that each seat ${gets} ${who(winner)} ${wins}.`;
}

function drawList() {
  for (const link of document.querySelectorAll("#takes [aria-current]")) link.removeAttribute("aria-current");
  const link = find(`#takes [data-ply="${ply}"]`);
  if (!link) return ply > 0 && !isExported && loadList(ply);
  link.setAttribute("aria-current", "step");
  const list = find("#takes ol");
  list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
}

/** A long match lists only the takes around a position. */
async function loadList(wanted) {
  const answer = await fetch(`${path}?ply=${wanted}`).catch(() => null);
  if (!answer?.ok || wanted !== ply) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["takes", "takes-note"]) document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  drawList();
}

function draw() {
  const all = supposed.length ? positionsAfter([...takes.slice(0, ply), ...supposed]) : played.slice(0, ply + 1);
  const position = all.at(-1);
  const left = piles.map((counters, pile) => (pile < position.pile ? counters : pile === position.pile ? position.counters : 0n));
  const steps = all.slice(1).map(({ step }) => ({ ...step, isSupposed: step.after > ply }));
  const focused = document.activeElement?.dataset;
  const wasOnBoard = find("#board").contains(document.activeElement);
  const outcomes = oracle.outcomes(position);
  find("#board").innerHTML = boardHtml({ piles, left, steps, position, outcomes, seats, path, whatIf });
  find("#oracle").innerHTML = panelHtml(position);
  if (wasOnBoard) (find(`#board [data-ply="${focused.ply}"]`) ?? find("#board [data-take]") ?? find("#said")).focus({ preventScroll: true });
  const said = find("#said");
  const buttons = supposed.length
    ? `<p class="steps"><button type="button" data-act="line"${position.pile < 0 ? " disabled" : ""}>Play on with the best line</button> <button type="button" data-act="return">Back to the match (Esc)</button></p>`
    : "";
  said.innerHTML = `<p>${supposed.length ? "<b>What if:</b> " : ""}${sentence(all)}</p>${modelWords()}${buttons}`;
  said.classList.toggle("supposing", supposed.length > 0);
  drawSeats(position, all);
  drawSteps(all);
  drawMatrix(position);
  drawList();
  history.replaceState(null, "", `${path}?ply=${ply}`);
  document.dispatchEvent(new CustomEvent("swapped"));
}

/** The number of takes that an act leads to. */
function targetOf(act) {
  if (act === "first") return 0;
  if (act === "last") return last;
  if (act === "error") return errors.find((error) => error > ply) ?? errors[0] ?? ply;
  if (supposed.length) return ply;
  return Math.min(last, Math.max(0, ply + (act === "forward" ? 1 : -1)));
}

function go(to) {
  clearInterval(lineTimer);
  supposed = [];
  ply = Math.min(last, Math.max(0, to));
  draw();
}

const playButton = () => find('#steps [data-act="play"]');

function stop() {
  clearInterval(timer);
  timer = 0;
  playButton().setAttribute("aria-pressed", "false");
}

function play() {
  if (timer) return stop();
  if (ply === last) go(0);
  playButton().setAttribute("aria-pressed", "true");
  timer = setInterval(() => (ply === last ? stop() : go(ply + 1)), playInterval);
}

function suppose(take) {
  stop();
  supposed.push(take);
  draw();
}

/** Plays the best line on from a supposed position. */
function playLine() {
  clearInterval(lineTimer);
  const step = () => {
    const position = positionsAfter([...takes.slice(0, ply), ...supposed]).at(-1);
    const best = oracle.outcomes(position).find(({ cost }) => !cost);
    if (best) suppose(best.lo);
    else clearInterval(lineTimer);
  };
  step();
  lineTimer = setInterval(step, lineInterval);
}

function act(name) {
  if (name === "play") return play();
  if (name === "line") return playLine();
  stop();
  // Back first undoes supposed takes.
  if (name === "back" && supposed.length) {
    clearInterval(lineTimer);
    supposed.pop();
    return draw();
  }
  go(name === "return" ? ply : targetOf(name));
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const target = event.target.closest("#match [data-act], #match [data-ply], #match [data-take]");
  if (!target || target.closest("#stepped")) return;
  event.preventDefault();
  if (target.ariaDisabled === "true") return;
  const { act: name, take, ply: to } = target.dataset;
  clearInterval(lineTimer);
  if (name) act(name);
  else if (take) suppose(BigInt(take));
  else {
    stop();
    go(Number(to));
  }
});

document.addEventListener("submit", (event) => {
  if (!event.target.closest("#oracle")) return;
  event.preventDefault();
  suppose(BigInt(event.target.elements.take.value));
});

const actOfKey = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", e: "error", Escape: "return", " ": "play" };

document.addEventListener(
  "keydown",
  (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isTyping = event.target.matches?.("input:not([type=range]), textarea, select");
    const frame = event.target.closest?.(".scroll");
    const scrolls = event.key.startsWith("Arrow") && frame && frame.scrollWidth > frame.clientWidth;
    const presses = event.key === " " && event.target.matches?.("button, summary, input:not([type=range])");
    if (isTyping || scrolls || presses) return;
    const name = actOfKey[event.key];
    if (event.key === "o") find("#show-oracle").click();
    else if (!name || (name === "return" && !supposed.length)) return;
    else act(name);
    event.preventDefault();
  },
  { capture: true },
);

// The lanes are dragged like a slider.
const lanes = find(".lanes");
if (lanes) {
  const slider = find("#slider");
  slider.hidden = false;
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  const drag = (event) => {
    const { left, width } = lanes.getBoundingClientRect();
    const to = Math.floor(((event.clientX - left) / width) * (last + 1));
    if (to !== ply || supposed.length) go(to);
  };
  lanes.addEventListener("dragstart", (event) => event.preventDefault());
  lanes.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    lanes.setPointerCapture(event.pointerId);
    stop();
    drag(event);
  });
  lanes.addEventListener("pointermove", (event) => event.buttons && drag(event));
  // The pointerdown handler has already moved there.
  lanes.addEventListener("click", (event) => (event.preventDefault(), event.stopPropagation()), { capture: true });
}

// A row of the matrix and its seat light up together.
document.querySelectorAll("#rows tbody tr").forEach((row, seat) => {
  row.tabIndex = 0;
  const light = (isLit) => () => cards[seat].classList.toggle("lit", isLit);
  for (const [name, isLit] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) {
    row.addEventListener(name, light(isLit));
  }
});

find("#said").setAttribute("aria-live", "polite");
find("#said").tabIndex = -1;
const asked = new URLSearchParams(location.search).get("ply");
if (isExported && asked) go(Number(asked) || 0);
else drawList();
