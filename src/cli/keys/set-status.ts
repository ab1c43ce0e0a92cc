import { unknownKey } from '../../store/key-record.ts';
import type { KeyStatus } from '../../store/keys.ts';
import type { CommandInput, Result } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { Context } from '../context.ts';
import { harmless, paintFor, pairs } from '../style.ts';
import { withStore } from '../with-store.ts';
import { keyIdFrom, keyJson, keyLines, keyState } from './describe.ts';

/** Gives the key on the command line this status, after `question` (if any) was answered with yes. */
export function setKeyStatus(
  input: CommandInput,
  context: Context,
  status: KeyStatus,
  question?: (key: string) => string,
): Promise<Result> {
  const id = keyIdFrom(input);
  return withStore(input, context, async (store) => {
    const found = await store.keys.get(id);
    if (found === undefined) throw unknownKey(id);
    const label = found.label === '' ? '' : ` "${found.label}"`;
    const known = harmless(`${id}${label} (ends in ${found.lastFour}, ${found.accountEmail})`);
    if (question !== undefined && found.status !== status) await confirm(question(known), input, context);
    const key = await store.keys.setStatus(id, status);
    const paint = paintFor(context);
    const state = keyState(key, found.accountActive, context.clock.now());
    return { json: keyJson(key), text: pairs(keyLines(key, state, paint), paint) };
  });
}
