import { describe, expect, it } from '@jest/globals';
import { type PlacedText, sheetsOf, textOf } from '../../../../test/support/unit/pdf-text.js';
import { type Paper, type PaperTable, type Row } from '../paper.js';
import { paperPdf } from './paper-pdf.js';

/** Points of A4, and of the margins at its sides. */
const [WIDTH, HEIGHT, SIDE] = [595.28, 841.89, 48];

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ cells: ['2026-03-09T14:31:00.000Z', `INV-${n}`, 'Payment', `${n},234.50`] }));

const movements = (given: Partial<PaperTable> = {}): PaperTable => ({
  title: 'Credits',
  form: 'movements',
  columns: [{ head: 'Time', kind: 'time' }, { head: 'Reference' }, { head: 'Reason' }, { head: 'NGN', kind: 'number' }],
  rows: rows(3),
  total: '3,703.50',
  ...given,
});

const paper = (given: Partial<Paper> = {}): Paper => ({
  title: 'Statement of March',
  author: 'Rupa Ltd',
  madeAt: '2026-04-02T08:00:00.000Z',
  heading: 'Statement, March 2026',
  whose: 'Savannah Demo Bank',
  facts: [['Statement ', { code: 'S-1' }, ', made ', { time: '2026-04-02T08:00:00.000Z' }]],
  notes: [],
  parts: [movements()],
  foot: 'Statement S-1',
  ...given,
});

const pdf = async (given: Partial<Paper> = {}): Promise<Buffer> => Buffer.concat(await Array.fromAsync(paperPdf(paper(given))));

const named = async (whose: string): Promise<string> => (await textOf(await pdf({ whose })))[0] ?? '';

const inside = ({ x, y, width }: PlacedText): boolean => x >= SIDE - 0.1 && x + width <= WIDTH - SIDE + 0.1 && y > 0 && y < HEIGHT;

describe('a paper as PDF', () => {
  it('shows the head, the tables with their sums, and the foot', async () => {
    const [text = ''] = await textOf(await pdf({ notes: ['Sandbox: this is play money.'] }));
    for (const part of [
      'Statement, March 2026 Savannah Demo Bank Statement S-1, made 2026-04-02 08:00 Sandbox: this is play money. Credits',
      'Time Reference Reason NGN 2026-03-09 14:31 INV-0 Payment 0,234.50',
      'Total 3,703.50',
      'Page 1 of 1',
    ])
      expect(text).toContain(part);
  });

  it('has the same bytes whenever it is made, whatever was made in between', async () => {
    const whose = 'Ndị Ọrụ Ugbo ị̀ شركة المزارعين';
    const first = await pdf({ whose });
    await pdf({ whose: 'í ì Ọ́ ẹ́ رزن' });
    expect(await pdf({ whose })).toStrictEqual(first);
    expect(await pdf({ whose, madeAt: '2026-04-02T08:00:00.999Z' })).toStrictEqual(first);
    expect(await pdf({ whose, madeAt: '2026-04-02T08:00:01.000Z' })).not.toStrictEqual(first);
  });

  it.each(['Ọ̀ṣun Àgbẹ̀ Cooperative ₦', 'Ndị Ọrụ Ugbo, ụ́ ị̀ Ẹ́ ọ́', 'Ƙungiyar Manoma ta Ɗanƙo ƴ ɓ', 'شركة المزارعين', 'مُحَمَّد', 'ڟٻڧڢ', '農民'])(
    'contains the characters of %s, which one can search and copy',
    async (name) => {
      // Readers order the parts of a line that runs from right to left in their own ways, so a name has one direction here.
      expect((await named(name)).replaceAll(' ', '')).toContain(name.normalize('NFC').replaceAll(' ', ''));
    },
  );

  it('embeds its fonts, and only the glyphs that it uses', async () => {
    const bytes = await pdf();
    expect(bytes.toString('latin1').match(/\/FontFile2/g)).toHaveLength(2);
    expect(bytes.length).toBeLessThan(40_000);
    expect((await pdf({ whose: 'شركة' })).toString('latin1').match(/\/FontFile2/g)).toHaveLength(3);
  });

  it('breaks long names and words into lines, and cuts nothing off', async () => {
    const names = [
      'Ọ̀ṣun Àgbẹ̀ Cooperative Society '.repeat(9).slice(0, 255),
      'W'.repeat(255),
      'Wẹ́'.repeat(85),
      'شركة المزارعين '.repeat(17),
    ];
    for (const name of names) {
      const cells = ['2026-03-09T14:31:00.000Z', name, name, '9,999,999,999,999,999,999,999.99'];
      const sheets = await sheetsOf(await pdf({ whose: name, parts: [movements({ rows: [{ cells }], total: '9'.repeat(60) })] }));
      expect(sheets.flat().filter((text) => !inside(text))).toStrictEqual([]);
      const letters = (of: string): string => Array.from(of.normalize('NFD').replaceAll(' ', '')).sort().join('');
      const whole = letters(
        sheets
          .flat()
          .map(({ text }) => text)
          .join(''),
      );
      for (const letter of new Set(letters(name))) {
        const times = letters(name).split(letter).length - 1;
        expect(whole.split(letter).length - 1).toBeGreaterThanOrEqual(3 * times);
      }
    }
  });

  it.each([40, 400])('repeats the heads of a table of %d rows on each sheet, numbers the sheets, and has every row once', async (count) => {
    const sheets = await sheetsOf(await pdf({ parts: [movements({ rows: rows(count) })] }));
    expect(sheets.length).toBeGreaterThan(count / 45);
    sheets.forEach((sheet, index) => {
      const texts = sheet.map(({ text }) => text);
      expect(texts).toContain('Reference');
      expect(texts.join(' ')).toContain(`Page ${index + 1} of ${sheets.length}`);
      expect(texts).toContain('Statement S-1');
      expect(sheet.filter((text) => !inside(text))).toStrictEqual([]);
    });
    const references = sheets.flat().flatMap(({ text }) => (text.startsWith('INV-') ? [text] : []));
    expect(references).toStrictEqual(rows(count).map(({ cells }) => cells[1]));
  });

  it('aligns amounts at the right', async () => {
    const [sheet = []] = await sheetsOf(await pdf({ parts: [movements({ rows: rows(200).slice(8, 12) })] }));
    const ends = sheet.filter(({ text }) => text.endsWith('.50')).map(({ x, width }) => (x + width).toFixed(1));
    expect(ends).toHaveLength(5);
    expect(new Set(ends).size).toBe(1);
  });

  it('draws an amount that is too long for its column in one piece, inside its column', async () => {
    const amounts = ['70,368,744,177,664.00', '−70,368,744,177,664.00', '1.00'];
    const columns = [{ head: 'Fee' }, ...amounts.map((_, n) => ({ head: `Amount ${n}`, kind: 'amount' as const }))];
    const [sheet = []] = await sheetsOf(await pdf({ parts: [movements({ columns, rows: [{ cells: ['Identity', ...amounts] }] })] }));
    const drawn = amounts.map((amount) => sheet.find(({ text }) => text === amount));
    expect(drawn.map((text) => text?.text)).toStrictEqual(amounts);
    const [first, second, third] = drawn;
    for (const [one, next] of [
      [first, second],
      [second, third],
    ])
      expect((one?.x ?? 0) + (one?.width ?? 0)).toBeLessThan(next?.x ?? 0);
    expect(sheet.filter((text) => !inside(text))).toStrictEqual([]);
  });

  it('says that a table without rows has none', async () => {
    expect((await textOf(await pdf({ parts: [movements({ rows: [] })] })))[0]).toMatch(/Credits None\./);
  });

  it('draws a row that is higher than a sheet over several sheets', async () => {
    const cells = ['2026-03-09T14:31:00.000Z', 'INV-1', 'reason '.repeat(2_000), '1.00'];
    const sheets = await textOf(await pdf({ parts: [movements({ rows: [{ cells }] })] }));
    expect(sheets.length).toBeGreaterThan(2);
    expect(sheets.join(' ').match(/reason/g)).toHaveLength(2_000);
  });

  it('yields a sheet when it is full, before it reads the next rows', async () => {
    let read = 0;
    function* endless(): Generator<Row> {
      for (;;) {
        read += 1;
        yield* rows(1);
      }
    }
    const sheets = paperPdf(paper({ parts: [movements({ rows: endless() })] }));
    for (let taken = 1; taken <= 20; taken += 1) {
      await sheets.next();
      expect(read).toBeLessThan(taken * 60);
    }
    await sheets.return(undefined);
  });
});
