import type { BreachLog } from '../access/breach-log.ts';
import type { Clock, Randomness } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log.ts';
import { Notifier } from '../notices/notifier.ts';
import type { Store } from '../store/store.ts';

/** What notices are made with. */
export interface NoticeParts {
  readonly store: Store;
  readonly breaches: BreachLog;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** Makes what leads refusals to notices and notices to the configured mail server. */
export function createNotifier({ mail, notices }: Configuration, { breaches, ...parts }: NoticeParts): Notifier {
  return new Notifier({
    ...parts,
    source: breaches,
    rule: notices,
    mail: mail === undefined ? undefined : { server: mail.smtp, from: mail.from },
  });
}
