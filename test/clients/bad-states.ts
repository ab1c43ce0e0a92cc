import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EpochMs } from '../../src/ground/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import type { Address } from './guide-samples.ts';

interface Stage extends Address {
  stop(): unknown;
}

/** A service in the state, on a clock that stands still. */
type Opening = () => Promise<Stage>;

interface Made {
  readonly api: ListenerHarness;
  readonly clock: FakeClock;
}

const page = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n';

/** What clients meet on a bad day, by name. */
export const badStates = {
  'no CZK rate': listener(({ api }) => priced(api, 'BTC', 'ETH')),
  'one market missing': listener(({ api }) => {
    priced(api, 'ETH');
    api.rate('24.315');
  }),
  maintenance: listener(({ api, clock }) => {
    const to = (clock.now() + 1_800_000) as EpochMs;
    api.service.setWindows([{ from: clock.now(), to, description: 'Database upgrade' }]);
  }),
  outage: listener(async ({ api, clock }) => {
    priced(api, 'BTC', 'ETH');
    api.rate('24.315');
    await clock.advance(600_000);
  }),
  'limit used up': listener(async ({ api }) => {
    await api.get('/v1/time');
  }, 1),
  'page of a proxy': proxy,
} satisfies Record<string, Opening>;

export type BadState = keyof typeof badStates;

function listener(prepare: (made: Made) => unknown, key = 1_000): Opening {
  return async () => {
    const clock = new FakeClock();
    const api = await ListenerHarness.start({ clock, limits: { key } });
    api.list('BTC', 'ETH');
    await prepare({ api, clock });
    return { baseUrl: `http://127.0.0.1:${api.port}`, key: api.key, stop: () => api.stop() };
  };
}

function priced(api: ListenerHarness, ...bases: readonly string[]): void {
  for (const base of bases) api.tick(base, '50000.00', '50010.00');
}

/** Answers everything as nginx does when the service behind it is gone. */
async function proxy(): Promise<Stage> {
  const server = createServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html', connection: 'close' });
    response.end(page);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, key: 'mdk_any', stop: () => server.close() };
}
