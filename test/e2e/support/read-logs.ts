import { existsSync, readFileSync } from 'node:fs';
import type { TestStack } from './test-stack.ts';

/** Everything the services have logged since the stack was started. */
export function readLogs(stack: TestStack): string {
  return stack.services
    .flatMap(({ logFile }) => [`${logFile}.previous`, logFile])
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}
