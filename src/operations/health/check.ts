// Health check of a container: asks the process on this machine whether it is ready. Exits with 1 and prints the reason if it is not.
const { HOST = '', PORT = '3000' } = process.env;
const everywhere = ['', '0.0.0.0', '::'].includes(HOST);
const host = everywhere ? '127.0.0.1' : HOST;
const TIMEOUT_MS = 8_000;

try {
  const response = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${PORT}/health/ready`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(((await response.json()) as { message?: string }).message ?? `status ${response.status}`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
