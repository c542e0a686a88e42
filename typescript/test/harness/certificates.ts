import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import net from "node:net";

/** DER: a tag, the length, and the content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 0x80 ? [body.length] : body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const octets = (content: Buffer) => der(0x04, content);
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const integer = (value: number) => der(0x02, Buffer.from([value]));
/** An object identifier, by its bytes. */
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

const COMMON_NAME = oid("550403");
const BASIC_CONSTRAINTS = oid("551d13");
const ALTERNATIVE_NAMES = oid("551d11");
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const TRUE = der(0x01, Buffer.from([0xff]));

function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
}

/** A time as YYMMDDHHMMSSZ. */
function utcTime(daysFromNow: number): Buffer {
  const text = new Date(Date.now() + daysFromNow * 86_400_000).toISOString();
  return der(0x17, Buffer.from(`${text.slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function pem(content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A certificate authority for tests. */
export class Authority {
  readonly #key: KeyObject;
  /** Its own certificate. */
  readonly pem: string;

  constructor(private readonly name: string) {
    const { privateKey, publicKey } = newKey();
    this.#key = privateKey;
    this.pem = this.#certify(name, publicKey, sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))));
  }

  /** Issues a certificate for names and addresses that expires after `days`. */
  certify(names: readonly string[], days = 30): { key: string; cert: string } {
    const { privateKey, publicKey } = newKey();
    const alternatives = names.map((name) => {
      return net.isIP(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name));
    });
    const cert = this.#certify(names[0]!, publicKey, sequence(ALTERNATIVE_NAMES, octets(sequence(...alternatives))), days);
    return { key: String(privateKey.export({ type: "pkcs8", format: "pem" })), cert };
  }

  #certify(subject: string, publicKey: KeyObject, extension: Buffer, days = 30): string {
    const content = sequence(
      der(0xa0, integer(2)),
      integer(1),
      ECDSA_WITH_SHA256,
      nameOf(this.name),
      sequence(utcTime(-60), utcTime(days)),
      nameOf(subject),
      publicKey.export({ type: "spki", format: "der" }),
      der(0xa3, sequence(extension)),
    );
    return pem(sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, this.#key))));
  }
}
