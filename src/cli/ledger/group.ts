import { type Group } from '../group.js';

export const ledger: Group = {
  name: 'ledger',
  description:
    'print the double-entry books and reports, post what happens outside of wallets, close months, and compare with a bank’s file; make and verify checkpoints of the log',
  commands: [
    {
      name: 'trial-balance',
      description: 'print the debits, credits and balance of every account in the books of a mode; exits with 1 if they do not balance',
      load: async () => (await import('./trial-balance.js')).trialBalance,
    },
    {
      name: 'journal',
      description: 'print the journal of a period for an accounting program, by entry or by day',
      load: async () => (await import('./journal.js')).journal,
    },
    {
      name: 'revenue',
      description: 'print the revenue of a period by section, partner, month or day: lookups, net, VAT, gross and what was given back',
      load: async () => (await import('./revenue.js')).revenue,
    },
    {
      name: 'prepaid',
      description: 'print the balances of the wallets of a mode by the age of their money',
      load: async () => (await import('./prepaid.js')).prepaid,
    },
    {
      name: 'post',
      description: 'post an entry for what happens outside of wallets, such as what a bank charged or a provider was paid',
      load: async () => (await import('./post.js')).postEntry,
    },
    {
      name: 'close',
      description: 'close a month of the books: no entry is dated into it from then on, and its statements get their numbers',
      load: async () => (await import('./close.js')).closePeriod,
    },
    {
      name: 'periods',
      description: 'list the months of the books of a mode, and which of them are closed',
      load: async () => (await import('./periods.js')).listPeriods,
    },
    {
      name: 'reconcile',
      description:
        'compare a bank’s file (CSV or XLSX) with payments, payouts and entries; exits with 1 if they differ, 2 if the file cannot be read',
      load: async () => (await import('./reconcile.js')).reconcilePayments,
    },
    {
      name: 'checkpoint',
      description: 'sign a checkpoint of the log, and print its note, to be kept where the operator cannot change it',
      load: async () => (await import('./checkpoint.js')).makeCheckpoint,
    },
    {
      name: 'checkpoints',
      description: 'list the newest checkpoints, or print the note of one',
      load: async () => (await import('./checkpoints.js')).listCheckpoints,
    },
    {
      name: 'verify-checkpoint',
      description:
        'check a signed checkpoint against the events of the log; exits with 1 if they are not those that it covers, or a wallet does not hold',
      load: async () => (await import('./verify-checkpoint.js')).verifyCheckpoint,
    },
  ],
};
