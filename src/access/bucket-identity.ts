/** What a bucket of `IpAddress` is known by in a table of numbers. */
export interface BucketIdentity {
  readonly kind: BucketKind;
  readonly high: number;
  readonly low: number;
}

export const bucketKinds = { ipv4: 1, ipv6: 2, other: 3 } as const;
export type BucketKind = (typeof bucketKinds)[keyof typeof bucketKinds];

const dot = 0x2e;
const colon = 0x3a;
const networkGroups = 4;

/**
 * The identity of a bucket as `IpAddress.limitBucket` writes it. An IPv4 address and an IPv6 /64 fit in two words as they
 * are, so that no two of them share an identity. Any other text, such as that of a peer without an address, gets 64 bits
 * of its characters.
 */
export function bucketIdentity(bucket: string): BucketIdentity {
  if (bucket.endsWith('::/64')) return networkIdentity(bucket);
  return addressIdentity(bucket) ?? otherIdentity(bucket);
}

function addressIdentity(bucket: string): BucketIdentity | undefined {
  let address = 0;
  let part = -1;
  let dots = 0;
  for (let index = 0; index < bucket.length; index++) {
    const code = bucket.charCodeAt(index);
    const digit = code - 0x30;
    if (digit >= 0 && digit <= 9) part = Math.max(part, 0) * 10 + digit;
    else if (code === dot && part >= 0) {
      address = (address << 8) | part;
      part = -1;
      dots++;
    } else return undefined;
    if (part > 255) return undefined;
  }
  if (dots !== 3 || part < 0) return undefined;
  return { kind: bucketKinds.ipv4, high: 0, low: (address << 8) | part };
}

/** The groups stand before the `::` that the last four always make; those left out at their end are zero. */
function networkIdentity(bucket: string): BucketIdentity {
  const words = [0, 0];
  let group = 0;
  let count = 0;
  const end = bucket.length - '::/64'.length;
  for (let index = 0; index <= end && count < networkGroups; index++) {
    const code = bucket.charCodeAt(index);
    if (code !== colon) {
      group = (group << 4) | hexValue(code);
    } else {
      words[count >> 1]! |= group << (count % 2 === 0 ? 16 : 0);
      group = 0;
      count++;
    }
  }
  return { kind: bucketKinds.ipv6, high: words[0]! | 0, low: words[1]! | 0 };
}

function hexValue(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}

/** FNV-1a from two beginnings. */
function otherIdentity(bucket: string): BucketIdentity {
  let high = 0x811c9dc5 | 0;
  let low = 0x01000193;
  for (let index = 0; index < bucket.length; index++) {
    const code = bucket.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x01000193) ^ (high >>> 15);
  }
  return { kind: bucketKinds.other, high, low };
}
