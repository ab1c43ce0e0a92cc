/**
 * Makes the golden record of the format that this version writes: `node test/golden/make-record.ts 4` writes
 * `record-4.zst` beside itself. Run it once for each format, with the version that introduces it, and commit the file:
 * it never changes afterwards.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../src/ground/clock.ts';
import { daySealer } from '../../src/history/record/day-seals.ts';
import { openWriter } from '../../src/history/record/open-writer.ts';
import { directoryFor } from '../../src/history/record/record.testing.ts';
import { Recorder } from '../../src/history/record/recorder.ts';
import { prune } from '../../src/history/segment/retention.ts';
import type { SegmentStore } from '../../src/history/segment/segment-store.ts';
import { openSqliteSegments } from '../../src/history/segment/sqlite-segments.ts';
import { Markets } from '../../src/market/markets.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../../src/market/samples.testing.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { contentOf } from './record-content.ts';
import { packed } from './record-file.ts';

const minuteMs = 60_000;
const paths = ['/v1/ticker', '/v1/tickers', '/v1/markets', '/v1/time', '/v1/status'];

/** A service over two hours: with a process that was stopped, one that was killed, a hold and a deletion. */
class GoldenService {
  readonly clock = new FakeClock('2026-11-30T22:57:22.007Z');
  readonly #store: SegmentStore;
  readonly #path: string;
  readonly #markets = new Markets(pricingPolicy(), everyEuroMarket);
  #requests = 0;
  #processes = 0;

  constructor(store: SegmentStore, path: string) {
    this.#store = store;
    this.#path = path;
    this.#markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], this.clock.now());
  }

  /** @param isKilled its last minute stays in the journal */
  async process(minutes: number, isKilled: boolean): Promise<void> {
    const [now, requestKey] = [this.clock.now(), Buffer.alloc(16, ++this.#processes)];
    const store = this.#store;
    const { writer, gap, release } = await openWriter({
      store,
      requestKey,
      now,
      written: () => {},
      journalPath: this.#path,
    });
    const pieces: Buffer[] = [];
    const channel = { send: (piece: Buffer) => void pieces.push(piece) };
    const recorder = new Recorder({ markets: this.#markets, clock: this.clock, channel, onGap: () => {} });
    recorder.start([['process', '{"version":"1.0.0","errorsUrl":"https://api.example.com/errors"}']]);
    if (gap !== undefined) recorder.fact('gap', '', JSON.stringify(gap));
    const write = async () => {
      recorder.flush();
      for (const piece of pieces.splice(0)) await writer.take(piece);
    };
    for (let minute = 1; minute <= minutes; minute++) {
      await this.#minute(recorder, write);
      if (minute < minutes) await writer.tick(this.clock.now());
    }
    const deletions = await prune(this.#store, Date.parse('2026-11-30T22:59:30Z') as EpochMs);
    for (const deletion of deletions) await writer.note('deletion', JSON.stringify(deletion), this.clock.now());
    if (!isKilled) {
      recorder.stop();
      await write();
      await writer.stop();
    }
    release();
  }

  async #minute(recorder: Recorder, write: () => Promise<void>): Promise<void> {
    for (let turn = 0; turn < 4; turn++) {
      this.clock.jump(minuteMs / 4);
      const receivedAt = this.clock.now();
      if (turn === 1)
        this.#markets.rateRefreshed(conversionRate({ refreshedAt: receivedAt, fixingDate: '2026-11-27' }));
      if (turn === 2) {
        const hourAgo = { price1hAgo: decimal('84000.0'), price24hAgo: undefined, price7dAgo: decimal('79999.95') };
        this.#markets.referencePricesChanged(symbol('BTCEUR'), hourAgo);
      }
      const bid = decimal(`8420${this.#requests % 10}.${turn}0`);
      const statistics = turn === 3 ? { vwap24h: undefined, priceChangePercent24h: undefined } : {};
      this.#markets.tickerReceived(upstreamTicker({ bid, receivedAt, ...statistics }));
      recorder.flush();
      const heldAt = turn === 3 ? undefined : receivedAt;
      this.#markets.applyHolds([{ symbol: symbol('ETHEUR'), heldAt, acceptedAt: undefined }]);
      for (const path of paths) this.#serve(recorder, path, 200, path === '/v1/ticker' ? 'BTCCZK' : '');
      this.#serve(recorder, '/v1/ticker', 304, 'BTCEUR');
      this.#serve(recorder, '/v1/ticker', 404, '', 'UNKNOWN_SYMBOL There is no market "NOPE" – look in /v1/markets.');
      await write();
    }
  }

  #serve(recorder: Recorder, route: string, status: number, marketSymbol: string, problem = ''): void {
    const askedAt = this.clock.now();
    const text = route === '/v1/status' ? statusBody(askedAt) : problem;
    const keyId = `key_${this.#requests % 2}`;
    recorder.served({ keyId, askedAt, route, symbol: marketSymbol, status, text, request: ++this.#requests });
  }
}

function statusBody(at: number): string {
  const instants = (name: string, of: number) => ({ [name]: new Date(of).toISOString(), [`${name}Ms`]: of });
  return JSON.stringify({
    status: 'operational',
    ...instants('lastUpdatedAt', at - 40),
    ...instants('serverTime', at),
  });
}

const format = process.argv[2]!;
const made: (() => void)[] = [];
const path = join(directoryFor({ after: (undo: () => void) => void made.push(undo) }), 'history.sqlite');
const store = openSqliteSegments(path);
const service = new GoldenService(store, path);
await service.process(4, false);
service.clock.jump(minuteMs);
await service.process(2, true);
const sealDay = await daySealer(store, 1, service.clock.now());
await sealDay((service.clock.now() + 2 * 3_600_000) as EpochMs, (await store.head(1))!);
service.clock.jump(minuteMs);
await service.process(2, true);
await store.addHold({ from: 1_796_079_600_000 as EpochMs, to: 1_796_083_200_000 as EpochMs, reason: 'complaint 4711' });
const content = await contentOf(store);
await store.close();
const parts = [readFileSync(path), readFileSync(`${path}.minute1`), Buffer.from(JSON.stringify(content))];
writeFileSync(join(import.meta.dirname, `record-${format}.zst`), packed(parts));
for (const undo of made) undo();
