import { ScalarType, type DescEnum, type DescField, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";

/**
 * Writes a message in the JSON of lastnim: keys as in the proto, ordered by field number, with defaults; 64-bit numbers as
 * numbers, enumeration values as words, and only the set alternative of a `oneof`.
 */
export function messageJson<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): string {
  return reflectedJson(reflect(schema, message));
}

function reflectedJson(message: ReflectMessage): string {
  const members: string[] = [];
  for (const field of [...message.desc.fields].sort((one, other) => one.number - other.number)) {
    if (field.oneof !== undefined && !message.isSet(field)) continue;
    members.push(`${JSON.stringify(field.name)}:${fieldJson(message, field)}`);
  }
  return `{${members.join(",")}}`;
}

function fieldJson(message: ReflectMessage, field: DescField): string {
  switch (field.fieldKind) {
    case "message":
      return message.isSet(field) ? reflectedJson(message.get(field)) : "null";
    case "scalar":
      return isUnset(message, field) ? "null" : scalarJson(field.scalar, message.get(field));
    case "enum":
      return isUnset(message, field) ? "null" : enumJson(field.enum, message.get(field));
    case "list": {
      const items: string[] = [];
      for (const item of message.get(field)) {
        if (field.listKind === "message") items.push(reflectedJson(item as ReflectMessage));
        else if (field.listKind === "enum") items.push(enumJson(field.enum, item as number));
        else items.push(scalarJson(field.scalar, item));
      }
      return `[${items.join(",")}]`;
    }
    case "map":
      throw new TypeError(`${field.name} is a map, which is not supported`);
  }
}

/** Returns whether an optional field is unset. */
function isUnset(message: ReflectMessage, field: DescField): boolean {
  return field.proto.proto3Optional && !message.isSet(field);
}

function scalarJson(type: ScalarType, value: unknown): string {
  switch (type) {
    case ScalarType.STRING:
      return JSON.stringify(value);
    case ScalarType.BYTES:
      return JSON.stringify(Buffer.from(value as Uint8Array).toString("base64"));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
    default:
      // Numbers of up to 64 bits, and booleans.
      return String(value);
  }
}

function enumJson(type: DescEnum, value: number): string {
  const known = type.value[value];
  if (known === undefined) return String(value);
  const prefix = type.value[0]?.name.replace(/UNSPECIFIED$/, "") ?? "";
  const word = known.name.startsWith(prefix) ? known.name.slice(prefix.length) : known.name;
  return JSON.stringify(word.toLowerCase());
}
