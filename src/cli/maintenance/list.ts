import type { Command } from '../command.ts';
import { formatInstant } from '../instant.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { windowJson, windowState, windowStateCell } from './describe.ts';

export const maintenanceList: Command = {
  name: 'maintenance list',
  summary: 'list announced and running maintenance windows, by start',
  options: [{ name: 'all', summary: 'past and cancelled ones too' }],
  examples: [{ line: 'mdapi maintenance list --all', note: 'the whole history' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const now = context.clock.now();
      const windows = await store.windows.list(input.isSet('all') ? {} : { currentAt: now });
      const paint = paintFor(context);
      const rows = windows.map((window) => [
        window.id,
        windowStateCell(windowState(window, now), paint),
        formatInstant(window.from),
        formatInstant(window.to),
        window.description,
      ]);
      return {
        json: { windows: windows.map((window) => windowJson(window, now)) },
        text: table(['ID', 'STATE', 'FROM', 'TO', 'DESCRIPTION'], rows, paint, 'No maintenance windows.'),
      };
    }),
};
