import { type IncidentView, incidentView, openIncidentStates, outageView } from '../operator/incident.ts';
import { incidentParts } from '../store/incident-rules.ts';
import type { IncidentRecord } from '../store/incidents.ts';
import type { Result } from './command.ts';
import { type Job, storeCommand } from './store-command.ts';
import { factsOf, harmless, instantCell, listing, type Paint, pairs } from './style.ts';
import { parseOptionalInstant } from './values.ts';

const title = { value: 'TEXT', summary: 'what is wrong, on one line, in English' } as const;
const titleCs = { value: 'TEXT', summary: 'the title in Czech' } as const;
const text = { value: 'TEXT', summary: 'what is known and what is done, in English; clients read it' } as const;
const textCs = { value: 'TEXT', summary: 'the same text in Czech' } as const;
const review = { value: 'TEXT', summary: 'what was learnt afterwards, in English' } as const;
const reviewCs = { value: 'TEXT', summary: 'the review in Czech' } as const;
const part = {
  value: 'PART',
  values: incidentParts,
  many: true,
  summary: 'a part of the service that it concerns, as the status page names them',
} as const;
const state = { value: 'STATE', values: openIncidentStates, summary: 'its state from now on' } as const;

const plainText =
  'Texts are plain, with addresses that become links. Czech is optional: without it the Czech page shows the English.';

const open = storeCommand({
  name: 'incidents open',
  summary: 'open an incident on the status page, or adopt an outage that was found',
  details: [
    'It appears at once on the page, in the Atom feed and in summary.json, and goes to subscribers. Nothing that was measured changes.',
    plainText,
  ],
  options: {
    title: { ...title, required: true },
    'title-cs': titleCs,
    text: { ...text, required: true },
    'text-cs': textCs,
    part,
    state: { ...state, summary: 'its state (default: investigating)' },
    from: { value: 'INSTANT', summary: 'when it began (default: now); a found outage has its own begin' },
    found: { value: 'ID', summary: 'the found outage that it tells of, as `incidents list` shows it' },
  },
  examples: {
    'mdapi incidents open --part market-data --title "Prices are late" --text "We look into it."': 'something is wrong',
    'mdapi incidents open --found inc_9aBc3dEfGh1jKl2M --title "The exchange was away" --text "It is back."':
      'says what an outage was that the service found',
  },
  read: ({ options }, now) => parseOptionalInstant(options.from, now, '--from'),
  async work(job) {
    const { options, values: from } = job;
    const { title, text, state, found, 'title-cs': titleCs, 'text-cs': textCs } = options;
    const parts = options.part.length === 0 ? undefined : options.part;
    return shown(await job.store.incidents.open({ title, titleCs, text, textCs, parts, state, from, found }), job);
  },
});

const update = storeCommand({
  name: 'incidents update',
  summary: 'add an update to an incident, or change its title, parts or review',
  details: [
    'An update is dated now, never changes, and goes to subscribers. So does the first review; a changed title or part does not.',
    plainText,
  ],
  positionals: { ID: { summary: 'the incident’s id, inc_…' } },
  options: {
    text,
    'text-cs': textCs,
    state,
    title,
    'title-cs': titleCs,
    part,
    review,
    'review-cs': reviewCs,
  },
  examples: {
    'mdapi incidents update inc_9aBc3dEfGh1jKl2M --state identified --text "The exchange has lost its feed."':
      'the cause is known',
    'mdapi incidents update inc_9aBc3dEfGh1jKl2M --review "$(cat review.txt)"': 'afterwards, once it is closed',
  },
  async work(job) {
    const { options, positionals, store } = job;
    const { title, text, state, review } = options;
    const change = {
      title,
      titleCs: options['title-cs'],
      text,
      textCs: options['text-cs'],
      state,
      parts: options.part.length === 0 ? undefined : options.part,
      review,
      reviewCs: options['review-cs'],
    };
    return shown(await store.incidents.update(positionals.ID, change), job);
  },
});

const close = storeCommand({
  name: 'incidents close',
  summary: 'close an incident: it is resolved, which is final',
  positionals: { ID: { summary: 'the incident’s id, inc_…' } },
  options: {
    text: { ...text, required: true, summary: 'the last update, in English' },
    'text-cs': textCs,
    to: { value: 'INSTANT', summary: 'when it was over (default: with the found outage, or now)' },
    review,
    'review-cs': reviewCs,
  },
  examples: {
    'mdapi incidents close inc_9aBc3dEfGh1jKl2M --text "Prices are current again."': 'it is over',
  },
  read: ({ options }, now) => parseOptionalInstant(options.to, now, '--to'),
  async work(job) {
    const { options, positionals, store, values: to } = job;
    const { text, review, 'text-cs': textCs, 'review-cs': reviewCs } = options;
    return shown(await store.incidents.close(positionals.ID, { text, textCs, to, review, reviewCs }), job);
  },
});

const listedMax = 200;
const draftsMax = 20;

const list = storeCommand({
  name: 'incidents list',
  summary: 'list open incidents, and found outages that nobody has written about',
  options: {
    all: { summary: 'resolved ones too' },
  },
  examples: {
    'mdapi incidents list --all': 'the whole history',
  },
  async work({ options, store, paint }) {
    const found = await store.incidents.list({ limit: listedMax });
    const incidents = found.filter(({ state }) => options.all || state !== 'resolved').map(incidentView);
    const drafts = (await store.incidents.drafts(draftsMax)).map(outageView);
    const columns = {
      ID: 'id',
      STATE: 'state',
      FROM: 'from',
      TO: endCell,
      PARTS: ({ parts }: IncidentView) => parts.join(', '),
      TITLE: 'title',
    } as const;
    const draftColumns = { 'FOUND OUTAGE': 'id', STATE: 'state', FROM: 'from', TO: endCell, PART: 'part' } as const;
    const written = listing(incidents, columns, paint, options.all ? 'No incidents.' : 'No open incidents.');
    const outages = drafts.length === 0 ? '' : `\n\n${listing(drafts, draftColumns, paint, '')}`;
    return {
      json: { incidents, drafts },
      text: `${written}${outages}`,
      notes: drafts.length === 0 ? [] : ['Write about a found outage with `mdapi incidents open --found ID`.'],
    };
  },
});

export const commands = [open, update, close, list];

function shown(record: IncidentRecord, { paint }: Pick<Job, 'paint'>): Result {
  const incident = incidentView(record);
  return { json: incident, text: incidentText(incident, paint) };
}

function endCell({ to }: Pick<IncidentView, 'to'>): string {
  return to === null ? '-' : instantCell(to);
}

function incidentText(incident: IncidentView, paint: Paint): string {
  const facts = {
    Incident: 'id',
    State: 'state',
    Title: 'title',
    Parts: ({ parts }: IncidentView) => parts.join(', '),
    From: 'from',
    To: endCell,
  } as const;
  const updates = incident.updates.map(({ at, state, text }) => `${instantCell(at)}  ${state}\n${indented(text)}`);
  const review = incident.review === null ? [] : [`${paint.heading('Review')}\n${indented(incident.review)}`];
  return [pairs(factsOf(incident, facts, paint), paint), ...updates, ...review].join('\n\n');
}

function indented(text: string): string {
  const lines = text.split('\n').map((line) => `  ${harmless(line)}`.trimEnd());
  return lines.join('\n');
}
