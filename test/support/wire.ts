import type { Socket } from 'node:net';
import { openSocket, splitResponses, type WireResponse } from './http-client.ts';

/** A connection that is kept: asks, waits for the whole answer, and asks again. */
export class Wire {
  readonly socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #wake = () => {};
  #ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#wake();
    });
    socket.once('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  static async open(port: number, localAddress?: string): Promise<Wire> {
    return new Wire(await openSocket(port, localAddress));
  }

  /** True once the server has closed the connection. */
  get isClosed(): boolean {
    return this.#ended;
  }

  /** Sends one request and gives its answer; throws when the connection ends without one. */
  async ask(request: string): Promise<WireResponse> {
    const [response] = await this.askAll([request]);
    return response!;
  }

  /**
   * Sends the requests in one write and gives their answers in order; throws when the connection ends before the last.
   */
  async askAll(requests: readonly string[]): Promise<readonly WireResponse[]> {
    const methods = requests.map((request) => request.slice(0, request.indexOf(' ')));
    this.socket.write(requests.join(''), 'latin1');
    for (;;) {
      const { responses, rest } = splitResponses(this.#unread, methods);
      if (responses.length >= requests.length) {
        this.#unread = rest;
        return responses;
      }
      if (this.#ended) throw new Error(`the connection ended after ${responses.length} of ${requests.length} answers`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
