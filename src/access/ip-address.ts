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

/**
 * Reads an address as sockets and proxies write it: IPv4 or IPv6, with or without a port (IPv6 then in brackets), with or
 * without a zone. `undefined` for anything else.
 */
export function parseIpAddress(written: string): IpAddress | undefined {
  const text = withPort.exec(written)?.[1] ?? bracketed.exec(written)?.[1] ?? written;
  if (isIPv4(text)) return { family: 'ipv4', text, limitBucket: text };
  return isIPv6(text) ? fromGroups(groupsOf(text)) : undefined;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function groupsOf(text: string): number[] {
  const [head = '', tail] = withoutZone(text).split('::');
  const first = groupsOfPart(head);
  if (tail === undefined) return first;
  const last = groupsOfPart(tail);
  return [...first, ...new Array<number>(groupCount - first.length - last.length).fill(0), ...last];
}

function withoutZone(text: string): string {
  const percent = text.indexOf('%');
  return percent < 0 ? text : text.slice(0, percent);
}

function groupsOfPart(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function fromGroups(groups: readonly number[]): IpAddress {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const text = groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
    return { family: 'ipv4', text, limitBucket: text };
  }
  const network = [...groups.slice(0, networkGroups), 0, 0, 0, 0];
  return { family: 'ipv6', text: compressed(groups), limitBucket: `${compressed(network)}/64` };
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function compressed(groups: readonly number[]): string {
  const { start, length } = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  return longest;
}
