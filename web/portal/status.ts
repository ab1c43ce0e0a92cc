import { steadyMs, timeoutSignal } from './clock.ts';
import { byId, element, setText } from './elements.ts';
import { type Knowledge, type Maintenance, type Summary, watchSummary } from './summary.ts';
import { durationInWords, localInstant, localTime, type ShownState, say, shownState } from './words.ts';

const board = byId('board');
const state = byId('state');
const unreachable = byId('unreachable');
const past = byId('past');
const open = byId('open');

/** The service records its past once a minute. */
const pastEveryMs = 60_000;
let pastAskedMs = steadyMs();
/** What the page tells of open incidents and of the past, and each as the service sent it, with times in UTC. */
const told = [open, past].map((part) => ({ part, shown: part.cloneNode(true) }));
let incidentsShown: string | undefined;

function show(knowledge: Knowledge): void {
  showReach(knowledge);
  const { summary, sinceAnswerMs } = knowledge;
  if (summary === undefined) return;
  const nowMs = Date.parse(summary.page.updated_at) + sinceAnswerMs;
  showParts(summary, nowMs);
  showWindows(summary.scheduled_maintenances, nowMs);
  const isWatched = knowledge.unreachableSinceMs === undefined && document.visibilityState === 'visible';
  const incidents = JSON.stringify(summary.incidents.map(({ id, updated_at }) => [id, updated_at]));
  const isNew = incidentsShown !== undefined && incidents !== incidentsShown;
  incidentsShown = incidents;
  if (isWatched && (isNew || steadyMs() - pastAskedMs >= pastEveryMs)) void renewTold();
}

/** Replaces incidents and past with those of the page as it is now. A failure is left to the next attempt. */
async function renewTold(): Promise<void> {
  pastAskedMs = steadyMs();
  try {
    const response = await fetch(past.dataset.page ?? '', {
      cache: 'no-store',
      signal: timeoutSignal(pastEveryMs / 2),
    });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const each of told) {
      const renewed = page.getElementById(each.part.id);
      if (renewed === null || each.shown.isEqualNode(renewed)) continue;
      each.shown = renewed.cloneNode(true);
      each.part.replaceChildren(...renewed.childNodes);
      showInZone(each.part);
    }
  } catch {}
}

/** Marks the page as out of date while the service is unreachable. */
function showReach({ summary, sinceAnswerMs, answeredAtMs, unreachableSinceMs }: Knowledge): void {
  const isReached = unreachableSinceMs === undefined;
  const nowMs = answeredAtMs + sinceAnswerMs;
  board.classList.toggle('old', !isReached);
  if (unreachable.hidden !== isReached) unreachable.hidden = isReached;
  if (isReached) {
    setText(unreachable, '');
    if (summary !== undefined)
      showState(shownState(summary.status.indicator, isSilent(summary), isIncidentOpen(summary)));
    const duration = durationInWords(sinceAnswerMs);
    setText(byId('checked'), say('Updated every 5 seconds; last answer {duration} ago.', { duration }));
    return;
  }
  const since = localTime(unreachableSinceMs, nowMs);
  const last = summary === undefined ? say('the server time shown') : localTime(answeredAtMs, nowMs);
  const lost = say('This page has not reached the service since {since}. It tries again every 5 seconds.', { since });
  setText(unreachable, `${lost} ${say('What it shows is from {last} and may have changed.', { last })}`);
  showState({
    className: 'unknown',
    word: say('Unknown'),
    meaning: say('This page cannot tell whether the service works for others.'),
  });
  setText(byId('checked'), say('The last request got no answer.'));
}

function isSilent({ components }: Summary): boolean {
  return components.some((component) => component.data_flow === 'silent');
}

function isIncidentOpen({ incidents }: Summary): boolean {
  return incidents.some(({ updated_at }) => updated_at !== undefined);
}

function showState({ className, word, meaning }: ShownState): void {
  if (state.className !== `state ${className}`) state.className = `state ${className}`;
  setText(state.querySelector('.word')!, word);
  setText(state.querySelector('.meaning')!, meaning);
}

function showParts({ components }: Summary, nowMs: number): void {
  for (const { id, status } of components) {
    const { className, word } = shownState(status);
    const part = document.getElementById(id);
    if (part === null) continue;
    part.className = className;
    setText(part, word);
  }
  const fed = components.find(({ id }) => id === 'market-data')?.updated_at ?? null;
  const fedMs = Date.parse(fed ?? '');
  const age =
    fed === null
      ? say('No data has arrived yet.')
      : say('{duration}, last update at {time}', {
          duration: durationInWords(nowMs - fedMs),
          time: localInstant(fedMs),
        });
  setText(byId('age'), age);
  setText(byId('server-time'), localInstant(nowMs));
}

let shownWindows = '';

/** Rebuilt only when a window changed; the words about how long still are set each time. */
function showWindows(windows: readonly Maintenance[], nowMs: number): void {
  const key = JSON.stringify([windows, windows.map((each) => runs(each, nowMs))]);
  if (key !== shownWindows) {
    shownWindows = key;
    const items = windows.map((each) => windowItem(each, nowMs));
    const none = element('p', {}, say('No maintenance is announced.'));
    byId('windows').replaceChildren(items.length === 0 ? none : element('ul', { class: 'windows' }, ...items));
  }
  const texts = document.querySelectorAll('#windows .when');
  for (const [index, each] of windows.entries()) {
    const text = texts[index];
    if (text !== undefined) setText(text, whenText(each, nowMs));
  }
}

function runs({ scheduled_for, scheduled_until }: Maintenance, nowMs: number): boolean {
  return Date.parse(scheduled_for) <= nowMs && nowMs < Date.parse(scheduled_until);
}

function windowItem(window: Maintenance, nowMs: number): HTMLElement {
  const running = runs(window, nowMs);
  return element(
    'li',
    { class: running ? 'window running' : 'window' },
    element('p', { class: 'word' }, say(running ? 'Running' : 'Announced')),
    element('p', { class: 'about' }, element('bdi', { lang: 'en' }, window.name)),
    element('p', {}, timeOf(window.scheduled_for), say(' to '), timeOf(window.scheduled_until)),
    element('p', { class: 'quiet when' }),
  );
}

function whenText(window: Maintenance, nowMs: number): string {
  const [fromMs, toMs] = [Date.parse(window.scheduled_for), Date.parse(window.scheduled_until)];
  if (nowMs < fromMs) {
    const duration = durationInWords(fromMs - nowMs);
    return say('It starts in {duration} and changes nothing before.', { duration });
  }
  if (nowMs < toMs) return say('It is expected to end in {duration}.', { duration: durationInWords(toMs - nowMs) });
  return say('Its expected end has passed.');
}

/** In the reader's zone; the instant in UTC shows on pointing at it. */
function timeOf(iso: string): HTMLElement {
  return element('time', { datetime: iso, title: iso }, localInstant(Date.parse(iso)));
}

function showInZone(part: HTMLElement): void {
  for (const time of part.querySelectorAll('time')) {
    time.title = time.dateTime;
    time.textContent = localInstant(Date.parse(time.dateTime));
  }
}

showInZone(board);
showInZone(past);
watchSummary(board.dataset.summary ?? '', show);
