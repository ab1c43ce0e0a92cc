import type { Command } from '../command.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { windowIdPositional, windowJson, windowText } from './describe.ts';

export const maintenanceEnd: Command = {
  name: 'maintenance end',
  summary: 'end a running maintenance window now',
  details: ['Running servers serve prices again within a second.'],
  positionals: [windowIdPositional],
  examples: [{ line: 'mdapi maintenance end win_9aBc3dEfGh1jKl2M', note: 'done before its time' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const window = await store.windows.end(input.argument('ID'));
      const now = context.clock.now();
      return { json: windowJson(window, now), text: windowText(window, now, paintFor(context)) };
    }),
};
