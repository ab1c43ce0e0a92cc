/** An address and the name shown beside it. */
export interface Mailbox {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

/** A mail server to hand mail to. */
export interface SmtpConfiguration {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, for `smtps://`. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const address = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=[^@]{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/;
const named = /^([^<>"\p{C}]{1,100}) <([^<>]+)>$/u;
const submissionPort = 587;
const submissionsPort = 465;

/** Reads `name@example.com` or `Name <name@example.com>`. `undefined` for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', inBrackets] = named.exec(text) ?? [];
  const mailbox = { name: name.trim(), address: inBrackets ?? text };
  return address.test(mailbox.address) ? mailbox : undefined;
}

/**
 * Reads `smtp://host`, `smtps://user:password@host:port`. User and password are percent-encoded where they hold
 * `:`, `/`, `@` or the like. `undefined` for anything else, a path or a query too: they would mean nothing here.
 */
export function parseSmtpUrl(text: string): SmtpConfiguration | undefined {
  const url = /^smtps?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '' || !['', '/'].includes(url.pathname) || url.port === '0') return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const implicitTls = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (implicitTls ? submissionsPort : submissionPort) : Number(url.port),
    implicitTls,
    credentials: user === '' ? undefined : { user, password },
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
