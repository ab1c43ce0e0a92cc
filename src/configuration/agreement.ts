import { parseDuration } from './duration.ts';
import type { Settings } from './schema.ts';

/** What has to hold between values that are each allowed by themselves. */
export interface Rule {
  /** Every field the rule looks at; the first is where a message points unless `broken` says otherwise. */
  readonly keys: readonly string[];
  /** What is wrong, one entry a fault; empty when the values agree. `given` tells whether a field was set at all. */
  readonly broken: (settings: Settings, given: (key: string) => boolean) => readonly Fault[];
}

export interface Fault {
  readonly key: string;
  readonly what: string;
}

const ms = (text: string) => parseDuration(text) ?? Number.NaN;

function atMost(lesser: string, greater: string, values: (settings: Settings) => readonly [string, string]): Rule {
  return {
    keys: [lesser, greater],
    broken: (settings) => {
      const [low, high] = values(settings);
      return ms(low) <= ms(high) ? [] : [{ key: lesser, what: `${low} is longer than ${greater}, which is ${high}` }];
    },
  };
}

const order: readonly Rule[] = [
  atMost('server.headersTimeout', 'server.requestTimeout', ({ server }) => [
    server.headersTimeout,
    server.requestTimeout,
  ]),
  atMost('rates.refresh', 'rates.validFor', ({ rates }) => [rates.refresh, rates.validFor]),
  atMost('feed.reconnectMin', 'feed.reconnectMax', ({ feed }) => [feed.reconnectMin, feed.reconnectMax]),
  atMost('feed.pingEvery', 'feed.transportPatience', ({ feed }) => [feed.pingEvery, feed.transportPatience]),
];

const listeners: Rule = {
  keys: ['admin.port', 'server.port', 'admin.host', 'server.host'],
  broken: ({ server, admin }) => {
    const same = server.port === admin.port && server.port !== 0 && server.host === admin.host;
    return same ? [{ key: 'admin.port', what: `${admin.port} is the port of the public listener too` }] : [];
  },
};

const sharedPort: Rule = {
  keys: ['server.reusePort', 'redis'],
  broken: ({ server, redis }) => {
    if (!server.reusePort || redis !== undefined) return [];
    return [{ key: 'server.reusePort', what: 'needs redis as well, where the processes count their limits together' }];
  },
};

const tls: Rule = {
  keys: ['server.tls.certFile', 'server.tls.keyFile'],
  broken: ({ server: { tls } }) => {
    if ((tls.certFile === undefined) === (tls.keyFile === undefined)) return [];
    const [there, missing] = tls.certFile === undefined ? ['keyFile', 'certFile'] : ['certFile', 'keyFile'];
    return [{ key: `server.tls.${there}`, what: `needs server.tls.${missing} as well` }];
  },
};

const mail: Rule = {
  keys: ['mail.smtp', 'mail.from'],
  broken: ({ mail: { smtp, from } }) => {
    if ((smtp === undefined) === (from === undefined)) return [];
    const [there, missing] = smtp === undefined ? ['from', 'smtp'] : ['smtp', 'from'];
    return [{ key: `mail.${there}`, what: `needs mail.${missing} as well` }];
  },
};

const noticeSpan: Rule = {
  keys: ['notices.breachedMinutes', 'notices.within'],
  broken: ({ notices: { breachedMinutes, within } }) => {
    if (breachedMinutes * 60_000 <= ms(within)) return [];
    return [
      {
        key: 'notices.breachedMinutes',
        what: `${breachedMinutes} minutes are longer than notices.within, which is ${within}`,
      },
    ];
  },
};

const convertedQuotes: Rule = {
  keys: ['pricing.converted', 'exchange.quotes'],
  broken: ({ pricing, exchange }) =>
    Object.entries(pricing.converted).flatMap(([currency, { via }]) => {
      const key = `pricing.converted.${currency}`;
      const quotes = exchange.quotes.join(', ');
      const faults: Fault[] = [];
      if (!exchange.quotes.includes(via)) {
        faults.push({
          key: `${key}.via`,
          what: `"${via}" is not among exchange.quotes (${quotes}), so there is nothing to convert`,
        });
      }
      if (exchange.quotes.includes(currency)) {
        faults.push({ key, what: `"${currency}" is taken from the exchange already (exchange.quotes: ${quotes})` });
      }
      return faults;
    }),
};

const precisions: Rule = {
  keys: ['pricing.pricePrecision', 'pricing.converted'],
  broken: ({ pricing }) => {
    const converted = Object.keys(pricing.converted);
    return Object.keys(pricing.pricePrecision)
      .filter((symbol) => !converted.some((currency) => symbol.endsWith(currency)))
      .map((symbol) => ({
        key: `pricing.pricePrecision.${symbol}`,
        what: `${symbol} is not quoted in any of pricing.converted (${converted.join(', ')}); other markets have the exchange's precision`,
      }));
  },
};

const symbolsHaveQuote: Rule = {
  keys: ['exchange.symbols', 'exchange.quotes'],
  broken: ({ exchange: { symbols, quotes } }) => {
    const foreign =
      symbols === 'all' ? [] : symbols.filter((symbol) => !quotes.some((quote) => symbol.endsWith(quote)));
    const what = `${foreign.join(', ')}: not quoted in any of exchange.quotes (${quotes.join(', ')})`;
    return foreign.length > 0 ? [{ key: 'exchange.symbols', what }] : [];
  },
};

const needs = { cnb: [], ecb: [], json: ['url', 'pointer'], exchange: ['market'] } as const;
const mayHave = { cnb: ['url'], ecb: ['url'], json: ['url', 'pointer'], exchange: ['market'] } as const;

const rateSource: Rule = {
  keys: ['rates.source', 'rates.url', 'rates.pointer', 'rates.market'],
  broken: ({ rates }, given) => {
    const needed: readonly string[] = needs[rates.source];
    const taken: readonly string[] = mayHave[rates.source];
    return ['url', 'pointer', 'market'].flatMap((name) => {
      const there = given(`rates.${name}`);
      if (!there && needed.includes(name))
        return [{ key: 'rates.source', what: `"${rates.source}" needs rates.${name}` }];
      if (!there || taken.includes(name)) return [];
      return [{ key: `rates.${name}`, what: `has no meaning with rates.source "${rates.source}"` }];
    });
  },
};

const rateCurrencies: Rule = {
  keys: ['rates.source', 'pricing.converted'],
  broken: ({ rates, pricing }) => {
    const pairs = Object.entries(pricing.converted);
    const fault = (what: string) => [{ key: 'rates.source', what: `"${rates.source}" ${what}` }];
    if (rates.source === 'cnb' && pairs.some(([currency]) => currency !== 'CZK')) return fault('has rates to CZK only');
    if (rates.source === 'ecb' && pairs.some(([, { via }]) => via !== 'EUR')) return fault('has rates from EUR only');
    const one = rates.source === 'json' || rates.source === 'exchange';
    return one && pairs.length > 1 ? fault('gives one rate, but pricing.converted has several currencies') : [];
  },
};

export const rules: readonly Rule[] = [
  ...order,
  listeners,
  sharedPort,
  tls,
  mail,
  noticeSpan,
  convertedQuotes,
  precisions,
  symbolsHaveQuote,
  rateSource,
  rateCurrencies,
];
