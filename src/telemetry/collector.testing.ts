import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery that a collector was sent. */
interface Delivery {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: what was sent is asserted on, not relied on
export type Json = any;

/** An OpenTelemetry collector, reduced to HTTP: it keeps what it gets, and answers as configured. */
export async function startCollector(t: { after(run: () => unknown): void }) {
  const deliveries: Delivery[] = [];
  const answer = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    deliveries.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deliveries, answer };
}

/** The spans of all deliveries. */
export function spansOf(deliveries: readonly Delivery[]): Json[] {
  const traces = deliveries.filter(({ path }) => path === '/v1/traces');
  return traces.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
}

/** The metrics of the latest delivery, by name. */
export function metricsOf(deliveries: readonly Delivery[]): Record<string, Json> {
  const latest = deliveries.findLast(({ path }) => path === '/v1/metrics');
  const metrics: Json[] = latest?.body.resourceMetrics[0].scopeMetrics[0].metrics ?? [];
  return Object.fromEntries(metrics.map((metric) => [metric.name, metric]));
}

/** Attributes as a plain object. */
export function plain(attributes: readonly Json[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
