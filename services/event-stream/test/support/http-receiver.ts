import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Exactly the bytes that arrived. */
  readonly raw: Buffer;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface HookResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A webhook receiver that records every request and responds as configured. */
export async function startReceiver() {
  const hooks: ReceivedHook[] = [];
  let respond: (hook: ReceivedHook) => HookResponse | Promise<HookResponse> = () => ({
    status: 204,
  });
  const { url, close } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { url: path = '', headers } = request;
      const hook = { path, headers, raw: Buffer.concat(chunks), atMs: Date.now() };
      hooks.push(hook);
      const wanted = await respond(hook);
      response.writeHead(wanted.status, wanted.headers).end(wanted.body);
    });
  });
  return {
    url,
    close,
    hooks,
    of: (path: string) => hooks.filter((hook) => hook.path === path),
    respondWith(next: typeof respond) {
      respond = next;
    },
  };
}

/** The internal route of the gateway that webhooks use. */
export async function startGatewayStub() {
  let isUp = true;
  const withoutEvents = new Set<string>();
  const requested: string[] = [];
  const projectsOf = new Map<string, readonly string[]>();
  const { url, close } = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway');
    const [, , kind, id = ''] = pathname.split('/');
    requested.push(id);
    const body =
      kind === 'accounts'
        ? partOf(projectsOf.get(id) ?? [], searchParams.get('after'))
        : { project_id: id, events: !withoutEvents.has(id) };
    response.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return {
    url,
    close,
    requested,
    withoutEvents,
    /** Projects of accounts with events. */
    projectsOf,
    setUp(up: boolean) {
      isUp = up;
    },
  };
}

/** One Project at a time. */
function partOf(projects: readonly string[], after: string | null) {
  const index = after === null ? 0 : projects.indexOf(after) + 1;
  const next_after = index + 1 < projects.length ? projects[index] : null;
  return { project_ids: projects.slice(index, index + 1), next_after };
}

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
