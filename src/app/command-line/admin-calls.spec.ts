import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { buildProgram, loadCommands } from '../../cli/program.js';
import { type RupaCommand, routeOf } from '../../cli/rupa-command.js';
import { previewDocument } from '../preview-document.js';
import { ServiceRuntime } from './service-runtime.js';

/** The commands of each administrators' call. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'GET /api-keys': ['keys list'],
  'POST /api-keys': ['keys issue'],
  'DELETE /api-keys/{keyId}': ['keys revoke'],
  'PUT /api-keys/{keyId}/partner': ['keys link'],
  'GET /approvals': ['approvals list'],
  'POST /approvals/{id}/approve': ['approvals approve'],
  'POST /approvals/{id}/reject': ['approvals reject'],
  'GET /audit-trail': ['audit list'],
  'GET /events': ['events tail'],
  'GET /events/set-aside': ['projections status'],
  'GET /evidence': ['audit evidence'],
  'POST /checkpoints': ['ledger checkpoint'],
  'GET /checkpoints': ['ledger checkpoints'],
  'GET /checkpoints/{number}': ['ledger checkpoints', 'ledger verify-checkpoint'],
  'PUT /farmers/{rupaId}': ['farmers import'],
  'DELETE /farmers/{rupaId}': ['farmers erase'],
  'GET /farmers/{rupaId}/report': ['farmers report'],
  'GET /ledger/trial-balance': ['ledger trial-balance'],
  'POST /ledger/entries': ['ledger post'],
  'GET /ledger/journal': ['ledger journal'],
  'GET /ledger/revenue': ['ledger revenue'],
  'GET /ledger/prepaid': ['ledger prepaid'],
  'GET /ledger/periods': ['ledger periods'],
  'POST /ledger/periods/{month}/close': ['ledger close'],
  'GET /ledger/periods/{month}/statements': ['wallet statements'],
  'POST /ledger/reconciliations': ['ledger reconcile'],
  'GET /lookups': ['lookups show', 'lookups find'],
  'GET /lookups/{lookupId}': ['lookups show', 'wallet explain'],
  'POST /lookups/{lookupId}/compensation': ['wallet compensate'],
  'GET /maintenance': ['maintenance status'],
  'PUT /maintenance': ['maintenance on'],
  'DELETE /maintenance': ['maintenance off'],
  'GET /partners': ['partners list'],
  'POST /partners': ['partners create'],
  'GET /partners/{id}': ['partners show'],
  'PATCH /partners/{id}': ['partners details'],
  'POST /partners/{id}/activate': ['partners activate'],
  'POST /partners/{id}/deactivate': ['partners deactivate'],
  'PUT /partners/{id}/optional-sections': ['partners sections'],
  'PUT /partners/{id}/ip-allow-list': ['partners allow-list'],
  'GET /partners/{id}/api-keys': ['keys list'],
  'POST /partners/{id}/api-keys': ['partners key'],
  'GET /partners/{id}/wallet': ['wallet replay'],
  'POST /partners/{id}/wallet/credits': ['partners credit'],
  'POST /partners/{id}/wallet/reversals': ['partners reverse'],
  'POST /partners/{id}/wallet/payouts': ['partners payout'],
  'GET /partners/{id}/wallet/entries': ['wallet replay'],
  'GET /partners/{id}/wallet/export': ['wallet export'],
  'GET /partners/{id}/wallet/statements/{month}': ['wallet statement'],
  'GET /partners/{id}/wallet/verification': ['wallet verify'],
  'GET /partners/{id}/webhooks': ['webhooks list'],
  'GET /price-book': ['prices history'],
  'PUT /price-book': ['prices publish'],
  'DELETE /price-book/schedule': ['prices cancel'],
  'GET /price-book/history': ['prices history'],
  'GET /projections': ['projections status'],
  'GET /projections/jobs/{jobId}': ['projections job'],
  'POST /projections/{name}/rebuild': ['projections rebuild'],
  'POST /projections/{name}/retry': ['projections retry'],
  'POST /projections/{name}/verify': ['projections verify'],
  'GET /webhooks': ['webhooks list'],
  'GET /webhooks/{id}': ['webhooks list'],
  'POST /webhooks/{id}/enable': ['webhooks enable'],
  'POST /webhooks/{id}/disable': ['webhooks disable'],
  'POST /webhooks/{id}/recover': ['webhooks recover'],
  'GET /webhooks/{id}/deliveries': ['webhooks deliveries'],
  'POST /webhooks/{id}/deliveries/{deliveryId}/resend': ['webhooks resend'],
};

/** Calls without a command, with the reason. */
const CALLS_ALONE: Readonly<Record<string, string>> = {
  'GET /farmers/{rupaId}': 'Personal data are read with a token, so that the audit trail records who read them.',
  'GET /figures': 'It returns the points of charts; monitoring has the metrics of each process.',
  'GET /partners/{id}/wallet/balances': 'It returns the points of a chart; rupa wallet replay prints every entry.',
  'GET /streams/{stream}': 'It can show personal data, which are read with a token; rupa events tail prints events as they are stored.',
  'GET /witnesses': 'rupa ledger checkpoints --json prints the cosignatures of each checkpoint.',
};

/** Commands without a call, with the reason. */
const COMMANDS_ALONE: Readonly<Record<string, string>> = {
  demo: 'It creates the data of a new service.',
  doctor: 'It examines a deployment whose service may not run.',
  'events adopt': 'It needs a stopped service.',
  'events check': 'It reads the files of a stopped service.',
  'events copy': 'It needs a stopped service.',
  'events skip': 'It decides on an event that something else wrote, which the log shows.',
  'keys retire': 'It changes the file of the master keys, which no HTTP call may touch.',
  'keys rotate': 'It changes the file of the master keys, which no HTTP call may touch.',
  'keys rotate-checkpoint': 'It replaces the key that signs for the operator.',
  'keys status': 'It reads the file of the master keys, which no HTTP call may touch.',
};

function leavesOf(command: RupaCommand): RupaCommand[] {
  const children = command.commands as RupaCommand[];
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

const calls = Object.entries((await previewDocument('http://127.0.0.1:3000')).paths).flatMap(([path, operations]) =>
  Object.keys(operations)
    .filter((method) => path.startsWith('/admin/v1') && method !== 'head')
    .map((method) => `${method.toUpperCase()} ${path.slice('/admin/v1'.length)}`),
);
const commands = leavesOf(await loadCommands(buildProgram(new ServiceRuntime()))).map((leaf) => routeOf(leaf).replace('rupa ', ''));

describe('the calls of administrators', () => {
  it('all have a command, or a reason to have none', () => {
    expect(calls.sort()).toStrictEqual([...Object.keys(COMMANDS), ...Object.keys(CALLS_ALONE)].sort());
  });

  it('are what the commands do, but for those with a reason', () => {
    const named = new Set([...Object.values(COMMANDS).flat(), ...Object.keys(COMMANDS_ALONE)]);
    expect(commands.sort()).toStrictEqual([...named].sort());
  });
});
