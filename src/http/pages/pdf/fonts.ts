import { create, type Font, type Glyph, type GlyphRun, type Subset } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export type Script = 'latin' | 'arabic';
export type Weight = 'regular' | 'bold';

const packages = createRequire(import.meta.url);

/**
 * Noto Sans places the tone marks of Yoruba and Igbo on letters with dots below, and has ₦. Scheherazade New has the Arabic letters of African
 * languages, and draws each letter as one glyph, so that copied text has the letter; Noto's Arabic draws several letters as the same shape.
 */
const FILES: Readonly<Record<Script, Readonly<Record<Weight, string>>>> = {
  latin: {
    regular: packages.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
    bold: packages.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
  },
  arabic: {
    regular: packages.resolve('@expo-google-fonts/scheherazade-new/400Regular/ScheherazadeNew_400Regular.ttf'),
    bold: packages.resolve('@expo-google-fonts/scheherazade-new/700Bold/ScheherazadeNew_700Bold.ttf'),
  },
};

const loaded = new Map<string, Font>();

/** Returns a font, which is read once in a process: reading one takes some 10 ms. */
export function fontOf(script: Script, weight: Weight): Font {
  const path = FILES[script][weight];
  let font = loaded.get(path);
  if (!font) {
    const read = create(readFileSync(path));
    if (!('layout' in read)) throw new Error(`${path} is a collection of fonts, but must be one font.`);
    font = forDocuments(read, script === 'latin' ? featuresFor : () => undefined);
    loaded.set(path, font);
  }
  return font;
}

/** Returns the width of a text in points. */
export function widthIn(font: Font, text: string, size: number): number {
  return (font.layout(text).advanceWidth * size) / font.unitsPerEm;
}

/** The part of a glyph that pdfkit reads. */
interface DrawnGlyph {
  /** The number of the drawing in the font, and the characters that it stands for. */
  readonly id: string;
  readonly advanceWidth: number;
  readonly codePoints: readonly number[];
}

/** The part of a text's layout that pdfkit reads. */
interface DrawnRun extends Pick<GlyphRun, 'positions' | 'advanceWidth'> {
  readonly glyphs: readonly DrawnGlyph[];
}

/** A text is laid out to find its width, and again to be drawn. */
const REMEMBERED_RUNS = 500;

/** Texts of letters that are one glyph each, whatever stands beside them: ASCII, Latin letters with their marks, dashes, quotation marks, ₦ and −. */
const SIMPLE = /^[ -~\u00a1-\u024f\u1e00-\u1eff\u2010-\u2027\u20a6\u2212]*$/;
/** An i or a j that loses its dot to a mark. */
const DOTTED = /\p{Soft_Dotted}\p{M}/u;

/**
 * Noto Sans draws ẹ as an e and a dot, although it has a glyph for ẹ. Programs that copy text from a document then lose the dot or move it, so
 * letters are not taken apart (`ccmp`) but where an i must lose its dot.
 */
function featuresFor(text: string): Readonly<Record<string, boolean>> | undefined {
  return DOTTED.test(text) ? undefined : { ccmp: false };
}

/**
 * Changes a font in two ways.
 *
 * - It may serve any number of documents. fontkit remembers for each glyph the characters of its first use, also if it is used for others
 *   later, such as an i without a dot for both í and ị. Text that is copied from a document would then contain characters of another one. So
 *   a glyph counts as several, one for each of the characters that it stands for.
 * - Simple texts are laid out character by character, without kerning. Shaping takes some 30 times as long, and most texts are simple.
 */
function forDocuments(font: Font, featuresOf: typeof featuresFor): Font {
  const getGlyph = font.getGlyph.bind(font);
  const createSubset = font.createSubset.bind(font);
  const shape = font.layout.bind(font);
  const simple: DrawnGlyph[] = [];
  const simpleGlyph = (character: string): DrawnGlyph => {
    const code = character.charCodeAt(0);
    return (simple[code] ??= drawnGlyph(font.glyphForCodePoint(code)));
  };
  font.getGlyph = (id, codePoints = []) => Object.create(getGlyph(id), { codePoints: { value: codePoints } }) as Glyph;
  const runs = new LRUCache<string, DrawnRun>({ max: REMEMBERED_RUNS });
  font.layout = (text) => {
    if (SIMPLE.test(text)) return forOneUse(unshaped(Array.from(text, simpleGlyph)));
    let run = runs.get(text);
    if (!run) {
      const { glyphs, positions, advanceWidth } = shape(text, featuresOf(text));
      run = { glyphs: withCharacters(glyphs).map(drawnGlyph), positions, advanceWidth };
      runs.set(text, run);
    }
    return forOneUse(run);
  };
  font.createSubset = () => withSeveralOfAGlyph(createSubset() as SubsetGlyphs);
  return font;
}

/** Gives each glyph the characters that it draws. Where one character became several glyphs, they share its letter and its marks. */
function withCharacters(glyphs: readonly Glyph[]): Pick<Glyph, 'id' | 'advanceWidth' | 'codePoints'>[] {
  let marks: number[] = [];
  return glyphs.map(({ id, advanceWidth, codePoints }, at) => {
    if (codePoints.length === 0) return { id, advanceWidth, codePoints: marks.splice(0, 1) };
    marks = [];
    if (glyphs[at + 1]?.codePoints.length !== 0) return { id, advanceWidth, codePoints };
    const [letter, ...rest] = Array.from(
      String.fromCodePoint(...codePoints).normalize('NFD'),
      (character) => character.codePointAt(0) ?? 0,
    );
    marks = rest;
    return { id, advanceWidth, codePoints: letter === undefined ? [] : [letter] };
  });
}

function drawnGlyph({ id, advanceWidth, codePoints }: Pick<Glyph, 'id' | 'advanceWidth' | 'codePoints'>): DrawnGlyph {
  return { id: `${id} ${codePoints.join(' ')}`, advanceWidth, codePoints };
}

/** The glyphs of a document's font as fontkit holds them, in the order of their numbers in the document. */
interface SubsetGlyphs extends Subset {
  readonly glyphs: number[];
  readonly mapping: Record<string | number, number>;
}

/** @returns the subset, to which one adds glyphs by the id of a {@link DrawnGlyph} or, of parts of a glyph, the number in the font */
function withSeveralOfAGlyph(subset: SubsetGlyphs): SubsetGlyphs {
  return Object.assign(subset, {
    includeGlyph: (id: string | number): number =>
      (subset.mapping[id] ??= subset.glyphs.push(typeof id === 'number' ? id : parseInt(id)) - 1),
  });
}

function unshaped(glyphs: readonly DrawnGlyph[]): DrawnRun {
  return {
    glyphs,
    positions: glyphs.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 })),
    advanceWidth: glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0),
  };
}

/** pdfkit scales the positions in place, so it gets copies. */
function forOneUse(run: DrawnRun): GlyphRun {
  return { ...run, positions: run.positions.map((position) => ({ ...position })) } as unknown as GlyphRun;
}
