import { startPlatformSimulator } from './platform-simulator.ts';
import { readSettings } from './settings.ts';

async function main(): Promise<void> {
  const simulator = await startPlatformSimulator(readSettings(process.env));
  const stop = () => {
    simulator.close().catch(fail);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: simulator.url })}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

main().catch(fail);
