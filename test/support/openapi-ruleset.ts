import { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/** The rules of Spectral for OpenAPI, without those that are wrong for this service. */
export const OPENAPI_RULESET = {
  extends: [rulesets.oas],
  rules: {
    // Each partner has a person as contact. The service knows no address of theirs, and one that nobody reads would be worse than none.
    'info-contact': 'off',
    // Every operation has a summary, which Redocly's rules require. A description is there only where it adds something to the summary.
    'operation-description': 'off',
  },
} as RulesetDefinition;
