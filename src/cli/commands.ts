import { accountsActivate } from './accounts/activate.ts';
import { accountsCreate } from './accounts/create.ts';
import { accountsDeactivate } from './accounts/deactivate.ts';
import { accountsList } from './accounts/list.ts';
import { adminRevoke } from './admin/revoke.ts';
import { adminToken } from './admin/token.ts';
import { adminTokens } from './admin/tokens.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { demo } from './demo/demo.ts';
import { keysCreate } from './keys/create.ts';
import { keysDisable } from './keys/disable.ts';
import { keysEnable } from './keys/enable.ts';
import { keysList } from './keys/list.ts';
import { keysRevoke } from './keys/revoke.ts';
import { keysRotate } from './keys/rotate.ts';
import { maintenanceAnnounce } from './maintenance/announce.ts';
import { maintenanceCancel } from './maintenance/cancel.ts';
import { maintenanceEnd } from './maintenance/end.ts';
import { maintenanceExtend } from './maintenance/extend.ts';
import { maintenanceList } from './maintenance/list.ts';
import { marketsDelist } from './markets/delist.ts';
import { marketsList } from './markets/list.ts';
import { marketsPause } from './markets/pause.ts';
import { marketsResume } from './markets/resume.ts';
import { noticesList } from './notices/list.ts';
import { noticesPreview } from './notices/preview.ts';
import { noticesSendTest } from './notices/send-test.ts';
import { price } from './price.ts';
import { serve } from './serve.ts';
import { storeCopy } from './store/copy.ts';
import { watch } from './watch/watch.ts';

/** Commands under one title of the help. */
export interface Section {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Every command, in the order of the help and the reference. A new command is a file and a line here. */
export const sections: readonly Section[] = [
  { title: 'The server', commands: [serve, demo, check, watch, storeCopy] },
  {
    title: 'Accounts and API keys',
    commands: [
      accountsCreate,
      accountsList,
      accountsDeactivate,
      accountsActivate,
      keysCreate,
      keysList,
      keysRevoke,
      keysDisable,
      keysEnable,
      keysRotate,
    ],
  },
  {
    title: 'Maintenance windows',
    commands: [maintenanceAnnounce, maintenanceExtend, maintenanceEnd, maintenanceCancel, maintenanceList],
  },
  { title: 'Notices to key holders', commands: [noticesList, noticesPreview, noticesSendTest] },
  { title: 'Operators of the management API and the console', commands: [adminToken, adminTokens, adminRevoke] },
  { title: 'Markets', commands: [marketsList, marketsPause, marketsResume, marketsDelist, price] },
];

export const commands: readonly Command[] = sections.flatMap((section) => section.commands);
