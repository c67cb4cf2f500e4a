import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from './declaration.js';
import { readSettings, SettingsInvalid } from './read.js';

function sentences(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsInvalid) return error.sentences;
    throw error;
  }
  return [];
}

const production = {
  NODE_ENV: 'production',
  EVENT_STORE_URL: 'esdb://store:2113?tls=false',
  DATABASE_URL: 'postgres://u:p@db/rupa',
  MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
  ADMIN_TOKEN: 'a'.repeat(32),
  AUDITOR_TOKEN: 'b'.repeat(32),
};

describe('settings', () => {
  it.each([
    ['sslMode', 'sslmode'],
    ['ssl_mode', 'sslmode'],
    ['SSLMODE', 'sslmode'],
    ['sslrootcrt', 'sslrootcert'],
    ['sslRootCert', 'sslrootcert'],
  ])('refuse a DATABASE_URL whose option %s would be ignored, and TLS with it', (wrong, meant) => {
    const reason = `its option ${wrong} does not exist and would be ignored. Write ${meant}.`;
    for (const url of [`postgres://u:p@db/rupa?${wrong}=verify-full`, `postgres://u:p@db/rupa?application_name=a&${wrong}=verify-full`])
      expect(sentences({ ...production, DATABASE_URL: url })).toStrictEqual([`DATABASE_URL is wrong: ${reason}`]);
  });

  it.each(['sslmode=require', 'sslmode=disable&sslcrl=/crl', 'host=/run&ssl=1', 'channel_binding=require', 'sslsni=1'])(
    'take a DATABASE_URL with %s',
    (options) => {
      expect(sentences({ ...production, DATABASE_URL: `postgres://u:p@db/rupa?${options}` })).toStrictEqual([]);
    },
  );

  it.each(VARIABLES.map(({ name }) => name))('show neither a password in a URL nor all of a long text that is wrong: %s', (name) => {
    const shown = [
      'postgres://rupa:p4ssword@db/rupa',
      'esdb://rupa:p4ss:w@r/d@db:2113',
      `a https://rupa:p4ssword@db`,
      `https://rupa:p4ssword@db,`,
      `${'x'.repeat(300)}p4ssword`,
    ].map((value) => sentences({ [name]: value }).join('\n'));
    expect(shown.filter((text) => text.includes('p4ss'))).toStrictEqual([]);
  });

  it('have defaults for everything with embedded stores', () => {
    expect(readSettings({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      complianceRatio: 1,
      issuer: { name: undefined, address: undefined, taxId: undefined, prefix: 'RUPA' },
      rateLimitPerSecond: { live: 100, sandbox: 25 },
      failedAuthenticationsPerMinute: 60,
      logLevel: 'info',
      production: false,
    });
  });

  it('serve metrics only if METRICS_PORT is set, and on the loopback address unless METRICS_HOST is set', () => {
    expect(readSettings({}).metrics).toStrictEqual({ port: undefined, host: '127.0.0.1' });
    expect(readSettings({ ...production, METRICS_PORT: '9464' }).metrics).toStrictEqual({ port: 9464, host: '127.0.0.1' });
    expect(readSettings({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }).metrics.host).toBe('0.0.0.0');
    expect(sentences({ METRICS_PORT: 'on' })).toStrictEqual([expect.stringContaining('METRICS_PORT')]);
  });

  it('send traces only if an endpoint is set and the SDK is not disabled', () => {
    expect(readSettings({}).tracing).toStrictEqual({ enabled: false, ratio: 1, exportEveryMs: 5_000 });
    expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_SAMPLER_ARG: '0.1' }).tracing).toMatchObject({
      enabled: true,
      ratio: 0.1,
    });
    expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }).tracing.enabled).toBe(false);
    expect(sentences({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector', OTEL_TRACES_SAMPLER_ARG: '2' })).toStrictEqual([
      expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
      expect.stringContaining('OTEL_TRACES_SAMPLER_ARG'),
    ]);
  });

  it('of the OpenID provider belong together, and name the one that is missing', () => {
    const set = {
      CONSOLE_OIDC_ISSUER: 'https://login.example',
      CONSOLE_OIDC_CLIENT_ID: 'rupa-console',
      CONSOLE_OIDC_CLIENT_SECRET: 'secret',
    };
    expect(sentences(set)).toStrictEqual([]);
    for (const missing of ['CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET'])
      expect(sentences({ ...set, [missing]: '' })).toStrictEqual([expect.stringContaining(`${missing} is missing`)]);
    expect(sentences({ CONSOLE_OIDC_CLIENT_ID: 'rupa-console' })).toStrictEqual([
      expect.stringContaining('CONSOLE_OIDC_ISSUER is not set'),
    ]);
    expect(sentences({ ...set, CONSOLE_OIDC_AUDITOR_ROLE: 'rupa-admin' })).toStrictEqual([
      expect.stringContaining('every auditor would be an administrator'),
    ]);
  });

  it.each([
    ['http://127.0.0.1:8080', true],
    ['http://localhost:8080/realms/staff', true],
    ['http://[::1]:8080', true],
    ['http://login.example', false],
    ['http://localhost.login.example', false],
    ['http://127.0.0.1@login.example', false],
  ])('of an OpenID provider at %s are accepted: %s', (issuer, accepted) => {
    const said = sentences({ CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: 'i', CONSOLE_OIDC_CLIENT_SECRET: 's' });
    expect(said).toStrictEqual(accepted ? [] : [expect.stringContaining('must have an https:// address')]);
  });

  it('link traces only by an address that has a place for their id', () => {
    expect(readSettings({}).consoleTraceUrl).toBeUndefined();
    const template = 'https://tempo.example:8443/explore?trace={trace_id}#{trace_id}';
    expect(readSettings({ CONSOLE_TRACE_URL: template }).consoleTraceUrl).toBe(template);
    for (const [value, problem] of [
      ['https://tempo.example/trace/', 'it must contain {trace_id}'],
      ['tempo.example/trace/{trace_id}', 'it must begin with http:// or https://'],
      ['javascript:alert({trace_id})', 'it must begin with http:// or https://'],
      ['https://tempo.example:port/{trace_id}', 'it is not a valid URL'],
    ] as const)
      expect(sentences({ CONSOLE_TRACE_URL: value })).toStrictEqual([expect.stringContaining(`CONSOLE_TRACE_URL is wrong: ${problem}`)]);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
    ['rupa-api_1.internal', 'http://rupa-api_1.internal:3000'],
  ])('derive the public URL from HOST=%s', (host, publicUrl) => {
    expect(readSettings({ HOST: host })).toMatchObject({ host, publicUrl });
  });

  it.each(['postgres://u:p%23@db:5432/rupa?sslmode=disable', 'postgresql:///rupa?host=/var/run/postgresql', 'postgres://[::1]/rupa'])(
    'accept DATABASE_URL=%s',
    (databaseUrl) => {
      expect(readSettings({ ...production, DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
    },
  );

  it('listen on all interfaces in production', () => {
    expect(readSettings(production)).toMatchObject({ host: '0.0.0.0', production: true });
  });

  it('report every variable that production lacks', () => {
    expect(sentences({ NODE_ENV: 'production' }).map((sentence) => sentence.split(' ')[0])).toStrictEqual([
      'EVENT_STORE_URL',
      'DATABASE_URL',
      'MASTER_KEY',
      'ADMIN_TOKEN',
      'AUDITOR_TOKEN',
    ]);
  });

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['ROLES', 'api,cook'],
    ['MASTER_KEY', 'k1:short'],
    ['ADMIN_TOKEN', 'short'],
    ['ADMIN_TOKEN', 'amina:short'],
    ['RUPA_ACTOR', 'Amina Bello'],
    ['RUPA_ACTOR', '1st'],
    ['RUPA_ACTOR', 'a'.repeat(33)],
    ['RUPA_ACTOR', 'cli:amina'],
    ['AUDITOR_TOKEN', `a:${'x'.repeat(24)},a:${'y'.repeat(24)}`],
    ...['HOST', 'METRICS_HOST'].flatMap((name) =>
      ['127.0.0.1:3000', '[::1]', 'http://127.0.0.1', '256.1.1.1.', 'a b', '*', '-a', 'a..b', 'a'.repeat(64)].map(
        (value): [string, string] => [name, value],
      ),
    ),
    ...[
      'mysql://x',
      'postgres:',
      'postgres:x',
      'postgres://u:p@db:99999/rupa',
      'postgres://u:p@db:port/rupa',
      'postgres://u:p/q@db/rupa',
    ].map((value): [string, string] => ['DATABASE_URL', value]),
    ...['http://x', 'esdb://', 'esdb://host:port', 'esdb://host?tls=maybe'].map((value): [string, string] => ['EVENT_STORE_URL', value]),
    ...['PUBLIC_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'].flatMap((name) =>
      ['https://', 'https://a b', 'https://a:99999', 'rupa.example'].map((value): [string, string] => [name, value]),
    ),
    ...['https://u:p@a', 'https://u@a/b', 'https://a/?', 'https://a?k=v', 'https://a/#f'].map((value): [string, string] => [
      'PUBLIC_URL',
      value,
    ]),
    ['DEMO', 'maybe'],
    ['WEBHOOK_RETENTION_DAYS', '36501'],
    ['WEBHOOK_DISABLE_AFTER_SECONDS', '1e300'],
    ['COMPLIANCE_RATIO', '-1'],
    ['ISSUER_PREFIX', 'RUPA/1'],
    ['ISSUER_NAME', 'x'.repeat(256)],
    ['ISSUER_ADDRESS', '1 Marina\nLagos'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['LOG_LEVEL', 'loud'],
    ['WAIT_FOR_STORES_SECONDS', 'long'],
    ['READY_LAG_SECONDS', '0'],
    ['SHUTDOWN_GRACE_MS', '-1'],
  ])('reject %s=%s with a sentence that names the variable', (name, value) => {
    expect(sentences({ ...production, [name]: value })).toStrictEqual([expect.stringMatching(new RegExp(`^${name} is wrong: .+\\.$`))]);
  });

  const numbers = VARIABLES.filter(({ type }) => ['1', '1000'].some((text) => typeof type.safeParse(text).data === 'number'));

  it.each(numbers.map(({ name, type }): [string, typeof type] => [name, type]))('take only decimal numbers: %s', (_, type) => {
    const [number = ''] = ['1', '1000'].filter((text) => type.safeParse(text).success);
    const hexadecimal = `0x${Number(number).toString(16)}`;
    const wrong = [
      ' ',
      '\t',
      `${number} `,
      `+${number}`,
      `${number}e0`,
      hexadecimal,
      `${number}_0`,
      `${number},0`,
      `${number}.`,
      'Infinity',
    ];
    expect(wrong.filter((text) => type.safeParse(text).success)).toStrictEqual([]);
  });

  it('allow a subset of the roles only for a process with shared stores', () => {
    expect(readSettings({ ...production, ROLES: 'projector, webhooks,projector' }).roles).toStrictEqual(['projector', 'webhooks']);
    expect(readSettings({ ROLES: 'webhooks,projector,api' }).roles).toStrictEqual(['webhooks', 'projector', 'api']);
    expect(readSettings({}).roles).toContain('console');
    expect(sentences({ ROLES: 'api' })).toStrictEqual([
      expect.stringMatching(/^ROLES is wrong: a process with embedded stores runs the roles api, projector and webhooks\./),
    ]);
    expect(sentences({ ROLES: 'api', EVENT_STORE_URL: 'esdb://store:2113' })).toHaveLength(1);
  });

  it.each([
    ['x'.repeat(24), 'x'.repeat(24)],
    [`amina:${'x'.repeat(24)},${'y'.repeat(24)}`, `${'z'.repeat(24)},bode:${'x'.repeat(24)}`],
  ])('reject a token that is in ADMIN_TOKEN and AUDITOR_TOKEN, and name both', (admin, auditor) => {
    for (const base of [{}, production])
      expect(sentences({ ...base, ADMIN_TOKEN: admin, AUDITOR_TOKEN: auditor })).toStrictEqual([
        'AUDITOR_TOKEN is wrong: it contains a token of ADMIN_TOKEN. Give auditors a different one, because with that token they could change everything.',
      ]);
  });

  it('have a shutdown grace for load balancers in production only', () => {
    expect([readSettings({}).shutdownGraceMs, readSettings(production).shutdownGraceMs]).toStrictEqual([0, 5_000]);
  });

  it('never repeat a secret', () => {
    expect(sentences({ ...production, DATABASE_URL: 'mysql://user:hunter2@db' }).join()).not.toContain('hunter2');
  });
});

describe('the amount above which a second person is needed', () => {
  const named = `amina:${'a'.repeat(24)},bode:${'b'.repeat(24)}`;
  const wrong = (env: Record<string, string>): readonly string[] => {
    try {
      readSettings(env);
      return [];
    } catch (error) {
      return (error as SettingsInvalid).sentences;
    }
  };

  it('is read in kobo, and needs a name for each token of an administrator', () => {
    expect(readSettings({ APPROVAL_ABOVE: '1000.5', ADMIN_TOKEN: named }).approvalAbove).toBe(1_000_50);
    expect(readSettings({ APPROVAL_ABOVE: '0', ADMIN_TOKEN: named }).approvalAbove).toBe(0);
    expect(readSettings({}).approvalAbove).toBeUndefined();
    for (const tokens of [{}, { ADMIN_TOKEN: 'c'.repeat(24) }, { ADMIN_TOKEN: `${named},${'c'.repeat(24)}` }])
      expect(wrong({ APPROVAL_ABOVE: '1000', ...tokens })).toStrictEqual([
        expect.stringMatching(/^APPROVAL_ABOVE is wrong: .*ADMIN_TOKEN/),
      ]);
  });

  it.each(['-1', '1.005', '1e3', 'off'])('is not %s', (text) => {
    expect(wrong({ APPROVAL_ABOVE: text, ADMIN_TOKEN: named })).toStrictEqual([expect.stringMatching(/^APPROVAL_ABOVE is wrong: /)]);
  });
});
