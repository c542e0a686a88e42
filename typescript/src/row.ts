/**
 * The preference order of a seat: a permutation of the offsets 0 to n-1, the most preferred winner first. Offset k of seat i is
 * seat (i + k) mod n.
 */
export type Row = readonly number[];

/** The rows of all seats, by seat. */
export type AllianceMatrix = readonly Row[];

/** Returns the standard row: the seat itself first, then the others in playing order. */
export function standardRow(seats: number): Row {
  return Array.from({ length: seats }, (_, offset) => offset);
}

/** Returns the row with the seat at `offset` first, and the others as in the standard row. */
export function favouringRow(offset: number, seats: number): Row {
  return [offset, ...standardRow(seats).filter((other) => other !== offset)];
}

/** Returns whether the offsets are a row for this number of seats. */
export function isRow(offsets: unknown, seats: number): offsets is Row {
  return Array.isArray(offsets) && offsets.length === seats && standardRow(seats).every((offset) => offsets.includes(offset));
}
