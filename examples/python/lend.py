"""Decides on a loan application: looks the farmer up, and reports the loan if it is granted."""

import sys
from rupa import RupaError, call, pages

rupa_id, application, amount = (sys.argv[1:] + ['rp-test-gold', 'application-1', '300000'][len(sys.argv) - 1:])[:3]
MOST_OUTSTANDING = 500_000

try:
    # The application's number is the Idempotency-Key: if this program is run again for it, the lookup is not charged again.
    lookup = {'rupa_id': rupa_id, 'sections': ['identity', 'outstanding_loans'], 'source': 'loan'}
    farmer = call('POST', '/lookup', lookup, idempotency_key=f'lookup-{application}')
    print(f"Looked up {farmer['rupa_id']} for NGN {farmer['billing']['amount_charged']:g}.")

    outstanding = farmer['outstanding_loans']['total_outstanding']
    if outstanding + float(amount) > MOST_OUTSTANDING:
        print(f'Declined: NGN {outstanding:g} are outstanding already.')
    else:
        # The partner_reference makes the report repeatable: a second one replaces the first.
        report = {'rupa_id': rupa_id, 'event': 'loan_disbursed', 'amount': float(amount), 'partner_reference': application}
        reported = call('POST', '/report', report)
        print(f"Granted: {'reported' if reported['created'] else 'reported again'} as contribution {reported['contribution_id']}.")

    entries = pages('/wallet/entries', 'entries', limit=5)
    spent = -sum(entry['amount'] for entry in entries if entry['type'] in ('WalletDebited', 'RefundIssued'))
    print(f'Lookups have cost NGN {spent:g} so far.')
except RupaError as error:
    if error.code == 'farmer_not_found':
        sys.exit(f'Nobody has the Rupa ID {rupa_id}.')
    if error.code == 'insufficient_balance':
        sys.exit(f"Top up the wallet by NGN {error.data['shortfall']:g}.")
    raise
