import { render } from 'preact';
import type { BrowserEnvironment } from './api/call-api.ts';
import { App } from './app.tsx';
import './console.css';
import './layout.css';
import './parts.css';
import './controls.css';
import './items.css';
import type { PageSettings } from './session.tsx';

const keyBytes = 16;

const environment: BrowserEnvironment = {
  fetch: (input, init) => fetch(input, init),
  nowMs: () => Date.now(),
  chance: () => Math.random(),
  newKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(keyBytes)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

const given = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]')?.content;
const root = document.getElementById('console');
if (root && given) {
  render(<App environment={environment} settings={JSON.parse(given) as PageSettings} />, root);
}
