import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Configuration, publicUrls } from '../configuration/configuration.ts';
import { noProofTexts, type Proof, proofText } from '../history/query/prove.ts';
import { evidencePage } from '../operator/evidence.ts';
import type { Command } from './command.ts';
import { CommandError, exitCodes, writing } from './failure.ts';
import { withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';
import { parseRequestId } from './values.ts';

/** A command that proves an answer and makes a file of it, for its owner alone. */
function proving(
  name: 'history prove' | 'history evidence',
  make: (proof: Proof, configuration: Configuration) => string,
): Command {
  return storeCommand(name, {
    read: (input) => parseRequestId(input.argument('REQUEST_ID')),
    async work({ input, values: id, configuration, context }) {
      const proof = await withRecord(configuration, context.clock, (record) => record.prove(id));
      if (typeof proof === 'string') {
        const exitCode = proof === 'unknown' ? exitCodes.notFound : exitCodes.failure;
        throw new CommandError(exitCode, `answer_${proof}`, noProofTexts[proof]);
      }
      const file = resolve(context.cwd, input.required('out'));
      writing(file, '--out', () => writeFileSync(file, make(proof, configuration), { mode: 0o600, flag: 'wx' }));
      const { head, seal } = proof;
      const open =
        seal.due === null ? 'no seal: retention deleted the way to it' : `no seal yet: there is after ${seal.due}`;
      return {
        json: { file, head, seal },
        text: `Wrote ${file}, with ${seal.day ? `the seal of ${seal.day}` : open}.`,
      };
    },
  });
}

export const proofCommands = [
  proving('history prove', proofText),
  proving('history evidence', (proof, configuration) => {
    const { server, timeZone = 'UTC' } = configuration;
    return evidencePage(proof, publicUrls(server, server.port).baseUrl, timeZone);
  }),
];
