/** Shows the result of a verification in the element for it: a sentence, and remarks below it. */
export function showNotice(
  output: HTMLElement | null,
  tone: 'plain' | 'good' | 'bad',
  text: string,
  remarks: readonly string[] = [],
): void {
  if (!output) return;
  output.className = `notice ${tone}`;
  output.replaceChildren(...[text, ...remarks].map(paragraphOf));
  output.hidden = false;
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  return paragraph;
}
