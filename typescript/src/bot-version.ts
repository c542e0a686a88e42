import { LastnimError } from "./errors.js";

/** The bytes of a config hash. */
const HASH_BYTES = 32;

/**
 * Reads the hash of a configuration: 64 hexadecimal digits, or base64 with padding.
 *
 * @throws LastnimError if it is invalid.
 */
export function parseConfigHash(text: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.from(Buffer.from(text, "hex"));
  // 32 bytes are 43 characters and one of padding.
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Uint8Array.from(Buffer.from(text, "base64"));
  throw new LastnimError(
    "config_hash",
    `config hash ${JSON.stringify(text.slice(0, 4 * HASH_BYTES))}: expected ${HASH_BYTES} bytes as 64 hexadecimal digits, or in base64 with padding`,
  );
}

/**
 * Returns the metadata with the bot's version.
 *
 * @throws LastnimError if the label or the hash is invalid.
 */
export function versionMetadata(label: string | undefined, configHash: Uint8Array | undefined): Record<string, string> {
  const metadata: Record<string, string> = {};
  if (label !== undefined) {
    if (!/^[!-~]{1,64}$/.test(label)) {
      const shown = JSON.stringify(label.slice(0, 128));
      throw new LastnimError("version", `version ${shown}: expected 1 to 64 visible ASCII characters without spaces`);
    }
    metadata["bot-version"] = label;
  }
  if (configHash !== undefined) {
    if (configHash.length !== HASH_BYTES) {
      throw new LastnimError("config_hash", `a config hash of ${configHash.length} bytes: expected ${HASH_BYTES}`);
    }
    metadata["bot-config-hash-bin"] = Buffer.from(configHash).toString("base64").replace(/=+$/, "");
  }
  return metadata;
}
