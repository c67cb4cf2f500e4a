/** Regular expression of an id: a partner's, a lookup's, or a farmer's Rupa ID before it is converted to lower case. */
export const ID_PATTERN = '^[A-Za-z0-9-]{1,64}$';

const ID = new RegExp(ID_PATTERN);
const NUMBER = /^[1-9]\d{0,14}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** Returns the number that the text is the id of, such as that of an endpoint or a delivery; undefined for any other text. */
export function idNumberIn(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}
