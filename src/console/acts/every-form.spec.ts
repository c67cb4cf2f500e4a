import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';

/** The files that may write such a form: the one of all acts, the page that confirms an act, and the sign-in and sign-out. */
const WRITERS = [
  'src/console/components/form.tsx',
  'src/console/page.tsx',
  'src/console/serving/confirm-screen.tsx',
  'src/console/sessions/sign-in.tsx',
];
/** A form that is sent to the service, with the fields that tell pages of this service from others. */
const SUBMITTED_FORM = /<form[^>]*method="post"|ServiceFields/;

describe('a form of the console that is submitted', () => {
  it('is made by ActForm, which gives it its key', () => {
    const files = globSync('src/console/**/*.{ts,tsx}').filter((file) => !file.endsWith('.spec.ts'));
    const found = files.filter((file) => SUBMITTED_FORM.test(readFileSync(file, 'utf8')));
    expect(found.toSorted()).toStrictEqual(WRITERS);
  });

  it('is found in a file that writes one itself', () => {
    expect(SUBMITTED_FORM.test('<form class="act" method="post" action={path}>')).toBe(true);
  });

  it('has only fields of the shared components, so that what was typed into it can be filled in again', () => {
    const screens = globSync('src/console/screens/**/*.tsx');
    const own = screens.flatMap((file) => fieldsOutsideOfComponents(readFileSync(file, 'utf8')).map((field) => `${file}: ${field}`));
    expect(own).toStrictEqual([]);
    expect(fieldsOutsideOfComponents('<ActForm action={path}>\n<input type="text" name="a" />\n</ActForm>')).toHaveLength(1);
  });
});

/** Returns the fields in an ActForm that are elements of HTML; hidden ones hold what the page says, not what a person typed. */
function fieldsOutsideOfComponents(text: string): readonly string[] {
  const forms = [...text.matchAll(/<ActForm\b.*?<\/ActForm>/gs)].map(([form]) => form);
  return forms.flatMap((form) => form.match(/<(?:textarea|select|input(?![^>]*type="hidden"))\b[^>]*>/g) ?? []);
}
