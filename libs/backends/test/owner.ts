import { provisionBackends } from '../src/provision-backends.ts';
import { machineEnvironment } from './machine-environment.ts';

/** Starts backends, prints the numbers of their processes on one line, and keeps running. */
async function own(dataDir: string | undefined): Promise<void> {
  const backends = await provisionBackends({
    environment: machineEnvironment(),
    docker: 'never',
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  process.stdout.write(`${JSON.stringify([backends.kafka?.pid, backends.mongodb?.pid])}\n`);
  setInterval(() => {}, 60_000);
}

void own(process.argv[2]);
