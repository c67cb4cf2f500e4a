"""Looks up all farmers of a portfolio, and writes a line of CSV for each: its Rupa ID, the outcome and what is outstanding."""

import sys
from rupa import RupaError, call

FARMERS_A_CALL = 100

if len(sys.argv) != 3:
    print('Usage: python3 score_portfolio.py IDS RUN, where IDS is a file with a Rupa ID a line, and RUN names this run, such as 2026-03', file=sys.stderr)
    sys.exit(2)
file, run_id = sys.argv[1:]

with open(file, encoding='utf-8') as lines:
    ids = lines.read().split()

charged = 0
try:
    for first in range(0, len(ids), FARMERS_A_CALL):
        lookups = {'rupa_ids': ids[first:first + FARMERS_A_CALL], 'sections': ['identity', 'outstanding_loans'], 'source': 'loan'}
        # The key follows from the run: if this program is run again for it within 24 hours, what was looked up is not charged again.
        chunk = call('POST', '/lookups', lookups, idempotency_key=f'portfolio-{run_id}-{first // FARMERS_A_CALL}')
        for result in chunk['results']:
            outstanding = f"{result['lookup']['outstanding_loans']['total_outstanding']:g}" if 'lookup' in result else ''
            print(result['rupa_id'], result['outcome'], outstanding, sep=',')
        charged += chunk['summary']['amount_charged']
    print(f'Charged NGN {charged:g}.', file=sys.stderr)
except RupaError as error:
    if error.code == 'insufficient_balance':
        sys.exit(f"Top up the wallet by NGN {error.data['shortfall']:g}, and run this again: it goes on without a second charge.")
    raise
