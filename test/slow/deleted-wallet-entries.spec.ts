import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { checkForgedRows } from '../../src/operations/doctor/check-stored-data.js';
import { type WalletCredited, type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { walletDecider, WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { openLog } from '../support/service-log.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';
import { until } from '../support/until.js';
import { verificationOf } from '../support/wallet-verification.js';

const FARMER = 'rp-deleted-entries';
const OPENING = 1_000;

interface Wallet {
  readonly partner: TestPartner;
  readonly lookupId: string;
}
type Call = (wallet: Wallet) => Promise<ApiResponse>;

describe('a wallet of which somebody deleted a row with the database’s password', () => {
  let service: TestService;
  let pool: Pool;
  const wallets = new Map<string, Wallet>();

  const post = (path: string, body: object): Promise<ApiResponse> => admin(service, 'POST', path, body);
  const credit: Call = ({ partner }) =>
    post(`/partners/${partner.partner_id}/wallet/credits`, { amount: 500, reference: 'twice', reason: 'test' });
  /** Credits the wallet as a release does that does not know the hash of the entries before. */
  const creditByEarlierRelease: Call = async ({ partner: { partner_id } }) => {
    const { eventStore, codec } = await openLog(service);
    const decide: typeof walletDecider.decide = (command, state) =>
      walletDecider.decide(command, state).map((event) => {
        const { manual_entries_hash: _none, ...data } = event.data as WalletCredited['data'];
        return { type: 'WalletCredited', data };
      });
    const earlier = new StreamWriter(eventStore, codec, { ...WALLET_STREAMS, decider: { ...walletDecider, decide } });
    const by = { partner_id, at: new Date().toISOString(), actor: 'admin' };
    const { events } = await earlier.execute(partner_id, {
      ...by,
      kind: 'credit',
      amount_kobo: 500_00,
      reference: 'twice',
      ...ALL_SEARCHED,
    });
    await eventStore.close();
    expect(events.map(({ data }) => 'manual_entries_hash' in data)).toStrictEqual([false]);
    return { status: 200, body: { success: true, data: { created: true } } } as unknown as ApiResponse;
  };
  const reverse: Call = ({ partner }) =>
    post(`/partners/${partner.partner_id}/wallet/reversals`, {
      credit_reference: 'opening',
      amount: 600,
      reason: 'wrong',
      reference: 'back',
    });
  const payOut: Call = ({ partner }) =>
    post(`/partners/${partner.partner_id}/wallet/payouts`, { amount: 100, reason: 'asked back', reference: 'out' });
  const compensate: Call = ({ lookupId }) => post(`/lookups/${lookupId}/compensation`, { reason: 'a complaint' });

  /** The calls that each wallet has before the edit of one of its rows, the edit, and the call that is sent once more after it. */
  const CASES: readonly (readonly [edit: string, first: readonly Call[], set: string, type: WalletEvent['type'], again: Call])[] = [
    ['deleted a credit', [credit], '', 'WalletCredited', credit],
    ['edited the reference of a credit', [credit], "reference = 'once'", 'WalletCredited', credit],
    ['deleted a credit of an earlier release', [creditByEarlierRelease], '', 'WalletCredited', credit],
    ['deleted a reversal', [reverse], '', 'CreditReversed', reverse],
    ['let a reversal take back another credit', [reverse], "credit_reference = 'other'", 'CreditReversed', reverse],
    ['deleted a payout', [payOut], '', 'WalletPaidOut', payOut],
    ['deleted a compensation', [compensate], '', 'LookupCompensated', compensate],
    ['let a compensation be of another lookup', [compensate], "lookup_id = 'other'", 'LookupCompensated', compensate],
    ['made a refund of a compensation', [compensate], "type = 'RefundIssued'", 'LookupCompensated', compensate],
    ['deleted what another command made', [payOut, credit], '', 'WalletPaidOut', credit],
  ];

  const of = (edit: string): Wallet => {
    const wallet = wallets.get(edit);
    if (!wallet) throw new Error(`There is no wallet of which somebody ${edit}.`);
    return wallet;
  };
  /** Looks the farmer up and returns the id of the lookup once it is settled. The state that a wallet has then after a restart begins with it. */
  const settledLookup = async (partner: TestPartner): Promise<string> => {
    expect((await whenServed(() => partner.lookup(FARMER, { sections: ['identity'] }))).status).toBe(200);
    return await until(async () => {
      const entries = await entriesOf(service, partner);
      const debit = entries.findLast(({ type }) => type === 'WalletDebited');
      return entries.at(-1)?.type === 'ChargesSettled' && (debit?.lookup_id ?? undefined);
    });
  };
  const entryCount = async ({ partner }: Wallet): Promise<number> => (await verificationOf(service, partner)).entries;

  beforeAll(async () => {
    service = await startApplication({}, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
    await whenServed(() => admin(service, 'PUT', `/farmers/${FARMER}`, {}));
    for (const [edit, first] of CASES) {
      const partner = await makePartner(service, { credit: OPENING });
      const lookupId = await settledLookup(partner);
      wallets.set(edit, { partner, lookupId });
      for (const call of first) expect((await whenServed(() => call(of(edit)))).body.data).toMatchObject({ created: true });
      await settledLookup(partner);
    }
    await until(async () => {
      const { rows } = await pool.query<{ entries: number }>('select count(*)::int as entries from read.wallet_entry');
      const recorded = await Promise.all(CASES.map(([edit]) => entryCount(of(edit))));
      return rows[0]?.entries === recorded.reduce((sum, each) => sum + each, 0);
    });
    for (const [edit, , set, type] of CASES) {
      const newest = `partner_id = $1 and revision = (select max(revision) from read.wallet_entry where partner_id = $1 and type = '${type}')`;
      const statement =
        set === '' ? `delete from read.wallet_entry where ${newest}` : `update read.wallet_entry set ${set} where ${newest}`;
      expect((await pool.query(statement, [of(edit).partner.partner_id])).rowCount).toBe(1);
    }
    // A process that was started since knows nothing of the entries but what it reads.
    await service.interrupt();
    await service.restart();
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  it.each(CASES)('is refused the same call once more if somebody %s', async (edit, _first, _set, _type, again) => {
    const before = await entryCount(of(edit));
    const refused = await until(async () => {
      const response = await again(of(edit));
      return !String(response.body.message).includes('busy') && response;
    });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await entryCount(of(edit))).toBe(before);
    await until(async () =>
      (await checkForgedRows(pool)).some(
        ({ found, todo }) => found.includes(of(edit).partner.partner_id) && todo?.includes('rupa projections rebuild wallet_entry'),
      ),
    );
  });

  it('is answered the same call once more, and goes on, after a rebuild', async () => {
    expect((await rupa(service, ['projections', 'rebuild', 'wallet_entry'])).code).toBe(0);
    for (const [edit, , , , again] of CASES) {
      const before = await entryCount(of(edit));
      expect([edit, (await whenServed(() => again(of(edit)))).body.data]).toMatchObject([edit, { created: false }]);
      expect(await entryCount(of(edit))).toBe(before);
      const more = { amount: 1, reference: 'one more' };
      expect((await whenServed(() => post(`/partners/${of(edit).partner.partner_id}/wallet/credits`, more))).body.data).toMatchObject({
        created: true,
      });
      expect(await verificationOf(service, of(edit).partner)).toMatchObject({ ok: true });
    }
  });

  it('gives nothing back of a lookup that was refunded, if somebody deleted the row of the refund', async () => {
    const partner = await makePartner(service, { credit: OPENING });
    const { eventStore, wallets: writer } = await openLog(service);
    const { partner_id } = partner;
    const by = { partner_id, at: new Date().toISOString(), actor: 'test' };
    const lookup = {
      lookup_id: `refunded-${partner_id}`,
      rupa_id: FARMER,
      breakdown_kobo: { 'svc_fee.identity': 1 },
      grants_consent: false,
    };
    await writer.execute(partner_id, { ...by, kind: 'charge', lookups: [lookup], source: 's', price_book_version: 1, key_id: 'k' });
    await writer.execute(partner_id, { ...by, kind: 'refund', lookup_ids: [lookup.lookup_id], reason: 'failed' });
    await eventStore.close();
    await settledLookup(partner);
    await until(async () => {
      const refund = "delete from read.wallet_entry where lookup_id = $1 and type = 'RefundIssued'";
      return (await pool.query(refund, [lookup.lookup_id])).rowCount === 1;
    });
    await service.interrupt();
    await service.restart();
    expect(await whenServed(() => compensate({ partner, lookupId: lookup.lookup_id }))).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: 'That lookup was already refunded.' },
    });
  });
});
