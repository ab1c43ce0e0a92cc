import { systemClock } from '../../src/ground/clock.ts';

/** An answer as a client got it. */
export interface Got {
  readonly requestId: string;
  readonly status: number;
  readonly body: string;
  readonly gotAtMs: number;
}

const paths = ['/v1/tickers', '/v1/ticker?symbol=BTCCZK', '/v1/status', '/v1/ticker?symbol=ADAEUR', '/v1/markets'];

/** Clients that ask one thing after the other and keep what they got, to be compared with the record. */
export class RecordedClients {
  readonly answers: Got[] = [];
  readonly #key: string;
  #isStopped = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** Asks until it is stopped, or until the service is gone: what breaks off was no answer. @param count of clients */
  async ask(baseUrl: string, count = 4): Promise<void> {
    this.#isStopped = false;
    const client = async (first: number) => {
      for (let at = first; !this.#isStopped; at++) await this.askOne(`${baseUrl}${paths[at % paths.length]!}`);
    };
    await Promise.all(Array.from({ length: count }, (_, first) => client(first).catch(() => {})));
  }

  /** Rejects where there is no whole answer. */
  async askOne(url: string): Promise<void> {
    const headers = { 'X-EXCHANGE-APIKEY': this.#key, 'Accept-Encoding': 'identity' };
    const response = await fetch(url, { headers });
    const body = await response.text();
    const requestId = response.headers.get('x-request-id')!;
    this.answers.push({ requestId, status: response.status, body, gotAtMs: systemClock.now() });
  }

  stop(): void {
    this.#isStopped = true;
  }
}
