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

export const helpText = `Starts everything on this machine: Kafka, MongoDB, topics, platform simulator, the five
services and a demo account. It stays up until Ctrl-C.

  npm start                  and shows one refresh from request to bill
  npm start -- --no-demo     without that
  npm start -- --demo-only   starts nothing; shows it on what runs at GATEWAY_URL, OPERATOR_URL
                             (with OPERATOR_TOKEN) and SIMULATOR_URL
  npm run reset              removes all data; not while a stack is running

Settings, given in the environment (deploy/local-stack/README.md has all of them):

  GATEWAY_PORT, OPERATOR_PORT, SIMULATOR_PORT    8080, 8081, 8090
  KAFKA_PORT, MONGODB_PORT                       9192, 9217, of servers that are started here
  KAFKA_BROKERS, MONGODB_URI                     servers that run already, used instead
  PLATFORM_BASE_URL                              a platform to read instead of the simulator
  DEMO_INVENTORY                                 <platform_id>/<app_id>/<context_id> to refresh
  REPLICAS                                       for example refresh-collector=2,gateway=2

Every setting of a service may be given, too: LOG_LEVEL=debug npm start
`;
