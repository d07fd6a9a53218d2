import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LedgerStage } from './running-ledger.ts';

/** The service's own program with these arguments, as the image has it, on the stage's backends. */
export async function runOwnProgram({ db, namespace }: LedgerStage, ...argv: readonly string[]) {
  const program = join(__dirname, '../../dist/main.js');
  const environment = {
    KAFKA_BROKERS: namespace.kafkaBrokers.join(),
    KAFKA_TOPIC_PREFIX: namespace.topicPrefix,
    MONGODB_URI: namespace.mongodbUri,
    MONGODB_DATABASE: db.databaseName,
    HTTP_PORT: '1',
  };
  const run = promisify(execFile)(process.execPath, [program, ...argv], { env: environment });
  return run.then(
    ({ stdout }) => ({ exitCode: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ exitCode: error.code, stdout: error.stdout }),
  );
}
