import { BlockList, isIP } from 'node:net';
import { type IpAddress, parseIpAddress } from './ip-address.ts';

/** Whether an address is one of the operator's own proxies. */
export type IsTrusted = (address: IpAddress) => boolean;

const cidr = /^([^/]+)(?:\/(\d{1,3}))?$/;
const bits = { ipv4: 32, ipv6: 128 } as const;

/**
 * Reads ranges such as `10.0.0.0/8` and `2001:db8::/32`, or single addresses. Throws `RangeError`, one sentence that
 * names the range at fault: it is no address, its prefix does not fit, or it is a /0 (every client could then choose
 * its own address). An IPv4-mapped range such as `::ffff:10.0.0.0/104` means the IPv4 range.
 */
export function trustedRanges(ranges: readonly string[]): IsTrusted {
  if (ranges.length === 0) return () => false;
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return (address) => list.check(address.text, address.family);
}

function addRange(list: BlockList, range: string): void {
  const [, written = '', prefix] = cidr.exec(range) ?? [];
  const address = /[[\]%]/.test(written) || !isIP(written) ? undefined : parseIpAddress(written);
  if (address === undefined) {
    throw new RangeError(`The trusted proxy "${range}" must be an address or a range such as 10.0.0.0/8.`);
  }
  const mappedBits = address.family === 'ipv4' && written.includes(':') ? bits.ipv6 - bits.ipv4 : 0;
  const length = prefix === undefined ? bits[address.family] : Number(prefix) - mappedBits;
  if (length < 1 || length > bits[address.family]) {
    const min = mappedBits + 1;
    const max = mappedBits + bits[address.family];
    throw new RangeError(`The prefix of the trusted proxy range "${range}" must be ${min} to ${max}.`);
  }
  list.addSubnet(address.text, length, address.family);
}
