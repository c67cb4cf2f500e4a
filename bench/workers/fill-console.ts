import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Appender } from '../demo-log/appender.js';
import { emptyHead, KINDS } from '../demo-log/kinds.js';
import { Round } from '../demo-log/round.js';
import { auditStreamId } from '../../src/contexts/evidence/domain/admin-audit.js';
import { type WalletState } from '../../src/contexts/wallet/domain/wallet.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { rupaIdOf } from '../../src/cli/demo/generate-farmer.js';
import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { benchPartnerId } from '../support/partner-ids.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { hashOfManual } from '../../src/contexts/wallet/domain/crediting/manual-entries.js';

// Appends partners with wallets of many entries and webhook endpoints, and administrators' calls, to a log that has farmers already
// (bench/demo-log with seed 1). The first wallet is the longest. The entries are spread over the last year and are appended in about the
// order of their times, as a service appends them.

/** Parts of the year. The wallets get the entries of a part one after another. */
const PARTS = 48;
/** Groups of 16 farmers of the generated history, of which the first belongs to the sandbox. */
const FARMER_GROUPS = 128;
const LIVE_IN_GROUP = 15;
const CHARGES_PER_SETTLEMENT = 7;
const PRICE_KOBO = 130_00;
const CREDIT_KOBO = 100_000_00;
const SANDBOX_EVERY = 8;
const PENDING_EVERY = 16;
/** Number of the first endpoint, above those that the generated history has. */
const FIRST_ENDPOINT = 1_000_000;
const CALLS_PER_ROUND = 1_000;
const YEAR_MS = 365 * 86_400_000;
const SEED = 1;

interface Wallet {
  readonly partner_id: string;
  readonly number: number;
  readonly mode: 'live' | 'sandbox';
  readonly entries: number;
  /** Farmers that the partner looks up in turn. */
  readonly farmers: readonly string[];
  head: Head<WalletState>;
  charged: number;
}

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    partners: { type: 'string' },
    entries: { type: 'string' },
    longest: { type: 'string' },
    calls: { type: 'string' },
  },
});
const [partners, entries, longest] = [Number(values.partners), Number(values.entries), Number(values.longest)];
const begin = Date.now() - YEAR_MS;
const eventStore = new EventStore(values.url ?? '', { stallTimeoutMs: 60_000 });
const appender = new Appender(eventStore, () => undefined);
const others = Math.floor((entries - longest) / Math.max(1, partners - 1));
const wallets = Array.from({ length: partners }, (_, number) => walletOf(number, number === 0 ? longest : others));
for (const wallet of wallets) await addPartner(wallet);
for (let part = 1; part <= PARTS; part += 1) for (const wallet of wallets) await fill(wallet, (wallet.entries * part) / PARTS);
await addCalls(Number(values.calls));
await appender.finish();
process.exit(0);

/** @param share of the year that has passed, from 0 to 1 */
function timeAt(share: number): string {
  return new Date(begin + Math.floor(share * YEAR_MS)).toISOString();
}

function walletOf(number: number, wanted: number): Wallet {
  const partner_id = benchPartnerId(number);
  const mode = number % SANDBOX_EVERY === SANDBOX_EVERY - 1 ? 'sandbox' : 'live';
  const farmers =
    number === 0 ? Array.from({ length: FARMER_GROUPS }, (_, group) => farmersOf(group, mode)).flat() : farmersOf(number, mode);
  return { partner_id, number, mode, entries: wanted, farmers, head: emptyHead(KINDS.wallet), charged: 0 };
}

function farmersOf(group: number, mode: Wallet['mode']): string[] {
  const first = (group % FARMER_GROUPS) * (LIVE_IN_GROUP + 1);
  if (mode === 'sandbox') return [rupaIdOf(SEED, first)];
  return Array.from({ length: LIVE_IN_GROUP }, (_, index) => rupaIdOf(SEED, first + 1 + index));
}

async function append(round: Round): Promise<void> {
  for (const each of round.appends.values()) await appender.add(each);
}

async function addPartner({ partner_id, number, mode }: Wallet): Promise<void> {
  const by = { partner_id, at: timeAt(0), actor: 'bench' };
  const context = { correlationId: randomUUID(), mode };
  const round = new Round(0, () => by.at);
  const register = { kind: 'register' as const, ...by, company_name: `Bench Farms ${number}`, account_type: 'bank' as const, mode };
  const head = round.decide(KINDS.partner, partner_id, emptyHead(KINDS.partner), register, context);
  if (number % PENDING_EVERY !== 1) round.decide(KINDS.partner, partner_id, head, { kind: 'activate', ...by }, context);
  addEndpoint(round, FIRST_ENDPOINT + number, partner_id, mode);
  await append(round);
}

/** A disabled endpoint, so that the service has nothing to send when it starts on the log. */
function addEndpoint(round: Round, endpoint_id: number, partner_id: string, mode: 'live' | 'sandbox'): void {
  const by = { endpoint_id, partner_id, at: timeAt(0), actor: 'bench' };
  const context = { correlationId: randomUUID(), mode };
  const settings = { url: `https://endpoint-${endpoint_id}.invalid/rupa`, name: null, events: ['*' as const] };
  const register = { kind: 'register' as const, ...by, mode, settings, secret_id: randomUUID() };
  const head = round.decide(KINDS.webhook, String(endpoint_id), emptyHead(KINDS.webhook), register, context);
  round.decide(KINDS.webhook, String(endpoint_id), head, { kind: 'disable', ...by, reason: 'operator' }, context);
}

/** Charges the wallet, credits it when it is empty, and settles the charges, until it has a number of entries. */
async function fill(wallet: Wallet, wanted: number): Promise<void> {
  const round = new Round(0, () => timeAt(0));
  const execute = (command: Partial<WalletCommand> & Pick<WalletCommand, 'kind'>): void => {
    const { partner_id, mode, head } = wallet;
    const at = timeAt(Math.min(1, Number(head.revision + 1n) / wallet.entries));
    const whole = { ...command, partner_id, at, actor: 'bench' } as WalletCommand;
    wallet.head = round.decide(KINDS.wallet, partner_id, head, whole, { correlationId: randomUUID(), mode });
  };
  while (Number(wallet.head.revision) + 1 < wanted) {
    const lookups = Array.from({ length: CHARGES_PER_SETTLEMENT }, () => randomUUID());
    for (const lookup of lookups) charge(wallet, lookup, execute);
    execute({ kind: 'settle', lookup_ids: lookups });
  }
  await append(round);
}

function charge(wallet: Wallet, lookup_id: string, execute: (command: Partial<WalletCommand> & Pick<WalletCommand, 'kind'>) => void): void {
  const { head, charged, farmers } = wallet;
  if (head.state.balance_kobo < PRICE_KOBO)
    execute({
      kind: 'credit',
      amount_kobo: CREDIT_KOBO,
      reference: `transfer-${charged}`,
      checked_to_revision: head.revision,
      manual_entries_hash: hashOfManual([]),
    });
  const rupa_id = farmers[charged % farmers.length] ?? '';
  const lookup = { lookup_id, rupa_id, breakdown_kobo: { 'svc_fee.identity': PRICE_KOBO }, grants_consent: charged < farmers.length };
  execute({ kind: 'charge', lookups: [lookup], source: 'loan', price_book_version: 1, key_id: 'bench' });
  wallet.charged += 1;
}

/** The calls that the audit trail lists, each day's in a stream of its own. */
async function addCalls(calls: number): Promise<void> {
  const heads = new Map<string, Head<null>>();
  for (let from = 0; from < calls; from += CALLS_PER_ROUND) {
    const round = new Round(0, () => timeAt(0));
    for (let number = from; number < Math.min(calls, from + CALLS_PER_ROUND); number += 1) {
      const at = timeAt(number / calls);
      const day = auditStreamId(at);
      const call = {
        call_id: randomUUID(),
        role: 'admin' as const,
        name: number % 3 === 0 ? 'amina' : null,
        fingerprint: '0a1b2c3d',
        address: '203.0.113.7',
        method: 'GET',
        route: '/admin/v1/partners/:id',
        parameters: { id: benchPartnerId(0) },
      };
      const before = heads.get(day) ?? emptyHead(KINDS.adminAudit);
      const end = { kind: 'end' as const, at, call, status: 200 };
      heads.set(day, round.decide(KINDS.adminAudit, day, before, end, { correlationId: randomUUID() }));
    }
    await append(round);
  }
}
