import { byId, element, setText } from './elements.ts';
import { type Knowledge, type Summary, watchSummary } from './summary.ts';
import { durationInWords, localInstant, localTime, say, shownState } from './words.ts';

const line = byId('live-state');
const address = line.closest<HTMLElement>('[data-summary]')?.dataset.summary ?? '';
const link = line.querySelector('a');
link?.replaceChildren(say('Status page'));
const word = element('strong', { class: 'word' }, say('Loading'));
const rest = element('span', { class: 'quiet' });
line.replaceChildren(word, ' ', rest, ' ', link ?? '');

function show({ summary, sinceAnswerMs, answeredAtMs, unreachableSinceMs }: Knowledge): void {
  if (unreachableSinceMs !== undefined) {
    const since = localTime(unreachableSinceMs, answeredAtMs + sinceAnswerMs);
    tell('unknown', say('Unreachable'), say('This page has had no answer from the service since {since}.', { since }));
    return;
  }
  if (summary === undefined) return;
  const { className, word: state } = shownState(summary.status.indicator);
  tell(className, state, `${ageOf(summary, sinceAnswerMs)} ${nextWindow(summary)}`.trim());
}

function tell(className: string, state: string, more: string): void {
  line.className = className;
  setText(word, state);
  setText(rest, more);
}

function ageOf({ page, components }: Summary, sinceAnswerMs: number): string {
  const fed = components.find(({ id }) => id === 'market-data')?.updated_at;
  if (fed === null || fed === undefined) return say('No market data has arrived yet.');
  const duration = durationInWords(Date.parse(page.updated_at) - Date.parse(fed) + sinceAnswerMs);
  return say('Market data is {duration} old.', { duration });
}

function nextWindow({ scheduled_maintenances: [next] }: Summary): string {
  if (next === undefined) return say('No maintenance is announced.');
  if (next.status === 'in_progress')
    return say('Expected end: {end}.', { end: localInstant(Date.parse(next.scheduled_until)) });
  return say('Next maintenance: {start}.', { start: localInstant(Date.parse(next.scheduled_for)) });
}

watchSummary(address, show);
