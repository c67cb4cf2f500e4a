#!/usr/bin/env node
/*
 * Checks the evidence file of a Rupa service: every event of its log, as `rupa audit evidence` writes it.
 *
 *     node audit.mjs [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]
 *
 * FILE is the evidence file. KEYS has the verifier keys of the log's checkpoints, one a line. Each NOTE is a checkpoint that you kept.
 * The exit status is 0 if everything holds, 1 if something does not, and 2 for wrong usage. The last line of standard error is then
 * "event N: RULE: reason", with the first event that does not hold. Standard output is a summary to file. The page docs/audit.md explains
 * it.
 *
 * Needs Node 20 and no packages. audit.py beside it does the same in Python, in the same order and with the same names, and prints the
 * same. The service's console runs this file, too, in a browser: there, nothing of Node is loaded, and `inBrowser` is given what replaces
 * it.
 */
const isNode = typeof process !== 'undefined';
const { createHash, createPublicKey, verify } = isNode ? await import('node:crypto') : {};
const { openSync, readFileSync, readSync, realpathSync } = isNode ? await import('node:fs') : {};
const { fileURLToPath } = isNode ? await import('node:url') : {};

// ---- The events of the log ------------------------------------------------------------------------------------------------------------
// A stream with the fields that all its events have, and its event types with their further fields. `{field}` in a stream's name is the
// value of that field, and `*` is anything. A field without a mark is a text; `#` marks a whole number, `%` an integer, `@` a time, `$`
// amounts by name, `+` a rate of VAT in percent, `^` a kind of credit, `&` a mode, `!` an object with the fields in PARTS, `*` a list of
// those, `.` anything, `~` that it may be null, and `?` that it may be missing. The types in APPROVABLE have the fields approval_id? and
// approved_by?, too.
const EVENTS = `
wallet-{partner_id} | partner_id balance_after_kobo% open_from_revision#~ recorded_at@ actor
  WalletCredited | amount_kobo# reference kind?^ bank_fee_kobo?# withheld_tax_kobo?# manual_entries_hash?
  CreditReversed | amount_kobo# credit_reference kind^ reference reason bank_fee_kobo?# withheld_tax_kobo?# manual_entries_hash?
  WalletPaidOut | amount_kobo# reference reason manual_entries_hash?
  WalletDebited | lookup_id rupa_id source amount_kobo# breakdown_kobo$ price_book_version# vat_percent?+ key_id?
  ConsentGranted | lookup_id rupa_id source
  ChargesSettled | charges*
  RefundIssued | lookup_id rupa_id debit_revision# amount_kobo# breakdown_kobo?$ vat_percent?+ reason
  LookupCompensated | lookup_id rupa_id debit_revision# amount_kobo# breakdown_kobo$ vat_percent?+ reason manual_entries_hash?
ledger-{mode} | recorded_at@ actor mode&
  LedgerEntryPosted | kind amount_kobo# account? reference date reason of? of_kind?
  PeriodClosed | period entries# index#~ prefix accounts* issuer!
pricebook-main | recorded_at@ actor
  PriceBookPublished | version# fees_kobo$ schedule_revision?# vat_percent?+
priceschedule-main | recorded_at@ actor
  PriceBookScheduled | fees_kobo$ effective_at@ in_force_by_time?. vat_percent?+
  PriceScheduleCancelled PriceScheduleFulfilled | schedule_revision#
partner-{partner_id} | recorded_at@ actor partner_id
  PartnerRegistered | company_name account_type mode&
  PartnerActivated PartnerDeactivated OptionalSectionsChanged IpAllowListChanged |
  LowBalanceThresholdChanged | threshold_kobo#~
  PartnerDetailsChanged | company_name legal?.
  SandboxReset | test_run#
apikey-{key_id} | recorded_at@ actor key_id
  ApiKeyIssued | partner_id~
  ApiKeyLinked | partner_id
  ApiKeyExpirySet | expires_at@
  ApiKeyDeactivated |
farmer-{rupa_id} | recorded_at@ actor rupa_id
  FarmerRegistered | mode&
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
  ApprovalRequested | kind mode& partner_id~ amount_kobo#~ reference~ call?. expires_at@
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
const PARTS = {
  charges: 'lookup_id debit_revision#',
  issuer: 'name~ address~ tax_id~',
  accounts: 'account opening_kobo debit_kobo credit_kobo closing_kobo',
};
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
/** Only an administrator or the command line may do this; in the sandbox also the demo and the partner's own key. */
const PRIVILEGED = `WalletCredited CreditReversed WalletPaidOut LookupCompensated LedgerEntryPosted PeriodClosed PriceBookPublished
PriceBookScheduled PriceScheduleCancelled PartnerRegistered PartnerActivated PartnerDeactivated OptionalSectionsChanged IpAllowListChanged
PartnerDetailsChanged ApiKeyIssued ApiKeyLinked ApiKeyExpirySet ApiKeyDeactivated FarmerErased MaintenanceBegun MaintenanceEnded
EventSkipped LogAdopted ApprovalRequested ApprovalGranted ApprovalRejected ApprovalExecuted`.split(/\s/);
const MONEY = ['WalletCredited', 'CreditReversed', 'WalletPaidOut']; // come from or go to the outside, and name a reference
const OUT = ['WalletDebited', 'CreditReversed', 'WalletPaidOut']; // take money from the wallet
const FREE = ['ConsentGranted', 'ChargesSettled']; // have no amount
const CHARGES = ['WalletDebited', 'RefundIssued', 'LookupCompensated']; // have fees
const VERSIONS = { WalletDebited: 2, FarmerRegistered: 2 }; // the newest form of the data; 1 for all others
const [MODES, CREDITS] = [
  ['live', 'sandbox'],
  ['payment', 'goodwill', 'correction'],
];
/** The prices in force where the log has no version 1, in kobo. Debits of version 2 have places in this list for names. */
const DEFAULTS = {
  'svc_fee.identity': 5000,
  'svc_fee.bvn_nin_data': 5000,
  'passthrough.bvn': 6000,
  'passthrough.nin': 6000,
  'svc_fee.credit_history': 10000,
  'passthrough.credit_bureau': 50000,
  'svc_fee.outstanding_loans': 8000,
  'svc_fee.transaction_volume': 10000,
  'svc_fee.farms': 8000,
  'svc_fee.underwriting_value': 10000,
  'svc_fee.wallet': 5000,
  'svc_fee.socioeconomic_profile': 5000,
};
const FEES = Object.keys(DEFAULTS);
/**
 * The accounts that an entry outside of wallets debits and credits. `*` stands for the account that it names, which an opening balance of a
 * liability credits.
 */
const SIDES = new Map([
  ['passthrough_settlement', ['passthrough_payable.*', 'cash_received']],
  ['vat_remittance', ['vat_payable', 'cash_received']],
  ['wht_certificate', ['wht_credit_notes', 'wht_receivable']],
  ['bank_charge', ['bank_charges', 'cash_received']],
  ['bank_interest', ['cash_received', 'interest_income']],
  ['opening_balance', ['*', 'opening_balances']],
]);
/** The side whose account must hold the amount of an entry. */
const BOUNDED = new Map(Object.entries({ passthrough_settlement: 0, vat_remittance: 0, wht_certificate: 1 }));
const PAYABLE = ['passthrough_payable.bvn', 'passthrough_payable.nin', 'passthrough_payable.credit_bureau', 'vat_payable'];
const OPENING = [
  ...PAYABLE,
  ...'cash_received wht_receivable wht_credit_notes goodwill_expense correction_expense bank_charges'.split(' '),
];
const [DAY, FIVE_MINUTES, TWO_MINUTES, TEN_SECONDS] = [86_400_000, 300_000, 120_000, 10_000];
const AGES = [30, 90, 180]; // the most whole days of each band of prepaid money but the last
const NAMED = 100; // how many faults of a kind the summary names one by one

// ---- Texts, numbers and times ---------------------------------------------------------------------------------------------------------
/** An event that breaks a rule. */
class Broken extends Error {
  constructor(rule, reason) {
    super(reason);
    this.rule = rule;
  }
}

/** Throws Broken for a rule that does not hold. */
function need(holds, rule, reason, ...values) {
  if (!holds) throw new Broken(rule, filled(reason, values));
}

/** Returns a text with a value in place of each {}, which is in kobo after NGN. */
function filled(reason, values) {
  const rest = values.values();
  return reason.replace(/(NGN )?{}/g, (_, kobo) => (kobo ? ngn : show)(rest.next().value));
}

function naira(kobo) {
  const amount = kobo < 0 ? -BigInt(kobo) : BigInt(kobo);
  return `${kobo < 0 ? '-' : ''}${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
}

const ngn = (kobo) => `NGN ${naira(kobo)}`;

/** Returns a value of the log in ASCII, so that it cannot imitate other lines. */
function show(value) {
  const text = isText(value) ? JSON.stringify(value).slice(1, -1) : String(value);
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** Returns the JSON object of a text; undefined if it is none. */
function parsed(text) {
  try {
    const value = isText(text) ? JSON.parse(text) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the canonical JSON (RFC 8785). */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** Returns whether all numbers are integers that every program reads alike. */
function isExact(value) {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  return typeof value !== 'number' || Number.isSafeInteger(value);
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

/** Returns the value of a key in a map, which is made if there is none. */
function made(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

// ---- Checkpoints ----------------------------------------------------------------------------------------------------------------------
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** The Merkle tree of RFC 6962 over the leaves so far. It has the root of each complete subtree, so of any size. */
class Tree {
  size = 0;
  levels = [];

  add(leaf) {
    this.size += 1;
    let node = sha256(LEAF, leaf);
    for (let level = 0; ; level += 1) {
      const nodes = (this.levels[level] ??= new Hashes());
      nodes.add(node);
      if (this.size % 2 ** (level + 1) !== 0) break;
      node = sha256(NODE, nodes.at(nodes.count - 2), node);
    }
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

const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));

/** Returns name, id and public key of a verifier key; undefined if it is malformed (https://c2sp.org/signed-note). */
function keyOf(line) {
  const [, name, id, encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line) ?? [];
  const key = base64Bytes(encoded);
  const isRight = key?.length === 33 && key[0] === 1 && hexOf(sha256(name, '\n', key).subarray(0, 4)) === id;
  return isRight ? { name, id, key: key.subarray(1) } : undefined;
}

/** Returns a checkpoint, three lines and signatures (https://c2sp.org/tlog-checkpoint); undefined if it is none. */
function noteOf(note) {
  const end = Math.max(note.lastIndexOf('\n\n'), 0);
  const [lines, root] = [note.slice(0, end).split('\n'), base64Bytes(note.slice(0, end).split('\n')[2] ?? '')];
  if (lines.length !== 3 || !/^(?:0|[1-9]\d{0,15})$/.test(lines[1]) || root?.length !== 32) return undefined;
  const signatures = note.slice(end + 2).split('\n');
  return { text: note.slice(0, end + 1), origin: lines[0], size: Number(lines[1]), root, signatures };
}

/** Returns rule and reason if a checkpoint does not hold for the tree; undefined if it does. */
function noteFault({ text, origin, size, root, signatures }, tree, keys) {
  const own = signatures.map((line) => line.split(' ')).filter((line) => line.length === 3 && line[0] === '\u2014' && line[1] === origin);
  const isBy = ({ name, id, key }, bytes) =>
    name === origin && bytes.length === 68 && hexOf(bytes.subarray(0, 4)) === id && isSigned(key, text, bytes.subarray(4));
  if (!keys.some((key) => own.some((line) => isBy(key, base64Bytes(line[2]) ?? []))))
    return ['signature', `none of the keys signed the checkpoint of ${size} events`];
  if (size > tree.size) return ['size', `the checkpoint is of ${size} events, but there are only ${tree.size}`];
  if (hexOf(root) !== hexOf(tree.root(size))) return ['root', `the first ${size} events do not have the root of their checkpoint`];
  return undefined;
}

/** Returns the origin of the service's first log, and the number of this one: a log after a loss has the next. */
function logOf(origin) {
  const [, first = origin, count = 1] = /^(.*\/log)\/([1-9][0-9]{0,8})$/s.exec(origin) ?? [];
  return [first, Number(count)];
}

// ---- Wallets --------------------------------------------------------------------------------------------------------------------------
/** The state of one wallet after its entries so far. */
class Wallet {
  open = new Map(); // by lookup, oldest first: the debits that are neither settled nor refunded
  references = new Set();
  credits = new Map(); // by reference: the kind, and how much of the amount, its bank fee and its tax is left
  settled = new Map(); // settled charges by revision of the debit
  compensated = new Set();

  constructor(mode) {
    Object.assign(this, { mode, hash: '0'.repeat(64), balance: 0, recordedAt: '', prepaid: new Prepaid() });
  }

  /** Checks an entry by every rule of `rupa wallet verify`, in its order. Throws Broken. */
  check(e, prices) {
    const { data, revision, type, amount, breakdown } = e;
    const { prev_hash: previous = this.hash, hash } = e.meta;
    need(previous === this.hash, 'prev_hash', 'its prev_hash is {}, but the hash of the previous entry is {}', previous, this.hash);
    const found = hexOf(sha256([this.hash, e.stream, revision, type, canonical(e.fields)].join('\n')));
    need(hash === found, 'hash', 'its content hashes to {}, but its hash is {}', found, hash);
    const [dated, before] = [data.recorded_at, this.recordedAt];
    need(dated >= before, 'recorded_at', 'it is dated {}, before the previous entry of the wallet ({})', dated, before);
    const fees = breakdown ? Object.values(breakdown).reduce((sum, fee) => sum + fee, 0) : amount;
    need(fees === amount, 'breakdown', 'its fees sum to NGN {}, but its amount is NGN {}', fees, amount);
    const [balance, stated] = [this.balance + (OUT.includes(type) ? -amount : amount), data.balance_after_kobo];
    need(stated === balance, 'balance', 'its balance is NGN {}, but the entries up to it sum to NGN {}', stated, balance);
    need(balance >= 0, 'balance', 'the balance is negative: NGN {}', balance);
    if (type === 'WalletDebited') prices.check(e);
    const [[oldest = null], from] = [[...this.open.values()].slice(0, 1).map((debit) => debit.revision), data.open_from_revision];
    const where = 'it says that the oldest open charge has the revision {}, but that has the revision {}';
    need(from === oldest, 'open_from_revision', where, from, oldest);
    if (MONEY.includes(type)) {
      need(!this.references.has(data.reference), 'reference', 'the reference "{}" was used before', data.reference);
      this.references.add(data.reference);
    }
    this[type]?.(e, data);
    Object.assign(this, { hash: found, balance, recordedAt: dated });
  }

  WalletCredited({ amount }, data) {
    const [kind, [fee, tax]] = [data.kind ?? 'payment', deducted(data)];
    const areParts = fee + tax === 0 || (kind === 'payment' && fee + tax < amount);
    const what = 'a bank fee of NGN {} and a withheld tax of NGN {} are not parts of a payment of NGN {}';
    need(areParts, 'deductions', what, fee, tax, amount);
    this.credits.set(data.reference, { kind, left: amount, fee, tax });
  }
  CreditReversed({ amount }, data) {
    const credit = this.credits.get(data.credit_reference) ?? {};
    const isThere = credit.kind === data.kind && credit.left >= amount;
    need(isThere, 'reversal', 'no credit "{}" of the kind {} has NGN {} left', data.credit_reference, data.kind, amount);
    // Cash goes back first, then the withheld tax, then the bank fee, so these are left.
    const left = credit.left - amount;
    const feeLeft = Math.min(credit.fee, left);
    const taxLeft = Math.min(credit.tax, left - feeLeft);
    const [fee, tax] = [credit.fee - feeLeft, credit.tax - taxLeft];
    const [saidFee, saidTax] = deducted(data);
    const what = 'it takes back NGN {} of the bank fee and NGN {} of the withheld tax, and says otherwise';
    need(saidFee === fee && saidTax === tax, 'reversal', what, fee, tax);
    Object.assign(credit, { left, fee: feeLeft, tax: taxLeft });
  }
  WalletDebited(e, { lookup_id: lookup }) {
    const before = this.open.get(lookup)?.revision;
    const what = 'the lookup {} was charged at revision {}, and that charge is still open';
    need(before === undefined, 'charge', what, lookup, before);
    this.open.set(lookup, e);
  }
  ConsentGranted(e, { lookup_id: lookup, rupa_id: farmer }) {
    const isOpen = this.open.get(lookup)?.data.rupa_id === farmer;
    need(isOpen, 'charge', 'the lookup {} has no open charge for {}', lookup, farmer);
  }
  ChargesSettled(e, { charges }) {
    const lookups = new Set(charges.map((each) => each.lookup_id));
    need(lookups.size === charges.length, 'charge', 'it settles a lookup twice');
    for (const { data, revision } of charges.map((each) => this.closed(each))) {
      this.open.delete(data.lookup_id);
      this.settled.set(revision, identity(data));
    }
  }

  /** Returns the debit of a charge that is closed. */
  closed({ lookup_id: lookup, debit_revision: revision }) {
    const debit = this.open.get(lookup);
    need(debit, 'charge', 'the lookup {} has no open charge: it was never charged, or settled or refunded before', lookup);
    const what = 'it names the revision {} for the lookup {}, which was charged at revision {}';
    need(debit.revision === revision, 'charge', what, revision, lookup, debit.revision);
    return debit;
  }
  RefundIssued({ amount }, data) {
    const debit = this.closed(data).data;
    // A release without VAT recorded refunds without fees.
    const [fees, vat] = [data.breakdown_kobo, hundredths(debit)];
    const hasFees = fees === undefined ? vat === 0 : canonical(fees) === canonical(debit.breakdown_kobo);
    const isSame = hasFees && hundredths(data) === vat && data.rupa_id === debit.rupa_id && amount === debit.amount_kobo;
    need(isSame, 'charge', 'it does not give back what was charged at revision {}', data.debit_revision);
    this.open.delete(data.lookup_id);
  }
  LookupCompensated(e, data) {
    const revision = data.debit_revision;
    const isSettled = this.settled.get(revision) === identity(data);
    need(isSettled, 'compensation', 'no settled charge at revision {} has its lookup, farmer, fees and VAT', revision);
    need(!this.compensated.has(revision), 'compensation', 'the lookup {} was compensated before', data.lookup_id);
    this.compensated.add(revision);
  }
}

/** Returns the bank fee and the withheld tax of a payment, or what a reversal takes back of them. */
const deducted = ({ bank_fee_kobo = 0, withheld_tax_kobo = 0 }) => [bank_fee_kobo, withheld_tax_kobo];

function identity(charge) {
  const text = canonical([charge.lookup_id, charge.rupa_id, charge.breakdown_kobo, hundredths(charge)]);
  return hexOf(sha256(text)).slice(0, 16);
}

/** Returns the rate of VAT of an event in hundredths of a percent; 0 if it has none. */
const hundredths = ({ vat_percent = 0 }) => Math.floor(vat_percent * 100 + 0.5);

/** The balance of a wallet at the end of what is counted, and the moves that decide how old its money is. */
class Prepaid {
  balance = 0;
  lastPayment = '-';
  lastLookup = '-';
  credits = new Map(); // by reference: when it was recorded, and how much of it is not reversed
  // Two numbers for each move: the revision of a charge or payout and its amount, which is below 0 where it was taken and above 0 where it
  // was given back, or twice 0 for the next credit.
  moves = [];

  add({ type, revision, amount, at }, data, balance) {
    this.balance = balance;
    if (type === 'WalletDebited') this.lastLookup = data.recorded_at;
    if (type === 'WalletCredited') {
      if ((data.kind ?? 'payment') === 'payment') this.lastPayment = data.recorded_at;
      this.credits.set(data.reference, { at, kobo: amount });
      this.moves.push(0, 0);
    } else if (type === 'CreditReversed') this.credits.get(data.credit_reference).kobo -= amount;
    else if (amount > 0) this.moves.push(...(OUT.includes(type) ? [revision, -amount] : [data.debit_revision, amount]));
  }

  /** Returns the kobo of each band at a time. What is taken is the oldest money, and is as old if it returns. */
  byAge(at) {
    const [{ moves }, credits] = [this, [...this.credits.values()]];
    const taken = new Map(); // by charge that returns: of which credits it took how much
    for (let each = 0; each < moves.length; each += 2) if (moves[each + 1] > 0) taken.set(moves[each], []);
    let [left, first] = [[], 0]; // of each credit so far; the credits before the first one are spent
    const lacking = new Map(); // by charge: what was spent of reversed credits, and waits for other money
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

// ---- Prices ---------------------------------------------------------------------------------------------------------------------------
// A version of the price book has its fees, from when it is in force, from when the version before is not, and its VAT in hundredths of a
// percent.
/** The versions of the price book that were published, and the schedules that follow, each from its time on. */
class Prices {
  books = new Map([[1, { fees: DEFAULTS, begin: undefined, replaces: undefined, vat: 0 }]]);
  version = 1;
  plans = new Map(); // schedules by revision
  pending = undefined;
  fulfilled = -1;
  waiting = []; // revisions of schedules in force by their time, which no event has published or ended

  /** Returns a version; undefined if it was neither published nor scheduled. */
  book(version) {
    const following = version - this.version;
    if (following > 0 && following <= this.waiting.length) return this.plans.get(this.waiting[following - 1]).book;
    return this.books.get(version);
  }
  publish({ at }, data) {
    const [before, { version, schedule_revision: revision }] = [this.books.get(this.version), data];
    const isFirst = version === 1 && this.version === 1 && before.replaces === undefined;
    const isNext = version === this.version + 1 || isFirst;
    need(isNext, 'price_book', 'it is version {} of the price book, after version {}', version, this.version);
    const book = { fees: data.fees_kobo, begin: at, replaces: at, vat: hundredths(data) };
    if (revision !== undefined) {
      const plan = this.plans.get(revision);
      const isSame = plan?.actor === data.actor && plan.book.vat === book.vat && canonical(plan.book.fees) === canonical(book.fees);
      const isDue = isSame && revision > this.fulfilled && at - plan.ended <= TEN_SECONDS && plan.book.begin - at <= TEN_SECONDS;
      need(isDue, 'price_book', 'it is not what was scheduled at revision {}, or not yet due, or cancelled', revision);
      book.begin = Math.min(at, plan.book.begin);
      if (plan.isByTime) book.replaces = Math.max(plan.book.begin, before.replaces ?? 0);
      this.fulfilled = revision;
      this.waiting = this.waiting.filter((each) => each > revision);
    } else if (this.waiting.length > 0) {
      const [next] = this.waiting;
      const isInTime = at - this.plans.get(next).book.begin <= TEN_SECONDS;
      need(isInTime, 'price_book', 'what was scheduled at revision {} was in force before it, and has its version', next);
    }
    this.books.set(version, book);
    this.version = version;
  }
  schedule(e, data) {
    if (this.pending !== undefined) this.end(e, this.pending);
    const [begin, isByTime] = [moment(data.effective_at), data.in_force_by_time === true];
    const book = { fees: data.fees_kobo, begin, replaces: begin, vat: hundredths(data) };
    this.plans.set(e.revision, { book, actor: data.actor, ended: Infinity, isByTime });
    this.pending = e.revision;
    if (isByTime) this.waiting.push(e.revision);
  }

  /** Ends a schedule that is replaced, cancelled or fulfilled. From its time on, one in force by it stays. */
  end(e, revision) {
    const plan = this.plans.get(revision);
    need(plan, 'price_book', 'nothing was scheduled at revision {}', revision);
    if (e.type !== 'PriceScheduleFulfilled' && !(plan.isByTime && plan.book.begin <= e.at)) {
      plan.ended = Math.min(plan.ended, e.at);
      this.waiting = this.waiting.filter((each) => each !== revision);
    }
    if (this.pending === revision) this.pending = undefined;
  }

  /** Checks that a debit's fees were in force at its time. Throws Broken. */
  check({ data, at }) {
    const { price_book_version: version, breakdown_kobo: charged } = data;
    const [book, following, vat] = [this.book(version), this.book(version + 1), hundredths(data)];
    const what = 'it charges version {} of the price book, which';
    need(book, 'price', `${what} was neither published before it nor scheduled`, version);
    need(book.begin === undefined || book.begin - at <= TEN_SECONDS, 'price', `${what} was in force later than it`, version);
    need(!following || at - following.replaces <= TEN_SECONDS, 'price', `${what} version {} had replaced`, version, version + 1);
    const rate = 'its VAT is {} percent, but in version {} of the price book it is {} percent';
    if (vat !== book.vat) need(false, 'price', rate, naira(vat), version, naira(book.vat));
    const expected = new Set(Object.keys(charged).filter((fee) => fee.startsWith('svc_fee.')));
    const hasSections = expected.size > 0;
    if ('svc_fee.bvn_nin_data' in charged) expected.add('passthrough.bvn').add('passthrough.nin');
    if ('svc_fee.credit_history' in charged && 'passthrough.credit_bureau' in charged) expected.add('passthrough.credit_bureau');
    const isWhole = hasSections && canonical([...expected].sort()) === canonical(Object.keys(charged).sort());
    need(isWhole, 'price', 'its fees are not those of sections with what is passed through for them');
    for (const fee of Object.keys(charged).sort()) {
      const known = Object.hasOwn(book.fees, fee) ? book.fees[fee] : undefined;
      const isKnown = FEES.includes(fee) && known === charged[fee];
      const there = `its fee {} is NGN {}, but in version {} of the price book it is ${known === undefined ? 'none' : 'NGN {}'}`;
      need(isKnown, 'price', there, fee, charged[fee], version, known);
    }
  }
}

// ---- Books ----------------------------------------------------------------------------------------------------------------------------
/** Returns the sections of an entry's fees, each with its income and the VAT that it contains, rounded half up. */
function earned(e) {
  if (!e.breakdown) return [];
  const [rate, fees] = [BigInt(hundredths(e.data)), Object.keys(e.breakdown).filter((fee) => !fee.startsWith('passthrough.'))];
  return fees.map((fee) => {
    const kobo = BigInt(e.breakdown[fee]);
    const vat = (2n * kobo * rate + 10_000n + rate) / (2n * (10_000n + rate));
    return { section: fee.slice('svc_fee.'.length), net: kobo - vat, vat };
  });
}

/** Returns the accounts that a wallet's entry is posted to, with kobo: debits above 0 (docs/accounting.md). */
function postings(e) {
  const lines = [['partner_balances', -e.amount]];
  if (MONEY.includes(e.type)) {
    const [kind, [fee, tax]] = [e.data.kind ?? 'payment', deducted(e.data)];
    lines.push([kind === 'payment' ? 'cash_received' : `${kind}_expense`, e.amount - fee - tax]);
    lines.push(['bank_charges', fee], ['wht_receivable', tax]);
  } else if (!e.breakdown) lines.push(['refunds', e.amount]);
  else {
    const passed = Object.keys(e.breakdown).filter((fee) => fee.startsWith('passthrough.'));
    lines.push(...passed.map((fee) => [fee.replace('passthrough', 'passthrough_payable'), e.breakdown[fee]]));
    for (const { section, net, vat } of e.earned) lines.push([`revenue.${section}`, net], ['vat_payable', vat]);
  }
  const sign = OUT.includes(e.type) ? -1n : 1n;
  return lines.map(([account, kobo]) => [account, sign * BigInt(kobo)]).filter(([, kobo]) => kobo !== 0n);
}

/** Returns the accounts that an entry outside of wallets debits and credits; undefined if there are none of that kind. */
function sidesOf(kind, account = '') {
  const [debited = '', credited] = SIDES.get(kind) ?? [];
  if (!debited.includes('*')) return debited && account === '' ? [debited, credited] : undefined;
  const named = debited.split('*').join(account);
  if (kind === 'opening_balance' && PAYABLE.includes(named)) return [credited, named];
  return OPENING.includes(named) ? [named, credited] : undefined;
}

/** Returns what an account that bounds entries holds with a balance: tax receivable, or what is payable. */
function held(account, kobo) {
  if (account === 'wht_receivable') return kobo;
  return PAYABLE.includes(account) ? -kobo : 0n;
}

/** The postings of each month: the debits and credits of the accounts, and the revenue of the sections. */
class Postings {
  entries = new Map();
  accounts = new Map();
  revenue = new Map();

  post(month, lines) {
    this.entries.set(month, (this.entries.get(month) ?? 0) + 1);
    const accounts = made(this.accounts, month, () => new Map());
    for (const [account, kobo] of lines) {
      const totals = made(accounts, account, () => [0n, 0n]);
      if (kobo < 0n) totals[1] -= kobo;
      else totals[0] += kobo;
    }
  }

  /** Adds a charge, or what gives one back, to the lookups, income, VAT and refunds of its sections. */
  earn(month, e) {
    for (const { section, net, vat } of e.earned) {
      const totals = made(this.revenue, `${month} ${section}`, () => [0n, 0n, 0n, 0n]);
      const more = e.type === 'WalletDebited' ? [1n, net, vat, 0n] : [0n, -net, -vat, net + vat];
      for (const [column, kobo] of more.entries()) totals[column] += kobo;
    }
  }

  /** Returns the opening balance of each account, its debit and credit in these months, and what they lead to. */
  totals(first, last) {
    const found = new Map();
    for (const month of [...this.accounts.keys()].filter((each) => each <= last)) {
      for (const [account, [debit, credit]] of this.accounts.get(month)) {
        const totals = made(found, account, () => [0n, 0n, 0n]);
        const more = month < first ? [debit - credit, 0n, 0n] : [0n, debit, credit];
        for (const [column, kobo] of more.entries()) totals[column] += kobo;
      }
    }
    const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([account, [opening, debit, credit]]) => [account, opening, debit, credit, opening + debit - credit]);
  }
}

/** The books of one mode. */
class Books {
  all = new Postings();
  counted = new Postings(); // what is counted ends with the trial balance
  references = new Map(); // of entries outside of wallets: what a reversal would undo
  falls = new Map(); // by account that bounds entries: when lately a refund took how much of it back
  last = ''; // the last month that was closed
  closed = []; // what the summary says of each

  takeBack(at, lines) {
    for (const [account, kobo] of lines) if (held(account, kobo) < 0n) made(this.falls, account, () => []).push([at, -held(account, kobo)]);
  }

  /** Returns what an account holds. What a refund has just taken back may have been there when it was decided. */
  available(account, at) {
    const months = [...this.all.accounts.values()].map((accounts) => accounts.get(account) ?? [0n, 0n]);
    const falls = (this.falls.get(account) ?? []).filter(([fell]) => at - fell <= TWO_MINUTES);
    this.falls.set(account, falls);
    const balance = months.reduce((sum, [debit, credit]) => sum + debit - credit, 0n);
    return falls.reduce((sum, [, kobo]) => sum + kobo, held(account, balance));
  }

  /** Checks an entry outside of wallets. Returns the accounts that it debits and credits. Throws Broken. */
  sides({ at }, data) {
    const { amount_kobo: amount, reference, of, account } = data;
    need(!this.references.has(reference), 'reference', 'the reference "{}" was used before', reference);
    const day = moment(`${data.date}T00:00:00.000Z`);
    const isDated = day !== undefined && day <= at && amount > 0;
    need(isDated, 'entry', 'it has no amount, or a day that was not over or present when it was recorded');
    const isReversal = data.kind === 'reversal';
    const kind = isReversal ? data.of_kind : data.kind;
    const content = JSON.stringify([kind, account, amount]);
    if (isReversal) {
      const isThere = this.references.get(of) === content;
      need(isThere, 'reversal', 'no entry "{}" of NGN {} is there that it could undo as a whole', of ?? '', amount);
      this.references.set(of, '');
    }
    this.references.set(reference, isReversal ? '' : content); // what is or was undone cannot be undone
    const sides = sidesOf(kind, account);
    need(sides, 'entry', 'its kind {} has no account "{}"', kind, account ?? '');
    if (isReversal) return sides.reverse();
    if (BOUNDED.has(kind)) {
      const bound = sides[BOUNDED.get(kind)];
      const available = this.available(bound, at);
      const most = available < 0n ? 0n : available;
      need(amount <= available, 'bound', '{} holds NGN {}, less than its NGN {}', bound, most, amount);
    }
    return sides;
  }

  /** Checks the close of a month: in their order, once, with all that is dated into it and before. Throws Broken. */
  close(e, data, openCharges) {
    const [{ period, index }, [first = '']] = [data, [...this.all.accounts.keys()].sort()];
    const due = this.last ? monthAfter(this.last) : first && (first < '1900-01' ? '1900-01' : first);
    need(period === due && due !== '', 'period', 'it closes {}, but {} is to be closed next', period, due || 'no month');
    const end = moment(`${monthAfter(period)}-01T00:00:00.000Z`);
    need(e.at - end >= FIVE_MINUTES, 'period', 'it closes {} before five minutes after its end', period);
    const charges = openCharges.filter((debit) => debit.at < end).length;
    need(charges === 0, 'period', 'it closes {} while {} of its charges are neither settled nor refunded', period, charges);
    const stated = data.accounts.map((each) => JSON.stringify(PARTS.accounts.split(' ').map((name) => each[name])));
    const totals = this.all.totals(period, period).filter(([, ...kobo]) => kobo.some((each) => each !== 0n));
    const found = totals.map((each) => JSON.stringify(each.map(String)));
    if (stated.join() !== found.join()) {
      const wrong = [...found.filter((each) => !stated.includes(each)), ...stated.filter((each) => !found.includes(each)), ...stated];
      need(false, 'totals', 'its totals of {} are not those of the entries before it: see {}', period, JSON.parse(wrong[0])[0]);
    }
    const entries = this.all.entries.get(period) ?? 0;
    need(data.entries === entries, 'totals', 'it counts {} entries in {}, but there are {}', data.entries, period, entries);
    const isBefore = index === null || index < e.index;
    need(isBefore, 'period', 'it was made from the events up to event {}, which is not before it', index);
    this.last = period;
    const statements = `statements ${show(data.prefix)} of ${show(data.issuer.name || '-')}`;
    this.closed.push(`${period}, closed ${data.recorded_at} ${by(e)}, entries: ${entries}, up to event ${index}, ${statements}`);
  }
}

// ---- The shape of an event ------------------------------------------------------------------------------------------------------------
const FITS = {
  '': isText,
  '#': isCount,
  '%': Number.isSafeInteger,
  '@': (value) => moment(value) !== undefined,
  $: (value) => isObject(value) && Object.values(value).every(isCount),
  '+': (value) => typeof value === 'number' && value >= 0 && value <= 100 && Number(value.toFixed(2)) === value,
  '^': (value) => CREDITS.includes(value),
  '&': (value) => MODES.includes(value),
  '!': (value, name) => isObject(value) && wrongField(value, PART_FIELDS[name]) === undefined,
  '*': (value, name) => Array.isArray(value) && value.every((each) => FITS['!'](each, name)),
  '.': () => true,
};

/** Returns the fields in a text of EVENTS: the name, what its value fits, and whether it may miss or be null. */
function fieldsOf(text) {
  const fields = text.trim().split(/\s+/);
  return fields.map((field) => {
    const [, name, missing, mark, none] = /^(\w+)(\??)([^\w~]?)(~?)$/.exec(field);
    return { name, fits: FITS[mark], mayMiss: missing === '?', mayBeNull: none === '~' };
  });
}

const PART_FIELDS = Object.fromEntries(Object.entries(PARTS).map(([name, text]) => [name, fieldsOf(text)]));

/** Returns the name of the first field that is missing or has a value of the wrong kind; undefined if all are right. */
function wrongField(value, fields) {
  const isRight = ({ name, fits, mayMiss, mayBeNull }) =>
    Object.hasOwn(value, name) ? fits(value[name], name) || (mayBeNull && value[name] === null) : mayMiss;
  return fields.find((field) => !isRight(field))?.name;
}

/** Returns the stream and the fields of each event type. */
function shapes() {
  const found = new Map();
  let [stream, common] = ['', ''];
  for (const line of EVENTS.trim().split('\n')) {
    const [names, fields] = line.split('|');
    if (!line.startsWith(' ')) [stream, common] = [names.trim(), fields];
    else
      for (const name of names.trim().split(' ')) {
        const approval = APPROVABLE.has(name) ? 'approval_id? approved_by?' : '';
        found.set(name, { stream, fields: fieldsOf(`${common} ${fields} ${approval}`) });
      }
  }
  return found;
}

const SHAPES = shapes();
const CATEGORIES = new Set([...[...SHAPES.values()].map(({ stream }) => stream.split('-')[0]), 'ended_apikey', 'ended_farmer']);
const [UUID, HASH] = [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, /^[0-9a-f]{64}$/];
const SHORT = 'recorded_at actor balance_after_kobo open_from_revision lookup_id rupa_id source fees price_book_version';

/** Returns the event of a line, and its leaf: five lines. Throws Broken if it is no line of an evidence file. */
function eventOf(e) {
  need(e, 'line', 'its line is no JSON object: the file is damaged or cut off');
  const { stream, type, id, created, index, revision } = e;
  const areThere = [stream, type, id, created].every(isText) && isCount(index) && isCount(revision);
  need(areThere, 'line', 'its line lacks a part of an event');
  const isOwn = UUID.test(id) && moment(created) !== undefined && !stream.startsWith('$') && !type.startsWith('$');
  need(isOwn, 'line', 'its line has an id, a time, a stream or a type that no event of the log has');
  const hashes = ['data', 'metadata'].map((name) => hexOf(sha256(exactBytes(e, name)))).join(' ');
  const leaf = [JSON.stringify(stream).slice(1, -1), revision, JSON.stringify(type).slice(1, -1), id, hashes].join('\n');
  return { stream, type, id, created, index, revision, leaf, meta: parsed(e.metadata), fields: parsed(e.data) };
}

/** Returns the text or the bytes of the data or the metadata in a line. Throws Broken if there are none. */
function exactBytes(e, name) {
  const [text, encoded] = [e[name] ?? undefined, e[`${name}_base64`] ?? undefined];
  let found;
  if (text === undefined && isText(encoded)) found = base64Bytes(encoded);
  else if (isText(text) && encoded === undefined && text.isWellFormed()) found = text;
  need(found !== undefined, 'line', 'its line has no exact {}', name);
  return found;
}

/** Returns the data that the hash of an entry covers. Debits of version 2 are stored in a shorter form. */
function inFull({ type, meta, stream, fields }) {
  const isShort = [SHORT, `${SHORT} vat_percent`].includes(Object.keys(fields).join(' '));
  if (type !== 'WalletDebited' || meta.schema_version === 1 || !isShort) return fields;
  const { fees, ...rest } = fields;
  if (!Array.isArray(fees) || fees.length % 2 > 0 || !fees.every(isCount)) return fields;
  const [places, kobo] = [0, 1].map((first) => fees.filter((_, index) => index % 2 === first));
  if (places.some((each) => each >= FEES.length)) return fields;
  const breakdown_kobo = Object.fromEntries(places.map((each, index) => [FEES[each], kobo[index]]));
  return { ...rest, partner_id: stream.slice('wallet-'.length), amount_kobo: kobo.reduce((sum, each) => sum + each, 0), breakdown_kobo };
}

/** Checks that the service can use an event, and sets its data: the fields that EVENTS names. Throws Broken. */
function checkShape(e) {
  const [meta, isWallet] = [e.meta ?? {}, e.stream.startsWith('wallet-')];
  need(SHAPES.has(e.type), 'shape', 'its type is unknown');
  const [{ stream, fields }, version] = [SHAPES.get(e.type), meta.schema_version];
  const isOwn = isText(meta.$correlationId) && isCount(version);
  need(isOwn, 'shape', 'its metadata is not that of an event of this service');
  need(version >= 1 && version <= (VERSIONS[e.type] ?? 1), 'shape', 'its version {} is unknown', version);
  const hashes = ['prev_hash', 'hash'].filter((name) => Object.hasOwn(meta, name));
  const areHashes = hashes.every((name) => isText(meta[name]) && HASH.test(meta[name]));
  need(areHashes && (!isWallet || hashes.includes('hash')), 'shape', 'it lacks its hash');
  need(e.fields, 'shape', 'its data is not a JSON object');
  e.fields = inFull(e);
  const wrong = wrongField(e.fields, fields);
  need(wrong === undefined, 'shape', 'its field {} is missing or has a value of the wrong kind', wrong);
  const rates = fields.filter(({ fits }) => fits === FITS['+']).map(({ name }) => name);
  const areExact = !isWallet || Object.keys(e.fields).every((name) => rates.includes(name) || isExact(e.fields[name]));
  need(areExact, 'shape', 'it has a number that is no exact integer');
  const named = stream.replace(/{(\w+)}/g, (_, field) => String(e.fields[field]));
  const isContinued = e.stream.startsWith('ended_') && ['ApiKeyDeactivated', 'FarmerErased'].includes(e.type);
  const own = isContinued ? e.stream.slice('ended_'.length) : e.stream;
  const isThere = stream.endsWith('*') ? own.startsWith(named.slice(0, -1)) : own === named;
  need(isThere, 'shape', 'it belongs into another stream');
  e.data = {};
  for (const { name } of fields) if (Object.hasOwn(e.fields, name)) e.data[name] = e.fields[name];
  e.at = moment(e.data.recorded_at);
}

const place = (e) => `${show(e.stream)} at revision ${e.revision} (${show(e.type)}): `;

/** Returns by whom an event was recorded and, if there is one, the second person. */
function by({ data: { actor, approved_by: second } }) {
  return `by ${show(actor)}${second === undefined ? '' : `, approved by ${show(second)}`}`;
}

// ---- The log --------------------------------------------------------------------------------------------------------------------------
/** Returns a fault: the index of an event that does not hold, with the rule and the reason. */
const faultOf = (e, rule, reason, ...values) => [e.index, rule, place(e) + filled(reason, values)];

/** The newest of the times so far, and the faults of the events whose own time is an exception. */
class Times {
  newest = 0;
  newestIndex = 0;
  exceptions = [];

  /** Adds an event. One that differs from `created`, unless that is undefined, says nothing of later ones. */
  add(e, created) {
    const dated = e.data.recorded_at;
    if (this.newest - e.at > FIVE_MINUTES) {
      const what = 'it is dated {}, more than five minutes before event {}';
      this.exceptions.push(faultOf(e, 'time', what, dated, this.newestIndex));
    } else if (created !== undefined && Math.abs(e.at - created) > FIVE_MINUTES) {
      this.exceptions.push(faultOf(e, 'time', 'it is dated {}, but the event store recorded it at {}', dated, e.created));
      return;
    }
    if (e.at > this.newest) [this.newest, this.newestIndex] = [e.at, e.index];
  }
}

/** Reads the events one after another, and keeps what the rules and the summary need. */
class Audit {
  tree = new Tree();
  revisions = new Map();
  ids = Array.from({ length: 256 }, () => new Set()); // by their first two digits, because a set holds 16 million at most
  fault = undefined; // of the first event that breaks a rule: no rule is applied after it
  aside = new Map(); // faults that end nothing: of shape by id, approval and closed
  alone = [];
  late = [];
  foreign = 0;
  skipped = [];
  moves = [];
  adoptions = [];
  firstTime = '';
  lastTime = '';
  times = new Times();
  moved = new Times(); // what `times` becomes when the log is moved: then `created` says nothing of the events so far
  signed = undefined; // the newest checkpoint in the log
  last = 0;
  origin = undefined;
  modes = new Map();
  apiKeys = new Map();
  wallets = new Map();
  prices = new Prices();
  books = { live: new Books(), sandbox: new Books() };
  calls = new Map(); // by $correlationId
  begun = new Map(); // by id, calls that have not ended
  approvals = new Map();
  limit = null; // the amount above which a second person approves, and since when
  limitAt = 0;
  counts = new Map(); // number and kobo of what the summary counts, by its name

  constructor(keys, window, withFigures) {
    Object.assign(this, { keys, window, withFigures });
  }

  /** Adds a line of the file. Returns false if it is none, which ends the file. */
  line(index, text) {
    let e;
    try {
      e = eventOf(parsed(text));
      this.tree.add(e.leaf);
      if (!this.fault) this.event(index, e);
      // The events before the fault were moved, too.
      else if (e.stream === 'log-main' && e.type === 'LogMoved' && e.fields?.events === index) this.times = this.moved;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.fault ??= [index, error.rule, (e ? place(e) : '') + error.message];
    }
    return e !== undefined;
  }
  event(index, e) {
    need(e.index === index, 'index', 'its line has the index {}', e.index);
    const revision = this.revisions.get(e.stream) ?? 0;
    const what = 'revision {} of the stream is missing: revision {} was found instead';
    need(e.revision === revision, 'revision', what, revision, e.revision);
    this.revisions.set(e.stream, revision + 1);
    const ids = this.ids[parseInt(e.id.slice(0, 2), 16)];
    need(!ids.has(e.id), 'id', 'an earlier event has the id {}, too', e.id);
    ids.add(e.id);
    if (!CATEGORIES.has(e.stream.split('-')[0])) {
      this.foreign += 1;
      return;
    }
    try {
      checkShape(e);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.aside.set(e.id, [index, 'shape', `${place(e)}${error.message}, and no decision to skip it was recorded`]);
      return;
    }
    const dated = e.data.recorded_at;
    this.firstTime ||= dated;
    if (dated > this.lastTime) this.lastTime = dated;
    if (e.type === 'LogMoved' && e.data.events === index)
      this.times = Object.assign(new Times(), this.moved, { exceptions: [...this.moved.exceptions] });
    this.moved.add(e, undefined);
    this.times.add(e, moment(e.created));
    this.author(e, e.data);
    if (e.stream.startsWith('wallet-')) this.entry(e, e.data);
    else this[e.type]?.(e, e.data);
  }
  count(name, kobo = 0) {
    const counted = made(this.counts, name, () => ({ times: 0, kobo: 0n }));
    counted.times += 1;
    counted.kobo += BigInt(kobo);
  }

  /** Checks that an administrator's call was recorded before its events, and an API key is the partner's. */
  author(e, data) {
    const actor = isText(e.fields.actor) ? e.fields.actor : '';
    const partner = isText(e.fields.partner_id) ? e.fields.partner_id : undefined;
    const [[role], name] = [actor.split(':'), actor.slice(actor.split(':')[0].length + 1)];
    // A new log begins with its prices, and the service publishes what was scheduled.
    const isPublished = e.type === 'PriceBookPublished';
    const isBegin = isPublished && actor === 'service' && data.version === 1 && this.modes.size === 0;
    const isPlanned = (isPublished && data.schedule_revision !== undefined) || e.type === 'PriceScheduleFulfilled';
    if (APPROVABLE.has(e.type) && (data.approval_id !== undefined || data.approved_by !== undefined)) this.approved(e, data);
    else if (isBegin || isPlanned) return;
    else if (role === 'admin' || role === 'cli') {
      const isTheirs = (call) => call.role === role && (call.name === name || (role === 'cli' && name === ''));
      const calls = (this.calls.get(e.meta.$correlationId) ?? []).filter(isTheirs);
      need(calls.length > 0, 'author', 'its author is {}, but no such call with its $correlationId began before it', actor);
      // An append whose outcome the call did not learn may reach the log after its end.
      const isLate = calls.every(({ ended }) => e.at - ended > FIVE_MINUTES);
      const what = 'its author is {}, but the call with its $correlationId ended more than five minutes before it';
      need(!isLate, 'author', what, actor);
    } else {
      const isCharge = e.type === 'WalletDebited' && role !== 'key';
      const hasKey = isCharge || (role === 'key' && partner !== undefined);
      const isKeys = !hasKey || this.apiKeys.get(isCharge ? data.key_id : name) === partner;
      need(isKeys, 'author', 'its author is {}, which is no API key of the partner', actor);
      const mode = e.type === 'PartnerRegistered' ? data.mode : this.modes.get(partner);
      const isOwn = (role === 'demo' || role === 'key') && (mode === 'sandbox' || e.type.startsWith('ApiKey'));
      const isTestFarmer = role === 'sandbox' && String(data.rupa_id).startsWith('rp-test-');
      const may = isOwn || isTestFarmer || !PRIVILEGED.includes(e.type);
      need(may, 'author', 'its author is {}, but only an administrator may do this', actor);
    }
  }

  /** Checks what a second person approved: the author's call, which began under another $correlationId. */
  approved(e, data) {
    const [approval, { actor, approved_by: second = '' }] = [this.approvals.get(data.approval_id), data];
    need(!isSamePerson(actor, second), 'author', '{} approved it alone', actor);
    const isGranted = approval?.asked.actor === actor && approval.granted === second;
    need(isGranted, 'author', 'no call of {} that {} approved is recorded before it', actor, second);
    const { asked } = approval;
    const isSame =
      asked.kind === APPROVABLE.get(e.type) &&
      asked.partner_id === (data.partner_id ?? null) &&
      asked.reference === (data.lookup_id ?? data.reference ?? null) &&
      (asked.amount_kobo === (data.amount_kobo ?? null) || e.type === 'CreditReversed');
    need(isSame, 'approval', 'it is not what was approved');
    need(!approval.isDone, 'approval', 'it was approved once, and this is its second execution');
    approval.isDone = true;
  }

  /** Notes what needed a second person and had none. What was under way when the amount changed needed none. */
  aloneAbove(e, kobo) {
    if (this.limit === null || e.data.approval_id !== undefined || e.at - this.limitAt <= TEN_SECONDS) return;
    const [{ actor }, limit] = [e.data, this.limit];
    if (kobo === undefined) this.alone.push(faultOf(e, 'approval', '{} did it alone: new prices, above NGN {}', actor, limit));
    else if (kobo > limit) this.alone.push(faultOf(e, 'approval', '{} did it alone: NGN {}, above NGN {}', actor, kobo, limit));
  }
  ApprovalRequested(e, data) {
    this.approvals.set(data.approval_id, { asked: data, granted: undefined, isDone: false });
  }
  ApprovalGranted(e, { approval_id, actor }) {
    const approval = this.approvals.get(approval_id);
    const isOpen = approval && approval.granted === undefined && !isSamePerson(approval.asked.actor, actor);
    need(isOpen, 'approval', '{} approves what nobody else asked for', actor);
    approval.granted = actor;
  }
  ApprovalRejected(e, { approval_id }) {
    this.approvals.delete(approval_id);
  }
  ApprovalExecuted(e, { approval_id }) {
    const isDone = this.approvals.get(approval_id)?.isDone;
    need(isDone, 'approval', 'it says that a call was executed, but no event of that call is before it');
  }
  ApprovalLimitSet(e, { limit_kobo: limit, recorded_at }) {
    [this.limit, this.limitAt] = [limit, e.at];
    this.count(`limit ${recorded_at}, ${by(e)}: ${limit === null ? 'off' : ngn(limit)}`);
  }
  AdminCallBegun({ meta: { $correlationId: id } }, { role, name, call_id }) {
    const call = { role, name: name ?? '', ended: undefined };
    made(this.calls, id, () => []).push(call);
    this.begun.set(call_id ?? id, call);
  }
  AdminCallEnded({ meta, fields, at }, { method, status, role, name, route, call_id: call = meta.$correlationId }) {
    const isRefused = status >= 400;
    // Who signs in is known only when it is done, and a sign-in changes nothing in the log.
    const hasBegin = method !== 'GET' && method !== 'HEAD' && route !== '/console/sign-in';
    const what = 'it ends a call that may have changed something, and whose begin was not recorded before it';
    need(isRefused || !hasBegin || this.begun.has(call), 'audit', what);
    if (this.begun.has(call)) this.begun.get(call).ended = at;
    this.begun.delete(call);
    const who = role + (name ? `:${show(name)}` : '');
    this.count(`call ${who}${isRefused && method !== 'RUN' ? ', refused' : ''}`);
    const isPersonal = route === '/admin/v1/farmers/:rupaId' || Object.hasOwn(fields, 'reason');
    if (method === 'GET' && !isRefused && isPersonal) this.count(`read ${who}`);
  }
  PartnerRegistered(e, { partner_id, mode }) {
    this.modes.set(partner_id, mode);
  }
  ApiKeyIssued(e, { key_id, partner_id }) {
    this.apiKeys.set(key_id, partner_id);
  }
  ApiKeyLinked(e, data) {
    this.ApiKeyIssued(e, data);
  }

  /** Checks an entry of a wallet, and posts it. */
  entry(e, data) {
    const [mode, month] = [this.modes.get(data.partner_id), data.recorded_at.slice(0, 7)];
    need(mode, 'partner', 'no partner of that id was registered before it');
    const [wallet, books] = [made(this.wallets, data.partner_id, () => new Wallet(mode)), this.books[mode]];
    e.amount = FREE.includes(e.type) ? 0 : data.amount_kobo;
    e.breakdown = CHARGES.includes(e.type) ? data.breakdown_kobo : undefined;
    wallet.check(e, this.prices);
    e.earned = earned(e);
    const isCredit = e.type === 'WalletCredited' || e.type === 'CreditReversed';
    if (isCredit || e.type === 'WalletPaidOut' || e.type === 'LookupCompensated')
      this.decided(e, mode, isCredit ? `${data.kind ?? 'payment'} ` : '', e.amount);
    if (this.withFigures && e.at < this.window.end) {
      wallet.prepaid.add(e, data, wallet.balance);
      books.counted.earn(month, e);
    }
    this.count(`${mode} ${e.type}`, e.amount);
    const lines = e.amount > 0 ? postings(e) : [];
    books.takeBack(e.at, lines);
    this.post(e, mode, e.at, month, lines);
  }

  /** Checks an entry outside of wallets, and posts it to the first moment of its day. */
  LedgerEntryPosted(e, data) {
    const { mode, date, amount_kobo: amount } = data;
    const [debited, credited] = this.books[mode].sides(e, data);
    const lines = [[debited, BigInt(amount)]].concat([[credited, -BigInt(amount)]]);
    this.post(e, mode, moment(`${date}T00:00:00.000Z`), date.slice(0, 7), lines);
    this.count(`${mode} ${e.type}`, amount);
    this.decided(e, mode, `${data.kind} `, amount);
  }
  decided(e, mode, kind, amount) {
    if (mode === 'live') this.aloneAbove(e, amount);
    this.count(`author ${mode} ${kind}${e.type} ${by(e)}`, amount);
  }
  post(e, mode, at, month, lines) {
    const books = this.books[mode];
    if (month <= books.last) this.late.push(faultOf(e, 'closed', 'it is dated into {}, which was closed before', month));
    if (lines.length === 0) return;
    books.all.post(month, lines);
    if (at < this.window.end) books.counted.post(month, lines);
  }
  PeriodClosed(e, data) {
    const wallets = [...this.wallets.values()].filter((wallet) => wallet.mode === data.mode);
    const open = wallets.flatMap((wallet) => [...wallet.open.values()]);
    this.books[data.mode].close(e, data, open);
  }
  PriceBookPublished(e, data) {
    this.prices.publish(e, data);
    this.count(`author price book version ${data.version}, ${data.recorded_at}, ${by(e)}`);
    if (data.schedule_revision === undefined && (data.version !== 1 || data.actor !== 'service')) this.aloneAbove(e);
  }
  PriceBookScheduled(e, data) {
    this.prices.schedule(e, data);
    this.aloneAbove(e);
  }
  PriceScheduleCancelled(e, data) {
    this.prices.end(e, data.schedule_revision);
  }
  PriceScheduleFulfilled(e, data) {
    this.prices.end(e, data.schedule_revision);
  }
  EventSkipped(e, { event_id, stream, revision, reason }) {
    const note = this.aside.delete(event_id) ? '' : ' (this program can use the event)';
    this.skipped.push(`${show(stream)} at revision ${revision}, ${by(e)}: ${show(reason)}${note}`);
  }
  LogMoved(e, { events, recorded_at }) {
    need(events === e.index, 'moved', 'it says that {} events were moved, but {} are before it', events, e.index);
    this.moves.push(`event ${e.index}, ${recorded_at}, ${by(e)}`);
  }

  /** A log that lost events goes on as another one: checkpoints of the former one cover what is not there. */
  LogAdopted(e, { origin, former_note, lost_events: lost, reason, recorded_at }) {
    const [note, { index }, { last }] = [noteOf(former_note), e, this];
    need(note, 'adopted', 'It is no checkpoint of a log');
    const { size, origin: former } = note;
    const fault = noteFault(note, this.tree, this.keys);
    need(fault, 'adopted', 'the checkpoint of {} events that it names holds, so nothing was lost', size);
    if (fault[0] === 'signature') throw new Broken('adopted', fault[1]);
    const [[first, count], [firstBefore, countBefore]] = [logOf(former), logOf(this.origin ?? former)];
    const isNext = firstBefore === first && countBefore <= count && origin === `${first}/${count + 1}`;
    need(isNext, 'adopted', '{} is not the log after {}, or that one is not the last before it', origin, former);
    const isPossible = lost === null || (Math.max(1, size - index) <= lost && lost <= size - last);
    const what = 'it says that {} of {} events were lost, but {} are before it, and a checkpoint of {} holds';
    need(isPossible, 'adopted', what, lost, size, index, last);
    const follows = `${show(origin)} follows ${show(former)}, whose last known checkpoint is of ${size} events`;
    const kept = `lost of these: ${lost ?? 'not known'}; those before event ${last} are not`;
    this.adoptions.push({ note, kept: last, text: `event ${index}, ${recorded_at}, ${by(e)}: ${show(reason)}; ${follows}; ${kept}` });
    this.origin = origin;
  }

  /** Returns whether a note that does not hold is of a former log, and covers events that were said to be lost. */
  isFormer(note, fault) {
    const [[first, count], [firstNow, countNow]] = [logOf(note.origin), logOf(this.origin ?? note.origin)];
    if (!fault || fault[0] === 'signature' || first !== firstNow || count >= countNow) return false;
    const { note: last, kept } = this.adoptions.find((each) => logOf(each.note.origin)[1] >= count);
    return note.size > kept && (note.origin !== last.origin || note.size < last.size || note.text === last.text);
  }
  CheckpointMade() {
    this.count('old checkpoint');
  }
  CheckpointSigned(e, data) {
    const note = noteOf(data.note);
    need(note, 'checkpoint', 'It is no checkpoint of a log');
    const isDescribed = note.size === data.tree_size && base64Of(note.root) === data.root;
    const isNewest = this.last <= note.size && note.size < this.tree.size;
    const what = 'its note of {} events is not the one that it describes, or smaller than the one before, or ahead';
    need(isDescribed && isNewest, 'checkpoint', what, note.size);
    const fault = noteFault(note, this.tree, this.keys);
    if (fault) throw new Broken('checkpoint', fault[1]);
    const isThis = note.origin === (this.origin ?? logOf(note.origin)[0]);
    need(isThis, 'checkpoint', 'it is of the log {}, and no loss began that one', note.origin);
    [this.signed, this.last, this.origin] = [note, note.size, note.origin];
    this.count('checkpoint');
  }

  /** Returns the first fault; undefined if everything holds. */
  firstFault() {
    const found = [...this.aside.values(), ...this.times.exceptions, ...this.alone, ...this.late];
    const late = [...this.wallets.values()].flatMap(({ open }) =>
      [...open.values()].filter(({ at }) => this.times.newest - at > TWO_MINUTES),
    );
    const what = 'the charge of the lookup {} is neither settled nor refunded';
    found.push(...(this.fault ? [this.fault] : late.map((e) => faultOf(e, 'open_too_long', what, e.data.lookup_id))));
    return found.reduce((first, each) => (first && first[0] <= each[0] ? first : each), undefined);
  }
}

/** Returns whether two actors have the same name, whatever its case and the role before it. */
function isSamePerson(one, other) {
  const nameOf = (actor) => actor.slice(actor.indexOf(':') + 1).toLowerCase();
  return nameOf(one) === nameOf(other);
}

// ---- The summary and the program ------------------------------------------------------------------------------------------------------
const COUNTED = {
  author: 'Credits, reversals, payouts, compensations, ledger entries and prices by author',
  call: 'Calls of administrators and commands',
  read: 'Reads of personal data',
  limit: 'Amounts above which a second person approves',
};

/** Returns a title with the number of the items, and the first of them. */
function listed(title, items, most = Infinity) {
  const more = items.length > most ? [`  and ${items.length - most} more`] : [];
  return [`${title}: ${items.length}`, ...items.slice(0, most).map((each) => `  ${each}`), ...more];
}

function faults(title, found) {
  const sorted = [...found].sort((one, other) => one[0] - other[0]);
  const named = sorted.map(([index, , reason]) => `event ${index}: ${reason}`);
  return listed(title, named, NAMED);
}

function summary(audit, notes, fault) {
  const { tree, signed, counts, foreign } = audit;
  const timesOf = (name) => counts.get(name)?.times ?? 0;
  const lines = [
    `Events: ${tree.size}, dated ${audit.firstTime || '-'} to ${audit.lastTime || '-'}, of which in streams of others: ${foreign}`,
    `Root of all of them: ${base64Of(tree.root(tree.size))}`,
  ];
  for (const { path, note, found } of notes) {
    const result = found ? `does not hold: ${found[1]}` : 'holds';
    const former = audit.isFormer(note, found) ? `of the former log ${show(note.origin)}, not comparable` : undefined;
    lines.push(`Checkpoint ${show(path)} of ${note.size} events: ${former ?? result}`);
  }
  const newest = signed ? `the newest is of ${signed.size} events` : 'none';
  lines.push(`Checkpoints in the log: ${timesOf('checkpoint')}, ${newest}; over wallets only: ${timesOf('old checkpoint')}`);
  if (fault) lines.push(`What follows is of the events before event ${audit.fault ? audit.fault[0] : tree.size}.`);
  for (const mode of MODES) lines.push(...booksOf(audit, mode));
  for (const [prefix, title] of Object.entries(COUNTED)) {
    lines.push('', `${title}:`);
    for (const name of [...counts.keys()].filter((each) => each.startsWith(`${prefix} `)).sort()) {
      const { times, kobo } = counts.get(name);
      lines.push(`  ${name.slice(prefix.length + 1)}: ${times}${kobo > 0n ? `, ${ngn(kobo)}` : ''}`);
    }
  }
  return [
    ...lines,
    '',
    ...faults('Larger entries without a second person', audit.alone),
    ...faults('Recorded after its month was closed', audit.late),
    ...listed('Events skipped by a decision', audit.skipped),
    ...listed('Moves to another event store', audit.moves),
    ...listed(
      'Logs that began after a loss',
      audit.adoptions.map(({ text }) => text),
    ),
    ...faults('Exceptions of time', audit.times.exceptions),
    '',
    `Result: ${fault ? `does not hold at event ${fault[0]} (${fault[1]})` : 'everything holds'}`,
  ];
}

const amounts = (kobo) => kobo.map(naira).join(' ');

function booksOf(audit, mode) {
  const { wallets, counts, window, withFigures } = audit;
  const [own, { counted, closed }] = [[...wallets.values()].filter((wallet) => wallet.mode === mode), audit.books[mode]];
  const open = own.reduce((sum, wallet) => sum + wallet.open.size, 0);
  const lines = ['', `Wallets, ${mode}: ${own.length}, with open charges: ${open}`];
  for (const type of [...MONEY, ...CHARGES, 'LedgerEntryPosted']) {
    const { times, kobo } = counts.get(`${mode} ${type}`) ?? { times: 0, kobo: 0n };
    lines.push(`  ${type}: ${times}, ${ngn(kobo)}`);
  }
  lines.push(`Trial balance, ${mode}, ${window.name}: account, opening, debit, credit, closing (NGN)`);
  const totals = counted.totals(window.month, '9999-12');
  for (const [account, ...kobo] of totals) lines.push(`  ${show(account)} ${amounts(kobo)}`);
  const [opening, debit, credit] = [1, 2, 3].map((column) => totals.reduce((sum, each) => sum + each[column], 0n));
  lines.push(`  total ${amounts([opening, debit, credit, debit - credit])}`, ...listed(`Months closed, ${mode}`, closed));
  return withFigures ? [...lines, ...figuresOf(audit, mode, amounts([debit, credit]))] : lines;
}

/** Returns what the reports of the books say of a mode: revenue, prepaid money, and the journal's totals. */
function figuresOf({ books, modes, wallets, window, lastTime }, mode, sums) {
  const { revenue, entries } = books[mode].counted;
  const lines = [`Revenue, ${mode}, ${window.name}: month, section, lookups, net, VAT, gross, refunds (NGN)`];
  for (const key of [...revenue.keys()].filter((each) => each >= window.month).sort()) {
    const [lookups, net, vat, refunds] = revenue.get(key);
    lines.push(`  ${key} ${lookups} ${amounts([net, vat, net + vat, refunds])}`);
  }
  const columns = 'customer number, partner, balance, of it 0-30, 31-90, 91-180 and over 180 days old (NGN), last payment, last lookup';
  lines.push(`Prepaid money, ${mode}, at the end of ${window.name}: ${columns}`);
  const at = window.end === Infinity ? moment(lastTime) : window.end - 1;
  for (const [number, partner] of [...modes.keys()].entries()) {
    const prepaid = modes.get(partner) === mode ? wallets.get(partner)?.prepaid : undefined;
    if (!prepaid?.balance) continue;
    const kobo = amounts([prepaid.balance, ...prepaid.byAge(at)]);
    lines.push(`  ${1001 + number} ${show(partner)} ${kobo} ${prepaid.lastPayment} ${prepaid.lastLookup}`);
  }
  const number = [...entries].reduce((sum, [month, count]) => sum + (month >= window.month ? count : 0), 0);
  return [...lines, `Journal, ${mode}, ${window.name}: entries, debit, credit (NGN)`, `  ${number} ${sums}`];
}

/** A wrong option, key or checkpoint. */
export class Usage extends Error {}

function usage(reason) {
  throw new Usage(reason);
}

/** Returns which postings are counted: those before `end`; those before `month`, if any, make up the opening. */
function windowOf({ at, month }) {
  let end = Infinity;
  if (month !== undefined) {
    const isMonth = /^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(month) && month > '0000-12';
    end = isMonth ? moment(`${monthAfter(month)}-01T00:00:00.000Z`) : undefined;
  } else if (at !== undefined) end = moment(at.length === 10 ? `${at}T23:59:59.999Z` : at);
  if (end === undefined)
    usage('The trial balance is up to a day or a time such as 2026-03-31T12:00:00.000Z, or of a month such as 2026-03.');
  return { month: month ?? '', end: month === undefined ? end + 1 : end, name: month ?? at ?? 'all events' };
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
    const { audit, keys } = this;
    this.rest += this.decoder.decode();
    if (!this.hasEnded && this.rest !== '') this.line(this.rest);
    const checked = this.notes.map(({ path, note }) => ({ path, note, found: noteFault(note, audit.tree, keys) }));
    const wrong = checked.filter(({ note, found }) => found && !audit.isFormer(note, found));
    const [first] = wrong.sort((one, other) => one.note.size - other.note.size);
    const holding = Math.max(audit.last, ...checked.filter(({ found }) => !found).map(({ note }) => note.size));
    let fault = audit.firstFault();
    if (!fault && first) {
      const [rule, reason] = first.found;
      fault = [rule === 'size' ? audit.tree.size : holding, rule, `${show(first.path)}: ${reason}`];
    }
    return { summary: summary(audit, checked, fault).join('\n'), fault: fault && `event ${fault[0]}: ${fault[1]}: ${fault[2]}` };
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
  const found = given.map((each) => /^--(at|month)=(.*)$/s.exec(each)).filter(Boolean);
  const options = Object.fromEntries(found.map(([, name, value]) => [name, value]));
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
