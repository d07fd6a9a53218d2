import { resolve } from 'node:path';
import { messageOf } from '@inventory/backends/setup-error';
import { InventoryError } from '@inventory/client/errors';
import { createInventoryClient } from '@inventory/client/inventory-client';
import { OperatorRefused, OperatorUnreachable } from '@inventory/operator-client/operator-client';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
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
import { lockDirectory, type StackLock } from './stack-lock.ts';
import { readStackSettings, type StackSettings } from './stack-settings.ts';
import { startStack } from './start-stack.ts';
import { addressLines, callLines, operatorLines } from './try-it-lines.ts';

export interface RunOptions {
  readonly environment: Environment;
  /** Whether to show one refresh. */
  readonly demo: boolean;
  readonly screen: Screen;
  /** Mints unique keys. */
  readonly newKey: () => string;
  /** Aborted when the stack is to stop. */
  readonly signal: AbortSignal;
}

const demoRetryMs = 1_000;
const publishRetryMs = 1_000;
const demoTriesMax = 20;
/** How long watchdogs of a killed start may take to end its processes. */
const crashLeftoversMs = 12_000;

/** Starts the stack, shows it and keeps it running until the abort. Resolves with the exit code. */
export async function runLocalStack(options: RunOptions): Promise<number> {
  const { screen, signal } = options;
  let lock: StackLock | null = null;
  try {
    const settings = readStackSettings(options.environment);
    const directory = openLocalDirectory(resolve(repositoryRoot, settings.directory));
    lock = lockDirectory(
      directory,
      'use that one, stop it with Ctrl-C there, or use another directory and other ports (LOCAL_STACK_DIR, GATEWAY_PORT, …).',
    );
    removeStackFile(directory.stackFile);
    const required = requiredPorts(settings, options.environment);
    await assertPortsFree(required, lock.isAfterCrash ? crashLeftoversMs : 0);
    await startAndStay(options, settings, directory);
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
  directory: LocalDirectory,
): Promise<void> {
  const { screen, environment, signal } = options;
  const startMs = monotonicNow();
  screen.heading('Starting the local stack');
  let publish = (): void => {};
  const stack = await startStack({
    ...settings,
    directory: directory.path,
    environment,
    backendPorts: settings.ports,
    onProgress: (sentence, tone) => screen.report({ tone, sentence }),
    onRestarted: () => publish(),
    signal,
  });
  try {
    const demo = await provideDemo(options, stack, directory);
    const inventory = await findDemoInventory(settings.demoInventory, stack.simulatorUrl);
    if (options.demo) await walk(options, stack, demo, inventory);
    signal.throwIfAborted();
    const write = () => writeStackFile(directory.stackFile, stackFileOf(stack, demo));
    write();
    publish = () => {
      try {
        write();
      } catch (error) {
        screen.report({
          tone: 'trouble',
          sentence: `stack.json is out of date: ${messageOf(error)}`,
        });
        setTimeout(() => publish(), publishRetryMs).unref();
      }
    };
    showWhatToTry(screen, { stack, demo, inventory, directory });
    const seconds = ((monotonicNow() - startMs) / 1_000).toFixed(1);
    screen.line();
    screen.report({ tone: 'good', sentence: `Ready after ${seconds} s. Ctrl-C stops everything.` });
    await untilAborted(signal);
  } finally {
    publish = () => {};
    removeStackFile(directory.stackFile);
    screen.heading('Stopping');
    await stack.stop();
    screen.line('Everything is stopped; the data are kept.');
  }
}

/** Its steps are kept, so a temporary failure is retried. */
async function provideDemo(
  { screen, newKey, signal }: RunOptions,
  stack: Stack,
  directory: LocalDirectory,
): Promise<DemoAccount> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await provideDemoAccount({
        operator: { url: stack.operatorUrl, token: stack.operatorToken },
        gatewayUrl: stack.gatewayUrl,
        file: directory.demoFile,
        newKey,
        onNote: (sentence) => screen.report({ tone: 'trouble', sentence }),
      });
    } catch (error) {
      if (!isTemporary(error) || tries === demoTriesMax) throw error;
    }
    await pause(demoRetryMs, signal);
    signal.throwIfAborted();
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof OperatorUnreachable) return true;
  if (error instanceof OperatorRefused) return error.status >= 500;
  return error instanceof InventoryError && error.retryable;
}

/** When the walk fails, the stack keeps running for an inspection. */
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
    const sentence = `The refresh could not be shown to its end: ${messageOf(error)}`;
    screen.report({ tone: 'trouble', sentence });
  }
}

function showWhatToTry(
  screen: Screen,
  shown: {
    readonly stack: Stack;
    readonly demo: DemoAccount;
    readonly inventory: DemoInventory | null;
    readonly directory: LocalDirectory;
  },
): void {
  const { stack, demo, directory } = shown;
  const options = { stack, demo, scope: shown.inventory?.scope ?? null, ...directory };
  screen.heading('What runs where');
  for (const line of addressLines(options)) screen.line(`  ${line}`);
  screen.heading('To paste');
  for (const line of callLines(options)) screen.line(line);
  screen.heading('As the operator');
  for (const line of operatorLines(options)) screen.line(line);
}

/** The timer keeps this process alive: its child processes do not. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await pause(3_600_000, signal);
}
