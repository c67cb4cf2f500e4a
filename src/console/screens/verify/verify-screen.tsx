import { Field } from '../../components/form.js';
import { PARTNER_FIELD_MODULE, PartnerField, type SuggestedPartner, partnersNamed } from '../../components/partner-field.js';
import { type Screen, type Routes } from '../../screen.js';
import { evidenceScreen } from './evidence-screen.js';

/** @param partnerId fills the field @param partners what the field suggests */
function verifyScreen(partnerId: string, partners: readonly SuggestedPartner[]): Screen {
  return {
    title: 'Verify in this browser',
    area: 'verify',
    modules: ['verify-page', PARTNER_FIELD_MODULE],
    body: (
      <>
        <p>
          This browser reads the export of a wallet and computes the hash of every entry itself. The server’s own verdict plays no part. The
          chain is checked by <a href="/console/assets/wallet-chain.js">one file</a> that imports nothing, and checkpoints by{' '}
          <a href="/console/assets/wallet-checkpoint.js">another one</a>. docs/audit.md describes the same checks, with programs in Python
          and Node. To check every event of the log, <a href="/console/verify/evidence">verify an evidence file</a>.
        </p>
        <form class="act" data-verify>
          <PartnerField name="partner" value={partnerId} partners={partners} />
          <div class="field">
            <label>
              <span>Or the file of an export</span>
              <input type="file" name="file" accept=".jsonl,application/x-ndjson" />
            </label>
          </div>
          <Field
            label="Heads that were noted earlier"
            name="noted"
            rows={3}
            hint="REVISION:HASH, one a line. The chain must contain each."
          />
          <h2>Against a checkpoint</h2>
          <div class="field">
            <label>
              <span>File with the proof</span>
              <input type="file" name="proof" accept=".json,application/json" aria-describedby="hint-proof" />
            </label>
            <small id="hint-proof">
              Optional: what GET /v1/rupa/wallet/proof responded to the partner. The browser checks that the checkpoint covers the entry,
              and that the chain contains it.
            </small>
          </div>
          <Field
            label="Signed note of the checkpoint"
            name="note"
            rows={6}
            hint="Paste the note that you kept. Without one, the browser checks the note that came with the proof."
          />
          <Field
            label="Verifier keys"
            name="keys"
            rows={2}
            hint="Paste the key that you noted, one a line. Without one, this page uses the keys that this service publishes, which proves less: a service that forges a checkpoint can publish a key that fits."
          />
          <button>Verify</button>
          <small>Checking a signature needs Ed25519 in the browser: Chrome or Edge 137, Firefox 129 or Safari 17, or newer.</small>
        </form>
        <div data-verify-result hidden role="status" aria-live="polite" />
      </>
    ),
  };
}

/** The verification of a wallet and of the whole log, in the browser of the person who looks. */
export function addVerifyScreens(routes: Routes): void {
  routes.screen('/verify', async (visit) => verifyScreen(visit.query.partner ?? '', await partnersNamed(visit, '')));
  routes.screen('/verify/evidence', () => evidenceScreen);
}
