import { CREDIT_KINDS, type WalletEvent } from './events.js';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const integer: Check = (value) => Number.isSafeInteger(value);
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const time: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value));
const record = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const objectWith =
  (fields: Fields): Check =>
  (value) =>
    record(value) && wrongField(fields, value) === undefined;

const entry: Fields = { partner_id: text, recorded_at: time, actor: text, balance_after_kobo: integer, open_from_revision: nullOr(count) };
const lookup: Fields = { ...entry, lookup_id: text, rupa_id: text };
const fees: Check = (value) => record(value) && Object.values(value).every(count);
const kind: Check = (value) => CREDIT_KINDS.some((each) => each === value);
const charges: Check = (value) => Array.isArray(value) && value.every(objectWith({ lookup_id: text, debit_revision: count }));

const shapes: Readonly<Record<WalletEvent['type'], Fields>> = {
  WalletCredited: { ...entry, amount_kobo: count, reference: text, kind: absentOr(kind) },
  CreditReversed: { ...entry, amount_kobo: count, credit_reference: text, kind, reference: text, reason: text },
  WalletDebited: { ...lookup, source: text, amount_kobo: count, breakdown_kobo: fees, price_book_version: count, key_id: absentOr(text) },
  ConsentGranted: { ...lookup, source: text },
  ChargesSettled: { ...entry, charges },
  RefundIssued: { ...lookup, debit_revision: count, amount_kobo: count, breakdown_kobo: absentOr(fees), reason: text },
  LookupCompensated: { ...lookup, debit_revision: count, amount_kobo: count, breakdown_kobo: fees, reason: text },
};

/** Returns why the type and data are not those of a wallet event; undefined if they are. */
export function shapeFault(type: string, data: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(shapes, type)) return `A wallet has no entries of the type ${type}.`;
  const field = wrongField(shapes[type as WalletEvent['type']], data);
  return field && `Its field ${field} is missing or has a value of the wrong kind.`;
}

function wrongField(fields: Fields, data: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(fields).find(([field, check]) => !check(data[field]))?.[0];
}
