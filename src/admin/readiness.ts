import Type, { type Static } from 'typebox';
import type { AdminSources } from './sources.ts';

export const ReadinessSchema = Type.Object({
  ready: Type.Boolean({ description: 'Whether traffic may be sent here.' }),
  phase: Type.Union([Type.Literal('starting'), Type.Literal('serving'), Type.Literal('draining')]),
  notes: Type.Array(Type.String(), { description: 'What an operator should know, ready or not.' }),
});

export type Readiness = Static<typeof ReadinessSchema>;

/**
 * Ready means that this process answers requests as the contract says. Stale data, a running
 * maintenance window or an unreachable store are told, but take no traffic away: clients must
 * still be able to ask `/v1/status` what is the matter.
 */
export function readiness(sources: AdminSources): Readiness {
  const phase = sources.phase();
  const now = sources.clock.now();
  const { ticker, api } = sources.service.read(now);
  const notes: string[] = [];
  if (phase === 'starting') notes.push('API keys are still being loaded');
  if (phase === 'draining') notes.push('shutting down');
  if (api === 'maintenance') notes.push('an announced maintenance window is running');
  if (ticker !== 'operational') notes.push(`market data: ${ticker}`);
  if (!sources.storeReachable()) notes.push('the store cannot be read: keys, markets and windows are as last known');
  for (const [reason, count] of sources.board.unpriced(now))
    notes.push(`${count} traded markets have no price: ${reason}`);
  return { ready: phase === 'serving', phase, notes };
}
