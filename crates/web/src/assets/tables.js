// Sorts tables by a click on a heading: a second click reverses the order, a third restores the server's.

const numberOf = (cell) => {
  const text = cell.dataset.v ?? (cell.classList.contains("number") ? cell.textContent : "");
  const number = Number.parseFloat(text.replaceAll("\u2212", "-"));
  return Number.isNaN(number) ? undefined : number;
};

// Text sorts after numbers.
const compare = (one, other) => {
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined || b !== undefined) return a === undefined ? 1 : -1;
  return one.textContent.localeCompare(other.textContent);
};

function makeSortable(table) {
  const body = table.tBodies[0];
  let original = [];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (heading.tagName !== "TH" || !heading.textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const isNumeric = heading.classList.contains("number");
      const orders = isNumeric ? ["descending", "ascending"] : ["ascending", "descending"];
      const next = orders[orders.indexOf(heading.ariaSort) + 1];
      // Rows added while sorted come last.
      const isSorted = headings.some((other) => other.hasAttribute("aria-sort"));
      const added = [...body.rows].filter((row) => !original.includes(row));
      original = isSorted ? [...original.filter((row) => row.isConnected), ...added] : [...body.rows];
      for (const other of headings) other.removeAttribute("aria-sort");
      const rows = [...original];
      if (next) {
        heading.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const isEmpty = (row) => row.cells[column].textContent === "-";
        rows.sort((one, other) => isEmpty(one) - isEmpty(other) || sign * compare(one.cells[column], other.cells[column]));
      }
      body.append(...rows);
    });
  });
}

const makeAllSortable = (part) => part.querySelectorAll("table.sortable").forEach(makeSortable);
makeAllSortable(document);
document.addEventListener("swapped", (event) => makeAllSortable(event.target));
