import type { Command } from '../command.ts';
import { yesOption } from '../confirm.ts';
import { keyIdPositional } from './describe.ts';
import { setKeyStatus } from './set-status.ts';

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'end an API key for good',
  details: ['Running servers refuse it within a second. It cannot be taken back; `keys disable` can.'],
  positionals: [keyIdPositional],
  options: [yesOption],
  examples: [{ line: 'mdapi keys revoke key_Vb8xT0pLq3WnR5Ys', note: 'asks first when run in a terminal' }],
  run: (input, context) => setKeyStatus(input, context, 'revoked', (key) => `Revoke ${key}? This is final.`),
};
