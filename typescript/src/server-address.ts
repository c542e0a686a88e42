import { X509Certificate, createPrivateKey, type KeyObject } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { LastnimError, errorMessage, type LastnimErrorCode } from "./errors.js";

/** Maximum size of a file of certificates or of a key, in bytes. The bundle of a whole system has about 0.2 MiB. */
const MAX_FILE_BYTES = 4 << 20;

/** Maximum length of the path of a Unix socket in bytes: the system's limit, without the zero at the end. */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** The PEM files for connections with TLS. */
export interface TlsFiles {
  /** The authorities to trust. */
  readonly caFile?: string | undefined;
  /** The client's own certificate, for a server that asks for one. */
  readonly clientCertFile?: string | undefined;
  /** The private key of that certificate. */
  readonly clientKeyFile?: string | undefined;
}

/** The address of a server, its trusted authorities, and the client's own certificate. */
export interface ServerAddress {
  /** The address as given. */
  readonly given: string;
  /** The origin of calls: `http://host:port` or `https://host:port`. It is `http://localhost` for a Unix socket. */
  readonly origin: string;
  /** The path of the Unix socket to connect to, in place of the origin. */
  readonly socketPath: string | undefined;
  /** The authorities to trust in place of those that Node.js trusts, as PEM. */
  readonly ca: string | undefined;
  /** The client's own certificate and its key, as PEM. */
  readonly client: { readonly cert: string; readonly key: string } | undefined;
}

/**
 * Parses the addresses of a server and its standby, separated by commas.
 *
 * @returns at least one address.
 * @throws LastnimError if an address or a file cannot be used.
 */
export function parseServerAddresses(given: string, files: TlsFiles = {}): readonly [ServerAddress, ...ServerAddress[]] {
  const [first = "", ...others] = given.split(",").map((address) => address.trim());
  return [parseServerAddress(first, files), ...others.map((address) => parseServerAddress(address, files))];
}

/**
 * Parses one server address.
 *
 * @throws LastnimError if the address or a file cannot be used.
 */
export function parseServerAddress(given: string, files: TlsFiles = {}): ServerAddress {
  const refused = (reason: string) =>
    new LastnimError(
      "address",
      `server ${JSON.stringify(given)}: an address is host:port, http://host:port, https://host:port or unix:PATH (${reason})`,
    );
  const { caFile, clientCertFile, clientKeyFile } = files;
  const refuseCertificates = () => {
    if ((caFile ?? clientCertFile ?? clientKeyFile) !== undefined) {
      throw refused("certificates need an https:// address: use one, or leave the certificates out");
    }
  };
  if (given.startsWith("unix:")) {
    refuseCertificates();
    return { given, origin: "http://localhost", socketPath: parseSocketPath(given, refused), ca: undefined, client: undefined };
  }
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
  if (url.protocol === "http:") refuseCertificates();
  const ca = caFile === undefined ? undefined : readCertificates(caFile, "ca", "certificates");
  return { given, origin: url.origin, socketPath: undefined, ca, client: readClientCertificate(clientCertFile, clientKeyFile) };
}

/** Returns the path in `unix:PATH` or, for an absolute path, `unix://PATH`. */
function parseSocketPath(given: string, refused: (reason: string) => LastnimError): string {
  const rest = given.slice("unix:".length);
  if (/^\/\/(?!\/)/.test(rest)) throw refused("after unix:// the path must begin with /, such as unix:///run/lastnim.sock");
  const path = rest.replace(/^\/\//, "");
  if (path === "") throw refused("the path is missing: expected unix:PATH, such as unix:/run/lastnim.sock");
  if (path.includes("\0")) throw refused("the path contains a zero byte");
  const length = Buffer.byteLength(path);
  if (length > MAX_SOCKET_PATH_BYTES) {
    const limit = `the path of a Unix socket may have at most ${MAX_SOCKET_PATH_BYTES} bytes, but this one has ${length}`;
    throw refused(`${limit}: use a shorter one, such as unix:/run/lastnim.sock`);
  }
  return path;
}

function readClientCertificate(certFile: string | undefined, keyFile: string | undefined): ServerAddress["client"] {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const missing = certFile === undefined ? "clientCertFile or LASTNIM_CLIENT_CERT" : "clientKeyFile or LASTNIM_CLIENT_KEY";
    throw new LastnimError("client_certificate", `the client's certificate: ${missing} is missing; give both files, or neither`);
  }
  const cert = readCertificates(certFile, "client_certificate", "client certificate");
  const refused = (reason: string) => new LastnimError("client_certificate", `client certificate ${keyFile}: ${reason}`);
  let key: string;
  let parsed: KeyObject;
  try {
    key = readBounded(keyFile);
    parsed = createPrivateKey(key);
  } catch (error) {
    throw refused(`there is no unencrypted private key in it (${errorMessage(error)})`);
  }
  if (!new X509Certificate(cert).checkPrivateKey(parsed)) throw refused(`this is not the key of the certificate in ${certFile}`);
  return { cert, key };
}

/** Reads a file of at least one certificate; `kind` names the file in errors. */
function readCertificates(path: string, code: LastnimErrorCode, kind: string): string {
  const refused = (reason: string) => new LastnimError(code, `${kind} ${path}: ${reason}`);
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
    const content = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, content, length, content.length - length, null);
      length += read;
      if (length > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES >> 20} MiB`);
      if (read === 0) return content.toString("utf8", 0, length);
    }
  } finally {
    closeSync(file);
  }
}
