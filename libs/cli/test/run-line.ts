import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKey } from '../../client/test/answers.ts';
import type { CliProcess } from '../src/cli-process.ts';
import { runCli } from '../src/run-cli.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A user with a home directory, whose environment has address and key. */
export function createUser(url: () => string) {
  const home = mkdtempSync(join(tmpdir(), 'inventory-cli-'));

  /** Runs a command line in this process; `changes` replace parts of it. */
  async function run(args: readonly string[], changes: Partial<CliProcess> = {}): Promise<Ended> {
    const [out, err]: [Buffer[], string[]] = [[], []];
    const code = await runCli({
      args,
      environment: { INVENTORY_URL: url(), INVENTORY_API_KEY: apiKey },
      homeDirectory: home,
      write: async (data) => void out.push(Buffer.from(data)),
      writeError: (text) => void err.push(text),
      columns: () => undefined,
      errorColumns: () => undefined,
      promptKey: async () => apiKey,
      openTransport: () => Promise.reject(new Error('there is no host')),
      nowMs: () => Date.parse('2026-01-01T00:00:05.000Z'),
      pause: async () => undefined,
      signal: new AbortController().signal,
      ...changes,
    });
    return { code, out: Buffer.concat(out).toString(), err: err.join('') };
  }

  return { home, run, remove: () => rmSync(home, { recursive: true }) };
}
