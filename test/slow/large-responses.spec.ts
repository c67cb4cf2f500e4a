import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Socket } from 'node:net';
import pg from 'pg';
import { customerProjection } from '../../projections/customer/customer.projection.js';
import { NO_LEGAL_DETAILS } from '../../src/contexts/partners/domain/legal-details.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { readDocument } from '../support/document.js';
import { footprintOf } from '../support/hostile/footprint.js';
import { holderOf } from '../support/holder.js';
import { openUnread } from '../support/hostile/raw-socket.js';
import { MASTER_KEY, rowMacs } from '../support/row-macs.js';
import { startService, type TestService } from '../support/service.js';
import { openLog } from '../support/service-log.js';
import { until } from '../support/until.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const MEBIBYTE = 1024 * 1024;
/** NODE_OPTIONS of docker-compose.yml. */
const HEAP = '--max-old-space-size=640';
const SOCKETS = 12;
/** Entries of the wallet: two of three are credits, the others refunds or lookups. */
const ENTRIES = 120_000;
const PARTNERS = 30_000;
const REPORTS = 30_000;
const VERSIONS = 150;
/** Less than a tenth of the bodies that the unread connections ask for, most of which have tens of MiB. */
const MAX_GROWTH_BYTES = 96 * MEBIBYTE;
const SPARE_HANDLES = 16;
const STATEMENT = '/admin/v1/partners/{many}/wallet/statements/2026-02';
const EXPORT = '/admin/v1/partners/{exporter}/wallet/export';
const OWN_EXPORT = '/v1/rupa/wallet/export';
const EVIDENCE = '/admin/v1/evidence';
const JOURNAL = '/admin/v1/ledger/journal';
const PERIODS = '/admin/v1/ledger/periods';
/** Entries of the wallet in the log, which exports read. */
const EXPORTED = 40_000;
const LARGE = [
  STATEMENT,
  `${STATEMENT}?format=csv`,
  `${STATEMENT}?format=html`,
  `${STATEMENT}?format=pdf`,
  '/admin/v1/farmers/rp-many/report',
  '/admin/v1/farmers/rp-many/report?format=html',
  '/admin/v1/partners',
  '/admin/v1/price-book/history',
  JOURNAL,
  `${JOURNAL}?format=csv`,
  EXPORT,
  OWN_EXPORT,
  EVIDENCE,
];
/**
 * Routes whose responses are bounded: by a page, by the number of projections, processes, accounts, months, customers, sections or keys, by the height of a Merkle tree, or
 * by a limit of the interface.
 */
const BOUNDED = [
  '/.well-known/rupa-checkpoint-key',
  '/admin/v1/api-keys',
  '/admin/v1/approvals',
  '/admin/v1/audit-trail',
  '/admin/v1/checkpoints',
  '/admin/v1/checkpoints/{number}',
  '/admin/v1/events',
  '/admin/v1/events/set-aside',
  '/admin/v1/farmers/{rupaId}',
  '/admin/v1/figures',
  PERIODS,
  '/admin/v1/ledger/prepaid',
  '/admin/v1/ledger/revenue',
  '/admin/v1/ledger/trial-balance',
  '/admin/v1/partners/{id}',
  '/admin/v1/partners/{id}/api-keys',
  '/admin/v1/maintenance',
  '/admin/v1/lookups',
  '/admin/v1/lookups/{lookupId}',
  '/admin/v1/partners/{id}/webhooks',
  '/admin/v1/streams/{stream}',
  '/admin/v1/webhooks',
  '/admin/v1/webhooks/{id}',
  '/admin/v1/webhooks/{id}/deliveries',
  '/admin/v1/partners/{id}/wallet',
  '/admin/v1/partners/{id}/wallet/balances',
  '/admin/v1/partners/{id}/wallet/entries',
  '/admin/v1/partners/{id}/wallet/verification',
  '/admin/v1/price-book',
  '/admin/v1/projections',
  '/admin/v1/projections/jobs/{jobId}',
  '/admin/v1/witnesses',
  '/log/checkpoint',
  '/log/tile/{path}',
  '/p/{rupaId}',
  '/health',
  '/health/live',
  '/health/ready',
  '/v1/rupa/consents',
  '/v1/rupa/contributions',
  '/v1/rupa/events',
  '/v1/rupa/keys',
  '/v1/rupa/lookups',
  '/v1/rupa/lookups/{lookupId}',
  '/v1/rupa/me',
  '/v1/rupa/prices',
  '/v1/rupa/wallet/proof',
  '/v1/rupa/wallet/entries',
  '/v1/rupa/wallet/head',
  '/v1/rupa/webhooks',
  '/v1/rupa/webhooks/{id}',
  '/v1/rupa/webhooks/{id}/deliveries',
  '/v1/rupa/webhooks/{id}/deliveries/{deliveryId}',
];

interface Lists {
  readonly credits?: { readonly items: unknown[] };
  readonly refunds?: { readonly items: unknown[] };
  readonly closing_balance?: number;
  readonly lookups?: unknown[];
  readonly reports?: unknown[];
  readonly partners?: unknown[];
  readonly versions?: unknown[];
}

describe('a large response', () => {
  let database: TestDatabase;
  let service: TestService;
  let other: TestPartner;
  let exporter: TestPartner;
  let many: TestPartner;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    service = await startService(
      {
        NODE_OPTIONS: HEAP,
        DATABASE_URL: database.url,
        MASTER_KEY,
        ADMIN_TOKEN: randomUUID(),
        AUDITOR_TOKEN: randomUUID(),
      },
      { repeats: true },
    );
    other = await makePartner(service, { credit: 10_000_000 });
    await admin(service, 'PUT', '/farmers/rp-many', { identity: { full_name: 'Aisha Bello' } });
    const fees = (await admin(service, 'GET', '/price-book')).body.data.fees as Record<string, number>;
    for (let version = 1; version <= VERSIONS; version += 1)
      await admin(service, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.farms': version } });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    many = await makePartner(service, { credit: 0 });
    for (const statement of rowsOf(many.partner_id)) await client.query(statement);
    await client.query('insert into read.partner select * from json_populate_recordset(null::read.partner, $1)', [
      JSON.stringify(otherPartners()),
    ]);
    await client.query('insert into read.customer select * from json_populate_recordset(null::read.customer, $1)', [
      JSON.stringify(otherCustomers()),
    ]);
    exporter = await makePartner(service, { credit: 0 });
    await creditManyTimes(service, exporter.partner_id);
  });
  afterAll(async () => {
    await client.end();
    await service.stop();
    await database.drop();
  });

  const pid = (): number => holderOf(service.dataDir);
  const target = (path: string): string => path.replace('{exporter}', exporter.partner_id).replace('{many}', many.partner_id);
  const headers = (path: string): Record<string, string> =>
    path.startsWith('/v1/') ? { 'X-API-KEY': exporter.key } : { Authorization: `Bearer ${service.adminToken}` };
  const get = async (path: string): Promise<string> => {
    const response = await whenServed(() => fetch(`${service.url}${target(path)}`, { headers: headers(path) }));
    expect([path, response.status]).toStrictEqual([path, 200]);
    return await response.text();
  };
  const json = async (path: string): Promise<Lists> => {
    const text = await get(path);
    const body = JSON.parse(text) as { data: Lists };
    expect(JSON.stringify(body)).toBe(text);
    return body.data;
  };

  it('is one of those below, or has a bound', () => {
    const gets = Object.entries(readDocument().paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));
    // A ZIP of statements has one statement in memory at a time, which statement-zips.spec.ts tests.
    const large = [
      '/admin/v1/farmers/{rupaId}/report',
      '/admin/v1/partners',
      '/admin/v1/price-book/history',
      JOURNAL,
      `${PERIODS}/{month}/statements`,
      EVIDENCE,
    ];
    // A partner's own statement is sent as the administrator's is.
    const statements = ['/admin/v1/partners/{id}/wallet/statements/{month}', '/v1/rupa/wallet/statements/{month}'];
    const ofWallets = [...statements, '/admin/v1/partners/{id}/wallet/export', OWN_EXPORT];
    expect(gets.sort()).toStrictEqual([...BOUNDED, ...large, ...ofWallets].sort());
  });

  it('has every row, in every format', async () => {
    const credits = (2 * ENTRIES) / 3;
    const { credits: credited, refunds, closing_balance } = await json(STATEMENT);
    expect([credited?.items.length, refunds?.items.length]).toStrictEqual([credits, ENTRIES / 6]);
    expect(closing_balance).toBe((credits * 200 - (ENTRIES / 6) * 100 + (ENTRIES / 6) * 100) / 100);
    const csv = (await get(`${STATEMENT}?format=csv`)).split('\r\n');
    expect(csv.filter((line) => line.startsWith('credit,')).length).toBe(credits);
    expect(csv.at(-2)).toMatch(/^closing_balance,/);
    const html = await get(`${STATEMENT}?format=html`);
    expect([html.match(/<time /g)?.length, html.endsWith('</html>\n')]).toStrictEqual([1 + credits + ENTRIES / 6, true]);
    const { lookups, reports } = await json('/admin/v1/farmers/rp-many/report');
    expect([lookups?.length, reports?.length]).toStrictEqual([ENTRIES / 6, REPORTS]);
    expect((await json('/admin/v1/partners')).partners).toHaveLength(PARTNERS + 3);
    expect((await json('/admin/v1/price-book/history')).versions).toHaveLength(VERSIONS + 1);
    const exported = await get(EXPORT);
    expect([exported.match(/\n/g)?.length, exported.endsWith('}\n')]).toStrictEqual([EXPORTED, true]);
    expect(await get(OWN_EXPORT)).toBe(exported);
    const evidence = (await get(EVIDENCE)).split('\n').slice(0, -1);
    expect(evidence.filter((line) => line.includes(`"stream":"wallet-${exporter.partner_id}"`))).toHaveLength(EXPORTED);
    expect((JSON.parse(evidence.at(-1) ?? '') as { index: number }).index).toBe(evidence.length - 1);
  });

  it.each(LARGE)('costs little memory and few connections if nobody reads it: %s', async (path) => {
    const before = footprintOf(pid());
    const sockets: Socket[] = [];
    try {
      for (let index = 0; index < SOCKETS; index += 1) {
        const socket = await openUnread(Number(new URL(service.url).port));
        sockets.push(socket);
        const [[name, value] = []] = Object.entries(headers(path));
        socket.write(`GET ${target(path)} HTTP/1.1\r\nHost: x\r\n${name ?? ''}: ${value ?? ''}\r\n\r\n`);
      }
      const lookUp = async (): Promise<void> => {
        expect((await other.lookup('rp-many', { sections: ['identity'] })).status).toBe(200);
      };
      for (let index = 0; index < 40; index += 1) await lookUp();
      // Memory that is held for the unread connections stays while they are open. Garbage goes, on a busy machine after more lookups.
      await until(async () => {
        await lookUp();
        return footprintOf(pid()).bytes - before.bytes < MAX_GROWTH_BYTES;
      });
      // A list that is being opened has a transaction, one that nobody reads has none.
      await until(async () => {
        const { rowCount } = await client.query(
          "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction' and query like '%list\\_%'",
        );
        return rowCount === 0;
      });
    } finally {
      for (const socket of sockets) socket.destroy();
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    }
    await until(() => footprintOf(pid()).handles <= before.handles + SPARE_HANDLES);
    await until(async () => {
      const { status, body } = await fetch(`${service.url}${target(path)}`, { headers: headers(path) });
      await body?.cancel();
      return status === 200;
    });
  });
});

/** Credits a wallet as the service does, many times in a batch. */
async function creditManyTimes(service: TestService, partner_id: string): Promise<void> {
  const { eventStore, wallets } = await openLog(service);
  const at = new Date().toISOString();
  for (let from = 0; from < EXPORTED; from += 2_000) {
    const references = Array.from({ length: 2_000 }, (_, index) => `${'r'.repeat(200)}-${from + index}`);
    const more = { kind: 'credit', partner_id, at, actor: 'test', amount_kobo: 1, reason: null, ...ALL_SEARCHED } as const;
    await Promise.all(references.map((reference) => wallets.execute(partner_id, { ...more, reference })));
  }
  await eventStore.close();
}

/** Rows of partners as the projector writes them, with their MACs. */
function otherPartners(): object[] {
  const registered_at = '2026-02-01T00:00:00.000Z';
  const same = {
    account_type: 'bank',
    mode: 'live',
    status: 'active',
    optional_sections: [],
    ip_allow_list: [],
    registered_at,
    test_run: 0,
  } as const;
  const partner = (n: number) => ({ ...same, partner_id: `p${n}`, company_name: `Bank ${n}`, event_revision: 0 });
  return rowMacs.authenticate(
    partnerProjection.table,
    Array.from({ length: PARTNERS }, (_, n) => partner(n)),
  );
}

/** Their numbers are far from those that the projector gives. */
function otherCustomers(): object[] {
  const customer = (n: number) => ({ partner_id: `p${n}`, customer_number: 1_000_000 + n, last_number: null, legal: NO_LEGAL_DETAILS });
  return rowMacs.authenticate(
    customerProjection.table,
    Array.from({ length: PARTNERS }, (_, n) => ({ ...customer(n), event_revision: 0 })),
  );
}

const ENTRY = `insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, rupa_id, source,
  breakdown_kobo, price_book_version, reason, reference, hash, kind)`;
const AT = "'2026-02-01'::timestamptz + n * interval '1 second'";

/** Fills the tables of the read models, which is much faster than filling the log. Of six entries, four are credits. */
const rowsOf = (many: string): readonly string[] => [
  `${ENTRY} select '${many}', n, n, case n % 6 when 0 then 'WalletDebited' when 1 then 'RefundIssued' else 'WalletCredited' end, ${AT},
     case n % 6 when 0 then -100 when 1 then 100 else 200 end,
     sum(case n % 6 when 0 then -100 when 1 then 100 else 200 end) over (order by n),
     case when n % 6 < 2 then 'l' || n / 6 end, case when n % 6 < 2 then 'rp-many' end, case n % 6 when 0 then 'loan' end,
     case n % 6 when 0 then '{"svc_fee.identity": 100}'::jsonb end, 1, repeat('r', 200), case when n % 6 > 1 then 'c' || n end, repeat('h', 64),
     case when n % 6 > 1 then 'payment' end
   from generate_series(0, ${ENTRIES - 1}) n`,
  `insert into read.contribution (contribution_id, partner_id, account_type, rupa_id, subject, event, currency, occurred_at, recorded_at, updated_at)
   select n, '${many}', 'bank', 'rp-many', 'rp-many', 'loan_disbursed', 'NGN', ${AT}, ${AT}, ${AT} from generate_series(1, ${REPORTS}) n`,
];
