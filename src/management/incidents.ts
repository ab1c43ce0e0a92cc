import Type from 'typebox';
import type { EpochMs } from '../ground/clock.ts';
import { id, instantMs, listOf, openEnum, text } from '../operator/fields.ts';
import {
  IncidentListSchema,
  IncidentSchema,
  incidentTitle,
  incidentView,
  openIncidentStates,
  outageView,
  reviewText,
  updateText,
} from '../operator/incident.ts';
import { incidentParts, incidentTextMax } from '../store/incident-rules.ts';
import { operation, pathId, strictObject } from './operation.ts';

const incidentsShown = 100;
const draftsShown = 20;

const state = openEnum(openIncidentStates, 'Its state from now on.');
const parts = listOf(openEnum(incidentParts, 'A part of the service.'), 'The parts that it concerns.', 2);
const inCzech = (example: string, maxLength: number) => Type.Optional(text('The same in Czech.', example, maxLength));
const titleCs = inCzech('Ceny některých trhů se opožďují', incidentTextMax.title);
const textCs = inCzech('Burza ztratila část svých dat.', incidentTextMax.text);
const reviewCs = inCzech('Vypršel certifikát.', incidentTextMax.review);

const NewIncidentSchema = strictObject('The new incident.', {
  title: incidentTitle,
  titleCs,
  text: updateText,
  textCs,
  parts: Type.Optional({
    ...parts,
    description: 'The parts that it concerns; those of the found outage when left out.',
  }),
  state: Type.Optional({ ...state, description: 'Its state, `investigating` when left out.' }),
  fromMs: Type.Optional(instantMs('When it began, now when left out. A found outage has its own begin.')),
  found: Type.Optional(id('inc', 'The found outage that it tells of.')),
});

const ChangeSchema = strictObject('What changes: an update, the title, the parts or the review.', {
  title: Type.Optional(incidentTitle),
  titleCs,
  text: Type.Optional(updateText),
  textCs,
  parts: Type.Optional(parts),
  state: Type.Optional(state),
  review: Type.Optional(reviewText),
  reviewCs,
});

const ClosingSchema = strictObject('The last update, and what was learnt.', {
  text: updateText,
  textCs,
  toMs: Type.Optional(instantMs('When it was over: with the found outage, or now, when left out.')),
  review: Type.Optional(reviewText),
  reviewCs,
});

/** A change of one incident. */
const changing = {
  access: 'operator',
  params: pathId('inc'),
  answer: IncidentSchema,
  problems: ['CONFLICT'],
} as const;

export const incidentOperations = {
  listIncidents: operation({
    path: '/api/incidents',
    summary: 'Incidents and drafts',
    description:
      'The last incidents that people wrote, open or not; and the outages that the service found and nobody has written about.',
    answer: IncidentListSchema,
    async handle({ store }) {
      const [incidents, drafts] = await Promise.all([
        store.incidents.list({ limit: incidentsShown }),
        store.incidents.drafts(draftsShown),
      ]);
      return { incidents: incidents.map(incidentView), drafts: drafts.map(outageView) };
    },
  }),

  openIncident: operation({
    path: '/api/incidents',
    summary: 'Open an incident, or adopt an outage that was found',
    description:
      'It is on the status page at once, and subscribers are told. With `found` it tells of that outage, under its id. It changes nothing that was measured.',
    access: 'operator',
    body: NewIncidentSchema,
    status: 201,
    answer: IncidentSchema,
    problems: ['NOT_FOUND', 'CONFLICT'],
    async handle({ body: { fromMs, ...body }, store }) {
      return incidentView(await store.incidents.open({ ...body, from: fromMs as EpochMs | undefined }));
    },
  }),

  updateIncident: operation({
    path: '/api/incidents/:id/update',
    summary: 'Add an update, or change title, parts or review',
    description:
      'An update is dated now and never changes; subscribers are told of it, and of the first review. A changed title or part is not told.',
    ...changing,
    body: ChangeSchema,
    async handle({ params, body, store }) {
      return incidentView(await store.incidents.update(params.id, body));
    },
  }),

  closeIncident: operation({
    path: '/api/incidents/:id/close',
    summary: 'Close an incident',
    description: 'It is resolved, which is final. Its review can be written with it, or later as an update.',
    ...changing,
    body: ClosingSchema,
    async handle({ params, body: { toMs, ...body }, store }) {
      return incidentView(await store.incidents.close(params.id, { ...body, to: toMs as EpochMs | undefined }));
    },
  }),
};
