import { createInventoryClient, type InventoryClient } from '@inventory/client/inventory-client';
import { type CliProcess, UsageFault } from './cli-process.ts';
import { readStateFile, userFile, writeStateFile } from './state-file.ts';

/** The service, and the key for it. */
export interface ServiceAccess {
  readonly baseUrl: string;
  /** Of the event stream where it has an origin of its own. */
  readonly eventsUrl: string | undefined;
  readonly apiKey: string;
  /** Where the key is from, for messages. */
  readonly source: string;
}

/**
 * Address and key from the environment, or those of `inventory login`. Never one from each: a key must
 * not be sent to an address that it does not belong to. A source that is there and broken is a fault.
 */
export function findAccess(cli: CliProcess): ServiceAccess {
  const { INVENTORY_URL: url, INVENTORY_API_KEY: key } = cli.environment;
  const { INVENTORY_EVENTS_URL: eventsUrl } = cli.environment;
  if (url !== undefined || key !== undefined) {
    if (url && key) return { baseUrl: url, eventsUrl, apiKey: key, source: 'the environment' };
    throw new UsageFault('INVENTORY_URL and INVENTORY_API_KEY are needed both, or neither');
  }
  const path = accessFile(cli);
  const stored = readStateFile(path);
  if (stored === null) {
    throw new UsageFault('no key: run inventory login, or set INVENTORY_URL and INVENTORY_API_KEY');
  }
  const { base_url: baseUrl, events_url: storedEvents, api_key: apiKey } = stored;
  const isEventsUrl = storedEvents === undefined || typeof storedEvents === 'string';
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string' || !isEventsUrl) {
    throw new UsageFault(`${path} has no base_url and api_key: run inventory login`);
  }
  return { baseUrl, eventsUrl: storedEvents, apiKey, source: path };
}

/** Only its owner may read it. */
export function storeAccess(cli: CliProcess, access: ServiceAccess): string {
  const path = accessFile(cli);
  const { baseUrl, eventsUrl, apiKey } = access;
  writeStateFile(path, { base_url: baseUrl, events_url: eventsUrl, api_key: apiKey });
  return path;
}

export function openClient({ source, ...access }: ServiceAccess): InventoryClient {
  try {
    return createInventoryClient(access);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageFault(`${source}: ${error.message}`);
  }
}

function accessFile(cli: CliProcess): string {
  return userFile(cli, 'config', 'access.json');
}
