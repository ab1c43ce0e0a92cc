import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, type TestContext } from 'node:test';
import { dialectNames } from '../../exchange-simulator/dialects.ts';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { tlsFiles } from '../../test/support/tls-files.ts';
import { systemClock } from '../ground/clock.ts';
import { WebhookReceiver } from '../notices/webhook-receiver.testing.ts';
import { lockForService } from '../store/sqlite/file.ts';
import { newDirectory, runInside } from './cli.testing.ts';

interface Report {
  readonly works: boolean;
  readonly findings: readonly {
    readonly name: string;
    readonly works: boolean;
    readonly detail: string;
    readonly isWarning?: boolean;
    readonly middles?: Readonly<Record<string, string>>;
  }[];
}

describe('mdapi check', () => {
  let exchange: ExchangeSimulator;
  before(async () => {
    exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
  });
  after(() => exchange.stop());

  /** Runs it in a directory of its own, with these settings over those of an installation that works. */
  async function checked(t: TestContext, more: Readonly<Record<string, unknown>>, cwd = newDirectory(t)) {
    const settings = {
      server: { port: 0 },
      admin: { port: 0 },
      sources: [krakenAt(exchange.restUrl, exchange.wsUrl)],
      rates: { source: 'cnb', url: exchange.cnbUrl, compare: { source: 'ecb', url: exchange.ecbUrl } },
      ...more,
    };
    writeFileSync(join(cwd, 'mdapi.yaml'), JSON.stringify(settings));
    const { exitCode, stdout, stderr } = await runInside(['check', '--json'], { cwd, clock: systemClock });
    assert.equal(stderr, '');
    const { works, findings } = JSON.parse(stdout) as Report;
    assert.equal(works, exitCode === 0);
    const bad = Object.fromEntries(findings.flatMap(({ name, works, detail }) => (works ? [] : [[name, detail]])));
    return { exitCode, bad, findings, files: readdirSync(cwd) };
  }

  it('ends with 0 and makes nothing where all works', async (t) => {
    const mail = await MailServer.start(t);
    const outside = await WebhookReceiver.start(t);
    const { exitCode, bad, findings, files } = await checked(t, {
      server: { port: 0, tls: { certFile: tlsFiles.cert, keyFile: tlsFiles.key } },
      mail: { smtp: `smtp://127.0.0.1:${mail.port}`, from: 'ops@example.com' },
      alerts: { heartbeat: { url: `${outside.url}?T0P`, allowHttp: true } },
    });
    assert.deepEqual([exitCode, bad, files], [0, {}, ['mdapi.yaml']]);
    assert.deepEqual(
      findings.map(({ name }) => name),
      [
        ...[
          'configuration',
          'data folder',
          'database',
          'record',
          'certificate',
          'private listener',
          'public listener',
          'mail server',
          'heartbeat',
          'open files',
        ],
        ...['kraken REST', 'kraken live', 'rate EUR/CZK'],
      ],
    );
    assert.equal(mail.whole.length, 0);
    assert.equal(outside.requests.length, 1);
    assert.ok(!JSON.stringify(findings).includes('T0P'));
  });

  it('asks the sign-in provider, and names both issuers where they differ (fault row 105)', async (t) => {
    let named = '';
    const provider = createHttpServer(({ url }, response) => {
      const isFound = url === '/realms/desk/.well-known/openid-configuration';
      response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: named, scopes_supported: ['openid', 'email', 'profile'] }));
    }).listen(0, '127.0.0.1');
    t.after(() => provider.close());
    await once(provider, 'listening');
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/realms/desk`;
    const oidc = { issuer, clientId: 'mdapi', clientSecret: 'hunter2', roles: { staff: 'admin' } };
    const found = async (more: object = {}) => {
      const admin = { port: 0, oidc: { ...oidc, rolesClaim: 'realm_access.roles', ...more } };
      const { findings, exitCode } = await checked(t, { admin });
      const { works, detail } = findings.find(({ name }) => name === 'sign-in provider')!;
      assert.ok(!detail.includes('hunter2'));
      return { exitCode, works, detail };
    };
    named = issuer;
    const fits = await found();
    assert.deepEqual([fits.exitCode, fits.works], [0, true]);
    assert.match(fits.detail, /issuer http\S+\/realms\/desk; roles from the claim realm_access\.roles$/);
    const scoped = await found({ scope: 'openid groups' });
    assert.match(scoped.detail, /it does not list the scope groups \(admin\.oidc\.scope\)$/);
    named = `${issuer}/`;
    const { works, detail } = await found();
    assert.equal(works, false);
    assert.ok(detail.includes(`calls itself "${issuer}/", and admin.oidc.issuer is "${issuer}"`), detail);
    assert.match(detail, /It answers, so this machine reaches it: check admin\.oidc\.issuer\.$/);
    assert.match((await found({ issuer: `${issuer}/nowhere` })).detail, /HTTP status 404 from http.*It answers/);
    provider.closeAllConnections();
    provider.close();
    const gone = await found();
    assert.equal(gone.exitCode, 1);
    assert.match(gone.detail, /ECONNREFUSED.*Check admin\.oidc\.issuer, and whether this machine may reach it/);
  });

  it('shows each rate with its inverse, the second source and how far they are apart, and warns where that is too far', async (t) => {
    const rate = async (compare: unknown) => {
      const { findings, exitCode } = await checked(t, { rates: { url: exchange.cnbUrl, compare } });
      assert.equal(exitCode, 0, 'a second source ends no service');
      return findings.find(({ name }) => name === 'rate EUR/CZK')!;
    };
    const { isWarning, detail } = await rate({ source: 'ecb', url: exchange.ecbUrl });
    assert.equal(isWarning, false);
    assert.match(
      detail,
      /: 24\.315, fixing of \S+; inverse 0\.04112688; none stored yet; second source ecb: 24\.315, /,
    );
    assert.match(detail, /fixing of \S+, difference 0\.00 %$/);
    const pointer = '/data/EURCZK';
    const other = createHttpServer((_, response) => response.end('{"data":{"EURCZK":26.3}}')).listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const apart = await rate({ source: 'json', url, pointer });
    assert.equal(apart.isWarning, true);
    assert.match(apart.detail, /second source json: 26\.3, difference -7\.55 %, over guard\.ratePercent \(3 %\)/);
    other.closeAllConnections();
    other.close();
    const gone = await rate({ source: 'json', url, pointer });
    assert.equal(gone.isWarning, true);
    assert.match(gone.detail, /second source json: ECONNREFUSED, so that the rate is compared with nothing/);
    assert.match((await rate('off')).detail, /second source: none \(rates\.compare\), nothing confirms the first rate/);
  });

  it('knows every kind of exchange to be reachable, also those that say nothing until they are asked', async (t) => {
    const exchanges = await Promise.all(
      dialectNames.map((dialect) => startExchangeSimulator({ dialect, quotes: ['EUR'], updatesPerSecond: 0 })),
    );
    t.after(() => Promise.all(exchanges.map((started) => started.stop())));
    const sources = exchanges.map(({ dialect, restUrl, wsUrl }) => ({
      id: dialect,
      urls: { rest: restUrl, ws: wsUrl },
    }));
    const { bad, findings } = await checked(t, { sources, markets: { symbols: ['BTCEUR', 'ETHEUR'] } });
    assert.deepEqual(bad, {});
    const live = findings.flatMap(({ name, detail }) => (name.endsWith(' live') ? detail : []));
    assert.equal(live.filter((detail) => detail.endsWith('connected')).length, dialectNames.length);
  });

  it('refuses PostgreSQL before somebody decided about the record, as `serve` does', async (t) => {
    const { exitCode, bad } = await checked(t, { store: 'postgres://mdapi@127.0.0.1:1/none' });
    assert.equal(exitCode, 3);
    assert.match(bad.configuration!, /history\.url: with PostgreSQL as store, name the place of the record/);
  });

  it('says how long the record is kept, how large it gets and where its seals go', async (t) => {
    const detail = async (more: Readonly<Record<string, unknown>>) =>
      (await checked(t, more)).findings.find(({ name }) => name === 'record')!.detail;
    const short = await detail({ markets: { symbols: ['BTCEUR', 'ETHEUR'] } });
    assert.match(
      short,
      /kept for 30 days \(MiCA asks for 1830d: history\.keepFor\); up to 21 MB of prices \(2 markets/,
    );
    assert.match(short, /seals go to the log alone/);
    assert.match(await detail({ history: { keepFor: '1830d' } }), /kept for 1830 days; up to 890 GB of prices/);
    assert.equal(await detail({ history: { url: 'off' } }), 'nothing is recorded: history.url is off');
  });

  /** Two exchanges of the same prices, but for one market. */
  async function twoExchanges(t: TestContext) {
    const options = { quotes: ['EUR'], updatesPerSecond: 0 };
    const other = await startExchangeSimulator({ ...options, dialect: 'bitvavo' });
    t.after(() => other.stop());
    other.setPrice({ symbol: 'ADA/EUR', bid: '1999.0', ask: '2001.0' });
    const bitvavo = { id: 'bitvavo', urls: { rest: other.restUrl, ws: other.wsUrl } };
    return { other, bitvavo, sources: [krakenAt(exchange.restUrl, exchange.wsUrl), bitvavo] };
  }

  it('warns of markets whose sources are far apart, with their prices and what to write', async (t) => {
    const { sources, bitvavo } = await twoExchanges(t);
    const { exitCode, bad, findings } = await checked(t, { sources });
    assert.deepEqual([exitCode, bad], [0, {}]);
    const warnings = findings.filter(({ isWarning }) => isWarning === true);
    assert.deepEqual(
      warnings.map(({ name }) => name),
      ['ADAEUR', 'levels'],
    );
    const [ada, levels] = warnings;
    assert.deepEqual([Object.keys(ada!.middles!), ada!.middles!.bitvavo], [['kraken', 'bitvavo'], '2000']);
    assert.match(
      ada!.detail,
      /^kraken \d+\.\d+, bitvavo 2000\. .* write not: \[ADA\] or assets: \{ ADA: ITS-NAME \} for bitvavo in/,
    );
    assert.match(levels!.detail, /; 1 of them are further apart than guard\.disagreePercent, 2 %$/);
    const [renamed, notCompared] = await Promise.all([
      checked(t, { sources: [sources[0], { ...bitvavo, assets: { ADA: 'ADX' } }] }),
      checked(t, { sources, pricing: { sources: { ADAEUR: ['kraken'] } } }),
    ]);
    for (const { findings: after } of [renamed, notCompared]) {
      assert.ok(!after.some(({ isWarning }) => isWarning));
      assert.match(after.find(({ name }) => name === 'levels')!.detail, /none of them further apart/);
    }
  });

  it('asks nothing of a paused source, which may be the one that is broken', async (t) => {
    const { sources, bitvavo } = await twoExchanges(t);
    const nobody = { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' };
    const { bad, findings } = await checked(t, { sources: [sources[0], { ...bitvavo, urls: nobody, paused: true }] });
    assert.deepEqual(bad, {});
    assert.ok(!findings.some(({ name }) => name.startsWith('bitvavo') || name === 'levels'));
  });

  it('names the source that is far from two others, and the asset as that source calls it', async (t) => {
    const { sources, bitvavo } = await twoExchanges(t);
    const third = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0, dialect: 'okx' });
    t.after(() => third.stop());
    const okx = { id: 'okx', urls: { rest: third.restUrl, ws: third.wsUrl } };
    const renamed = { ...bitvavo, not: ['XRP'], assets: { ADA: 'XRP', BTC: 'ADA' } };
    const { findings } = await checked(t, { sources: [renamed, sources[0], okx] });
    const detail = (symbol: string) => findings.find(({ name }) => name === symbol)?.detail ?? '';
    assert.match(detail('XRPEUR'), /^bitvavo 2000, kraken .*, okx .* write not: \[ADA\] .* for bitvavo in sources\.$/);
    assert.match(detail('ADAEUR'), / write not: \[BTC\] /);
  });

  it('compares every market, also of an exchange that answers for eight at a time', async (t) => {
    const coinbase = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0, dialect: 'coinbase' });
    t.after(() => coinbase.stop());
    const symbols = ['ADA', 'BTC', 'DOT', 'ETH', 'LTC', 'XLM', 'XRP', 'LINK', 'DOGE'].map((base) => `${base}EUR`);
    const { bad, findings } = await checked(t, {
      markets: { symbols },
      sources: [
        krakenAt(exchange.restUrl, exchange.wsUrl),
        { id: 'coinbase', urls: { rest: coinbase.restUrl, ws: coinbase.wsUrl } },
      ],
    });
    assert.deepEqual(bad, {});
    assert.match(findings.find(({ name }) => name === 'levels')?.detail ?? '', /^9 markets compared; none .* 2 %$/);
  });

  it('says which source gives no prices to compare, and is no failure for it', async (t) => {
    const { sources, other } = await twoExchanges(t);
    await other.faults.set({ fault: 'rest-500', call: 'ticker24h' });
    const { exitCode, findings } = await checked(t, { sources });
    assert.equal(exitCode, 0);
    const warning = findings.find(({ name }) => name === 'bitvavo prices');
    assert.equal(warning?.isWarning, true);
    assert.match(warning?.detail ?? '', /^does not answer, so that its prices are not compared: /);
  });

  it('names a database whose directory is missing', async (t) => {
    const { exitCode, bad } = await checked(t, { store: 'sqlite:./no/such.sqlite' });
    assert.equal(exitCode, 1);
    assert.match(bad.database ?? '', /the directory .*\/no does not exist\. Create it/);
    assert.deepEqual(Object.keys(bad), ['database', 'record']);
  });

  it('names the process of a service that runs on the database already', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd });
    const release = lockForService(join(cwd, 'mdapi.sqlite'));
    const taken = await checked(t, {}, cwd);
    release();
    assert.equal(taken.exitCode, 1);
    assert.match(taken.bad.database ?? '', new RegExp(`belongs to a service that runs: process ${process.pid} on `));
    assert.equal((await checked(t, {}, cwd)).exitCode, 0);
  });

  it('names a database that another program keeps locked', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd });
    using other = new DatabaseSync(join(cwd, 'mdapi.sqlite'));
    other.exec('begin immediate');
    const { exitCode, bad } = await checked(t, {}, cwd);
    assert.equal(exitCode, 1);
    assert.match(bad.database ?? '', /is locked by another program\. Let that program finish/);
  });

  it('names a certificate that is missing, none, or of another key', async (t) => {
    const cwd = newDirectory(t);
    writeFileSync(join(cwd, 'none.pem'), 'no PEM');
    const cases: readonly (readonly [certFile: string, keyFile: string, detail: RegExp])[] = [
      ['./missing.pem', tlsFiles.key, /^Cannot read server\.tls\.certFile, .*missing\.pem \(ENOENT\)\. Check that/],
      ['./none.pem', tlsFiles.key, /are no certificate and its key in PEM form .* Name a certificate/],
      [tlsFiles.cert, tlsFiles.key.replace('localhost', 'renewed'), /do not belong together .* Name a certificate/],
    ];
    for (const [certFile, keyFile, detail] of cases) {
      const { exitCode, bad } = await checked(t, { server: { port: 0, tls: { certFile, keyFile } } }, cwd);
      assert.equal(exitCode, 1);
      assert.match(bad.certificate ?? '', detail);
    }
  });

  it('names a port that another program has, and an address that this machine does not have', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { exitCode, bad } = await checked(t, { server: { port }, admin: { host: '192.0.2.1', port: 9 } });
    assert.equal(exitCode, 1);
    assert.match(bad['public listener'] ?? '', new RegExp(`^Port ${port} is already in use\\. Stop what uses it, or`));
    assert.match(bad['private listener'] ?? '', /no address 192\.0\.2\.1\. Set server\.host or admin\.host/);
  });

  it('takes the ports of the service that runs here for what they are', async (t) => {
    const service = createHttpServer((_, response) => response.end('{"ready":true,"phase":"serving","notes":[]}'));
    t.after(() => service.close());
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const { exitCode, findings } = await checked(t, { admin: { port } });
    assert.equal(exitCode, 0);
    const listener = findings.find(({ name }) => name === 'private listener');
    assert.equal(listener?.detail, `127.0.0.1, port ${port}, in use by the service that runs here now`);
  });

  it('names symbols that the exchange does not have, and what was probably meant', async (t) => {
    const { exitCode, bad } = await checked(t, {
      markets: { symbols: ['BTCEUR', 'ETHHEUR'] },
      pricing: { pricePrecision: { BTCCZK: 0, NONECZK: 2 } },
    });
    assert.equal(exitCode, 1);
    assert.match(bad.symbols ?? '', /^No source has a market for ETHHEUR.* NONECZK\..* Correct markets\.symbols/);
    assert.ok(!bad.symbols?.includes('BTCCZK'));
  });

  it('names the setting of a pointer that names nothing, and says that the address answers', async (t) => {
    const source = createHttpServer((_, response) => response.end('{"data":{"EURCZK":24.3}}')).listen(0, '127.0.0.1');
    t.after(() => source.close());
    await once(source, 'listening');
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`;
    const wrong = { source: 'json', url, pointer: '/data/EURCHF' };
    const { bad } = await checked(t, { rates: { ...wrong, compare: 'off' } });
    assert.equal(
      bad['rate EUR/CZK'],
      `json at ${url}: rates.pointer "/data/EURCHF" names no decimal in the answer. It answers, so this machine reaches it: check rates.url.`,
    );
    const { findings } = await checked(t, { rates: { url: exchange.cnbUrl, compare: wrong } });
    const { detail } = findings.find(({ name }) => name === 'rate EUR/CZK')!;
    assert.match(detail, /second source json: rates\.compare\.pointer "\/data\/EURCHF" names no decimal in the answer/);
  });

  it('names by address what does not answer, and shows no secret', async (t) => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const dead = `127.0.0.1:${(probe.address() as AddressInfo).port}`;
    probe.close();
    const { exitCode, bad } = await checked(t, {
      redis: `redis://u:hunter2@${dead}`,
      mail: { smtp: `smtp://u:hunter2@${dead}`, from: 'ops@example.com' },
      alerts: { heartbeat: { url: `http://${dead}/hunter2`, allowHttp: true } },
      sources: [krakenAt(`http://${dead}`, `ws://${dead}/v2`), { id: 'engine', kind: 'redis-stream' }],
      rates: { source: 'json', url: `http://${dead}/rate?key=hunter2`, pointer: '/rate', compare: 'off' },
    });
    assert.equal(exitCode, 1);
    const expected = {
      Redis: [dead, 'redis'],
      'mail server': [dead, 'mail.smtp'],
      heartbeat: [dead, 'alerts.heartbeat'],
      'kraken REST': [`http://${dead}`, 'urls.rest of kraken in sources'],
      'kraken live': [`ws://${dead}/v2`, 'urls.ws of kraken in sources'],
      engine: [dead, 'redis'],
      'rate EUR/CZK': [`json at http://${dead}/rate`, 'rates.url'],
    };
    assert.deepEqual(Object.keys(bad), Object.keys(expected));
    for (const [name, [subject, key]] of Object.entries(expected)) {
      const { [name]: detail = '' } = bad;
      assert.ok(detail.startsWith(`${subject}: `) && detail.includes(`Check ${key}, and whether`), detail);
      assert.match(detail, /ECONNREFUSED/);
    }
    assert.ok(!JSON.stringify(bad).includes('hunter2'));
  });
});
