import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { canonicalDate, dateProblem } from '../../kernel/iso-8601.js';
import { type ChainHead, parseChainHead } from '../../contexts/wallet/domain/verify-wallet.js';
import { type Progress, progress } from './progress.js';
import { PartnerRejection } from '../../contexts/partners/domain/partner.js';

/** Wallets with fewer entries are read so quickly that they need no progress bar. */
const MIN_ENTRIES_FOR_BAR = 20_000;
const LINES_EVERY = 50_000;

export interface WalletLog {
  readonly stream: string;
  readonly company_name: string;
  readonly entries: number;
}

/** Finds the wallet of a partner in the log, without the read models. @throws Rejection `partner_unknown` */
export async function findWallet(app: INestApplicationContext, partnerId: string): Promise<WalletLog> {
  const eventStore = app.get(EventStore);
  const [registered] = await eventStore.readStream(`partner-${partnerId}`, { maxCount: 1 });
  if (!registered) throw new PartnerRejection('partner_unknown');
  const stream = `wallet-${partnerId}`;
  const last = await eventStore.lastEvent(stream);
  return { stream, company_name: String(registered.data.company_name), entries: last ? Number(last.revision) + 1 : 0 };
}

export function walletProgress(what: string, entries: number): Progress {
  if (entries < MIN_ENTRIES_FOR_BAR) return { advance: () => undefined, stop: () => undefined };
  return progress(what, entries, LINES_EVERY);
}

/** Parses an option that is a time. A date is its beginning (UTC). */
export function instant(text: string): string {
  return new Date(dateOrTimestamp(text)).toISOString();
}

/** Parses an option that is a bound of a time window, where a date may be its beginning or its end. */
function dateOrTimestamp(text: string): string {
  const problem = dateProblem(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return canonicalDate(text);
}

/** Parses an option that is the head of a wallet. */
export function chainHead(text: string): ChainHead {
  const head = parseChainHead(text);
  if (!head) throw new InvalidArgumentError('It must be REVISION:HASH, as rupa wallet verify prints it.');
  return head;
}

export function headText(head: ChainHead): string {
  return `${head.revision}:${head.hash}`;
}
