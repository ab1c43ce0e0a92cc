import { accountCommands } from './accounts.ts';
import { adminCommands } from './admin.ts';
import { alertCommands } from './alerts.ts';
import { storeBackup, storeRestore } from './backup.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { demo } from './demo.ts';
import { historyCommands } from './history.ts';
import { init } from './init.ts';
import { keyCommands } from './keys.ts';
import { maintenanceCommands } from './maintenance.ts';
import { marketCommands } from './markets.ts';
import { noticeCommands } from './notices.ts';
import { price } from './price.ts';
import { requests } from './requests.ts';
import { serve } from './serve.ts';
import { sourceCommands, sourceTokenCommands } from './sources.ts';
import { statusPageExport } from './status-page.ts';
import { acceptChanges, storeCopy } from './store.ts';
import { subscriptionCommands } from './subscriptions.ts';
import { termCommands } from './terms.ts';
import { upgradeCheck } from './upgrade.ts';
import { watch } from './watch/watch.ts';

/** Every command under its title of the help, in the order of the help and the reference. */
export const sections: readonly { readonly title: string; readonly commands: readonly Command[] }[] = [
  {
    title: 'The server',
    commands: [serve, demo, init, check, upgradeCheck, watch, storeCopy, storeBackup, storeRestore, acceptChanges],
  },
  { title: 'Accounts and API keys', commands: [...accountCommands, ...keyCommands, requests] },
  {
    title: 'Maintenance windows and the status page',
    commands: [...maintenanceCommands, statusPageExport, ...subscriptionCommands],
  },
  { title: 'Notices to key holders', commands: noticeCommands },
  { title: 'Alerts to operators', commands: alertCommands },
  { title: 'Operators of the management API and the console', commands: adminCommands },
  { title: 'Engines of the operator', commands: sourceTokenCommands },
  { title: 'Markets', commands: [...marketCommands, price, ...termCommands, ...sourceCommands] },
  { title: 'What was quoted, when, to whom', commands: historyCommands },
  { title: 'The shell', commands: [completionOf(() => commands)] },
];

export const commands: readonly Command[] = sections.flatMap((section) => section.commands);

/** The commands of a noun, such as `keys`; none for any other word. */
export function commandsIn(group: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `));
}
