import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import tls from "node:tls";

/** A proxy between bots and a server, whose connections a test can cut. */
export class TcpProxy {
  readonly #open = new Set<net.Socket>();

  private constructor(
    private readonly server: net.Server,
    /** The port of the server. */
    public target: number,
  ) {}

  /** Starts a proxy; with a certificate, it uses TLS with its clients. */
  static async start(test: TestContext, target: number, certificate?: { key: string; cert: string }): Promise<TcpProxy> {
    const accept = (client: net.Socket) => proxy.#carry(client);
    const server = certificate ? tls.createServer({ ...certificate, ALPNProtocols: ["h2"] }, accept) : net.createServer(accept);
    const proxy = new TcpProxy(server, target);
    server.on("tlsClientError", () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    test.after(() => {
      server.close();
      proxy.cut();
    });
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Cuts every connection abruptly. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Stops forwarding but keeps connections open, like a frozen machine. */
  freeze(): void {
    for (const socket of this.#open) socket.pause();
  }

  #carry(client: net.Socket): void {
    const upstream = net.connect(this.target, "127.0.0.1");
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      this.#open.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        this.#open.delete(from);
        to.destroy();
      });
    }
  }
}
