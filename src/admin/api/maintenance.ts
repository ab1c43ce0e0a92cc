import Type from 'typebox';
import type { EpochMs } from '../../clock.ts';
import { component } from '../../operator/fields.ts';
import { type WindowSchema, windowView } from '../../operator/window.ts';
import type { MaintenanceWindows, WindowRecord } from '../../store/windows.ts';
import { ExtensionSchema, NewWindowSchema, newWindowOf } from './new-window.ts';
import { operation } from './operation.ts';
import { pathId, strictObject } from './parts.ts';

export const WindowListSchema = Type.Object(
  {
    windows: Type.Array(component<typeof WindowSchema>('Window'), {
      description:
        'Announced and running ones, by their start; then the last 50 that ended or were cancelled, latest first.',
    }),
  },
  { description: 'Maintenance windows.' },
);

const pastShown = 50;

export const listMaintenance = operation({
  method: 'GET',
  path: '/api/maintenance',
  operationId: 'listMaintenance',
  tag: 'Maintenance',
  summary: 'Maintenance windows',
  description: 'What is announced and running, and what was.',
  answer: { status: 200, description: 'The windows.', schema: component<typeof WindowListSchema>('WindowList') },
  async handle({ store: { windows }, now }) {
    const current = await windows.list({ currentAt: now });
    const past = await windows.listPast(now, pastShown);
    return { windows: [...current, ...past].map((window) => windowView(window, now)) };
  },
});

export const announceMaintenance = operation({
  method: 'POST',
  path: '/api/maintenance',
  operationId: 'announceMaintenance',
  tag: 'Maintenance',
  summary: 'Announce a maintenance window',
  description:
    'Clients see it at once in `/v1/status`; while it runs, everything else is 503 with Retry-After. It may begin now or have begun.',
  body: NewWindowSchema,
  answer: { status: 201, description: 'Announced.', schema: component<typeof WindowSchema>('Window') },
  async handle({ body, store, now }, { changes }) {
    const window = await store.windows.announce(newWindowOf(body));
    await changes.look();
    return windowView(window, now);
  },
});

export const extendMaintenance = operation({
  ...changing(
    'extend',
    'Extend a maintenance window',
    'Moves its end to a later instant, before it begins or while it runs.',
  ),
  body: ExtensionSchema,
  async handle({ params, body, store, now }, { changes }) {
    const window = await store.windows.extend(params.id, body.toMs as EpochMs);
    await changes.look();
    return windowView(window, now);
  },
});

export const endMaintenance = finishing(
  'end',
  'End a running maintenance window now',
  'Everything is served again at once.',
);
export const cancelMaintenance = finishing(
  'cancel',
  'Take back an announced window',
  'Only one that has not begun; a running one is ended.',
);

function finishing(verb: 'end' | 'cancel', summary: string, description: string) {
  return operation({
    ...changing(verb, summary, description),
    body: strictObject({}, 'Nothing is taken.'),
    async handle({ params, store, now }, { changes }) {
      const window = await finish[verb](store.windows, params.id);
      await changes.look();
      return windowView(window, now);
    },
  });
}

const finish: Record<'end' | 'cancel', (windows: MaintenanceWindows, id: string) => Promise<WindowRecord>> = {
  end: (windows, id) => windows.end(id),
  cancel: (windows, id) => windows.cancel(id),
};

function changing(verb: 'extend' | 'end' | 'cancel', summary: string, description: string) {
  return {
    method: 'POST',
    path: `/api/maintenance/:id/${verb}`,
    operationId: `${verb}Maintenance`,
    tag: 'Maintenance',
    summary,
    description,
    params: pathId('win'),
    answer: { status: 200, description: 'As it is now.', schema: component<typeof WindowSchema>('Window') },
    problems: ['NOT_FOUND', 'CONFLICT'],
  } as const;
}
