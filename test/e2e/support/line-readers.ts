import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { commandOf } from '../../support/command-of.ts';
import { machineEnvironment } from '../../support/start-command.ts';
import { providePythonPackages } from './python-environment.ts';

/** Streams as an HTTP client of others gives them, line by line, in a process of its own. */
export interface LineReader {
  readonly library: string;
  /** Each of its streams by its name. */
  readonly streams: ReadonlyMap<string, ReadStream>;
  stop(): Promise<void>;
}

export interface ReadStream {
  readonly frames: readonly EventSourceMessage[];
  /** `!end` once the client has taken the body as complete; anything else is its complaint. */
  readonly end: () => string | null;
}

/** Its arguments are pairs of a name and an address, the key is in STREAM_KEY. */
interface ReaderProgram {
  readonly library: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const folder = join(__dirname, 'line-readers');
const pythonLibraries = [
  'urllib',
  'requests iter_lines',
  'requests chunk_size=None',
  'requests sseclient-py',
  'httpx',
  'httpx-sse',
  'aiohttp',
  'tornado',
];
const pythonPackages = [
  ...['requests==2.34.2', 'sseclient-py==1.9.0', 'httpx==0.28.1', 'httpx-sse==0.4.3'],
  ...['aiohttp==3.14.5', 'tornado==6.6.1'],
];
const javaLibraries = ['java.net.http', 'HttpURLConnection'];

const skipped = (name: string, reason: unknown): ReaderProgram[] => {
  process.stderr.write(`NOT READ BY ${name}: ${reason}\n`);
  return [];
};

async function ofPython(): Promise<ReaderProgram[]> {
  const args = [join(folder, 'read_lines.py')];
  try {
    const env = { PYTHONPATH: await providePythonPackages('line-readers', pythonPackages) };
    return pythonLibraries.map((library) => ({
      ...{ library, command: 'python3', args: [...args, library], env },
    }));
  } catch (error) {
    return [
      { library: 'urllib', command: 'python3', args: [...args, 'urllib'] },
      ...skipped('the packages of Python', error),
    ];
  }
}

/** What the runtimes of this machine, and the package indexes in its reach, allow. */
export async function readerPrograms(): Promise<ReaderProgram[]> {
  const has = (command: string) => commandOf(command) !== null;
  return [
    ...(await ofPython()),
    ...(has('go')
      ? [{ library: 'net/http', command: 'go', args: ['run', join(folder, 'read_lines.go')] }]
      : skipped('Go', 'go is not on the PATH')),
    ...(has('javac')
      ? javaLibraries.map((library) => ({
          ...{ library, command: 'java', args: [join(folder, 'ReadLines.java'), library] },
        }))
      : skipped('Java', 'a JDK is not on the PATH')),
    ...(has('curl')
      ? [{ library: 'curl', command: 'sh', args: [join(folder, 'read_lines.sh')] }]
      : skipped('curl', 'curl is not on the PATH')),
    ...skipped('.NET', 'no package index in reach has its runtime'),
  ];
}

export function startLineReader(
  { library, command, args, env }: ReaderProgram,
  addresses: Readonly<Record<string, string>>,
  apiKey: string,
): LineReader {
  const streams = new Map<string, ReadStream & { take(line: string): void }>(
    Object.keys(addresses).map((name) => [name, openStream()]),
  );
  const child: ChildProcess = spawn(command, [...args, ...Object.entries(addresses).flat()], {
    env: { ...machineEnvironment(), ...env, STREAM_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its children end with it.
    detached: true,
  });
  const ended = once(child, 'close');
  if (child.stdout === null) throw new Error('the output is piped');
  createInterface({ input: child.stdout }).on('line', (text) => {
    const tab = text.indexOf('\t');
    streams.get(text.slice(0, tab))?.take(text.slice(tab + 1));
  });
  return {
    library,
    streams,
    async stop() {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

function openStream() {
  const frames: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => frames.push(message) });
  let end: string | null = null;
  return {
    frames,
    end: () => end,
    take(line: string): void {
      if (line.startsWith('!')) end = line;
      else parser.feed(`${line}\n`);
    },
  };
}
