import { type VNode } from 'preact';
import { type MaintenanceView } from '../../../contexts/maintenance/maintenance.dto.js';
import { ActForm, Field } from '../../components/form.js';
import { Facts } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { type Visit } from '../../screen.js';

interface MaintenanceProps {
  readonly visit: Visit;
  readonly maintenance: MaintenanceView | null;
}

/** Whether changes are refused, with the forms that begin and end that. */
export function MaintenancePart({ visit, maintenance }: MaintenanceProps): VNode {
  return (
    <>
      <h2 id="maintenance">Maintenance</h2>
      {maintenance === null ? (
        <p class="soft">
          Every call is accepted. During maintenance, every instance refuses lookups, reports and administrators’ changes with the reason,
          and goes on to serve calls that read and to send webhooks.
        </p>
      ) : (
        <InForce maintenance={maintenance} />
      )}
      {maintenance === null ? null : <ActForm visit={visit} action="/console/maintenance/end" label="End maintenance" />}
      <ActForm
        visit={visit}
        action="/console/maintenance/begin"
        label={maintenance === null ? 'Begin maintenance' : 'Replace reason and end'}
      >
        <Field
          label="Reason"
          name="reason"
          value={maintenance?.reason}
          required
          hint="Shown to partners, and kept in the log: name no person."
        />
        <Field
          label="Until (UTC)"
          name="until"
          type="datetime-local"
          value={maintenance?.until?.slice(0, 16)}
          hint="Maintenance ends by itself at this time. Empty: it lasts until you end it."
        />
      </ActForm>
    </>
  );
}

function InForce({ maintenance: { reason, since, until, actor } }: { readonly maintenance: MaintenanceView }): VNode {
  return (
    <Facts
      facts={[
        ['Since (UTC)', <Time at={since} />],
        ['Until (UTC)', until === null ? 'it is ended' : <Time at={until} />],
        ['Reason', reason],
        ['Set by', actor],
      ]}
    />
  );
}
