import { Field } from '../../components/form.js';
import { type Screen } from '../../screen.js';

export const evidenceScreen: Screen = {
  title: 'Verify the whole log in this browser',
  area: 'verify',
  modules: ['audit-page'],
  body: (
    <>
      <p>
        This browser checks an evidence file, which has every event of the log. <strong>The file never leaves this browser.</strong> The
        server’s own verdict plays no part: the rules are those of <a href="/console/assets/audit.mjs">audit.mjs</a>, which is the same file
        as docs/audit/audit.mjs. <a href="/docs/guides/audit">Auditing</a> says how to get the evidence file, and explains every rule. To
        check a single wallet, <a href="/console/verify">verify its export</a>.
      </p>
      <form class="act" data-audit>
        <div class="field">
          <label>
            <span>Evidence file</span>
            <input type="file" name="file" accept=".jsonl,application/x-ndjson" aria-describedby="hint-file" />
          </label>
          <small id="hint-file">The response of GET /admin/v1/evidence, or what rupa audit evidence wrote.</small>
        </div>
        <Field
          label="Verifier keys"
          name="keys"
          rows={3}
          hint="One a line. This page fills in the keys that this service publishes. Replace them by those that you kept: a service that forges a checkpoint can publish a key that fits."
        />
        <div class="field">
          <label>
            <span>Files with checkpoints that you kept</span>
            <input type="file" name="notes" multiple accept=".txt,text/plain" aria-describedby="hint-notes" />
          </label>
          <small id="hint-notes">Optional: one signed note a file, as many files as you have.</small>
        </div>
        <Field label="Or paste these checkpoints" name="pasted" rows={6} hint="Signed notes, one below another." />
        <Field
          label="Trial balance up to, or of a month"
          name="window"
          placeholder="2026-03-31"
          hint="Optional: a day (2026-03-31) or a time (2026-03-31T12:00:00.000Z) up to which postings are counted, or a month (2026-03). Without it, all are."
        />
        <button>Verify the log</button>
      </form>
      <div data-audit-progress hidden>
        <progress aria-label="Progress of the check" max="1" value="0" />
        <p />
        <button type="button" class="quiet">
          Cancel
        </button>
      </div>
      <div data-audit-result hidden role="status" aria-live="polite" />
      <section data-audit-summary hidden aria-labelledby="summary">
        <h2 id="summary">Summary</h2>
        <p>
          <a download="summary.txt" href="#summary">
            Save the summary
          </a>{' '}
          to file it. It is what audit.mjs prints.
        </p>
        <pre tabIndex={0} aria-labelledby="summary" />
      </section>
    </>
  ),
};
