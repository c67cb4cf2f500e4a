import { admin, type TestPartner } from './client.js';
import { type Application } from './service.js';

export interface Verification {
  readonly ok: boolean;
  readonly entries: number;
  readonly head: { readonly revision: number; readonly hash: string } | null;
  readonly open_charges: number;
  readonly fault: { readonly revision: number; readonly rule: string; readonly message: string } | null;
}

/** Characters that JSON libraries are likely to encode in different ways. */
export const ODD_REFERENCE = 'a "b" \\ / é 漢 💧 \u0001\u0007\u007f\u0085\u2028\u2029 <&>';

/** Returns the service's verification of a wallet's chain. */
export async function verificationOf(service: Application, { partner_id }: TestPartner, query = ''): Promise<Verification> {
  return (await admin(service, 'GET', `/partners/${partner_id}/wallet/verification${query}`)).body.data as unknown as Verification;
}
