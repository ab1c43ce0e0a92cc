/**
 * Makes the Helm chart in a new folder out of ops/kubernetes, so that there is one text of every object:
 * `node tools/release/chart.ts FOLDER`. Throws when a manifest no longer has what a value of the chart takes the place
 * of.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

interface Replacement {
  /** What every match stands for. */
  readonly of: RegExp;
  readonly by: string;
  readonly times: number;
}

const manifests = new URL('../../ops/kubernetes/', import.meta.url);
const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const names: Replacement = { of: /^ {2}namespace: mdapi$/gm, by: '  namespace: {{ .Release.Namespace }}', times: 1 };
const resources = / {10}resources:\n( {12}.*\n)+/g;

const deployment = (part: 'api' | 'feed'): readonly Replacement[] => [
  { ...names, times: 2 },
  { of: /^ {2}replicas: \d+\n/gm, by: replicasOf(part), times: 1 },
  {
    of: /image: market-data-api:\S+/g,
    by: 'image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}',
    times: 1,
  },
  {
    of: resources,
    by: `          resources:\n            {{- toYaml .Values.${part}.resources | nindent 12 }}\n`,
    times: 1,
  },
  { of: /secretName: mdapi,/g, by: 'secretName: {{ .Values.secretName }},', times: 1 },
  // A changed configuration is another pod template: pods read it at their start.
  {
    of: /^( {4}metadata:\n)(?= {6}labels)/gm,
    by: '$1      annotations: { checksum/configuration: {{ .Values.configuration | sha256sum }} }\n',
    times: 1,
  },
];

/** Each template, from the manifest of its name. */
const templates: Readonly<Record<string, readonly Replacement[]>> = {
  configuration: [
    names,
    { of: /( {2}mdapi\.yaml: \|\n)( {4}.*\n)+/g, by: '$1{{ .Values.configuration | indent 4 }}\n', times: 1 },
  ],
  api: deployment('api'),
  feed: deployment('feed'),
  services: [{ ...names, times: 2 }],
  'disruption-budgets': [{ ...names, times: 2 }],
  'network-policies': [
    { ...names, times: 5 },
    { of: /name: ingress-nginx/g, by: 'name: {{ .Values.networkPolicies.ingressNamespace }}', times: 1 },
    { of: /name: monitoring/g, by: 'name: {{ .Values.networkPolicies.monitoringNamespace }}', times: 1 },
  ],
  autoscaler: [
    names,
    { of: /minReplicas: \d+/g, by: 'minReplicas: {{ .Values.api.replicas }}', times: 1 },
    { of: /maxReplicas: \d+/g, by: 'maxReplicas: {{ .Values.autoscaler.maxReplicas }}', times: 1 },
  ],
};
/** Templates that a value switches. */
const switched: Readonly<Record<string, string>> = {
  'network-policies': '.Values.networkPolicies.enabled',
  autoscaler: '.Values.autoscaler.enabled',
};

const notes = `{{ .Chart.Name }} {{ .Chart.AppVersion }} in {{ .Release.Namespace }}. Its secret {{ .Values.secretName }} must have store and redis.

  kubectl --namespace {{ .Release.Namespace }} rollout status deployment/mdapi-api
  kubectl --namespace {{ .Release.Namespace }} exec deploy/mdapi-api -- mdapi check
`;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('node tools/release/chart.ts FOLDER');
mkdirSync(join(folder, 'templates'), { recursive: true });
for (const [name, replacements] of Object.entries(templates)) {
  const text = replacements.reduce((before, one) => replaced(name, before, one), manifest(name));
  const condition = switched[name];
  const whole = condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
  writeFileSync(join(folder, 'templates', `${name}.yaml`), whole);
}
writeFileSync(join(folder, 'templates/NOTES.txt'), notes);
writeFileSync(join(folder, 'values.yaml'), valuesText());
writeFileSync(
  join(folder, 'Chart.yaml'),
  stringify({ apiVersion: 'v2', name: 'mdapi', type: 'application', description, version, appVersion: version }),
);

function replicasOf(part: string): string {
  const line = `  replicas: {{ .Values.${part}.replicas }}\n`;
  return part === 'feed' ? line : `  {{- if not .Values.autoscaler.enabled }}\n${line}  {{- end }}\n`;
}

function manifest(name: string): string {
  return readFileSync(new URL(`${name}.yaml`, manifests), 'utf8');
}

function replaced(name: string, text: string, { of, by, times }: Replacement): string {
  const found = text.match(of)?.length ?? 0;
  if (found !== times) throw new Error(`${name}.yaml has ${found} of ${of}, not ${times}`);
  return text.replace(of, by);
}

/** The figures of the manifests. */
function valuesText(): string {
  const partOf = (name: string) => {
    const { spec } = parse(manifest(name).split('\n---\n')[1]!);
    return { replicas: spec.replicas, resources: spec.template.spec.containers[0].resources };
  };
  const { images } = parse(manifest('kustomization'));
  return `# The registry your image is in. The tag is the version of the chart, unless it is set.
${stringify({ image: { repository: images[0].newName, tag: '' } })}
# Of the same keys as ops/kubernetes/secret.example.yaml has; made by you, beforehand.
secretName: mdapi

${stringify({ api: partOf('api'), feed: partOf('feed') })}
autoscaler: { enabled: false, maxReplicas: ${parse(manifest('autoscaler')).spec.maxReplicas} }
networkPolicies: { enabled: true, ingressNamespace: ingress-nginx, monitoringNamespace: monitoring }

# The configuration file, without secrets.
${stringify({ configuration: parse(manifest('configuration')).data['mdapi.yaml'] }, { lineWidth: 0 })}`;
}
