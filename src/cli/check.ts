import type { Finding } from './checks.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { type Paint, paintFor, table } from './style.ts';
import { configurationFor } from './with-store.ts';

export const check: Command = {
  name: 'check',
  summary: 'try the configuration, the database, the upstream and the rate source',
  details: [
    'Says of each what works and what does not, and changes nothing. Ends with 1 when something does not work.',
  ],
  examples: [
    { line: 'mdapi check --config /etc/mdapi/mdapi.yaml', note: 'before the first start, or when something is wrong' },
  ],
  async run(input, context) {
    const { configuration, file } = await configurationFor(input, context);
    const { checkAll } = await import('./checks.ts');
    const findings = [
      { name: 'configuration', works: true, detail: file ?? 'defaults and environment, no file' },
      ...(await checkAll(configuration, context)),
    ];
    const works = findings.every((finding) => finding.works);
    return {
      json: { works, findings },
      text: findingsText(findings, paintFor(context)),
      exitCode: works ? exitCodes.ok : exitCodes.failure,
    };
  },
};

function findingsText(findings: readonly Finding[], paint: Paint): string {
  const rows = findings.map(({ name, works, detail }) => [
    name,
    works ? { text: 'works', paint: paint.good } : { text: 'does not work', paint: paint.bad },
    detail,
  ]);
  return table(['CHECK', 'RESULT', 'DETAIL'], rows, paint, '');
}
