import type { Socket } from 'node:net';

/**
 * Connections that are not TLS connections yet: the HTTP server does not know them, and would leave them open when it
 * closes.
 */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();
  readonly #bucketOf: (socket: Socket) => string | undefined;

  /** @param bucketOf `IpAddress.limitBucket` of the peer; `undefined` for the operator's own proxies */
  constructor(bucketOf: (socket: Socket) => string | undefined) {
    this.#bucketOf = bucketOf;
  }

  /** A connection was accepted. */
  begun(socket: Socket): void {
    const peer = peerOf(socket);
    this.#sockets.set(peer, socket);
    socket.once('close', () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
    });
  }

  /** @param secured the TLS socket, which is another object than the one that was accepted */
  done(secured: Socket): void {
    this.#sockets.delete(peerOf(secured));
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Ends the one that takes longest, of this address or of any. False when there is none. */
  cutOldest(bucket?: string): boolean {
    for (const [peer, socket] of this.#sockets) {
      if (bucket !== undefined && this.#bucketOf(socket) !== bucket) continue;
      // Gone at once: its end is noticed only later.
      this.#sockets.delete(peer);
      socket.destroy();
      return true;
    }
    return false;
  }

  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
