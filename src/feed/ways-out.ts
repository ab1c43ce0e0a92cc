import http from 'node:http';
import https from 'node:https';
import { version } from '../ground/version.ts';

/** Sent with every request to an exchange or a rate source, so that its operator can tell who asks too often. */
export const userAgent = `market-data-api/${version}`;

/** The proxy that leads out, as it is configured, or as the environment of the process says. */
export interface WayOut {
  /** An `http://` URL, with credentials where the proxy wants them. `undefined`: the environment decides. */
  readonly proxy: string | undefined;
  /** Hosts that are reached without it, as `NO_PROXY` names them. `undefined`: the environment decides. */
  readonly noProxy: readonly string[] | undefined;
}

/** This machine is never asked for through a proxy. */
const ownHosts = ['localhost', '127.0.0.1', '[::1]', '::1'];

/**
 * Sends requests of this process over HTTP and HTTPS, and WebSockets, through a proxy: a request to an `https:` or
 * `wss:` URL in a tunnel (RFC 9110 §9.3.6). Without one, configured or in the environment (`HTTPS_PROXY`, `HTTP_PROXY`,
 * `NO_PROXY`, or in small letters), nothing changes.
 *
 * @returns `proxy` for the log, without credentials; `undefined` where there is none. `restore` undoes it.
 */
export function takeWayOut({ proxy, noProxy }: WayOut, environment: Readonly<Record<string, string | undefined>>) {
  const of = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const secure = proxy ?? of('HTTPS_PROXY');
  const plain = proxy ?? of('HTTP_PROXY');
  if (secure === undefined && plain === undefined) return { proxy: undefined, restore: () => {} };
  const direct = [...ownHosts, ...(noProxy ?? of('NO_PROXY')?.split(/[\s,]+/) ?? [])].filter((host) => host !== '');
  const restore = http.setGlobalProxyFromEnv({
    ...(secure === undefined ? {} : { https_proxy: secure }),
    ...(plain === undefined ? {} : { http_proxy: plain }),
    no_proxy: direct.join(','),
  });
  return { proxy: new URL((secure ?? plain)!).host, restore };
}

/**
 * The agent that a WebSocket needs to take the proxy, which its client does not by itself; `undefined` where there is
 * none.
 */
export function agentFor(url: string): http.Agent | undefined {
  const agent = url.startsWith('wss:') ? https.globalAgent : http.globalAgent;
  const { options } = agent as http.Agent & { readonly options: http.AgentOptions };
  return options.proxyEnv === undefined ? undefined : agent;
}

/** The address that an answer sends its client to, without query and credentials, which may be secrets. */
export function redirectOf(
  status: number,
  location: string | null | undefined,
  from: string | URL,
): string | undefined {
  if (status < 300 || status > 399 || status === 304) return undefined;
  const target = location ? URL.parse(location, from) : null;
  return target === null ? 'moved, without saying where' : `moved to ${target.origin}${target.pathname}`;
}
