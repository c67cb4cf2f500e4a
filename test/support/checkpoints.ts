import { type Application } from './service.js';
import { admin, makePartner, type TestPartner } from './client.js';

export interface Checkpoint {
  readonly number: number;
  readonly note: string;
  readonly tree_size: number;
  readonly root: string;
  readonly made_at: string;
}

export interface Proof {
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly hashes: readonly string[];
  readonly leaf: { readonly mode: string; readonly partner_id: string; readonly revision: number; readonly hash: string };
}

export async function makeCheckpoint(service: Application): Promise<Checkpoint> {
  const { status, body } = await admin(service, 'POST', '/checkpoints');
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data as unknown as Checkpoint;
}

/** Returns a checkpoint with the proof, as the partner gets it. */
export async function ownCheckpoint(partner: TestPartner, number: number | string): Promise<Checkpoint & { proof: Proof | null }> {
  return (await partner.call('GET', `/wallet/checkpoints/${number}`)).body.data as unknown as Checkpoint & { proof: Proof | null };
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
