import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { conditions } from '../../src/conditions/list.ts';
import { clusterMetrics } from '../support/cluster-metrics.ts';
import type { Metrics } from '../support/metrics-text.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { textOf } from './files.ts';
import { anchorsOf } from './markdown.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly refId: string; readonly datasource: { uid: string } }[];
}

const alertsFile = 'ops/prometheus/alerts.yml';
const { groups } = parse(textOf(alertsFile)) as { groups: readonly { name: string; rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf('ops/grafana/market-data-api.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; query: unknown }[] };
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
  ...dashboard.annotations.list.flatMap(({ expr }) => (expr === undefined ? [] : [{ where: 'annotation', expr }])),
];

describe('the metrics that alerts and dashboard ask for', () => {
  let metrics: Pick<Metrics, 'types' | 'samples'>;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    const service = await ServiceHarness.start({ after: (run) => cleanups.push(run as () => unknown) });
    await service.api.get('/v1/none-such');
    const alone = await service.metrics();
    const cluster = await clusterMetrics(alone);
    metrics = {
      types: new Map([...alone.types, ...cluster.types]),
      samples: [...alone.samples, ...cluster.samples],
    };
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  /** A histogram is asked for by its series. */
  const isServed = (name: string) =>
    metrics.types.has(name) || metrics.types.has(name.replace(/_(bucket|sum|count)$/, ''));

  test('are all served', () => {
    const unknown = expressions.flatMap(({ where, expr }) =>
      [...expr.matchAll(/\bmdapi_\w+/g)].flatMap(([name]) => (isServed(name) ? [] : [`${where}: ${name}`])),
    );
    assert.deepEqual(unknown, []);
    assert.ok(expressions.length > 50);
  });

  test('have the labels they are chosen and summed by', () => {
    const wrong: string[] = [];
    let seen = 0;
    for (const { where, expr } of expressions) {
      for (const [, name = '', selector = ''] of expr.matchAll(/\b(mdapi_\w+)(?:\{([^}]*)\})?/g)) {
        const labels = metrics.samples.filter((sample) => sample.name === name).map((sample) => sample.labels);
        if (labels.length === 0) continue;
        for (const [, label = '', operator, value = ''] of selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
          // Prometheus itself adds these two.
          if (label === 'job' || label === 'instance') continue;
          seen++;
          const values = new Set(labels.map((one) => one[label]));
          if (values.has(undefined) || (operator === '=' && !values.has(value)))
            wrong.push(`${where}: ${name} has ${label} ${[...values].join(', ')}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(seen > 10, `only ${seen} were looked at`);
  });

  test('of our own are all on the dashboard', () => {
    const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ');
    const own = [...metrics.types.keys()].filter(
      (name) => !/^mdapi_(nodejs|process|guard_held|market_held)/.test(name),
    );
    assert.ok(own.length > 25);
    assert.deepEqual(
      own.filter((name) => !new RegExp(`\\b${name}(_bucket)?\\b`).test(shown)),
      [],
    );
  });

  test('count from zero, so that the first error is a rise', () => {
    for (const code of ['INTERNAL_ERROR', 'MARKET_DATA_UNAVAILABLE']) {
      assert.ok(
        metrics.samples.some(({ name, labels }) => name === 'mdapi_errors_total' && labels.code === code),
        code,
      );
    }
    for (const category of ['key', 'address', 'failedAuthentication']) {
      const found = metrics.samples.some(
        ({ name, labels }) => name === 'mdapi_limited_requests_total' && labels.category === category,
      );
      assert.ok(found, category);
    }
  });
});

describe('every rule', () => {
  const runbook = textOf('docs/runbook.md');

  test('has a name of its own, a severity, a summary, a description and a section of the runbook', () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity ?? '', /^(critical|warning)$/, alert);
      assert.match(annotations.summary ?? '', /^\S.*[^.]$/, alert);
      assert.match(annotations.description ?? '', /^\S.*\.$/, alert);
      assert.equal(annotations.runbook_url, `docs/runbook.md#${alert.toLowerCase()}`);
      assert.ok(anchorsOf(runbook).has(alert.toLowerCase()), `a section on ${alert}`);
    }
  });

  test('is seen firing in a test of its own', () => {
    const tests = parse(textOf('ops/prometheus/alerts.test.yml')) as {
      tests: { alert_rule_test?: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const fired = tests.tests.flatMap(({ alert_rule_test: steps = [] }) =>
      steps.filter(({ exp_alerts: expected }) => expected.length > 0).map(({ alertname }) => alertname),
    );
    for (const { alert } of rules) assert.ok(fired.includes(alert), `${alert} in alerts.test.yml`);
  });
});

test('every condition is explained in the runbook, with where to look and what to do; and no section is of one that is gone', () => {
  const sections = new Map(
    textOf('docs/runbook.md')
      .split(/^### /m)
      .slice(1)
      .map((text) => [text.split('\n', 1)[0], text]),
  );
  assert.deepEqual([...sections.keys()].toSorted(), Object.keys(conditions).toSorted());
  for (const [code, text] of sections) {
    for (const part of ['**Look**', '**Do**']) {
      assert.ok(text.includes(part), `${code}: ${part}`);
    }
  }
});

describe('the dashboard', () => {
  test('takes its data source, job and instance from variables', () => {
    assert.deepEqual(
      dashboard.templating.list.map(({ name, type }) => [name, type]),
      [
        ['datasource', 'datasource'],
        ['job', 'query'],
        ['instance', 'query'],
      ],
    );
    for (const { title, datasource, targets = [] } of panels) {
      for (const { uid } of [datasource!, ...targets.map((target) => target.datasource)]) {
        assert.equal(uid, '${'.concat('datasource}'), title);
      }
      for (const { expr } of targets) assert.ok(expr.includes('job=~"$job", instance=~"$instance"'), title);
    }
  });

  test('has panels with a title, a text, a unit and something to show, none like another and none over another', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
    const taken = new Set<string>();
    for (const { title, description = '', fieldConfig, targets = [], gridPos } of panels) {
      assert.match(title, /^[A-Z0-9]/);
      assert.match(description, /^[A-Z].*\.$/, title);
      assert.match(fieldConfig?.defaults.unit ?? '', /^(none|short|s|bytes|percentunit|reqps|ops)$/, title);
      assert.ok(targets.length > 0, title);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(x < 24 && !taken.has(`${x},${y}`), `${title} at ${x},${y}`);
          taken.add(`${x},${y}`);
        }
      }
    }
  });
});
