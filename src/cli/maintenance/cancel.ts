import type { Command } from '../command.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { windowIdPositional, windowJson, windowText } from './describe.ts';

export const maintenanceCancel: Command = {
  name: 'maintenance cancel',
  summary: 'take back a maintenance window that has not begun',
  details: ['One that runs already is ended with `maintenance end`.'],
  positionals: [windowIdPositional],
  examples: [{ line: 'mdapi maintenance cancel win_9aBc3dEfGh1jKl2M', note: 'clients no longer see it' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const window = await store.windows.cancel(input.argument('ID'));
      const now = context.clock.now();
      return { json: windowJson(window, now), text: windowText(window, now, paintFor(context)) };
    }),
};
