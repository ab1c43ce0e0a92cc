import type { Socket } from 'node:net';

/**
 * Connections that are not TLS connections yet: the HTTP server does not know them, and would leave them open when it
 * closes.
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
    for (const [peer, socket] of this.#sockets) {
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

/** Names a connection by its far end, which its TLS socket shares with the one that was accepted. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
