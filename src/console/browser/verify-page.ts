/** Script of the page that verifies a wallet: starts the worker, and shows its progress and its result. */
import { showNotice } from './notice.js';
import { type VerifyProgress, type VerifyRequest } from './verify-worker.js';
import { headOf } from './wallet-chain.js';

const form = document.querySelector<HTMLFormElement>('[data-verify]');
const output = document.querySelector<HTMLElement>('[data-verify-result]');
let running: Worker | undefined;

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  // A verification that still runs would show its result in place of what this one says.
  running?.terminate();
  try {
    start(requestIn(new FormData(form)));
  } catch (error) {
    showNotice(output, 'bad', error instanceof Error ? error.message : String(error));
  }
});

/** @throws Error that says which field is missing or wrong */
function requestIn(fields: FormData): VerifyRequest {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const chosen = (name: string): File | undefined => {
    const file = fields.get(name);
    return file instanceof File && file.size > 0 ? file : undefined;
  };
  const [partnerId, file, note] = [text('partner'), chosen('file'), fields.get('note')];
  if (!file && partnerId === '') throw new Error('Enter a partner’s id, or choose the file of an export.');
  const noted = text('noted')
    .split(/\s+/)
    .filter((head) => head !== '');
  for (const head of noted) headOf(head);
  const source = file ?? `/console/wallets/${encodeURIComponent(partnerId)}/export`;
  const [proof, pasted] = [chosen('proof'), typeof note === 'string' ? note : ''];
  if (!proof && pasted.trim() === '') return { source, partnerId, noted };
  if (!proof) throw new Error('Choose the file with the proof: the response of GET /v1/rupa/wallet/proof, which the partner gets.');
  return { source, partnerId, noted, checkpoint: { note: pasted, keys: text('keys'), proof } };
}

function start(request: VerifyRequest): void {
  const worker = new Worker('/console/assets/verify-worker.js', { type: 'module' });
  const began = performance.now();
  running = worker;
  showNotice(output, 'plain', 'Reading the export …');
  worker.addEventListener('message', ({ data }: MessageEvent<VerifyProgress>) => {
    if (data.kind === 'progress') {
      const rate = Math.round((data.entries / (performance.now() - began)) * 1_000);
      showNotice(output, 'plain', `${data.entries.toLocaleString('en-NG')} entries hold so far, ${rate.toLocaleString('en-NG')} a second.`);
      return;
    }
    worker.terminate();
    if (data.kind === 'failed') showNotice(output, 'bad', data.reason);
    else if (data.fault !== undefined) showNotice(output, 'bad', data.fault, data.remarks);
    else
      showNotice(
        output,
        'good',
        `${data.entries === 1 ? '1 entry holds' : `${data.entries.toLocaleString('en-NG')} entries hold`}. The head is ${data.head}. Note it for the next time.`,
        data.remarks,
      );
  });
  worker.addEventListener('error', () => {
    showNotice(output, 'bad', 'The verification could not run in this browser. It needs a current one, over https or on this machine.');
  });
  worker.postMessage(request);
}
