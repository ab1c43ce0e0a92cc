import Type, { type Static } from 'typebox';
import { ServiceBoard } from '../board/service-board.ts';
import { problemBody } from '../contract/errors.ts';
import { ErrorSchema } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import { maintenanceProblem } from '../http/pipeline.ts';
import { problemHeaders } from '../http/response-writer.ts';
import { count, instantMs, listOf, named, object, referenceTo } from '../operator/fields.ts';
import { overlap, WindowSchema, windowDescription, windowView } from '../operator/window.ts';
import { assertNewWindow, type NewWindow } from '../store/windows.ts';
import { type Described, noBody, operation, pathId, strictObject } from './operation.ts';
import { ServiceStatusSchema } from './overview.ts';
import type { Management } from './parts.ts';

const NewWindowSchema = strictObject('The new window.', {
  fromMs: instantMs('Its start.'),
  toMs: instantMs('Its end.'),
  description: windowDescription,
});

const ExtensionSchema = strictObject('The extension.', { toMs: instantMs('Its new end, later than before.') });

function newWindowOf({ fromMs, toMs, description }: Static<typeof NewWindowSchema>): NewWindow {
  return { from: fromMs as EpochMs, to: toMs as EpochMs, description: description.trim() };
}

const WindowListSchema = named('WindowList', 'Maintenance windows.', {
  windows: listOf(
    WindowSchema,
    'Announced and running ones, by their start; then the last 50 that ended or were cancelled, latest first.',
  ),
});

const pastShown = 50;

/** A change of one window. */
const changing = { access: 'operator', params: pathId('win'), answer: WindowSchema, problems: ['CONFLICT'] } as const;

function finishing(described: Described, verb: 'end' | 'cancel') {
  return operation({
    ...described,
    ...changing,
    body: noBody,
    async handle({ params, store, now }) {
      const window = await store.windows[verb](params.id);
      return windowView(window, now);
    },
  });
}

/** The Error of the contract, as clients of the public listener get it. */
const ClientErrorSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    code: Type.String({ description: 'Machine readable error code.', examples: ['SERVICE_MAINTENANCE'] }),
  },
  { $id: 'ClientError', description: 'Exactly the body of an error that clients get.', additionalProperties: false },
);

const PreviewSchema = named('Preview', 'What clients would see of a maintenance window.', {
  valid: Type.Literal(true, { description: 'It could be announced like this; otherwise the answer is 400.' }),
  before: referenceTo(ServiceStatusSchema, '`/v1/status` once it is announced, now.'),
  during: object('What clients get at its start.', {
    status: referenceTo(ServiceStatusSchema, '`/v1/status` at its start, if the feed stays as it is now.'),
    ticker: object('What every other request under /v1 gets, such as `/v1/ticker`.', {
      httpStatus: Type.Integer({ description: 'The HTTP status.', examples: [503] }),
      headers: Type.Unsafe<Record<string, string>>({
        description: 'The headers of the error.',
        type: 'object',
        additionalProperties: { type: 'string' },
        examples: [{ 'Retry-After': '3600' }],
      }),
      body: referenceTo(ClientErrorSchema, 'The body.'),
    }),
  }),
  retryAfterSeconds: count('The Retry-After of that answer.', 3_600),
  overlaps: listOf(WindowSchema, 'Announced and running windows that share an instant with it.'),
});

export const maintenanceOperations = {
  listMaintenance: operation({
    path: '/api/maintenance',
    summary: 'Maintenance windows',
    description: 'Announced, running and past windows.',
    answer: WindowListSchema,
    async handle({ store: { windows }, now }) {
      const current = await windows.list({ currentAt: now });
      const past = await windows.listPast(now, pastShown);
      return { windows: [...current, ...past].map((window) => windowView(window, now)) };
    },
  }),

  announceMaintenance: operation({
    path: '/api/maintenance',
    summary: 'Announce a maintenance window',
    description:
      'Clients see it at once in `/v1/status`; while it runs, everything else is 503 with Retry-After. It may start now, or have started already.',
    access: 'operator',
    body: NewWindowSchema,
    status: 201,
    answer: WindowSchema,
    async handle({ body, store, now }) {
      const window = await store.windows.announce(newWindowOf(body));
      return windowView(window, now);
    },
  }),

  previewMaintenance: operation({
    path: '/api/maintenance/preview',
    summary: 'See what clients would see',
    description: 'Changes nothing. The bodies are built by the code that answers clients.',
    access: 'operator',
    body: NewWindowSchema,
    answer: PreviewSchema,
    async handle({ body, store, now, request }, management) {
      const window = newWindowOf(body);
      assertNewWindow(window, now);
      const current = await store.windows.list({ currentAt: now });
      const at = Math.max(window.from, now) as EpochMs;
      const during = boardWith(management, [...current, window], now, at);
      // The window runs at this instant, so there is such a time.
      const retryAfterSeconds = during.maintenanceRetryAfterSeconds(at)!;
      return {
        valid: true as const,
        before: boardWith(management, [...current, window], now, now).status(now),
        during: { status: during.status(at), ticker: tickerAnswer(retryAfterSeconds, management, request.id) },
        retryAfterSeconds,
        overlaps: current.filter((other) => overlap(other, window)).map((other) => windowView(other, now)),
      };
    },
  }),

  extendMaintenance: operation({
    path: '/api/maintenance/:id/extend',
    summary: 'Extend a maintenance window',
    description: 'Moves its end to a later instant, before it starts or while it runs.',
    ...changing,
    body: ExtensionSchema,
    async handle({ params, body, store, now }) {
      const window = await store.windows.extend(params.id, body.toMs as EpochMs);
      return windowView(window, now);
    },
  }),
  endMaintenance: finishing(
    {
      path: '/api/maintenance/:id/end',
      summary: 'End a running maintenance window now',
      description: 'Everything is served again at once.',
    },
    'end',
  ),
  cancelMaintenance: finishing(
    {
      path: '/api/maintenance/:id/cancel',
      summary: 'Cancel an announced window',
      description: 'Only one that has not started; a running one is ended.',
    },
    'cancel',
  ),
};

/** The board as it will be at `at`: with these windows, and the feed as it is now. */
function boardWith(
  { market: { feedStatus }, clock }: Management,
  windows: readonly NewWindow[],
  now: EpochMs,
  at: EpochMs,
): ServiceBoard {
  const monotonicMs = clock.monotonicMs();
  const board = new ServiceBoard(feedStatus.movedTo(at, now, monotonicMs), { monotonicMs: () => monotonicMs });
  board.setWindows(windows);
  return board;
}

function tickerAnswer(retryAfterSeconds: number, { publicUrls }: Management, requestId: string) {
  const answer = maintenanceProblem(retryAfterSeconds);
  const headers = problemHeaders(answer);
  const { errorsUrl } = publicUrls();
  const text = problemBody({ code: answer.code, detail: answer.detail, requestId, errorsUrl });
  const body = JSON.parse(text) as { status: number };
  return {
    httpStatus: body.status,
    headers: Object.fromEntries(
      headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]!]] : [])),
    ),
    body: body as never,
  };
}
