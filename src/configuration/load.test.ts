import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CZK, symbol } from '../market/samples.testing.ts';
import { fromYaml, inputOf, load } from './configuration.testing.ts';
import { type Configuration, publicUrls } from './configuration.ts';
import { loadConfiguration } from './load.ts';
import { fields } from './schema.ts';

describe('where values come from', () => {
  it('gives the documented defaults without file, environment and flags', () => {
    const { server, admin, limits, pricing, rates, sources, markets, store, logs } = load({});
    assert.deepEqual([server.host, server.port, server.trustedProxies, server.tls], ['127.0.0.1', 8080, [], undefined]);
    assert.deepEqual(admin, {
      host: '127.0.0.1',
      port: 9090,
      hosts: [],
      token: undefined,
      oidc: undefined,
      sessionForMs: 12 * 3_600_000,
      auditForMs: 400 * 86_400_000,
      approvals: [],
    });
    assert.deepEqual(limits, { key: 60, address: 30, failedAuthentication: 10 });
    assert.equal(pricing.feePercent, '0.5');
    assert.deepEqual([...pricing.converted], [['CZK', { via: 'EUR', marginPercent: '1' }]]);
    assert.equal(rates.source, 'cnb');
    assert.deepEqual([rates.refreshMs, rates.validForMs], [300_000, 345_600_000]);
    const urls = { rest: 'https://api.kraken.com', ws: 'wss://ws.kraken.com/v2' };
    assert.deepEqual(sources, [{ id: 'kraken', kind: 'kraken', urls, isPaused: false, assets: new Map() }]);
    assert.deepEqual([pricing.source, pricing.sources.size], ['primary', 0]);
    assert.deepEqual(markets, { quotes: ['EUR'], symbols: 'all', max: 5_000, delistAfterMs: 86_400_000 });
    assert.deepEqual(store, { kind: 'sqlite', url: 'sqlite:/srv/mdapi.sqlite', path: '/srv/mdapi.sqlite' });
    assert.equal(logs.level, 'info');
  });

  it('takes the flag over the environment over the file over the default', () => {
    const files = { '/srv/mdapi.yaml': 'server: { port: 1, host: 0.0.0.0 }\nlimits: { key: 11 }' };
    const env = { MDAPI_SERVER_PORT: '2', MDAPI_LIMITS_KEY: '12' };
    const flags = [{ flag: '--port', key: 'server.port', value: '3' }];
    const { server, limits } = load({ files, env, flags });
    assert.deepEqual([server.port, limits.key, server.host, limits.address], [3, 12, '0.0.0.0', 30]);
  });

  it('knows the file it was read from, absolute', () => {
    assert.equal(loadConfiguration(inputOf({ files: { '/srv/mdapi.yaml': '' } })).file, '/srv/mdapi.yaml');
    assert.equal(loadConfiguration(inputOf({})).file, undefined);
  });

  it('reads a value from the file that a variable with _FILE names, without its last line end', () => {
    const files = { '/run/secrets/store': 'sqlite:/data/a.sqlite\n' };
    const { store } = load({ files, env: { MDAPI_STORE_FILE: '/run/secrets/store' } });
    assert.deepEqual(store, { kind: 'sqlite', url: 'sqlite:/data/a.sqlite', path: '/data/a.sqlite' });
  });

  it('takes the address of a PostgreSQL database as it stands', () => {
    const url = 'postgres://mdapi:secret@db.example.com:5433/mdapi?sslmode=verify-full';
    assert.deepEqual(load({ env: { MDAPI_STORE: url } }).store, { kind: 'postgres', url });
  });

  it('reads lists from the environment with commas, and maps as JSON', () => {
    const env = {
      MDAPI_MARKETS_QUOTES: 'EUR, USD',
      MDAPI_MARKETS_SYMBOLS: 'BTCEUR,ETHUSD',
      MDAPI_SERVER_TRUSTED_PROXIES: '10.0.0.0/8,fd00::/8',
      MDAPI_PRICING_CONVERTED: '{"CZK":{"via":"USD","marginPercent":"1.25"}}',
      MDAPI_PRICING_PRICE_PRECISION: '{"BTCCZK":0}',
    };
    const { markets, server, pricing } = load({ env });
    assert.deepEqual(
      [markets.quotes, markets.symbols],
      [
        ['EUR', 'USD'],
        ['BTCEUR', 'ETHUSD'],
      ],
    );
    assert.deepEqual(server.trustedProxies, ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(pricing.converted.get(CZK), { via: 'USD', marginPercent: '1.25' });
    assert.deepEqual([...pricing.pricePrecision], [['BTCCZK', 0]]);
    assert.equal(load({ env: { MDAPI_MARKETS_SYMBOLS: 'all' } }).markets.symbols, 'all');
    assert.deepEqual(load({ env: { MDAPI_SERVER_TRUSTED_PROXIES: '' } }).server.trustedProxies, []);
  });

  it('reads sources by id alone or with their addresses, from the environment as JSON too', () => {
    const own = { rest: 'https://api.kraken.com', ws: 'wss://ws.kraken.com/v2' };
    const near = { id: 'near', kind: 'kraken', urls: { rest: 'http://127.0.0.1:1/', ws: 'ws://127.0.0.1:1/v2' } };
    const expected = [
      { id: 'kraken', kind: 'kraken', urls: own, isPaused: false, assets: new Map() },
      { ...near, urls: { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1/v2' }, isPaused: false, assets: new Map() },
    ];
    assert.deepEqual(load({ env: { MDAPI_SOURCES: JSON.stringify(['kraken', near]) } }).sources, expected);
    assert.deepEqual(fromYaml(`sources: [kraken, ${JSON.stringify(near)}]`).sources, expected);
    assert.deepEqual(load({ env: { MDAPI_SOURCES: 'kraken' } }).sources, expected.slice(0, 1));
    const { pricing } = fromYaml('pricing: { source: median, sources: { BTCEUR: [kraken] } }');
    assert.deepEqual([pricing.source, [...pricing.sources]], ['median', [['BTCEUR', ['kraken']]]]);
  });

  it('reads how many markets a session of a source takes, which has no meaning for an engine', () => {
    const [source] = fromYaml('sources: [{ id: coinbase, streamsPerSession: 24 }]').sources;
    assert.equal(source?.streamsPerSession, 24);
    assert.throws(() => fromYaml('sources: [{ id: push, streamsPerSession: 24 }]'), /streamsPerSession has no meaning/);
    assert.throws(() => fromYaml('sources: [{ id: coinbase, streamsPerSession: 0 }]'), /from 1 to 10000/);
  });

  it('reads which assets of a source are left out, and which have another name', () => {
    const [source] = fromYaml('sources: [{ id: bitvavo, not: [AAA, LUNC], assets: { LUNA: LUNC } }]').sources;
    const expected = [
      ['AAA', undefined],
      ['LUNC', undefined],
      ['LUNA', 'LUNC'],
    ];
    assert.deepEqual([...source!.assets], expected);
  });

  it('takes relative paths in the file from the file, data in the environment from there too, and options from where they are typed', () => {
    const yaml = 'store: sqlite:data/a.sqlite\nserver: { tls: { certFile: c.pem, keyFile: /abs/k.pem } }';
    const files = { '/etc/mdapi/main.yaml': yaml };
    const configuration = load({ files, configPath: '/etc/mdapi/main.yaml' });
    assert.equal(configuration.store.url, 'sqlite:/etc/mdapi/data/a.sqlite');
    assert.deepEqual(configuration.server.tls, { certFile: '/etc/mdapi/c.pem', keyFile: '/abs/k.pem' });
    const env = { MDAPI_STORE: 'sqlite:b.sqlite' };
    assert.equal(load({ files, env, configPath: '/etc/mdapi/main.yaml' }).store.url, 'sqlite:/etc/mdapi/b.sqlite');
    const flags = [{ flag: '--store', key: 'store', value: 'sqlite:c.sqlite' }];
    assert.equal(load({ files, flags, configPath: '/etc/mdapi/main.yaml' }).store.url, 'sqlite:/srv/c.sqlite');
  });

  it('keeps data in one folder, whoever names it, and certificates beside the file', () => {
    const yaml = `dataDir: data
store: postgres://mdapi@db.example.com/mdapi
history: { url: postgres://mdapi@db.example.com/mdapi }
server: { tls: { certFile: c.pem, keyFile: k.pem } }`;
    const files = { '/etc/mdapi/mdapi.yaml': yaml };
    const journalOf = (configuration: Configuration) => {
      const location = configuration.history?.location;
      return location?.kind === 'postgres' ? location.journalPath : assert.fail('no record');
    };
    const asWritten = load({ files, configPath: '/etc/mdapi/mdapi.yaml' });
    assert.equal(journalOf(asWritten), '/etc/mdapi/data/history');
    assert.equal(asWritten.server.tls?.certFile, '/etc/mdapi/c.pem');
    const env = { MDAPI_DATA_DIR: '/var/lib/mdapi', MDAPI_STORE: 'sqlite:./mdapi.sqlite' };
    const packaged = load({ files, env, configPath: '/etc/mdapi/mdapi.yaml' });
    assert.equal(packaged.store.url, 'sqlite:/var/lib/mdapi/mdapi.sqlite');
    assert.equal(journalOf(packaged), '/var/lib/mdapi/history');
    const nowhere = load({ env: { MDAPI_DATA_DIR: 'd', MDAPI_STORE: 'sqlite:./mdapi.sqlite' } });
    assert.equal(nowhere.store.url, 'sqlite:/srv/d/mdapi.sqlite');
  });

  it('reads the file that MDAPI_CONFIG names where no option does', () => {
    const files = { '/etc/mdapi/mdapi.yaml': 'server: { port: 1 }', '/srv/other.yaml': 'server: { port: 2 }' };
    const env = { MDAPI_CONFIG: '/etc/mdapi/mdapi.yaml' };
    assert.equal(load({ files, env }).server.port, 1);
    assert.equal(load({ files, env, configPath: 'other.yaml' }).server.port, 2);
  });

  it('takes a file in which sections are empty or everything is a comment', () => {
    assert.equal(fromYaml('# nothing\n').server.port, 8080);
    assert.equal(fromYaml('server:\n  # port: 1\nlogs:\n').server.port, 8080);
  });

  it('replaces a map as a whole, so that no conversion at all can be configured', () => {
    assert.equal(fromYaml('pricing: { converted: {} }').pricing.converted.size, 0);
  });

  it('takes the design’s own example', () => {
    const configuration = fromYaml(`
server:   { host: 127.0.0.1, port: 8080, baseUrl: "https://api.example.com/", errorsUrl: "https://api.example.com/errors", trustedProxies: [10.0.0.0/8] }
admin:    { host: 127.0.0.1, port: 9090 }
store:    sqlite:./mdapi.sqlite
markets:  { quotes: [EUR], symbols: all, delistAfter: 24h }
sources:  [kraken]
pricing:  { feePercent: "0.5", converted: { CZK: { via: EUR, marginPercent: "1" } }, pricePrecision: { BTCCZK: 0 } }
rates:    { source: cnb, url: "https://api.cnb.cz/cnbapi/exrates/daily?lang=EN", refresh: 5m, validFor: 96h }
limits:   { key: 60, address: 30, failedAuthentication: 10 }
`);
    assert.equal(configuration.server.baseUrl, 'https://api.example.com');
    assert.equal(configuration.pricing.pricePrecision.get(symbol('BTCCZK')), 0);
  });

  it('names a variable for every field mechanically, each only once', () => {
    const byKey = new Map(fields.map(({ key, variable }) => [key, variable]));
    assert.equal(byKey.get('server.baseUrl'), 'MDAPI_SERVER_BASE_URL');
    assert.equal(byKey.get('pricing.feePercent'), 'MDAPI_PRICING_FEE_PERCENT');
    assert.equal(byKey.get('limits.failedAuthentication'), 'MDAPI_LIMITS_FAILED_AUTHENTICATION');
    const variables = new Set(byKey.values());
    assert.equal(variables.size, fields.length);
    for (const variable of variables)
      assert.ok(!variables.has(`${variable}_FILE`), `${variable}_FILE means two things`);
  });
});

describe('rate sources', () => {
  it('know the address of a bank by themselves, and take another', () => {
    const ecb = fromYaml('rates: { source: ecb }').rates;
    assert.ok(ecb.source === 'ecb' && ecb.url.startsWith('https://www.ecb.europa.eu/'));
    const cnb = fromYaml('rates: { url: "http://127.0.0.1:1/x" }').rates;
    assert.ok(cnb.source === 'cnb' && cnb.url === 'http://127.0.0.1:1/x');
  });

  it('carry exactly what each of them needs', () => {
    const json = fromYaml('rates: { source: json, url: "https://r.example/x", pointer: /a/b }').rates;
    const times = { refreshMs: 300_000, validForMs: 345_600_000 };
    assert.deepEqual(json, { source: 'json', url: 'https://r.example/x', pointer: '/a/b', ...times });
    assert.deepEqual(fromYaml('rates: { source: exchange, market: EURCZK }').rates, {
      source: 'exchange',
      market: 'EURCZK',
      ...times,
    });
  });

  it('are compared with what is configured: a bank by its name, a document, a market, or nothing', () => {
    const compare = (written: string) => fromYaml(`rates: { compare: ${written} }`).rates.compare;
    const ecb = { source: 'ecb', url: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml' };
    assert.deepEqual(compare('ecb'), ecb);
    assert.deepEqual(compare('{ source: ecb }'), ecb);
    assert.deepEqual(compare('{ source: ecb, url: "http://127.0.0.1:1/x" }'), { ...ecb, url: 'http://127.0.0.1:1/x' });
    assert.deepEqual(compare('{ source: exchange, market: EURCZK }'), { source: 'exchange', market: 'EURCZK' });
    const json = { source: 'json', url: 'https://r.example/x', pointer: '/a' };
    assert.deepEqual(compare(JSON.stringify(json)), json);
    assert.equal(compare('off'), 'off');
    assert.equal(load({ env: { MDAPI_RATES_COMPARE: 'off' } }).rates.compare, 'off');
    assert.deepEqual(load({ env: { MDAPI_RATES_COMPARE: JSON.stringify(json) } }).rates.compare, json);
  });
});

describe('public addresses', () => {
  it('follow from the listener when they are not configured', () => {
    const { server } = load({});
    assert.deepEqual(publicUrls(server, 41234), {
      baseUrl: 'http://127.0.0.1:41234',
      errorsUrl: 'http://127.0.0.1:41234/errors',
    });
    assert.equal(publicUrls({ ...server, host: '::1' }, 1).baseUrl, 'http://[::1]:1');
    assert.equal(publicUrls({ ...server, host: '0.0.0.0' }, 1).baseUrl, 'http://127.0.0.1:1');
    assert.equal(publicUrls({ ...server, tls: { certFile: 'c', keyFile: 'k' } }, 1).baseUrl, 'https://127.0.0.1:1');
  });

  it('are the configured ones otherwise, the error pages under the base', () => {
    const { server } = fromYaml('server: { baseUrl: "https://api.example.com/" }');
    assert.deepEqual(publicUrls(server, 1), {
      baseUrl: 'https://api.example.com',
      errorsUrl: 'https://api.example.com/errors',
    });
  });
});
