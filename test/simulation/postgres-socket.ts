import { EventEmitter } from 'node:events';

/** The client's end of a connection. */
export interface PostgresClient {
  connected(): void;
  data(bytes: Buffer): void;
  /** It has ended; with the error that ended it. */
  closed(error?: Error): void;
}

export interface PostgresLink {
  send(bytes: Buffer): void;
  end(): void;
}

/** A socket as the library `pg` uses one, on whatever leads to a server. What is written at once is sent at once. */
export class PostgresSocket extends EventEmitter {
  writable = true;
  destroyed = false;
  readonly #reach: (client: PostgresClient) => PostgresLink;
  #link: PostgresLink | undefined;
  #written: Buffer[] = [];
  #isCorked = false;

  constructor(reach: (client: PostgresClient) => PostgresLink) {
    super();
    this.#reach = reach;
  }

  connect(): this {
    if (this.destroyed) return this;
    this.#link = this.#reach({
      connected: () => this.destroyed || this.emit('connect'),
      data: (bytes) => this.destroyed || this.emit('data', bytes),
      closed: (error) => this.#close(error),
    });
    return this;
  }

  write(bytes: Buffer, written?: () => void): boolean {
    if (this.destroyed) return false;
    this.#written.push(Buffer.from(bytes));
    if (!this.#isCorked) this.#flush();
    if (written !== undefined) process.nextTick(written);
    return true;
  }

  cork(): void {
    this.#isCorked = true;
  }

  uncork(): void {
    this.#isCorked = false;
    this.#flush();
  }

  end(): void {
    this.writable = false;
    this.#flush();
    this.#link?.end();
    process.nextTick(() => this.#close());
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.#link?.end();
    this.destroyed = true;
    this.writable = false;
    process.nextTick(() => this.#told(error));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #flush(): void {
    const bytes = this.#written.splice(0);
    if (bytes.length > 0) this.#link?.send(bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes));
  }

  #close(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.writable = false;
    this.#told(error);
  }

  #told(error?: Error): void {
    if (error !== undefined) this.emit('error', error);
    else this.emit('end');
    this.emit('close', error !== undefined);
  }
}
