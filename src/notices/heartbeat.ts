import { type Clock, type Timer, withTimeout } from '../ground/clock.ts';
import { type Log, tellingOnce } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { version } from '../ground/version.ts';

/** A dead man's switch outside: it tells operators once nobody asks it any more. */
export interface HeartbeatSettings {
  /** Holds a secret: it is in no message and no log. */
  readonly url: string;
  readonly everyMs: number;
  readonly method: 'GET' | 'POST';
  /** How long the process may be unready before the heartbeat stops. */
  readonly unreadyForMs: number;
}

interface HeartbeatOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** `undefined`: there is none. */
  readonly heartbeat: HeartbeatSettings | undefined;
  /** Whether the process should get traffic. */
  readonly isReady: () => boolean;
}

const timeoutMs = 10_000;

/** Tells the outside that this process lives and is ready, through the proxy that is configured. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #stopping = new AbortController();
  readonly #guarded: ReturnType<typeof tellingOnce>;
  readonly #counts = { accepted: 0, failed: 0 };
  #timer: Timer | undefined;
  #beating: Promise<void> | undefined;
  #unreadySinceMs: number | undefined;
  #hasStopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    const { log } = options;
    this.#guarded = tellingOnce(
      (error) => {
        const { message: reason } = error as Error;
        log.error({ reason }, 'the heartbeat is not accepted: whoever waits for it takes this process for dead');
      },
      () => log.info({}, 'the heartbeat is accepted again'),
    );
  }

  /** Begins with the first one. */
  start(): void {
    const { heartbeat, clock } = this.#options;
    if (heartbeat === undefined) return;
    this.#beat(heartbeat);
    this.#timer = clock.every(heartbeat.everyMs, () => this.#beat(heartbeat));
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#stopping.abort();
    await this.#beating;
  }

  figures() {
    const { heartbeat } = this.#options;
    return heartbeat && { attempts: { ...this.#counts }, hasStopped: this.#hasStopped };
  }

  #beat(heartbeat: HeartbeatSettings): void {
    if (!this.#mayBeat(heartbeat)) return;
    // One that hangs is not joined by another.
    this.#beating ??= this.#send(heartbeat).finally(() => {
      this.#beating = undefined;
    });
  }

  async #send(heartbeat: HeartbeatSettings): Promise<void> {
    await this.#guarded(async () => {
      try {
        await sendHeartbeat(heartbeat, this.#options.clock, this.#stopping.signal);
        this.#counts.accepted++;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#counts.failed++;
        throw error;
      }
    });
  }

  /** Says in the log when the heartbeat stops, and when it goes on. */
  #mayBeat({ unreadyForMs }: HeartbeatSettings): boolean {
    const { clock, log, isReady } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#unreadySinceMs = isReady() ? undefined : (this.#unreadySinceMs ?? nowMs);
    const hasStopped = this.#unreadySinceMs !== undefined && nowMs - this.#unreadySinceMs >= unreadyForMs;
    if (hasStopped && !this.#hasStopped)
      log.error({ unreadyForMs }, 'this process has been unready for too long: its heartbeat stops');
    if (!hasStopped && this.#hasStopped) log.info({}, 'this process is ready again: its heartbeat goes on');
    this.#hasStopped = hasStopped;
    return !hasStopped;
  }
}

/** Sends one heartbeat. Rejects unless it is accepted, with a reason that says nothing of the URL. */
export async function sendHeartbeat(
  { url, method }: Pick<HeartbeatSettings, 'url' | 'method'>,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const status = await withTimeout(clock, timeoutMs, async (late) => {
    const signal = AbortSignal.any([stopping, late]);
    const headers = { 'User-Agent': `market-data-api/${version}` };
    const answer = await fetch(url, { method, headers, redirect: 'manual', signal });
    await answer.body?.cancel();
    return answer.status;
  }).catch((error: unknown) => {
    throw new Error(failureOf(error));
  });
  if (status < 200 || status > 299) throw new Error(`HTTP status ${status}`);
}

/** Messages of the platform may quote the URL: the code of the system or of TLS says enough. */
function failureOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code)) return code;
  return /^no answer in \d+ ms$/.test((error as Error).message) ? (error as Error).message : 'no connection';
}

export const heartbeatMetrics: MetricGroup<ReturnType<Heartbeat['figures']>> = {
  title: 'Notices',
  metrics: [
    {
      name: 'heartbeat_attempts_total',
      help: 'Heartbeats to the outside, by outcome. Absent where none is configured.',
      labels: ['outcome'],
      read: (figures) => figures?.attempts,
    },
    {
      name: 'heartbeat_stopped',
      help: '1 while the heartbeat is held back because this process is unready. Absent where none is configured.',
      read: (figures) => figures && Number(figures.hasStopped),
    },
  ],
};
