import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { pause } from '@inventory/runtime/wait';
import { Pool } from 'undici';
import { endWithProcess } from '../end-with-process.ts';
import { openFilesMax } from '../process-usage.ts';
import type { StreamTarget } from './stream-readers.ts';

/** nginx with the Nchan module, one worker: `/sub/<name>` is read, as the other sides' paths are. */
export interface Nchan {
  readonly port: number;
  /** Of the worker. */
  readonly pid: number;
  announce(targets: readonly StreamTarget[]): Promise<void>;
  stop(): Promise<void>;
}

const publishersMax = 16;
/** Requests on one connection, so that nginx and not its publisher is the bound. */
const pipelining = 32;
const startTriesMax = 100;
const startTryMs = 50;
const padding = 'x'.repeat(300);

/** Null where the machine has none; Debian's packages are `nginx` and `libnginx-mod-nchan`. */
export async function startNchan(): Promise<Nchan | null> {
  const found = findNchan();
  if (found === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'inventory-nchan-'));
  const port = await findFreePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxSettings(found.module, folder, port));
  const nginx = spawn(found.nginx, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'ignore' });
  endWithProcess(nginx);
  nginx.on('error', () => {});
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections: publishersMax,
    pipelining,
  });

  async function publish({ path }: StreamTarget): Promise<void> {
    const body = `{"id":"${padding}","occurred_at":"${new Date().toISOString()}"}`;
    const response = await pool.request({
      method: 'POST',
      idempotent: true,
      path: path.replace('/sub/', '/pub/'),
      body,
    });
    await response.body.dump();
  }

  async function stop(): Promise<void> {
    await pool.destroy();
    const ended = once(nginx, 'exit');
    if (nginx.kill('SIGTERM')) await ended;
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const pid = await untilServing(port, nginx.pid ?? -1);
    const announce = async (targets: readonly StreamTarget[]) =>
      void (await Promise.all(targets.map(publish)));
    return { port, pid, announce, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function findNchan() {
  // biome-ignore lint/style/noProcessEnv: where this machine keeps its programs.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const modules = ['../lib/nginx/modules', '../share/nginx/modules', '../modules'];
  for (const folder of folders) {
    const nginx = join(folder, 'nginx');
    if (!existsSync(nginx)) continue;
    const module = modules
      .map((one) => join(folder, one, 'ngx_nchan_module.so'))
      .find((one) => existsSync(one));
    if (module !== undefined) return { nginx, module };
  }
  return null;
}

/** A buffer of 10 messages for 30 s, as short as readers that keep up need. */
function nginxSettings(module: string, folder: string, port: number): string {
  return `load_module ${module};
daemon off;
worker_processes 1;
worker_rlimit_nofile ${openFilesMax()};
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections ${openFilesMax() - 500}; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000000;
  nchan_shared_memory_size 512m;
  server {
    listen 127.0.0.1:${port};
    location ~ ^/pub/(.+)$ {
      nchan_publisher;
      nchan_channel_id $1;
      nchan_message_buffer_length 10;
      nchan_message_timeout 30s;
    }
    location ~ ^/sub/(.+)$ {
      nchan_subscriber eventsource;
      nchan_channel_id $1;
    }
  }
}
`;
}

/** The process id of the worker, once it takes connections. */
async function untilServing(port: number, masterPid: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const socket = connect({ host: '127.0.0.1', port });
    try {
      await once(socket, 'connect');
      return workerOf(masterPid);
    } catch (error) {
      if (tries === startTriesMax) throw error;
      await pause(startTryMs);
    } finally {
      socket.destroy();
    }
  }
}

function workerOf(masterPid: number): number {
  const children = readFileSync(`/proc/${masterPid}/task/${masterPid}/children`, 'utf8');
  const pids = children.trim().split(' ').map(Number);
  const worker = pids.find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('worker'),
  );
  if (worker === undefined) throw new Error('nginx has no worker');
  return worker;
}
