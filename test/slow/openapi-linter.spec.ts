import { describe, expect, it } from '@jest/globals';
import spectral from '@stoplight/spectral-core';
import { type Audience, documentFor } from '../../src/documentation/openapi/audiences.js';
import { readDocument } from '../support/document.js';
import { OPENAPI_RULESET } from '../support/openapi-ruleset.js';

const AUDIENCES: readonly Audience[] = ['partner', 'admin'];

/** Returns what Spectral finds, errors and warnings alike. */
async function problemsOf(document: object): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(OPENAPI_RULESET);
  const found = await linter.run(document as Record<string, unknown>);
  return found.map(({ code, message, path }) => `${code}: ${message} (${path.join(' > ')})`);
}

describe('the document', () => {
  it.each(AUDIENCES)('passes Spectral without an error or a warning (%s)', async (audience) => {
    expect(await problemsOf(documentFor(audience, readDocument()))).toStrictEqual([]);
  });

  it('would not pass with an operation without an id and with a reference to nothing', async () => {
    const { paths, webhooks: _none, ...rest } = readDocument();
    const ofAccount = Object.fromEntries(Object.entries(paths).filter(([path]) => path === '/v1/rupa/me'));
    const broken = structuredClone(documentFor('partner', { ...rest, paths: ofAccount }));
    const operation = broken.paths['/v1/rupa/me']?.get;
    delete operation?.operationId;
    Object.assign(operation?.responses ?? {}, { 418: { $ref: '#/components/responses/Nowhere' } });
    const rules = (await problemsOf(broken)).map((problem) => problem.split(':')[0]);
    expect(new Set(rules)).toStrictEqual(new Set(['operation-operationId', 'invalid-ref']));
  });
});
