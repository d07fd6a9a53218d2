import type { Environment } from './environment.ts';
import { runCommand } from './run-command.ts';

const answerDeadlineMs = 4_000;

/**
 * True when a Docker daemon answers, wherever DOCKER_HOST or the chosen context point. An
 * installed client alone is not one: it prints an empty version and fails.
 */
export async function dockerAnswers(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const result = await runCommand({
    command: 'docker',
    args: ['version', '--format', '{{.Server.Version}}'],
    environment,
    deadlineMs: answerDeadlineMs,
    signal,
  });
  return result.kind === 'ended' && result.code === 0 && /^\d+\./.test(result.output.trim());
}
