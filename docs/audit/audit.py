#!/usr/bin/env python3
"""Checks the evidence file of a Rupa service: every event of its log, as `rupa audit evidence` writes it.

    python3 audit.py [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]

FILE is the evidence file. KEYS has the verifier keys of the log's checkpoints, one a line. Each NOTE is a checkpoint
that you kept. The exit status is 0 if everything holds, 1 if something does not, and 2 for wrong usage. The last line
of standard error is then "event N: RULE: reason", with the first event that does not hold. Standard output is a summary
to file. The page docs/audit.md explains it.

Needs Python 3.8 and nothing else. audit.mjs beside it does the same in JavaScript, in the same order and with the same
names, and prints the same.
"""
import array, base64, collections, copy, hashlib, json, re, sys
from datetime import datetime, timedelta
from types import SimpleNamespace

# ---- The events of the log -------------------------------------------------------------------------------------------
# A stream with the fields that all its events have, and its event types with their further fields. `{field}` in a
# stream's name is the value of that field, and `*` is anything. A field without a mark is a text; `#` marks a whole
# number, `%` an integer, `@` a time, `$` amounts by name, `+` a rate of VAT in percent, `^` a kind of credit, `&` a
# mode, `!` an object with the fields in PARTS, `*` a list of those, `.` anything, `~` that it may be null, and `?` that
# it may be missing. The types in APPROVABLE have the fields approval_id? and approved_by?, too.
EVENTS = '''
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
'''
PARTS = {'charges': 'lookup_id debit_revision#', 'issuer': 'name~ address~ tax_id~',
         'accounts': 'account opening_kobo debit_kobo credit_kobo closing_kobo'}
# The events that may need a second person, with the kind of their approval.
APPROVABLE = {'WalletCredited': 'credit', 'CreditReversed': 'reversal', 'WalletPaidOut': 'payout',
              'LookupCompensated': 'compensation', 'LedgerEntryPosted': 'ledger_entry',
              'PriceBookPublished': 'price_publication', 'PriceBookScheduled': 'price_schedule'}
# Only an administrator or the command line may do this; in the sandbox also the demo and the partner's own key.
PRIVILEGED = set('''WalletCredited CreditReversed WalletPaidOut LookupCompensated LedgerEntryPosted PeriodClosed
PriceBookPublished PriceBookScheduled PriceScheduleCancelled PartnerRegistered PartnerActivated PartnerDeactivated
OptionalSectionsChanged IpAllowListChanged PartnerDetailsChanged ApiKeyIssued ApiKeyLinked ApiKeyExpirySet
ApiKeyDeactivated FarmerErased MaintenanceBegun MaintenanceEnded EventSkipped LogAdopted ApprovalRequested
ApprovalGranted ApprovalRejected ApprovalExecuted'''.split())
MONEY = ('WalletCredited', 'CreditReversed', 'WalletPaidOut')  # come from or go to the outside, and name a reference
OUT = ('WalletDebited', 'CreditReversed', 'WalletPaidOut')  # take money from the wallet
FREE = ('ConsentGranted', 'ChargesSettled')  # have no amount
CHARGES = ('WalletDebited', 'RefundIssued', 'LookupCompensated')  # have fees
VERSIONS = {'WalletDebited': 2, 'FarmerRegistered': 2}  # the newest form of the data; 1 for all others
MODES, CREDITS = ('live', 'sandbox'), ('payment', 'goodwill', 'correction')
# The prices in force where the log has no version 1, in kobo. Debits of version 2 have places in this list for names.
DEFAULTS = {
    'svc_fee.identity': 5000, 'svc_fee.bvn_nin_data': 5000, 'passthrough.bvn': 6000, 'passthrough.nin': 6000,
    'svc_fee.credit_history': 10000, 'passthrough.credit_bureau': 50000, 'svc_fee.outstanding_loans': 8000,
    'svc_fee.transaction_volume': 10000, 'svc_fee.farms': 8000, 'svc_fee.underwriting_value': 10000,
    'svc_fee.wallet': 5000, 'svc_fee.socioeconomic_profile': 5000}
FEES = list(DEFAULTS)
# The accounts that an entry outside of wallets debits and credits. `*` stands for the account that it names, which an
# opening balance of a liability credits.
SIDES = {'passthrough_settlement': ('passthrough_payable.*', 'cash_received'),
         'vat_remittance': ('vat_payable', 'cash_received'), 'wht_certificate': ('wht_credit_notes', 'wht_receivable'),
         'bank_charge': ('bank_charges', 'cash_received'), 'bank_interest': ('cash_received', 'interest_income'),
         'opening_balance': ('*', 'opening_balances')}
BOUNDED = {'passthrough_settlement': 0, 'vat_remittance': 0, 'wht_certificate': 1}  # whose account must hold the amount
PAYABLE = ['passthrough_payable.bvn', 'passthrough_payable.nin', 'passthrough_payable.credit_bureau', 'vat_payable']
OPENING = PAYABLE + ['cash_received', 'wht_receivable', 'wht_credit_notes', 'goodwill_expense', 'correction_expense',
                     'bank_charges']
DAY, FIVE_MINUTES, TWO_MINUTES, TEN_SECONDS = 86_400_000, 300_000, 120_000, 10_000
AGES = (30, 90, 180)  # the most whole days of each band of prepaid money but the last
NAMED = 100  # how many faults of a kind the summary names one by one

# ---- Texts, numbers and times ----------------------------------------------------------------------------------------
class Broken(Exception):
    """An event that breaks a rule."""
    def __init__(self, rule, reason):
        self.rule, self.reason = rule, reason

def need(holds, rule, reason, *values):
    """Raises Broken for a rule that does not hold."""
    if not holds:
        raise Broken(rule, filled(reason, values))
def filled(reason, values):
    """Returns a text with a value in place of each {}, which is in kobo after NGN."""
    rest = iter(values)
    return re.sub('(NGN )?{}', lambda found: ngn(next(rest)) if found[1] else show(next(rest)), reason)
def naira(kobo):
    return f'{"-" if kobo < 0 else ""}{abs(kobo) // 100}.{abs(kobo) % 100:02}'
def ngn(kobo):
    return f'NGN {naira(kobo)}'
def show(value):
    """Returns a value of the log in ASCII, so that it cannot imitate other lines."""
    text = json.dumps(value)
    return (text[1:-1] if is_text(value) else text).replace('\x7f', '\\u007f')
def sha256(*parts):
    return hashlib.sha256(b''.join(parts)).digest()
def number(text):
    value = float(text)
    return int(value) if value.is_integer() else value
def refuse(constant):
    raise ValueError(f'{constant} is not JSON')

DECODE = json.JSONDecoder(parse_float=number, parse_int=number, parse_constant=refuse).decode

def parsed(text):
    """Returns the JSON object of a text; None if it is none."""
    try:
        value = DECODE(text)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None
    return value if isinstance(value, dict) else None

def canonical(value):
    """Returns the canonical JSON (RFC 8785), in UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return text.encode('utf-8', 'backslashreplace')
def is_text(value):
    return isinstance(value, str)
def is_integer(value):
    return type(value) is int and abs(value) < 2**53
def is_count(value):
    return is_integer(value) and value >= 0
def is_exact(value):
    """Returns whether all numbers are integers that every program reads alike."""
    if isinstance(value, (dict, list)):
        return all(is_exact(each) for each in (value.values() if isinstance(value, dict) else value))
    return type(value) not in (int, float) or is_integer(value)

TIME = re.compile(r'\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z', re.ASCII)

def moment(text):
    """Returns the milliseconds since 1970 of a time as the service writes it; None for anything else."""
    try:
        if TIME.fullmatch(text):
            return (datetime.fromisoformat(text[:-1]) - datetime(1970, 1, 1)) // timedelta(milliseconds=1)
    except (TypeError, ValueError):
        pass
    return None

def month_after(month):
    year, following = int(month[:4]), int(month[5:]) % 12 + 1
    return f'{year + (following == 1):04}-{following:02}'

# ---- Checkpoints -----------------------------------------------------------------------------------------------------
class Tree:
    """The Merkle tree of RFC 6962 over the leaves so far. It has the root of each complete subtree, so of any size."""

    def __init__(self):
        self.size, self.levels = 0, []

    def add(self, leaf):
        self.size += 1
        node, level = sha256(b'\0', leaf), 0
        while True:
            if level == len(self.levels):
                self.levels.append(bytearray())
            self.levels[level] += node
            level += 1
            if self.size % 2**level:
                break
            node = sha256(b'\1', self.levels[level - 1][-64:])

    def root(self, size):
        root = b''
        for level in range(size.bit_length()):
            count = size >> level
            if count % 2:
                subtree = bytes(self.levels[level][32 * (count - 1):32 * count])
                root = sha256(b'\1', subtree, root) if root else subtree
        return root or sha256()

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # Ed25519, RFC 8032, section 5.1
D = -121665 * pow(121666, -1, P) % P

def added(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        if n % 2:
            q = added(q, p)
        p, n = added(p, p), n // 2
    return q

def point(n):
    y = n % 2**255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    x = x if x % 2 == n >> 255 else P - x
    return x, y, 1, x * y % P

def is_signed(public, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], 'little')
    x, y, _, _ = point(int.from_bytes(public, 'little'))
    h = int.from_bytes(hashlib.sha512(r + public + message).digest(), 'little') % L
    x, y, z, _ = added(times(s, point(4 * pow(5, -1, P) % P)), times(h, (P - x, y, 1, (P - x) * y % P)))
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    return len(signature) == 64 and s < L and r == (y + (x % 2 << 255)).to_bytes(32, 'little')

def base64_bytes(text):
    """Returns the bytes of a base64 text; None if it is not exactly what they are encoded to."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return decoded if base64_of(decoded) == text else None

def base64_of(data):
    return base64.b64encode(data).decode()

def key_of(line):
    """Returns name, id and public key of a verifier key; None if it is malformed (https://c2sp.org/signed-note)."""
    found = re.fullmatch(r'([^\s+]+)\+([0-9a-f]{8})\+(\S+)', line)
    key = base64_bytes(found[3]) if found else None
    if key is None or len(key) != 33 or key[0] != 1 or sha256(found[1].encode(), b'\n', key)[:4].hex() != found[2]:
        return None
    return found[1], found[2], key[1:]

def note_of(note):
    """Returns a checkpoint, three lines and signatures (https://c2sp.org/tlog-checkpoint); None if it is none."""
    text, _, signatures = note.rpartition('\n\n')
    lines = text.split('\n')
    if len(lines) != 3 or not re.fullmatch(r'0|[1-9][0-9]{0,15}', lines[1]) or len(base64_bytes(lines[2]) or '') != 32:
        return None
    return SimpleNamespace(text=text + '\n', origin=lines[0], size=int(lines[1]), root=base64_bytes(lines[2]),
                                 signatures=[line.split(' ') for line in signatures.split('\n')])

def note_fault(note, tree, keys):
    """Returns rule and reason if a checkpoint does not hold for the tree; None if it does."""
    own = [line[2] for line in note.signatures if len(line) == 3 and line[:2] == ['\u2014', note.origin]]
    signatures = [base64_bytes(each) or b'' for each in own]
    if not any(name == note.origin and each[:4].hex() == key_id and is_signed(key, note.text.encode(), each[4:])
               for name, key_id, key in keys for each in signatures):
        return 'signature', f'none of the keys signed the checkpoint of {note.size} events'
    if note.size > tree.size:
        return 'size', f'the checkpoint is of {note.size} events, but there are only {tree.size}'
    if note.root != tree.root(note.size):
        return 'root', f'the first {note.size} events do not have the root of their checkpoint'
    return None

def log_of(origin):
    """Returns the origin of the service's first log, and the number of this one: a log after a loss has the next."""
    found = re.fullmatch(r'(.*/log)/([1-9][0-9]{0,8})', origin)
    return (found[1], int(found[2])) if found else (origin, 1)

# ---- Wallets ---------------------------------------------------------------------------------------------------------
class Wallet:
    """The state of one wallet after its entries so far."""
    def __init__(self, mode):
        self.mode, self.hash, self.balance, self.recorded_at, self.prepaid = mode, '0' * 64, 0, '', Prepaid()
        self.open = {}  # by lookup, oldest first: the debits that are neither settled nor refunded
        self.references = set()
        self.credits = {}  # by reference: the kind, and how much of the amount, its bank fee and its tax is left
        self.settled, self.compensated = {}, set()  # settled charges by revision of the debit

    def check(self, e, prices):
        """Checks an entry by every rule of `rupa wallet verify`, in its order. Raises Broken."""
        data, previous, stated = e.data, e.meta.get('prev_hash', self.hash), e.meta['hash']
        need(previous == self.hash, 'prev_hash',
             'its prev_hash is {}, but the hash of the previous entry is {}', previous, self.hash)
        head = '\n'.join([self.hash, e.stream, str(e.revision), e.type, ''])
        found = sha256(head.encode(), canonical(e.fields)).hex()
        need(stated == found, 'hash', 'its content hashes to {}, but its hash is {}', found, stated)
        need(data.recorded_at >= self.recorded_at, 'recorded_at',
             'it is dated {}, before the previous entry of the wallet ({})', data.recorded_at, self.recorded_at)
        fees = sum(e.breakdown.values()) if e.breakdown else e.amount
        need(fees == e.amount, 'breakdown', 'its fees sum to NGN {}, but its amount is NGN {}', fees, e.amount)
        balance = self.balance + (-e.amount if e.type in OUT else e.amount)
        need(data.balance_after_kobo == balance, 'balance',
             'its balance is NGN {}, but the entries up to it sum to NGN {}', data.balance_after_kobo, balance)
        need(balance >= 0, 'balance', 'the balance is negative: NGN {}', balance)
        if e.type == 'WalletDebited':
            prices.check(e)
        oldest = next((debit.revision for debit in self.open.values()), None)
        need(data.open_from_revision == oldest, 'open_from_revision',
             'it says that the oldest open charge has the revision {}, but that has the revision {}',
             data.open_from_revision, oldest)
        if e.type in MONEY:
            need(data.reference not in self.references, 'reference',
                 'the reference "{}" was used before', data.reference)
            self.references.add(data.reference)
        getattr(self, e.type, lambda *_: None)(e, data)
        self.hash, self.balance, self.recorded_at = found, balance, data.recorded_at

    def WalletCredited(self, e, data):
        kind, (fee, tax) = data.kind or 'payment', deducted(data)
        are_parts = fee + tax == 0 or (kind == 'payment' and fee + tax < e.amount)
        need(are_parts, 'deductions',
             'a bank fee of NGN {} and a withheld tax of NGN {} are not parts of a payment of NGN {}',
             fee, tax, e.amount)
        self.credits[data.reference] = kind, e.amount, fee, tax

    def CreditReversed(self, e, data):
        kind, left, fee, tax = self.credits.get(data.credit_reference, (None, 0, 0, 0))
        need(kind == data.kind and left >= e.amount, 'reversal',
             'no credit "{}" of the kind {} has NGN {} left', data.credit_reference, data.kind, e.amount)
        # Cash goes back first, then the withheld tax, then the bank fee, so these are left.
        left -= e.amount
        fee_left = min(fee, left)
        tax_left = min(tax, left - fee_left)
        fee, tax = fee - fee_left, tax - tax_left
        need(deducted(data) == (fee, tax), 'reversal',
             'it takes back NGN {} of the bank fee and NGN {} of the withheld tax, and says otherwise', fee, tax)
        self.credits[data.credit_reference] = kind, left, fee_left, tax_left

    def WalletDebited(self, e, data):
        before = self.open.get(data.lookup_id)
        need(before is None, 'charge',
             'the lookup {} was charged at revision {}, and that charge is still open',
             data.lookup_id, before and before.revision)
        self.open[data.lookup_id] = e

    def ConsentGranted(self, e, data):
        debit = self.open.get(data.lookup_id)
        need(debit and debit.data.rupa_id == data.rupa_id, 'charge',
             'the lookup {} has no open charge for {}', data.lookup_id, data.rupa_id)

    def ChargesSettled(self, e, data):
        lookups = {each['lookup_id'] for each in data.charges}
        need(len(lookups) == len(data.charges), 'charge', 'it settles a lookup twice')
        for debit in [self.closed(each['lookup_id'], each['debit_revision']) for each in data.charges]:
            del self.open[debit.data.lookup_id]
            self.settled[debit.revision] = identity(debit.data)

    def closed(self, lookup, revision):
        """Returns the debit of a charge that is closed."""
        debit = self.open.get(lookup)
        need(debit, 'charge',
             'the lookup {} has no open charge: it was never charged, or settled or refunded before', lookup)
        need(debit.revision == revision, 'charge',
             'it names the revision {} for the lookup {}, which was charged at revision {}',
             revision, lookup, debit.revision)
        return debit

    def RefundIssued(self, e, data):
        debit = self.closed(data.lookup_id, data.debit_revision).data
        # A release without VAT recorded refunds without fees.
        fees, vat = data.breakdown_kobo, hundredths(debit)
        is_same = fees == debit.breakdown_kobo or (fees is None and not vat)
        is_same = is_same and (data.rupa_id, e.amount) == (debit.rupa_id, debit.amount_kobo)
        need(is_same and hundredths(data) == vat, 'charge',
             'it does not give back what was charged at revision {}', data.debit_revision)
        del self.open[data.lookup_id]

    def LookupCompensated(self, e, data):
        revision = data.debit_revision
        need(self.settled.get(revision) == identity(data), 'compensation',
             'no settled charge at revision {} has its lookup, farmer, fees and VAT', revision)
        need(revision not in self.compensated, 'compensation', 'the lookup {} was compensated before', data.lookup_id)
        self.compensated.add(revision)

def deducted(data):
    """Returns the bank fee and the withheld tax of a payment, or what a reversal takes back of them."""
    return data.bank_fee_kobo or 0, data.withheld_tax_kobo or 0
def identity(charge):
    text = canonical([charge.lookup_id, charge.rupa_id, charge.breakdown_kobo, hundredths(charge)])
    return sha256(text)[:8]
def hundredths(data):
    """Returns the rate of VAT of an event in hundredths of a percent; 0 if it has none."""
    return int((data.vat_percent or 0) * 100 + 0.5)

class Prepaid:
    """The balance of a wallet at the end of what is counted, and the moves that decide how old its money is."""
    def __init__(self):
        self.balance, self.last_payment, self.last_lookup = 0, '-', '-'
        self.credits = {}  # by reference: when it was recorded, and how much of it is not reversed
        # Two numbers for each move: the revision of a charge or payout and its amount, which is below 0 where it was
        # taken and above 0 where it was given back, or twice 0 for the next credit.
        self.moves = array.array('q')

    def add(self, e, data, balance):
        self.balance = balance
        if e.type == 'WalletDebited':
            self.last_lookup = data.recorded_at
        if e.type == 'WalletCredited':
            if data.kind in (None, 'payment'):
                self.last_payment = data.recorded_at
            self.credits[data.reference] = [e.at, e.amount]
            self.moves.extend((0, 0))
        elif e.type == 'CreditReversed':
            self.credits[data.credit_reference][1] -= e.amount
        elif e.amount > 0:
            self.moves.extend((e.revision, -e.amount) if e.type in OUT else (data.debit_revision, e.amount))

    def by_age(self, at):
        """Returns the kobo of each band at a time. What is taken is the oldest money, and is as old if it returns."""
        moves, credits = list(zip(self.moves[::2], self.moves[1::2])), list(self.credits.values())
        taken = {revision: [] for revision, kobo in moves if kobo > 0}  # by charge that returns: of which credits
        left, first = [], 0  # of each credit so far; the credits before the first one are spent
        lacking = collections.OrderedDict()  # by charge: what was spent of reversed credits, and waits for other money
        for revision, kobo in moves:
            if kobo < 0:
                lacking[revision] = -kobo
            elif kobo == 0:
                left.append(credits[len(left)][1])
            else:
                lacking.pop(revision, None)
                for place, part in taken[revision]:
                    left[place], first = left[place] + part, min(first, place)
            while lacking and first < len(left):
                charge, wanted = next(iter(lacking.items()))
                part = min(wanted, left[first])
                if charge in taken:
                    taken[charge].append((first, part))
                left[first] -= part
                lacking[charge] -= part
                if part == wanted:
                    del lacking[charge]
                if left[first] == 0:
                    first += 1
        sums = [0] * (len(AGES) + 1)
        for (since, _), kobo in zip(credits, left):
            sums[sum((at - since) // DAY > most for most in AGES)] += kobo
        return sums

# ---- Prices ----------------------------------------------------------------------------------------------------------
# A version of the price book: its fees, from when it is in force, from when the version before is not, and its VAT in
# hundredths of a percent.
Book = collections.namedtuple('Book', 'fees begin replaces vat')

class Prices:
    """The versions of the price book that were published, and the schedules that follow, each from its time on."""
    def __init__(self):
        self.books, self.version = {1: Book(DEFAULTS, None, None, 0)}, 1
        self.plans, self.pending, self.fulfilled = {}, None, -1  # schedules by revision
        self.waiting = []  # revisions of schedules in force by their time, which no event has published or ended

    def book(self, version):
        """Returns a version; None if it was neither published nor scheduled."""
        following = version - self.version
        if 0 < following <= len(self.waiting):
            return self.plans[self.waiting[following - 1]].book
        return self.books.get(version)

    def publish(self, e, data):
        before, revision = self.books[self.version], data.schedule_revision
        is_first = data.version == self.version == 1 and before.replaces is None
        need(data.version == self.version + 1 or is_first, 'price_book',
             'it is version {} of the price book, after version {}', data.version, self.version)
        book = Book(data.fees_kobo, e.at, e.at, hundredths(data))
        if revision is not None:
            plan = self.plans.get(revision)
            is_same = plan and (plan.book.fees, plan.book.vat, plan.actor) == (book.fees, book.vat, data.actor)
            is_due = is_same and revision > self.fulfilled and e.at - plan.ended <= TEN_SECONDS
            need(is_due and plan.book.begin - e.at <= TEN_SECONDS, 'price_book',
                 'it is not what was scheduled at revision {}, or not yet due, or cancelled', revision)
            replaces = max(plan.book.begin, before.replaces or 0) if plan.by_time else e.at
            book = book._replace(begin=min(e.at, plan.book.begin), replaces=replaces)
            self.fulfilled, self.waiting = revision, [each for each in self.waiting if each > revision]
        elif self.waiting:
            begin = self.plans[self.waiting[0]].book.begin
            need(e.at - begin <= TEN_SECONDS, 'price_book',
                 'what was scheduled at revision {} was in force before it, and has its version', self.waiting[0])
        self.books[data.version], self.version = book, data.version

    def schedule(self, e, data):
        if self.pending is not None:
            self.end(e, self.pending)
        begin, by_time = moment(data.effective_at), data.in_force_by_time is True
        book = Book(data.fees_kobo, begin, begin, hundredths(data))
        self.plans[e.revision] = SimpleNamespace(book=book, actor=data.actor, ended=float('inf'), by_time=by_time)
        self.pending = e.revision
        self.waiting += [e.revision] * by_time

    def end(self, e, revision):
        """Ends a schedule that is replaced, cancelled or fulfilled. From its time on, one in force by it stays."""
        plan = self.plans.get(revision)
        need(plan, 'price_book', 'nothing was scheduled at revision {}', revision)
        if e.type != 'PriceScheduleFulfilled' and not (plan.by_time and plan.book.begin <= e.at):
            plan.ended = min(plan.ended, e.at)
            self.waiting = [each for each in self.waiting if each != revision]
        if self.pending == revision:
            self.pending = None

    def check(self, e):
        """Checks that a debit's fees were in force at its time. Raises Broken."""
        version, charged, vat = e.data.price_book_version, e.data.breakdown_kobo, hundredths(e.data)
        book, following = self.book(version), self.book(version + 1)
        need(book, 'price',
             'it charges version {} of the price book, which was neither published before it nor scheduled', version)
        need(book.begin is None or book.begin - e.at <= TEN_SECONDS, 'price',
             'it charges version {} of the price book, which was in force later than it', version)
        need(not following or e.at - following.replaces <= TEN_SECONDS, 'price',
             'it charges version {} of the price book, which version {} had replaced', version, version + 1)
        if vat != book.vat:
            need(False, 'price',
                 'its VAT is {} percent, but in version {} of the price book it is {} percent',
                 naira(vat), version, naira(book.vat))
        sections = {fee for fee in charged if fee.startswith('svc_fee.')}
        passed = set()
        if 'svc_fee.bvn_nin_data' in charged:
            passed |= {'passthrough.bvn', 'passthrough.nin'}
        if 'svc_fee.credit_history' in charged and 'passthrough.credit_bureau' in charged:
            passed.add('passthrough.credit_bureau')
        need(sections and sections | passed == set(charged), 'price',
             'its fees are not those of sections with what is passed through for them')
        for fee in sorted(charged):
            known = 'NGN {}' if fee in book.fees else 'none'
            need(fee in FEES and book.fees.get(fee) == charged[fee], 'price',
                 'its fee {} is NGN {}, but in version {} of the price book it is ' + known,
                 fee, charged[fee], version, book.fees.get(fee))

# ---- Books -----------------------------------------------------------------------------------------------------------
def earned(e):
    """Returns the sections of an entry's fees, each with its income and the VAT that it contains, rounded half up."""
    rate, found = hundredths(e.data) if e.breakdown else 0, []
    for fee, kobo in (e.breakdown or {}).items():
        if not fee.startswith('passthrough.'):
            vat = (2 * kobo * rate + 10_000 + rate) // (2 * (10_000 + rate))
            found.append((fee[len('svc_fee.'):], kobo - vat, vat))
    return found

def postings(e):
    """Returns the accounts that a wallet's entry is posted to, with kobo: debits above 0 (docs/accounting.md)."""
    lines = [('partner_balances', -e.amount)]
    if e.type in MONEY:
        kind, (fee, tax) = e.data.kind or 'payment', deducted(e.data)
        account = 'cash_received' if kind == 'payment' else f'{kind}_expense'
        lines += [(account, e.amount - fee - tax), ('bank_charges', fee), ('wht_receivable', tax)]
    elif e.breakdown is None:
        lines.append(('refunds', e.amount))
    else:
        passed = [fee for fee in e.breakdown if fee.startswith('passthrough.')]
        lines += [(fee.replace('passthrough', 'passthrough_payable'), e.breakdown[fee]) for fee in passed]
        for section, net, vat in e.earned:
            lines += [(f'revenue.{section}', net), ('vat_payable', vat)]
    sign = -1 if e.type in OUT else 1
    return [(account, sign * kobo) for account, kobo in lines if kobo]

def sides_of(kind, account):
    """Returns the accounts that an entry outside of wallets debits and credits; None if there are none of that kind."""
    debited, credited = SIDES.get(kind, ('', ''))
    named = debited.replace('*', account or '')
    if named == debited:
        return (debited, credited) if debited and not account else None
    if kind == 'opening_balance' and named in PAYABLE:
        return credited, named
    return (named, credited) if named in OPENING else None

def held(account, kobo):
    """Returns what an account that bounds entries holds with a balance: tax receivable, or what is payable."""
    return kobo if account == 'wht_receivable' else -kobo if account in PAYABLE else 0

class Postings:
    """The postings of each month: the debits and credits of the accounts, and the revenue of the sections."""
    def __init__(self):
        self.entries, self.accounts, self.revenue = {}, {}, {}

    def post(self, month, lines):
        self.entries[month] = self.entries.get(month, 0) + 1
        accounts = self.accounts.setdefault(month, {})
        for account, kobo in lines:
            totals = accounts.setdefault(account, [0, 0])
            totals[kobo < 0] += abs(kobo)

    def earn(self, month, e):
        """Adds a charge, or what gives one back, to the lookups, income, VAT and refunds of its sections."""
        for section, net, vat in e.earned:
            totals = self.revenue.setdefault((month, section), [0, 0, 0, 0])
            more = (1, net, vat, 0) if e.type == 'WalletDebited' else (0, -net, -vat, net + vat)
            totals[:] = [total + each for total, each in zip(totals, more)]

    def totals(self, first, last):
        """Returns the opening balance of each account, its debit and credit in these months, and what they lead to."""
        found = {}
        for month in [each for each in self.accounts if each <= last]:
            for account, (debit, credit) in self.accounts[month].items():
                before, more = found.get(account, (0, 0, 0)), (0, debit, credit)
                more = (debit - credit, 0, 0) if month < first else more
                found[account] = [total + each for total, each in zip(before, more)]
        return [[account, opening, debit, credit, opening + debit - credit]
                for account, (opening, debit, credit) in sorted(found.items())]

class Books:
    """The books of one mode."""
    def __init__(self):
        self.all, self.counted = Postings(), Postings()  # what is counted ends with the trial balance
        self.references = {}  # of entries outside of wallets: what a reversal would undo
        self.falls = {}  # by account that bounds entries: when lately a refund took how much of it back
        self.last, self.closed = '', []  # the last month that was closed, and what the summary says of each
    def take_back(self, at, lines):
        for account, kobo in lines:
            if held(account, kobo) < 0:
                self.falls.setdefault(account, []).append((at, -held(account, kobo)))

    def available(self, account, at):
        """Returns what an account holds. What a refund has just taken back may have been there when it was decided."""
        months = [accounts.get(account, (0, 0)) for accounts in self.all.accounts.values()]
        falls = [(fell, kobo) for fell, kobo in self.falls.get(account, []) if at - fell <= TWO_MINUTES]
        self.falls[account] = falls
        return held(account, sum(debit - credit for debit, credit in months)) + sum(kobo for _, kobo in falls)

    def sides(self, e, data):
        """Checks an entry outside of wallets. Returns the accounts that it debits and credits. Raises Broken."""
        kind, amount, reference, of = data.kind, data.amount_kobo, data.reference, data.of
        need(reference not in self.references, 'reference', 'the reference "{}" was used before', reference)
        day = moment(f'{data.date}T00:00:00.000Z')
        need(day is not None and day <= e.at and amount > 0, 'entry',
             'it has no amount, or a day that was not over or present when it was recorded')
        is_reversal = kind == 'reversal'
        kind = data.of_kind if is_reversal else kind
        content = kind, data.account, amount
        if is_reversal:
            need(self.references.get(of) == content, 'reversal',
                 'no entry "{}" of NGN {} is there that it could undo as a whole', of or '', amount)
            self.references[of] = None
        self.references[reference] = None if is_reversal else content  # what is or was undone cannot be undone
        sides = sides_of(kind, data.account)
        need(sides, 'entry', 'its kind {} has no account "{}"', kind, data.account or '')
        if is_reversal:
            return sides[::-1]
        if kind in BOUNDED:
            account = sides[BOUNDED[kind]]
            available = self.available(account, e.at)
            need(amount <= available, 'bound',
                 '{} holds NGN {}, less than its NGN {}', account, max(0, available), amount)
        return sides

    def close(self, e, data, open_charges):
        """Checks the close of a month: in their order, once, with all that is dated into it and before."""
        period, months = data.period, self.all.accounts
        due = month_after(self.last) if self.last else max(min(months), '1900-01') if months else ''
        need(period == due and due != '', 'period',
             'it closes {}, but {} is to be closed next', period, due or 'no month')
        end = moment(f'{month_after(period)}-01T00:00:00.000Z')
        need(e.at - end >= FIVE_MINUTES, 'period', 'it closes {} before five minutes after its end', period)
        charges = sum(debit.at < end for debit in open_charges)
        need(charges == 0, 'period',
             'it closes {} while {} of its charges are neither settled nor refunded', period, charges)
        stated = [[each[name] for name in PARTS['accounts'].split()] for each in data.accounts]
        found = [[account] + [str(each) for each in kobo]
                 for account, *kobo in self.all.totals(period, period) if any(kobo)]
        if stated != found:
            wrong = [each for each in found if each not in stated] + [each for each in stated if each not in found]
            need(False, 'totals',
                 'its totals of {} are not those of the entries before it: see {}', period, (wrong + stated)[0][0])
        entries = self.all.entries.get(period, 0)
        need(data.entries == entries, 'totals',
             'it counts {} entries in {}, but there are {}', data.entries, period, entries)
        need(data.index is None or data.index < e.index, 'period',
             'it was made from the events up to event {}, which is not before it', data.index)
        self.last = period
        self.closed.append(f'{period}, closed {data.recorded_at} {by(e)}, entries: {entries}, up to event '
                           f'{show(data.index)}, statements {show(data.prefix)} of {show(data.issuer["name"] or "-")}')

# ---- The shape of an event -------------------------------------------------------------------------------------------
FITS = {
    '': lambda value, _: is_text(value),
    '#': lambda value, _: is_count(value),
    '%': lambda value, _: is_integer(value),
    '@': lambda value, _: moment(value) is not None,
    '$': lambda value, _: isinstance(value, dict) and all(is_count(each) for each in value.values()),
    '+': lambda value, _: type(value) in (int, float) and 0 <= value <= 100 and float(f'{value:.2f}') == value,
    '^': lambda value, _: value in CREDITS,
    '&': lambda value, _: value in MODES,
    '!': lambda value, name: isinstance(value, dict) and wrong_field(value, PART_FIELDS[name]) is None,
    '*': lambda value, name: isinstance(value, list) and all(FITS['!'](each, name) for each in value),
    '.': lambda value, _: True}

def fields_of(text):
    """Returns the fields in a text of EVENTS: the name, what its value fits, and whether it may miss or be null."""
    fields = [re.fullmatch(r'(\w+)(\??)([^\w~]?)(~?)', field).groups() for field in text.split()]
    return [(name, FITS[mark], missing == '?', null == '~') for name, missing, mark, null in fields]

PART_FIELDS = {name: fields_of(text) for name, text in PARTS.items()}

def wrong_field(value, fields):
    """Returns the name of the first field that is missing or has a value of the wrong kind; None if all are right."""
    for name, fits, may_miss, may_be_null in fields:
        is_right = name in value and (fits(value[name], name) or (may_be_null and value[name] is None))
        if not is_right and not (may_miss and name not in value):
            return name
    return None

def shapes():
    """Returns the stream and the fields of each event type."""
    found = {}
    for line in EVENTS.strip().split('\n'):
        names, fields = line.split('|')
        if not line.startswith(' '):
            stream, common = names.strip(), fields
            continue
        for name in names.split():
            approval = ' approval_id? approved_by?' if name in APPROVABLE else ''
            found[name] = stream, fields_of(common + fields + approval)
    return found

SHAPES = shapes()
CATEGORIES = {stream.split('-')[0] for stream, _ in SHAPES.values()} | {'ended_apikey', 'ended_farmer'}
UUID, HASH = re.compile('[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'), re.compile('[0-9a-f]{64}')
SHORT = ['recorded_at', 'actor', 'balance_after_kobo', 'open_from_revision', 'lookup_id', 'rupa_id', 'source', 'fees',
         'price_book_version']

class Data(SimpleNamespace):
    """The fields of an event that EVENTS names. What is missing is None."""
    def __getattr__(self, _):
        return None

def event_of(line):
    """Returns the event of a line, and its leaf: five lines. Raises Broken if it is no line of an evidence file."""
    need(line is not None, 'line', 'its line is no JSON object: the file is damaged or cut off')
    e = Data(**line)
    texts = all(is_text(each) for each in (e.stream, e.type, e.id, e.created))
    need(texts and is_count(e.index) and is_count(e.revision), 'line', 'its line lacks a part of an event')
    is_own = UUID.fullmatch(e.id) and moment(e.created) is not None and '$' not in (e.stream[:1], e.type[:1])
    need(is_own, 'line', 'its line has an id, a time, a stream or a type that no event of the log has')
    hashes = ' '.join(sha256(exact_bytes(line, name)).hex() for name in ('data', 'metadata'))
    stream, kind = (json.dumps(each, ensure_ascii=False)[1:-1] for each in (e.stream, e.type))
    e.leaf = '\n'.join([stream, str(e.revision), kind, e.id, hashes]).encode('utf-8', 'backslashreplace')
    e.meta, e.fields = parsed(e.metadata), parsed(e.data)
    return e

def exact_bytes(line, name):
    """Returns the bytes of the data or the metadata in a line. Raises Broken if there are none."""
    text, encoded = line.get(name), line.get(f'{name}_base64')
    found = None
    if text is None and is_text(encoded):
        found = base64_bytes(encoded)
    elif is_text(text) and encoded is None and not re.search('[\ud800-\udfff]', text):
        found = text.encode()
    need(found is not None, 'line', 'its line has no exact {}', name)
    return found

def in_full(e):
    """Returns the data that the hash of an entry covers. Debits of version 2 are stored in a shorter form."""
    if e.type != 'WalletDebited' or e.meta['schema_version'] == 1:
        return e.fields
    fees, names = e.fields.get('fees'), SHORT + ['vat_percent'] * ('vat_percent' in e.fields)
    if list(e.fields) != names or not isinstance(fees, list) or len(fees) % 2:
        return e.fields
    places, kobo = fees[::2], fees[1::2]
    if not all(is_count(each) for each in fees) or any(each >= len(FEES) for each in places):
        return e.fields
    full = {name: value for name, value in e.fields.items() if name != 'fees'}
    full.update(partner_id=e.stream[len('wallet-'):], amount_kobo=sum(kobo))
    return {**full, 'breakdown_kobo': dict(zip((FEES[each] for each in places), kobo))}

def check_shape(e):
    """Checks that the service can use an event, and sets its data in full. Raises Broken."""
    meta, is_wallet = e.meta or {}, e.stream.startswith('wallet-')
    need(e.type in SHAPES, 'shape', 'its type is unknown')
    (stream, fields), version = SHAPES[e.type], meta.get('schema_version')
    need(is_text(meta.get('$correlationId')) and is_count(version), 'shape',
         'its metadata is not that of an event of this service')
    need(1 <= version <= VERSIONS.get(e.type, 1), 'shape', 'its version {} is unknown', version)
    hashes = [meta[name] for name in ('prev_hash', 'hash') if name in meta]
    are_hashes = all(is_text(each) and HASH.fullmatch(each) for each in hashes)
    need(are_hashes and ('hash' in meta or not is_wallet), 'shape', 'it lacks its hash')
    need(e.fields is not None, 'shape', 'its data is not a JSON object')
    e.fields = in_full(e)
    wrong = wrong_field(e.fields, fields)
    need(wrong is None, 'shape', 'its field {} is missing or has a value of the wrong kind', wrong)
    if is_wallet:
        rates = [name for name, fits, _, _ in fields if fits == FITS['+']]
        are_exact = all(is_exact(e.fields[name]) for name in e.fields if name not in rates)
        need(are_exact, 'shape', 'it has a number that is no exact integer')
    named, own = stream.format_map(e.fields), e.stream
    if own.startswith('ended_') and e.type in ('ApiKeyDeactivated', 'FarmerErased'):
        own = own[len('ended_'):]
    need(own.startswith(named[:-1]) if stream.endswith('*') else own == named, 'shape',
         'it belongs into another stream')
    e.data = Data(**{name: e.fields.get(name) for name, *_ in fields})
    e.at = moment(e.data.recorded_at)

def place(e):
    return f'{show(e.stream)} at revision {e.revision} ({show(e.type)}): '
def by(e):
    """Returns by whom an event was recorded and, if there is one, the second person."""
    second = e.data.approved_by
    return f'by {show(e.data.actor)}' + (f', approved by {show(second)}' if second is not None else '')

# ---- The log ---------------------------------------------------------------------------------------------------------
# A fault is the index of an event that does not hold, with the rule and the reason.
def fault_of(e, rule, reason, *values):
    return e.index, rule, place(e) + filled(reason, values)

class Times:
    """The newest of the times so far, and the faults of the events whose own time is an exception."""
    def __init__(self):
        self.newest, self.newest_index, self.exceptions = 0, 0, []

    def add(self, e, created):
        """Adds an event. One that differs from `created`, unless that is None, says nothing of later ones."""
        dated = e.data.recorded_at
        if self.newest - e.at > FIVE_MINUTES:
            self.exceptions.append(fault_of(e, 'time',
                 'it is dated {}, more than five minutes before event {}', dated, self.newest_index))
        elif created is not None and abs(e.at - created) > FIVE_MINUTES:
            self.exceptions.append(fault_of(e, 'time',
                                            'it is dated {}, but the event store recorded it at {}', dated, e.created))
            return
        if e.at > self.newest:
            self.newest, self.newest_index = e.at, e.index

class Audit:
    """Reads the events one after another, and keeps what the rules and the summary need."""
    def __init__(self, keys, window, with_figures):
        self.keys, self.window, self.with_figures = keys, window, with_figures
        self.tree, self.revisions, self.ids = Tree(), {}, set()
        self.fault = None  # of the first event that breaks a rule: no rule is applied after it
        self.aside, self.alone, self.late = {}, [], []  # faults that end nothing: of shape by id, approval and closed
        self.foreign, self.skipped, self.moves, self.adoptions = 0, [], [], []
        self.first_time = self.last_time = ''
        # `moved` is what `times` becomes when the log is moved: then `created` says nothing of the events so far.
        self.times, self.moved = Times(), Times()
        self.signed, self.last, self.origin = None, 0, None  # the newest checkpoint in the log
        self.modes, self.api_keys, self.wallets, self.prices = {}, {}, {}, Prices()
        self.books = {mode: Books() for mode in MODES}
        self.calls, self.begun, self.approvals = {}, {}, {}  # calls by $correlationId; by id, those that have not ended
        self.limit, self.limit_at = None, 0  # the amount above which a second person approves, and since when
        self.counts = {}  # number and kobo of what the summary counts, by its name

    def line(self, index, text):
        """Adds a line of the file. Returns False if it is none, which ends the file."""
        e = None
        try:
            e = event_of(parsed(text))
            self.tree.add(e.leaf)
            if self.fault is None:
                self.event(index, e)
            elif (e.stream, e.type) == ('log-main', 'LogMoved') and (e.fields or {}).get('events') == index:
                self.times = self.moved  # the events before the fault were moved, too
        except Broken as broken:
            self.fault = self.fault or (index, broken.rule, (place(e) if e else '') + broken.reason)
        return e is not None

    def event(self, index, e):
        need(e.index == index, 'index', 'its line has the index {}', e.index)
        revision = self.revisions.get(e.stream, 0)
        need(e.revision == revision, 'revision',
             'revision {} of the stream is missing: revision {} was found instead', revision, e.revision)
        self.revisions[e.stream] = revision + 1
        uuid = bytes.fromhex(e.id.replace('-', ''))
        need(uuid not in self.ids, 'id', 'an earlier event has the id {}, too', e.id)
        self.ids.add(uuid)
        if e.stream.split('-')[0] not in CATEGORIES:
            self.foreign += 1
            return
        try:
            check_shape(e)
        except Broken as broken:
            reason = f'{place(e)}{broken.reason}, and no decision to skip it was recorded'
            self.aside[e.id] = index, 'shape', reason
            return
        dated = e.data.recorded_at
        self.first_time, self.last_time = self.first_time or dated, max(self.last_time, dated)
        if e.type == 'LogMoved' and e.data.events == index:
            self.times = copy.deepcopy(self.moved)
        self.moved.add(e, None)
        self.times.add(e, moment(e.created))
        self.author(e, e.data)
        if e.stream.startswith('wallet-'):
            self.entry(e, e.data)
        else:
            getattr(self, e.type, lambda *_: None)(e, e.data)

    def count(self, name, kobo=0):
        times, sum_of = self.counts.get(name, (0, 0))
        self.counts[name] = times + 1, sum_of + kobo

    def author(self, e, data):
        """Checks that an administrator's call was recorded before its events, and an API key is the partner's."""
        actor, partner = (e.fields.get(name) for name in ('actor', 'partner_id'))
        actor, partner = actor if is_text(actor) else '', partner if is_text(partner) else None
        role, _, name = actor.partition(':')
        # A new log begins with its prices, and the service publishes what was scheduled.
        is_begin = e.type == 'PriceBookPublished' and actor == 'service' and data.version == 1 and not self.modes
        is_planned = e.type == 'PriceBookPublished' and data.schedule_revision is not None
        if e.type in APPROVABLE and (data.approval_id is not None or data.approved_by is not None):
            self.approved(e, data)
        elif is_begin or is_planned or e.type == 'PriceScheduleFulfilled':
            return
        elif role in ('admin', 'cli'):
            calls = [call for call in self.calls.get(e.meta['$correlationId'], [])
                     if call.role == role and (call.name == name or (role == 'cli' and name == ''))]
            need(calls, 'author', 'its author is {}, but no such call with its $correlationId began before it', actor)
            # An append whose outcome the call did not learn may reach the log after its end.
            need(any(call.ended is None or e.at - call.ended <= FIVE_MINUTES for call in calls), 'author',
                 'its author is {}, but the call with its $correlationId ended more than five minutes before it', actor)
        else:
            is_charge = e.type == 'WalletDebited' and role != 'key'
            key = data.key_id if is_charge else name
            has_key = is_charge or (role == 'key' and partner is not None)
            need(not has_key or self.api_keys.get(key) == partner, 'author',
                 'its author is {}, which is no API key of the partner', actor)
            mode = data.mode if e.type == 'PartnerRegistered' else self.modes.get(partner)
            is_own = role in ('demo', 'key') and (mode == 'sandbox' or e.type.startswith('ApiKey'))
            is_own = is_own or (role == 'sandbox' and str(data.rupa_id).startswith('rp-test-'))
            need(is_own or e.type not in PRIVILEGED, 'author',
                 'its author is {}, but only an administrator may do this', actor)

    def approved(self, e, data):
        """Checks what a second person approved: the author's call, which began under another $correlationId."""
        approval, second = self.approvals.get(data.approval_id), data.approved_by or ''
        need(not is_same_person(data.actor, second), 'author', '{} approved it alone', data.actor)
        is_granted = approval and approval.asked.actor == data.actor and approval.granted == second
        need(is_granted, 'author', 'no call of {} that {} approved is recorded before it', data.actor, second)
        asked = approval.asked
        reference = data.reference if data.lookup_id is None else data.lookup_id
        is_same = (asked.kind, asked.partner_id, asked.reference) == (APPROVABLE[e.type], data.partner_id, reference)
        is_same = is_same and (asked.amount_kobo == data.amount_kobo or e.type == 'CreditReversed')
        need(is_same, 'approval', 'it is not what was approved')
        need(not approval.is_done, 'approval', 'it was approved once, and this is its second execution')
        approval.is_done = True

    def alone_above(self, e, kobo):
        """Notes what needed a second person and had none. What was under way when the amount changed needed none."""
        if self.limit is None or e.data.approval_id is not None or e.at - self.limit_at <= TEN_SECONDS:
            return
        if kobo is None:
            self.alone.append(fault_of(e, 'approval',
                                       '{} did it alone: new prices, above NGN {}', e.data.actor, self.limit))
        elif kobo > self.limit:
            self.alone.append(fault_of(e, 'approval',
                                       '{} did it alone: NGN {}, above NGN {}', e.data.actor, kobo, self.limit))

    def ApprovalRequested(self, e, data):
        self.approvals[data.approval_id] = SimpleNamespace(asked=data, granted=None, is_done=False)
    def ApprovalGranted(self, e, data):
        approval = self.approvals.get(data.approval_id)
        is_open = approval and approval.granted is None and not is_same_person(approval.asked.actor, data.actor)
        need(is_open, 'approval', '{} approves what nobody else asked for', data.actor)
        approval.granted = data.actor
    def ApprovalRejected(self, e, data):
        self.approvals.pop(data.approval_id, None)
    def ApprovalExecuted(self, e, data):
        approval = self.approvals.get(data.approval_id)
        need(approval and approval.is_done, 'approval',
             'it says that a call was executed, but no event of that call is before it')
    def ApprovalLimitSet(self, e, data):
        self.limit, self.limit_at = data.limit_kobo, e.at
        self.count(f'limit {data.recorded_at}, {by(e)}: {"off" if self.limit is None else ngn(self.limit)}')
    def AdminCallBegun(self, e, data):
        correlation = e.meta['$correlationId']
        call = SimpleNamespace(role=data.role, name=data.name or '', ended=None)
        self.calls.setdefault(correlation, []).append(call)
        self.begun[correlation if data.call_id is None else data.call_id] = call
    def AdminCallEnded(self, e, data):
        call, is_refused = e.meta['$correlationId'] if data.call_id is None else data.call_id, data.status >= 400
        # Who signs in is known only when it is done, and a sign-in changes nothing in the log.
        has_begin = data.method not in ('GET', 'HEAD') and data.route != '/console/sign-in'
        need(is_refused or not has_begin or call in self.begun, 'audit',
             'it ends a call that may have changed something, and whose begin was not recorded before it')
        if call in self.begun:
            self.begun.pop(call).ended = e.at
        who = data.role + (f':{show(data.name)}' if data.name else '')
        self.count(f'call {who}' + (', refused' if is_refused and data.method != 'RUN' else ''))
        is_personal = data.route == '/admin/v1/farmers/:rupaId' or 'reason' in e.fields
        if data.method == 'GET' and not is_refused and is_personal:
            self.count(f'read {who}')

    def PartnerRegistered(self, e, data):
        self.modes[data.partner_id] = data.mode
    def ApiKeyIssued(self, e, data):
        self.api_keys[data.key_id] = data.partner_id

    ApiKeyLinked = ApiKeyIssued

    def entry(self, e, data):
        """Checks an entry of a wallet, and posts it."""
        partner, mode, month = data.partner_id, self.modes.get(data.partner_id), data.recorded_at[:7]
        need(mode, 'partner', 'no partner of that id was registered before it')
        wallet = self.wallets.get(partner) or Wallet(mode)
        self.wallets[partner] = wallet
        e.amount = 0 if e.type in FREE else data.amount_kobo
        e.breakdown = data.breakdown_kobo if e.type in CHARGES else None
        wallet.check(e, self.prices)
        e.earned = earned(e)
        if e.type in MONEY or e.type == 'LookupCompensated':
            kind = '' if e.type in ('WalletPaidOut', 'LookupCompensated') else f'{data.kind or "payment"} '
            self.decided(e, mode, kind, e.amount)
        if self.with_figures and e.at < self.window.end:
            wallet.prepaid.add(e, data, wallet.balance)
            self.books[mode].counted.earn(month, e)
        self.count(f'{mode} {e.type}', e.amount)
        lines = postings(e) if e.amount else []
        self.books[mode].take_back(e.at, lines)
        self.post(e, mode, e.at, month, lines)

    def LedgerEntryPosted(self, e, data):
        """Checks an entry outside of wallets, and posts it to the first moment of its day."""
        (debited, credited), amount = self.books[data.mode].sides(e, data), data.amount_kobo
        lines = [(debited, amount), (credited, -amount)]
        self.post(e, data.mode, moment(f'{data.date}T00:00:00.000Z'), data.date[:7], lines)
        self.count(f'{data.mode} {e.type}', amount)
        self.decided(e, data.mode, f'{data.kind} ', amount)

    def decided(self, e, mode, kind, amount):
        if mode == 'live':
            self.alone_above(e, amount)
        self.count(f'author {mode} {kind}{e.type} {by(e)}', amount)

    def post(self, e, mode, at, month, lines):
        books = self.books[mode]
        if month <= books.last:
            self.late.append(fault_of(e, 'closed', 'it is dated into {}, which was closed before', month))
        if not lines:
            return
        books.all.post(month, lines)
        if at < self.window.end:
            books.counted.post(month, lines)

    def PeriodClosed(self, e, data):
        wallets = [wallet for wallet in self.wallets.values() if wallet.mode == data.mode]
        self.books[data.mode].close(e, data, [debit for wallet in wallets for debit in wallet.open.values()])
    def PriceBookPublished(self, e, data):
        self.prices.publish(e, data)
        self.count(f'author price book version {data.version}, {data.recorded_at}, {by(e)}')
        if data.schedule_revision is None and (data.version != 1 or data.actor != 'service'):
            self.alone_above(e, None)
    def PriceBookScheduled(self, e, data):
        self.prices.schedule(e, data)
        self.alone_above(e, None)
    def PriceScheduleCancelled(self, e, data):
        self.prices.end(e, data.schedule_revision)

    PriceScheduleFulfilled = PriceScheduleCancelled

    def EventSkipped(self, e, data):
        note = '' if self.aside.pop(data.event_id, None) else ' (this program can use the event)'
        where = f'{show(data.stream)} at revision {data.revision}'
        self.skipped.append(f'{where}, {by(e)}: {show(data.reason)}{note}')
    def LogMoved(self, e, data):
        need(data.events == e.index, 'moved',
             'it says that {} events were moved, but {} are before it', data.events, e.index)
        self.moves.append(f'event {e.index}, {data.recorded_at}, {by(e)}')

    def LogAdopted(self, e, data):
        """A log that lost events goes on as another one: checkpoints of the former one cover what is not there."""
        note, lost, origin = note_of(data.former_note), data.lost_events, data.origin
        need(note, 'adopted', 'It is no checkpoint of a log')
        fault = note_fault(note, self.tree, self.keys)
        need(fault, 'adopted', 'the checkpoint of {} events that it names holds, so nothing was lost', note.size)
        if fault[0] == 'signature':
            raise Broken('adopted', fault[1])
        (first, count), (first_before, count_before) = log_of(note.origin), log_of(self.origin or note.origin)
        is_next = first_before == first and count_before <= count and origin == f'{first}/{count + 1}'
        need(is_next, 'adopted',
             '{} is not the log after {}, or that one is not the last before it', origin, note.origin)
        is_possible = lost is None or max(1, note.size - e.index) <= lost <= note.size - self.last
        need(is_possible, 'adopted',
             'it says that {} of {} events were lost, but {} are before it, and a checkpoint of {} holds',
             lost, note.size, e.index, self.last)
        text = (f'event {e.index}, {data.recorded_at}, {by(e)}: {show(data.reason)}; {show(origin)} follows '
                f'{show(note.origin)}, whose last known checkpoint is of {note.size} events; lost of these: '
                f'{"not known" if lost is None else lost}; those before event {self.last} are not')
        self.adoptions.append((note, self.last, text))
        self.origin = origin

    def is_former(self, note, fault):
        """Returns whether a note that does not hold is of a former log, and covers events that were said to be lost."""
        (first, count), (first_now, count_now) = log_of(note.origin), log_of(self.origin or note.origin)
        if fault is None or fault[0] == 'signature' or first != first_now or count >= count_now:
            return False
        last, kept, _ = next(each for each in self.adoptions if log_of(each[0].origin)[1] >= count)
        return note.size > kept and (note.origin != last.origin or note.size < last.size or note.text == last.text)

    def CheckpointMade(self, e, data):
        self.count('old checkpoint')

    def CheckpointSigned(self, e, data):
        note = note_of(data.note)
        need(note, 'checkpoint', 'It is no checkpoint of a log')
        is_described = note.size == data.tree_size and base64_of(note.root) == data.root
        need(is_described and self.last <= note.size < self.tree.size, 'checkpoint',
             'its note of {} events is not the one that it describes, or smaller than the one before, or ahead',
             note.size)
        fault = note_fault(note, self.tree, self.keys)
        if fault:
            raise Broken('checkpoint', fault[1])
        need(note.origin == (self.origin or log_of(note.origin)[0]), 'checkpoint',
             'it is of the log {}, and no loss began that one', note.origin)
        self.signed, self.last, self.origin = note, note.size, note.origin
        self.count('checkpoint')

    def first_fault(self):
        """Returns the first fault; None if everything holds."""
        charges = [debit for wallet in self.wallets.values() for debit in wallet.open.values()]
        last = [self.fault] if self.fault else [fault_of(debit, 'open_too_long',
             'the charge of the lookup {} is neither settled nor refunded', debit.data.lookup_id)
                                                for debit in charges if self.times.newest - debit.at > TWO_MINUTES]
        found = [*self.aside.values(), *self.times.exceptions, *self.alone, *self.late, *last]
        return min(found, default=None, key=lambda fault: fault[0])

def is_same_person(one, other):
    """Returns whether two actors have the same name, whatever its case and the role before it."""
    return one.split(':', 1)[-1].lower() == other.split(':', 1)[-1].lower()

# ---- The summary and the program -------------------------------------------------------------------------------------
COUNTED = {'author': 'Credits, reversals, payouts, compensations, ledger entries and prices by author',
           'call': 'Calls of administrators and commands', 'read': 'Reads of personal data',
           'limit': 'Amounts above which a second person approves'}

def listed(title, items, most=None):
    """Returns a title with the number of the items, and the first of them."""
    more = [f'  and {len(items) - most} more'] if most and len(items) > most else []
    return [f'{title}: {len(items)}'] + [f'  {each}' for each in items[:most]] + more
def faults(title, found):
    return listed(title, [f'event {index}: {reason}' for index, _, reason in sorted(found)], NAMED)

def summary(audit, notes, fault):
    size, signed, events_of = audit.tree.size, audit.signed, lambda name: audit.counts.get(name, (0, 0))[0]
    lines = [f'Events: {size}, dated {audit.first_time or "-"} to {audit.last_time or "-"}, '
             f'of which in streams of others: {audit.foreign}',
             f'Root of all of them: {base64_of(audit.tree.root(size))}']
    for path, note, found in notes:
        held = f'does not hold: {found[1]}' if found else 'holds'
        held = f'of the former log {show(note.origin)}, not comparable' if audit.is_former(note, found) else held
        lines.append(f'Checkpoint {show(path)} of {note.size} events: {held}')
    newest = f'the newest is of {signed.size} events' if signed else 'none'
    lines.append(f'Checkpoints in the log: {events_of("checkpoint")}, {newest}; '
                 f'over wallets only: {events_of("old checkpoint")}')
    if fault:
        lines.append(f'What follows is of the events before event {audit.fault[0] if audit.fault else size}.')
    for mode in MODES:
        lines += books_of(audit, mode)
    for prefix, title in COUNTED.items():
        lines += ['', f'{title}:']
        for name in sorted(each for each in audit.counts if each.startswith(f'{prefix} ')):
            times, kobo = audit.counts[name]
            lines.append(f'  {name[len(prefix) + 1:]}: {times}' + (f', {ngn(kobo)}' if kobo else ''))
    return lines + [
        '', *faults('Larger entries without a second person', audit.alone),
        *faults('Recorded after its month was closed', audit.late),
        *listed('Events skipped by a decision', audit.skipped),
        *listed('Moves to another event store', audit.moves),
        *listed('Logs that began after a loss', [text for _, _, text in audit.adoptions]),
        *faults('Exceptions of time', audit.times.exceptions),
        '', 'Result: ' + (f'does not hold at event {fault[0]} ({fault[1]})' if fault else 'everything holds')]

def amounts(kobo):
    return ' '.join(naira(each) for each in kobo)

def books_of(audit, mode):
    wallets, books, counted = audit.wallets.values(), audit.books[mode], audit.window.name
    open_charges = [len(wallet.open) for wallet in wallets if wallet.mode == mode]
    lines = ['', f'Wallets, {mode}: {len(open_charges)}, with open charges: {sum(open_charges)}']
    for kind in MONEY + CHARGES + ('LedgerEntryPosted',):
        times, kobo = audit.counts.get(f'{mode} {kind}', (0, 0))
        lines.append(f'  {kind}: {times}, {ngn(kobo)}')
    lines.append(f'Trial balance, {mode}, {counted}: account, opening, debit, credit, closing (NGN)')
    totals = books.counted.totals(audit.window.month, '9999-12')
    lines += [f'  {show(account)} {amounts(kobo)}' for account, *kobo in totals]
    opening, debit, credit = (sum(each[column] for each in totals) for column in (1, 2, 3))
    lines.append(f'  total {amounts((opening, debit, credit, debit - credit))}')
    lines += listed(f'Months closed, {mode}', books.closed)
    return lines + (figures_of(audit, mode, amounts((debit, credit))) if audit.with_figures else [])

def figures_of(audit, mode, sums):
    """Returns what the reports of the books say of a mode: revenue, prepaid money, and the journal's totals."""
    window, postings = audit.window, audit.books[mode].counted
    lines = [f'Revenue, {mode}, {window.name}: month, section, lookups, net, VAT, gross, refunds (NGN)']
    for (month, section), (lookups, net, vat, refunds) in sorted(postings.revenue.items()):
        if month >= window.month:
            lines.append(f'  {month} {show(section)} {lookups} {amounts((net, vat, net + vat, refunds))}')
    lines.append(f'Prepaid money, {mode}, at the end of {window.name}: customer number, partner, balance, of it 0-30, '
                 '31-90, 91-180 and over 180 days old (NGN), last payment, last lookup')
    at = moment(audit.last_time) if window.end == float('inf') else window.end - 1
    for number, partner in enumerate(audit.modes, 1001):
        wallet = audit.wallets.get(partner)
        if wallet and wallet.mode == mode and wallet.prepaid.balance:
            prepaid = wallet.prepaid
            lines.append(f'  {number} {show(partner)} {amounts([prepaid.balance] + prepaid.by_age(at))} '
                         f'{prepaid.last_payment} {prepaid.last_lookup}')
    entries = sum(count for month, count in postings.entries.items() if month >= window.month)
    return lines + [f'Journal, {mode}, {window.name}: entries, debit, credit (NGN)', f'  {entries} {sums}']

def usage(reason):
    print(f'{reason}\nUsage: audit [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]', file=sys.stderr)
    sys.exit(2)

def window_of(at, month):
    """Returns which postings are counted: those before `end`; those before `month`, if any, make up the opening."""
    end = float('inf')
    if month is not None:
        is_month = re.fullmatch('[0-9]{4}-(?:0[1-9]|1[0-2])', month)
        end = moment(f'{month_after(month)}-01T00:00:00.000Z') if is_month and month > '0000-12' else None
    elif at is not None:
        last = moment(f'{at}T23:59:59.999Z' if len(at) == 10 else at)
        end = None if last is None else last + 1
    if end is None:
        usage('The trial balance is up to a day or a time such as 2026-03-31T12:00:00.000Z, or of a month such as '
              '2026-03.')
    return SimpleNamespace(month=month or '', end=end, name=month or at or 'all events')

def text_in(path):
    try:
        with open(path, encoding='utf-8', newline='') as file:
            return file.read()
    except (OSError, ValueError):
        return usage(f'{path} cannot be read.')

def main(arguments):
    given = [each for each in arguments if each != '--figures']
    options = dict(each[2:].split('=', 1) for each in given if re.match('--(at|month)=', each))
    files = [each for each in given if not each.startswith('--')]
    if len(files) < 2 or len(files) + len(options) != len(given):
        usage('Name the evidence file and the file of the keys.')
    keys = [key_of(line) for line in text_in(files[1]).split('\n') if line.strip()]
    if not keys or None in keys:
        usage('The keys must be verifier keys, one in each line.')
    audit = Audit(keys, window_of(options.get('at'), options.get('month')), len(given) < len(arguments))
    notes = [(path, note_of(text_in(path)) or usage(f'{path} is no checkpoint of a log.')) for path in files[2:]]
    try:
        file = open(files[0], 'rb')
    except OSError:
        usage(f'{files[0]} cannot be read.')
    with file:
        for index, line in enumerate(file):
            if not audit.line(index, line.decode('utf-8', 'replace')):
                break
            if index % 100_000 == 99_999:
                print(f'{index + 1} events', file=sys.stderr, flush=True)
    checked = [(path, note, note_fault(note, audit.tree, keys)) for path, note in notes]
    fault = audit.first_fault()
    wrong = [each for each in checked if each[2] and not audit.is_former(each[1], each[2])]
    if wrong and not fault:
        path, _, (rule, reason) = min(wrong, key=lambda each: each[1].size)
        holding = max([audit.last] + [note.size for _, note, found in checked if not found])
        fault = audit.tree.size if rule == 'size' else holding, rule, f'{show(path)}: {reason}'
    print('\n'.join(summary(audit, checked, fault)))
    if fault:
        print(f'event {fault[0]}: {fault[1]}: {fault[2]}', file=sys.stderr)
    return 1 if fault else 0

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
