import type { Registry } from 'prom-client';
import { type Clock, type EpochMs, type Randomness, type Timer, withTimeout } from '../ground/clock.ts';
import { type Log, tellingOnce } from '../ground/log.ts';
import type { AnsweredRequest } from '../http/answered-request.ts';
import { attributes, metricsBody, SpanBuffer } from './signals.ts';

export interface OtlpConfiguration {
  /** Without the paths of the signals and without a trailing slash. */
  readonly url: string;
  readonly everyMs: number;
  /** The share of requests that are traced, 0 to 100. */
  readonly tracesPercent: number;
  /** The value of `Authorization`. */
  readonly authorization: string | undefined;
}

interface TelemetryParts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly version: string;
}

const timeoutMs = 5_000;

/**
 * Sends metrics and traces to an OpenTelemetry collector (OTLP over HTTP, JSON encoding). What cannot be delivered is
 * dropped: metrics are sums since the start, so the next delivery includes it.
 */
export class OtlpExporter {
  readonly #configuration: OtlpConfiguration;
  readonly #parts: TelemetryParts;
  readonly #spans: SpanBuffer;
  readonly #resource: object;
  readonly #startedAt: EpochMs;
  #registry: Registry | undefined;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  readonly #guarded: ReturnType<typeof tellingOnce>;

  constructor(configuration: OtlpConfiguration, parts: TelemetryParts) {
    this.#configuration = configuration;
    this.#parts = parts;
    this.#spans = new SpanBuffer(configuration.tracesPercent);
    this.#startedAt = parts.clock.now();
    this.#guarded = tellingOnce(
      (error) => parts.log.warn({ reason: reasonOf(error) }, 'telemetry cannot be delivered'),
      () => parts.log.info({}, 'telemetry is delivered again'),
    );
    this.#resource = {
      attributes: attributes({
        'service.name': 'mdapi',
        'service.version': parts.version,
        'service.instance.id': Buffer.from(parts.randomness.bytes(16)).toString('hex'),
      }),
    };
  }

  /** Takes an answered request; `traceparent` is that header of it. */
  answered(answered: AnsweredRequest, traceparent: string | undefined): void {
    this.#spans.take(answered, traceparent);
  }

  start(registry: Registry): void {
    this.#registry = registry;
    this.#timer = this.#parts.clock.every(this.#configuration.everyMs, () => void this.#send());
  }

  /** Sends what there is once more, within 5 s. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#sending;
    await this.#send();
  }

  /** One at a time: a collector that is slow gets fewer, not more. */
  #send(): Promise<void> {
    this.#sending ??= this.#guarded(() => this.#sendBoth()).finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendBoth(): Promise<void> {
    const { clock, log } = this.#parts;
    const traces = this.#spans.takeBody(this.#resource);
    if (traces !== undefined) await this.#post('traces', traces);
    if (this.#registry !== undefined) {
      await this.#post('metrics', await metricsBody(this.#registry, this.#resource, this.#startedAt, clock.now()));
    }
    const spans = this.#spans.takeDropped();
    if (spans > 0) log.warn({ spans }, 'more requests were traced than are kept between two deliveries');
  }

  async #post(signal: 'metrics' | 'traces', body: object): Promise<void> {
    const { url, authorization } = this.#configuration;
    await withTimeout(this.#parts.clock, timeoutMs, async (late) => {
      const response = await fetch(`${url}/v1/${signal}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: late,
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the collector answered ${response.status} to ${signal}`);
    });
  }
}

/** The platform hides the reason behind a general "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? message;
}
