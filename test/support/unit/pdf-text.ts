import { getDocumentProxy } from 'unpdf';

/** A piece of text as it stands on a sheet, in points from the lower left corner. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Returns the texts of each sheet, in the order in which they are drawn, with letters and their marks composed. */
export async function sheetsOf(pdf: Buffer): Promise<PlacedText[][]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const sheets: PlacedText[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    sheets.push(
      items.flatMap((item) => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [, , , , x, y] = item.transform as number[];
        return [{ text: item.str.normalize('NFC'), x: x ?? 0, y: y ?? 0, width: item.width }];
      }),
    );
  }
  await document.cleanup();
  return sheets;
}

/** Returns the text of each sheet, its pieces separated by a space. */
export async function textOf(pdf: Buffer): Promise<string[]> {
  return (await sheetsOf(pdf)).map((sheet) => sheet.map(({ text }) => text).join(' '));
}
