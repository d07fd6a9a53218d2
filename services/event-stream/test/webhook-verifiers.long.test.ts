import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ReceivedHook } from './support/http-receiver.ts';
import { preparePython, verifyInPython } from './support/python-verifier.ts';
import { newCustomer, openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const root = join(__dirname, '../../..');
let world: WebhookWorld;
let python: { missing: string | null };

beforeAll(async () => {
  [world, python] = await Promise.all([openWebhookWorld(), preparePython()]);
});
afterAll(() => world.close());

/** A request as it was recorded, and the secrets that signed it: two, as one is being replaced. */
async function recorded(path: string) {
  const customer = newCustomer();
  const first = await world.create(customer, path);
  const second = await world.rotate(customer.projectId, first.endpointId);
  await world.announce(customer);
  const [hook] = await waitFor('the event arrives', () => {
    const hooks = world.receiver.of(path);
    return hooks.length > 0 && hooks;
  });
  return { hook: hook as ReceivedHook, secrets: [first.secret, second.secret] };
}

test('recorded bytes are verified by the PyPI package with either secret, and changed ones are not (Events: webhooks)', async () => {
  if (python.missing !== null) {
    process.stderr.write(`\nNOT VERIFIED IN PYTHON: pip could not fetch it: ${python.missing}\n`);
    return;
  }
  const { hook, secrets } = await recorded('/pypi');

  for (const secret of secrets) {
    const event = JSON.parse(hook.raw.toString());
    expect(await verifyInPython(secret, hook.headers, hook.raw)).toEqual({ ok: true, event });
    const changed = Buffer.concat([hook.raw, Buffer.from(' ')]);
    expect(await verifyInPython(secret, hook.headers, changed)).toEqual({
      ok: false,
      problem: 'WebhookVerificationError',
    });
  }
});

/** The receiver of docs/customers/webhooks.md, as a process of its own. */
function startExample(secret: string, port: number) {
  const page = readFileSync(join(root, 'docs/customers/webhooks.md'), 'utf8');
  const [, code] = /<!-- example:verify -->\n```js\n([\s\S]+?)```/.exec(page) ?? [];
  let out = '';
  const child: ChildProcess = spawn(process.execPath, ['-e', code ?? ''], {
    cwd: root,
    env: { WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  return { child, out: () => out };
}

test('the example of the documentation verifies what is sent and refuses forged requests (docs/customers/webhooks.md)', async () => {
  const customer = newCustomer();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const { secret, projectId, endpointId } = await world.create(customer, '', { url });
  const example = startExample(secret, port);
  try {
    await waitFor('the example listens', async () => (await fetch(url).catch(() => null)) !== null);
    const { eventId } = await world.ping(projectId, endpointId);
    await world.announce(customer);
    await waitFor('both are printed', () => example.out().split('\n').length > 2);
    const forged = await fetch(url, { method: 'POST', body: '{}' });

    expect(example.out()).toContain(`webhook.ping ${eventId}`);
    expect(example.out()).toMatch(/inventory\.refresh\.completed evt_/);
    expect(forged.status).toBe(400);
    await waitFor('both are recorded', async () => {
      const { items } = await world.deliveries(projectId, endpointId, { state: 'delivered' });
      return items.length === 2;
    });
  } finally {
    example.child.kill('SIGKILL');
  }
});
