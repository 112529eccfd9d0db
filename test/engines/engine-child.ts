import { Fault } from '../../core/base/errors.ts';
import { localExecutor } from '../../core/tools/local-executor.ts';
import { engine } from '../../core/db/query/engine.ts';
import { startTestKernel, stillClock } from '../kernel.ts';
import { createEnglishDatabase, startPostgres } from '../postgres.ts';
import { temporaryDirectory } from '../temporary.ts';
import type { Asked, Told } from './engine-twin.ts';

/*
 * One kernel on the engine of TRIVET_TEST_ENGINE, which calls tools for the process that started it. The tables of the other engine cannot
 * be loaded in the same process.
 */
const clock = stillClock();
const again =
  engine() === 'sqlite'
    ? {}
    : {
        again: {
          location: {
            engine: 'postgres' as const,
            url: await createEnglishDatabase((await startPostgres()).url),
          },
          directory: temporaryDirectory('data'),
        },
      };
const { kernel, stop } = await startTestKernel({ clock, settings: { 'rate-tools': '0' }, ...again });
// Links in answers contain it, and the port differs.
kernel.listening('http://localhost');
const executor = await localExecutor(kernel, await kernel.identity.local(kernel.host, undefined), {});
const tell = (told: Told) => process.send?.(told);

process.on('message', (asked: Asked) => void answer(asked));
process.on('disconnect', () => void stop().then(() => process.exit(0)));
tell({ tools: (await executor.tools()).map(({ name, inputSchema }) => ({ name, inputSchema })) });

async function answer({ tool, input, passMs }: Asked): Promise<void> {
  clock.advance(passMs);
  try {
    tell({ result: (await executor.call(tool, input, { signal: AbortSignal.timeout(60_000) })) ?? null });
  } catch (error) {
    if (error instanceof Fault) tell({ refused: { code: error.code, message: error.message } });
    else tell({ broken: String(error instanceof Error ? error.stack : error) });
  }
}
