/** Kraken's protocol at other addresses, as an entry of `sources`. */
export function krakenAt(rest: string, ws: string) {
  return { id: 'kraken', urls: { rest, ws } };
}
