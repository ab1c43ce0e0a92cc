import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { Backoff } from '../ground/backoff.ts';
import type { Clock, Randomness, Timer } from '../ground/clock.ts';

/** Address and credentials of a Redis or Valkey server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, for `rediss://`. */
  readonly tls: boolean;
  /** PEM files, read for each connection: the authority to trust alone, and what this side shows. */
  readonly tlsFiles?: Partial<Readonly<Record<TlsFile, string | undefined>>> | undefined;
  /** `undefined` with a password: the server's default user. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** 0 unless the server has several. */
  readonly database: number;
}

type TlsFile = 'ca' | 'cert' | 'key';

/** Gets the events of the connection. */
export interface ConnectionObserver {
  /** Commands can be sent. */
  opened?(): void;
  /** It is gone, or could not be made. What was sent and not answered has been rejected. */
  lost?(reason: string): void;
}

/** How long a connection may take until commands can be sent. A frozen server accepts connections and says nothing. */
const openWithinMs = 2_000;
const reopenRange = { minMs: 50, maxMs: 1_000, jitter: 'equal' } as const;
const waitingCommandsMax = 20_000;

/**
 * One connection to a server, replaced whenever it is lost. The client library's own reconnecting is not used: it waits
 * for a frozen server's greeting without end, and it keeps commands for later, which would be counted long after their
 * requests were answered.
 */
export class RedisConnection {
  readonly #address: RedisAddress;
  readonly #clock: Clock;
  readonly #observer: ConnectionObserver;
  #client: Client | undefined;
  #isStopped = false;
  readonly #backoff: Backoff;
  #timer: Timer | undefined;
  #lostFor = '';

  constructor(address: RedisAddress, clock: Clock, randomness: Randomness, observer: ConnectionObserver = {}) {
    this.#address = address;
    this.#clock = clock;
    this.#backoff = new Backoff(randomness, reopenRange);
    this.#observer = observer;
  }

  get isOpen(): boolean {
    return this.#client?.isReady === true;
  }

  start(): void {
    this.#open();
  }

  /**
   * Sends one command; all of an event-loop turn go in one write. Rejects with the server's error, and when the
   * connection is not there or is lost. A server that is silent leaves the promise waiting: the caller sets the limit.
   */
  call(command: readonly string[]): Promise<unknown> {
    if (!this.#client?.isReady) return Promise.reject(this.notConnected());
    return this.#client.sendCommand([...command]);
  }

  /** Says why the connection was last lost, where the library says only that it ended. */
  notConnected(): Error {
    return new Error(`not connected${this.#lostFor}`);
  }

  /** Ends the connection, which may be dead without knowing it, and makes another. */
  reopen(reason: string): void {
    if (this.#client !== undefined) this.#lost(this.#client, new Error(reason));
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#client?.destroy();
    this.#client = undefined;
  }

  #open(): void {
    let client: Client;
    try {
      client = clientFor(this.#address);
    } catch (error) {
      this.#again(error);
      return;
    }
    this.#client = client;
    let isUnproven = false;
    const lost = (error: unknown) => this.#lost(client, isUnproven ? unproven(error) : error);
    // Without a listener an error would end the process.
    client.on('error', lost);
    client
      .connect()
      .then(() => {
        isUnproven = this.#address.tls;
        return isUnproven ? firstAnswer(client) : undefined;
      })
      .then(() => {
        isUnproven = false;
        this.#opened(client);
      }, lost);
    this.#timer = this.#clock.after(openWithinMs, () => lost(new Error(`no greeting within ${openWithinMs} ms`)));
  }

  #opened(client: Client): void {
    if (client !== this.#client) return;
    this.#timer?.cancel();
    this.#backoff.reset();
    this.#observer.opened?.();
  }

  #lost(client: Client, error: unknown): void {
    if (client !== this.#client || this.#isStopped) return;
    this.#client = undefined;
    this.#timer?.cancel();
    client.destroy();
    this.#again(error);
  }

  #again(error: unknown): void {
    this.#timer = this.#clock.after(this.#backoff.nextMs(), () => this.#open());
    const reason = reasonOf(error);
    this.#lostFor = `: ${reason}`;
    this.#observer.lost?.(reason);
  }
}

type Client = ReturnType<typeof clientFor>;

/**
 * Waits for an answer of whatever kind. With TLS 1.3 a server refuses a client’s certificate after the handshake has
 * ended here: without it each attempt would count as one that succeeded, and the next would follow at once.
 */
async function firstAnswer(client: Client): Promise<void> {
  const { ErrorReply }: typeof import('@redis/client') = require('@redis/client');
  try {
    await client.sendCommand(['PING']);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
  }
}

const require = createRequire(import.meta.url);

/** A client that neither reconnects nor keeps anything for later. */
function clientFor({ host, port, tls, tlsFiles = {}, user, password, database }: RedisAddress) {
  // Loaded with the first connection: a process without Redis does without its 12 MB.
  const { createClient }: typeof import('@redis/client') = require('@redis/client');
  return createClient({
    // The older protocol: understood by every server and proxy, and nothing here needs the newer one.
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: openWithinMs,
      reconnectStrategy: false as const,
      // A certificate is held against `host`; the library does not send the server the wanted name. An address is none
      // (RFC 6066, section 3).
      ...(tls ? { tls, ...(isIP(host) === 0 ? { servername: host } : {}), ...contentsOf(tlsFiles) } : {}),
    },
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    database,
    disableOfflineQueue: true,
    commandsQueueMaxLength: waitingCommandsMax,
    // The library's timeout ends when a command is written, not when it is answered: it is of no use here.
    commandOptions: { timeout: 0 },
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
}

const showCertificate = 'the server wants another client certificate: name it with sslcert and sslkey in the URL';

/** The server’s alert may be lost behind what is written at that moment. */
function unproven(error: unknown): unknown {
  const reason = reasonOf(error);
  return /alert/.test(reason)
    ? error
    : new Error(`${reason}, right after the TLS handshake: perhaps ${showCertificate}`);
}

const parameterOf: Readonly<Record<TlsFile, string>> = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' };

function contentsOf(files: NonNullable<RedisAddress['tlsFiles']>): Partial<Record<TlsFile, string>> {
  const named = (['ca', 'cert', 'key'] as const).filter((file) => files[file] !== undefined);
  return Object.fromEntries(named.map((file) => [file, contentOf(files[file]!, parameterOf[file])]));
}

function contentOf(path: string, parameter: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`the file ${path} (${parameter} of redis) cannot be read`);
  }
}

/**
 * Says what went wrong, for the log. Neither the library nor a server puts a password into it. What a server says by
 * way of TLS is in the middle of a line of OpenSSL’s own.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const [, alert] = error instanceof Error ? (/SSL routines:[^:]*:([^:]*alert [^:]*):/.exec(error.message) ?? []) : [];
  if (alert !== undefined) return /certificate/.test(alert) ? `${alert} (${showCertificate})` : alert;
  return error instanceof Error && error.message !== '' ? error.message : 'the connection failed';
}
