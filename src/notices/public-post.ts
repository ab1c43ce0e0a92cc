import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { BlockList, isIPv4, type LookupFunction } from 'node:net';
import type { Post } from './webhook.ts';

const urlLengthMax = 500;

/**
 * A URL that a stranger gave; `undefined` unless it is https on its own port, with a name of several parts, no user.
 */
export function strangersUrl(written: string): URL | undefined {
  const url = written.length > urlLengthMax ? null : URL.parse(written.replace(/#.*/, ''));
  const isAccepted = url?.protocol === 'https:' && url.host === url.hostname && url.username + url.password === '';
  // The last part of a name is no number, nor that of an address.
  return isAccepted && /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(url.hostname) ? url : undefined;
}

/**
 * Networks and the lengths of their prefixes that are not of the public Internet, or lead elsewhere (IANA's
 * registries).
 */
const reservedNetworks = {
  ipv4: {
    '0.0.0.0': 8,
    '10.0.0.0': 8,
    '100.64.0.0': 10,
    '127.0.0.0': 8,
    '169.254.0.0': 16,
    '172.16.0.0': 12,
    '192.0.0.0': 24,
    '192.0.2.0': 24,
    '192.31.196.0': 24,
    '192.52.193.0': 24,
    '192.88.99.0': 24,
    '192.168.0.0': 16,
    '192.175.48.0': 24,
    '198.18.0.0': 15,
    '198.51.100.0': 24,
    '203.0.113.0': 24,
    '224.0.0.0': 3,
  },
  ipv6: {
    '::': 3,
    '4000::': 2,
    '8000::': 1,
    '2001::': 23,
    '2001:db8::': 32,
    '2002::': 16,
    '3fff::': 20,
  },
} as const;

// Two, for a list checks an address of one family against the ranges of the other too.
const reserved = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const [network, prefix] of Object.entries(reservedNetworks[family])) {
    reserved[family].addSubnet(network, prefix, family);
  }
}

function isReserved({ address }: LookupAddress): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return reserved[family].check(address, family);
}

/**
 * Resolves a name, and fails unless all of its addresses are on the public Internet: none of this machine, of a network
 * of the operator, or that leads there. The connection goes to the addresses that were looked at.
 */
export function publicLookup(lookup = systemLookup as LookupFunction): LookupFunction {
  return (hostname, options, done) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      if (!(found as LookupAddress[]).some(isReserved)) return done(null, found);
      done(Object.assign(new Error('not a public address'), { code: 'ENOTPUBLIC' }), []);
    });
}

/**
 * Posts to a URL that a stranger gave: to public addresses alone, without redirects, cutting the answer after its head.
 */
export function postToPublic(over: RequestOptions = {}): Post {
  return (url, { headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const guards = { lookup: publicLookup(), autoSelectFamily: true, agent: false };
      const options = { ...guards, method: 'POST', headers, signal, ...over } as RequestOptions;
      const request = httpsRequest(url, options, ({ statusCode = 0, headers: { 'retry-after': wait } }) => {
        const status = statusCode >= 200 && statusCode < 600 ? statusCode : 500;
        resolve(new Response(null, { status, headers: wait === undefined ? {} : { 'retry-after': wait } }));
        request.destroy();
      });
      request.on('error', reject).end(body);
    });
}
