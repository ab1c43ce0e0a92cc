import { metricGroups } from '../../src/admin/metrics.ts';

const introduction = `# Metrics

What \`/metrics\` of the private listener serves, beside \`mdapi_process_…\` and \`mdapi_nodejs_…\` of the runtime. Counters end in \`_total\`; the
others are gauges unless the text says otherwise. No label holds a key, account or address. How to scrape them: [monitoring](operators/monitoring.md).

Made from the code by \`npm run generate\`: a change here is lost.
`;

/** The reference of all metrics, `docs/metrics.md`. */
export function metricsReference(): string {
  const titles = [...new Set(metricGroups.map(({ title }) => title))];
  return `${[introduction, ...titles.map(section)].join('\n')}`;
}

function section(title: string): string {
  const groups = metricGroups.filter((group) => group.title === title);
  const note = groups.some(({ isOfRedis }) => isOfRedis) ? 'Only with `redis`.\n\n' : '';
  const rows = groups.flatMap(({ metrics, histograms = [] }) => [
    ...metrics.map(({ name, labels = [], help, formerly }) => {
      const former = formerly === undefined ? '' : ` For one version also \`mdapi_${formerly}\`.`;
      return row(name, labels, `${help}${former}`);
    }),
    ...histograms.map(({ name, label, help }) => row(name, [label], `${help} A histogram.`)),
  ]);
  return `## ${title}\n\n${note}| metric | meaning |\n| --- | --- |\n${rows.join('\n')}\n`;
}

function row(name: string, labels: readonly string[], meaning: string): string {
  const shown = labels.length === 0 ? '' : `{${labels.join(',')}}`;
  return `| \`mdapi_${name}${shown}\` | ${meaning} |`;
}
