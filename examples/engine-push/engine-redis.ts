// Writes the prices of an engine to a stream in Redis: node engine-redis.ts redis://127.0.0.1:6379 engine, the id of the source.
import { createClient } from '@redis/client';

const [url = '', source = ''] = process.argv.slice(2);
const market = { base: 'BTC', quote: 'EUR', status: 'trading', pricePrecision: 1, amountPrecision: 8 };
const markets = [{ ...market, tickSize: '0.1', minOrderSize: '0.00005' }];
const epoch = Date.now(); // Higher with every start.
let seq = 0;

// Where your engine knows its prices.
function ticker() {
  const tenths = 500_000n + BigInt(Math.floor(Math.random() * 100));
  const text = (value: bigint) => `${value / 10n}.${value % 10n}`;
  const book = { bid: text(tenths), ask: text(tenths + 1n), high24h: '51000', low24h: '49000', volume24h: '12.5' };
  return { type: 'ticker', seq: ++seq, symbol: 'BTCEUR', time: Date.now(), ...book };
}

const stream = `{mdapi}:source:${source}`;
const failed = (error: Error) => process.stderr.write(`${error.message}\n`);
const [writer, reader] = [createClient({ url }).on('error', failed), createClient({ url }).on('error', failed)];
await Promise.all([writer.connect(), reader.connect()]);

// Commands of one turn keep their order.
function write(...messages: readonly object[]): void {
  for (const message of messages) {
    const entry = { epoch: String(epoch), message: JSON.stringify(message) };
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: 100_000 } as const;
    writer.xAdd(stream, '*', entry, { TRIM }).catch(failed);
  }
}

const hello = { type: 'hello', protocol: 1, epoch };
write(hello);
setInterval(() => write({ type: 'heartbeat', lastSeq: seq }), 1_000);
setInterval(() => write(ticker()), 100);

for (let id = '0-0'; ; ) {
  const read = await reader.xRead({ key: `${stream}:answers`, id }, { BLOCK: 1_000 }).catch(failed);
  for (const entry of (read as { messages: { id: string; message: Record<string, string> }[] }[] | null)?.[0]
    ?.messages ?? []) {
    id = entry.id;
    if (entry.message.epoch !== String(epoch)) continue;
    const answer = JSON.parse(entry.message.message!) as { type: string; code?: string; fatal?: boolean };
    if (answer.type === 'error') process.stderr.write(`${entry.message.message}\n`);
    if (answer.code === 'FENCED') process.exit(1);
    if (answer.fatal) write(hello);
    const [begin, end] = ['begin', 'end'].map((phase) => ({ type: 'snapshot', phase }));
    if (answer.type === 'resync') write({ type: 'catalogue', markets }, begin!, ticker(), end!);
  }
}
