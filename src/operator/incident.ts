import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import { incidentParts, incidentTextMax } from '../store/incident-rules.ts';
import type { FoundOutage, IncidentRecord } from '../store/incidents.ts';
import {
  count,
  id,
  instantFields,
  listOf,
  named,
  nullable,
  nullableInstantFields,
  nullableLine,
  openEnum,
  text,
  viewOf,
} from './fields.ts';

/** The states that an incident can be in until it is resolved. */
export const openIncidentStates = ['investigating', 'identified', 'monitoring'] as const;
const incidentStates = [...openIncidentStates, 'resolved'] as const;

export const incidentTitle = text(
  'What is wrong, on one line, in English.',
  'Prices of some markets are late',
  incidentTextMax.title,
);
export const updateText = text(
  'What is known and what is done, in English. Plain text; addresses that begin with https:// become links.',
  'The exchange has lost its feed of some markets. We read them over REST meanwhile.',
  incidentTextMax.text,
);
export const reviewText = text(
  'What was learnt afterwards, in English. Plain text, as an update.',
  'A certificate had run out. It is renewed by itself from now on.',
  incidentTextMax.review,
);

const czech = (example: string, maxLength: number) =>
  nullableLine('The same in Czech; without it the Czech page shows the English.', example, maxLength);

const OutageSchema = named('FoundOutage', 'A time in which the service itself found a part not operational.', {
  id: id('inc', 'Its id, under which it can be adopted.'),
  part: openEnum(incidentParts, 'The part of the service.'),
  state: openEnum(['degraded', 'outage'], '`outage` if no data arrived, or no process ran.'),
  ...instantFields('from', 'When it began.'),
  ...nullableInstantFields('to', 'When it was over; null while it lasts.'),
});

const UpdateSchema = named('IncidentUpdate', 'What was told of an incident, and when. It never changes.', {
  number: count('Its number, 1 for the first.', 1),
  state: openEnum(incidentStates, 'The state of the incident from then on.'),
  ...instantFields('at', 'When it was written.'),
  text: updateText,
  textCs: czech('Burza ztratila část svých dat.', incidentTextMax.text),
});

export const IncidentSchema = named('Incident', 'An incident as people tell it.', {
  id: id('inc', 'The incident’s id; that of the outage it tells of, where it was found.'),
  state: openEnum(incidentStates, 'Where it is in its life. `resolved` is final.'),
  title: incidentTitle,
  titleCs: czech('Ceny některých trhů se opožďují', incidentTextMax.title),
  parts: listOf(openEnum(incidentParts, 'A part of the service.'), 'What it concerns.'),
  ...instantFields('from', 'When it began.'),
  ...nullableInstantFields('to', 'When it was over.'),
  isFound: Type.Boolean({ description: 'It tells of an outage that the service found.' }),
  measured: nullable(OutageSchema, 'That outage, which nobody can change; null once it is older than 90 days.'),
  updates: listOf(UpdateSchema, 'The latest first.'),
  review: nullable(reviewText, 'What was learnt afterwards.'),
  reviewCs: czech('Vypršel certifikát.', incidentTextMax.review),
  ...nullableInstantFields('reviewedAt', 'When the review was first written.'),
  ...instantFields('createdAt', 'When it was opened.'),
  ...instantFields('updatedAt', 'When it last changed.'),
});

export type IncidentView = Static<typeof IncidentSchema>;

export const IncidentListSchema = named('IncidentList', 'Incidents, and outages that nobody has written about.', {
  incidents: listOf(IncidentSchema, 'The latest first.', 200),
  drafts: listOf(OutageSchema, 'Found outages to adopt, the latest first.', 50),
});

export function incidentView({ measured, updates, ...incident }: IncidentRecord): IncidentView {
  return viewOf(IncidentSchema.properties, {
    ...incident,
    parts: [...incident.parts],
    measured: measured && outageView(measured),
    updates: updates.map((update) => viewOf(UpdateSchema.properties, update)),
  });
}

export function outageView({ component, ...outage }: FoundOutage): Static<typeof OutageSchema> {
  return viewOf(OutageSchema.properties, { ...outage, part: component as 'api' | 'market-data' });
}
