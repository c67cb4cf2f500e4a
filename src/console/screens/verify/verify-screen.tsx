import { Field } from '../../components/form.js';
import { type Screen } from '../../screen.js';

/** @param partnerId fills the field */
export function verifyScreen(partnerId: string): Screen {
  return {
    title: 'Verify in this browser',
    area: 'verify',
    modules: ['verify-page'],
    body: (
      <>
        <p>
          This browser reads the export of a wallet and computes the hash of every entry itself. The server’s own verdict plays no part. The
          code is <a href="/console/assets/wallet-chain.js">one file</a> that imports nothing; docs/audit.md describes the same check, with
          programs in Python and Node.
        </p>
        <form class="act" data-verify>
          <Field label="Partner id" name="partner" value={partnerId} hint="The export is fetched from this service." />
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
          <button>Verify</button>
        </form>
        <div data-verify-result hidden role="status" aria-live="polite" />
      </>
    ),
  };
}
