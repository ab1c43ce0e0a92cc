import Type from 'typebox';
import { ServiceBoard } from '../../board/service-board.ts';
import type { EpochMs } from '../../clock.ts';
import { problemBody } from '../../contract/errors.ts';
import { ErrorSchema } from '../../contract/schemas.ts';
import { maintenanceProblem } from '../../http/pipeline.ts';
import { problemHeaders } from '../../http/response-writer.ts';
import { FeedStatus } from '../../market/service-status.ts';
import { component, count } from '../../operator/fields.ts';
import { type WindowSchema, windowView } from '../../operator/window.ts';
import { assertNewWindow, type NewWindow, type WindowRecord } from '../../store/windows.ts';
import type { Management } from '../sources.ts';
import { NewWindowSchema, newWindowOf } from './new-window.ts';
import { operation } from './operation.ts';
import type { ServiceStatusSchema } from './overview.ts';

/** The Error of the contract, as clients of the public listener get it. */
export const ClientErrorSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    code: Type.String({ description: 'Machine readable error code.', examples: ['SERVICE_MAINTENANCE'] }),
  },
  { description: 'Exactly the body of an error that clients get.', additionalProperties: false },
);

export const PreviewSchema = Type.Object(
  {
    valid: Type.Literal(true, { description: 'It could be announced like this; otherwise the answer is 400.' }),
    before: component<typeof ServiceStatusSchema>('ServiceStatus', '`/v1/status` once it is announced, now.'),
    during: Type.Object(
      {
        status: component<typeof ServiceStatusSchema>(
          'ServiceStatus',
          '`/v1/status` at its start, if the feed goes on as it does now.',
        ),
        ticker: Type.Object(
          {
            httpStatus: Type.Integer({ description: 'The HTTP status.', examples: [503] }),
            headers: Type.Unsafe<Record<string, string>>({
              description: 'The headers of the error.',
              type: 'object',
              additionalProperties: { type: 'string' },
              examples: [{ 'Retry-After': '3600' }],
            }),
            body: component<typeof ClientErrorSchema>('ClientError', 'The body.'),
          },
          { description: 'What every other request under /v1 gets, such as `/v1/ticker`.' },
        ),
      },
      { description: 'What clients get at its start.' },
    ),
    retryAfterSeconds: count('The Retry-After of that answer.', 3_600),
    overlaps: Type.Array(component<typeof WindowSchema>('Window'), {
      description: 'Announced and running windows that share an instant with it.',
    }),
  },
  { description: 'What clients would see of a window.' },
);

export const previewMaintenance = operation({
  method: 'POST',
  path: '/api/maintenance/preview',
  operationId: 'previewMaintenance',
  tag: 'Maintenance',
  summary: 'See what clients would see',
  description: 'Changes nothing. The bodies are made by what makes those of clients.',
  body: NewWindowSchema,
  answer: { status: 200, description: 'The bodies.', schema: component<typeof PreviewSchema>('Preview') },
  async handle({ body, store, now, request }, management) {
    const window = newWindowOf(body);
    assertNewWindow(window, now);
    const current = await store.windows.list({ currentAt: now });
    const at = Math.max(window.from, now) as EpochMs;
    const during = boardWith(management, [...current, window], now, at);
    // It runs at this instant, so that there is such a time.
    const retryAfterSeconds = during.maintenanceRetryAfterSeconds(at)!;
    return {
      valid: true as const,
      before: boardWith(management, [...current, window], now, now).status(now),
      during: { status: during.status(at), ticker: tickerAnswer(retryAfterSeconds, management, request.id) },
      retryAfterSeconds,
      overlaps: current.filter((other) => overlap(other, window)).map((other) => windowView(other, now)),
    };
  },
});

/** The board as it will be at `at`: with these windows, and a feed whose data is then as old as it is now. */
function boardWith(
  { market: { feedStatus }, clock }: Management,
  windows: readonly NewWindow[],
  now: EpochMs,
  at: EpochMs,
): ServiceBoard {
  const monotonicMs = clock.monotonicMs();
  const ageMs = feedStatus.ageMs(now, monotonicMs);
  const feed = new FeedStatus();
  if (ageMs === undefined) feed.pathChanged(feedStatus.path);
  else feed.feedCurrent(feedStatus.path, (at - ageMs) as EpochMs, monotonicMs - ageMs);
  const board = new ServiceBoard(feed, { monotonicMs: () => monotonicMs });
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

function overlap(one: WindowRecord, other: NewWindow): boolean {
  return one.from < other.to && other.from < one.to;
}
