import { X509Certificate } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { LastnimError, errorMessage } from "./errors.js";

/** Maximum size of a certificate file in bytes. The bundle of a whole system has about 0.2 MiB. */
const MAX_CA_BYTES = 4 << 20;

/** The address of a server and its trusted authorities. */
export interface ServerAddress {
  /** The address as given. */
  readonly given: string;
  /** The origin of calls: `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** The authorities to trust in place of those that Node.js trusts, as PEM. */
  readonly ca: string | undefined;
}

/**
 * Parses the addresses of a server and its standby, separated by commas.
 *
 * @returns at least one address.
 * @throws LastnimError if an address or the certificate file cannot be used.
 */
export function parseServerAddresses(given: string, caFile?: string): readonly [ServerAddress, ...ServerAddress[]] {
  const [first = "", ...others] = given.split(",").map((address) => address.trim());
  return [parseServerAddress(first, caFile), ...others.map((address) => parseServerAddress(address, caFile))];
}

/**
 * Parses one server address.
 *
 * @throws LastnimError if the address or the certificate file cannot be used.
 */
export function parseServerAddress(given: string, caFile?: string): ServerAddress {
  const refused = (reason: string) =>
    new LastnimError(
      "address",
      `server ${JSON.stringify(given)}: an address is host:port, http://host:port or https://host:port (${reason})`,
    );
  let url: URL;
  try {
    url = new URL(given.includes("://") ? given : `http://${given}`);
  } catch (error) {
    throw refused(errorMessage(error));
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw refused("expected http:// or https://");
  if (url.username !== "" || url.password !== "") throw refused("it contains a user or password");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") throw refused("it has a path");
  // URLs drop the default port of their scheme.
  if (url.protocol === "http:" && url.port === "" && !/:80\/?$/.test(given)) throw refused("the port is missing");
  if (url.protocol === "http:" && caFile !== undefined) {
    throw refused("certificates need an https:// address: use one, or leave the certificates out");
  }
  return { given, origin: url.origin, ca: caFile === undefined ? undefined : readCertificates(caFile) };
}

function readCertificates(path: string): string {
  const refused = (reason: string) => new LastnimError("ca", `certificates ${path}: ${reason}`);
  let pem: string;
  try {
    pem = readBounded(path);
  } catch (error) {
    throw refused(errorMessage(error));
  }
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw refused("there is no certificate in it: expected -----BEGIN CERTIFICATE-----");
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw refused(`certificate ${index + 1}: ${errorMessage(error)}`);
    }
  }
  return certificates.join("\n");
}

function readBounded(path: string): string {
  const file = openSync(path, "r");
  try {
    const content = Buffer.alloc(MAX_CA_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, content, length, content.length - length, null);
      length += read;
      if (length > MAX_CA_BYTES) throw new Error(`it is larger than ${MAX_CA_BYTES >> 20} MiB`);
      if (read === 0) return content.toString("utf8", 0, length);
    }
  } finally {
    closeSync(file);
  }
}
