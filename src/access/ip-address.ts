import { isIPv4, isIPv6 } from 'node:net';

/** An address in its one canonical spelling. */
export interface IpAddress {
  readonly family: 'ipv4' | 'ipv6';
  /** No port, no zone, no brackets; IPv6 as RFC 5952 writes it; an IPv4-mapped IPv6 address as IPv4. */
  readonly text: string;
  /** The part that limits count by: an IPv4 address itself, the /64 of an IPv6 address. */
  readonly limitBucket: string;
}

const groupCount = 8;
const networkGroups = 4;
const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/;
const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/;

/**
 * Reads IPv4 or IPv6, with or without port (IPv6 then in brackets) and zone, as sockets and proxies write it.
 * `undefined` for anything else.
 */
export function parseIpAddress(written: string): IpAddress | undefined {
  const text = withPort.exec(written)?.[1] ?? bracketed.exec(written)?.[1] ?? written;
  if (isIPv4(text)) return { family: 'ipv4', text, limitBucket: text };
  return isIPv6(text) ? ipv6Address(canonical(text.replace(/%.*$/s, ''))) : undefined;
}

/** Writes a valid IPv6 address as RFC 5952 does, as every URL has it, an IPv4-mapped one in hexadecimal too. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function ipv6Address(text: string): IpAddress {
  const [, high, low] = mapped.exec(text) ?? [];
  if (high !== undefined && low !== undefined) {
    const bytes = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
    return { family: 'ipv4', text: bytes.join('.'), limitBucket: bytes.join('.') };
  }
  const [first = [], last = []] = text.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...first, ...new Array<string>(groupCount - first.length - last.length).fill('0'), ...last];
  const network = canonical(`${groups.slice(0, networkGroups).join(':')}::`);
  return { family: 'ipv6', text, limitBucket: `${network}/64` };
}
