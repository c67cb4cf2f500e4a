import { ApiSchema } from '@nestjs/swagger';

/** Values that the examples of several contexts share: one fictitious farmer and one fictitious partner. */
export const EXAMPLE = {
  rupa_id: 'rp-spvyqbds',
  partner_id: '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
  lookup_id: '7f1d5b52-3c7e-4d2b-9f27-1f4bb7a6a0c3',
  hash: 'c0a1f3d2b4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff',
} as const;

/** Sets the component name of a class in the document, and the example for its requests and responses. */
export function Schema(name: string, example?: object): ClassDecorator {
  return ApiSchema({ name, ...(example ? { examples: [example] } : {}) });
}
