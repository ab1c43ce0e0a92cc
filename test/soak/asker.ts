import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As it came, not decompressed. */
  readonly body: Buffer;
  /** From the request's first byte to the answer's last. */
  readonly tookMs: number;
  readonly atMs: number;
}

/** How long a client waits for an answer. */
const timeoutMs = 30_000;

/** A client with one connection, which it keeps or opens anew for each request. */
export class Asker {
  readonly #baseUrl: string;
  readonly #agent: Agent;

  constructor(baseUrl: string, keepAlive: boolean) {
    this.#baseUrl = baseUrl;
    this.#agent = new Agent({ keepAlive, maxSockets: 1 });
  }

  /** Rejects when the connection fails or no answer comes. */
  get(target: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#baseUrl}${target}`, { agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const tookMs = performance.now() - startedMs;
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: plain(received), body: Buffer.concat(chunks), tookMs, atMs: Date.now() });
        });
      });
      sent.setTimeout(timeoutMs, () => sent.destroy(Object.assign(new Error('no answer'), { code: 'NO_ANSWER' })));
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Asks again where a connection fails, some times; `lost` is told of each. */
  async getAgain(target: string, headers: Readonly<Record<string, string>>, lost: (code: string) => void) {
    for (let triesLeft = 5; ; triesLeft--) {
      try {
        return await this.get(target, headers);
      } catch (error) {
        if (triesLeft === 0) throw error;
        lost((error as NodeJS.ErrnoException).code ?? 'unknown');
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function plain(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
