import { join } from 'node:path';
import { startProgram } from '@inventory/testkit/typescript-program';
import { isPortFree } from '../src/free-port.ts';

test('a free port is given to one process only, and once', async () => {
  // Of so many draws from 17,000 ports more than twenty would be drawn twice.
  const takers = [1, 2, 3].map(() =>
    startProgram({ file: join(__dirname, 'port-taker.ts'), args: ['300'] }),
  );
  try {
    const lines = await Promise.all(takers.map((taker) => taker.line(/^\[.*\]$/)));
    const ports = lines.flatMap((line): number[] => JSON.parse(line));

    expect(ports).toHaveLength(900);
    expect(new Set(ports).size).toBe(900);
    expect(await isPortFree(ports[0] ?? 0)).toBe(true);
  } finally {
    for (const taker of takers) taker.kill('SIGKILL');
    await Promise.all(takers.map(({ ended }) => ended));
  }
});
