import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type ClientAddresses, joinedHeader } from '../access/client-address.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { Problem } from './problems.ts';

/** The parts of a request that are checked. */
interface CheckedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'localAddress' | 'remoteAddress'>;
}

/** The hosts that requests may be for. */
type OwnHosts = Pick<Configuration['admin'], 'host' | 'hosts'>;

/**
 * Refuses a request for another host. A web page can point a name of its own at this listener (DNS rebinding) and so be
 * of the same origin; only the name in the Host header gives that away. Throws `HOST_NOT_ALLOWED`.
 */
export function assertOwnHost({ headers, socket }: CheckedRequest, own: OwnHosts): void {
  const name = hostNameOf(headers.host);
  if (name === undefined) throw hostNotAllowed();
  if (isOwn(name, own)) return;
  // An address cannot be rebound. Node writes an IPv4 address that arrived on an IPv6 socket as one of IPv6.
  if (name === socket.localAddress?.replace(/^::ffff:/, '')) return;
  throw hostNotAllowed();
}

function isOwn(name: string, { host, hosts }: OwnHosts): boolean {
  if (name === 'localhost' || name === '::1') return true;
  if (isIP(name) === 4 && name.startsWith('127.')) return true;
  // A listener on every interface is configured for each address of the machine.
  if ((host === '0.0.0.0' || host === '::') && isIP(name) !== 0) return true;
  return [host, ...hosts].some((allowed) => allowed.toLowerCase() === name);
}

/** The host of a `Host` header in lower case, without port and brackets; `undefined` when it is not a valid host. */
function hostNameOf(header: string | undefined): string | undefined {
  const url = header === undefined || /[\s/@?#\\]/.test(header) ? null : URL.parse(`http://${header}`);
  if (url === null || url.hostname === '') return undefined;
  return url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/**
 * The origin that pages of this listener have in the browser that sent a request; `undefined` without a valid host. It
 * is `https` where a trusted proxy says so: the listener itself speaks plain HTTP.
 */
export function ownOriginOf(
  { headers, socket }: CheckedRequest,
  addresses: Pick<ClientAddresses, 'isTrusted'>,
): string | undefined {
  const [proto] = (joinedHeader(headers['x-forwarded-proto']) ?? '').split(',');
  const isHttps = proto?.trim() === 'https' && addresses.isTrusted(socket.remoteAddress);
  return hostNameOf(headers.host) && URL.parse(`${isHttps ? 'https' : 'http'}://${headers.host}`)?.origin;
}

/**
 * Refuses what a browser sends on behalf of another site's page. Scheme and port count too: pages on other ports of the
 * same machine get its cookies sent along. Programs send neither header. Throws `CSRF`.
 * @param own see {@link ownOriginOf}
 * @param isFromBrowser the request has a session, and every browser names the origin of a change
 */
export function assertSameOrigin(headers: IncomingHttpHeaders, own: string | undefined, isFromBrowser: boolean): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw fromAnotherSite();
  if (origin === undefined ? !isFromBrowser : origin === own) return;
  throw originMissing(String(own));
}

function hostNotAllowed(): Problem {
  return new Problem(
    'HOST_NOT_ALLOWED',
    'The Host header names none of this listener’s hosts: loopback, the address you connect to, admin.host and admin.hosts of the configuration. Add the name to admin.hosts if it is yours.',
  );
}

function fromAnotherSite(): Problem {
  return new Problem('CSRF', 'The request comes from a page of another site. Use the console of this server.', {
    said: { code: 'other_site', values: {} },
  });
}

function originMissing(own: string): Problem {
  return new Problem(
    'CSRF',
    `A change by a session needs the header Origin: ${own}. Where the console is behind a proxy that does TLS, the proxy must send X-Forwarded-Proto and be in server.trustedProxies.`,
  );
}
