import type { Environment } from './environment.ts';
import { outputOf } from './run-command.ts';

const timeoutMs = 4_000;

/**
 * Whether a Docker daemon answers at DOCKER_HOST or the chosen context. An installed client alone
 * prints an empty version and fails.
 */
export async function isDockerAvailable(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const args = ['version', '--format', '{{.Server.Version}}'];
  const output = await outputOf({ command: 'docker', args, environment, timeoutMs, signal });
  return output !== null && /^\d+\./.test(output.trim());
}
