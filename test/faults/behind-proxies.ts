import type { TestContext } from 'node:test';
import { krakenAt } from '../support/kraken-at.ts';
import { ServiceHarness, type ServiceHarnessOptions } from '../support/service-harness.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** A whole service whose two ways to the exchange each lead through a network that a test can break. */
export interface BehindProxies {
  readonly service: ServiceHarness;
  /** In front of the WebSocket. */
  readonly live: TcpProxy;
  readonly rest: TcpProxy;
}

export interface BehindProxiesOptions extends Omit<ServiceHarnessOptions, 'before'> {
  /** Of the live connection's address; the exchange speaks no TLS. */
  readonly scheme?: 'ws' | 'wss';
}

export async function startBehindProxies(
  t: Pick<TestContext, 'after'>,
  { scheme = 'ws', ...options }: BehindProxiesOptions = {},
): Promise<BehindProxies> {
  const [live, rest] = await Promise.all([TcpProxy.listen(), TcpProxy.listen()]);
  const service = await ServiceHarness.start(t, {
    ...options,
    settings: {
      sources: JSON.stringify([krakenAt(`http://127.0.0.1:${rest.port}`, `${scheme}://127.0.0.1:${live.port}/v2`)]),
      ...options.settings,
    },
    before({ restUrl }) {
      for (const proxy of [live, rest]) proxy.forwardTo(Number(new URL(restUrl).port));
    },
  });
  t.after(() => Promise.all([live.close(), rest.close()]));
  return { service, live, rest };
}

/** Why live connections ended so far, as the metric counts them. */
export async function connectionsEnded(service: ServiceHarness): Promise<Readonly<Record<string, number>>> {
  const { samples } = await service.metrics();
  const ended = samples.filter(({ name }) => name === 'mdapi_feed_connections_ended_total');
  return Object.fromEntries(ended.map(({ labels, value }) => [labels.reason!, value]));
}

/** Live connections tried so far. */
export async function connectionsTried(service: ServiceHarness): Promise<number> {
  return (await service.metrics()).value('mdapi_feed_connections_total');
}
