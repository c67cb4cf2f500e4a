import { VARIABLES } from './declaration.js';
import { fileVariable, type Variable } from './variable.js';

/** A variable as docs/settings.md shows it. */
export interface DocumentedSetting {
  readonly name: string;
  /** As text: setting the variable to it changes nothing. */
  readonly value?: string;
  /** The default in words, where no text can be it. */
  readonly otherwise?: string;
  readonly form: string;
  readonly sentence: string;
}

/** Every variable that is read, `_FILE` variants included. */
export const DOCUMENTED: readonly DocumentedSetting[] = VARIABLES.flatMap((variable) => [
  documented(variable),
  ...(variable.secret
    ? [{ name: fileVariable(variable), otherwise: 'none', form: 'path', sentence: `A file that holds ${variable.name}, in its place.` }]
    : []),
]);

function documented({ name, type, default: otherwise, sentence }: Variable<unknown>): DocumentedSetting {
  const byDefault = typeof otherwise === 'string' ? { value: otherwise } : { otherwise: otherwise.words };
  return { name, ...byDefault, form: type.description ?? '', sentence };
}

/** docs/settings.md, whole. */
export function settingsPage(): string {
  const rows = DOCUMENTED.map(
    ({ name, value, otherwise = '', form, sentence }) =>
      `| \`${name}\` | ${value === undefined ? otherwise : `\`${value}\``} | ${form} | ${sentence} |`,
  );
  return [
    '# Settings',
    '',
    'From the environment, or a `.env` file in the working directory. A wrong or missing one stops the start with a sentence that names it and says what to do. `rupa doctor` checks a deployment with them.',
    '',
    '| Variable | Default | Unit or form | |',
    '|---|---|---|---|',
    ...rows,
    '',
    'Written by `npm run settings-table` from the declarations in `src/app/settings/declared/`.',
    '',
  ].join('\n');
}
