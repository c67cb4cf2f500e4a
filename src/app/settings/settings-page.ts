import { VARIABLES } from './declaration.js';
import { fileVariable, type Variable } from './variable.js';

/** A variable as docs/settings.md shows it. */
export interface DocumentedSetting {
  readonly name: string;
  /** The default as a value that the variable could be set to. */
  readonly value?: string;
  /** The default in words, if it is not a fixed value. */
  readonly otherwise?: string;
  readonly form: string;
  readonly sentence: string;
}

/** Every variable that is read, `_FILE` variants included. */
export const DOCUMENTED: readonly DocumentedSetting[] = VARIABLES.flatMap((variable) => [
  documented(variable),
  ...(variable.secret
    ? [
        {
          name: fileVariable(variable),
          otherwise: 'none',
          form: 'path',
          sentence: `Path of a file that contains the value of ${variable.name}; use one or the other.`,
        },
      ]
    : []),
]);

function documented({ name, type, default: otherwise, sentence }: Variable<unknown>): DocumentedSetting {
  const byDefault = typeof otherwise === 'string' ? { value: otherwise } : { otherwise: otherwise.words };
  return { name, ...byDefault, form: type.description ?? '', sentence };
}

/** Returns the text of docs/settings.md. */
export function settingsPage(): string {
  const rows = DOCUMENTED.map(
    ({ name, value, otherwise = '', form, sentence }) =>
      `| \`${name}\` | ${value === undefined ? otherwise : `\`${value}\``} | ${form} | ${sentence} |`,
  );
  return [
    '# Settings',
    '',
    'Set these environment variables, or write them to a `.env` file in the working directory. If one is wrong or missing, the service does not start; it prints a sentence that names the variable and says what to do. Run `rupa doctor` to check a deployment with its settings.',
    '',
    '| Variable | Default | Unit or form | Description |',
    '|---|---|---|---|',
    ...rows,
    '',
    '`npm run settings-table` generates this page from the declarations in `src/app/settings/declared/`.',
    '',
  ].join('\n');
}
