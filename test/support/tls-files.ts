import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(`./tls/${name}`, import.meta.url));

/**
 * Certificates for `localhost` and 127.0.0.1 from an authority that only tests trust. They are valid until 2126. Made
 * with OpenSSL: the keys with `ecparam -name prime256v1 -genkey`, the authority with `req -x509`, the others with `x509
 * -req -CA`. The authority's key is not kept.
 */
export const tlsFiles = {
  authority: path('authority.pem'),
  cert: path('localhost.pem'),
  key: path('localhost-key.pem'),
};

/** A certificate that a client may show, and its key. It is its own authority. */
export const clientTlsFiles = { cert: path('client.pem'), key: path('client-key.pem') };

const read = (file: string) => readFileSync(file, 'utf8');

/** What is in them. */
export const tlsTexts = { authority: read(tlsFiles.authority), cert: read(tlsFiles.cert), key: read(tlsFiles.key) };

/** Another certificate for the same names, with a key of its own. */
export const renewedTls = { cert: read(path('renewed.pem')), key: read(path('renewed-key.pem')) };
