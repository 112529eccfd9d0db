import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// In this repository the SDK is what `npm run build` made; elsewhere it is the installed package, and this file needs nothing.
const built = fileURLToPath(new URL('../../sdk/dist/', import.meta.url));
const alias = existsSync(built)
  ? [
      { find: 'trivet-sdk/react', replacement: `${built}react.js` },
      { find: 'trivet-sdk', replacement: `${built}trivet.js` },
    ]
  : [];

export default defineConfig({ resolve: { alias }, server: { host: '127.0.0.1' } });
