import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Configuration, publicUrls } from '../configuration/configuration.ts';
import { noProofTexts, type Proof, proofText } from '../history/query/prove.ts';
import { evidencePage } from '../operator/evidence.ts';
import type { Command } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';
import { instantCell, pairs } from './style.ts';
import { parseRequestId } from './values.ts';

/** A command that proves an answer and writes a file of it, for its owner alone. */
function proving(
  { name, summary, file }: Readonly<Record<'name' | 'summary' | 'file', string>>,
  make: (proof: Proof, configuration: Configuration) => string,
): Command {
  return storeCommand({
    name,
    summary,
    positionals: [{ name: 'REQUEST_ID', summary: '`requestId` of a problem, or X-Request-Id of any answer' }],
    options: [{ name: 'out', value: 'FILE', required: true, summary: 'the file to make' }],
    examples: { [`mdapi ${name} 6f1c2a9e4b7d4f08a3c5e1d2b4f60718 --out ${file}`]: 'with the seal of its day inside' },
    read: (input) => parseRequestId(input.argument('REQUEST_ID')),
    async work({ input, values: id, configuration, paint, context }) {
      const proof = await withRecord(configuration, context.clock, (record) => record.prove(id));
      if (typeof proof === 'string') {
        const exitCode = proof === 'unknown' ? exitCodes.notFound : exitCodes.failure;
        throw new CommandError(exitCode, `answer_${proof}`, noProofTexts[proof]);
      }
      const out = resolve(context.cwd, input.required('out'));
      try {
        writeFileSync(out, make(proof, configuration), { mode: 0o600, flag: 'wx' });
      } catch (error) {
        throw new CommandError(exitCodes.failure, 'not_written', `${(error as Error).message}.`);
      }
      const { answer, head, seal } = proof;
      const due = `It is sealed after ${seal.due}: prove it again then.`;
      const sealed = seal.day ?? (seal.due === null ? 'no: retention deleted the way to its seal' : 'not yet');
      const facts = [
        ['Key', answer.keyId],
        ['Answered', instantCell(answer.answeredAt)],
        ['Seal of', sealed],
        ['Head', head],
        ['File', out],
      ] as const;
      return { json: { file: out, head, seal }, text: pairs(facts, paint), notes: seal.due === null ? [] : [due] };
    },
  });
}

export const prove = proving(
  { name: 'history prove', summary: 'write a proof of one answer alone', file: 'proof.json' },
  proofText,
);

export const evidence = proving(
  { name: 'history evidence', summary: 'write a page about one answer, with its proof inside', file: 'evidence.html' },
  (proof, { server, timeZone = 'UTC' }) => evidencePage(proof, publicUrls(server, server.port).baseUrl, timeZone),
);
