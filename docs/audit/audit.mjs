#!/usr/bin/env node
/*
 * Checks the evidence file of a Rupa service: every event of its log, as `rupa audit evidence` writes it.
 *
 *     node audit.mjs [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]
 *
 * FILE is the evidence file. KEYS has the verifier keys of the log's checkpoints, one a line. Each NOTE is a checkpoint that you kept.
 * The exit status is 0 if everything holds, 1 if something does not, and 2 for wrong usage. The last line of standard error is then
 * "event N: RULE: reason", with the first event that does not hold. Standard output is a summary to file. The page docs/audit.md explains it.
 *
 * Needs Node 20 and no packages. audit.py beside it does the same in Python, and prints the same. The service's console runs this file, too,
 * in a browser: there, nothing of Node is loaded, and `inBrowser` is given what replaces it.
 */
const isNode = typeof process !== 'undefined';
const { createHash, createPublicKey, verify } = isNode ? await import('node:crypto') : {};
const { openSync, readFileSync, readSync, realpathSync } = isNode ? await import('node:fs') : {};
const { fileURLToPath } = isNode ? await import('node:url') : {};

// ---- The events of the log ------------------------------------------------------------------------------------------------------------
// A stream with the fields that all its events have, and its event types with their further fields. `{field}` in a stream's name is the
// value of that field, and `*` is anything. A field without a mark is a text; `#` marks a whole number, `%` an integer, `@` a time, `$`
// amounts by name, `+` a rate of VAT in percent, `!` what is checked elsewhere, `=` the values that it may have, `~` that it may be null,
// and `?` that it may be missing.
const EVENTS = `
wallet-{partner_id} | partner_id balance_after_kobo% open_from_revision#~ recorded_at@ actor
  WalletCredited | amount_kobo# reference kind?=payment=goodwill=correction bank_fee_kobo?# withheld_tax_kobo?# approval_id? approved_by?
  CreditReversed | amount_kobo# credit_reference kind=payment=goodwill=correction reference reason bank_fee_kobo?# withheld_tax_kobo?# approval_id? approved_by?
  WalletPaidOut | amount_kobo# reference reason approval_id? approved_by?
  WalletDebited | lookup_id rupa_id source amount_kobo# breakdown_kobo$ price_book_version# vat_percent?+ key_id?
  ConsentGranted | lookup_id rupa_id source
  ChargesSettled | charges!
  RefundIssued | lookup_id rupa_id debit_revision# amount_kobo# breakdown_kobo?$ vat_percent?+ reason
  LookupCompensated | lookup_id rupa_id debit_revision# amount_kobo# breakdown_kobo$ vat_percent?+ reason approval_id? approved_by?
ledger-{mode} | recorded_at@ actor mode=live=sandbox
  LedgerEntryPosted | kind amount_kobo# account? reference date reason of? of_kind? approval_id? approved_by?
  PeriodClosed | period accounts! entries# index#~ issuer! prefix
pricebook-main | recorded_at@ actor
  PriceBookPublished | version# fees_kobo$ schedule_revision?# vat_percent?+ approval_id? approved_by?
priceschedule-main | recorded_at@ actor
  PriceBookScheduled | fees_kobo$ effective_at@ in_force_by_time?! vat_percent?+ approval_id? approved_by?
  PriceScheduleCancelled | schedule_revision#
  PriceScheduleFulfilled | schedule_revision#
partner-{partner_id} | recorded_at@ actor partner_id
  PartnerRegistered | company_name account_type mode=live=sandbox
  PartnerActivated PartnerDeactivated OptionalSectionsChanged IpAllowListChanged |
  LowBalanceThresholdChanged | threshold_kobo#~
  PartnerDetailsChanged | company_name legal!
  SandboxReset | test_run#
apikey-{key_id} | recorded_at@ actor key_id
  ApiKeyIssued | partner_id~
  ApiKeyLinked | partner_id
  ApiKeyExpirySet | expires_at@
  ApiKeyDeactivated |
farmer-{rupa_id} | recorded_at@ actor rupa_id
  FarmerRegistered | mode=live=sandbox
  FarmerSectionUpdated CreditScoreChanged TestFarmerDefined FarmerErased |
consent-{partner_id}-{rupa_id} | recorded_at@ actor partner_id rupa_id
  ConsentReleased | granted_revision#
contribution-{partner_id}-* | recorded_at@ actor partner_id rupa_id contribution_id%
  ContributionRecorded ContributionUpdated | event currency
webhook-{endpoint_id} | recorded_at@ actor partner_id endpoint_id#
  WebhookRegistered WebhookUpdated SigningSecretRotated WebhookDisabled WebhookEnabled WebhookDeleted |
sandbox_event-{notification_id} | recorded_at@ actor partner_id notification_id
  SandboxEventTriggered | notification_type
ids-main | recorded_at@ actor
  IdsReserved | kind first_id# last_id#
admin_audit-* | recorded_at@ role method route call_id? name?~
  AdminCallBegun |
  AdminCallEnded | status#
checkpoints-main | recorded_at@ actor number# root note
  CheckpointMade |
  CheckpointSigned | tree_size#
checkpoint_leaves-* | recorded_at@
  CheckpointPageRecorded CheckpointPagesIndexed |
checkpoint_keys-main | recorded_at@ actor
  CheckpointKeyIssued | number# name verifier_key
maintenance-main | recorded_at@ actor
  MaintenanceBegun | reason until?@
  MaintenanceEnded |
approval-{approval_id} | recorded_at@ actor approval_id
  ApprovalRequested | kind mode=live=sandbox partner_id~ amount_kobo#~ reference~ call! expires_at@
  ApprovalGranted ApprovalExecuted |
  ApprovalRejected | reason
approvallimit-main | recorded_at@ actor
  ApprovalLimitSet | limit_kobo#~
operations-main | recorded_at@ actor
  EventSkipped | event_id stream revision# reason
log-main | recorded_at@ actor
  LogMoved | events#
  LogAdopted | origin former_note former_key lost_events#~ reason
`;

/** Returns the stream and the fields of each event type. */
function table() {
  const types = new Map();
  let [stream, common] = ['', ''];
  for (const line of EVENTS.trim().split('\n')) {
    const [names, fields] = line.split('|');
    if (line.startsWith(' ')) for (const name of names.trim().split(' ')) types.set(name, { stream, fields: `${common} ${fields}` });
    else [stream, common] = [names.trim(), fields];
  }
  return types;
}

const TYPES = table();
const CATEGORIES = new Set([...[...TYPES.values()].map(({ stream }) => stream.split('-')[0]), 'ended_apikey', 'ended_farmer']);
const VERSIONS = { WalletDebited: 2, FarmerRegistered: 2 }; // the newest form of the data; 1 for all others
// The prices in force where the log has no version 1, in kobo. Debits of version 2 have the places of their fees here in place of the names.
const PRICES = `svc_fee.identity 5000, svc_fee.bvn_nin_data 5000, passthrough.bvn 6000, passthrough.nin 6000, svc_fee.credit_history 10000,
passthrough.credit_bureau 50000, svc_fee.outstanding_loans 8000, svc_fee.transaction_volume 10000, svc_fee.farms 8000,
svc_fee.underwriting_value 10000, svc_fee.wallet 5000, svc_fee.socioeconomic_profile 5000`;
const DEFAULTS = Object.fromEntries(PRICES.split(/,\s/).map((each) => [each.split(' ')[0], Number(each.split(' ')[1])]));
const FEES = Object.keys(DEFAULTS);
// Only an administrator or the command line may do this; in the sandbox also the demo and the partner's own key.
const PRIVILEGED = new Set(
  (
    'WalletCredited CreditReversed WalletPaidOut LookupCompensated PriceBookPublished PriceBookScheduled PriceScheduleCancelled ' +
    'LedgerEntryPosted PeriodClosed PartnerRegistered PartnerActivated PartnerDeactivated OptionalSectionsChanged IpAllowListChanged ' +
    'PartnerDetailsChanged ApiKeyIssued ApiKeyLinked ApiKeyExpirySet ApiKeyDeactivated FarmerErased MaintenanceBegun MaintenanceEnded EventSkipped LogAdopted ' +
    'ApprovalRequested ApprovalGranted ApprovalRejected ApprovalExecuted'
  ).split(' '),
);
/** The events that may need a second person, with the kind of their approval. */
const APPROVABLE = new Map([
  ['WalletCredited', 'credit'],
  ['CreditReversed', 'reversal'],
  ['WalletPaidOut', 'payout'],
  ['LookupCompensated', 'compensation'],
  ['LedgerEntryPosted', 'ledger_entry'],
  ['PriceBookPublished', 'price_publication'],
  ['PriceBookScheduled', 'price_schedule'],
]);
/** Types of money that comes from or goes to the outside, which name a reference. */
const MONEY = ['WalletCredited', 'CreditReversed', 'WalletPaidOut'];
/** Types that take money from the wallet. */
const OUT = ['WalletDebited', 'CreditReversed', 'WalletPaidOut'];
/** The accounts that an entry outside of wallets debits and credits. `*` is its account, which an opening balance of a liability credits. */
const SIDES = new Map([
  ['passthrough_settlement', ['passthrough_payable.*', 'cash_received']],
  ['vat_remittance', ['vat_payable', 'cash_received']],
  ['wht_certificate', ['wht_credit_notes', 'wht_receivable']],
  ['bank_charge', ['bank_charges', 'cash_received']],
  ['bank_interest', ['cash_received', 'interest_income']],
  ['opening_balance', ['*', 'opening_balances']],
]);
const PROVIDERS = FEES.filter((fee) => fee.startsWith('passthrough.')).map((fee) => fee.slice(12));
const PAYABLE = [...PROVIDERS.map((provider) => `passthrough_payable.${provider}`), 'vat_payable'];
const EXPENSES = ['goodwill_expense', 'correction_expense', 'bank_charges'];
const OPENING = [...PAYABLE, 'cash_received', 'wht_receivable', 'wht_credit_notes', ...EXPENSES];
/** The side whose account must hold the amount of an entry. */
const BOUNDED = { passthrough_settlement: 0, vat_remittance: 0, wht_certificate: 1 };
/** The texts that a close has of each account. */
const TOTALS = ['account', 'opening_kobo', 'debit_kobo', 'credit_kobo', 'closing_kobo'];
const [DAY, FIVE_MINUTES, TWO_MINUTES, TEN_SECONDS] = [86_400_000, 300_000, 120_000, 10_000];
const AGES = [30, 90, 180]; // the most whole days of each band of prepaid money but the last
const NAMED = 100; // exceptions of time that the summary names one by one

/** An event that breaks a rule. */
class Broken extends Error {
  constructor(rule, reason) {
    super(reason);
    this.rule = rule;
  }
}

// ---- Texts, numbers and times ---------------------------------------------------------------------------------------------------------
let sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
let isSigned = (key, message, signature) => {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]); // RFC 8410
  return verify(null, Buffer.from(message), createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
};

/** Replaces the functions above: SHA-256 of texts and bytes, and whether an Ed25519 key signed a text. */
export function inBrowser(functions) {
  ({ sha256, isSigned } = functions);
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const hexOf = (bytes) => bytes.reduce((text, byte) => text + DIGITS[byte], '');
const hex = (text) => hexOf(sha256(text));
const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === 'string';
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** Returns the JSON object of a text; undefined if it is none. */
function parsed(text) {
  if (!isText(text)) return undefined;
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether all numbers are integers that every program reads alike. */
function isExact(value) {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  return typeof value !== 'number' || Number.isSafeInteger(value);
}

/** Returns the canonical JSON (RFC 8785). */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** Returns the milliseconds since 1970 of a time as the service writes it; undefined for anything else. */
function moment(text) {
  if (!isText(text) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || text < '0001') return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? undefined : ms;
}

function monthAfter(month) {
  const [year, following] = [Number(month.slice(0, 4)), (Number(month.slice(5)) % 12) + 1];
  return `${String(year + (following === 1 ? 1 : 0)).padStart(4, '0')}-${String(following).padStart(2, '0')}`;
}

function naira(kobo) {
  const [amount, sign] = kobo < 0 ? [-BigInt(kobo), '-'] : [BigInt(kobo), ''];
  return `${sign}${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
}

/** Returns a text of the log in ASCII, so that it cannot imitate other lines. */
function show(text) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(String(text))
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, escaped);
}

// ---- Checkpoints ----------------------------------------------------------------------------------------------------------------------
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** The Merkle tree of RFC 6962 over the leaves so far. It holds the root of each complete subtree, and so knows the root at any size. */
class Tree {
  size = 0;
  levels = [];

  add(leaf) {
    let [node, size] = [sha256(LEAF, leaf), this.size];
    for (let level = 0; ; level += 1) {
      const nodes = (this.levels[level] ??= new Hashes());
      nodes.add(node);
      if (size % 2 === 0) break;
      [node, size] = [sha256(NODE, nodes.at(nodes.count - 2), node), (size - 1) / 2];
    }
    this.size += 1;
  }

  root(size) {
    let root;
    for (let [level, count] = [0, size]; count > 0; level += 1, count = Math.floor(count / 2)) {
      if (count % 2 === 0) continue;
      const subtree = this.levels[level].at(count - 1);
      root = root ? sha256(NODE, subtree, root) : subtree;
    }
    return root ?? sha256();
  }
}

/** A growing list of hashes, in little memory. */
class Hashes {
  bytes = new Uint8Array(32 * 64);
  count = 0;

  add(hash) {
    const { bytes, count } = this;
    if (bytes.length === 32 * count) (this.bytes = new Uint8Array(2 * bytes.length)).set(bytes);
    this.bytes.set(hash, 32 * count);
    this.count += 1;
  }

  at(index) {
    return this.bytes.subarray(32 * index, 32 * index + 32);
  }
}

/** Returns the bytes of a base64 text; undefined if it is not exactly what they are encoded to. */
function base64Bytes(text) {
  try {
    const decoded = atob(text);
    return btoa(decoded) === text ? Uint8Array.from(decoded, (unit) => unit.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns name, id and public key of a verifier key; undefined if it is malformed (https://c2sp.org/signed-note). */
function keyOf(line) {
  const [, name, id, encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line) ?? [];
  const key = base64Bytes(encoded);
  if (key?.length !== 33 || key[0] !== 1 || hexOf(sha256(name, '\n', key).subarray(0, 4)) !== id) return undefined;
  return { name, id, key: key.subarray(1) };
}

/** A checkpoint: three lines of text and signatures (https://c2sp.org/tlog-checkpoint). Throws a RangeError for anything else. */
class Note {
  constructor(note) {
    const end = note.lastIndexOf('\n\n');
    const lines = note.slice(0, Math.max(end, 0)).split('\n');
    const root = base64Bytes(lines[2] ?? '');
    if (lines.length !== 3 || !/^(?:0|[1-9]\d{0,15})$/.test(lines[1]) || root?.length !== 32)
      throw new RangeError('It is no checkpoint of a log');
    Object.assign(this, { text: note.slice(0, end + 1), origin: lines[0], size: Number(lines[1]), root });
    this.signatures = note
      .slice(end + 2)
      .split('\n')
      .map((line) => line.split(' '));
  }

  /** Returns rule and reason if the note does not hold for the tree; undefined if it does. */
  fault(tree, keys) {
    const { origin, size } = this;
    const mine = this.signatures.filter(([dash, name, ...rest]) => dash === '\u2014' && name === origin && rest.length === 1);
    const signatures = mine.map(([, , encoded]) => base64Bytes(encoded) ?? new Uint8Array());
    const isBy = ({ name, id, key }, bytes) =>
      name === origin && bytes.length === 68 && hexOf(bytes.subarray(0, 4)) === id && isSigned(key, this.text, bytes.subarray(4));
    if (!keys.some((key) => signatures.some((bytes) => isBy(key, bytes))))
      return ['signature', `none of the keys signed the checkpoint of ${size} events`];
    if (size > tree.size) return ['size', `the checkpoint is of ${size} events, but there are only ${tree.size}`];
    if (hexOf(this.root) !== hexOf(tree.root(size))) return ['root', `the first ${size} events do not have the root of their checkpoint`];
    return undefined;
  }
}

/** Returns the origin of the service's first log, and the number of this one: a log after a loss has the next number. */
function logOf(origin) {
  const [, first = origin, count = 1] = /^(.*\/log)\/([1-9][0-9]{0,8})$/s.exec(origin) ?? [];
  return [first, Number(count)];
}

// ---- Wallets --------------------------------------------------------------------------------------------------------------------------
/** The state of one wallet after its entries so far. */
class Wallet {
  hash = '0'.repeat(64);
  balance = 0;
  prepaid = new Prepaid();
  recordedAt = '';
  open = new Map(); // by lookup, oldest first
  references = new Set();
  credits = new Map();
  settled = new Map();

  constructor(mode) {
    this.mode = mode;
  }

  /** Checks an entry by every rule of `rupa wallet verify`, in its order. Throws Broken. */
  check(e, prices) {
    const { fields: data, revision, type } = e;
    const { prev_hash: previous = this.hash, hash } = e.meta;
    if (previous !== this.hash)
      throw new Broken('prev_hash', `its prev_hash is ${previous}, but the hash of the previous entry is ${this.hash}`);
    const found = hex([this.hash, e.stream, revision, type, canonical(data)].join('\n'));
    if (hash !== found) throw new Broken('hash', `its content hashes to ${found}, but its hash is ${hash}`);
    if (data.recorded_at < this.recordedAt)
      throw new Broken('recorded_at', `it is dated ${data.recorded_at}, before the previous entry of the wallet (${this.recordedAt})`);
    const { amount, breakdown } = e;
    const fees = breakdown ? Object.values(breakdown).reduce((sum, fee) => sum + fee, 0) : amount;
    if (fees !== amount) throw new Broken('breakdown', `its fees sum to NGN ${naira(fees)}, but its amount is NGN ${naira(amount)}`);
    const balance = this.balance + (OUT.includes(type) ? -amount : amount);
    if (data.balance_after_kobo !== balance)
      throw new Broken(
        'balance',
        `its balance is NGN ${naira(data.balance_after_kobo)}, but the entries up to it sum to NGN ${naira(balance)}`,
      );
    if (balance < 0) throw new Broken('balance', `the balance is negative: NGN ${naira(balance)}`);
    if (type === 'WalletDebited') prices.check(data, e.at);
    const [first] = this.open.values();
    const oldest = first?.revision ?? null;
    if (data.open_from_revision !== oldest)
      throw new Broken(
        'open_from_revision',
        `it says that the oldest open charge has the revision ${data.open_from_revision}, but that has the revision ${oldest}`,
      );
    if (MONEY.includes(type) && this.references.has(data.reference))
      throw new Broken('reference', `the reference "${show(data.reference)}" was used before`);
    this[type](e);
    Object.assign(this, { hash: found, balance, recordedAt: data.recorded_at });
  }

  WalletCredited({ fields }) {
    const { reference, kind = 'payment', amount_kobo } = fields;
    this.references.add(reference);
    const [fee, tax] = deducted(fields);
    if (fee + tax > 0 && (kind !== 'payment' || fee + tax >= amount_kobo))
      throw new Broken(
        'deductions',
        `a bank fee of NGN ${naira(fee)} and a withheld tax of NGN ${naira(tax)} are not parts of a payment of NGN ${naira(amount_kobo)}`,
      );
    this.credits.set(reference, { kind, left: amount_kobo, fee, tax });
  }

  CreditReversed({ fields }) {
    const { credit_reference, kind, amount_kobo, reference } = fields;
    const credit = this.credits.get(credit_reference);
    if (credit?.kind !== kind || credit.left < amount_kobo)
      throw new Broken('reversal', `no credit "${show(credit_reference)}" of the kind ${kind} has NGN ${naira(amount_kobo)} left`);
    // Cash goes back first, then the withheld tax, then the bank fee, so these are left.
    credit.left -= amount_kobo;
    const fee = Math.min(credit.fee, credit.left);
    const tax = Math.min(credit.tax, credit.left - fee);
    const [saidFee, saidTax] = deducted(fields);
    if (saidFee !== credit.fee - fee || saidTax !== credit.tax - tax)
      throw new Broken(
        'reversal',
        `it takes back NGN ${naira(credit.fee - fee)} of the bank fee and NGN ${naira(credit.tax - tax)} of the withheld tax, and says otherwise`,
      );
    Object.assign(credit, { fee, tax });
    this.references.add(reference);
  }

  WalletPaidOut({ fields: { reference } }) {
    this.references.add(reference);
  }

  WalletDebited({ fields: debit, revision, index, at }) {
    const before = this.open.get(debit.lookup_id);
    if (before)
      throw new Broken(
        'charge',
        `the lookup ${show(debit.lookup_id)} was charged at revision ${before.revision}, and that charge is still open`,
      );
    this.open.set(debit.lookup_id, { revision, debit, index, at });
  }

  ConsentGranted({ fields: { lookup_id, rupa_id } }) {
    if (this.open.get(lookup_id)?.debit.rupa_id !== rupa_id)
      throw new Broken('charge', `the lookup ${show(lookup_id)} has no open charge for ${show(rupa_id)}`);
  }

  ChargesSettled({ fields: { charges } }) {
    if (new Set(charges.map(({ lookup_id }) => lookup_id)).size < charges.length) throw new Broken('charge', 'it settles a lookup twice');
    const debits = charges.map((charge) => this.closed(charge));
    for (const [index, { lookup_id, debit_revision }] of charges.entries()) {
      const debit = debits[index];
      this.open.delete(lookup_id);
      this.settled.set(debit_revision, { identity: identity(debit), version: debit.price_book_version, compensated: false });
    }
  }

  /** Returns the debit of a charge that is closed. */
  closed({ lookup_id, debit_revision }) {
    const charge = this.open.get(lookup_id);
    if (!charge)
      throw new Broken('charge', `the lookup ${show(lookup_id)} has no open charge: it was never charged, or settled or refunded before`);
    if (charge.revision !== debit_revision)
      throw new Broken(
        'charge',
        `it names the revision ${debit_revision} for the lookup ${show(lookup_id)}, which was charged at revision ${charge.revision}`,
      );
    return charge.debit;
  }

  RefundIssued(e) {
    const { amount_kobo, rupa_id, breakdown_kobo, debit_revision, lookup_id } = e.fields;
    const debit = this.closed(e.fields);
    const hasFees = canonical(breakdown_kobo ?? debit.breakdown_kobo) === canonical(debit.breakdown_kobo);
    const vat = hundredthsOf(debit);
    const isSame = hasFees && hundredthsOf(e.fields) === vat && (breakdown_kobo !== undefined || vat === 0);
    if (debit.amount_kobo !== amount_kobo || debit.rupa_id !== rupa_id || !isSame)
      throw new Broken('charge', `it does not give back what was charged at revision ${debit_revision}`);
    e.version = debit.price_book_version;
    this.open.delete(lookup_id);
  }

  LookupCompensated(e) {
    const { debit_revision, lookup_id } = e.fields;
    const charge = this.settled.get(debit_revision);
    if (charge?.identity !== identity(e.fields))
      throw new Broken('compensation', `no settled charge at revision ${debit_revision} has its lookup, farmer, fees and VAT`);
    if (charge.compensated) throw new Broken('compensation', `the lookup ${show(lookup_id)} was compensated before`);
    e.version = charge.version;
    charge.compensated = true;
  }
}

const identity = ({ lookup_id, rupa_id, breakdown_kobo, ...rest }) =>
  hex(canonical([lookup_id, rupa_id, breakdown_kobo, hundredthsOf(rest)])).slice(0, 16);

/** Returns the rate of VAT of an event in hundredths of a percent; 0 if it has none. */
const hundredthsOf = ({ vat_percent = 0 }) => Math.floor(vat_percent * 100 + 0.5);

/** The balance of a wallet at the end of what is counted, and the moves that decide how old its money is (only with --figures). */
class Prepaid {
  balance = 0;
  lastPayment = '-';
  lastLookup = '-';
  credits = new Map(); // by reference: when it was recorded, and how much of it is not reversed
  // Two numbers for each move: the revision of a charge or payout and its amount, which is below 0 where it was taken and above 0 where it
  // was given back, or twice 0 for the next credit.
  moves = [];

  add({ type, fields, revision, amount, at }, balance) {
    const { recorded_at, kind = 'payment', reference, credit_reference, debit_revision } = fields;
    this.balance = balance;
    if (type === 'WalletDebited') this.lastLookup = recorded_at;
    if (type === 'WalletCredited') {
      if (kind === 'payment') this.lastPayment = recorded_at;
      this.credits.set(reference, { at, kobo: amount });
      this.moves.push(0, 0);
    } else if (type === 'CreditReversed') this.credits.get(credit_reference).kobo -= amount;
    else if (amount > 0) this.moves.push(debit_revision ?? revision, OUT.includes(type) ? -amount : amount);
  }

  /** Returns the kobo of each band at a time. What is taken is the oldest money, and what is given back is as old as when it was taken. */
  byAge(at) {
    const [{ moves }, credits] = [this, [...this.credits.values()]];
    const taken = new Map(); // by the revision of each charge that was given back: which credits it took how much of
    for (let each = 0; each < moves.length; each += 2) if (moves[each + 1] > 0) taken.set(moves[each], []);
    const left = []; // of each credit so far
    const lacking = new Map(); // by revision, oldest first: what was spent of credits that were reversed, and waits for other money
    let first = 0; // the credits before it are spent
    for (let each = 0; each < moves.length; each += 2) {
      const [revision, kobo] = [moves[each], moves[each + 1]];
      if (kobo < 0) lacking.set(revision, -kobo);
      else if (kobo === 0) left.push(credits[left.length].kobo);
      else {
        lacking.delete(revision);
        for (const [place, part] of taken.get(revision)) [left[place], first] = [left[place] + part, Math.min(first, place)];
      }
      while (lacking.size > 0 && first < left.length) {
        const [[charge, wanted]] = lacking;
        const part = Math.min(wanted, left[first]);
        taken.get(charge)?.push([first, part]);
        left[first] -= part;
        if (part < wanted) lacking.set(charge, wanted - part);
        else lacking.delete(charge);
        if (left[first] === 0) first += 1;
      }
    }
    const sums = [0, 0, 0, 0];
    for (const [place, kobo] of left.entries()) {
      const days = Math.floor((at - credits[place].at) / DAY);
      sums[AGES.filter((most) => days > most).length] += kobo;
    }
    return sums;
  }
}

/** The versions of the price book: those that were published, and the schedules that follow, each in force from its time on. */
class Prices {
  // replaces: from when on the version before is not in force
  books = new Map([[1, { fees: DEFAULTS, replaces: undefined, begin: undefined, vat: 0 }]]);
  version = 1;
  schedules = new Map();
  pending = undefined;
  fulfilled = -1;
  waiting = []; // revisions of schedules that no event has published, cancelled or replaced

  /** Returns a version; undefined if it was neither published nor scheduled. */
  book(version) {
    if (version <= this.version || version - this.version > this.waiting.length) return this.books.get(version);
    const { fees, begin, vat } = this.schedules.get(this.waiting[version - this.version - 1]);
    return { fees, replaces: begin, begin, vat };
  }

  publish({ fields: data, at }) {
    const { version, fees_kobo, schedule_revision: revision } = data;
    const isFirst = this.version === 1 && this.books.get(1).replaces === undefined;
    if (version !== this.version + 1 && !(isFirst && version === 1))
      throw new Broken('price_book', `it is version ${version} of the price book, after version ${this.version}`);
    const vat = hundredthsOf(data);
    let [begin, replaces] = [at, at];
    if (revision !== undefined) {
      const plan = this.schedules.get(revision);
      const isPlanned = plan && plan.actor === data.actor && plan.vat === vat && canonical(plan.fees) === canonical(fees_kobo);
      if (!isPlanned || revision <= this.fulfilled || at - plan.ended > TEN_SECONDS || plan.begin - at > TEN_SECONDS)
        throw new Broken('price_book', `it is not what was scheduled at revision ${revision}, or not yet due, or cancelled`);
      begin = Math.min(begin, plan.begin);
      this.fulfilled = revision;
      if (plan.isByTime) replaces = Math.max(plan.begin, this.books.get(this.version).replaces ?? 0);
      this.waiting = this.waiting.filter((each) => each > revision);
    } else if (this.waiting.length > 0 && at - this.schedules.get(this.waiting[0]).begin > TEN_SECONDS) {
      throw new Broken('price_book', `what was scheduled at revision ${this.waiting[0]} was in force before it, and has its version`);
    }
    this.books.set(version, { fees: fees_kobo, replaces, begin, vat });
    this.version = version;
  }

  /** A schedule replaces an earlier one, or is cancelled or fulfilled. From its time on, one that is in force by it is there to stay. */
  schedule({ fields: data, revision, type, at }) {
    const ended = type === 'PriceBookScheduled' ? this.pending : data.schedule_revision;
    if (ended !== undefined && !this.schedules.has(ended)) throw new Broken('price_book', `nothing was scheduled at revision ${ended}`);
    const plan = this.schedules.get(ended);
    if (plan && type !== 'PriceScheduleFulfilled' && !(plan.isByTime && plan.begin <= at)) {
      plan.ended = Math.min(plan.ended, at);
      this.waiting = this.waiting.filter((each) => each !== ended);
    }
    if (type === 'PriceBookScheduled') {
      const { fees_kobo: fees, actor, effective_at, in_force_by_time } = data;
      const isByTime = in_force_by_time === true;
      this.pending = revision;
      this.schedules.set(revision, { fees, actor, begin: moment(effective_at), ended: Infinity, isByTime, vat: hundredthsOf(data) });
      if (isByTime) this.waiting.push(revision);
    } else if (this.pending === ended) {
      this.pending = undefined;
    }
  }

  /** Checks that the debit's fees were in force at its time. Throws Broken. */
  check({ price_book_version: version, breakdown_kobo: charged, ...rest }, at) {
    const [book, following] = [this.book(version), this.book(version + 1)];
    const what = `it charges version ${version} of the price book`;
    if (!book) throw new Broken('price', `${what}, which was neither published before it nor scheduled`);
    if (book.begin !== undefined && book.begin - at > TEN_SECONDS) throw new Broken('price', `${what}, which was in force later than it`);
    if (following && at - following.replaces > TEN_SECONDS) throw new Broken('price', `${what}, which version ${version + 1} had replaced`);
    const vat = hundredthsOf(rest);
    if (vat !== book.vat)
      throw new Broken(
        'price',
        `its VAT is ${naira(vat)} percent, but in version ${version} of the price book it is ${naira(book.vat)} percent`,
      );
    const fees = Object.keys(charged);
    const expected = new Set(fees.filter((fee) => fee.startsWith('svc_fee.')));
    const hasSections = expected.size > 0;
    if ('svc_fee.bvn_nin_data' in charged) expected.add('passthrough.bvn').add('passthrough.nin');
    if ('svc_fee.credit_history' in charged && 'passthrough.credit_bureau' in charged) expected.add('passthrough.credit_bureau');
    if (!hasSections || expected.size !== fees.length || !fees.every((fee) => expected.has(fee)))
      throw new Broken('price', 'its fees are not those of sections with what is passed through for them');
    for (const fee of [...expected].sort()) {
      const known = Object.hasOwn(book.fees, fee) ? book.fees[fee] : undefined;
      if (FEES.includes(fee) && known === charged[fee]) continue;
      const there = known === undefined ? 'none' : `NGN ${naira(known)}`;
      throw new Broken(
        'price',
        `its fee ${show(fee)} is NGN ${naira(charged[fee])}, but in version ${version} of the price book it is ${there}`,
      );
    }
  }
}

/** Returns the bank fee and the withheld tax of a payment, or what a reversal takes back of them. */
function deducted({ bank_fee_kobo = 0, withheld_tax_kobo = 0 }) {
  return [bank_fee_kobo, withheld_tax_kobo];
}

function paymentPostings(fields) {
  const { kind = 'payment', amount_kobo } = fields;
  const [fee, tax] = deducted(fields);
  return [
    [kind === 'payment' ? 'cash_received' : `${kind}_expense`, BigInt(amount_kobo - fee - tax)],
    ['bank_charges', BigInt(fee)],
    ['wht_receivable', BigInt(tax)],
  ];
}

/** Returns the accounts beside partner_balances that an entry is posted to, with amounts in kobo (docs/accounting.md). */
function postings(e, prices) {
  const { amount_kobo } = e.fields;
  if (MONEY.includes(e.type)) return paymentPostings(e.fields);
  if (!e.breakdown) return [['refunds', BigInt(amount_kobo)]];
  const passed = Object.entries(e.breakdown).filter(([fee]) => fee.startsWith('passthrough.'));
  const lines = passed.map(([fee, kobo]) => [`passthrough_payable.${fee.slice(12)}`, BigInt(kobo)]);
  for (const { section, net, vat } of earned(e, prices)) lines.push([`revenue.${section}`, net], ['vat_payable', vat]);
  return lines;
}

/** Returns the sections of an entry's fees, each with its income and the VAT beside it in kobo. */
function earned(e, prices) {
  const rate = BigInt(prices.book(e.fields.price_book_version ?? e.version).vat);
  const fees = Object.entries(e.breakdown).filter(([fee]) => !fee.startsWith('passthrough.'));
  return fees.map(([fee, kobo]) => {
    const amount = BigInt(kobo);
    const vat = (2n * amount * rate + 10_000n + rate) / (2n * (10_000n + rate)); // contained in the fee, rounded half up
    return { section: fee.slice(8), net: amount - vat, vat };
  });
}

/** Returns the accounts that an entry outside of wallets debits and credits; undefined if there are none of that kind. */
function sidesOf(kind, account) {
  const [debited, credited] = SIDES.get(kind) ?? [];
  if (debited === undefined) return undefined;
  if (!debited.includes('*')) return account === '' ? [debited, credited] : undefined;
  const named = debited.split('*').join(account);
  if (!OPENING.includes(named)) return undefined;
  return kind === 'opening_balance' && PAYABLE.includes(named) ? [credited, named] : [named, credited];
}

/** Returns what an account that bounds entries holds with a balance: tax receivable on the debit, or what is payable on the credit. */
function held(account, amount) {
  if (account === 'wht_receivable') return amount;
  return PAYABLE.includes(account) ? -amount : 0n;
}

/** The months of one mode: their movements, and which of them were closed. */
class Months {
  moved = new Map(); // by month, by account: debit and credit
  entries = new Map();
  last = '';
  closed = [];

  move(month, account, amount) {
    const accounts = this.moved.get(month) ?? new Map();
    this.moved.set(month, accounts);
    const [debit, credit] = accounts.get(account) ?? [0n, 0n];
    accounts.set(account, amount > 0n ? [debit + amount, credit] : [debit, credit - amount]);
  }

  /** Returns the month to be closed next; an empty text if there is none. */
  next() {
    const [first = ''] = [...this.moved.keys()].sort();
    return this.last === '' ? first && (first < '1900-01' ? '1900-01' : first) : monthAfter(this.last);
  }

  /** Returns the accounts with a balance or a movement in a month as its close has them. */
  totals(period) {
    const found = new Map();
    for (const [month, accounts] of this.moved) {
      if (month > period) continue;
      for (const [account, [debit, credit]] of accounts) {
        const totals = found.get(account) ?? [0n, 0n, 0n];
        found.set(account, totals);
        if (month < period) totals[0] += debit - credit;
        else [totals[1], totals[2]] = [totals[1] + debit, totals[2] + credit];
      }
    }
    return [...found.keys()].sort().flatMap((account) => {
      const [opening, debit, credit] = found.get(account);
      const isThere = opening !== 0n || debit !== 0n || credit !== 0n;
      return isThere ? [[account, ...[opening, debit, credit, opening + debit - credit].map(String)]] : [];
    });
  }
}

// ---- The log --------------------------------------------------------------------------------------------------------------------------
const SHAPES = new Map(
  [...TYPES].map(([name, { fields }]) => [
    name,
    fields
      .split(' ')
      .filter((field) => field !== '')
      .map((field) => {
        const [, own, missing, kind, none, values] = /^(\w+)(\??)([#%@$+!]?)(~?)((?:=\w+)*)$/.exec(field);
        return { name: own, kind, mayMiss: missing === '?', mayBeNull: none === '~', values: values.split('=').slice(1) };
      }),
  ]),
);

function fits(value, kind, values) {
  if (kind === '#') return isCount(value);
  if (kind === '%') return Number.isSafeInteger(value);
  if (kind === '@') return moment(value) !== undefined;
  if (kind === '+') return typeof value === 'number' && value >= 0 && value <= 100 && Number(value.toFixed(2)) === value;
  if (kind === '$') return isObject(value) && Object.values(value).every(isCount);
  return kind === '!' || (isText(value) && (values.length === 0 || values.includes(value)));
}

const SHORT = 'recorded_at actor balance_after_kobo open_from_revision lookup_id rupa_id source fees price_book_version';

/** Returns the data that the hash of an entry covers: debits of version 2 are stored in a shorter form. */
function inFull({ type, meta, stream }, data) {
  const isShort = [SHORT, `${SHORT} vat_percent`].includes(Object.keys(data).join(' '));
  if (type !== 'WalletDebited' || meta.schema_version === 1 || !isShort) return data;
  const { fees, ...rest } = data;
  if (!Array.isArray(fees) || fees.length % 2 > 0 || !fees.every(isCount)) return data;
  if (fees.some((fee, index) => index % 2 === 0 && fee >= FEES.length)) return data;
  const breakdown_kobo = {};
  let amount_kobo = 0;
  for (let index = 0; index < fees.length; index += 2) {
    breakdown_kobo[FEES[fees[index]]] = fees[index + 1];
    amount_kobo += fees[index + 1];
  }
  return { ...rest, partner_id: stream.slice('wallet-'.length), amount_kobo, breakdown_kobo };
}

/** Sets the data and metadata of an event. Returns why the service cannot use it; undefined if it can. */
function unusable(e) {
  const [meta, stored] = [parsed(e.metadata), parsed(e.data)];
  const isWallet = e.stream.startsWith('wallet-');
  const type = TYPES.get(e.type);
  if (!type) return 'its type is unknown';
  if (!meta || !isText(meta.$correlationId) || !isCount(meta.schema_version)) return 'its metadata is not that of an event of this service';
  if (meta.schema_version < 1 || meta.schema_version > (VERSIONS[e.type] ?? 1)) return `its version ${meta.schema_version} is unknown`;
  const hashes = ['prev_hash', 'hash'].filter((name) => Object.hasOwn(meta, name)).map((name) => meta[name]);
  if (!hashes.every((each) => isText(each) && /^[0-9a-f]{64}$/.test(each)) || (isWallet && !Object.hasOwn(meta, 'hash')))
    return 'it lacks its hash';
  if (!stored) return 'its data is not a JSON object';
  e.meta = meta;
  const data = (e.fields = inFull(e, stored));
  for (const { name, kind, mayMiss, mayBeNull, values } of SHAPES.get(e.type)) {
    const there = Object.hasOwn(data, name);
    const value = there ? data[name] : undefined;
    if (!(fits(value, kind, values) || (mayMiss && !there) || (mayBeNull && value === null)))
      return `its field ${name} is missing or has a value of the wrong kind`;
  }
  const isCharge = (each) => isObject(each) && isText(each.lookup_id) && isCount(each.debit_revision);
  if (e.type === 'ChargesSettled' && !(Array.isArray(data.charges) && data.charges.every(isCharge)))
    return 'its field charges is missing or has a value of the wrong kind';
  if (e.type === 'PeriodClosed') {
    const isAccount = (each) => isObject(each) && TOTALS.every((name) => isText(each[name]));
    if (!Array.isArray(data.accounts) || !data.accounts.every(isAccount))
      return 'its field accounts is missing or has a value of the wrong kind';
    const isStated = (name) => Object.hasOwn(data.issuer, name) && (data.issuer[name] === null || isText(data.issuer[name]));
    if (!isObject(data.issuer) || !['name', 'address', 'tax_id'].every(isStated))
      return 'its field issuer is missing or has a value of the wrong kind';
  }
  const isRate = (field) => SHAPES.get(e.type).some(({ name, kind }) => name === field && kind === '+');
  if (isWallet && !Object.keys(data).every((name) => isRate(name) || isExact(data[name])))
    return 'it has a number that is no exact integer';
  const stream = type.stream.replace(/{(\w+)}/g, (_, field) => String(data[field]));
  const isContinued = e.stream.startsWith('ended_') && (e.type === 'ApiKeyDeactivated' || e.type === 'FarmerErased');
  const own = isContinued ? e.stream.slice('ended_'.length) : e.stream;
  return (stream.endsWith('*') ? own.startsWith(stream.slice(0, -1)) : own === stream) ? undefined : 'it belongs into another stream';
}

/** The newest of the times so far, and the events whose own time is an exception. */
class Times {
  newest = 0;
  newestIndex = 0;
  exceptions = [];

  copy() {
    return Object.assign(new Times(), this, { exceptions: [...this.exceptions] });
  }

  /** Adds an event. An event that differs from `created`, if that is compared, says nothing of later ones. */
  add(index, e, created) {
    const { recorded_at: dated } = e.fields;
    if (this.newest - e.at > FIVE_MINUTES) {
      this.exceptions.push([index, 'time', `${place(e)}it is dated ${dated}, more than five minutes before event ${this.newestIndex}`]);
    } else if (created !== undefined && Math.abs(e.at - created) > FIVE_MINUTES) {
      this.exceptions.push([index, 'time', `${place(e)}it is dated ${dated}, but the event store recorded it at ${e.created}`]);
      return;
    }
    if (e.at > this.newest) [this.newest, this.newestIndex] = [e.at, index];
  }
}

/** Reads the events one after another, and keeps what the rules and the summary need. */
class Audit {
  tree = new Tree();
  fault = undefined;
  revisions = new Map();
  ids = Array.from({ length: 256 }, () => new Set()); // by their first two digits, because a set holds 16 million at most
  aside = new Map();
  skipped = [];
  foreign = 0;
  modes = new Map();
  apiKeys = new Map();
  wallets = new Map();
  prices = new Prices();
  calls = new Map();
  begun = new Set();
  /** The amount above which a second person approves, null for none, and since when. */
  limit = null;
  limitAt = 0;
  approvals = new Map();
  /** The larger entries that nobody else approved. */
  alone = [];
  months = { live: new Months(), sandbox: new Months() };
  late = []; // what was recorded after its month was closed
  times = new Times();
  moved = new Times(); // what `times` becomes when the log is moved: then `created` says nothing of the events so far
  moves = [];
  signed = undefined;
  last = 0;
  origin = undefined; // of the log's checkpoints
  adoptions = []; // logs that begin after a loss
  firstTime = '';
  lastTime = '';
  accounts = { live: new Map(), sandbox: new Map() };
  balances = { live: new Map(), sandbox: new Map() };
  entries = { live: new Map(), sandbox: new Map() }; // outside of wallets, by reference
  counts = new Map();
  revenue = { live: new Map(), sandbox: new Map() }; // by month and section
  journal = { live: 0, sandbox: 0 }; // number of entries

  constructor(keys, window, withFigures) {
    Object.assign(this, { keys, window, withFigures });
  }

  /** Adds a line of the file. Returns false if it is none, which ends the file. */
  line(index, text) {
    const e = parsed(text);
    try {
      this.tree.add(leafOf(e));
    } catch (error) {
      this.broken(index, '', error);
      return false;
    }
    try {
      if (!this.fault) this.event(index, e);
      else if (e.stream === 'log-main' && e.type === 'LogMoved' && parsed(e.data)?.events === index) this.times = this.moved; // the events before the fault were moved, too
    } catch (error) {
      this.broken(index, place(e), error);
    }
    return true;
  }

  broken(index, where, error) {
    if (!(error instanceof Broken)) throw error;
    this.fault ??= [index, error.rule, where + error.message];
  }

  event(index, e) {
    if (e.index !== index) throw new Broken('index', `its line has the index ${e.index}`);
    const revision = this.revisions.get(e.stream) ?? 0;
    if (e.revision !== revision)
      throw new Broken('revision', `revision ${revision} of the stream is missing: revision ${e.revision} was found instead`);
    this.revisions.set(e.stream, revision + 1);
    const ids = this.ids[parseInt(e.id.slice(0, 2), 16)];
    if (ids.has(e.id)) throw new Broken('id', `an earlier event has the id ${e.id}, too`);
    ids.add(e.id);
    if (!CATEGORIES.has(e.stream.split('-')[0])) {
      this.foreign += 1;
      return;
    }
    const reason = unusable(e);
    if (reason !== undefined) {
      this.aside.set(e.id, [index, 'shape', `${place(e)}${reason}, and no decision to skip it was recorded`]);
      return;
    }
    e.at = moment(e.fields.recorded_at);
    this.time(index, e);
    this.author(e);
    if (e.stream.startsWith('wallet-')) this.entry(e);
    else this[e.type]?.(e);
  }

  time(index, e) {
    const dated = e.fields.recorded_at;
    this.firstTime ||= dated;
    if (dated > this.lastTime) this.lastTime = dated;
    if (e.type === 'LogMoved' && e.fields.events === index) this.times = this.moved.copy();
    this.moved.add(index, e, undefined);
    this.times.add(index, e, moment(e.created));
  }

  /** Checks that an administrator's call was recorded before its events, and that an API key belongs to the partner. */
  author(e) {
    const { fields: data, meta, type } = e;
    const actor = isText(data.actor) ? data.actor : '';
    const [role] = actor.split(':');
    const name = actor.slice(role.length + 1);
    const fault = (reason) => new Broken('author', reason);
    if (APPROVABLE.has(type) && (data.approval_id !== undefined || data.approved_by !== undefined)) return this.approved(e, actor);
    // A new log begins with its prices.
    if (type === 'PriceBookPublished' && actor === 'service' && data.version === 1 && this.modes.size === 0) return;
    if (type === 'PriceScheduleFulfilled' || (type === 'PriceBookPublished' && data.schedule_revision !== undefined)) return;
    if (role === 'admin' || role === 'cli') {
      const calls = this.calls.get(meta.$correlationId) ?? [];
      if (!calls.some((call) => call.role === role && (call.name === name || (role === 'cli' && name === ''))))
        throw fault(`its author is ${show(actor)}, but no such call with its $correlationId began before it`);
      return;
    }
    const partner = isText(data.partner_id) ? data.partner_id : undefined;
    const mode = type === 'PartnerRegistered' ? data.mode : this.modes.get(partner);
    const isForeignKey = role === 'key' && partner !== undefined && this.apiKeys.get(name) !== partner;
    if (isForeignKey || (type === 'WalletDebited' && role !== 'key' && this.apiKeys.get(data.key_id) !== partner))
      throw fault(`its author is ${show(actor)}, which is no API key of the partner`);
    const isOwn = (role === 'demo' || role === 'key') && (mode === 'sandbox' || type.startsWith('ApiKey'));
    const isTestFarmer = role === 'sandbox' && String(data.rupa_id).startsWith('rp-test-');
    if (PRIVILEGED.has(type) && !isOwn && !isTestFarmer) throw fault(`its author is ${show(actor)}, but only an administrator may do this`);
  }

  /** Checks what a second person approved: the approval stands for the author's call, which began under another $correlationId. */
  approved({ fields: data, type }, actor) {
    const [approval, by] = [this.approvals.get(data.approval_id), data.approved_by ?? ''];
    if (isSamePerson(actor, by)) throw new Broken('author', `${show(actor)} approved it alone`);
    if (!approval || approval.by !== actor || approval.granted !== by)
      throw new Broken('author', `no call of ${show(actor)} that ${show(by)} approved is recorded before it`);
    const { kind, partner_id, reference, amount_kobo } = approval.asked;
    const isSame =
      kind === APPROVABLE.get(type) &&
      partner_id === (data.partner_id ?? null) &&
      reference === (data.lookup_id ?? data.reference ?? null) &&
      (amount_kobo === (data.amount_kobo ?? null) || type === 'CreditReversed');
    if (!isSame) throw new Broken('approval', 'it is not what was approved');
    if (approval.done) throw new Broken('approval', 'it was approved once, and this is its second execution');
    approval.done = true;
  }

  /** Notes what needed a second person and had none. What was under way when the amount changed had no need of one. */
  aloneAbove(e, amount) {
    const { index, at, fields: data } = e;
    if (this.limit === null || data.approval_id !== undefined || at - this.limitAt <= TEN_SECONDS) return;
    if (amount !== null && amount <= this.limit) return;
    const what = amount === null ? 'new prices' : `NGN ${naira(BigInt(amount))}`;
    const reason = `${place(e)}${show(data.actor)} did it alone: ${what}, above NGN ${naira(BigInt(this.limit))}`;
    this.alone.push([index, 'approval', reason]);
  }

  ApprovalRequested({ fields: data }) {
    this.approvals.set(data.approval_id, { asked: data, by: data.actor, granted: null, done: false });
  }

  ApprovalGranted({ fields: { approval_id, actor } }) {
    const approval = this.approvals.get(approval_id);
    if (!approval || approval.granted !== null || isSamePerson(approval.by, actor))
      throw new Broken('approval', `${show(actor)} approves what nobody else asked for`);
    approval.granted = actor;
  }

  ApprovalRejected({ fields: { approval_id } }) {
    this.approvals.delete(approval_id);
  }

  ApprovalExecuted({ fields: { approval_id } }) {
    if (!this.approvals.get(approval_id)?.done)
      throw new Broken('approval', 'it says that a call was executed, but no event of that call is before it');
  }

  ApprovalLimitSet({ at, fields: { limit_kobo, recorded_at, actor } }) {
    [this.limit, this.limitAt] = [limit_kobo, at];
    this.count(`limit ${recorded_at}, by ${show(actor)}: ${limit_kobo === null ? 'off' : `NGN ${naira(BigInt(limit_kobo))}`}`);
  }

  entry(e) {
    const { fields: data, type } = e;
    const { partner_id, kind = 'payment' } = data;
    const mode = this.modes.get(partner_id);
    if (mode === undefined) throw new Broken('partner', 'no partner of that id was registered before it');
    let wallet = this.wallets.get(partner_id);
    if (!wallet) this.wallets.set(partner_id, (wallet = new Wallet(mode)));
    e.amount = type === 'ConsentGranted' || type === 'ChargesSettled' ? 0 : data.amount_kobo;
    e.breakdown = ['WalletDebited', 'RefundIssued', 'LookupCompensated'].includes(type) ? data.breakdown_kobo : undefined;
    wallet.check(e, this.prices);
    const month = data.recorded_at.slice(0, 7);
    this.lateIn(mode, month, e);
    this.count(`${mode} ${type}`, e.amount);
    if (['WalletCredited', 'CreditReversed', 'WalletPaidOut', 'LookupCompensated'].includes(type)) {
      if (mode === 'live') this.aloneAbove(e, e.amount);
      const of = type === 'WalletPaidOut' || type === 'LookupCompensated' ? '' : `${kind} `;
      this.count(`author ${mode} ${of}${type} by ${both(data)}`, e.amount);
    }
    if (this.withFigures && e.at < this.window.end) wallet.prepaid.add(e, wallet.balance);
    if (e.breakdown && this.isCounted(e.at)) this.earn(mode, e);
    if (e.amount === 0) return;
    const sign = OUT.includes(type) ? -1n : 1n;
    const lines = postings(e, this.prices).map(([account, amount]) => [account, sign * amount]);
    this.post(mode, e.at, month, [['partner_balances', -sign * BigInt(e.amount)], ...lines]);
    for (const [account, amount] of lines)
      if (held(account, amount) < 0n) {
        const { falls } = this.balance(mode, account);
        falls.push([e.at, -held(account, amount)]);
      }
  }

  /** Adds a charge, or what gives one back, to the revenue of its month and sections. */
  earn(mode, e) {
    const [revenue, isCharge] = [this.revenue[mode], e.type === 'WalletDebited'];
    for (const { section, net, vat } of earned(e, this.prices)) {
      const key = `${e.fields.recorded_at.slice(0, 7)} ${show(section)}`;
      const totals = revenue.get(key) ?? { lookups: 0, net: 0n, vat: 0n, refunds: 0n };
      revenue.set(key, totals);
      totals.lookups += isCharge ? 1 : 0;
      totals.net += isCharge ? net : -net;
      totals.vat += isCharge ? vat : -vat;
      totals.refunds += isCharge ? 0n : net + vat;
    }
  }

  isCounted(at) {
    return this.window.begin <= at && at < this.window.end;
  }

  /** Checks an entry for what happens outside of wallets. It counts from the first moment of its day. */
  LedgerEntryPosted(e) {
    const { fields: data, at } = e;
    const { mode, account = '', amount_kobo, reference, date, of = '' } = data;
    const [entries, day, amount] = [this.entries[mode], moment(`${date}T00:00:00.000Z`), BigInt(amount_kobo)];
    if (entries.has(reference)) throw new Broken('reference', `the reference "${show(reference)}" was used before`);
    if (day === undefined || day > at || amount === 0n)
      throw new Broken('entry', 'it has no amount, or a day that was not over or present when it was recorded');
    const isReversal = data.kind === 'reversal';
    const kind = isReversal ? data.of_kind : data.kind;
    const content = JSON.stringify([kind, data.account, amount_kobo]);
    if (isReversal) {
      if (data.of === undefined || entries.get(of) !== content)
        throw new Broken('reversal', `no entry "${show(of)}" of NGN ${naira(amount)} is there that it could undo as a whole`);
      entries.set(of, '');
    }
    entries.set(reference, isReversal ? '' : content); // neither a reversal nor what it undid can be undone
    const sides = sidesOf(kind, account);
    if (!sides) throw new Broken('entry', `its kind ${show(kind)} has no account "${show(account)}"`);
    if (Object.hasOwn(BOUNDED, data.kind)) this.bound(mode, sides[BOUNDED[kind]], amount, at);
    const [debited, credited] = isReversal ? [...sides].reverse() : sides;
    this.lateIn(mode, date.slice(0, 7), e);
    this.post(mode, day, date.slice(0, 7), [
      [debited, amount],
      [credited, -amount],
    ]);
    this.count(`${mode} LedgerEntryPosted`, amount_kobo);
    if (mode === 'live') this.aloneAbove(e, amount_kobo);
    this.count(`author ${mode} ${data.kind} LedgerEntryPosted by ${both(data)}`, amount_kobo);
  }

  /** Checks that an account holds an amount. What a refund has just taken back may have been there when the entry was decided. */
  bound(mode, account, amount, at) {
    const balance = this.balance(mode, account);
    balance.falls = balance.falls.filter(([fell]) => at - fell <= TWO_MINUTES);
    const available = balance.falls.reduce((sum, [, fall]) => sum + fall, held(account, balance.kobo));
    if (amount > available)
      throw new Broken('bound', `${account} holds NGN ${naira(available < 0n ? 0n : available)}, less than its NGN ${naira(amount)}`);
  }

  /** The balance of an account, and when lately a refund took how much of it back. */
  balance(mode, account) {
    const balances = this.balances[mode];
    const balance = balances.get(account) ?? { kobo: 0n, falls: [] };
    balances.set(account, balance);
    return balance;
  }

  /** Notes what is dated into a month that was closed before. */
  lateIn(mode, month, e) {
    if (month > this.months[mode].last) return;
    this.late.push([e.index, 'closed', `${place(e)}it is dated into ${month}, which was closed before`]);
  }

  /** Checks the close of a month: months are closed in their order, once, with everything that is dated into them and before. */
  PeriodClosed(e) {
    const { mode, period, accounts, entries, index, issuer, prefix, recorded_at, actor } = e.fields;
    const months = this.months[mode];
    const due = months.next();
    if (period !== due) throw new Broken('period', `it closes ${show(period)}, but ${due || 'no month'} is to be closed next`);
    const end = moment(`${monthAfter(period)}-01T00:00:00.000Z`);
    if (e.at - end < FIVE_MINUTES) throw new Broken('period', `it closes ${period} before five minutes after its end`);
    const own = [...this.wallets.values()].filter((wallet) => wallet.mode === mode);
    const charges = own.flatMap(({ open }) => [...open.values()]).filter(({ at }) => at < end).length;
    if (charges > 0) throw new Broken('period', `it closes ${period} while ${charges} of its charges are neither settled nor refunded`);
    const given = accounts.map((each) => TOTALS.map((name) => each[name]));
    const found = months.totals(period);
    if (JSON.stringify(given) !== JSON.stringify(found)) {
      const isIn = (lines) => (line) => lines.some((each) => JSON.stringify(each) === JSON.stringify(line));
      const [account] = found.find((each) => !isIn(given)(each)) ?? given.find((each) => !isIn(found)(each)) ?? given[0];
      throw new Broken('totals', `its totals of ${period} are not those of the entries before it: see ${show(account)}`);
    }
    const counted = months.entries.get(period) ?? 0;
    if (entries !== counted) throw new Broken('totals', `it counts ${entries} entries in ${period}, but there are ${counted}`);
    if (index !== null && index >= e.index)
      throw new Broken('period', `it was made from the events up to event ${index}, which is not before it`);
    months.last = period;
    months.closed.push(
      `${period}, closed ${recorded_at} by ${show(actor)}, entries: ${counted}, up to event ${index}, statements ${show(prefix)} of ${show(issuer.name || '-')}`,
    );
  }

  post(mode, at, month, lines) {
    const { begin, end } = this.window;
    const months = this.months[mode];
    months.entries.set(month, (months.entries.get(month) ?? 0) + 1);
    if (this.isCounted(at)) this.journal[mode] += 1;
    for (const [account, amount] of lines) {
      if (amount !== 0n) months.move(month, account, amount);
      this.balance(mode, account).kobo += amount;
      if (amount === 0n || at >= end) continue;
      const accounts = this.accounts[mode];
      const totals = accounts.get(account) ?? { opening: 0n, debit: 0n, credit: 0n };
      accounts.set(account, totals);
      if (at < begin) totals.opening += amount;
      else if (amount > 0n) totals.debit += amount;
      else totals.credit -= amount;
    }
  }

  count(name, amount = 0) {
    const counted = this.counts.get(name) ?? { times: 0, kobo: 0n };
    this.counts.set(name, counted);
    counted.times += 1;
    counted.kobo += BigInt(amount);
  }

  PartnerRegistered({ fields: { partner_id, mode } }) {
    this.modes.set(partner_id, mode);
  }

  ApiKeyIssued({ fields: { key_id, partner_id } }) {
    this.apiKeys.set(key_id, partner_id);
  }

  ApiKeyLinked(e) {
    this.ApiKeyIssued(e);
  }

  PriceBookPublished(e) {
    this.prices.publish(e);
    const { version, recorded_at, actor, schedule_revision } = e.fields;
    this.count(`author price book version ${version}, ${recorded_at}, by ${both(e.fields)}`);
    if (schedule_revision === undefined && (version !== 1 || actor !== 'service')) this.aloneAbove(e, null);
  }

  PriceBookScheduled(e) {
    this.prices.schedule(e);
    this.aloneAbove(e, null);
  }

  PriceScheduleCancelled(e) {
    this.prices.schedule(e);
  }

  PriceScheduleFulfilled(e) {
    this.prices.schedule(e);
  }

  AdminCallBegun({ fields: { role, name, call_id }, meta: { $correlationId: id } }) {
    this.calls.set(id, [...(this.calls.get(id) ?? []), { role, name: name ?? '' }]);
    this.begun.add(call_id ?? id);
  }

  AdminCallEnded({ fields: data, meta }) {
    const { method, status, role, name, route, call_id: call = meta.$correlationId } = data;
    // Who signs in is known only when it is done, and a sign-in changes nothing in the log.
    const hasBegin = method !== 'GET' && method !== 'HEAD' && route !== '/console/sign-in';
    if (hasBegin && status < 400 && !this.begun.has(call))
      throw new Broken('audit', 'it ends a call that may have changed something, and whose begin was not recorded before it');
    this.begun.delete(call);
    const who = role + (name ? `:${show(name)}` : '');
    this.count(`call ${who}${method !== 'RUN' && status >= 400 ? ', refused' : ''}`);
    const isPersonal = route === '/admin/v1/farmers/:rupaId' || Object.hasOwn(data, 'reason');
    if (method === 'GET' && status < 400 && isPersonal) this.count(`read ${who}`);
  }

  EventSkipped({ fields: { event_id, stream, revision, actor, reason } }) {
    const found = this.aside.delete(event_id);
    const where = `${show(stream)} at revision ${revision}`;
    this.skipped.push(`${where}, by ${show(actor)}: ${show(reason)}${found ? '' : ' (this program can use the event)'}`);
  }

  LogMoved({ index, fields: { events, recorded_at, actor } }) {
    if (events !== index) throw new Broken('moved', `it says that ${events} events were moved, but ${index} are before it`);
    this.moves.push(`event ${index}, ${recorded_at}, by ${show(actor)}`);
  }

  /** A log that lost events is continued as another one: the checkpoints of the former one cover what is not there any more. */
  LogAdopted({ index, fields: { origin, former_note, lost_events: lost, reason, recorded_at, actor } }) {
    const note = noteOf(former_note);
    if (!note) throw new Broken('adopted', 'It is no checkpoint of a log');
    const [fault, [first, count], before] = [note.fault(this.tree, this.keys), logOf(note.origin), logOf(this.origin ?? note.origin)];
    if (!fault) throw new Broken('adopted', `the checkpoint of ${note.size} events that it names holds, so nothing was lost`);
    if (fault[0] === 'signature') throw new Broken('adopted', fault[1]);
    if (before[0] !== first || before[1] > count || origin !== `${first}/${count + 1}`)
      throw new Broken('adopted', `${show(origin)} is not the log after ${show(note.origin)}, or that one is not the last before it`);
    if (lost !== null && (lost < Math.max(1, note.size - index) || lost > note.size - this.last)) {
      const known = `${index} are before it, and a checkpoint of ${this.last} holds`;
      throw new Broken('adopted', `it says that ${lost} of ${note.size} events were lost, but ${known}`);
    }
    const text = [
      `event ${index}, ${recorded_at}, by ${show(actor)}: ${show(reason)}`,
      `${show(origin)} follows ${show(note.origin)}, whose last known checkpoint is of ${note.size} events`,
      `lost of these: ${lost ?? 'not known'}`,
      `those before event ${this.last} are not`,
    ];
    this.adoptions.push({ note, kept: this.last, text: text.join('; ') });
    this.origin = origin;
  }

  /** Returns whether a note that does not hold is of a former log, and covers events that this one says were lost. */
  isFormer(note, fault) {
    const [[first, count], now] = [logOf(note.origin), logOf(this.origin ?? note.origin)];
    if (!fault || fault[0] === 'signature' || first !== now[0] || count >= now[1]) return false;
    const { note: last, kept } = this.adoptions.find((each) => logOf(each.note.origin)[1] >= count);
    return note.size > kept && (note.origin !== last.origin || note.size < last.size || note.text === last.text);
  }

  CheckpointMade() {
    this.count('old checkpoint');
  }

  CheckpointSigned({ fields: data }) {
    const note = noteOf(data.note);
    if (!note) throw new Broken('checkpoint', 'It is no checkpoint of a log');
    const isIts = note.size === data.tree_size && data.root === base64Of(note.root);
    if (!isIts || note.size >= this.tree.size || note.size < this.last)
      throw new Broken(
        'checkpoint',
        `its note of ${note.size} events is not the one that it describes, or smaller than the one before, or ahead`,
      );
    const fault = note.fault(this.tree, this.keys);
    if (fault) throw new Broken('checkpoint', fault[1]);
    if (note.origin !== (this.origin ?? logOf(note.origin)[0]))
      throw new Broken('checkpoint', `it is of the log ${show(note.origin)}, and no loss began that one`);
    [this.signed, this.last, this.origin] = [note, note.size, note.origin];
    this.count('checkpoint');
  }

  /** Returns the first event that does not hold, its rule and the reason; undefined if all hold. */
  firstFault() {
    const found = [...this.aside.values(), ...this.times.exceptions, ...this.alone, ...this.late, ...(this.fault ? [this.fault] : [])];
    for (const [partner, wallet] of this.fault ? [] : this.wallets) {
      for (const [lookup, { revision, index, at }] of wallet.open) {
        const where = `wallet-${show(partner)} at revision ${revision} (WalletDebited): `;
        const reason = `${where}the charge of the lookup ${show(lookup)} is neither settled nor refunded`;
        if (this.times.newest - at > TWO_MINUTES) found.push([index, 'open_too_long', reason]);
      }
    }
    let first = found[0];
    for (const each of found) if (each[0] < first[0]) first = each;
    return first;
  }
}

const place = (e) => `${show(e.stream)} at revision ${e.revision} (${show(e.type)}): `;

function noteOf(text) {
  try {
    return new Note(text);
  } catch {
    return undefined;
  }
}

/** Returns the leaf of an event: five lines. Throws Broken if the line is not one of an evidence file. */
function leafOf(e) {
  if (!e) throw new Broken('line', 'its line is no JSON object: the file is damaged or cut off');
  const { stream, type, id, created, index, revision } = e;
  if (![stream, type, id, created].every(isText) || !isCount(index) || !isCount(revision))
    throw new Broken('line', 'its line lacks a part of an event');
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  if (!isId || moment(created) === undefined || stream.startsWith('$') || type.startsWith('$'))
    throw new Broken('line', 'its line has an id, a time, a stream or a type that no event of the log has');
  const hashes = ['data', 'metadata'].map((name) => {
    const [text, encoded] = [e[name] ?? undefined, e[`${name}_base64`] ?? undefined];
    const isBytes = text === undefined && isText(encoded);
    const bytes = isBytes ? base64Bytes(encoded) : encoded === undefined && isText(text) && text.isWellFormed() ? text : undefined;
    if (bytes === undefined) throw new Broken('line', `its line has no exact ${name}`);
    return hex(bytes);
  });
  return [JSON.stringify(stream).slice(1, -1), revision, JSON.stringify(type).slice(1, -1), id, hashes.join(' ')].join('\n');
}

// ---- The summary and the program ------------------------------------------------------------------------------------------------------
function summary(audit, notes, fault) {
  const { tree, counts, lastTime, firstTime } = audit;
  const timesOf = (name) => counts.get(name)?.times ?? 0;
  const lines = [
    `Events: ${tree.size}, dated ${firstTime || '-'} to ${lastTime || '-'}, of which in streams of others: ${audit.foreign}`,
    `Root of all of them: ${base64Of(tree.root(tree.size))}`,
    ...notes.map(({ path, note, found }) => {
      const former = audit.isFormer(note, found) ? `of the former log ${show(note.origin)}, not comparable` : undefined;
      return `Checkpoint ${show(path)} of ${note.size} events: ${former ?? (found ? `does not hold: ${found[1]}` : 'holds')}`;
    }),
  ];
  const newest = audit.signed ? `the newest is of ${audit.signed.size} events` : 'none';
  lines.push(`Checkpoints in the log: ${timesOf('checkpoint')}, ${newest}; over wallets only: ${timesOf('old checkpoint')}`);
  if (fault) lines.push(`What follows is of the events before event ${audit.fault ? audit.fault[0] : tree.size}.`);
  for (const mode of ['live', 'sandbox']) lines.push('', ...booksOf(audit, mode));
  for (const [title, prefix] of [
    ['Credits, reversals, payouts, compensations, ledger entries and prices by author', 'author '],
    ['Calls of administrators and commands', 'call '],
    ['Reads of personal data', 'read '],
    ['Amounts above which a second person approves', 'limit '],
  ]) {
    lines.push('', `${title}:`);
    for (const name of [...counts.keys()].filter((each) => each.startsWith(prefix)).sort()) {
      const { times, kobo } = counts.get(name);
      lines.push(`  ${name.slice(prefix.length)}: ${times}${kobo > 0n ? `, NGN ${naira(kobo)}` : ''}`);
    }
  }
  lines.push('', `Larger entries without a second person: ${audit.alone.length}`);
  lines.push(...audit.alone.slice(0, NAMED).map(([index, , reason]) => `  event ${index}: ${reason}`));
  if (audit.alone.length > NAMED) lines.push(`  and ${audit.alone.length - NAMED} more`);
  lines.push(`Recorded after its month was closed: ${audit.late.length}`);
  lines.push(...audit.late.slice(0, NAMED).map(([index, , reason]) => `  event ${index}: ${reason}`));
  if (audit.late.length > NAMED) lines.push(`  and ${audit.late.length - NAMED} more`);
  lines.push(`Events skipped by a decision: ${audit.skipped.length}`, ...audit.skipped.map((each) => `  ${each}`));
  lines.push(`Moves to another event store: ${audit.moves.length}`, ...audit.moves.map((each) => `  ${each}`));
  lines.push(`Logs that began after a loss: ${audit.adoptions.length}`, ...audit.adoptions.map(({ text }) => `  ${text}`));
  const exceptions = [...audit.times.exceptions].sort((one, other) => one[0] - other[0]);
  lines.push(`Exceptions of time: ${exceptions.length}`);
  lines.push(...exceptions.slice(0, NAMED).map(([index, , reason]) => `  event ${index}: ${reason}`));
  if (exceptions.length > NAMED) lines.push(`  and ${exceptions.length - NAMED} more`);
  lines.push('', `Result: ${fault ? `does not hold at event ${fault[0]} (${fault[1]})` : 'everything holds'}`);
  return lines;
}

/** Returns whether two actors have the same name, whatever its case and the role before it. */
function isSamePerson(one, other) {
  const nameOf = (actor) => actor.slice(actor.indexOf(':') + 1).toLowerCase();
  return nameOf(one) === nameOf(other);
}

/** Returns the author of an event and, if there is one, the second person. */
function both({ actor, approved_by }) {
  return show(actor) + (approved_by === undefined ? '' : `, approved by ${show(approved_by)}`);
}

function booksOf(audit, mode) {
  const { wallets, counts, accounts, window } = audit;
  const own = [...wallets.values()].filter((wallet) => wallet.mode === mode);
  const open = own.reduce((sum, wallet) => sum + wallet.open.size, 0);
  const lines = [`Wallets, ${mode}: ${own.length}, with open charges: ${open}`];
  for (const type of [...MONEY, 'WalletDebited', 'RefundIssued', 'LookupCompensated', 'LedgerEntryPosted']) {
    const { times, kobo } = counts.get(`${mode} ${type}`) ?? { times: 0, kobo: 0n };
    lines.push(`  ${type}: ${times}, NGN ${naira(kobo)}`);
  }
  lines.push(`Trial balance, ${mode}, ${window.name}: account, opening, debit, credit, closing (NGN)`);
  const sum = { opening: 0n, debit: 0n, credit: 0n };
  for (const account of [...accounts[mode].keys()].sort()) {
    const { opening, debit, credit } = accounts[mode].get(account);
    lines.push(`  ${show(account)} ${naira(opening)} ${naira(debit)} ${naira(credit)} ${naira(opening + debit - credit)}`);
    sum.opening += opening;
    sum.debit += debit;
    sum.credit += credit;
  }
  lines.push(`  total ${naira(sum.opening)} ${naira(sum.debit)} ${naira(sum.credit)} ${naira(sum.debit - sum.credit)}`);
  const { closed } = audit.months[mode];
  lines.push(`Months closed, ${mode}: ${closed.length}`, ...closed.map((each) => `  ${each}`));
  return audit.withFigures ? [...lines, ...figuresOf(audit, mode, sum)] : lines;
}

/** Returns what the reports of the books say of a mode: revenue by month and section, prepaid money, and the journal's totals. */
function figuresOf({ revenue, modes, wallets, journal, window, lastTime }, mode, { debit, credit }) {
  const lines = [`Revenue, ${mode}, ${window.name}: month, section, lookups, net, VAT, gross, refunds (NGN)`];
  for (const key of [...revenue[mode].keys()].sort()) {
    const { lookups, net, vat, refunds } = revenue[mode].get(key);
    lines.push(`  ${key} ${lookups} ${naira(net)} ${naira(vat)} ${naira(net + vat)} ${naira(refunds)}`);
  }
  const columns = 'customer number, partner, balance, of it 0-30, 31-90, 91-180 and over 180 days old (NGN), last payment, last lookup';
  lines.push(`Prepaid money, ${mode}, at the end of ${window.name}: ${columns}`);
  const at = window.end === Infinity ? moment(lastTime) : window.end - 1;
  for (const [place, partner] of [...modes.keys()].entries()) {
    const prepaid = modes.get(partner) === mode ? wallets.get(partner)?.prepaid : undefined;
    if (!prepaid?.balance) continue;
    const amounts = [prepaid.balance, ...prepaid.byAge(at)].map(naira);
    lines.push(`  ${[1001 + place, show(partner), ...amounts, prepaid.lastPayment, prepaid.lastLookup].join(' ')}`);
  }
  return [
    ...lines,
    `Journal, ${mode}, ${window.name}: entries, debit, credit (NGN)`,
    `  ${journal[mode]} ${naira(debit)} ${naira(credit)}`,
  ];
}

/** A wrong option, key or checkpoint. */
export class Usage extends Error {}

function usage(reason) {
  throw new Usage(reason);
}

/** Returns from when and before when postings are counted, and how the summary calls that. */
function windowOf({ at, month }) {
  if (month !== undefined && /^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
    const [begin, end] = [moment(`${month}-01T00:00:00.000Z`), moment(`${monthAfter(month)}-01T00:00:00.000Z`)];
    if (begin !== undefined && end !== undefined) return { begin, end, name: month };
  }
  const end = at === undefined ? Infinity : moment(at.length === 10 ? `${at}T23:59:59.999Z` : at);
  if (month !== undefined || end === undefined)
    usage('The trial balance is up to a day or a time such as 2026-03-31T12:00:00.000Z, or of a month such as 2026-03.');
  return { begin: -1, end: end + 1, name: at ?? 'all events' };
}

/** The check of one evidence file, whose bytes are added in pieces of any size. */
export class Check {
  events = 0;
  hasEnded = false;
  rest = ''; // of a line that has not ended
  decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param keys text with a verifier key in each line @param notes with `path` and `text` of each. Throws Usage. */
  constructor(keys, notes, options = {}) {
    const lines = keys.split('\n').filter((line) => line.trim() !== '');
    this.keys = lines.map(keyOf);
    if (lines.length === 0 || this.keys.includes(undefined)) usage('The keys must be verifier keys, one in each line.');
    this.audit = new Audit(this.keys, windowOf(options), options.figures === true);
    this.notes = notes.map(({ path, text }) => ({ path, note: noteOf(text) ?? usage(`${path} is no checkpoint of a log.`) }));
  }

  /** Checks the lines that end in these bytes. Returns false after a line that ends the file. */
  add(bytes) {
    const [first, ...others] = this.decoder.decode(bytes, { stream: true }).split('\n');
    this.rest += first;
    for (const next of others) {
      if (!this.line(this.rest)) return false;
      this.rest = next;
    }
    return true;
  }

  line(text) {
    this.hasEnded = !this.audit.line(this.events, text);
    if (!this.hasEnded) this.events += 1;
    return !this.hasEnded;
  }

  /** Ends the file. Returns the summary and "event N: RULE: reason", which is undefined if everything holds. */
  result() {
    const { audit, notes, keys } = this;
    this.rest += this.decoder.decode();
    if (!this.hasEnded && this.rest !== '') this.line(this.rest);
    const checked = notes.map(({ path, note }) => ({ path, note, found: note.fault(audit.tree, keys) }));
    const holding = Math.max(audit.last, ...checked.filter(({ found }) => !found).map(({ note }) => note.size));
    const [wrong] = checked
      .filter(({ note, found }) => found && !audit.isFormer(note, found))
      .sort((one, other) => one.note.size - other.note.size);
    let fault = audit.firstFault();
    if (!fault && wrong) {
      const [rule, reason] = wrong.found;
      fault = [rule === 'size' ? audit.tree.size : holding, rule, `${show(wrong.path)}: ${reason}`];
    }
    return {
      summary: summary(audit, checked, fault).join('\n'),
      fault: fault && `event ${fault[0]}: ${fault[1]}: ${fault[2]}`,
    };
  }
}

/** Returns what `read` returns of a file. */
function readable(path, read) {
  try {
    return read();
  } catch {
    return usage(`${path} cannot be read.`);
  }
}

function run(all) {
  const given = all.filter((each) => each !== '--figures');
  const options = Object.fromEntries(
    given
      .map((each) => /^--(at|month)=(.*)$/s.exec(each))
      .filter(Boolean)
      .map(([, name, value]) => [name, value]),
  );
  const [path, ...texts] = given.filter((each) => !each.startsWith('--'));
  if (texts.length === 0 || 1 + texts.length + Object.keys(options).length !== given.length)
    usage('Name the evidence file and the file of the keys.');
  const [keys, ...notes] = texts.map((each) => ({ path: each, text: readable(each, () => readFileSync(each, 'utf8')) }));
  const check = new Check(keys.text, notes, { ...options, figures: given.length < all.length });
  const file = readable(path, () => openSync(path, 'r'));
  const chunk = new Uint8Array(1 << 20); // so that the file is never in memory as a whole
  let told = 0;
  for (let length = readSync(file, chunk); length > 0 && check.add(chunk.subarray(0, length)); length = readSync(file, chunk))
    for (; told + 100_000 <= check.events; told += 100_000) console.error(`${told + 100_000} events`);
  const { summary, fault } = check.result();
  console.log(summary);
  if (fault) console.error(fault);
  return fault ? 1 : 0;
}

export function main(given) {
  try {
    return run(given);
  } catch (error) {
    if (!(error instanceof Usage)) throw error;
    console.error(`${error.message}\nUsage: audit [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]`);
    return 2;
  }
}

if (isNode && process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = main(process.argv.slice(2));
