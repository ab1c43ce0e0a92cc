import { parse, parseAllDocuments } from 'yaml';
import { filesEnding, textOf } from '../repository/files.ts';

/** What of a service in compose.yaml is looked at. */
export interface ComposeService {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly user?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** With the defaults of its variables. */
const composeText = textOf('compose.yaml').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
export const compose = parse(composeText, { merge: true }) as ComposeFile;

export const services = Object.entries(compose.services).map(([name, service]) => ({ name, ...service }));
/** Those that run the program. */
export const programs = services.filter(({ image }) => image.startsWith('market-data-api:'));

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

/** Any object of Kubernetes, as far as it is looked at. */
export interface KubernetesObject {
  readonly file: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly selector: Selector & Readonly<Record<string, string>>;
    readonly podSelector: Partial<Selector>;
    readonly strategy: { readonly rollingUpdate: object };
    readonly scaleTargetRef: { readonly name: string };
    readonly ports: readonly { readonly targetPort: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string | number }[] }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly enableServiceLinks: boolean;
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly serviceAccountName: string;
        readonly securityContext: object;
        readonly volumes: readonly object[];
        readonly topologySpreadConstraints: readonly { readonly labelSelector: Selector }[];
      };
    };
  };
}

const folder = 'ops/kubernetes';

export const kustomization = parse(textOf(`${folder}/kustomization.yaml`)) as {
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly newTag: string }[];
};

/** Every object of ops/kubernetes, the optional ones and the template too. */
export const objects: readonly KubernetesObject[] = filesEnding('.yaml', folder)
  .filter((file) => !file.endsWith('/kustomization.yaml'))
  .flatMap((file) =>
    parseAllDocuments(textOf(file)).map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}`);
      return { file, ...(document.toJS() as Omit<KubernetesObject, 'file'>) };
    }),
  );

export function objectsOf(kind: string): readonly KubernetesObject[] {
  return objects.filter((object) => object.kind === kind);
}

export const deployments = objectsOf('Deployment').map((object) => ({
  name: object.metadata.name,
  ...object.spec,
  pod: object.spec.template.spec,
  labels: object.spec.template.metadata.labels,
  container: object.spec.template.spec.containers[0]!,
}));
