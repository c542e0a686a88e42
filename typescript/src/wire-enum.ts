/**
 * The words of a protobuf enum: its values in lower case without their common prefix, and `unknown` for absent values and those
 * of newer protocol versions.
 */
export type EnumWord<E> = Exclude<Lowercase<Extract<keyof E, string>>, "unspecified"> | "unknown";

export function enumWord<E extends object>(type: E, value: number): EnumWord<E> {
  const name = (type as Record<number, string | undefined>)[value];
  return (value === 0 || name === undefined ? "unknown" : name.toLowerCase()) as EnumWord<E>;
}
