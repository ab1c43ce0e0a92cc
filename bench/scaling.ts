import { whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import type { Finding } from './scaling/finding.ts';
import { limits } from './scaling/limits.ts';
import { revocation } from './scaling/revocation.ts';
import { takeover } from './scaling/takeover.ts';
import { Scope } from './scope.ts';

/** What several processes bring and cost, and how soon they agree. */
export async function scaling(scope: Scope): Promise<Section> {
  const findings: Finding[] = [];
  for (const part of [limits, takeover, revocation]) findings.push(...(await alone(scope, part)));
  return {
    title: 'Several processes',
    meaning:
      'Requests a second: full load over 32 connections, all servers in turn, 500 markets, prices standing still. The processor time a request is that of the service and, where it counts there, of Redis. Time of an answer: one client asks all servers in turn at the same pace, from writing a request to the last byte of its answer; what Redis adds is the difference of the quantiles, round by round. Limits in memory and in Redis are measured on one core with Redis and the client on the other; two processes use every core and share them with Redis and the client, so compare them with the one process beside them, which does too. Takeover: from kill -9 of the leading feed. Revocation: from the command until the last node refuses the key. How long a directory of a million keys takes to load from PostgreSQL is in the section of the store.',
    columns: ['measured', 'with', 'median', 'tail or spread', 'samples'],
    rows: findings.map(({ measured, with: name, median, tail, samples }) => [
      measured,
      name,
      median,
      tail,
      samples === undefined ? '-' : whole(samples),
    ]),
    bars: [],
    figures: findings,
  };
}

/** What one part started does not run on beside the next. */
async function alone(outer: Scope, part: (scope: Scope) => Promise<Finding[]>): Promise<Finding[]> {
  await using scope = new Scope(outer.quick, (text) => outer.progress(text));
  return await part(scope);
}
