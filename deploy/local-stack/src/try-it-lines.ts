import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { DemoAccount } from './demo-account.ts';
import { inventoryPath } from './inventory-path.ts';
import { shownPath } from './repository-root.ts';
import type { Stack } from './stack.ts';

export interface TryItOptions {
  readonly stack: Pick<
    Stack,
    'gatewayUrl' | 'operatorUrl' | 'simulatorUrl' | 'kafkaBrokers' | 'origin' | 'services'
  >;
  readonly demo: DemoAccount;
  /** Null: the address of a platform is given, and no inventory of it. */
  readonly scope: InventoryKey | null;
  readonly stackFile: string;
  readonly logsDir: string;
}

const unknownScope: InventoryKey = { platform_id: '00000000000000000', app_id: 730, context_id: 2 };

/** Complete calls to paste into a shell. */
export function callLines({ stack, demo, scope }: TryItOptions): string[] {
  const url = stack.gatewayUrl;
  const key = `-H 'X-API-Key: ${demo.apiKey}'`;
  const inventory = `${url}${inventoryPath(scope ?? unknownScope)}`;
  const refreshes = `${url}/v2/platform/inventory-refreshes`;
  const post = `-X POST ${key} -H 'Content-Type: application/json' -d '{"max_credits":125}'`;
  const takeId = `grep -o '"refresh_id":"[^"]*' | cut -d'"' -f4`;
  return [
    '# refresh (its id is kept for the next two)',
    `REFRESH=$(curl -s ${post} '${inventory}/refresh' | ${takeId}); echo $REFRESH`,
    '# status',
    `curl -si ${key} ${refreshes}/$REFRESH`,
    '# cancel (409 once it is completed)',
    `curl -si -X POST ${key} ${refreshes}/$REFRESH/cancel`,
    '# current: the saved inventory, page by page',
    `curl -s --compressed ${key} '${inventory}/current?page_size=2'`,
    '# stream: every refresh that ends (Ctrl-C; -H "Last-Event-ID: <id>" resumes after an event)',
    `curl -N ${key} '${url}/v2/projects/${demo.projectId}/events/stream'`,
    '# list of events',
    `curl -s ${key} '${url}/v2/projects/${demo.projectId}/events?limit=5'`,
    '# list of refreshes',
    `curl -s ${key} '${url}/v2/projects/${demo.projectId}/inventory-refreshes?limit=5'`,
  ];
}

export function operatorLines({ demo }: TryItOptions): string[] {
  const cli = 'npm run -s operator --';
  const account = `--account ${demo.accountId}`;
  return [
    `${cli} balance ${account}`,
    `${cli} statement ${account}`,
    `${cli} top-up ${account} --amount 500`,
    `${cli} verify`,
    `${cli} --help`,
  ];
}

export function addressLines(options: TryItOptions): string[] {
  const { stack, demo } = options;
  const stackFile = shownPath(options.stackFile);
  const rows: readonly (readonly [string, string])[] = [
    ...stack.services.flatMap(({ publicUrl }) =>
      publicUrl ? [['Gateway', publicUrl] as const] : [],
    ),
    ['API key', demo.apiKey],
    ['Console', `${stack.gatewayUrl}/console opens with that key`],
    ['API reference', `${stack.gatewayUrl}/docs tries calls with that key`],
    ['Project', `${demo.projectId} of account ${demo.accountId}`],
    ['Operator API', `${stack.operatorUrl} (its token is in ${stackFile})`],
    ...(stack.simulatorUrl === null
      ? []
      : ([['Simulator', `${stack.simulatorUrl}/scenarios lists accounts to try`]] as const)),
    ['Kafka', `${stack.kafkaBrokers} (${stack.origin.kafka})`],
    ['MongoDB', `${stack.origin.mongodb} (its address is in ${stackFile})`],
    ['Logs', shownPath(options.logsDir)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
