import { createInterface } from 'node:readline';
import type { CommandInput, Option } from './command.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

export const yesOption: Option = { name: 'yes', summary: 'do not ask (without a terminal nothing is ever asked)' };

/**
 * Asks before something that cannot be taken back, on stderr. Only a person at a terminal is asked:
 * a script has decided already. Throws `CommandError` unless the answer is `y` or `yes`.
 */
export async function confirm(question: string, input: CommandInput, { stdin, stderr }: Context): Promise<void> {
  if (input.isSet('yes') || !stdin.isTerminal || !stderr.isTerminal) return;
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin.stream, terminal: false });
  let answer = '';
  for await (const line of lines) {
    answer = line;
    break;
  }
  lines.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CommandError(exitCodes.failure, 'not_confirmed', 'Nothing was changed.');
}
