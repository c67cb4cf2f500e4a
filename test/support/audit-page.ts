import { readFileSync } from 'node:fs';

/** Returns the code block of a language under a heading of docs/audit.md. */
export function programOfAuditPage(heading: string, language: string): string {
  const page = readFileSync('docs/audit.md', 'utf8');
  const section = page.slice(page.indexOf(`# ${heading}\n`));
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, 'm').exec(section) ?? [];
  if (code === undefined || section === '') throw new Error(`docs/audit.md has no ${language} under "${heading}".`);
  return code;
}
