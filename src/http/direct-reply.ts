import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Where an answer is written. */
export type WritableReply = ServerResponse | DirectReply;

/** How far an answer has come. */
export interface Reply {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** Bytes that the system has not taken yet. */
  readonly writableLength: number;
  /** Calls `then` when the system has taken all of the answer. */
  once(event: 'finish', then: () => void): unknown;
}

/**
 * The answers on a connection to requests that the HTTP server did not see, one at a time, written on the socket
 * itself.
 */
export class DirectReply extends EventEmitter implements Reply {
  readonly #socket: Socket;
  readonly #taken = (): void => {
    this.writableFinished = true;
    this.emit('finish');
  };
  writableEnded = true;
  writableFinished = true;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
  }

  get headersSent(): boolean {
    return this.writableEnded;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  /** The next answer is being made. Only once the last one was taken. */
  begin(): void {
    this.writableEnded = false;
    this.writableFinished = false;
  }

  /**
   * Writes the whole answer.
   *
   * @param isLast the connection ends once it is taken
   */
  end(head: string, body: string | Buffer, encoding: 'latin1' | 'utf8', isLast: boolean): void {
    const socket = this.#socket;
    this.writableEnded = true;
    if (!socket.writable) {
      // Its client has ended the connection meanwhile.
      this.#taken();
    } else if (typeof body === 'string') {
      socket.write(head + body, encoding, this.#taken);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body, this.#taken);
      socket.uncork();
    }
    if (isLast) socket.destroySoon();
  }
}
