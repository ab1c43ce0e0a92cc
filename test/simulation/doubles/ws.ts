import { EventEmitter } from 'node:events';
import { type LiveLink, theWorld } from '../world.ts';

/** A WebSocket of the service, to a simulated exchange. */
export class WebSocket extends EventEmitter {
  static readonly OPEN = 1;
  readyState = 0;
  readonly #link: LiveLink | undefined;
  readonly #release: () => void;

  constructor(url: string) {
    super();
    const { lane, servers } = theWorld();
    const server = servers.get(new URL(url).host);
    this.#release = lane.own(() => this.#link?.lost());
    this.#link = server?.connect(lane, new URL(url), {
      opened: () => {
        this.readyState = 1;
        this.emit('open');
      },
      message: (data, isBinary) => this.emit('message', data, isBinary),
      pong: () => this.emit('pong'),
      refused: (status, headers) => this.#refused(status, headers),
      closed: (code) => {
        if (this.readyState === 3) return;
        const wasOpen = this.readyState === 1;
        this.readyState = 3;
        this.#release();
        if (!wasOpen) this.emit('error', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
        this.emit('close', code);
      },
    });
  }

  /** The body of the answer is empty. */
  #refused(statusCode: number, headers: Readonly<Record<string, string>>): void {
    const response = Object.assign(new EventEmitter(), { statusCode, headers, destroy() {} });
    this.emit('unexpected-response', { destroy: () => this.terminate() }, response);
    response.emit('close');
  }

  send(text: string): void {
    this.#link?.send(text);
  }

  ping(): void {
    this.#link?.ping();
  }

  terminate(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#release();
    this.#link?.lost();
  }
}
