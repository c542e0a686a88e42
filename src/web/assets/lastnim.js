// What pages do besides: the arrow keys step through a match, and what scrolls can be reached by the keyboard in every browser. Every page is
// whole without it.

for (const frame of document.querySelectorAll(".scroll")) {
  if (frame.scrollWidth <= frame.clientWidth) continue;
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", frame.querySelector("table") ? "Table" : "Board");
}

const relOfKey = { ArrowLeft: "prev", ArrowRight: "next" };

document.addEventListener("keydown", (event) => {
  const rel = relOfKey[event.key];
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (!rel || isTyping || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // A board or a table that is wider than its frame scrolls by the same keys.
  const frame = event.target.closest?.(".scroll");
  if (frame && frame.scrollWidth > frame.clientWidth) return;
  const link = document.querySelector(`.steps a[rel="${rel}"]`);
  if (!link) return;
  event.preventDefault();
  location.replace(link.href);
});

if (document.querySelector("[data-hand]")) import("./play.js");
if (document.querySelector("table.sortable")) import("./tables.js");
if (document.querySelector("pre[data-copy]")) import("./copy.js");
if (document.querySelector("form[data-position]")) import("./oracle.js");
