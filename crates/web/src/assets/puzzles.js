// Puzzles are solved on the board: a click on a counter takes it and all above it, and a number does the same for the keyboard. The answer stands below
// each puzzle, and opens once it is found.

const make = (tag, more) => Object.assign(document.createElement(tag), more);

function makeSolvable(puzzle, number) {
  const counters = BigInt(puzzle.dataset.counters);
  const ranges = puzzle.dataset.optimal.split(" ").map((range) => range.split("-").map(BigInt));
  const form = make("form", { className: "amount" });
  const field = make("input", { id: `take-${number}`, inputMode: "numeric", size: 8, autocomplete: "off", required: true });
  const said = make("span", {});
  said.setAttribute("role", "status");
  const label = make("label", { htmlFor: field.id, textContent: "Take" });
  form.append(label, field, ` of ${counters} `, make("button", { textContent: "Try it" }), said);
  const answer = puzzle.querySelector("details");
  answer.before(form);

  function judge(take) {
    const isTake = take >= 1n && take <= counters;
    const isOptimal = ranges.some(([lo, hi]) => take >= lo && take <= hi);
    said.className = isOptimal ? "solved" : "unsolved";
    if (!isTake) said.textContent = `Take 1 to ${counters}.`;
    else if (isOptimal) said.textContent = `Taking ${take} is optimal.`;
    else said.textContent = `Taking ${take} is an error: try another.`;
    if (isOptimal) answer.open = true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    judge(/^\d{1,20}$/.test(field.value.trim()) ? BigInt(field.value.trim()) : 0n);
  });

  // A pile that is too high to be drawn has no counters to click.
  const drawn = [...puzzle.querySelectorAll(".in-play .counter")];
  drawn.forEach((counter, index) => {
    const above = drawn.slice(index);
    const mark = (isMarked) => () => above.forEach((other) => other.classList.toggle("marked", isMarked));
    counter.addEventListener("pointerenter", mark(true));
    counter.addEventListener("pointerleave", mark(false));
    counter.addEventListener("click", () => {
      field.value = String(above.length);
      judge(BigInt(above.length));
    });
  });
}

document.querySelectorAll("[data-optimal]").forEach(makeSolvable);
