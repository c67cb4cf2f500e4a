/** The details of a partner as a legal person, in the order in which they are shown. */
export const LEGAL_FIELDS = ['name', 'address', 'tax_id', 'registration_number', 'email'] as const;

export type LegalField = (typeof LEGAL_FIELDS)[number];

/** Null where a detail is not known. */
export type LegalDetails = { readonly [Field in LegalField]: string | null };

/** A JSON merge patch (RFC 7396): a field that is missing stays, null clears it. */
export type LegalPatch = { readonly [Field in LegalField]?: string | null | undefined };

export const NO_LEGAL_DETAILS: LegalDetails = detailsOf(() => null);

/** Returns the details after a patch; null clears all of them, undefined none. */
export function patchedLegal(legal: LegalDetails, patch: LegalPatch | null | undefined): LegalDetails {
  if (patch === null) return NO_LEGAL_DETAILS;
  return detailsOf((field) => (patch?.[field] === undefined ? legal[field] : patch[field]));
}

export function sameLegal(one: LegalDetails, other: LegalDetails): boolean {
  return LEGAL_FIELDS.every((field) => one[field] === other[field]);
}

function detailsOf(valueOf: (field: LegalField) => string | null): LegalDetails {
  return Object.fromEntries(LEGAL_FIELDS.map((field) => [field, valueOf(field)])) as LegalDetails;
}
