import { join } from 'node:path';
import { run } from './command.ts';
import { buildExecutable, root } from './executable.ts';

/** `npm run build`: dist/trivet for this machine, from the current sources. */
const commit = await run(['git', 'rev-parse', 'HEAD'], { cwd: root }).catch(() => 'unknown');
await buildExecutable({ outfile: join(root, 'dist', 'trivet'), commit: commit.trim() });
