import { isoInstant } from '../contract/instant.ts';
import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { ServiceBoard } from './service-board.ts';

const lookEveryMs = 1_000;

/** Says when a maintenance window begins and when it ends. */
export function watchMaintenance(service: Pick<ServiceBoard, 'read'>, clock: Clock, log: Log): Timer {
  let wasRunning = false;
  return clock.every(lookEveryMs, () => {
    const { api, maintenance } = service.read(clock.now());
    const isRunning = api === 'maintenance';
    if (isRunning && !wasRunning) log.info({ until: maintenance && isoInstant(maintenance.to) }, 'maintenance begins');
    if (!isRunning && wasRunning) log.info({}, 'maintenance ends');
    wasRunning = isRunning;
  });
}
