import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { admin, type ApiResponse, call, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

/** The view shows the locks of all databases, and other specs run services on the same server. */
const PROJECTOR_LOCKS = `select from pg_locks where locktype = 'advisory' and granted and objid = 7205002
  and database = (select oid from pg_database where datname = current_database())`;

const SECTIONS = { sections: ['identity', 'bvn_nin_data'] };
/** The beginning of the message about a change that is recorded. */
const NOT_IN_FORCE = 'The change is recorded, but not yet in force.';
const LOOKUPS_AFTERWARDS = 30;
const BUSY_CLIENTS = 48;
const NEWER_VERSION = 99;

interface Revocable {
  readonly partner: TestPartner;
  readonly key_id: string;
  /** NGN that a lookup cost before the change. */
  readonly cost: number;
}

/** A change of what a partner may do or pays, and whether a lookup still used the state before it. */
interface Change {
  make(service: TestService, revocable: Revocable): Promise<ApiResponse>;
  usesOldState(lookup: ApiResponse, revocable: Revocable): boolean;
  /** Whether the same change again appends nothing. */
  readonly repeats: boolean;
}

const costOf = ({ body }: ApiResponse): number => (body.data.billing as { amount_charged: number }).amount_charged;
const isGranted = ({ status }: ApiResponse): boolean => status === 200;

const DEACTIVATED_KEY = 'a deactivated key';
const HIGHER_PRICE = 'a higher price';
const CHANGES: Readonly<Record<string, Change>> = {
  [DEACTIVATED_KEY]: {
    make: (service, { key_id }) => admin(service, 'DELETE', `/api-keys/${key_id}`),
    usesOldState: isGranted,
    repeats: true,
  },
  'a key that its partner has replaced at once': {
    make: async (service, { partner, key_id }) => {
      const rotation = { expire_current_in_hours: 0 };
      const caller = partnerWith(service, partner.partner_id, partner.key);
      const rotated = await caller.call('POST', '/keys/rotate', rotation, { 'Idempotency-Key': key_id });
      return rotated.status === 201 ? { ...rotated, status: 200 } : rotated;
    },
    usesOldState: isGranted,
    repeats: true,
  },
  'a deactivated partner': {
    make: (service, { partner }) => admin(service, 'POST', `/partners/${partner.partner_id}/deactivate`),
    usesOldState: isGranted,
    repeats: true,
  },
  'a withdrawn section': {
    make: (service, { partner }) => admin(service, 'PUT', `/partners/${partner.partner_id}/optional-sections`, { sections: [] }),
    usesOldState: (lookup) => isGranted(lookup) && 'bvn_nin_data' in lookup.body.data,
    repeats: true,
  },
  'a narrower allow-list': {
    make: (service, { partner }) => admin(service, 'PUT', `/partners/${partner.partner_id}/ip-allow-list`, { cidrs: ['192.0.2.1'] }),
    usesOldState: isGranted,
    repeats: true,
  },
  [HIGHER_PRICE]: {
    make: async (service) => {
      const { fees } = (await whenServed(() => admin(service, 'GET', '/price-book'))).body.data as { fees: Record<string, number> };
      const higher = Object.fromEntries(Object.entries(fees).map(([key, fee]) => [key, fee + 1]));
      return await admin(service, 'PUT', '/price-book', { fees: higher });
    },
    usesOldState: (lookup, { cost }) => isGranted(lookup) && costOf(lookup) <= cost,
    repeats: false,
  },
};

describe('two APIs and a projector, each a process', () => {
  let stores: SharedStores;
  let db: pg.Client;
  let one: TestService;
  let other: TestService;
  let projector: TestService;

  beforeAll(async () => {
    stores = await startSharedStores();
    db = new pg.Client(stores.databaseUrl);
    await db.connect();
    projector = await stores.start('projector');
    const named = new URL(stores.databaseUrl);
    named.searchParams.set('application_name', 'other-instance');
    [one, other] = await Promise.all([stores.start('api'), stores.start('api', { DATABASE_URL: named.href })]);
    const farmer = { identity: { first_name: 'Aisha' }, bvn_nin_data: { bvn: { verified: true } } };
    await whenServed(() => admin(one, 'PUT', '/farmers/rp-1', farmer));
  });
  afterAll(async () => {
    await db.end();
    await stores.close();
  });

  /** Makes a partner whose lookups through the other instance succeed, so that the instance has it in its cache. */
  async function revocable(): Promise<Revocable> {
    const { partner_id } = await makePartner(one, { account_type: 'agtech' });
    await whenServed(() => admin(one, 'PUT', `/partners/${partner_id}/optional-sections`, { sections: ['bvn_nin_data'] }));
    const issued = (await whenServed(() => admin(one, 'POST', `/partners/${partner_id}/api-keys`, {}))).body.data as {
      key_id: string;
      api_key: string;
    };
    const partner = partnerWith(other, partner_id, issued.api_key);
    const lookUpOnce = (): Promise<ApiResponse> => whenServed(() => partner.lookup('rp-1', SECTIONS));
    const lookups = [await lookUpOnce(), await lookUpOnce()];
    for (const { status, body } of lookups)
      expect([status, Object.keys(body.data)]).toStrictEqual([200, expect.arrayContaining(['bvn_nin_data'])]);
    return { partner, key_id: issued.key_id, cost: costOf(lookups[0] as ApiResponse) };
  }

  /** Makes the change through one instance, then looks up through the other. */
  async function changeAndLookUp(change: Change, given: Revocable): Promise<ApiResponse> {
    // A change that no store recorded in time, on a busy machine, is made again.
    const response = await until(async () => {
      const made = await change.make(one, given);
      return (made.status !== 503 || made.body.message?.startsWith(NOT_IN_FORCE)) && made;
    });
    if (response.status === 503) {
      expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
      return response;
    }
    expect(response.status).toBe(200);
    const lookups = await lookUp(given);
    expect(lookups.filter((lookup) => change.usesOldState(lookup, given))).toStrictEqual([]);
    return response;
  }

  /** Makes the change until it is in force: on a busy machine, the other instance may hear of it after the first response was due. */
  async function changeInForce(change: Change, given: Revocable): Promise<void> {
    await until(async () => (await changeAndLookUp(change, given)).status === 200);
  }

  const lookUp = ({ partner }: Revocable): Promise<ApiResponse[]> =>
    Promise.all(Array.from({ length: LOOKUPS_AFTERWARDS }, () => partner.lookup('rp-1', SECTIONS)));

  const changes = Object.entries(CHANGES).map(([name, change]) => ({ name, change }));

  describe('in calm', () => {
    it.each(changes)('respond to $name only once it is in force on the other instance', async ({ change }) => {
      await changeInForce(change, await revocable());
    });
  });

  describe('while the other instance is busy', () => {
    it.each(changes)('respond to $name only once it is in force there', async ({ change }) => {
      const given = await revocable();
      const busy = partnerWith(other, given.partner.partner_id, (await makePartner(other, { account_type: 'agtech' })).key);
      let done = false;
      const clients = Array.from({ length: BUSY_CLIENTS }, async () => {
        while (!done) await busy.lookup('rp-1', SECTIONS);
      });
      try {
        await changeInForce(change, given);
      } finally {
        done = true;
        await Promise.all(clients);
      }
    });
  });

  describe('while the other instance hears nothing on its connection for notifications', () => {
    it.each(changes)('respond to $name only once it is in force there', async ({ change }) => {
      const given = await revocable();
      const listening = await listeningBackend();
      process.kill(listening, 'SIGSTOP');
      try {
        await changeInForce(change, given);
      } finally {
        process.kill(listening, 'SIGCONT');
      }
      await until(
        async () => (await listeningBackends()).length === 1 && (await call(other, 'GET', '/health')).body.data.status === 'ready',
      );
    });
  });

  describe('while the other instance is suspended', () => {
    it.each(changes)('respond to $name only once it is in force there', async ({ change }) => {
      const given = await revocable();
      other.pause();
      await until(async () => (await change.make(one, given)).status === 200).finally(() => {
        other.resume();
      });
      const lookups = await lookUp(given);
      expect(lookups.filter((lookup) => change.usesOldState(lookup, given))).toStrictEqual([]);
    });
  });

  describe('while no projector works, because it stepped down for a newer version that is gone', () => {
    let version: number | undefined;

    beforeEach(async () => {
      const { rows } = await db.query<{ version: number }>("select version from ops.checkpoint where projection = 'partner_usage'");
      version = rows[0]?.version;
    });
    const stepDown = async (): Promise<void> => {
      await db.query("update ops.checkpoint set version = $1 where projection = 'partner_usage'", [NEWER_VERSION]);
      await until(async () => {
        // The projector reads the version when it writes an event, and a call of an administrator is one.
        await admin(one, 'GET', '/price-book');
        return (await projectorLocks()) === 0;
      });
    };
    const letTakeOver = async (): Promise<void> => {
      await db.query("update ops.checkpoint set version = $1 where projection = 'partner_usage'", [version]);
    };
    afterEach(letTakeOver);

    // Each of these waits until its deadline, so all of them wait at the same time. Other prices concern every partner.
    it.each([
      { what: 'a change of a partner or key', made: changes.filter(({ name }) => name !== HIGHER_PRICE) },
      { what: HIGHER_PRICE, made: changes.filter(({ name }) => name === HIGHER_PRICE) },
    ])('never respond to $what as if it were in force', async ({ made }) => {
      expect(made).not.toHaveLength(0);
      const cases = await Promise.all(made.map(async (each) => ({ ...each, given: await revocable() })));
      await stepDown();
      await Promise.all(
        cases.map(async ({ name, change, given }) => {
          const status = name === DEACTIVATED_KEY ? 200 : 503;
          expect([name, (await changeAndLookUp(change, given)).status]).toStrictEqual([name, status]);
          if (change.repeats) expect([name, (await changeAndLookUp(change, given)).status]).toStrictEqual([name, status]);
        }),
      );
      await letTakeOver();
      for (const { change, given } of cases) {
        await until(async () => (await change.make(one, given)).status === 200);
        await changeAndLookUp(change, given);
      }
    });

    it('never respond to a new partner or key as if it were usable', async () => {
      const { partner } = await revocable();
      await stepDown();
      const made: readonly (() => Promise<ApiResponse>)[] = [
        () => admin(one, 'POST', '/partners', { company_name: 'New', account_type: 'bank' }),
        () => admin(one, 'POST', `/partners/${partner.partner_id}/api-keys`, {}),
      ];
      const notInForce = async (make: () => Promise<ApiResponse>): Promise<boolean> => {
        const { status, body } = await make();
        expect(status).toBe(503);
        return body.message?.startsWith(NOT_IN_FORCE) === true;
      };
      await Promise.all(made.map((make) => until(() => notInForce(make))));
    });

    it('say at once in the health of the projector why it does not work, and nothing once it does', async () => {
      await stepDown();
      const reasons = async (): Promise<readonly string[] | undefined> =>
        (await whenServed(() => call(projector, 'GET', '/health'))).body.data.reasons as readonly string[] | undefined;
      const reason = /^No process keeps the read models up to date\. .*partner_usage was built by a newer version.*rebuild --all\.$/;
      await until(async () => {
        const said = await reasons();
        return said?.length === 1 && reason.test(said[0] ?? '');
      });
      await letTakeOver();
      await until(async () => (await projectorLocks()) === 1 && (await reasons()) === undefined);
    });
  });

  async function listeningBackends(): Promise<number[]> {
    const { rows } = await db.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'other-instance' and (query ilike 'listen%' or query like '%ops.instance%')",
    );
    return rows.map(({ pid }) => pid);
  }

  const listeningBackend = (): Promise<number> =>
    until(async () => {
      const [pid, ...more] = await listeningBackends();
      return more.length === 0 && pid;
    });

  const projectorLocks = async (): Promise<number> => (await db.query(PROJECTOR_LOCKS)).rowCount ?? 0;
});
