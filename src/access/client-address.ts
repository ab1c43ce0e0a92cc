import { type IpAddress, parseIpAddress } from './ip-address.ts';
import { type IsTrusted, trustedRanges } from './trusted-ranges.ts';

export type { IpAddress } from './ip-address.ts';

/** An address and whether it is one of the operator's proxies. */
interface Hop {
  readonly address: IpAddress;
  readonly isTrusted: boolean;
}

/** Proxies in a row that are trusted; a longer list is cut, which bounds the cost of a header. */
const hopsMax = 32;
const rememberedMax = 8_192;
/** The longest an address can be written, with zone and port, and some more. */
const writtenLengthMax = 64;

/** A peer that has no IP address, as on a Unix socket, or one that is gone: all of them count as one. */
const unknownPeer: IpAddress = { family: 'ipv4', text: 'unknown', limitBucket: 'unknown' };

/**
 * Finds whom a request is from: the socket's peer, unless it is a trusted proxy; then the right-most entry of
 * `X-Forwarded-For` that is not one. Each proxy appends the address it was called from, so that only what is right of
 * the first untrusted address was written by a trusted proxy. An entry that is no address (empty, `unknown`, garbage)
 * ends the walk at the hop before it: nothing left of it can be trusted, and the nearest known hop is the only correct
 * answer. The same holds when all entries are trusted.
 */
export class ClientAddresses {
  readonly #isTrusted: IsTrusted;
  /** By the text as it was written. Bounded, and forgotten as a whole when full. */
  readonly #remembered = new Map<string, Hop>();

  /** @param trustedProxies addresses and CIDR ranges; throws `RangeError` as `trustedRanges` does */
  constructor(trustedProxies: readonly string[]) {
    this.#isTrusted = trustedRanges(trustedProxies);
  }

  /**
   * @param peer `socket.remoteAddress`, taken before the socket can be gone
   * @param forwardedFor the `X-Forwarded-For` header, several lines joined by a comma in their order
   */
  resolve(peer: string | undefined, forwardedFor: string | undefined): IpAddress {
    let hop = peer === undefined ? undefined : this.#hopOf(peer);
    if (hop === undefined) return unknownPeer;
    let end = forwardedFor?.length ?? 0;
    for (let count = 0; hop.isTrusted && end > 0 && count < hopsMax; count++) {
      const comma = forwardedFor!.lastIndexOf(',', end - 1);
      const before = this.#hopOf(forwardedFor!.slice(comma + 1, end).trim());
      if (before === undefined) return hop.address;
      hop = before;
      end = comma;
    }
    return hop.address;
  }

  /** Whether a peer is one of the operator's proxies, whose forwarded headers are trusted. */
  isTrusted(peer: string | undefined): boolean {
    return peer !== undefined && this.#hopOf(peer)?.isTrusted === true;
  }

  /** The bucket a peer is counted under; `undefined` for the operator's own proxies. */
  peerBucket(peer: string | undefined): string | undefined {
    const hop = peer === undefined ? undefined : this.#hopOf(peer);
    return hop?.isTrusted ? undefined : (hop?.address ?? unknownPeer).limitBucket;
  }

  #hopOf(written: string): Hop | undefined {
    const known = this.#remembered.get(written);
    if (known !== undefined) return known;
    if (written.length > writtenLengthMax) return undefined;
    // A part of a string keeps the whole alive: what is remembered must not hold on to entire headers.
    const text = Buffer.from(written, 'latin1').toString('latin1');
    const address = parseIpAddress(text);
    if (address === undefined) return undefined;
    const hop = { address, isTrusted: this.#isTrusted(address) };
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear();
    this.#remembered.set(text, hop);
    return hop;
  }
}

/** Several header lines as one, in their order (RFC 9110 §5.3). */
export function joinedHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}
