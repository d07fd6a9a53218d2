import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a process whose memory is measured: it collects its garbage on SIGUSR2, so that what is
 * resident afterwards is in use.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: object) => void;
// It also returns the empty pages of the young generation, as V8 does while a process is idle.
process.on('SIGUSR2', () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
