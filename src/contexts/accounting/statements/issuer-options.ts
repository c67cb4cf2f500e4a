/** The company that issues the statements, as the operator states it; null for what was not stated. */
export interface Issuer {
  readonly name: string | null;
  readonly address: string | null;
  readonly tax_id: string | null;
}

/** The options of statements, which the application provides. */
export abstract class IssuerOptions {
  abstract readonly issuer: Issuer;
}
