import { isChecksummed } from './api-key.ts';

/** True when the text is written as a key is, checksum included. */
export const hasKeyShape = (text: string): boolean => isChecksummed(text, 'mdk_');
