import { type VNode } from 'preact';
import { GetPartnersPage } from '../../contexts/partners/registering/get-partners.query.js';
import { PartnersQueryDto } from '../../contexts/partners/registering/partners.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { AdminApiError } from '../admin-api.js';
import { type Visit } from '../screen.js';
import { useTyped } from './form.js';

/** Partners that a field suggests at once. */
const SUGGESTED = 50;
export const SUGGESTIONS_PATH = '/partners/suggestions';
/** The module of a page with such a field. */
export const PARTNER_FIELD_MODULE = 'partner-field';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A partner as a field suggests it. */
export interface SuggestedPartner {
  readonly partner_id: string;
  readonly company_name: string;
}

/**
 * Returns the partners with a part of a name, the newest first. It is asked while somebody types, so the audit trail has the calls that made
 * the page, and not one for each letter.
 * @throws AdminApiError for a text that no list can be searched for
 */
export async function partnersNamed({ queries }: Pick<Visit, 'queries'>, text: string): Promise<readonly SuggestedPartner[]> {
  const { search } = searchFor(text);
  return (await queries.execute(new GetPartnersPage({ search }, 'newest', SUGGESTED))).items;
}

/**
 * Returns the id of the partner that was entered into such a field. Browsers put the id into it when a suggestion is chosen; a name is there
 * if somebody typed it and chose none, such as where scripts do not run.
 * @throws AdminApiError if no partner, or more than one, has that in its name
 */
export async function partnerIdIn(visit: Pick<Visit, 'queries'>, entered: string): Promise<string> {
  if (UUID.test(entered)) return entered;
  const found = await partnersNamed(visit, entered);
  const exact = found.filter(({ company_name }) => company_name === entered);
  const [only, another] = exact.length > 0 ? exact : found;
  if (only && !another) return only.partner_id;
  const names = found.slice(0, NAMED).map(({ company_name, partner_id }) => `${company_name} (${partner_id})`);
  const several = `Several partners have “${entered}” in their name: ${names.join(', ')}${found.length > NAMED ? ' …' : ''}. Enter the id.`;
  throw new AdminApiError(422, 'validation_failed', only ? several : `No partner has “${entered}” in its name. Enter a part of the name.`);
}

/** Validates the text as the list of partners does: it did not come through the admin interface. */
function searchFor(text: string): PartnersQueryDto {
  try {
    return validateBody(PartnersQueryDto, text === '' ? {} : { search: text });
  } catch (error) {
    if (error instanceof ValidationFailed) throw new AdminApiError(422, 'validation_failed', error.sentences.join(' '));
    throw error;
  }
}

const NAMED = 5;

interface PartnerFieldProps {
  readonly label?: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly partners: readonly SuggestedPartner[];
}

/** A field for a partner, which suggests by name and holds the id. */
export function PartnerField({ label = 'Partner', name, value, required, partners }: PartnerFieldProps): VNode {
  const shown = useTyped(name, value);
  const [list, hint] = [`partners-${name}`, `hint-partners-${name}`];
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        <input
          name={name}
          list={list}
          autocomplete="off"
          required={required ?? false}
          {...(shown === undefined ? {} : { value: shown })}
          data-partners={`/console${SUGGESTIONS_PATH}`}
          aria-describedby={hint}
        />
      </label>
      <datalist id={list}>
        {partners.map(({ partner_id, company_name }) => (
          <option value={partner_id}>{company_name}</option>
        ))}
      </datalist>
      <small id={hint}>Type a part of the name, and choose.</small>
    </div>
  );
}
