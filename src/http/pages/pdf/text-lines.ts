import bidiFactory, { type Bidi, type EmbeddingLevels } from 'bidi-js';
import { type Font } from 'fontkit';
import { fontOf, type Script, type Weight, widthIn } from './fonts.js';

/** A part of a line in one font and one direction. Its text is in the order in which `fontkit` lays it out. */
interface Run {
  readonly text: string;
  readonly font: Font;
  /** In points. */
  readonly width: number;
}

/** Runs from left to right. */
export type TextLine = readonly Run[];

export interface TextStyle {
  readonly weight: Weight;
  /** In points. */
  readonly size: number;
}

/** An index of a text's UTF-16 code units, and the index behind its last one. */
type Range = readonly [from: number, to: number];

// The types describe an ES module, but Node loads the CommonJS one, whose only export is the function.
const bidi = (bidiFactory as unknown as () => Bidi)();
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const SPACES = /[\p{Cc}\s]+/gu;
/** Marks without a shape, such as those that change the direction, except for the joiners that Arabic script needs. */
const INVISIBLE = /[^\P{Cf}\u{200c}\u{200d}]/gu;
const MARK = /[\p{M}\p{Cf}]/u;
/** Characters that may run from right to left, or be Arabic. Most texts have none, and need neither the algorithm nor a second font. */
const NOT_LATIN = /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ARABIC = /\p{Script_Extensions=Arabic}/u;
const ARABIC_LETTER = /\p{Script=Arabic}/u;

/**
 * Breaks a text into lines that are no wider than `width` points, at spaces, and within words that are longer than a line. Arabic runs from
 * right to left by the Unicode Bidirectional Algorithm; a text has the direction of its first letter. No line for an empty text.
 */
export function linesOf(text: string, style: TextStyle, width: number): TextLine[] {
  const plain = text.toWellFormed().normalize('NFC').replace(SPACES, ' ').replace(INVISIBLE, '').trim();
  return new Paragraph(plain, style).lines(width);
}

class Paragraph {
  /** Undefined for a text that runs from left to right in the Latin font alone. */
  private readonly levels: EmbeddingLevels | undefined;
  /** The script of each code unit; without levels, none. */
  private readonly scripts: readonly Script[];

  constructor(
    private readonly text: string,
    private readonly style: TextStyle,
  ) {
    this.levels = NOT_LATIN.test(text) ? bidi.getEmbeddingLevels(text, 'auto') : undefined;
    this.scripts = this.levels ? this.findScripts() : [];
  }

  lines(width: number): TextLine[] {
    return this.ranges(width).map((range) => this.lineOf(range));
  }

  private findScripts(): Script[] {
    const scripts: Script[] = [];
    for (const character of this.text) {
      const script = this.scriptOf(character, scripts.length, scripts.at(-1));
      scripts.push(...Array<Script>(character.length).fill(script));
    }
    return scripts;
  }

  private scriptOf(character: string, at: number, before: Script | undefined): Script {
    // A mark belongs to its letter, and only the font of the letter can place it.
    if (before !== undefined && MARK.test(character)) return before;
    if (ARABIC.test(character)) return 'arabic';
    const isInArabic = this.isRightToLeft(at) && fontOf('arabic', this.style.weight).hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
    return isInArabic ? 'arabic' : 'latin';
  }

  private isRightToLeft(at: number): boolean {
    return (this.levels?.levels[at] ?? 0) % 2 === 1;
  }

  private ranges(width: number): Range[] {
    const ranges: Range[] = [];
    let [from, to, used] = [0, 0, 0];
    for (const { 0: word, index } of this.text.matchAll(/[^ ]+/g)) {
      const needed = this.widthOf([index, index + word.length]);
      // Between words in Arabic, the space is one of the Arabic font.
      const space = to > from ? this.widthOf([to, index]) : 0;
      if (to > from && used + space + needed <= width) {
        [to, used] = [index + word.length, used + space + needed];
        continue;
      }
      if (to > from) ranges.push([from, to]);
      const parts = needed <= width ? [[index, index + word.length] as const] : this.partsOf(word, index, width);
      ranges.push(...parts.slice(0, -1));
      [from, to] = parts.at(-1) ?? [index, index];
      used = this.widthOf([from, to]);
    }
    if (to > from) ranges.push([from, to]);
    return ranges;
  }

  /** Breaks a word that is longer than a line: after a hyphen, or between the characters that a reader sees. */
  private partsOf(word: string, begins: number, width: number): Range[] {
    const parts: Range[] = [];
    let [from, used, hyphen] = [begins, 0, begins];
    for (const { segment, index } of GRAPHEMES.segment(word)) {
      const at = begins + index;
      const needed = this.widthOf([at, at + segment.length]);
      if (used + needed > width && at > from) {
        const cut = hyphen > from ? hyphen : at;
        parts.push([from, cut]);
        [from, used] = [cut, this.widthOf([cut, at])];
      }
      used += needed;
      if (segment === '-') hyphen = at + 1;
    }
    parts.push([from, begins + word.length]);
    return parts;
  }

  private widthOf([from, to]: Range): number {
    if (!this.levels) return widthIn(fontOf('latin', this.style.weight), this.text.slice(from, to), this.style.size);
    let width = 0;
    for (let begin = from, end = from; begin < to; begin = end) {
      const script = this.scripts[begin] ?? 'latin';
      while (end < to && this.scripts[end] === script) end += 1;
      width += widthIn(fontOf(script, this.style.weight), this.text.slice(begin, end), this.style.size);
    }
    return width;
  }

  private lineOf([from, to]: Range): TextLine {
    const { levels } = this;
    if (!levels) return [this.runOf('latin', this.text.slice(from, to))];
    return this.visualRanges(levels, from, to).map(([begin, end]) => {
      const script = this.scripts[begin] ?? 'latin';
      return this.runOf(script, this.isRightToLeft(begin) ? this.mirrored(levels, begin, end) : this.text.slice(begin, end));
    });
  }

  /** Returns the parts of a line that have one direction and one script, from left to right. */
  private visualRanges(levels: EmbeddingLevels, from: number, to: number): Range[] {
    const ranges: [number, number][] = [];
    // The library returns the indices of the whole text, and moves those of this line.
    for (const at of bidi.getReorderedIndices(this.text, levels, from, to - 1).slice(from, to)) {
      const last = ranges.at(-1);
      const isSame =
        last !== undefined && this.scripts[last[0]] === this.scripts[at] && this.isRightToLeft(last[0]) === this.isRightToLeft(at);
      if (isSame && !this.isRightToLeft(at) && last[1] === at) last[1] = at + 1;
      else if (isSame && this.isRightToLeft(at) && last[0] === at + 1) last[0] = at;
      else ranges.push([at, at + 1]);
    }
    return ranges;
  }

  /** Returns a part that runs from right to left, with its brackets turned round. fontkit reverses a text only if it has an Arabic letter. */
  private mirrored({ levels }: EmbeddingLevels, from: number, to: number): string {
    const mirrors = bidi.getMirroredCharactersMap(this.text, levels, from, to - 1);
    const text = Array.from({ length: to - from }, (_, index) => mirrors.get(from + index) ?? this.text.charAt(from + index)).join('');
    if (ARABIC_LETTER.test(text)) return text;
    return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)
      .reverse()
      .join('');
  }

  private runOf(script: Script, text: string): Run {
    const font = fontOf(script, this.style.weight);
    return { text, font, width: widthIn(font, text, this.style.size) };
  }
}
