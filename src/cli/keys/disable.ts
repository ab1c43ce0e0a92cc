import type { Command } from '../command.ts';
import { keyIdPositional } from './describe.ts';
import { setKeyStatus } from './set-status.ts';

export const keysDisable: Command = {
  name: 'keys disable',
  summary: 'stop an API key until it is enabled again',
  details: ['Running servers refuse it within a second.'],
  positionals: [keyIdPositional],
  examples: [{ line: 'mdapi keys disable key_Vb8xT0pLq3WnR5Ys', note: 'changes nothing when it is disabled already' }],
  run: (input, context) => setKeyStatus(input, context, 'disabled'),
};
