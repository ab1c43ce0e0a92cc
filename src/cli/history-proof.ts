import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publicUrls } from '../configuration/configuration.ts';
import { noProofTexts, type Proof, proofText } from '../history/query/prove.ts';
import { evidencePage } from '../operator/evidence.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes, writing } from './failure.ts';
import { withRecord } from './record.ts';
import { type Job, storeCommand } from './store-command.ts';
import { parseRequestId } from './values.ts';

export const prove = storeCommand({
  name: 'history prove',
  summary: 'write a proof of one answer alone',
  positionals: { REQUEST_ID: { summary: '`requestId` of a problem, or X-Request-Id of any answer' } },
  options: {
    out: { value: 'FILE', required: true, summary: 'the file to make' },
  },
  examples: {
    'mdapi history prove 6f1c2a9e4b7d4f08a3c5e1d2b4f60718 --out FILE': 'once its day is over (UTC)',
  },
  read: ({ positionals }) => parseRequestId(positionals.REQUEST_ID),
  work: (job) => writeProof(job, job.options.out, proofText),
});

export const evidence = storeCommand({
  name: 'history evidence',
  summary: 'write a page about one answer, with its proof inside',
  positionals: { REQUEST_ID: { summary: '`requestId` of a problem, or X-Request-Id of any answer' } },
  options: {
    out: { value: 'FILE', required: true, summary: 'the file to make' },
  },
  examples: {
    'mdapi history evidence 6f1c2a9e4b7d4f08a3c5e1d2b4f60718 --out FILE': 'once its day is over (UTC)',
  },
  read: ({ positionals }) => parseRequestId(positionals.REQUEST_ID),
  work: (job) => {
    const { server, timeZone = 'UTC' } = job.configuration;
    const { baseUrl } = publicUrls(server, server.port);
    return writeProof(job, job.options.out, (proof) => evidencePage(proof, baseUrl, timeZone));
  },
});

/** Proves an answer and makes a file of it, for its owner alone. Throws `CommandError` where there is no proof. */
async function writeProof(
  { values: id, configuration, context }: Pick<Job<string>, 'values' | 'configuration' | 'context'>,
  out: string,
  textOf: (proof: Proof) => string,
): Promise<Result> {
  const proof = await withRecord(configuration, context.clock, (record) => record.prove(id));
  if (typeof proof === 'string') {
    const exitCode = proof === 'unknown' ? exitCodes.notFound : exitCodes.failure;
    throw new CommandError(exitCode, `answer_${proof}`, noProofTexts[proof]);
  }
  const file = resolve(context.cwd, out);
  writing(file, '--out', () => writeFileSync(file, textOf(proof), { mode: 0o600, flag: 'wx' }));
  const { head, seal } = proof;
  const open =
    seal.due === null ? 'no seal: retention deleted the way to it' : `no seal yet: there is after ${seal.due}`;
  return {
    json: { file, head, seal },
    text: `Wrote ${file}, with ${seal.day ? `the seal of ${seal.day}` : open}.`,
  };
}
