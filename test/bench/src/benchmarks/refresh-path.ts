import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { type StackAddresses, stackAddresses } from '@inventory/shared-stack/addresses';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { type CalledFunctions, type CallRecorder, recordCalls } from '../called-functions.ts';
import { openCustomer } from '../customer.ts';
import { endWithProcess } from '../end-with-process.ts';
import { reported } from '../row.ts';

/** As many jobs as possible run in it. */
const idleMs = { whole: 20_000, quick: 5_000 };
const productFile = /\/(?:libs|services)\/[^/]+\/dist\/(?!.*\/generated\/)/;

/**
 * How many files of the product a refresh runs through, from its POST to its event on a stream: the
 * files that define a function called in that time and not in the idle time before it. The
 * second refresh counts: what is called once per process is not of its path.
 */
export const refreshPath: Benchmark = {
  name: 'refresh-path',
  async run(context) {
    const files = await withInspectedStack(context, async (addresses, recorder) => {
      const customer = await openFollower(addresses);
      await customer.refreshToEvent(1);
      await recorder.take();
      await delay(context.quick ? idleMs.quick : idleMs.whole);
      const idle = await recorder.take();
      await customer.refreshToEvent(2);
      const path = filesOf(await recorder.take(), idle);
      await customer.close();
      return path;
    });
    const counts = new Map<string, number>();
    for (const file of files) {
      context.say(file);
      const [part = ''] = /^(?:libs|services)\/[^/]+/.exec(file) ?? [];
      counts.set(part, (counts.get(part) ?? 0) + 1);
    }
    return [
      reported('files from POST refresh to its event', files.length, 'files'),
      ...[...counts].map(([part, count]) => reported(`of ${part}`, count, 'files')),
    ];
  },
};

function filesOf(path: CalledFunctions, idle: CalledFunctions): string[] {
  const own = [...path].filter(
    ([url, functions]) =>
      productFile.test(url) && [...functions].some((name) => !idle.get(url)?.has(name)),
  );
  return own
    .map(([url]) => url.slice(url.search(productFile) + 1).replace('/dist/', '/src/'))
    .sort();
}

async function withInspectedStack<Result>(
  { backends }: BenchContext,
  work: (addresses: StackAddresses, recorder: CallRecorder) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'refresh-path-'));
  const addressesFile = join(directory, 'addresses.json');
  const program = resolve(__dirname, '../../../shared-stack/dist/main.js');
  const stack = spawn(process.execPath, ['--inspect=127.0.0.1:0', program], {
    env: {
      KAFKA_BROKERS: backends.kafkaBrokers,
      MONGODB_URI: backends.mongodbUri,
      STACK_PREFIX: `path${randomBytes(6).toString('hex')}`,
      ADDRESSES_FILE: addressesFile,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithProcess(stack);
  try {
    const recorder = await recordCalls(await inspectorUrlOf(stack.stderr));
    const addresses = await readAddresses(addressesFile);
    return await work(addresses, recorder).finally(() => recorder.close());
  } finally {
    stack.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function inspectorUrlOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, url] = /listening on (ws:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The stack has ended before its inspector was ready.');
}

async function readAddresses(file: string): Promise<StackAddresses> {
  for (;;) {
    await delay(200);
    try {
      return stackAddresses.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A customer with one open event stream at the gateway where it posts. */
async function openFollower({ services, operatorToken }: StackAddresses) {
  const gateway = services.find(({ publicUrl }) => publicUrl !== null);
  if (!gateway?.publicUrl || !gateway.operatorUrl) throw new Error('The stack has no gateway.');
  const { publicUrl: gatewayUrl, operatorUrl } = gateway;
  const customer = await openCustomer({ gatewayUrl, operatorUrl, operatorToken }, { events: true });
  const ended = new AbortController();
  const path = `/v2/projects/${customer.projectId}/events/stream`;
  const headers = { 'x-api-key': customer.apiKey };
  const stream = await fetch(`${gatewayUrl}${path}`, { headers, signal: ended.signal });
  const frames = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    async refreshToEvent(serial: number): Promise<void> {
      await customer.refresh(sizeInventory(4_001, serial));
      for (let text = ''; !text.includes('inventory.refresh.completed'); ) {
        const chunk = await frames?.read();
        if (!chunk || chunk.done) throw new Error('The stream has ended.');
        text += chunk.value;
      }
    },
    close() {
      ended.abort();
      return customer.close();
    },
  };
}
