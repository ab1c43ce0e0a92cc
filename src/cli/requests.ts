import type { RequestView } from '../operator/request.ts';
import type { KeyWithAccount } from '../store/key-record.ts';
import { CommandError, exitCodes } from './failure.ts';
import { askServer, privateUrl } from './private-listener.ts';
import { storeCommand } from './store-command.ts';
import { type Cell, instantCell, type Paint, pairs } from './style.ts';
import { parseRequestId } from './values.ts';

const requests = storeCommand({
  name: 'requests',
  summary: 'find a request by the id that its client quotes',
  details: [
    'Asks the running server, which knows its latest 10,000 requests of valid keys and as many others. Older ones and those of other processes are in the access log (logs.access).',
  ],
  positionals: { REQUEST_ID: { summary: '`requestId` of a problem, or X-Request-Id of any answer' } },
  examples: {
    'mdapi requests 6f1c2a9e4b7d4f08a3c5e1d2b4f60718': 'whose it was and how it was answered',
  },
  read: ({ positionals }) => parseRequestId(positionals.REQUEST_ID),
  async work({ values: id, configuration: { admin }, store, context: { clock }, paint }) {
    type Answer = RequestView | { kind: string } | null | undefined;
    const answer = (await askServer(admin, clock, `/requests/${id}`)) as Answer;
    if (answer && 'route' in answer) {
      const key = answer.keyId === null ? undefined : await store.keys.get(answer.keyId);
      return { json: answer, text: pairs(linesOf(answer, key, paint), paint) };
    }
    throw answer?.kind === 'unknown_request' ? requestUnknown(id) : serverUnreachable(privateUrl(admin));
  },
});

export const commands = [requests];

function requestUnknown(id: string): CommandError {
  const message = `The server does not know the request ${id}, or not any more. Look in the access log (logs.access).`;
  return new CommandError(exitCodes.notFound, 'request_unknown', message);
}

function serverUnreachable(url: string): CommandError {
  const message = `No server answers at ${url}, and only it knows its requests. Is it this configuration’s?`;
  return new CommandError(exitCodes.failure, 'server_unreachable', message);
}

function linesOf(request: RequestView, key: KeyWithAccount | undefined, paint: Paint): [string, Cell][] {
  const { requestId, at, route, status, code, durationMs, bytes, keyId } = request;
  const known = key === undefined ? '' : ` "${key.label}" of ${key.accountEmail} (${key.accountId})`;
  const answer = `${status}${code === null ? '' : ` ${code}`}`;
  return [
    ['Request', requestId],
    ['Answered', `${instantCell(at)}, in ${durationMs} ms`],
    ['Route', route],
    ['Answer', { text: answer, paint: status < 400 ? paint.good : paint.bad }],
    ['Size', `${bytes} bytes`],
    ['Key', keyId === null ? 'none that is valid' : `${keyId}${known}`],
  ];
}
