import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { everyMs, ids, PlayedMarket } from '../src/market/believed.testing.ts';
import { pictureOf } from './believed/picture.ts';
import { type Second, type Situation, situations } from './believed/situations.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

/** Before and after something happens every second is shown, else none. */
const shownBeforeSeconds = 2;
const shownAfterSeconds = 4;

/** Plays what must not be believed through the market room, and shows what is served. */
export async function believed(scope: Scope): Promise<Section> {
  const played = situations.map((situation) => {
    scope.progress(situation.title);
    return { situation, seconds: secondsOf(situation) };
  });
  const results = new URL('results/', import.meta.url);
  mkdirSync(results, { recursive: true });
  const picture = new URL('believed.html', results);
  writeFileSync(picture, pictureOf(played));
  const listed = situations.map(({ title, right }, index) => `${index + 1}. ${title}: ${right}.`).join('\n');
  return {
    title: 'What is served while sources are not to be believed',
    meaning: `The market room on a clock that is only passed in; each source quotes twice a second. Shown are the seconds about each change of what is served or found; ${fileURLToPath(picture)} draws all of them. Degraded: served over a path that is not the market's best.\n${listed}`,
    columns: ['situation', 'second', 'right', ...ids, 'served', 'from', 'age', 'status'],
    rows: played.flatMap(({ seconds }, index) => rowsOf(seconds).map((row) => [`${index + 1}`, ...row])),
    bars: [],
    figures: played.map(({ situation: { title, right }, seconds }) => ({ title, right, seconds })),
  };
}

function secondsOf({ sources, truth, forMs }: Situation): readonly Second[] {
  const market = new PlayedMarket('primary', sources.length);
  const seconds: Second[] = [];
  while (market.nowMs < forMs) {
    market.play(sources, 2 * everyMs);
    const states = sources.map((_, index) => market.stateOf(ids[index]!));
    const { nowMs, served } = market;
    seconds.push({
      second: nowMs / 1_000,
      right: truth(nowMs),
      said: sources.map(({ bid }, index) => (states[index]?.reach === 'silent' ? undefined : bid(nowMs))),
      states: states.map((state) => (state?.reach === 'silent' ? 'silent' : (state?.exclusion ?? 'ok'))),
      served: served && Number(served.bid),
      source: served?.source ?? '',
      ageMs: market.ageMs,
      isDegraded: market.isDegraded,
    });
  }
  return seconds;
}

function rowsOf(seconds: readonly Second[]): string[][] {
  const found = ({ states, source, isDegraded }: Second) => [...states, source, isDegraded].join();
  const changes = seconds.filter((each, index) => index > 0 && found(each) !== found(seconds[index - 1]!));
  const isShown = ({ second }: Second) =>
    second <= shownAfterSeconds ||
    changes.some(
      (change) => second >= change.second - shownBeforeSeconds && second <= change.second + shownAfterSeconds,
    );
  return seconds.filter(isShown).map(rowOf);
}

function rowOf({ second, right, said, states, served, source, ageMs, isDegraded }: Second): string[] {
  const sources = ids.map((_, index) => {
    if (said.length <= index) return '';
    const [price, state] = [said[index], states[index]!];
    return price === undefined ? state : `${price.toFixed(0)}${state === 'ok' ? '' : ` ${state}`}`;
  });
  const age = served === undefined ? '' : `${(ageMs / 1_000).toFixed(1)} s`;
  const status = isDegraded ? 'degraded' : 'operational';
  return [`${second}`, right.toFixed(0), ...sources, served?.toFixed(0) ?? 'none', source, age, status];
}
