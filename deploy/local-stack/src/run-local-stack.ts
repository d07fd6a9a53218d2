import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FileLock } from '@inventory/backends/file-lock';
import { sentenceOf } from '@inventory/backends/provision-error';
import { InventoryError } from '@inventory/client/errors';
import { createInventoryClient } from '@inventory/client/inventory-client';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { CallFailed } from './call-json.ts';
import { type DemoAccount, provideDemoAccount } from './demo-account.ts';
import { type DemoInventory, findDemoInventory } from './demo-inventory.ts';
import { walkDemo } from './demo-walk.ts';
import { explainFailure } from './explain-failure.ts';
import { type LocalDirectory, openLocalDirectory } from './local-directory.ts';
import { repositoryRoot } from './repository-root.ts';
import { assertPortsFree, requiredPorts } from './required-ports.ts';
import type { Screen } from './screen.ts';
import type { Environment } from './service-environment.ts';
import type { Stack } from './stack.ts';
import { removeStackFile, stackFileOf, writeStackFile } from './stack-file.ts';
import { lockDirectory } from './stack-lock.ts';
import { readStackSettings, type StackSettings } from './stack-settings.ts';
import { startStack } from './start-stack.ts';
import { addressLines, callLines, operatorLines } from './try-it-lines.ts';

export interface RunOptions {
  readonly environment: Environment;
  /** Whether one refresh is shown. */
  readonly demo: boolean;
  readonly screen: Screen;
  /** Mints unique keys. */
  readonly newKey: () => string;
  /** Aborted when everything shall stop. */
  readonly signal: AbortSignal;
  /** Aborted when that shall happen at once. */
  readonly hurry: AbortSignal;
}

const demoRetryMs = 1_000;
const demoTriesMax = 20;

/** Starts the stack, shows it and keeps it up until told to stop. Resolves with the exit code. */
export async function runLocalStack(options: RunOptions): Promise<number> {
  const { screen, signal } = options;
  let lock: FileLock | null = null;
  try {
    const settings = readStackSettings(options.environment);
    const folder = openLocalDirectory(resolve(repositoryRoot, settings.folder));
    const afterCrash = existsSync(folder.lockFile);
    lock = lockDirectory(
      folder,
      'use that one, stop it with Ctrl-C there, or use another folder and other ports (LOCAL_STACK_DIR, GATEWAY_PORT, …).',
    );
    removeStackFile(folder.stackFile);
    await assertPortsFree(requiredPorts(settings, options.environment), afterCrash);
    await startAndStay(options, settings, folder);
    return 0;
  } catch (error) {
    if (signal.aborted) {
      screen.report({ tone: 'step', sentence: 'Stopped before it was ready.' });
      return 0;
    }
    screen.report({ tone: 'trouble', sentence: explainFailure(error) });
    return 1;
  } finally {
    lock?.release();
  }
}

async function startAndStay(
  options: RunOptions,
  settings: StackSettings,
  folder: LocalDirectory,
): Promise<void> {
  const { screen, environment, signal, hurry } = options;
  const begunMs = monotonicNow();
  screen.heading('Starting the local stack');
  let publish = (): void => {};
  const stack = await startStack({
    ...settings,
    folder: folder.path,
    environment,
    backendPorts: settings.ports,
    report: screen.report,
    onReplaced: () => publish(),
    signal,
  });
  hurry.addEventListener('abort', () => void stack.stop('abruptly'), { once: true });
  try {
    const demo = await provideDemo(options, stack, folder);
    const inventory = await findDemoInventory(settings.demoInventory, stack.simulatorUrl);
    if (options.demo) await walk(options, stack, demo, inventory);
    signal.throwIfAborted();
    publish = () => writeStackFile(folder.stackFile, stackFileOf(stack, demo));
    publish();
    showWhatToTry(screen, { stack, demo, inventory, folder });
    const seconds = ((monotonicNow() - begunMs) / 1_000).toFixed(1);
    screen.line();
    screen.report({ tone: 'good', sentence: `Ready after ${seconds} s. Ctrl-C stops everything.` });
    await untilAborted(signal);
  } finally {
    publish = () => {};
    removeStackFile(folder.stackFile);
    screen.heading('Stopping');
    await stack.stop();
    screen.line('Everything is stopped; the data are kept.');
  }
}

/** Its steps are remembered, so what failed for the moment is simply tried again. */
async function provideDemo(
  { screen, newKey, signal }: RunOptions,
  stack: Stack,
  folder: LocalDirectory,
): Promise<DemoAccount> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await provideDemoAccount({
        operator: { url: stack.operatorUrl, token: stack.operatorToken },
        gatewayUrl: stack.gatewayUrl,
        file: folder.demoFile,
        newKey,
        onNote: (sentence) => screen.report({ tone: 'trouble', sentence }),
      });
    } catch (error) {
      if (!isPassing(error) || tries === demoTriesMax) throw error;
    }
    await pause(demoRetryMs, signal);
    signal.throwIfAborted();
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof CallFailed) return error.status === 0 || error.status >= 500;
  return error instanceof InventoryError && error.retryable;
}

/** A walk that fails is shown, and the stack stays up: that is when somebody wants to look at it. */
async function walk(
  { screen, signal }: RunOptions,
  stack: Stack,
  demo: DemoAccount,
  inventory: DemoInventory | null,
): Promise<void> {
  if (inventory === null) {
    const sentence =
      'No refresh is shown: name an inventory of that platform with DEMO_INVENTORY=<platform_id>/<app_id>/<context_id> npm start';
    screen.report({ tone: 'step', sentence });
    return;
  }
  const client = createInventoryClient({ baseUrl: stack.gatewayUrl, apiKey: demo.apiKey });
  const { creditsAvailable, projectId } = demo;
  try {
    await walkDemo({ ...inventory, client, projectId, creditsAvailable, screen, signal });
  } catch (error) {
    if (signal.aborted) return;
    const sentence = `The refresh could not be shown to its end: ${sentenceOf(error)}`;
    screen.report({ tone: 'trouble', sentence });
  }
}

function showWhatToTry(
  screen: Screen,
  shown: {
    readonly stack: Stack;
    readonly demo: DemoAccount;
    readonly inventory: DemoInventory | null;
    readonly folder: LocalDirectory;
  },
): void {
  const { stack, demo, folder } = shown;
  const options = { stack, demo, scope: shown.inventory?.scope ?? null, ...folder };
  screen.heading('What runs where');
  for (const line of addressLines(options)) screen.line(`  ${line}`);
  screen.heading('To paste');
  for (const line of callLines(options)) screen.line(line);
  screen.heading('As the operator');
  for (const line of operatorLines(options)) screen.line(line);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
