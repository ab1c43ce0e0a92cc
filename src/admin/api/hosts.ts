import { isIP } from 'node:net';
import { Problem } from './problems.ts';

/** The hosts that requests may be for. */
interface OwnHosts {
  /** The address the listener binds. */
  readonly host: string;
  readonly hosts: readonly string[];
}

/**
 * Refuses a request for another host. A web page can point a name of its own at this listener (DNS rebinding) and so be of
 * the same origin; only the name in the Host header gives that away. Throws `HOST_NOT_ALLOWED`.
 */
export function assertOwnHost(hostHeader: string | undefined, own: OwnHosts): void {
  const name = hostNameOf(hostHeader);
  if (name !== undefined && isOwn(name, own)) return;
  throw new Problem(
    'HOST_NOT_ALLOWED',
    'The Host header names none of this listener’s hosts: loopback, admin.host and admin.hosts of the configuration. Add the name to admin.hosts if it is yours.',
  );
}

function isOwn(name: string, { host, hosts }: OwnHosts): boolean {
  if (name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))) return true;
  // An address cannot be rebound. A listener on every interface is configured for each address of the machine.
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
 * Refuses what a browser sends on behalf of another site's page. Programs send neither header. Throws `CSRF`.
 */
export function assertSameOrigin(headers: {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}): void {
  const site = headers['sec-fetch-site'];
  const fromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  if (!fromElsewhere && (origin === undefined || isOriginOf(origin, host))) return;
  throw new Problem('CSRF', 'The request comes from a page of another site. Use the console of this server.');
}

/** The port counts too: pages on other ports of the same machine get its cookies sent along. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const url = URL.parse(origin);
  if (url === null || host === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}
