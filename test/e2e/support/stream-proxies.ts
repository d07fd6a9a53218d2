import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '@inventory/backends/free-port';
import { waitFor } from '@inventory/testkit/wait-for';
import { commandOf } from '../../support/command-of.ts';
import { provideDebianPackage } from '../../support/debian-package.ts';
import { machineEnvironment } from '../../support/start-command.ts';

/** Proxies of others in front of a gateway, by what they are. */
export interface StreamProxies {
  readonly urls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Those that are available on this machine; the others are named in the output. */
export async function startStreamProxies(folder: string, target: string): Promise<StreamProxies> {
  const started: { urls: Record<string, string>; child: ChildProcess }[] = [];
  const starts = { nginx: startNginx, "Go's ReverseProxy": startReverseProxy };
  for (const [name, start] of Object.entries(starts)) {
    try {
      started.push(await start(folder, target));
    } catch (error) {
      process.stderr.write(`NOT READ THROUGH ${name}: ${error}\n`);
    }
  }
  return {
    urls: Object.assign({}, ...started.map(({ urls }) => urls)),
    async stop() {
      for (const { child } of started) {
        const ended = once(child, 'close');
        if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      }
    },
  };
}

/** With its own settings of a proxy, which speaks HTTP/1.0 to its upstream, and with HTTP/1.1. */
async function startNginx(folder: string, target: string) {
  const nginx = commandOf('nginx') ?? join(provideDebianPackage('nginx'), 'usr/sbin/nginx');
  const [asItIs, ofHttp11] = [await findFreePort(), await findFreePort()];
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxSettings(folder, target, asItIs, ofHttp11));
  const child = spawn(nginx, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' });
  const urls = {
    nginx: `http://127.0.0.1:${asItIs}`,
    'nginx with HTTP/1.1': `http://127.0.0.1:${ofHttp11}`,
  };
  await waitFor('nginx serves', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    return (await fetch(`${urls.nginx}/openapi.json`, { method: 'HEAD' })).ok;
  });
  return { urls, child };
}

function nginxSettings(folder: string, target: string, asItIs: number, ofHttp11: number): string {
  const server = (port: number, more: string) =>
    `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; ${more} } }`;
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 500; }
http {
  access_log off;
  ${folders.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${server(asItIs, '')}
  ${server(ofHttp11, 'proxy_http_version 1.1; proxy_set_header Connection "";')}
}
`;
}

async function startReverseProxy(folder: string, target: string) {
  const program = join(folder, 'reverse-proxy');
  const source = join(__dirname, 'line-readers/reverse_proxy.go');
  const go = commandOf('go');
  if (go === null) throw new Error('go is not on the PATH');
  const env = machineEnvironment();
  const [code] = await once(
    spawn(go, ['build', '-o', program, source], { env, stdio: 'inherit' }),
    'close',
  );
  if (code !== 0) throw new Error(`go build ended with ${code}`);
  const child = spawn(program, [target], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = await once(createInterface({ input: child.stdout }), 'line');
  return { urls: { "Go's ReverseProxy": String(address) }, child };
}
