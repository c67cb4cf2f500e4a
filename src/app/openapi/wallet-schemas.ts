import { WALLET_RULES } from '../../contexts/wallet/domain/wallet-rules.js';
import { type Part } from './operation.js';
import { amount, count, nullable, oneOf, type Schema, shape, text, time } from './schema.js';

const hash = text('SHA-256, hex.', { pattern: '^[0-9a-f]{64}$' });

export const sinceParameter: Part = {
  name: 'since',
  in: 'query',
  description: 'REVISION:HASH of a `head` that was noted earlier: it must still be in the chain.',
  schema: { type: 'string' },
  example: '17:c0a1f3d2b4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff',
};

/** What answers about wallets are made of. */
export const walletSchemas: Readonly<Record<string, Schema>> = {
  WalletEntry: shape({
    revision: count,
    type: oneOf(['WalletCredited', 'WalletDebited', 'ConsentGranted', 'ChargesSettled', 'RefundIssued']),
    recorded_at: time(),
    amount: { type: 'number', description: 'NGN: what it changed the balance by.' },
    balance_after: { type: 'number' },
    lookup_id: nullable(text()),
    rupa_id: nullable(text()),
    breakdown: { type: ['object', 'null'], additionalProperties: amount('NGN.') },
    reason: nullable(text()),
    reference: nullable(text()),
    hash: text('SHA-256 over the entry and the hash before it, hex.'),
  }),
  WalletVerification: shape({
    ok: { type: 'boolean' },
    entries: { ...count, description: 'How many hold: all of them, or those before the fault.' },
    head: {
      ...nullable(shape({ revision: count, hash })),
      description: 'The last entry that holds, to be noted for the next time; null before the first.',
    },
    open_charges: { ...count, description: 'Neither settled nor refunded yet.' },
    fault: {
      ...nullable(
        shape({
          revision: { ...count, description: 'Of the first entry that breaks a rule.' },
          rule: oneOf(WALLET_RULES),
          message: text(),
        }),
      ),
      description: 'The first one found.',
    },
  }),
};
