// Conveniences: the arrow keys step through a match, scrollable parts can take the focus in every browser, and times are in the viewer's time zone.
// Every page works without this script.

// Names a frame after its heading, numbered if several share it.
function nameOf(frame) {
  const heading = frame.closest("section")?.querySelector("h2")?.textContent;
  const name = heading ?? (frame.querySelector("table") ? "Table" : "Board");
  const frames = [...document.querySelectorAll(".scroll")];
  const before = frames.slice(0, frames.indexOf(frame)).filter((other) => other.ariaLabel?.replace(/ \d+$/, "") === name);
  return before.length ? `${name} ${before.length + 1}` : name;
}

function complete(part) {
  for (const frame of part.querySelectorAll(".scroll")) {
    if (frame.scrollWidth <= frame.clientWidth) continue;
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", nameOf(frame));
  }
  for (const time of part.querySelectorAll("time[datetime]:not([title])")) {
    time.title = time.dateTime;
    const date = new Date(time.dateTime);
    const withSeconds = { dateStyle: "medium", timeStyle: "medium" };
    if (!Number.isNaN(date.valueOf())) time.textContent = date.toLocaleString(undefined, withSeconds);
  }
}

// Writes a duration in its two largest units.
function durationText(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit));
  if (days) return `${days} d ${hours % 24} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

// Says how long it is to each coming time, and once that has passed, what follows.
function countDown() {
  for (const coming of document.querySelectorAll("[data-coming]")) {
    const left = new Date(coming.querySelector("time").dateTime) - Date.now();
    const note = coming.querySelector(".left") ?? coming.appendChild(Object.assign(document.createElement("span"), { className: "left soft" }));
    note.textContent = left > 0 ? ` (in ${durationText(left)})` : ` (${coming.dataset.coming})`;
  }
}

// A live update can add the first table of a page.
function sortTables() {
  // If the module fails to load, tables are not sortable.
  if (document.querySelector("table.sortable")) import("./tables.js").catch(() => {});
}

complete(document);
countDown();
if (document.querySelector("[data-coming]")) setInterval(countDown, 1000);
document.addEventListener("swapped", (event) => {
  complete(event.target);
  countDown();
  sortTables();
});
// If the module fails to load, the page reloads once there is a network.
const reloadOnline = () => addEventListener("online", () => location.reload(), { once: true });
if (document.querySelector("[data-live]")) import("./live.js").catch(reloadOnline);

// `#ply=12` is the position after twelve takes.
function goToPly() {
  const ply = /^#ply=(\d{1,9})$/.exec(location.hash);
  const plies = document.querySelector("#plies");
  if (!ply || !plies) return;
  const address = new URL(location.href);
  address.hash = "";
  address.searchParams.set("ply", Math.min(Number(ply[1]), Number(plies.textContent)));
  location.replace(address);
}

goToPly();
addEventListener("hashchange", goToPly);

const relOfKey = { ArrowLeft: "prev", ArrowRight: "next" };

document.addEventListener("keydown", (event) => {
  const rel = relOfKey[event.key];
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  // The match page steps without loading a page.
  if (!rel || isTyping || event.defaultPrevented || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // The arrow keys scroll a board or table that is wider than its frame.
  const frame = event.target.closest?.(".scroll");
  if (frame && frame.scrollWidth > frame.clientWidth) return;
  const link = document.querySelector(`.steps a[rel="${rel}"]`);
  if (!link) return;
  event.preventDefault();
  location.replace(link.href);
});

if (document.querySelector("#stepped")) import("./match.js").catch(() => {});
if (document.querySelector("[data-game]")) import("./play.js").catch(reloadOnline);
sortTables();
if (document.querySelector("pre[data-copy]")) import("./copy.js").catch(() => {});
if (document.querySelector("[data-optimal]")) import("./puzzles.js").catch(() => {});
if (document.querySelector("form[data-position]")) import("./oracle.js").catch(() => {});
