import type { RequestView } from '../operator/request.ts';
import type { KeyWithAccount } from '../store/key-record.ts';
import type { Command } from './command.ts';
import { failure } from './failure.ts';
import { askServer, privateUrl } from './private-listener.ts';
import { storeCommand } from './store-command.ts';
import { type Cell, instantCell, type Paint, pairs } from './style.ts';
import { parseRequestId } from './values.ts';

export const requests: Command = storeCommand('requests', {
  read: (input) => parseRequestId(input.argument('REQUEST_ID')),
  async work({ values: id, configuration: { admin }, store, context: { clock }, paint }) {
    type Answer = RequestView | { kind: string } | null | undefined;
    const answer = (await askServer(admin, clock, `/requests/${id}`)) as Answer;
    if (answer && 'route' in answer) {
      const key = answer.keyId === null ? undefined : await store.keys.get(answer.keyId);
      return { json: answer, text: pairs(linesOf(answer, key, paint), paint) };
    }
    if (answer?.kind === 'unknown_request') throw failure('request_unknown.server', { id });
    throw failure('server_unreachable.requests', { url: privateUrl(admin) });
  },
});

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
