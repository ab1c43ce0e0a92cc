import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectorKinds } from '../feed/connectors.ts';
import { refusal, type World } from './configuration.testing.ts';

const kinds = Object.keys(connectorKinds).join(', ');

describe('what is refused', () => {
  const cases: readonly (readonly [what: string, yaml: string, ...lines: string[]])[] = [
    ['an unknown section', 'sever: {}', 'mdapi.yaml:1:1: sever: unknown key. Did you mean "server"?'],
    [
      'a currency in small letters',
      'pricing: { converted: { czk: { via: EUR, marginPercent: "1" } } }',
      'mdapi.yaml:1:25: pricing.converted.czk: "czk" is not a currency code such as EUR',
    ],
    [
      'a word where a word or a list is allowed',
      'markets: { symbols: some }',
      'mdapi.yaml:1:21: markets.symbols: "some" is not all or a list, each a market symbol such as BTCEUR',
    ],
    [
      'a second document (fault row 106)',
      'server: { port: 8080 }\n---\nserver: { port: 9000 }',
      'mdapi.yaml:2:1: a second document begins here (---); a configuration is one: write all in it',
    ],
    [
      'white space at the end of the store, which would be another file',
      'store: "sqlite:./mdapi.sqlite "',
      'mdapi.yaml:1:8: store: the value (not shown) is not sqlite:path or postgres://user@host[:port]/database; it has white space at its end',
    ],
    [
      'a number where a text is due',
      'alerts: { destinations: [{ name: ops, kind: telegram, secret: "123456:AAHd", chat: -1001234567890 }] }',
      'mdapi.yaml:1:84: alerts.destinations[0].chat: -1001234567890 is not 1 to 300 printable characters without spaces at the ends; put it in quotes',
    ],
    [
      'a word that YAML reads as a truth where a text is due',
      'portal: { name: true }',
      'mdapi.yaml:1:17: portal.name: true is not 1 to 40 printable characters; put it in quotes',
    ],
    ['an unknown key', 'server:\n  prot: 1', 'mdapi.yaml:2:3: server.prot: unknown key. Did you mean "port"?'],
    [
      'a key in snake case',
      'server: { base_url: x }',
      'mdapi.yaml:1:11: server.base_url: unknown key. Did you mean "baseUrl"?',
    ],
    ['a key outside its section', 'port: 1', 'mdapi.yaml:1:1: port: unknown key. Did you mean "server.port"?'],
    ['a key of a later version', 'shards: 3', 'mdapi.yaml:1:1: shards: unknown key. Known at the top: server,'],
    ['prototype names', 'server: { __proto__: 1 }', 'mdapi.yaml:1:11: server.__proto__: unknown key.'],
    [
      'an unquoted decimal',
      'pricing:\n  feePercent: 0.50',
      'mdapi.yaml:2:15: pricing.feePercent: 0.50 is not a decimal from 0 to under 100; put it in quotes, "0.50", so that no digit is lost',
    ],
    [
      'an unquoted margin',
      'pricing: { converted: { CZK: { via: EUR, marginPercent: 1 } } }',
      'mdapi.yaml:1:57: pricing.converted.CZK.marginPercent: 1 is not a decimal from 0 to under 100; put it in quotes, "1"',
    ],
    ['a negative fee', 'pricing: { feePercent: "-1" }', 'mdapi.yaml:1:24: pricing.feePercent: "-1" is not a decimal'],
    [
      'a fee of everything',
      'pricing: { feePercent: "100" }',
      'mdapi.yaml:1:24: pricing.feePercent: "100" is not a decimal from 0 to under 100',
    ],
    [
      'a decimal comma',
      'pricing: { feePercent: "0,5" }',
      'mdapi.yaml:1:24: pricing.feePercent: "0,5" is not a decimal from 0 to under 100; write it with a point, "0.5"',
    ],
    [
      'a fee with an exponent',
      'pricing: { feePercent: "1e1" }',
      'mdapi.yaml:1:24: pricing.feePercent: "1e1" is not a decimal',
    ],
    [
      'a quoted port',
      'server: { port: "80" }',
      'mdapi.yaml:1:17: server.port: "80" is not a whole number from 0 to 65535; write it without quotes: 80',
    ],
    [
      'a port that is none',
      'server: { port: 65536 }',
      'mdapi.yaml:1:17: server.port: 65536 is not a whole number from 0 to 65535',
    ],
    ['half a port', 'server: { port: 80.5 }', 'mdapi.yaml:1:17: server.port: 80.5 is not a whole number'],
    [
      'a value left out',
      'server: { port: }',
      'mdapi.yaml:1:17: server.port: an empty value is not a whole number from 0 to 65535',
    ],
    ['a section that is a value', 'server: 8080', 'mdapi.yaml:1:9: server: 8080 is not a map with the keys host,'],
    ['a file that is a list', '- a', 'mdapi.yaml:1:1: a list is not a map with the keys server,'],
    ['a list that is a value', 'markets: { quotes: EUR }', 'mdapi.yaml:1:20: markets.quotes: "EUR" is not a list'],
    [
      'an empty list where one is needed',
      'markets: { quotes: [] }',
      'mdapi.yaml:1:20: markets.quotes: an empty list is not a list, each a currency code such as EUR',
    ],
    [
      'a symbol in small letters',
      'markets: { symbols: [btceur] }',
      'mdapi.yaml:1:22: markets.symbols[0]: "btceur" is not a market symbol such as BTCEUR',
    ],
    [
      'a duration without unit',
      'rates: { refresh: 300 }',
      'mdapi.yaml:1:19: rates.refresh: 300 is not a duration from 1s to 24h; add a unit, as in 300s',
    ],
    [
      'a duration of a strange unit',
      'rates: { refresh: 5min }',
      'mdapi.yaml:1:19: rates.refresh: "5min" is not a duration from 1s to 24h; its units are ms, s, m, h and d',
    ],
    [
      'a duration out of range',
      'rates: { refresh: 2d }',
      'mdapi.yaml:1:19: rates.refresh: "2d" is not a duration from 1s to 24h',
    ],
    [
      'a misspelt word',
      'rates: { source: cbn }',
      'mdapi.yaml:1:18: rates.source: "cbn" is not one of cnb, ecb, json, exchange; did you mean "cnb"?',
    ],
    [
      'an unknown kind of source',
      'sources: [{ id: mine, kind: krakn }]',
      `mdapi.yaml:1:29: sources[0].kind: "krakn" is not one of ${kinds}; did you mean "kraken"?`,
    ],
    ['a source without an id', 'sources: [{ kind: kraken }]', 'mdapi.yaml:1:11: sources[0].id: is missing'],
    [
      'a source that is a number',
      'sources: [5]',
      'mdapi.yaml:1:11: sources[0].id: 5 is not the id of a source: up to 32 lower-case letters, digits and hyphens',
    ],
    [
      'an asset of a source that is no currency code',
      'sources: [{ id: bitvavo, not: [luna] }]',
      'mdapi.yaml:1:32: sources[0].not[0]: "luna" is not a currency code such as EUR',
    ],
    [
      'a form of assets that is unknown',
      'sources: [{ id: bitvavo, assets: [LUNA] }]',
      'mdapi.yaml:1:34: sources[0].assets: a list is not a map from a currency code such as EUR to a currency code such as EUR',
    ],
    [
      'a new name of an asset that is none',
      'sources: [{ id: bitvavo, assets: { LUNA: luna-classic } }]',
      'mdapi.yaml:1:42: sources[0].assets.LUNA: "luna-classic" is not a currency code such as EUR',
    ],
    ['no source at all', 'sources: []', 'mdapi.yaml:1:10: sources: an empty list is not a list'],
    [
      'sources that are all paused',
      'sources: [{ id: kraken, paused: true }, { id: bitvavo, paused: true }]',
      'mdapi.yaml:1:10: sources: every one is paused',
    ],
    [
      'a pause in other words',
      'sources: [{ id: kraken, paused: soon }, bitvavo]',
      'mdapi.yaml:1:33: sources[0].paused: "soon" is not true or false',
    ],
    [
      'a relative address',
      'server: { baseUrl: /api }',
      'mdapi.yaml:1:20: server.baseUrl: "/api" is not an http:// or https:// URL',
    ],
    [
      'an address of another kind',
      'server: { baseUrl: "ftp://h" }',
      'mdapi.yaml:1:20: server.baseUrl: "ftp://h" is not an http:// or https:// URL',
    ],
    [
      'a WebSocket address with http',
      'sources: [{ id: kraken, urls: { ws: "https://h" } }]',
      'mdapi.yaml:1:37: sources[0].urls.ws: "https://h" is not a ws:// or wss:// URL',
    ],
    [
      'every address as a proxy',
      'server: { trustedProxies: [0.0.0.0/0] }',
      'mdapi.yaml:1:28: server.trustedProxies[0]: "0.0.0.0/0" is not an IP address or a range',
    ],
    [
      'a range too narrow to be one',
      'server: { trustedProxies: [10.0.0.0/33] }',
      'mdapi.yaml:1:28: server.trustedProxies[0]: "10.0.0.0/33" is not an IP address or a range',
    ],
    [
      'a proxy by name',
      'server: { trustedProxies: [proxy] }',
      'mdapi.yaml:1:28: server.trustedProxies[0]: "proxy" is not an IP address or a range',
    ],
    ['a shared port without Redis', 'server: { reusePort: true }', 'mdapi.yaml:1:22: server.reusePort: needs redis'],
    ['yes for true', 'server: { reusePort: yes }', 'mdapi.yaml:1:22: server.reusePort: "yes" is not true or false'],
    [
      'half a pair of TLS files',
      'server: { tls: { certFile: c } }',
      'mdapi.yaml:1:28: server.tls.certFile: needs server.tls.keyFile as well',
    ],
    [
      'a conversion over a quote that is not offered',
      'markets: { quotes: [USD] }',
      'default: pricing.converted.CZK.via: "EUR" is not among markets.quotes (USD)',
    ],
    [
      'decimal places for a market that is not converted',
      'pricing: { pricePrecision: { BTCCZK: 0, BTCEUR: 1 } }',
      'mdapi.yaml:1:49: pricing.pricePrecision.BTCEUR: BTCEUR is not quoted in any of pricing.converted (CZK)',
    ],
    [
      'a source of no known kind',
      'sources: [kraken, engine]',
      'mdapi.yaml:1:19: sources[1]: "engine" is no kind of source, one of ',
    ],
    [
      'a misspelt source',
      'sources: [krakn]',
      `mdapi.yaml:1:11: sources[0]: "krakn" is no kind of source, one of ${kinds}; did you mean "kraken"?`,
    ],
    [
      'a stream without the server that has it',
      'sources: [kraken, { id: engine, kind: redis-stream }]',
      'mdapi.yaml:1:19: sources[1]: "redis-stream" needs redis, where the stream is',
    ],
    [
      'a source that is there twice',
      'sources: [kraken, { id: kraken }]',
      'mdapi.yaml:1:19: sources[1]: there is another source "kraken"',
    ],
    [
      'an asset that gets the name that it has',
      'sources: [{ id: bitvavo, assets: { LUNA: LUNA } }]',
      'mdapi.yaml:1:42: sources[0].assets.LUNA: LUNA is its own name',
    ],
    [
      'two assets of a source that get one name',
      'sources: [{ id: bitvavo, assets: { LUNA: LUNC, LUNA2: LUNC } }]',
      'mdapi.yaml:1:55: sources[0].assets.LUNA2: LUNA is LUNC already',
    ],
    [
      'an asset of a source that is left out and gets a name',
      'sources: [{ id: bitvavo, not: [LUNA], assets: { LUNA: LUNC } }]',
      'mdapi.yaml:1:55: sources[0].assets.LUNA: LUNA is left out by not',
    ],
    [
      'other assets of an engine, which lists what it means itself',
      'sources: [{ id: engine, kind: push, not: [LUNA] }]',
      'mdapi.yaml:1:11: sources[0]: not and assets have no meaning with kind "push": the engine names its own assets',
    ],
    [
      'a market from a source that is not configured',
      'pricing: { sources: { BTCEUR: [kraken, bitvavo] } }',
      'mdapi.yaml:1:31: pricing.sources.BTCEUR: bitvavo: not among sources (kraken)',
    ],
    [
      'a market that names a source twice',
      'pricing: { sources: { BTCEUR: [kraken, kraken] } }',
      'mdapi.yaml:1:31: pricing.sources.BTCEUR: names a source twice',
    ],
    [
      'a symbol in no offered quote',
      'markets: { symbols: [BTCUSD] }',
      'mdapi.yaml:1:21: markets.symbols: BTCUSD: not quoted in any of markets.quotes (EUR)',
    ],
    [
      'a rate pointer with a bank',
      'rates: { pointer: /a }',
      'mdapi.yaml:1:19: rates.pointer: has no meaning with rates.source "cnb"',
    ],
    ...['a', 'a/b', '/~2', '/a~'].map((pointer): [string, string, string] => [
      `the rate pointer ${pointer}`,
      `rates: { source: json, url: "https://r.example/x", pointer: "${pointer}" }`,
      `mdapi.yaml:1:61: rates.pointer: "${pointer}" is not a JSON pointer such as /rates/CZK`,
    ]),
    [
      'json without address and pointer',
      'rates: { source: json }',
      'mdapi.yaml:1:18: rates.source: "json" needs rates.url',
      'mdapi.yaml:1:18: rates.source: "json" needs rates.pointer',
    ],
    [
      'the CNB for another currency',
      'pricing: { converted: { PLN: { via: EUR, marginPercent: "1" } } }',
      'default: rates.source: "cnb" has rates to CZK only',
    ],
    [
      'two listeners on one port',
      'admin: { port: 8080 }',
      'mdapi.yaml:1:16: admin.port: 8080 is also the port of the public listener',
    ],
    [
      'timeouts in the wrong order',
      'server: { headersTimeout: 20s }',
      'mdapi.yaml:1:27: server.headersTimeout: 20s is longer than server.requestTimeout, which is 15s',
    ],
    ['a key given twice', 'logs: {}\nlogs: {}', 'mdapi.yaml:2:1: not valid YAML: duplicate key'],
    ['broken YAML', 'server: {', 'mdapi.yaml:1:10: not valid YAML: '],
    ['an alias', 'server: &s { port: 1 }\nadmin: *s', 'mdapi.yaml:2:8: aliases (*name) are not supported'],
    [
      'an unknown key in a map',
      'pricing: { converted: { CZK: { via: EUR, margin: "1" } } }',
      'mdapi.yaml:1:30: pricing.converted.CZK.marginPercent: is missing',
      'mdapi.yaml:1:42: pricing.converted.CZK.margin: unknown key. Known under pricing.converted.CZK: via, marginPercent',
    ],
  ];
  for (const [what, yaml, ...lines] of cases) {
    it(`${what} is refused at its place`, () => {
      const refused = refusal({ files: { '/srv/mdapi.yaml': yaml } });
      assert.equal(refused.length, lines.length, refused.join('\n'));
      for (const [index, line] of lines.entries()) assert.ok(refused[index]?.startsWith(line), refused.join('\n'));
    });
  }

  const environmentCases: readonly (readonly [what: string, env: Record<string, string>, line: string])[] = [
    [
      'an unknown variable',
      { MDAPI_SERVER_PROT: '1' },
      'environment variable MDAPI_SERVER_PROT: no such setting. Did you mean "MDAPI_SERVER_PORT"?',
    ],
    ['a variable for a section', { MDAPI_SERVER: '{}' }, 'environment variable MDAPI_SERVER: no such setting.'],
    [
      'a port that is no number',
      { MDAPI_SERVER_PORT: 'x' },
      'environment variable MDAPI_SERVER_PORT: server.port: "x" is not a whole number',
    ],
    [
      'a map that is not JSON',
      { MDAPI_PRICING_CONVERTED: 'CZK' },
      'environment variable MDAPI_PRICING_CONVERTED: pricing.converted: "CZK" is not a map',
    ],
    [
      'an unquoted decimal in JSON',
      { MDAPI_PRICING_CONVERTED: '{"CZK":{"via":"EUR","marginPercent":1}}' },
      'environment variable MDAPI_PRICING_CONVERTED: pricing.converted.CZK.marginPercent: 1 is not a decimal from 0 to under 100; put it in quotes',
    ],
    [
      'a _FILE that is not there',
      { MDAPI_STORE_FILE: '/gone' },
      'environment variable MDAPI_STORE_FILE: store: the file "/gone" cannot be read: it does not exist',
    ],
    [
      'a variable and its _FILE',
      { MDAPI_LIMITS_KEY: '1', MDAPI_LIMITS_KEY_FILE: '/k' },
      'environment variable MDAPI_LIMITS_KEY_FILE: limits.key: given twice',
    ],
    ['an unknown _FILE', { MDAPI_NOPE_FILE: '/k' }, 'environment variable MDAPI_NOPE_FILE: no such setting.'],
  ];
  for (const [what, env, line] of environmentCases) {
    it(`${what} in the environment is refused by its name`, () => {
      const refused = refusal({ env });
      assert.equal(refused.length, 1, refused.join('\n'));
      assert.ok(refused[0]?.startsWith(line), refused.join('\n'));
    });
  }

  it('a wrong flag is refused by the name the user typed', () => {
    const flags = [{ flag: '--port', key: 'server.port', value: '99999' }];
    assert.match(refusal({ flags })[0] ?? '', /^--port: server\.port: 99999 is not a whole number from 0 to 65535$/);
  });

  it('a file named on the command line has to exist', () => {
    assert.deepEqual(refusal({ configPath: 'gone.yaml' }), ['gone.yaml: the file cannot be read: it does not exist']);
  });

  it('every invalid value of every source is reported at once', () => {
    const files = { '/srv/mdapi.yaml': 'server: { port: x, nope: 1 }\nadmin: { port: -1 }' };
    assert.equal(refusal({ files, env: { MDAPI_LIMITS_KEY: '0', MDAPI_X: '' } }).length, 5);
    const ranges = Array.from({ length: 20 }, (_, index) => `10.0.0.${300 + index}`);
    assert.equal(refusal({ env: { MDAPI_SERVER_TRUSTED_PROXIES: ranges.join() } }).length, 20);
  });

  it('a conflict that comes from an invalid value is not reported', () => {
    const files = { '/srv/mdapi.yaml': 'markets: { quotes: [usd], symbols: [BTCUSD] }' };
    const refused = refusal({ files });
    assert.equal(refused.length, 1, refused.join('\n'));
    assert.match(refused[0] ?? '', /markets\.quotes\[0\]: "usd" is not a currency code/);
  });

  it('a wrong value in the file is refused even where the environment overrides it', () => {
    const files = { '/srv/mdapi.yaml': 'server: { port: x }' };
    assert.equal(refusal({ files, env: { MDAPI_SERVER_PORT: '1' } }).length, 1);
  });

  it('a secret is in no message, wherever it was written and whatever is wrong with it', () => {
    const secret = 'hunter2';
    const url = `postgres://user:${secret}@db`;
    const worlds: readonly World[] = [
      { files: { '/srv/mdapi.yaml': `store: ${url}` } },
      { files: { '/srv/mdapi.yaml': `store: [${url}]` } },
      { files: { '/srv/mdapi.yaml': `store: { ${secret}: 1 }` } },
      { files: { '/srv/mdapi.yaml': `store: "${url}` } },
      { files: { '/srv/mdapi.yaml': `store: ${url}\nstore: ${url}` } },
      { files: { '/srv/mdapi.yaml': `store: ${url}\n ${secret}` } },
      { env: { MDAPI_STORE: url } },
      { env: { MDAPI_STORE_FILE: '/s' }, files: { '/s': `${url}\n` } },
      { flags: [{ flag: '--store', key: 'store', value: url }] },
    ];
    for (const world of worlds) assert.ok(!refusal(world).join('\n').includes(secret), JSON.stringify(world));
  });
});
