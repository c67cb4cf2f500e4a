import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Appender } from '../demo-log/appender.js';
import { emptyHead, KINDS } from '../demo-log/kinds.js';
import { Round } from '../demo-log/round.js';
import { benchPartnerId } from '../support/partner-ids.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { hashOfManual } from '../../src/contexts/wallet/domain/crediting/manual-entries.js';

// Registers partners whose wallets are credited once, through the deciders of partner and wallet.

const PARTNERS_PER_ROUND = 500;

const { values } = parseArgs({ options: { url: { type: 'string' }, wallets: { type: 'string' } } });
const { url = '', wallets = '0' } = values;
const eventStore = new EventStore(url, { stallTimeoutMs: 60_000 });
const appender = new Appender(eventStore, () => undefined);
for (let from = 0; from < Number(wallets); from += PARTNERS_PER_ROUND)
  await fill(from, Math.min(Number(wallets), from + PARTNERS_PER_ROUND));
await appender.finish();
process.exit(0);

async function fill(from: number, until: number): Promise<void> {
  const at = new Date().toISOString();
  const round = new Round(0, () => at);
  for (let number = from; number < until; number += 1) {
    const partner_id = benchPartnerId(number);
    const context = { correlationId: randomUUID(), mode: 'live' as const };
    const by = { partner_id, at, actor: 'bench' };
    const partner = {
      kind: 'register' as const,
      ...by,
      company_name: `Bench ${number}`,
      account_type: 'bank' as const,
      mode: 'live' as const,
    };
    round.decide(KINDS.partner, partner_id, emptyHead(KINDS.partner), partner, context);
    const credit = {
      kind: 'credit' as const,
      ...by,
      amount_kobo: 100,
      reference: 'opening',
      checked_to_revision: -1n,
      manual_entries_hash: hashOfManual([]),
    };
    round.decide(KINDS.wallet, partner_id, emptyHead(KINDS.wallet), credit, context);
  }
  for (const append of round.appends.values()) await appender.add(append);
}
