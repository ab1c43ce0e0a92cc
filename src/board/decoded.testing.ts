import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ContentEncoding } from './encoding.ts';
import type { Page, Representation } from './page.ts';

export const contentEncodings: readonly ContentEncoding[] = ['identity', 'gzip', 'br', 'zstd'];

/** The text that a client reads. */
export function decoded({ body, encoding }: Pick<Representation, 'body' | 'encoding'>): string {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  if (encoding === 'gzip') return gunzipSync(bytes).toString('utf8');
  if (encoding === 'br') return brotliDecompressSync(bytes).toString('utf8');
  return (encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes).toString('utf8');
}

export function textOf(page: Page): string {
  return decoded(page.as('identity'));
}
