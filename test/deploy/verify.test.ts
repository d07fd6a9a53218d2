import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../tidy/tracked-files.ts';

const nothing = join(root, 'test/deploy/there-is-none');

test.each([
  ['compose', `DOCKER_HOST=unix://${nothing}`, 'Needs Docker'],
  ['kubernetes', `KUBECONFIG=${nothing}`, 'Needs a cluster'],
])(
  'deploy/verify/%s changes nothing without what it needs, and exits with 2',
  (name, where, text) => {
    const script = join(root, 'deploy/verify', name);

    const { status, stderr, stdout } = spawnSync('env', [where, script], { encoding: 'utf8' });

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(text);
  },
);
