import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type CliProcess, Interrupted, UsageFault } from './cli-process.ts';

const inputBytesMax = 4_096;

interface KeyInput {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly writeError: CliProcess['writeError'];
  readonly signal: AbortSignal;
}

/** A key from a pipe to its end, or typed at a terminal and not shown. */
export async function promptKey({ input, writeError, signal }: KeyInput): Promise<string> {
  const text = input.isTTY ? await typed(input, writeError, signal) : await piped(input);
  const key = text.trim();
  if (key === '') throw new UsageFault('standard input has no key');
  return key;
}

async function piped(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += chunk.toString();
    if (text.length > inputBytesMax) throw new UsageFault('standard input is no key');
  }
  return text;
}

async function typed(
  input: NodeJS.ReadableStream,
  writeError: CliProcess['writeError'],
  signal: AbortSignal,
): Promise<string> {
  // Readline takes the terminal out of its own echo, and has this one to write to.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const ended = new Promise<never>((_resolve, reject) => {
    lines.once('SIGINT', () => reject(new Interrupted(130)));
    lines.once('close', () => reject(new UsageFault('standard input has no key')));
  });
  writeError('API key (it is not shown): ');
  try {
    return await Promise.race([lines.question('', { signal }), ended]);
  } finally {
    lines.close();
    writeError('\n');
  }
}
