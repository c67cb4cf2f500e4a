import { type Group } from '../group.js';

export const wallet: Group = {
  name: 'wallet',
  description: 'inspect, verify, export and correct partners’ wallets',
  commands: [
    {
      name: 'replay',
      description: 'print every entry of a wallet with the balance after it, from the log',
      load: async () => (await import('./replay.js')).replayWalletEntries,
    },
    {
      name: 'verify',
      description: 'check the hash chain and every rule of one wallet or of all, in the log; exits with 1 if one is violated',
      load: async () => (await import('./verify.js')).verifyWallets,
    },
    {
      name: 'export',
      description: 'write a wallet as JSON lines that anyone can check (docs/audit.md)',
      load: async () => (await import('./export.js')).exportWallet,
    },
    {
      name: 'statement',
      description: 'print the statement of a wallet for a month: opening balance, credits, charges, refunds and closing balance',
      load: async () => (await import('./statement.js')).walletStatement,
    },
    {
      name: 'statements',
      description: 'write the statements of all partners of a closed month into a folder; run again, it continues',
      load: async () => (await import('./statements.js')).walletStatements,
    },
    {
      name: 'explain',
      description: 'explain a lookup: partner, farmer, time, sections, fees and the outcome of its charge',
      load: async () => (await import('./explain.js')).explainLookup,
    },
    {
      name: 'compensate',
      description: 'give back the charge of a settled lookup, at most once',
      load: async () => (await import('./compensate.js')).compensateLookup,
    },
  ],
};
