import type { Socket } from 'node:net';

/**
 * Connections that have not become TLS connections yet. The HTTP server learns of them only then: without this they
 * would stay open when it closes.
 */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

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

  /** Ends the one that takes longest. False when there is none. */
  cutOldest(): boolean {
    const [oldest] = this.#sockets;
    if (oldest === undefined) return false;
    const [peer, socket] = oldest;
    // Gone at once: its end is noticed only later.
    this.#sockets.delete(peer);
    socket.destroy();
    return true;
  }

  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
