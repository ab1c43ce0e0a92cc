import { request } from 'node:http';
import { eventually } from '../support/eventually.ts';
import { Child } from '../support/mdapi-process.ts';
import type { ServiceHarness } from '../support/service-harness.ts';

export interface ProxiedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * What Prism has against the answer, a line each. What it has against the request is not counted: some are wrong on
   * purpose.
   */
  readonly violations: readonly string[];
}

interface Violation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code?: string | number;
  readonly message: string;
}

/** Prism between a client and a running service, judging by the document that the service itself serves. */
export class PrismProxy {
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(
    own: ConstructorParameters<typeof Child>[0],
    program: string,
    { service, directory }: ServiceHarness,
  ): Promise<PrismProxy> {
    const document = `${service.baseUrl}/openapi/v1.json`;
    const argv = [program, 'proxy', document, service.baseUrl, '--port', '0', '--cors', 'false'];
    const prism = new Child(own, process.execPath, argv, { cwd: directory, env: { NO_COLOR: '1' } });
    const listening = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
    await eventually('Prism listens', () => listening.test(prism.output) || !prism.running, 60_000);
    const [, url] = listening.exec(prism.output) ?? [];
    if (url === undefined) throw new Error(`Prism did not start: ${prism.output}`);
    return new PrismProxy(url);
  }

  ask(target: string, { method = 'GET', headers = {} }: ProxiedRequest = {}): Promise<ProxiedAnswer> {
    return new Promise((resolve, reject) => {
      // Left out, Prism asks for any encoding at all, and then understands only two.
      const sent = { 'Accept-Encoding': 'identity', ...headers, Connection: 'close' };
      const asked = request(`${this.url}${target}`, { method, headers: sent }, (response) => {
        response.resume();
        response.once('end', () => {
          const { statusCode = 0, headers: got } = response;
          resolve({ status: statusCode, headers: got, violations: violationsIn(got['sl-violations']) });
        });
      });
      asked.once('error', reject);
      asked.end();
    });
  }
}

/** Prism reports them in a header, as JSON. */
function violationsIn(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const violations = JSON.parse(String(header)) as readonly Violation[];
  return violations
    .filter(({ location }) => location[0] === 'response')
    .map(({ location, severity, message }) => `${severity} ${location.join('.')}: ${message}`);
}
