import { type PeriodView, type PeriodsView } from '../../../contexts/accounting/closing/periods.dto.js';
import { STATEMENT_FORMATS } from '../../../contexts/accounting/statements/statements.dto.js';
import { queryOf } from '../../admin-api.js';
import { Choice, Filters } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

const STATEMENT_RUNS_PATH = `${BOOKS_PATH}/statements`;

const FORMATS = ['pdf', ...STATEMENT_FORMATS.filter((format) => format !== 'pdf')] as const;

/** The closed months of a mode, each with all of its statements as a file, the newest first. */
export function statementRunsScreen({ query }: Visit, { mode, periods }: PeriodsView): Screen {
  const format = FORMATS.find((each) => each === query.format) ?? 'pdf';
  const columns: readonly Column<PeriodView>[] = [
    { head: 'Month (UTC)', cell: ({ period }) => period },
    { head: 'Closed at (UTC)', cell: ({ closed_at }) => <Time at={closed_at} /> },
    { head: 'Closed by', cell: ({ closed_by }) => closed_by ?? '' },
    {
      head: 'Statements',
      cell: ({ period }) => <a href={`${STATEMENT_RUNS_PATH}/${period}${queryOf({ mode, format })}`}>{`Download all of ${period}`}</a>,
    },
  ];
  return {
    title: 'Statement runs',
    area: 'books',
    body: (
      <>
        <BooksLinks />
        <Filters action={STATEMENT_RUNS_PATH}>
          <ModeChoice mode={mode} />
          <Choice label="Format" name="format" value={format} options={FORMATS.map((each) => [each, each.toUpperCase()])} />
        </Filters>
        <p class="soft">
          A ZIP has a file for each partner that was registered by the month’s end, and manifest.json with their numbers, amounts and
          hashes. It begins at once; PDFs of a thousand partners take minutes. One ZIP is sent at a time.
        </p>
        <Facts
          facts={[
            ['Mode', mode],
            ['Period', 'every closed month'],
          ]}
        />
        <Table
          label="Closed months"
          columns={columns}
          rows={periods.filter(({ status }) => status === 'closed').toReversed()}
          empty={`No month of the ${mode} books is closed. Close one, and its statements no longer change.`}
        />
      </>
    ),
  };
}
