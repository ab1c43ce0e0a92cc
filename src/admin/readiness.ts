import Type, { type Static } from 'typebox';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { AdminParts } from './sources.ts';

export const ReadinessSchema = Type.Object({
  ready: Type.Boolean({ description: 'Whether traffic may be sent here.' }),
  phase: Type.Union([Type.Literal('starting'), Type.Literal('serving'), Type.Literal('draining')]),
  notes: Type.Array(Type.String(), { description: 'What an operator should know, whether ready or not.' }),
});

type Readiness = Static<typeof ReadinessSchema>;

/**
 * Ready means that this process answers requests as the contract says. Stale data, a running
 * maintenance window or an unreachable store are notes that take no traffic away: clients must
 * still be able to ask `/v1/status` for the cause.
 */
export function readiness(parts: AdminParts): Readiness {
  const { market, changes, clock } = parts;
  const phase = parts.phase();
  const now = clock.now();
  const { ticker, api } = market.service.read(now);
  const notes: string[] = [];
  if (phase === 'starting') notes.push('API keys are still being loaded');
  if (phase === 'draining') notes.push('shutting down');
  if (api === 'maintenance') notes.push('an announced maintenance window is running');
  if (ticker !== 'operational') notes.push(`market data: ${ticker}`);
  if (!changes.reachable()) notes.push('the store cannot be used: keys, markets and windows are as last known');
  const trouble = market.memory.trouble();
  if (trouble !== undefined) notes.push(`nothing can be saved: ${trouble}`);
  const finding = parts.storeCheck.result()?.finding;
  if (finding !== undefined) notes.push(`the database file is damaged, restore a backup: ${finding}`);
  const { keys, windows } = changes.held();
  if (keys + windows > 0) {
    const what = `${keys} keys and ${windows} maintenance windows vanished from the store at once and are kept`;
    notes.push(`${what}: bring the store back, or run \`mdapi store accept-changes\``);
  }
  notes.push(...sharedLimitNotes(parts.sharedLimits()));
  for (const [reason, count] of market.board.unpriced(now))
    notes.push(`${count} traded markets have no price: ${reason}`);
  return { ready: phase === 'serving', phase, notes };
}

/** A node whose clock is off by this much writes instants that disagree with those of the others. */
const skewNotedMs = 2_000;

function sharedLimitNotes(limits: SharedLimitFigures | undefined): string[] {
  if (limits === undefined) return [];
  const notes: string[] = [];
  if (!limits.isUp) notes.push('Redis cannot be used: this process counts the limits by itself');
  const seconds = Math.round((limits.clockSkewMs ?? 0) / 1_000);
  if (Math.abs(limits.clockSkewMs ?? 0) > skewNotedMs) {
    notes.push(
      `the clock of this process is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of Redis`,
    );
  }
  return notes;
}
