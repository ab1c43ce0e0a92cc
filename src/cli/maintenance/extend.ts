import type { Command } from '../command.ts';
import { instantForms, parseInstant } from '../instant.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { windowIdPositional, windowJson, windowText } from './describe.ts';

export const maintenanceExtend: Command = {
  name: 'maintenance extend',
  summary: 'move the end of a maintenance window to a later instant',
  details: [`INSTANT is one of: ${instantForms}. A span such as +30m counts from now, not from the window’s end.`],
  positionals: [windowIdPositional],
  options: [{ name: 'to', value: 'INSTANT', required: true, summary: 'the new end, later than the old one' }],
  examples: [{ line: 'mdapi maintenance extend win_9aBc3dEfGh1jKl2M --to +30m', note: 'another half hour from now' }],
  async run(input, context) {
    const now = context.clock.now();
    const to = parseInstant(input.required('to'), now, '--to');
    return withStore(input, context, async (store) => {
      const window = await store.windows.extend(input.argument('ID'), to);
      return { json: windowJson(window, now), text: windowText(window, now, paintFor(context)) };
    });
  },
};
