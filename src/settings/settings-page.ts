import { VARIABLES } from './declaration.js';
import { fileVariable, type Variable } from './variable.js';

/** A variable as docs/settings.md shows it. */
export interface DocumentedSetting {
  readonly name: string;
  /** The default as a value that the variable could be set to. */
  readonly value?: string;
  /** The default in words, if it is not a fixed value. */
  readonly defaultInWords?: string;
  readonly form: string;
  readonly description: string;
}

/** Every variable that is read, `_FILE` variants included. */
export const DOCUMENTED: readonly DocumentedSetting[] = VARIABLES.flatMap((variable) => [
  documented(variable),
  ...(variable.secret
    ? [
        {
          name: fileVariable(variable),
          defaultInWords: 'none',
          form: 'path',
          description: `Path of a file that contains the value of ${variable.name}; use one or the other.`,
        },
      ]
    : []),
]);

function documented({ name, type, default: ownDefault, description }: Variable<unknown>): DocumentedSetting {
  const byDefault = typeof ownDefault === 'string' ? { value: ownDefault } : { defaultInWords: ownDefault.words };
  return { name, ...byDefault, form: type.description ?? '', description };
}

/** Returns the text of docs/settings.md. */
export function settingsPage(): string {
  const rows = DOCUMENTED.map(
    ({ name, value, defaultInWords = '', form, description }) =>
      `| \`${name}\` | ${value === undefined ? defaultInWords : `\`${value}\``} | ${form} | ${description} |`,
  );
  return [
    '# Settings',
    '',
    'Set these environment variables, or write them to a `.env` file in the working directory. If one is wrong or missing, the service does not start; it prints a sentence that names the variable and says what to do. A variable whose name is within two letters of a setting’s is ignored: the start logs its name and the setting’s, and so does the doctor. Run `rupa doctor` to check a deployment with its settings.',
    '',
    '| Variable | Default | Unit or form | Description |',
    '|---|---|---|---|',
    ...rows,
    '',
    '`npm run settings-table` generates this page from the declarations in `src/settings/declared/`.',
    '',
  ].join('\n');
}
