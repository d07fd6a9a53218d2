import { openClient, storeAccess } from './access.ts';
import { type CliProcess, UsageFault } from './cli-process.ts';
import { createPrinter } from './printer.ts';
import { type CallFlags, callOf } from './session.ts';

export interface LoginFlags extends CallFlags {
  readonly url?: string;
  readonly eventsUrl?: string;
}

/** Stores a key that the service accepts, and the address that it belongs to. */
export async function login(cli: CliProcess, options: LoginFlags): Promise<void> {
  const { INVENTORY_URL, INVENTORY_EVENTS_URL, INVENTORY_API_KEY } = cli.environment;
  const baseUrl = options.url ?? INVENTORY_URL;
  if (!baseUrl) throw new UsageFault('no address: give --url, or set INVENTORY_URL');
  if (INVENTORY_API_KEY === '') throw new UsageFault('INVENTORY_API_KEY is empty');
  const isGiven = INVENTORY_API_KEY !== undefined;
  const access = {
    baseUrl,
    eventsUrl: options.eventsUrl ?? INVENTORY_EVENTS_URL,
    apiKey: INVENTORY_API_KEY ?? (await cli.promptKey()),
    source: isGiven ? 'INVENTORY_API_KEY' : 'standard input',
  };
  const account = await openClient(access).account(callOf(cli, options));
  const { account_id, credential, balance } = account;
  const path = storeAccess(cli, access);
  await createPrinter(cli, options.json === true).result(
    { account_id, project_id: credential.project_id, stored_in: path },
    `${credential.project_id} of ${account_id}, ${balance.available} credits available; stored in ${path}`,
  );
}
