import { resolve } from 'node:path';
import { SetupError } from '@inventory/backends/setup-error';
import { createInventoryClient } from '@inventory/client/inventory-client';
import { readSettings, SettingsError, text, url } from '@inventory/runtime/settings';
import { provideDemoAccount } from './demo-account.ts';
import { findDemoInventory } from './demo-inventory.ts';
import { walkDemo } from './demo-walk.ts';
import { explainFailure } from './explain-failure.ts';
import { openLocalDirectory } from './local-directory.ts';
import { repositoryRoot } from './repository-root.ts';
import type { RunOptions } from './run-local-stack.ts';
import { readStackSettings } from './stack-settings.ts';

const shape = {
  GATEWAY_URL: url(),
  OPERATOR_URL: url(),
  OPERATOR_TOKEN: text(),
  SIMULATOR_URL: url().optional(),
};

/**
 * Shows one refresh on a product that runs elsewhere, for example in containers. Resolves with the
 * exit code.
 */
export async function showDemo(
  options: Pick<RunOptions, 'environment' | 'screen' | 'newKey' | 'signal'>,
): Promise<number> {
  const { screen } = options;
  try {
    await walk(options);
    return 0;
  } catch (error) {
    const sentence = error instanceof SettingsError ? error.message : explainFailure(error);
    screen.report({ tone: 'trouble', sentence });
    return 1;
  }
}

async function walk({
  environment,
  screen,
  newKey,
  signal,
}: Parameters<typeof showDemo>[0]): Promise<void> {
  const given = readSettings(shape, environment);
  const settings = readStackSettings(environment);
  const inventory = await findDemoInventory(settings.demoInventory, given.SIMULATOR_URL ?? null);
  if (inventory === null) {
    throw new SetupError(
      'No inventory to refresh is given: set SIMULATOR_URL, or DEMO_INVENTORY=<platform_id>/<app_id>/<context_id>.',
    );
  }
  const directory = openLocalDirectory(resolve(repositoryRoot, settings.directory));
  const demo = await provideDemoAccount({
    operator: { url: given.OPERATOR_URL, token: given.OPERATOR_TOKEN },
    gatewayUrl: given.GATEWAY_URL,
    file: directory.elsewhereDemoFile,
    newKey,
    onNote: (sentence) => screen.report({ tone: 'trouble', sentence }),
  });
  const client = createInventoryClient({ baseUrl: given.GATEWAY_URL, apiKey: demo.apiKey });
  await walkDemo({ ...inventory, ...demo, client, screen, signal });
  screen.line();
  screen.line(`  Account   ${demo.accountId}`);
  screen.line(`  Project   ${demo.projectId}`);
  screen.line(`  API key   ${demo.apiKey}`);
}
