import { findFreePort } from '../src/free-port.ts';

/** Asks for ports, prints them on one line, and keeps running. */
async function take(count: number): Promise<void> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await findFreePort());
  process.stdout.write(`${JSON.stringify(ports)}\n`);
  setInterval(() => {}, 60_000);
}

void take(Number(process.argv[2]));
