import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(`./tls/${name}`, import.meta.url));

/**
 * A certificate for `localhost` and 127.0.0.1 from an authority that only tests trust. They are valid until 2126. Made with OpenSSL: both keys
 * with `ecparam -name prime256v1 -genkey`, the authority with `req -x509`, the certificate with `x509 -req -CA`. The authority's key is not kept.
 */
export const tlsFiles = {
  authority: path('authority.pem'),
  cert: path('localhost.pem'),
  key: path('localhost-key.pem'),
};

/** What is in them. */
export const tlsTexts = {
  authority: readFileSync(tlsFiles.authority, 'utf8'),
  cert: readFileSync(tlsFiles.cert, 'utf8'),
  key: readFileSync(tlsFiles.key, 'utf8'),
};
