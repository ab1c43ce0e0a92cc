import { hash } from 'node:crypto';
import { apiKeyLength } from './api-key.ts';
import { digestWords } from './key-entries.ts';

/**
 * The digest of a presented text into eight words. A longer text than a key is cut: it is refused for its shape anyway,
 * and must not cost more than a key does.
 */
export function digestPresented(rawKey: string, words: Uint32Array): void {
  readText(hash('sha256', rawKey.slice(0, apiKeyLength), 'latin1'), words);
}

/** 32 bytes into the same eight words. */
export function readDigest(digest: Uint8Array, words: Uint32Array): void {
  for (let index = 0; index < digestWords; index++) {
    const at = index * 4;
    words[index] = (digest[at]! << 24) | (digest[at + 1]! << 16) | (digest[at + 2]! << 8) | digest[at + 3]!;
  }
}

/** 32 characters, a byte each. (`crypto.hash` gives text three times faster than bytes.) */
function readText(digest: string, words: Uint32Array): void {
  for (let index = 0; index < digestWords; index++) {
    const at = index * 4;
    const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
    words[index] = high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
  }
}
