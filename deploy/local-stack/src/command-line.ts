import { parseArgs } from 'node:util';

export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'show' }
  | { readonly kind: 'start'; readonly demo: boolean };

export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'no-demo': { type: 'boolean' },
        'demo-only': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values['demo-only']) return { kind: 'show' };
    return { kind: 'start', demo: values['no-demo'] !== true };
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}

export const helpText = `Starts the product on this machine: Kafka, MongoDB, topics, platform simulator, the five
services and a demo account. It runs until Ctrl-C.

  npm start                  starts it and shows one refresh from request to bill
  npm start -- --no-demo     starts it
  npm start -- --demo-only   starts nothing; shows the refresh on the product at GATEWAY_URL,
                             OPERATOR_URL (with OPERATOR_TOKEN) and SIMULATOR_URL
  npm run reset              removes all data; refused while a stack is running

Settings in the environment (deploy/local-stack/README.md lists all of them):

  GATEWAY_PORT, OPERATOR_PORT, SIMULATOR_PORT    8080, 8081, 8090
  KAFKA_PORT, MONGODB_PORT                       9192, 9217, of servers started here
  KAFKA_BROKERS, MONGODB_URI                     servers to use instead
  PLATFORM_BASE_URL                              a platform to read instead of the simulator
  DEMO_INVENTORY                                 <platform_id>/<app_id>/<context_id> to refresh
  REPLICAS                                       for example refresh-collector=2,gateway=2

Settings of the services apply too: LOG_LEVEL=debug npm start
`;
