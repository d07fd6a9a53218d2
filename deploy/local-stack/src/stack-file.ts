import { rmSync } from 'node:fs';
import type { DemoAccount } from './demo-account.ts';
import { writePrivateJson } from './private-file.ts';
import type { Stack, StackService } from './stack.ts';

/** What scripts find in `stack.json`; its keys are a contract. */
export interface StackFile {
  readonly gateway_url: string;
  readonly operator_url: string;
  readonly operator_token: string;
  /** Null where the address of a platform is given. */
  readonly simulator_url: string | null;
  readonly kafka_brokers: string;
  readonly mongodb_uri: string;
  readonly demo: {
    readonly account_id: string;
    readonly project_id: string;
    readonly api_key: string;
  };
  /** One for each replica; at `url` are health and metrics. */
  readonly services: readonly {
    readonly name: string;
    /** Null while the process is started again. */
    readonly pid: number | null;
    readonly url: string;
  }[];
}

type ShownStack = Pick<
  Stack,
  'gatewayUrl' | 'operatorUrl' | 'operatorToken' | 'simulatorUrl' | 'kafkaBrokers' | 'mongodbUri'
> & { readonly services: readonly Pick<StackService, 'service' | 'pid' | 'url'>[] };

export function stackFileOf(
  stack: ShownStack,
  demo: Pick<DemoAccount, 'accountId' | 'projectId' | 'apiKey'>,
): StackFile {
  return {
    gateway_url: stack.gatewayUrl,
    operator_url: stack.operatorUrl,
    operator_token: stack.operatorToken,
    simulator_url: stack.simulatorUrl,
    kafka_brokers: stack.kafkaBrokers,
    mongodb_uri: stack.mongodbUri,
    demo: { account_id: demo.accountId, project_id: demo.projectId, api_key: demo.apiKey },
    services: stack.services.map(({ service, pid, url }) => ({ name: service, pid, url })),
  };
}

export function writeStackFile(path: string, content: StackFile): void {
  writePrivateJson(path, content);
}

export function removeStackFile(path: string): void {
  rmSync(path, { force: true });
}
