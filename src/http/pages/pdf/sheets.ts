import { type Font } from 'fontkit';
import PDFDocument from 'pdfkit';
import { type Paper } from '../paper.js';
import { COLORS } from '../print-style.js';
import { linesOf, type TextLine, type TextStyle } from './text-lines.js';

export type Color = keyof typeof COLORS;

/** Points left free on both sides, above, and below for the foot. */
const [SIDE, TOP, BOTTOM] = [48, 48, 64];
const FOOT: TextStyle = { weight: 'regular', size: 7.5 };
/** Points from the last line to the foot, and from its number to the right margin: the number of all sheets stands there. */
const [ABOVE_FOOT, OF_ALL] = [18, 22];
/** Points of the foot that "Page 1234 of" may take. */
const NUMBERS = 80;
/** The height of a line, and how far its base line is below its top, in sizes of its font. */
const [LINE_HEIGHT, ASCENT] = [1.4, 1.05];

export interface Placed {
  /** Points from the left margin; default 0. */
  readonly x?: number;
  /** With `endsAt`, the line is aligned right, and ends so many points from the left margin. */
  readonly endsAt?: number;
  readonly color?: Color;
}

/**
 * A4 sheets that are written one after another. A full sheet is done with, so only what the document needs at its end remains: the numbers of
 * its sheets' objects and the glyphs of its fonts.
 */
export class Sheets {
  /** Points between the margins. */
  readonly width: number;
  private readonly pdf: PDFKit.PDFDocument;
  /** Points from the top of a sheet to the end of its text. */
  private readonly bottom: number;
  private readonly fonts = new Set<string>();
  private readonly foot: readonly TextLine[];
  /** A drawing that all sheets show, and that only the end of the document can make: the number of sheets. */
  private readonly ofAll: { readonly content: PDFKit.PDFKitReference; readonly resources: PDFKit.PDFKitReference };
  private repeated: (() => void) | undefined;
  private count = 0;
  private y = TOP;

  constructor({ title, author, madeAt, foot }: Paper) {
    this.pdf = new PDFDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      pdfVersion: '1.7',
      lang: 'en',
      displayTitle: true,
      // Otherwise pdfkit keeps every word, and loads a font of its own, which a bundle does not contain.
      fontLayoutCache: false,
      font: '',
      info: { Title: title, ...(author === null ? {} : { Author: author }), CreationDate: wholeSecond(madeAt) },
    });
    this.pdf.addPage();
    const { width, height } = this.pdf.page;
    this.width = width - 2 * SIDE;
    this.bottom = height - BOTTOM;
    const resources = this.pdf.ref({});
    this.ofAll = {
      resources,
      content: this.pdf.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, width, height], Resources: resources }),
    };
    this.foot = linesOf(foot, FOOT, this.width - OF_ALL - NUMBERS);
    this.begin();
  }

  /** Leaves space free. */
  down(points: number): void {
    this.y += points;
  }

  /** Goes on to the next sheet unless this one has so many points left. What is higher than a sheet begins where it is. */
  need(points: number): void {
    if (this.y + points > this.bottom && points < (this.bottom - TOP) * 0.9) this.next();
  }

  /** Returns the height of a line in points. */
  heightOf(size: number): number {
    return size * LINE_HEIGHT;
  }

  /** Draws a line of text, and goes below it. */
  line(line: TextLine, size: number, placed: Placed = {}): void {
    this.need(this.heightOf(size));
    this.beside(line, size, placed);
    this.down(this.heightOf(size));
  }

  /** Draws a line of text without going below it. */
  beside(line: TextLine, size: number, { x = 0, endsAt, color = 'ink' }: Placed = {}): void {
    const begins = endsAt === undefined ? x : endsAt - line.reduce((sum, run) => sum + run.width, 0);
    this.draw(line, size, SIDE + begins, this.y + size * ASCENT, color);
  }

  /** Fills a rectangle at the left margin, beginning here, without going below it. */
  fill(color: Color, height: number, width = this.width): void {
    this.pdf.rect(SIDE, this.y, width, height).fill(COLORS[color]);
  }

  /** Draws a line from margin to margin. */
  rule(): void {
    const right = SIDE + this.width;
    this.pdf.lineWidth(0.5).strokeColor(COLORS.line).moveTo(SIDE, this.y).lineTo(right, this.y).stroke();
  }

  /** Draws what is to be at the top of the following sheets as well, until this is called again. */
  repeat(draw: (() => void) | undefined): void {
    this.repeated = undefined;
    draw?.();
    this.repeated = draw;
  }

  /** Returns the bytes of the sheets that are full and were not taken yet; null if there are none. */
  taken(): Buffer | null {
    return this.pdf.read() as Buffer | null;
  }

  /** Ends the document, and returns the bytes that were not taken yet. */
  end(): Buffer {
    const { content, resources } = this.ofAll;
    const { page } = this.pdf;
    // pdfkit draws on the page that it holds, so this one writes into the drawing that all sheets show.
    this.pdf.page = Object.assign(Object.create(page) as PDFKit.PDFPage, { content, resources });
    for (const line of linesOf(String(this.count), FOOT, OF_ALL)) this.atFoot(line, { x: this.width - OF_ALL + 2.5 });
    this.pdf.page = page;
    resources.end(undefined);
    content.end(undefined);
    this.pdf.end();
    return this.taken() ?? Buffer.alloc(0);
  }

  private next(): void {
    this.pdf.addPage();
    this.begin();
    this.repeated?.();
  }

  /** Draws the foot of a new sheet. */
  private begin(): void {
    this.count += 1;
    this.foot.forEach((line, index) => {
      this.atFoot(line, {}, index);
    });
    for (const line of linesOf(`Page ${this.count} of`, FOOT, NUMBERS)) this.atFoot(line, { endsAt: this.width - OF_ALL });
    (this.pdf.page.xobjects as Record<string, PDFKit.PDFKitReference>).OfAll = this.ofAll.content;
    this.pdf.addContent('/OfAll Do');
    this.y = TOP;
  }

  private atFoot(line: TextLine, placed: Placed, index = 0): void {
    this.y = this.bottom + ABOVE_FOOT + index * this.heightOf(FOOT.size);
    this.beside(line, FOOT.size, { ...placed, color: 'soft' });
  }

  private draw(line: TextLine, size: number, x: number, baseline: number, color: Color): void {
    this.pdf.fillColor(COLORS[color]);
    let begins = x;
    for (const { text, font, width } of line) {
      // With a list of features, pdfkit lays a text out as a whole; with its width, only once.
      const options = { lineBreak: false, baseline: 'alphabetic' as const, features: [], textWidth: width, wordCount: 1 };
      this.use(font);
      this.pdf.fontSize(size).text(text, begins, baseline, options);
      begins += width;
    }
  }

  private use(font: Font): void {
    const name = font.postscriptName;
    if (!this.fonts.has(name)) {
      this.fonts.add(name);
      // The types do not say that pdfkit takes a font that is read already.
      this.pdf.registerFont(name, font as unknown as Buffer);
    }
    this.pdf.font(name);
  }
}

/** Times of PDF have whole seconds, but pdfkit derives the identifier of a document from the milliseconds, too. */
function wholeSecond(time: string): Date {
  return new Date(new Date(time).setUTCMilliseconds(0));
}
