import type { Command } from '../command.ts';
import { keyIdPositional } from './describe.ts';
import { setKeyStatus } from './set-status.ts';

export const keysEnable: Command = {
  name: 'keys enable',
  summary: 'let a disabled API key work again',
  details: ['Running servers take it within a second. A revoked key stays revoked, an expired one expired.'],
  positionals: [keyIdPositional],
  examples: [{ line: 'mdapi keys enable key_Vb8xT0pLq3WnR5Ys', note: 'changes nothing when it is enabled already' }],
  run: (input, context) => setKeyStatus(input, context, 'active'),
};
