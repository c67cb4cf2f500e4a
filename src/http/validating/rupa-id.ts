/** Regular expression of a Rupa ID before it is converted to lower case. */
export const RUPA_ID_PATTERN = '^[A-Za-z0-9-]{1,64}$';

const RUPA_ID = new RegExp(RUPA_ID_PATTERN);

export function isRupaId(text: string): boolean {
  return RUPA_ID.test(text);
}
