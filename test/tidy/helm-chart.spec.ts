import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readSettings } from '../../src/settings/read.js';
import { ROLES } from '../../src/settings/types.js';

/** The roles with a Deployment of their own. The APIs serve the console. */
const DEPLOYED = ROLES.filter((role) => role !== 'console');
import { DOCUMENTED } from '../../src/settings/settings-page.js';
import { type Manifest, renderChart } from '../support/helm-chart.js';

const EVERYTHING = {
  image: { digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  eventStoreCaSecret: 'ca',
  trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
  settings: { LOG_LEVEL: 'warn' },
  autoscaling: { enabled: false },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
};

interface Pod {
  readonly containers: readonly {
    readonly image: string;
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly readinessProbe: { readonly periodSeconds: number; readonly failureThreshold: number; readonly httpGet: object };
    readonly [key: string]: unknown;
  }[];
  readonly terminationGracePeriodSeconds: number;
}

/** The files of the Secret that docs/kubernetes.md creates, with the one for OpenID Connect. */
const SECRET_FILES = {
  admin_token: 'a'.repeat(32),
  auditor_token: 'b'.repeat(32),
  master_key: `k1:${Buffer.alloc(32).toString('base64')}`,
  database_url: 'postgres://u:p@db/rupa',
  event_store_url: 'esdb://store:2113',
  console_oidc_client_secret: 'secret-of-the-client',
};

const named = (manifests: readonly Manifest[], kind: string): string[] =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);
const only = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found || others.length > 0) throw new Error(`The chart renders ${others.length + (found ? 1 : 0)} objects ${kind} ${name}.`);
  return found;
};
const pod = (manifests: readonly Manifest[], role: string): Pod =>
  (only(manifests, 'Deployment', `rupa-${role}`).spec as { template: { spec: Pod } }).template.spec;
const environment = (manifests: readonly Manifest[], role: string): Record<string, string> =>
  Object.fromEntries((pod(manifests, role).containers[0]?.env ?? []).map(({ name, value }) => [name, value]));

type Model = new (value: never) => { validate(): void };
const MODELS: Readonly<Record<string, Model>> = {
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 Service': Service,
};
/** Its schema belongs to the Prometheus Operator. */
const FOREIGN = 'monitoring.coreos.com/v1 ServiceMonitor';

/** @throws Error if the object is not valid by the schema of its kind, or has another kind than the chart should render */
function validate(manifest: Manifest): void {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  if (kind === FOREIGN) return;
  const Kind = MODELS[kind];
  if (!Kind) throw new Error(`The chart should not render ${kind}.`);
  new Kind(manifest as never).validate();
}

describe.each([
  ['its own values', {}],
  ['every value set', EVERYTHING],
])('the Helm chart, with %s,', (_name, values) => {
  const manifests = renderChart(values);

  it('renders objects that are valid by the schemas of Kubernetes', () => {
    for (const manifest of manifests) validate(manifest);
    const service = only(manifests, 'Service', 'rupa-api');
    expect(() => {
      validate({ ...service, spec: { ports: [{ port: 'http' }] } });
    }).toThrow('integer');
  });

  it('runs every role, each with a budget of disruptions', () => {
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(named(manifests, kind).sort()).toStrictEqual(DEPLOYED.map((role) => `rupa-${role}`).sort());
    for (const role of DEPLOYED) expect(environment(manifests, role).ROLES).toBe(role === 'api' ? 'api,console' : role);
  });

  it('sets only documented settings, with every secret as a file', () => {
    const known = DOCUMENTED.map(({ name }) => name);
    const secrets = ['ADMIN_TOKEN', 'AUDITOR_TOKEN', 'MASTER_KEY', 'DATABASE_URL', 'EVENT_STORE_URL'];
    for (const role of DEPLOYED) {
      const env = environment(manifests, role);
      expect(Object.keys(env).filter((name) => !known.includes(name))).toStrictEqual([]);
      for (const secret of secrets) expect(env).toMatchObject({ [`${secret}_FILE`]: `/run/secrets/rupa/${secret.toLowerCase()}` });
      const others = Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith('_FILE')));
      const given = {
        MASTER_KEY: SECRET_FILES.master_key,
        ADMIN_TOKEN: SECRET_FILES.admin_token,
        AUDITOR_TOKEN: SECRET_FILES.auditor_token,
        DATABASE_URL: SECRET_FILES.database_url,
        EVENT_STORE_URL: SECRET_FILES.event_store_url,
      };
      expect(readSettings({ ...others, ...given })).toMatchObject({
        production: true,
        roles: role === 'api' ? ['api', 'console'] : [role],
      });
    }
  });

  it('takes a pod that stops out of the Service before it stops serving, and kills it later', () => {
    for (const role of DEPLOYED) {
      const { containers, terminationGracePeriodSeconds } = pod(manifests, role);
      const { readinessProbe } = containers[0] ?? {};
      const graceMs = Number(environment(manifests, role).SHUTDOWN_GRACE_MS);
      expect(readinessProbe?.httpGet).toStrictEqual({ path: '/health/ready', port: 'http' });
      expect((readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0) * 1_000).toBeLessThan(graceMs);
      // A process gives up 15 s after the grace period; the slowest request takes 20 s.
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(graceMs + 20_000);
    }
  });

  it('runs pods without privileges, with limits, and closes the network except for what they need', () => {
    for (const role of DEPLOYED)
      expect(pod(manifests, role)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
        containers: [
          {
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
            resources: { limits: { cpu: expect.any(String), memory: expect.any(String) }, requests: expect.any(Object) },
          },
        ],
      });
    expect(named(manifests, 'NetworkPolicy')).toStrictEqual(['rupa', 'rupa-api', 'rupa-webhooks']);
    expect(only(manifests, 'NetworkPolicy', 'rupa').spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
  });
});

/** The settings of an OpenID provider, as docs/kubernetes.md shows them. */
const [, signIn = ''] = /```yaml\n(settings:\n[\s\S]*?)```/.exec(readFileSync('docs/kubernetes.md', 'utf8')) ?? [];

describe('the Helm chart, with the values for OpenID Connect of docs/kubernetes.md,', () => {
  const values = parse(signIn) as {
    readonly settings: Readonly<Record<string, string>>;
    readonly networkPolicy: { readonly egress: unknown[] };
  };
  const manifests = renderChart(values);

  it('gives every process settings of the OpenID provider that a start accepts, with its secret from a file', () => {
    const secrets = mkdtempSync(join(tmpdir(), 'rupa-chart-'));
    try {
      for (const [name, value] of Object.entries(SECRET_FILES)) writeFileSync(join(secrets, name), value);
      for (const role of DEPLOYED) {
        const env = environment(manifests, role);
        expect(env).toMatchObject(values.settings);
        expect(env).not.toHaveProperty('CONSOLE_OIDC_CLIENT_SECRET');
        const here = Object.entries(env).map(([name, value]) => [name, value.replace('/run/secrets/rupa', secrets)]);
        expect(readSettings(Object.fromEntries(here) as Record<string, string>).consoleSignIn).toMatchObject({
          issuer: values.settings.CONSOLE_OIDC_ISSUER,
          clientId: values.settings.CONSOLE_OIDC_CLIENT_ID,
          clientSecret: SECRET_FILES.console_oidc_client_secret,
          rolesClaim: values.settings.CONSOLE_OIDC_ROLES_CLAIM,
        });
      }
    } finally {
      rmSync(secrets, { recursive: true });
    }
  });

  it('lets every process call the provider, and without these values nothing but stores and DNS', () => {
    const egress = (chart: readonly Manifest[]): unknown[] => only(chart, 'NetworkPolicy', 'rupa').spec.egress as unknown[];
    for (const manifest of manifests) validate(manifest);
    expect(egress(manifests)).toStrictEqual([...egress(renderChart()), ...values.networkPolicy.egress]);
    expect(egress(renderChart())).toHaveLength(2);
  });
});

describe('the Helm chart, with an address of its own for the console,', () => {
  const ingress = { enabled: true, tlsSecret: 'tls', annotations: { a: 'b' } };
  const values = { trustedProxies: ['10.0.0.1'], ingress, console: { enabled: true, ingress, callers: [{ podSelector: {} }] } };
  const manifests = renderChart(values);
  const pathsOf = (name: string): string[] => {
    const [rule] = (only(manifests, 'Ingress', name).spec as { rules: { http: { paths: { path: string }[] } }[] }).rules;
    return (rule?.http.paths ?? []).map(({ path }) => path);
  };

  it('runs it in pods that serve administrators, and the API without it', () => {
    for (const manifest of manifests) validate(manifest);
    expect(named(manifests, 'Deployment').sort()).toStrictEqual(['rupa-api', 'rupa-console', 'rupa-projector', 'rupa-webhooks']);
    expect(environment(manifests, 'api').ROLES).toBe('api');
    expect(environment(manifests, 'console')).toMatchObject({
      ROLES: 'api,console',
      CONSOLE_URL: 'https://console.rupa.example',
      TRUSTED_PROXIES: '10.0.0.1',
    });
    expect(named(manifests, 'NetworkPolicy')).toContain('rupa-console');
    expect(only(manifests, 'Service', 'rupa-console').spec).toMatchObject({ selector: { 'app.kubernetes.io/component': 'console' } });
  });

  it('leads partners to the paths of docker-compose.yml’s balancer, and administrators to the console’s pods', () => {
    const [, pattern = ''] = /acl for_partners path,url_dec -m reg (\S+)/.exec(readFileSync('ops/haproxy/haproxy.cfg', 'utf8')) ?? [];
    const paths = pathsOf('rupa-api');
    for (const path of paths)
      expect([path, new RegExp(pattern).test(path) || new RegExp(pattern).test(`${path}/x`)]).toStrictEqual([path, true]);
    for (const path of ['/admin', '/console', '/metrics']) expect(paths).not.toContain(path);
    expect(pathsOf('rupa-console')).toStrictEqual(['/']);
    expect(named(renderChart(), 'Ingress')).toStrictEqual([]);
  });
});

describe('the Helm chart', () => {
  it('scales the API, unless that is turned off', () => {
    const [own, set] = [renderChart(), renderChart(EVERYTHING)];
    expect(only(own, 'HorizontalPodAutoscaler', 'rupa-api').spec).toMatchObject({
      scaleTargetRef: { name: 'rupa-api', kind: 'Deployment' },
    });
    expect(only(own, 'Deployment', 'rupa-api').spec).not.toHaveProperty('replicas');
    expect(named(set, 'HorizontalPodAutoscaler')).toStrictEqual([]);
    expect(only(set, 'Deployment', 'rupa-api').spec).toMatchObject({ replicas: 2 });
  });

  it('passes on what is set, and lets Prometheus scrape every pod under the job of the alerts', () => {
    const set = renderChart(EVERYTHING, 'rupa');
    expect(environment(set, 'api')).toMatchObject({ TRUSTED_PROXIES: '10.0.0.1,10.1.0.0/16', LOG_LEVEL: 'warn' });
    expect(environment(set, 'webhooks')).not.toHaveProperty('TRUSTED_PROXIES');
    expect(pod(set, 'api').containers[0]?.image).toBe(`rupa-ledger@sha256:${'a'.repeat(64)}`);
    expect(only(set, 'ServiceMonitor', 'rupa')).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/component': 'metrics' } },
        endpoints: [{ port: 'metrics', relabelings: [{ targetLabel: 'job', replacement: 'rupa' }] }],
      },
    });
    expect(only(set, 'Service', 'rupa-metrics').metadata.labels).toHaveProperty(['app.kubernetes.io/component'], 'metrics');
    expect(readFileSync('ops/prometheus/alerts.yml', 'utf8')).toContain('up{job="rupa"}');
  });
});
