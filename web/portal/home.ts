import { byId, element } from './elements.ts';
import { durationInWords, localInstant, localTime, overallWords } from './state-words.ts';
import { type Knowledge, type Summary, watchSummary } from './summary.ts';

const line = byId('live-state');
const address = line.closest<HTMLElement>('[data-summary]')?.dataset.summary ?? '';
const link = line.querySelector('a');
link?.replaceChildren('Status page');
const word = element('strong', { class: 'word' }, 'Loading');
const rest = element('span', { class: 'quiet' });
line.replaceChildren(word, ' ', rest, ' ', link ?? '');

function show({ summary, sinceAnswerMs, answeredAtMs, unreachableSinceMs }: Knowledge): void {
  if (unreachableSinceMs !== undefined) {
    const since = localTime(unreachableSinceMs, answeredAtMs + sinceAnswerMs);
    say('unknown', 'Unreachable', `This page has had no answer from the service since ${since}.`);
    return;
  }
  if (summary === undefined) return;
  const { className, word: state } = overallWords(summary.status.indicator);
  say(className, state, `${ageOf(summary, sinceAnswerMs)} ${nextWindow(summary)}`.trim());
}

function say(className: string, state: string, more: string): void {
  line.className = className;
  if (word.textContent !== state) word.textContent = state;
  if (rest.textContent !== more) rest.textContent = more;
}

function ageOf({ page, components }: Summary, sinceAnswerMs: number): string {
  const fed = components.find(({ id }) => id === 'market-data')?.updated_at;
  if (fed === null || fed === undefined) return 'No market data has arrived yet.';
  return `Market data is ${durationInWords(Date.parse(page.updated_at) - Date.parse(fed) + sinceAnswerMs)} old.`;
}

function nextWindow({ scheduled_maintenances: [next] }: Summary): string {
  if (next === undefined) return 'No maintenance is announced.';
  if (next.status === 'in_progress') return `Expected end: ${localInstant(Date.parse(next.scheduled_until))}.`;
  return `Next maintenance: ${localInstant(Date.parse(next.scheduled_for))}.`;
}

watchSummary(address, show);
