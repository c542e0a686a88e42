// Solves puzzles on the board: clicking a counter takes it and all above it; a number field does the same for the keyboard. The answer below a puzzle
// opens once it is solved.

const make = (tag, more) => Object.assign(document.createElement(tag), more);

function makeSolvable(puzzle, number) {
  const counters = BigInt(puzzle.dataset.counters);
  const ranges = puzzle.dataset.optimal.split(" ").map((range) => range.split("-").map(BigInt));
  const form = make("form", { className: "filter" });
  const field = make("input", { id: `take-${number}`, inputMode: "numeric", size: 8, autocomplete: "off", required: true });
  const status = make("span", {});
  status.setAttribute("role", "status");
  const label = make("label", { htmlFor: field.id, textContent: "Take" });
  form.append(label, field, ` of ${counters} `, make("button", { textContent: "Try it" }), status);
  const answer = puzzle.querySelector("details");
  answer.before(form);

  function judge(take) {
    const isTake = take >= 1n && take <= counters;
    const isOptimal = ranges.some(([lo, hi]) => take >= lo && take <= hi);
    status.className = isOptimal ? "solved" : "unsolved";
    if (!isTake) status.textContent = `Take 1 to ${counters}.`;
    else if (isOptimal) status.textContent = `Taking ${take} is optimal.`;
    else status.textContent = `Taking ${take} is an error. Try another take.`;
    if (isOptimal) answer.open = true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    judge(/^\d{1,20}$/.test(field.value.trim()) ? BigInt(field.value.trim()) : 0n);
  });

  // Piles too high to be drawn have no counters to click.
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
