import { isIP } from 'node:net';
import { parseDecimal } from '../market/decimal.ts';
import { parseCurrency, parseSymbol } from '../market/symbol.ts';
import { parseDuration } from './duration.ts';
import { parseMailbox, parseSmtpUrl } from './mail.ts';
import { parseRedisUrl } from './redis.ts';

/** The spellings a text value can be required to have. */
export type FormatName =
  | 'currency'
  | 'decimal'
  | 'duration'
  | 'host'
  | 'http-url'
  | 'ip-range'
  | 'json-pointer'
  | 'mailbox'
  | 'operator-token'
  | 'path'
  | 'redis-url'
  | 'smtp-url'
  | 'store-url'
  | 'symbol'
  | 'ws-url';

interface Format {
  /** What is allowed, as it stands in a message and in the reference: "a duration such as 5m". */
  readonly allowed: string;
  readonly fits: (text: string) => boolean;
}

const hostName = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*$/;
const jsonPointer = /^(\/([^/~]|~[01])*)+$/;

export const formats: Readonly<Record<FormatName, Format>> = {
  currency: {
    allowed: 'a currency code of 1 to 16 capital letters and digits, such as EUR',
    fits: (text) => parseCurrency(text) !== undefined,
  },
  decimal: {
    allowed: 'a decimal in quotes, such as "0.5"',
    fits: (text) => /^\d/.test(text) && /^[\d.]+$/.test(text) && parseDecimal(text) !== undefined,
  },
  duration: {
    allowed: 'a whole number with a unit: ms, s, m, h or d, such as 5m',
    fits: (text) => parseDuration(text) !== undefined,
  },
  host: {
    allowed: 'an IP address or a host name, without port',
    fits: (text) => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text)),
  },
  'http-url': {
    allowed: 'an absolute http:// or https:// address without user, password or #fragment',
    fits: (text) => isUrl(text, ['http:', 'https:']),
  },
  'ip-range': {
    allowed: 'an IP address or a range such as 10.0.0.0/8 or fd00::/8, but not all addresses (/0)',
    fits: isIpRange,
  },
  'json-pointer': {
    allowed: 'a JSON pointer (RFC 6901) such as /rates/CZK',
    fits: (text) => jsonPointer.test(text),
  },
  mailbox: {
    allowed: 'an e-mail address, alone or as Name <name@example.com>',
    fits: (text) => parseMailbox(text) !== undefined,
  },
  'operator-token': {
    allowed: '24 to 200 printable ASCII characters without spaces',
    fits: (text) => /^[\x21-\x7e]{24,200}$/.test(text),
  },
  path: { allowed: 'a path', fits: (text) => text.length > 0 && !text.includes('\0') },
  'redis-url': {
    allowed: 'redis:// or rediss://, then user:password@ where the server asks for them, host, :port and /database',
    fits: (text) => parseRedisUrl(text) !== undefined,
  },
  'smtp-url': {
    allowed: 'smtp:// or smtps://, then user:password@ where the server asks for them, host and :port',
    fits: (text) => parseSmtpUrl(text) !== undefined,
  },
  'store-url': {
    allowed: 'sqlite: and a path, such as sqlite:./mdapi.sqlite, or postgres://user@host:port/database',
    fits: (text) => (/^postgres(ql)?:/.test(text) ? isPostgresUrl(text) : isSqliteUrl(text)),
  },
  symbol: {
    allowed: 'a market symbol in capital letters and digits, such as BTCEUR',
    fits: (text) => parseSymbol(text) === text,
  },
  'ws-url': {
    allowed: 'an absolute ws:// or wss:// address without user, password or #fragment',
    fits: (text) => isUrl(text, ['ws:', 'wss:']),
  },
};

function isUrl(text: string, protocols: readonly string[]): boolean {
  if (!/^[a-z]+:\/\//.test(text) || /\s/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol)) return false;
  return url.hostname !== '' && url.username === '' && url.password === '' && !text.includes('#');
}

function isSqliteUrl(text: string): boolean {
  return /^sqlite:(?!\/\/)[^\0?#]*[^\0?#/\\]$/.test(text) && text !== 'sqlite::memory:';
}

/** Its form only. What its parts may be is the store's to say, which also says what is wrong with them. */
function isPostgresUrl(text: string): boolean {
  const url = /^postgres(ql)?:\/\/[^\s#]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '' && url.username !== '' && url.pathname.length > 1;
}

/** A /0 would let every client name its own address, which is what the limits count by. */
function isIpRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
