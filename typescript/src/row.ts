/**
 * The preferences of a seat: a permutation of the offsets 0 to n-1, the most preferred winner first. Offset k of seat i means
 * the seat (i + k) mod n.
 */
export type Row = readonly number[];

/** The rows of all seats, by seat. */
export type AllianceMatrix = readonly Row[];

/** Returns the standard row: oneself first, then the others in playing order. */
export function standardRow(seats: number): Row {
  return Array.from({ length: seats }, (_, offset) => offset);
}

/** Returns the row that prefers the seat at `offset` to all others, which follow in playing order. */
export function favouringRow(offset: number, seats: number): Row {
  return [offset, ...standardRow(seats).filter((other) => other !== offset)];
}

/** Returns whether the offsets are a row of a match of so many seats. */
export function isRow(offsets: unknown, seats: number): offsets is Row {
  return Array.isArray(offsets) && offsets.length === seats && standardRow(seats).every((offset) => offsets.includes(offset));
}
