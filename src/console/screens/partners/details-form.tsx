import { type VNode } from 'preact';
import { LEGAL_FIELDS, type LegalField } from '../../../contexts/partners/domain/legal-details.js';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { ActForm, Field, Remembered } from '../../components/form.js';
import { Facts } from '../../components/table.js';
import { type Visit } from '../../screen.js';

const LABELS: Readonly<Record<LegalField, string>> = {
  name: 'Legal name',
  address: 'Address',
  tax_id: 'Tax id',
  registration_number: 'Registration number',
  email: 'Email',
};

/** Shows the details of a partner that invoices and statements have. */
export function LegalFacts({ partner: { customer_number, legal } }: { readonly partner: PartnerView }): VNode {
  return (
    <Facts
      facts={[
        ['Customer number', customer_number.toString()],
        ...LEGAL_FIELDS.map((field) => [LABELS[field], legal[field] ?? <span class="soft">none</span>] as const),
      ]}
    />
  );
}

interface DetailsFormProps {
  readonly visit: Visit;
  readonly partner: PartnerView;
  readonly path: string;
}

/** It remembers every detail as it was shown, so that only what the person edited is changed, and submitting it again changes nothing. */
export function DetailsForm({ visit, partner: { company_name, legal }, path }: DetailsFormProps): VNode {
  return (
    <section>
      <h2>Details</h2>
      <ActForm visit={visit} action={`${path}/details`} label="Save the details">
        <Remembered name="was_company_name" value={company_name} />
        <Field label="Company" name="company_name" value={company_name} required />
        {LEGAL_FIELDS.map((field) => (
          <>
            <Remembered name={`was_${field}`} value={legal[field] ?? ''} />
            <Field label={LABELS[field]} name={field} value={legal[field] ?? ''} {...(field === 'address' ? { rows: 3 } : {})} />
          </>
        ))}
      </ActForm>
    </section>
  );
}
