#!/usr/bin/env python3
"""Checks the evidence file of a Rupa service: every event of its log, as `rupa audit evidence` writes it.

    python3 audit.py [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]

FILE is the evidence file. KEYS has the verifier keys of the log's checkpoints, one a line. Each NOTE is a checkpoint that you kept.
The exit status is 0 if everything holds, 1 if something does not, and 2 for wrong usage. The last line of standard error is then
"event N: RULE: reason", with the first event that does not hold. Standard output is a summary to file. The page docs/audit.md explains it.

Needs Python 3.8 and nothing else. audit.mjs beside it does the same in JavaScript, and prints the same.
"""
import array, base64, collections, datetime, functools, hashlib, json, re, sys

# ---- The events of the log -------------------------------------------------------------------------------------------------------------
# A stream with the fields that all its events have, and its event types with their further fields. `{field}` in a stream's name is the value
# of that field, and `*` is anything. A field without a mark is a text; `#` marks a whole number, `%` an integer, `@` a time, `$` amounts
# by name, `+` a rate of VAT in percent, `!` what is checked elsewhere, `=` the values that it may have, `~` that it may be null, and `?` that it may be missing.
EVENTS = '''
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
'''


def table():
    """Returns the stream and the fields of each event type."""
    types, stream, common = {}, '', ''
    for line in EVENTS.strip().split('\n'):
        names, fields = line.split('|')
        if line.startswith(' '):
            types.update((name, (stream, common + fields)) for name in names.split())
        else:
            stream, common = names.strip(), fields
    return types


TYPES = table()
CATEGORIES = {stream.split('-')[0] for stream, _ in TYPES.values()} | {'ended_apikey', 'ended_farmer'}
VERSIONS = {'WalletDebited': 2, 'FarmerRegistered': 2}  # the newest form of the data; 1 for all others
# The prices in force where the log has no version 1, in kobo. Debits of version 2 have the places of their fees here in place of the names.
PRICES = '''svc_fee.identity 5000, svc_fee.bvn_nin_data 5000, passthrough.bvn 6000, passthrough.nin 6000, svc_fee.credit_history 10000,
passthrough.credit_bureau 50000, svc_fee.outstanding_loans 8000, svc_fee.transaction_volume 10000, svc_fee.farms 8000,
svc_fee.underwriting_value 10000, svc_fee.wallet 5000, svc_fee.socioeconomic_profile 5000'''
DEFAULTS = {name: int(kobo) for name, kobo in (each.split() for each in PRICES.split(','))}
FEES = list(DEFAULTS)
# Only an administrator or the command line may do this; in the sandbox also the demo and the partner's own key.
PRIVILEGED = set('WalletCredited CreditReversed WalletPaidOut LookupCompensated PriceBookPublished PriceBookScheduled PriceScheduleCancelled '
                 'LedgerEntryPosted PeriodClosed PartnerRegistered PartnerActivated PartnerDeactivated OptionalSectionsChanged IpAllowListChanged '
                 'PartnerDetailsChanged ApiKeyIssued ApiKeyLinked ApiKeyExpirySet ApiKeyDeactivated FarmerErased MaintenanceBegun MaintenanceEnded EventSkipped '
                 'LogAdopted ApprovalRequested ApprovalGranted ApprovalRejected ApprovalExecuted'.split())
# The events that may need a second person, with the kind of their approval.
APPROVABLE = {'WalletCredited': 'credit', 'CreditReversed': 'reversal', 'WalletPaidOut': 'payout', 'LookupCompensated': 'compensation',
              'LedgerEntryPosted': 'ledger_entry', 'PriceBookPublished': 'price_publication', 'PriceBookScheduled': 'price_schedule'}
MONEY = ('WalletCredited', 'CreditReversed', 'WalletPaidOut')  # come from or go to the outside, and name a reference
OUT = ('WalletDebited', 'CreditReversed', 'WalletPaidOut')  # take money from the wallet
# The accounts that an entry outside of wallets debits and credits. `*` is its account, which an opening balance of a liability credits.
SIDES = {'passthrough_settlement': ('passthrough_payable.*', 'cash_received'), 'vat_remittance': ('vat_payable', 'cash_received'),
         'wht_certificate': ('wht_credit_notes', 'wht_receivable'), 'bank_charge': ('bank_charges', 'cash_received'),
         'bank_interest': ('cash_received', 'interest_income'), 'opening_balance': ('*', 'opening_balances')}
PAYABLE = [f'passthrough_payable.{fee[12:]}' for fee in FEES if fee.startswith('passthrough.')] + ['vat_payable']
OPENING = PAYABLE + 'cash_received wht_receivable wht_credit_notes goodwill_expense correction_expense bank_charges'.split()
BOUNDED = {'passthrough_settlement': 0, 'vat_remittance': 0, 'wht_certificate': 1}  # the side whose account must hold the amount
TOTALS = 'account opening_kobo debit_kobo credit_kobo closing_kobo'.split()  # the texts that a close has of each account
DAY, FIVE_MINUTES, TWO_MINUTES, TEN_SECONDS = 86_400_000, 300_000, 120_000, 10_000
AGES = (30, 90, 180)  # the most whole days of each band of prepaid money but the last
MOST = 2**53 - 1
FOREVER = float('inf')
NAMED = 100  # exceptions of time that the summary names one by one


class Broken(Exception):
    """An event that breaks a rule."""

    def __init__(self, rule, reason):
        super().__init__(reason)
        self.rule, self.reason = rule, reason


# ---- Texts, numbers and times ----------------------------------------------------------------------------------------------------------
def sha256(*parts):
    return hashlib.sha256(b''.join(parts)).digest()


def refuse(_):
    raise ValueError('not JSON')


def number(text):
    value = float(text)
    return int(value) if value.is_integer() else value


DECODE = json.JSONDecoder(parse_float=number, parse_int=lambda text: int(text) if len(text) < 30 else float(text), parse_constant=refuse).decode


def parsed(text):
    """Returns the JSON object of a text; None if it is none."""
    try:
        value = DECODE(text)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None
    return value if isinstance(value, dict) else None


def is_count(value):
    return type(value) is int and 0 <= value <= MOST


def is_exact(value):
    """Returns whether all numbers are integers that every program reads alike."""
    if isinstance(value, dict):
        return all(is_exact(each) for each in value.values())
    if isinstance(value, list):
        return all(is_exact(each) for each in value)
    return type(value) is not float and (type(value) is not int or abs(value) <= MOST)


def canonical(value):
    """Returns the canonical JSON (RFC 8785), in UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode('utf-8', 'backslashreplace')


TIME = re.compile(r'(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z', re.ASCII)


@functools.lru_cache(maxsize=4096)
def days(year, month, day):
    return datetime.date(int(year), int(month), int(day)).toordinal() - 719_163


def moment(text):
    """Returns the milliseconds since 1970 of a time as the service writes it; None for anything else."""
    found = TIME.fullmatch(text) if isinstance(text, str) else None
    if not found or int(found[4]) > 23 or int(found[5]) > 59 or int(found[6]) > 59:
        return None
    try:
        return ((days(*found.groups()[:3]) * 24 + int(found[4])) * 60 + int(found[5])) * 60_000 + int(found[6]) * 1000 + int(found[7])
    except ValueError:
        return None


def month_after(month):
    year, following = int(month[:4]), int(month[5:]) % 12 + 1
    return f'{year + (following == 1):04}-{following:02}'


def naira(kobo):
    return f'{"-" if kobo < 0 else ""}{abs(kobo) // 100}.{abs(kobo) % 100:02}'


def show(text):
    """Returns a text of the log in ASCII, so that it cannot imitate other lines."""
    return json.dumps(str(text))[1:-1].replace('\x7f', '\\u007f')


# ---- Checkpoints -----------------------------------------------------------------------------------------------------------------------
class Tree:
    """The Merkle tree of RFC 6962 over the leaves so far. It holds the root of each complete subtree, and so knows the root at any size."""

    def __init__(self):
        self.size, self.levels = 0, []

    def add(self, leaf):
        node, level, size = sha256(b'\0', leaf), 0, self.size
        while True:
            if level == len(self.levels):
                self.levels.append(bytearray())
            self.levels[level] += node
            if size % 2 == 0:
                break
            node, level, size = sha256(b'\1', bytes(self.levels[level][-64:])), level + 1, size // 2
        self.size += 1

    def root(self, size):
        root, level, count = None, 0, size
        while count:
            if count % 2:
                subtree = bytes(self.levels[level][32 * (count - 1):32 * count])
                root = subtree if root is None else sha256(b'\1', subtree, root)
            level, count = level + 1, count // 2
        return sha256() if root is None else root


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
    return decoded if base64.b64encode(decoded).decode() == text else None


def key_of(line):
    """Returns name, id and public key of a verifier key; None if it is malformed (https://c2sp.org/signed-note)."""
    found = re.fullmatch(r'([^\s+]+)\+([0-9a-f]{8})\+(\S+)', line)
    key = base64_bytes(found[3]) if found else None
    if key is None or len(key) != 33 or key[0] != 1 or sha256(found[1].encode(), b'\n', key)[:4].hex() != found[2]:
        return None
    return found[1], found[2], key[1:]


class Note:
    """A checkpoint: three lines of text and signatures (https://c2sp.org/tlog-checkpoint). Raises ValueError for anything else."""

    def __init__(self, note):
        text, _, signatures = note.rpartition('\n\n')
        lines = text.split('\n')
        if len(lines) != 3 or not re.fullmatch(r'0|[1-9][0-9]{0,15}', lines[1]) or len(base64_bytes(lines[2]) or b'') != 32:
            raise ValueError('It is no checkpoint of a log')
        self.text, self.origin, self.size, self.root = text + '\n', lines[0], int(lines[1]), base64_bytes(lines[2])
        self.signatures = [line.split(' ') for line in signatures.split('\n')]

    def fault(self, tree, keys):
        """Returns rule and reason if the note does not hold for the tree; None if it does."""
        mine = [base64_bytes(each[2]) or b'' for each in self.signatures if len(each) == 3 and each[:2] == ['\u2014', self.origin]]
        if not any(name == self.origin and each[:4].hex() == key_id and is_signed(key, self.text.encode(), each[4:])
                   for name, key_id, key in keys for each in mine):
            return 'signature', f'none of the keys signed the checkpoint of {self.size} events'
        if self.size > tree.size:
            return 'size', f'the checkpoint is of {self.size} events, but there are only {tree.size}'
        if self.root != tree.root(self.size):
            return 'root', f'the first {self.size} events do not have the root of their checkpoint'
        return None


def log_of(origin):
    """Returns the origin of the service's first log, and the number of this one: a log after a loss has the next number."""
    found = re.fullmatch(r'(.*/log)/([1-9][0-9]{0,8})', origin)
    return (found[1], int(found[2])) if found else (origin, 1)


# ---- Wallets ---------------------------------------------------------------------------------------------------------------------------
class Wallet:
    """The state of one wallet after its entries so far."""

    def __init__(self, mode):
        self.mode, self.hash, self.balance, self.recorded_at = mode, '0' * 64, 0, ''
        self.prepaid = Prepaid()
        self.open = {}  # by lookup, oldest first: [revision, debit, index, time]
        self.references, self.credits, self.settled = set(), {}, {}

    def check(self, e, prices):
        """Checks an entry by every rule of `rupa wallet verify`, in its order. Raises Broken."""
        data, revision = e['fields'], e['revision']
        previous = e['meta'].get('prev_hash', self.hash)
        if previous != self.hash:
            raise Broken('prev_hash', f'its prev_hash is {previous}, but the hash of the previous entry is {self.hash}')
        text = '\n'.join([self.hash, e['stream'], str(revision), e['type'], '']).encode() + canonical(data)
        found = hashlib.sha256(text).hexdigest()
        if e['meta']['hash'] != found:
            raise Broken('hash', f'its content hashes to {found}, but its hash is {e["meta"]["hash"]}')
        if data['recorded_at'] < self.recorded_at:
            raise Broken('recorded_at', f'it is dated {data["recorded_at"]}, before the previous entry of the wallet ({self.recorded_at})')
        amount = e['amount']
        fees = sum(e['breakdown'].values()) if e['breakdown'] else amount
        if fees != amount:
            raise Broken('breakdown', f'its fees sum to NGN {naira(fees)}, but its amount is NGN {naira(amount)}')
        balance = self.balance + (-amount if e['type'] in OUT else amount)
        if data['balance_after_kobo'] != balance:
            raise Broken('balance', f'its balance is NGN {naira(data["balance_after_kobo"])}, but the entries up to it sum to NGN {naira(balance)}')
        if balance < 0:
            raise Broken('balance', f'the balance is negative: NGN {naira(balance)}')
        if e['type'] == 'WalletDebited':
            prices.check(data, e['at'])
        oldest = next(iter(self.open.values()), [None])[0]
        if data['open_from_revision'] != oldest:
            raise Broken('open_from_revision', f'it says that the oldest open charge has the revision {text_of(data["open_from_revision"])}, '
                                               f'but that has the revision {text_of(oldest)}')
        if e['type'] in MONEY and data['reference'] in self.references:
            raise Broken('reference', f'the reference "{show(data["reference"])}" was used before')
        getattr(self, e['type'], lambda _: None)(e)
        self.hash, self.balance, self.recorded_at = found, balance, data['recorded_at']

    def WalletCredited(self, e):
        data = e['fields']
        self.references.add(data['reference'])
        fee, tax = deducted(data)
        if fee + tax > 0 and (data.get('kind', 'payment') != 'payment' or fee + tax >= data['amount_kobo']):
            raise Broken('deductions', f'a bank fee of NGN {naira(fee)} and a withheld tax of NGN {naira(tax)} are not parts of a payment of '
                                       f'NGN {naira(data["amount_kobo"])}')
        self.credits[data['reference']] = [data.get('kind', 'payment'), data['amount_kobo'], fee, tax]

    def CreditReversed(self, e):
        data = e['fields']
        credit = self.credits.get(data['credit_reference'])
        if credit is None or credit[0] != data['kind'] or credit[1] < data['amount_kobo']:
            raise Broken('reversal', f'no credit "{show(data["credit_reference"])}" of the kind {data["kind"]} has '
                                     f'NGN {naira(data["amount_kobo"])} left')
        # Cash goes back first, then the withheld tax, then the bank fee, so these are left.
        credit[1] -= data['amount_kobo']
        fee = min(credit[2], credit[1])
        tax = min(credit[3], credit[1] - fee)
        if deducted(data) != (credit[2] - fee, credit[3] - tax):
            raise Broken('reversal', f'it takes back NGN {naira(credit[2] - fee)} of the bank fee and NGN {naira(credit[3] - tax)} of the '
                                     'withheld tax, and says otherwise')
        credit[2:] = [fee, tax]
        self.references.add(data['reference'])

    def WalletPaidOut(self, e):
        self.references.add(e['fields']['reference'])

    def WalletDebited(self, e):
        lookup = e['fields']['lookup_id']
        if lookup in self.open:
            raise Broken('charge', f'the lookup {show(lookup)} was charged at revision {self.open[lookup][0]}, and that charge is still open')
        self.open[lookup] = [e['revision'], e['fields'], e['index'], e['at']]

    def ConsentGranted(self, e):
        data = e['fields']
        charge = self.open.get(data['lookup_id'])
        if charge is None or charge[1]['rupa_id'] != data['rupa_id']:
            raise Broken('charge', f'the lookup {show(data["lookup_id"])} has no open charge for {show(data["rupa_id"])}')

    def ChargesSettled(self, e):
        charges = e['fields']['charges']
        if len({each['lookup_id'] for each in charges}) < len(charges):
            raise Broken('charge', 'it settles a lookup twice')
        for each in charges:
            self.closed(each)
        for each in charges:
            debit = self.open.pop(each['lookup_id'])[1]
            self.settled[each['debit_revision']] = [identity(debit), debit['price_book_version'], False]

    def closed(self, data):
        """Returns the debit of a charge that is closed."""
        charge = self.open.get(data['lookup_id'])
        if charge is None:
            raise Broken('charge', f'the lookup {show(data["lookup_id"])} has no open charge: it was never charged, or settled or refunded before')
        if charge[0] != data['debit_revision']:
            raise Broken('charge', f'it names the revision {data["debit_revision"]} for the lookup {show(data["lookup_id"])}, '
                                   f'which was charged at revision {charge[0]}')
        return charge[1]

    def RefundIssued(self, e):
        data = e['fields']
        debit = self.closed(data)
        same = data.get('breakdown_kobo', debit['breakdown_kobo']) == debit['breakdown_kobo']
        same = same and hundredths(data) == hundredths(debit) and ('breakdown_kobo' in data or not hundredths(debit))
        if debit['amount_kobo'] != data['amount_kobo'] or debit['rupa_id'] != data['rupa_id'] or not same:
            raise Broken('charge', f'it does not give back what was charged at revision {data["debit_revision"]}')
        e['version'] = debit['price_book_version']
        del self.open[data['lookup_id']]

    def LookupCompensated(self, e):
        data = e['fields']
        charge = self.settled.get(data['debit_revision'])
        if charge is None or charge[0] != identity(data):
            raise Broken('compensation', f'no settled charge at revision {data["debit_revision"]} has its lookup, farmer, fees and VAT')
        if charge[2]:
            raise Broken('compensation', f'the lookup {show(data["lookup_id"])} was compensated before')
        e['version'], charge[2] = charge[1], True


def text_of(revision):
    return 'null' if revision is None else str(revision)


def identity(charge):
    return hashlib.sha256(canonical([charge['lookup_id'], charge['rupa_id'], charge['breakdown_kobo'], hundredths(charge)])).digest()[:8]


def hundredths(data):
    """Returns the rate of VAT of an event in hundredths of a percent; 0 if it has none."""
    return int(data.get('vat_percent', 0) * 100 + 0.5)


class Prepaid:
    """The balance of a wallet at the end of what is counted, and the moves that decide how old its money is (only with --figures)."""

    def __init__(self):
        self.balance, self.last_payment, self.last_lookup = 0, '-', '-'
        self.credits = {}  # by reference: when it was recorded, and how much of it is not reversed
        # Two numbers for each move: the revision of a charge or payout and its amount, which is below 0 where it was taken and above 0 where
        # it was given back, or twice 0 for the next credit.
        self.moves = array.array('q')

    def add(self, e, balance):
        data, kind, amount = e['fields'], e['type'], e['amount']
        self.balance = balance
        if kind == 'WalletDebited':
            self.last_lookup = data['recorded_at']
        if kind == 'WalletCredited':
            if data.get('kind', 'payment') == 'payment':
                self.last_payment = data['recorded_at']
            self.credits[data['reference']] = [e['at'], amount]
            self.moves.extend((0, 0))
        elif kind == 'CreditReversed':
            self.credits[data['credit_reference']][1] -= amount
        elif amount:
            self.moves.extend((data.get('debit_revision', e['revision']), -amount if kind in OUT else amount))

    def by_age(self, at):
        """Returns the kobo of each band at a time. What is taken is the oldest money, and what is given back is as old as when it was taken."""
        moves, credits = list(zip(self.moves[::2], self.moves[1::2])), list(self.credits.values())
        taken = {revision: [] for revision, kobo in moves if kobo > 0}  # which credits each charge that was given back took how much of
        left, first = [], 0  # of each credit so far; the credits before the first one are spent
        lacking = collections.OrderedDict()  # by revision: what was spent of credits that were reversed, and waits for other money
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
                charge = next(iter(lacking))
                part = min(lacking[charge], left[first])
                if charge in taken:
                    taken[charge].append((first, part))
                left[first] -= part
                lacking[charge] -= part
                if not lacking[charge]:
                    del lacking[charge]
                if not left[first]:
                    first += 1
        sums = [0, 0, 0, 0]
        for (since, _), kobo in zip(credits, left):
            sums[sum((at - since) // DAY > most for most in AGES)] += kobo
        return sums


class Prices:
    """The versions of the price book: those that were published, and the schedules that follow, each in force from its time on."""

    def __init__(self):
        self.books = {1: [DEFAULTS, None, None, 0]}  # fees, when it replaces the one before, from when in force, VAT in hundredths of a percent
        self.version, self.schedules, self.pending, self.fulfilled = 1, {}, None, -1
        self.waiting = []  # revisions of schedules that no event has published, cancelled or replaced

    def book(self, version):
        """Returns a version; None if it was neither published nor scheduled."""
        if version <= self.version or version - self.version > len(self.waiting):
            return self.books.get(version)
        plan = self.schedules[self.waiting[version - self.version - 1]]
        return [plan['fees'], plan['begin'], plan['begin'], plan['vat']]

    def publish(self, e):
        data, version = e['fields'], e['fields']['version']
        first = self.version == 1 and self.books[1][1] is None
        if version != self.version + 1 and not (first and version == 1):
            raise Broken('price_book', f'it is version {version} of the price book, after version {self.version}')
        vat, begin, replaces = hundredths(data), e['at'], e['at']
        if 'schedule_revision' in data:
            plan = self.schedules.get(data['schedule_revision'])
            if plan is None or data['schedule_revision'] <= self.fulfilled or e['at'] - plan['ended'] > TEN_SECONDS or (
                    [plan['fees'], plan['vat'], plan['actor']] != [data['fees_kobo'], vat, data['actor']]) or plan['begin'] - e['at'] > TEN_SECONDS:
                raise Broken('price_book', f'it is not what was scheduled at revision {data["schedule_revision"]}, or not yet due, or cancelled')
            begin, self.fulfilled = min(begin, plan['begin']), data['schedule_revision']
            replaces = max(plan['begin'], self.books[self.version][1] or 0) if plan['by_time'] else replaces
            self.waiting = [each for each in self.waiting if each > self.fulfilled]
        elif self.waiting and e['at'] - self.schedules[self.waiting[0]]['begin'] > TEN_SECONDS:
            raise Broken('price_book', f'what was scheduled at revision {self.waiting[0]} was in force before it, and has its version')
        self.books[version] = [data['fees_kobo'], replaces, begin, vat]
        self.version = version

    def schedule(self, e):
        """A schedule replaces an earlier one, or is cancelled or fulfilled. From its time on, one that is in force by it is there to stay."""
        data = e['fields']
        ended = self.pending if e['type'] == 'PriceBookScheduled' else data['schedule_revision']
        if ended is not None and ended not in self.schedules:
            raise Broken('price_book', f'nothing was scheduled at revision {ended}')
        plan = self.schedules.get(ended)
        if plan and e['type'] != 'PriceScheduleFulfilled' and not (plan['by_time'] and plan['begin'] <= e['at']):
            plan['ended'] = min(plan['ended'], e['at'])
            self.waiting = [each for each in self.waiting if each != ended]
        if e['type'] == 'PriceBookScheduled':
            self.pending, begin, by_time = e['revision'], moment(data['effective_at']), data.get('in_force_by_time') is True
            self.schedules[e['revision']] = {'fees': data['fees_kobo'], 'actor': data['actor'], 'begin': begin, 'ended': FOREVER,
                                             'by_time': by_time, 'vat': hundredths(data)}
            self.waiting += [e['revision']] * by_time
        elif self.pending == ended:
            self.pending = None

    def check(self, debit, at):
        """Checks that the debit's fees were in force at its time. Raises Broken."""
        version, charged = debit['price_book_version'], debit['breakdown_kobo']
        book, following = self.book(version), self.book(version + 1)
        what = f'it charges version {version} of the price book'
        if book is None:
            raise Broken('price', f'{what}, which was neither published before it nor scheduled')
        if book[2] is not None and book[2] - at > TEN_SECONDS:
            raise Broken('price', f'{what}, which was in force later than it')
        if following and at - following[1] > TEN_SECONDS:
            raise Broken('price', f'{what}, which version {version + 1} had replaced')
        if hundredths(debit) != book[3]:
            raise Broken('price', f'its VAT is {naira(hundredths(debit))} percent, but in version {version} of the price book it is {naira(book[3])} percent')
        sections = [fee for fee in charged if fee.startswith('svc_fee.')]
        expected = set(sections)
        if 'svc_fee.bvn_nin_data' in charged:
            expected |= {'passthrough.bvn', 'passthrough.nin'}
        if 'svc_fee.credit_history' in charged and 'passthrough.credit_bureau' in charged:
            expected.add('passthrough.credit_bureau')
        if not sections or expected != set(charged):
            raise Broken('price', 'its fees are not those of sections with what is passed through for them')
        for fee in sorted(expected):
            if fee not in FEES or book[0].get(fee) != charged[fee]:
                known = f'NGN {naira(book[0][fee])}' if fee in book[0] else 'none'
                raise Broken('price', f'its fee {show(fee)} is NGN {naira(charged[fee])}, but in version {version} of the price book it is {known}')


def deducted(data):
    """Returns the bank fee and the withheld tax of a payment, or what a reversal takes back of them."""
    return data.get('bank_fee_kobo', 0), data.get('withheld_tax_kobo', 0)


def postings(e, prices):
    """Returns the accounts beside partner_balances that an entry is posted to, with amounts in kobo (docs/accounting.md)."""
    data = e['fields']
    if e['type'] in MONEY:
        kind, (fee, tax) = data.get('kind', 'payment'), deducted(data)
        account = 'cash_received' if kind == 'payment' else f'{kind}_expense'
        return [(account, data['amount_kobo'] - fee - tax), ('bank_charges', fee), ('wht_receivable', tax)]
    if e['breakdown'] is None:
        return [('refunds', data['amount_kobo'])]
    lines = [(f'passthrough_payable.{fee[12:]}', amount) for fee, amount in e['breakdown'].items() if fee.startswith('passthrough.')]
    for section, net, vat in earned(e, prices):
        lines += [(f'revenue.{section}', net), ('vat_payable', vat)]
    return lines


def earned(e, prices):
    """Returns the sections of an entry's fees, each with its income and the VAT beside it in kobo."""
    rate = prices.book(e['fields'].get('price_book_version', e.get('version')))[3]
    for fee, amount in e['breakdown'].items():
        if not fee.startswith('passthrough.'):
            vat = (2 * amount * rate + 10_000 + rate) // (2 * (10_000 + rate))  # contained in the fee, rounded half up
            yield fee[8:], amount - vat, vat


def sides_of(kind, account):
    """Returns the accounts that an entry outside of wallets debits and credits; None if there are none of that kind."""
    debited, credited = SIDES.get(kind, (None, None))
    if debited is None:
        return None
    if '*' in debited:
        debited = debited.replace('*', account)
        return (credited, debited) if debited in PAYABLE and kind == 'opening_balance' else (debited, credited) if debited in OPENING else None
    return None if account else (debited, credited)


def held(account, amount):
    """Returns what an account that bounds entries holds with a balance: tax receivable on the debit, or what is payable on the credit."""
    return amount if account == 'wht_receivable' else -amount if account in PAYABLE else 0


class Months:
    """The months of one mode: their movements, and which of them were closed."""

    def __init__(self):
        self.moved, self.entries, self.last, self.closed = {}, {}, '', []

    def move(self, month, account, amount):
        totals = self.moved.setdefault(month, {}).setdefault(account, [0, 0])
        totals[amount < 0] += abs(amount)

    def next(self):
        """Returns the month to be closed next; an empty text if there is none."""
        first = max(min(self.moved), '1900-01') if self.moved else ''
        return month_after(self.last) if self.last else first

    def totals(self, period):
        """Returns the accounts with a balance or a movement in a month as its close has them."""
        found = {}
        for month, accounts in self.moved.items():
            for account, (debit, credit) in accounts.items() if month <= period else ():
                totals = found.setdefault(account, [0, 0, 0])
                if month < period:
                    totals[0] += debit - credit
                else:
                    totals[1:] = [totals[1] + debit, totals[2] + credit]
        return [[account] + [str(each) for each in (opening, debit, credit, opening + debit - credit)]
                for account, (opening, debit, credit) in sorted(found.items()) if opening or debit or credit]


# ---- The log ---------------------------------------------------------------------------------------------------------------------------
def compiled(fields):
    found = [re.fullmatch(r'(\w+)(\??)([#%@$+!]?)(~?)((?:=\w+)*)', each).groups() for each in fields.split()]
    return [(name, kind, missing == '?', null == '~', values.split('=')[1:]) for name, missing, kind, null, values in found]


SHAPES = {name: compiled(fields) for name, (_, fields) in TYPES.items()}


def fits(value, kind, values):
    if kind == '#':
        return is_count(value)
    if kind == '%':
        return type(value) is int and abs(value) <= MOST
    if kind == '@':
        return moment(value) is not None
    if kind == '+':
        return type(value) in (int, float) and 0 <= value <= 100 and float(f'{value:.2f}') == value
    if kind == '$':
        return isinstance(value, dict) and all(is_count(each) for each in value.values())
    return kind == '!' or (isinstance(value, str) and (not values or value in values))


def in_full(e, data):
    """Returns the data that the hash of an entry covers: debits of version 2 are stored in a shorter form."""
    short = ['recorded_at', 'actor', 'balance_after_kobo', 'open_from_revision', 'lookup_id', 'rupa_id', 'source', 'fees', 'price_book_version']
    taxed = ['vat_percent'] if 'vat_percent' in data else []
    if e['type'] != 'WalletDebited' or e['meta'].get('schema_version') == 1 or list(data) != short + taxed:
        return data
    fees = data['fees']
    if not isinstance(fees, list) or len(fees) % 2 or not all(is_count(each) for each in fees) or any(each >= len(FEES) for each in fees[::2]):
        return data
    full = {**data, 'partner_id': e['stream'][len('wallet-'):], 'amount_kobo': sum(fees[1::2]),
            'breakdown_kobo': {FEES[fee]: amount for fee, amount in zip(fees[::2], fees[1::2])}}
    del full['fees']
    return full


def unusable(e):
    """Sets the data and metadata of an event. Returns why the service cannot use it; None if it can."""
    meta, data = parsed(e.get('metadata')), parsed(e.get('data'))
    if e['type'] not in TYPES:
        return 'its type is unknown'
    if meta is None or not isinstance(meta.get('$correlationId'), str) or not is_count(meta.get('schema_version')):
        return 'its metadata is not that of an event of this service'
    if not 1 <= meta['schema_version'] <= VERSIONS.get(e['type'], 1):
        return f'its version {meta["schema_version"]} is unknown'
    hashes = [meta[name] for name in ('prev_hash', 'hash') if name in meta]
    if not all(isinstance(each, str) and re.fullmatch('[0-9a-f]{64}', each) for each in hashes) or (
            e['stream'].startswith('wallet-') and 'hash' not in meta):
        return 'it lacks its hash'
    if data is None:
        return 'its data is not a JSON object'
    e['meta'] = meta
    e['fields'] = in_full(e, data)
    data = e['fields']
    for name, kind, may_miss, may_be_null, values in SHAPES[e['type']]:
        value = data.get(name)
        if not (fits(value, kind, values) or (may_miss and name not in data) or (may_be_null and name in data and value is None)):
            return f'its field {name} is missing or has a value of the wrong kind'
    charges = data.get('charges') if e['type'] == 'ChargesSettled' else []
    if not isinstance(charges, list) or not all(isinstance(each, dict) and isinstance(each.get('lookup_id'), str) and
                                                is_count(each.get('debit_revision')) for each in charges):
        return 'its field charges is missing or has a value of the wrong kind'
    if e['type'] == 'PeriodClosed':
        accounts, issuer = data['accounts'], data['issuer']
        if not isinstance(accounts, list) or not all(isinstance(each, dict) and all(isinstance(each.get(name), str) for name in TOTALS)
                                                     for each in accounts):
            return 'its field accounts is missing or has a value of the wrong kind'
        if not isinstance(issuer, dict) or not all(name in issuer and isinstance(issuer[name], (str, type(None)))
                                                   for name in ('name', 'address', 'tax_id')):
            return 'its field issuer is missing or has a value of the wrong kind'
    rates = [name for name, kind, *_ in SHAPES[e['type']] if kind == '+']
    if e['stream'].startswith('wallet-') and not is_exact([each for name, each in data.items() if name not in rates]):
        return 'it has a number that is no exact integer'
    stream = TYPES[e['type']][0]
    for field in re.findall(r'{(\w+)}', stream):
        stream = stream.replace('{' + field + '}', str(data[field]))
    own = e['stream'][6:] if e['stream'].startswith('ended_') and e['type'] in ('ApiKeyDeactivated', 'FarmerErased') else e['stream']
    if not (own.startswith(stream[:-1]) if stream.endswith('*') else own == stream):
        return 'it belongs into another stream'
    return None


class Times:
    """The newest of the times so far, and the events whose own time is an exception."""

    def __init__(self):
        self.newest, self.newest_index, self.exceptions = 0, 0, []

    def copy(self):
        other = Times()
        other.newest, other.newest_index, other.exceptions = self.newest, self.newest_index, list(self.exceptions)
        return other

    def add(self, index, e, created):
        """Adds an event. An event that differs from `created`, if that is compared, says nothing of later ones."""
        if self.newest - e['at'] > FIVE_MINUTES:
            self.exceptions.append((index, f'{place(e)}it is dated {e["fields"]["recorded_at"]}, '
                                           f'more than five minutes before event {self.newest_index}'))
        elif created is not None and abs(e['at'] - created) > FIVE_MINUTES:
            self.exceptions.append((index, f'{place(e)}it is dated {e["fields"]["recorded_at"]}, '
                                           f'but the event store recorded it at {e["created"]}'))
            return
        if e['at'] > self.newest:
            self.newest, self.newest_index = e['at'], index


class Audit:
    """Reads the events one after another, and keeps what the rules and the summary need."""

    def __init__(self, keys, window, with_figures):
        self.keys, self.window, self.with_figures, self.tree, self.fault = keys, window, with_figures, Tree(), None
        self.revisions, self.ids, self.aside, self.skipped, self.foreign = {}, set(), {}, [], 0
        self.modes, self.api_keys, self.wallets, self.prices = {}, {}, {}, Prices()
        self.calls, self.begun = {}, set()
        # `moved` is what `times` becomes when the log is moved: then `created` says nothing of the events so far.
        self.times, self.moved, self.moves, self.signed, self.last = Times(), Times(), [], None, 0
        self.origin, self.adoptions = None, []  # of the log's checkpoints; logs that begin after a loss
        self.first_time = self.last_time = ''
        self.accounts, self.counts = {}, {}
        # Number of charges, income, VAT and what was given back of both, by mode, month and section; and the number of entries by mode.
        self.revenue, self.journal = {}, {'live': 0, 'sandbox': 0}
        # By mode and account: the balance, and when lately a refund took how much of it back. Entries outside of wallets by mode and reference.
        self.balances, self.falls, self.entries = {}, {}, {'live': {}, 'sandbox': {}}
        # The amount above which a second person approves, and since when; the approvals; and the larger entries that nobody else approved.
        self.limit, self.limit_at, self.approvals, self.alone = None, 0, {}, []
        self.months, self.late = {'live': Months(), 'sandbox': Months()}, []  # what was recorded after its month was closed

    def line(self, index, text):
        """Adds a line of the file. Returns False if it is none, which ends the file."""
        e = parsed(text)
        try:
            leaf = leaf_of(e)
        except Broken as broken:
            self.fault = self.fault or (index, broken.rule, broken.reason)
            return False
        self.tree.add(leaf)
        if self.fault is None:
            try:
                self.event(index, e)
            except Broken as broken:
                self.fault = index, broken.rule, place(e) + broken.reason
        elif e['stream'] == 'log-main' and e['type'] == 'LogMoved' and (parsed(e.get('data')) or {}).get('events') == index:
            self.times = self.moved  # the events before the fault were moved, too
        return True

    def event(self, index, e):
        if e['index'] != index:
            raise Broken('index', f'its line has the index {e["index"]}')
        revision = self.revisions.get(e['stream'], 0)
        if e['revision'] != revision:
            raise Broken('revision', f'revision {revision} of the stream is missing: revision {e["revision"]} was found instead')
        self.revisions[e['stream']] = revision + 1
        uuid = bytes.fromhex(e['id'].replace('-', ''))
        if uuid in self.ids:
            raise Broken('id', f'an earlier event has the id {e["id"]}, too')
        self.ids.add(uuid)
        if e['stream'].split('-')[0] not in CATEGORIES:
            self.foreign += 1
            return
        reason = unusable(e)
        if reason is not None:
            self.aside[e['id']] = index, place(e) + reason + ', and no decision to skip it was recorded'
            return
        e['at'] = moment(e['fields']['recorded_at'])
        self.time(index, e)
        self.author(e)
        if e['stream'].startswith('wallet-'):
            self.entry(e)
        else:
            getattr(self, e['type'], lambda _: None)(e)

    def time(self, index, e):
        at, created, dated = e['at'], moment(e['created']), e['fields']['recorded_at']
        self.first_time = self.first_time or dated
        self.last_time = max(self.last_time, dated)
        if e['type'] == 'LogMoved' and e['fields']['events'] == index:
            self.times = self.moved.copy()
        self.moved.add(index, e, None)
        self.times.add(index, e, created)

    def author(self, e):
        """Checks that an administrator's call was recorded before its events, and that an API key belongs to the partner."""
        data, actor = e['fields'], e['fields'].get('actor', '')
        actor = actor if isinstance(actor, str) else ''
        role, _, name = actor.partition(':')
        if e['type'] in APPROVABLE and ('approval_id' in data or 'approved_by' in data):
            return self.approved(e, data, actor)
        if e['type'] == 'PriceBookPublished' and actor == 'service' and data['version'] == 1 and not self.modes:
            return  # a new log begins with its prices
        if e['type'] == 'PriceScheduleFulfilled' or (e['type'] == 'PriceBookPublished' and 'schedule_revision' in data):
            return
        if role in ('admin', 'cli'):
            calls = self.calls.get(e['meta']['$correlationId'], ())
            if not any(each[0] == role and (each[1] == name or (role == 'cli' and not name)) for each in calls):
                raise Broken('author', f'its author is {show(actor)}, but no such call with its $correlationId began before it')
            return
        partner = data.get('partner_id') if isinstance(data.get('partner_id'), str) else None
        mode = data['mode'] if e['type'] == 'PartnerRegistered' else self.modes.get(partner)
        if role == 'key' and partner is not None and self.api_keys.get(name) != partner:
            raise Broken('author', f'its author is {show(actor)}, which is no API key of the partner')
        if e['type'] == 'WalletDebited' and role != 'key' and self.api_keys.get(data.get('key_id')) != partner:
            raise Broken('author', f'its author is {show(actor)}, which is no API key of the partner')
        own = role in ('demo', 'key') and (mode == 'sandbox' or e['type'].startswith('ApiKey'))
        own = own or (role == 'sandbox' and str(data.get('rupa_id')).startswith('rp-test-'))
        if e['type'] in PRIVILEGED and not own:
            raise Broken('author', f'its author is {show(actor)}, but only an administrator may do this')

    def approved(self, e, data, actor):
        """Checks what a second person approved: the approval stands for the author's call, which began under another $correlationId."""
        approval, by = self.approvals.get(data.get('approval_id')), data.get('approved_by', '')
        if is_same_person(actor, by):
            raise Broken('author', f'{show(actor)} approved it alone')
        if approval is None or approval['by'] != actor or approval['granted'] != by:
            raise Broken('author', f'no call of {show(actor)} that {show(by)} approved is recorded before it')
        asked = approval['asked']
        same = asked['kind'] == APPROVABLE[e['type']] and asked['partner_id'] == data.get('partner_id')
        same = same and asked['reference'] == data.get('lookup_id', data.get('reference'))
        if not same or (asked['amount_kobo'] != data.get('amount_kobo') and e['type'] != 'CreditReversed'):
            raise Broken('approval', 'it is not what was approved')
        if approval['done']:
            raise Broken('approval', 'it was approved once, and this is its second execution')
        approval['done'] = True

    def alone_above(self, e, amount):
        """Notes what needed a second person and had none. What was under way when the amount changed had no need of one."""
        data = e['fields']
        if self.limit is None or 'approval_id' in data or e['at'] - self.limit_at <= TEN_SECONDS or (amount is not None and amount <= self.limit):
            return
        what = 'new prices' if amount is None else f'NGN {naira(amount)}'
        self.alone.append((e['index'], f'{place(e)}{show(data["actor"])} did it alone: {what}, above NGN {naira(self.limit)}'))

    def ApprovalRequested(self, e):
        data = e['fields']
        self.approvals[data['approval_id']] = {'asked': data, 'by': data['actor'], 'granted': None, 'done': False}

    def ApprovalGranted(self, e):
        data = e['fields']
        approval = self.approvals.get(data['approval_id'])
        if approval is None or approval['granted'] is not None or is_same_person(approval['by'], data['actor']):
            raise Broken('approval', f'{show(data["actor"])} approves what nobody else asked for')
        approval['granted'] = data['actor']

    def ApprovalRejected(self, e):
        self.approvals.pop(e['fields']['approval_id'], None)

    def ApprovalExecuted(self, e):
        if not self.approvals.get(e['fields']['approval_id'], {}).get('done'):
            raise Broken('approval', 'it says that a call was executed, but no event of that call is before it')

    def ApprovalLimitSet(self, e):
        data = e['fields']
        self.limit, self.limit_at = data['limit_kobo'], e['at']
        limit = 'off' if self.limit is None else f'NGN {naira(self.limit)}'
        self.count(f'limit {data["recorded_at"]}, by {show(data["actor"])}: {limit}')

    def entry(self, e):
        data, kind = e['fields'], e['type']
        partner = data['partner_id']
        if partner not in self.modes:
            raise Broken('partner', 'no partner of that id was registered before it')
        wallet = self.wallets.get(partner)
        if wallet is None:
            wallet = self.wallets[partner] = Wallet(self.modes[partner])
        e['amount'] = 0 if kind in ('ConsentGranted', 'ChargesSettled') else data['amount_kobo']
        e['breakdown'] = data.get('breakdown_kobo') if kind in ('WalletDebited', 'RefundIssued', 'LookupCompensated') else None
        wallet.check(e, self.prices)
        month = data['recorded_at'][:7]
        self.late_in(wallet.mode, month, e)
        self.count(f'{wallet.mode} {kind}', e['amount'])
        if kind in ('WalletCredited', 'CreditReversed', 'WalletPaidOut', 'LookupCompensated'):
            if wallet.mode == 'live':
                self.alone_above(e, e['amount'])
            of = '' if kind in ('WalletPaidOut', 'LookupCompensated') else data.get('kind', 'payment') + ' '
            self.count(f'author {wallet.mode} {of}{kind} by {both(data)}', e['amount'])
        sign = -1 if kind in OUT else 1
        if self.with_figures and e['at'] < self.window[1]:
            wallet.prepaid.add(e, wallet.balance)
        if e['breakdown'] is not None and self.window[0] <= e['at'] < self.window[1]:
            for section, net, vat in earned(e, self.prices):
                totals = self.revenue.setdefault((wallet.mode, data['recorded_at'][:7], section), [0, 0, 0, 0])
                added = kind == 'WalletDebited', -sign * net, -sign * vat, net + vat if sign > 0 else 0
                totals[:] = [total + each for total, each in zip(totals, added)]
        if e['amount']:
            lines = [(account, sign * amount) for account, amount in postings(e, self.prices) if amount]
            self.post(wallet.mode, e['at'], month, [('partner_balances', -sign * e['amount'])] + lines)
            for account, amount in lines:
                if held(account, amount) < 0:
                    self.falls.setdefault((wallet.mode, account), []).append((e['at'], -held(account, amount)))

    def LedgerEntryPosted(self, e):
        """Checks an entry for what happens outside of wallets. It counts from the first moment of its day."""
        data, entries, day = e['fields'], self.entries[e['fields']['mode']], moment(f'{e["fields"]["date"]}T00:00:00.000Z')
        mode, kind, amount, reference = data['mode'], data['kind'], data['amount_kobo'], data['reference']
        if reference in entries:
            raise Broken('reference', f'the reference "{show(reference)}" was used before')
        if day is None or day > e['at'] or amount == 0:
            raise Broken('entry', 'it has no amount, or a day that was not over or present when it was recorded')
        if kind == 'reversal':
            kind, before = data.get('of_kind'), entries.get(data.get('of'))
            if before is None or before != [kind, data.get('account'), amount]:
                raise Broken('reversal', f'no entry "{show(data.get("of", ""))}" of NGN {naira(amount)} is there that it could undo as a whole')
            entries[data['of']], entries[reference] = None, None  # neither can be undone any more
        else:
            entries[reference] = [kind, data.get('account'), amount]
        sides = sides_of(kind, data.get('account', ''))
        if sides is None:
            raise Broken('entry', f'its kind {show(kind)} has no account "{show(data.get("account", ""))}"')
        if data['kind'] in BOUNDED:
            account = sides[BOUNDED[kind]]
            # What a refund has just taken back may have been there when the entry was decided.
            lately = self.falls[mode, account] = [each for each in self.falls.get((mode, account), []) if e['at'] - each[0] <= TWO_MINUTES]
            available = held(account, self.balances.get((mode, account), 0)) + sum(fall for _, fall in lately)
            if amount > available:
                raise Broken('bound', f'{account} holds NGN {naira(max(0, available))}, less than its NGN {naira(amount)}')
        debited, credited = reversed(sides) if data['kind'] == 'reversal' else sides
        self.late_in(mode, data['date'][:7], e)
        self.post(mode, day, data['date'][:7], [(debited, amount), (credited, -amount)])
        self.count(f'{mode} LedgerEntryPosted', amount)
        if mode == 'live':
            self.alone_above(e, amount)
        self.count(f'author {mode} {data["kind"]} LedgerEntryPosted by {both(data)}', amount)

    def late_in(self, mode, month, e):
        """Notes what is dated into a month that was closed before."""
        if month <= self.months[mode].last:
            self.late.append((e['index'], f'{place(e)}it is dated into {month}, which was closed before'))

    def PeriodClosed(self, e):
        """Checks the close of a month: months are closed in their order, once, with everything that is dated into them and before."""
        data, months = e['fields'], self.months[e['fields']['mode']]
        mode, period, due = data['mode'], data['period'], months.next()
        if period != due:
            raise Broken('period', f'it closes {show(period)}, but {due or "no month"} is to be closed next')
        end = moment(f'{month_after(period)}-01T00:00:00.000Z')
        if e['at'] - end < FIVE_MINUTES:
            raise Broken('period', f'it closes {period} before five minutes after its end')
        charges = sum(each[3] < end for wallet in self.wallets.values() if wallet.mode == mode for each in wallet.open.values())
        if charges:
            raise Broken('period', f'it closes {period} while {charges} of its charges are neither settled nor refunded')
        given, found = [[each[name] for name in TOTALS] for each in data['accounts']], months.totals(period)
        if given != found:
            wrong = next((each for each in found if each not in given), None) or next((each for each in given if each not in found), given[:1][0])
            raise Broken('totals', f'its totals of {period} are not those of the entries before it: see {show(wrong[0])}')
        entries = months.entries.get(period, 0)
        if data['entries'] != entries:
            raise Broken('totals', f'it counts {data["entries"]} entries in {period}, but there are {entries}')
        if data['index'] is not None and data['index'] >= e['index']:
            raise Broken('period', f'it was made from the events up to event {data["index"]}, which is not before it')
        months.last = period
        months.closed.append(f'{period}, closed {data["recorded_at"]} by {show(data["actor"])}, entries: {entries}, up to event '
                             f'{text_of(data["index"])}, statements {show(data["prefix"])} of {show(data["issuer"]["name"] or "-")}')

    def post(self, mode, at, month, lines):
        months = self.months[mode]
        months.entries[month] = months.entries.get(month, 0) + 1
        self.journal[mode] += self.window[0] <= at < self.window[1]
        for account, amount in lines:
            months.move(month, account, amount)
            self.balances[mode, account] = self.balances.get((mode, account), 0) + amount
            if at >= self.window[1]:
                continue
            totals = self.accounts.setdefault((mode, account), [0, 0, 0])
            if at < self.window[0]:
                totals[0] += amount
            else:
                totals[1 if amount > 0 else 2] += abs(amount)

    def count(self, name, amount=0):
        counted = self.counts.setdefault(name, [0, 0])
        counted[0] += 1
        counted[1] += amount

    def PartnerRegistered(self, e):
        self.modes[e['fields']['partner_id']] = e['fields']['mode']

    def ApiKeyIssued(self, e):
        self.api_keys[e['fields']['key_id']] = e['fields']['partner_id']

    ApiKeyLinked = ApiKeyIssued

    def PriceBookPublished(self, e):
        self.prices.publish(e)
        self.count(f'author price book version {e["fields"]["version"]}, {e["fields"]["recorded_at"]}, by {both(e["fields"])}')
        if 'schedule_revision' not in e['fields'] and (e['fields']['version'] != 1 or e['fields']['actor'] != 'service'):
            self.alone_above(e, None)

    def PriceBookScheduled(self, e):
        self.prices.schedule(e)
        self.alone_above(e, None)

    def PriceScheduleCancelled(self, e):
        self.prices.schedule(e)

    PriceScheduleFulfilled = PriceScheduleCancelled

    def AdminCallBegun(self, e):
        data = e['fields']
        self.calls.setdefault(e['meta']['$correlationId'], []).append((data['role'], data.get('name') or ''))
        self.begun.add(data.get('call_id', e['meta']['$correlationId']))

    def AdminCallEnded(self, e):
        data = e['fields']
        call = data.get('call_id', e['meta']['$correlationId'])
        # Who signs in is known only when it is done, and a sign-in changes nothing in the log.
        has_begin = data['method'] not in ('GET', 'HEAD') and data['route'] != '/console/sign-in'
        if has_begin and data['status'] < 400 and call not in self.begun:
            raise Broken('audit', 'it ends a call that may have changed something, and whose begin was not recorded before it')
        self.begun.discard(call)
        who = data['role'] + (f':{show(data["name"])}' if data.get('name') else '')
        self.count(f'call {who}' + (', refused' if data['method'] != 'RUN' and data['status'] >= 400 else ''))
        if data['method'] == 'GET' and data['status'] < 400 and (data['route'] == '/admin/v1/farmers/:rupaId' or 'reason' in data):
            self.count(f'read {who}')

    def EventSkipped(self, e):
        data = e['fields']
        found = self.aside.pop(data['event_id'], None)
        where = f'{show(data["stream"])} at revision {data["revision"]}'
        self.skipped.append(f'{where}, by {show(data["actor"])}: {show(data["reason"])}' + ('' if found else ' (this program can use the event)'))

    def LogMoved(self, e):
        data = e['fields']
        if data['events'] != e['index']:
            raise Broken('moved', f'it says that {data["events"]} events were moved, but {e["index"]} are before it')
        self.moves.append(f'event {e["index"]}, {data["recorded_at"]}, by {show(data["actor"])}')

    def LogAdopted(self, e):
        """A log that lost events is continued as another one: the checkpoints of the former one cover what is not there any more."""
        data, index = e['fields'], e['index']
        try:
            note = Note(data['former_note'])
        except ValueError as error:
            raise Broken('adopted', str(error)) from None
        fault, (first, count), before = note.fault(self.tree, self.keys), log_of(note.origin), log_of(self.origin or note.origin)
        if fault is None or fault[0] == 'signature':
            raise Broken('adopted', fault[1] if fault else f'the checkpoint of {note.size} events that it names holds, so nothing was lost')
        if before[0] != first or before[1] > count or data['origin'] != f'{first}/{count + 1}':
            raise Broken('adopted', f'{show(data["origin"])} is not the log after {show(note.origin)}, or that one is not the last before it')
        lost = data['lost_events']
        if lost is not None and not max(1, note.size - index) <= lost <= note.size - self.last:
            raise Broken('adopted', f'it says that {lost} of {note.size} events were lost, but {index} are before it, and a checkpoint of '
                                    f'{self.last} holds')
        self.adoptions.append((note, self.last, f'event {index}, {data["recorded_at"]}, by {show(data["actor"])}: {show(data["reason"])}; '
                               f'{show(data["origin"])} follows {show(note.origin)}, whose last known checkpoint is of {note.size} events; '
                               f'lost of these: {"not known" if lost is None else lost}; those before event {self.last} are not'))
        self.origin = data['origin']

    def is_former(self, note, fault):
        """Returns whether a note that does not hold is of a former log, and covers events that this one says were lost."""
        (first, count), now = log_of(note.origin), log_of(self.origin or note.origin)
        if not fault or fault[0] == 'signature' or first != now[0] or count >= now[1]:
            return False
        last, kept, _ = next(each for each in self.adoptions if log_of(each[0].origin)[1] >= count)
        return note.size > kept and (note.origin != last.origin or note.size < last.size or note.text == last.text)

    def CheckpointMade(self, _):
        self.count('old checkpoint')

    def CheckpointSigned(self, e):
        data = e['fields']
        try:
            note = Note(data['note'])
        except ValueError as error:
            raise Broken('checkpoint', str(error)) from None
        if [note.size, note.root] != [data['tree_size'], base64_bytes(data['root'])] or note.size >= self.tree.size or note.size < self.last:
            raise Broken('checkpoint', f'its note of {note.size} events is not the one that it describes, or smaller than the one before, or ahead')
        fault = note.fault(self.tree, self.keys)
        if fault:
            raise Broken('checkpoint', fault[1])
        if note.origin != (self.origin or log_of(note.origin)[0]):
            raise Broken('checkpoint', f'it is of the log {show(note.origin)}, and no loss began that one')
        self.signed, self.last, self.origin = note, note.size, note.origin
        self.count('checkpoint')

    def first_fault(self):
        """Returns the first event that does not hold, its rule and the reason; None if all hold."""
        found = [(index, 'shape', reason) for index, reason in self.aside.values()]
        found += [(index, 'time', reason) for index, reason in self.times.exceptions]
        found += [(index, 'approval', reason) for index, reason in self.alone]
        found += [(index, 'closed', reason) for index, reason in self.late]
        found += [self.fault] if self.fault else []
        for partner, wallet in self.wallets.items() if not self.fault else ():
            for lookup, (revision, _, index, at) in wallet.open.items():
                if self.times.newest - at > TWO_MINUTES:
                    found.append((index, 'open_too_long', f'wallet-{show(partner)} at revision {revision} (WalletDebited): '
                                                          f'the charge of the lookup {show(lookup)} is neither settled nor refunded'))
        return min(found, default=None, key=lambda each: each[0])


def is_same_person(one, other):
    """Returns whether two actors have the same name, whatever its case and the role before it."""
    return one.split(':', 1)[-1].lower() == other.split(':', 1)[-1].lower()


def both(data):
    """Returns the author of an event and, if there is one, the second person."""
    return show(data['actor']) + (f', approved by {show(data["approved_by"])}' if 'approved_by' in data else '')


def place(e):
    return f'{show(e["stream"])} at revision {e["revision"]} ({show(e["type"])}): '


def utf8(text):
    """Returns the bytes of a text; None if it is none, or has a half of a character that no bytes stand for."""
    try:
        return text.encode('utf-8')
    except (AttributeError, UnicodeEncodeError):
        return None


def leaf_of(e):
    """Returns the leaf of an event: five lines. Raises Broken if the line is not one of an evidence file."""
    if e is None:
        raise Broken('line', 'its line is no JSON object: the file is damaged or cut off')
    texts = [e.get(name) for name in ('stream', 'type', 'id', 'created')]
    if not all(isinstance(each, str) for each in texts) or not is_count(e.get('index')) or not is_count(e.get('revision')):
        raise Broken('line', 'its line lacks a part of an event')
    stream, kind, uuid, created = texts
    if not re.fullmatch('[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', uuid) or moment(created) is None or '$' in (stream[:1], kind[:1]):
        raise Broken('line', 'its line has an id, a time, a stream or a type that no event of the log has')
    hashes = []
    for name in ('data', 'metadata'):
        text, encoded = e.get(name), e.get(name + '_base64')
        data = base64_bytes(encoded) if text is None and isinstance(encoded, str) else utf8(text) if encoded is None else None
        if data is None:
            raise Broken('line', f'its line has no exact {name}')
        hashes.append(hashlib.sha256(data).hexdigest())
    lines = [json.dumps(stream, ensure_ascii=False)[1:-1], str(e['revision']), json.dumps(kind, ensure_ascii=False)[1:-1], uuid, ' '.join(hashes)]
    return '\n'.join(lines).encode('utf-8', 'backslashreplace')


# ---- The summary and the program -------------------------------------------------------------------------------------------------------
def summary(audit, notes, fault):
    tree, counts, lines = audit.tree, audit.counts, []
    lines.append(f'Events: {tree.size}, dated {audit.first_time or "-"} to {audit.last_time or "-"}, of which in streams of others: {audit.foreign}')
    lines.append(f'Root of all of them: {base64.b64encode(tree.root(tree.size)).decode()}')
    for name, note, found in notes:
        found = f'of the former log {show(note.origin)}, not comparable' if audit.is_former(note, found) else (
            'holds' if found is None else f'does not hold: {found[1]}')
        lines.append(f'Checkpoint {show(name)} of {note.size} events: {found}')
    newest = f'the newest is of {audit.signed.size} events' if audit.signed else 'none'
    lines.append(f'Checkpoints in the log: {counts.get("checkpoint", [0])[0]}, {newest}; over wallets only: {counts.get("old checkpoint", [0])[0]}')
    if fault:
        lines.append(f'What follows is of the events before event {audit.fault[0] if audit.fault else tree.size}.')
    for mode in ('live', 'sandbox'):
        wallets = [wallet for wallet in audit.wallets.values() if wallet.mode == mode]
        lines += ['', f'Wallets, {mode}: {len(wallets)}, with open charges: {sum(len(wallet.open) for wallet in wallets)}']
        for kind in ('WalletCredited', 'CreditReversed', 'WalletPaidOut', 'WalletDebited', 'RefundIssued', 'LookupCompensated', 'LedgerEntryPosted'):
            number_of, kobo = counts.get(f'{mode} {kind}', [0, 0])
            lines.append(f'  {kind}: {number_of}, NGN {naira(kobo)}')
        totals = sorted((account, total) for (of, account), total in audit.accounts.items() if of == mode)
        lines.append(f'Trial balance, {mode}, {audit.window[2]}: account, opening, debit, credit, closing (NGN)')
        for account, (opening, debit, credit) in totals:
            lines.append(f'  {show(account)} {naira(opening)} {naira(debit)} {naira(credit)} {naira(opening + debit - credit)}')
        debits, credits = sum(total[1] for _, total in totals), sum(total[2] for _, total in totals)
        lines.append(f'  total {naira(sum(total[0] for _, total in totals))} {naira(debits)} {naira(credits)} {naira(debits - credits)}')
        lines += [f'Months closed, {mode}: {len(audit.months[mode].closed)}'] + [f'  {each}' for each in audit.months[mode].closed]
        lines += figures(audit, mode, debits, credits) if audit.with_figures else []
    for title, prefix in [('Credits, reversals, payouts, compensations, ledger entries and prices by author', 'author '),
                          ('Calls of administrators and commands', 'call '), ('Reads of personal data', 'read '),
                          ('Amounts above which a second person approves', 'limit ')]:
        lines += ['', title + ':']
        for name in sorted(each for each in counts if each.startswith(prefix)):
            amount = f', NGN {naira(counts[name][1])}' if counts[name][1] else ''
            lines.append(f'  {name[len(prefix):]}: {counts[name][0]}{amount}')
    lines += ['', f'Larger entries without a second person: {len(audit.alone)}'] + [f'  event {index}: {reason}' for index, reason in audit.alone[:NAMED]]
    lines += [f'  and {len(audit.alone) - NAMED} more'] if len(audit.alone) > NAMED else []
    lines += [f'Recorded after its month was closed: {len(audit.late)}'] + [f'  event {index}: {reason}' for index, reason in audit.late[:NAMED]]
    lines += [f'  and {len(audit.late) - NAMED} more'] if len(audit.late) > NAMED else []
    lines += [f'Events skipped by a decision: {len(audit.skipped)}'] + [f'  {each}' for each in audit.skipped]
    lines += [f'Moves to another event store: {len(audit.moves)}'] + [f'  {each}' for each in audit.moves]
    lines += [f'Logs that began after a loss: {len(audit.adoptions)}'] + [f'  {each[2]}' for each in audit.adoptions]
    exceptions = sorted(audit.times.exceptions)
    lines.append(f'Exceptions of time: {len(exceptions)}')
    lines += [f'  event {index}: {reason}' for index, reason in exceptions[:NAMED]]
    lines += [f'  and {len(exceptions) - NAMED} more'] if len(exceptions) > NAMED else []
    lines += ['', f'Result: {"everything holds" if fault is None else f"does not hold at event {fault[0]} ({fault[1]})"}']
    return lines


def figures(audit, mode, debits, credits):
    """Returns what the reports of the books say of a mode: revenue by month and section, prepaid money, and the journal's totals."""
    counted = audit.window[2]
    lines = [f'Revenue, {mode}, {counted}: month, section, lookups, net, VAT, gross, refunds (NGN)']
    for (_, month, section), (lookups, net, vat, refunds) in sorted(each for each in audit.revenue.items() if each[0][0] == mode):
        lines.append(f'  {month} {show(section)} {lookups} {naira(net)} {naira(vat)} {naira(net + vat)} {naira(refunds)}')
    columns = 'customer number, partner, balance, of it 0-30, 31-90, 91-180 and over 180 days old (NGN), last payment, last lookup'
    lines.append(f'Prepaid money, {mode}, at the end of {counted}: {columns}')
    at = moment(audit.last_time) if audit.window[1] == FOREVER else audit.window[1] - 1
    for number, partner in enumerate(audit.modes, 1001):
        wallet = audit.wallets.get(partner)
        if wallet and wallet.mode == mode and wallet.prepaid.balance:
            prepaid = wallet.prepaid
            amounts = ' '.join(naira(kobo) for kobo in [prepaid.balance] + prepaid.by_age(at))
            lines.append(f'  {number} {show(partner)} {amounts} {prepaid.last_payment} {prepaid.last_lookup}')
    return lines + [f'Journal, {mode}, {counted}: entries, debit, credit (NGN)', f'  {audit.journal[mode]} {naira(debits)} {naira(credits)}']


def window_of(options):
    """Returns from when and before when postings are counted, and how the summary calls that."""
    at, month = options.get('at'), options.get('month')
    if month is not None and re.fullmatch('[0-9]{4}-(?:0[1-9]|1[0-2])', month):
        begin, end = moment(f'{month}-01T00:00:00.000Z'), moment(f'{month_after(month)}-01T00:00:00.000Z')
    else:
        begin, end = -1, FOREVER if at is None else moment(f'{at}T23:59:59.999Z' if len(at) == 10 else at)
        end = None if month is not None else end if at is None or end is None else end + 1
    if begin is None or end is None:
        usage('The trial balance is up to a day or a time such as 2026-03-31T12:00:00.000Z, or of a month such as 2026-03.')
    return begin, end, month or at or 'all events'


def usage(reason):
    print(f'{reason}\nUsage: audit [--at=TIME] [--month=YYYY-MM] [--figures] FILE KEYS [NOTE...]', file=sys.stderr)
    sys.exit(2)


def text_in(path):
    try:
        with open(path, encoding='utf-8', newline='') as file:
            return file.read()
    except (OSError, ValueError):
        return usage(f'{path} cannot be read.')


def note_in(path):
    try:
        return Note(text_in(path))
    except ValueError:
        return usage(f'{path} is no checkpoint of a log.')


def main(arguments):
    with_figures = '--figures' in arguments
    arguments = [each for each in arguments if each != '--figures']
    options = dict(each[2:].split('=', 1) for each in arguments if each.startswith('--') and '=' in each)
    files = [each for each in arguments if not each.startswith('--')]
    if len(files) < 2 or len(files) + len(options) != len(arguments) or not set(options) <= {'at', 'month'}:
        usage('Name the evidence file and the file of the keys.')
    keys = [key_of(line) for line in text_in(files[1]).split('\n') if line.strip()]
    if not keys or None in keys:
        usage('The keys must be verifier keys, one in each line.')
    audit, notes = Audit(keys, window_of(options), with_figures), [(path, note_in(path)) for path in files[2:]]
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
    checked = [(path, note, note.fault(audit.tree, keys)) for path, note in notes]
    fault = audit.first_fault()
    holding = max([note.size for _, note, found in checked if found is None] + [audit.last])
    for path, note, found in sorted((each for each in checked if each[2] and fault is None and not audit.is_former(*each[1:])), key=lambda each: each[1].size)[:1]:
        fault = audit.tree.size if found[0] == 'size' else holding, found[0], f'{show(path)}: {found[1]}'
    print('\n'.join(summary(audit, checked, fault)))
    if fault:
        print(f'event {fault[0]}: {fault[1]}: {fault[2]}', file=sys.stderr)
    return 1 if fault else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
