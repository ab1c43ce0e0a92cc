import { styleText } from 'node:util';
import { readMetrics } from '../test/support/metrics-text.ts';
import type { LocalCluster } from './local-cluster.ts';
import { ask, type ServeProcess } from './serve-process.ts';

/** The cluster at one moment. */
export interface ClusterView {
  readonly rows: readonly Row[];
  readonly leader: string | undefined;
  /** What `/v1/status` says through nginx. */
  readonly status: string;
}

interface Row {
  readonly name: string;
  readonly isServing: boolean;
  readonly leads: boolean;
  readonly requests: number;
  readonly cells: readonly string[];
}

const headings = ['PROCESS', 'STATE', 'PID', 'FEED', 'ANSWERED', 'DATA AGE', 'LIMITS IN', 'DATABASE'];

/** Looks at the cluster from outside. Takes a second at most, whatever does not answer. */
export async function look({ baseUrl, processes, secrets }: LocalCluster, before?: ClusterView): Promise<ClusterView> {
  const [rows, [code, body]] = await Promise.all([
    Promise.all(processes.map((each, index) => lookAt(each, before?.rows[index]?.requests))),
    ask(`${baseUrl}/v1/status`, secrets.viewKey),
  ]);
  const status = code === '200' ? String((JSON.parse(body) as { status: unknown }).status) : code;
  return { rows, leader: rows.find(({ leads }) => leads)?.name, status };
}

/** @param before the requests it had answered at the last look */
async function lookAt({ name, role, pid, adminUrl }: ServeProcess, before: number | undefined): Promise<Row> {
  const silent = { name, isServing: false, leads: false, requests: 0 };
  if (pid === undefined) return { ...silent, cells: [name, 'dead', '-', '-', '-', '-', '-', '-'] };
  const [[, ready], [code, text]] = await Promise.all([ask(`${adminUrl}/readyz`), ask(`${adminUrl}/metrics`)]);
  if (code !== '200' || ready === '') return { ...silent, cells: [name, 'silent', `${pid}`, '-', '-', '-', '-', '-'] };
  const { samples, value } = readMetrics(text);
  const ofRequests = samples.filter((sample) => sample.name === 'mdapi_requests_total');
  const requests = ofRequests.reduce((sum, sample) => sum + sample.value, 0);
  const age = samples.find((sample) => sample.name === 'mdapi_market_data_age_seconds')?.value;
  const { phase } = JSON.parse(ready) as { phase: string };
  const leads = value('mdapi_feed_leading') === 1;
  const isApi = role === 'api';
  const cells = [
    name,
    phase,
    `${pid}`,
    isApi ? '-' : leads ? 'leads' : 'standby',
    isApi ? `${requests}${before !== undefined && requests > before ? ' <' : ''}` : '-',
    age === undefined ? '-' : `${age.toFixed(1)} s`,
    isApi ? (value('mdapi_redis_limits_up') === 1 ? 'Redis' : 'itself') : '-',
    value('mdapi_store_reachable') === 1 ? 'reachable' : 'unreachable',
  ];
  return { name, isServing: phase === 'serving', leads, requests, cells };
}

/** The live part of the screen. `answers` are those to the polling client, by status. */
export function tableOf({ rows, status }: ClusterView, answers: ReadonlyMap<string, number>): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row.cells[column]!.length)),
  );
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  const counts = [...answers].toSorted().map(([answer, count]) => `${answer} ×${count}`);
  const colourOf = ({ isServing, leads }: Row) => (isServing ? (leads ? 'green' : 'reset') : 'red');
  return [
    `Service: ${styleText(status === 'operational' ? 'green' : 'yellow', status)}`,
    `A client that polls /v1/tickers got: ${counts.join(', ')}`,
    '',
    styleText('bold', line(headings)),
    ...rows.map((row) => styleText(colourOf(row), line(row.cells))),
  ];
}
