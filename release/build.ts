import { join } from 'node:path';
import { run } from './command.ts';
import { root } from './checkout.ts';
import { buildExecutable } from './executable.ts';
import { buildSdk } from './sdk/sdk-package.ts';

/** `npm run build`: dist/trivet for this machine and the app SDK in sdk/dist, from the current sources. */
const commit = await run(['git', 'rev-parse', 'HEAD'], { cwd: root }).catch(() => 'unknown');
await buildExecutable({ outfile: join(root, 'dist', 'trivet'), commit: commit.trim() });
await buildSdk();
