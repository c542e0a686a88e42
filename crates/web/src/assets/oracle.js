// The position editor of the oracle's page: buttons change the piles, and seats are dragged into the order of a row or moved by buttons.
// The editor writes to the form's fields, and only these are sent.

const form = document.querySelector("form[data-position]");
const field = (name) => form.elements.namedItem(name);
const box = document.createElement("div");
box.className = "builder";
form.lastElementChild.before(box);

const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);
const button = (text, label, act) => {
  const made = make("button", text, { type: "button", onclick: act });
  made.setAttribute("aria-label", label);
  return made;
};

// Larger positions have to be typed.
const maxPiles = 16;
const maxSeats = 8;
const readPiles = () => (field("piles").value.match(/\d+/g) ?? []).map(BigInt);
const writePiles = (piles) => {
  field("piles").value = piles.join(" ");
  draw();
};

// Each seat's row as a list of seats, the preferred winner first. Rows with ties have to be typed.
const readRows = () => {
  if (field("rows").value.includes("=")) return [];
  const lines = field("rows").value.split(";").map((line) => (line.match(/\d+/g) ?? []).map(Number));
  if (!field("rows").value.trim()) {
    const seats = Number(field("seats").value);
    if (!(seats >= 2 && seats <= maxSeats)) return [];
    return Array.from({ length: seats }, (_, seat) => Array.from({ length: seats }, (_, place) => (seat + place) % seats));
  }
  return lines.map((line) => line.map((number) => number - 1));
};
const isRow = (row, _, rows) => row.length === rows.length && row.every((_, seat) => row.includes(seat));

const move = (rows, seat, from, to) => {
  rows[seat].splice(to, 0, ...rows[seat].splice(from, 1));
  field("rows").value = rows.map((row) => row.map((other) => other + 1).join(">")).join("; ");
  draw();
  // A seat that moved to the first place has no button any more.
  if (!box.contains(document.activeElement)) box.querySelectorAll("ol")[seat]?.querySelector("button")?.focus();
};

const rowList = (rows, seat) => {
  const list = make("ol", "");
  list.setAttribute("aria-label", `What seat ${seat + 1} wants, its first choice first`);
  rows[seat].forEach((other, place) => {
    const item = make("li", `${other + 1} `, { draggable: true });
    item.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", `${seat} ${place}`));
    item.addEventListener("dragover", (event) => event.preventDefault());
    item.addEventListener("drop", (event) => {
      event.preventDefault();
      const [of, from] = event.dataTransfer.getData("text/plain").split(" ").map(Number);
      if (of === seat && from < rows.length) move(rows, seat, from, place);
    });
    if (place > 0) item.append(button("\u25C2", `Seat ${seat + 1}: move ${other + 1} up`, () => move(rows, seat, place, place - 1)));
    list.append(item);
  });
  const line = make("p", `Seat ${seat + 1} wants `);
  line.append(list);
  return line;
};

function draw() {
  const focused = box.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  const piles = readPiles().slice(0, maxPiles + 1);
  const arePiles = piles.length <= maxPiles;
  const counters = make("p", arePiles ? "Piles " : "");
  (arePiles ? piles : []).forEach((pile, index) => {
    const change = (by) => () => writePiles(piles.with(index, pile + by < 0n ? 0n : pile + by));
    const group = make("span", "");
    group.append(button("\u2212", `Pile ${index + 1}: one less`, change(-1n)), ` ${pile} `, button("+", `Pile ${index + 1}: one more`, change(1n)));
    counters.append(group);
  });
  if (piles.length < maxPiles) counters.append(button("add a pile", "Add a pile", () => writePiles([...piles, 1n])));
  const rows = readRows();
  const areRows = rows.length >= 2 && rows.length <= maxSeats && rows.every(isRow);
  box.replaceChildren(counters, ...(areRows ? rows.map((_, seat) => rowList(rows, seat)) : []));
  // Buttons are redrawn, so the focus moves to the new one.
  if (focused) [...box.querySelectorAll("button")].find((made) => made.getAttribute("aria-label") === focused)?.focus();
}

form.addEventListener("change", draw);
draw();
