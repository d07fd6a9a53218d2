import { PassThrough, Readable } from 'node:stream';
import { Interrupted, UsageFault } from './cli-process.ts';
import { promptKey } from './prompt-key.ts';

function terminal() {
  const shown: string[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const signal = new AbortController();
  const read = () =>
    promptKey({ input, writeError: (text) => void shown.push(text), signal: signal.signal });
  return { input, shown, signal, read };
}

const piped = (text: string) =>
  promptKey({
    input: Readable.from([Buffer.from(text)]),
    writeError: () => undefined,
    signal: new AbortController().signal,
  });

test('a key that is typed is not shown, nor are its corrections', async () => {
  const { input, shown, read } = terminal();

  const key = read();
  input.write('inv_kez\u007fy\r');

  expect(await key).toBe('inv_key');
  expect(shown).toEqual(['API key (it is not shown): ', '\n']);
});

test('Ctrl-C ends the prompt as interrupted, Ctrl-D as one without a key', async () => {
  const [interrupted, ended] = [terminal(), terminal()];
  const reads = [interrupted.read(), ended.read()];
  interrupted.input.write('inv\u0003');
  ended.input.write('\u0004');

  await expect(reads[0]).rejects.toThrow(Interrupted);
  await expect(reads[1]).rejects.toThrow(UsageFault);
});

test('a key from a pipe is its text without the line end; nothing and a whole file are none', async () => {
  expect(await piped('inv_key\r\n')).toBe('inv_key');
  await expect(piped('\n')).rejects.toThrow('standard input has no key');
  await expect(piped('x'.repeat(5_000))).rejects.toThrow('standard input is no key');
});
