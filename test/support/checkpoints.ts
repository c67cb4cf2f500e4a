import { type Application } from './service.js';
import { admin, makePartner, type TestPartner } from './client.js';

export interface Checkpoint {
  readonly number: number;
  readonly note: string;
  readonly tree_size: number;
  readonly root: string;
  readonly made_at: string;
  readonly cosignatures: readonly { readonly witness: string; readonly signature: string; readonly at: string }[];
}

/** The proof that a checkpoint covers an entry of a wallet. */
export interface Proof {
  readonly entry: { readonly revision: number; readonly hash: string };
  readonly index: number;
  readonly leaf: string;
  readonly data: string;
  readonly metadata: string;
  readonly tree_size: number;
  readonly hashes: readonly string[];
  readonly note: string;
  readonly proof: string;
}

export async function makeCheckpoint(service: Application): Promise<Checkpoint> {
  const { status, body } = await admin(service, 'POST', '/checkpoints');
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data as unknown as Checkpoint;
}

/** Returns the proof of an entry, as the partner gets it; by default of the last one. */
export async function ownProof(partner: TestPartner, revision?: number): Promise<Proof> {
  const { status, body } = await partner.call('GET', `/wallet/proof${revision === undefined ? '' : `?revision=${revision}`}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data as unknown as Proof;
}

/** Two wallets with entries, and the last two checkpoints of the service, between which the first wallet got an entry. */
export interface TwoCheckpoints {
  readonly bank: TestPartner;
  readonly other: TestPartner;
  readonly earlier: Checkpoint;
  readonly checkpoint: Checkpoint;
}

export async function makeTwoCheckpoints(service: Application): Promise<TwoCheckpoints> {
  const [bank, other] = [await makePartner(service), await makePartner(service, { mode: 'sandbox' })];
  const earlier = await makeCheckpoint(service);
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 1, reference: 'after the first checkpoint' });
  return { bank, other, earlier, checkpoint: await makeCheckpoint(service) };
}
