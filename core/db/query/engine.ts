/** The database engine: chosen once per process, before the first table is defined. */
export type Engine = 'sqlite' | 'postgres';

let chosen: Engine | undefined;

/** @throws Error when tables were already built for the other engine. */
export function chooseEngine(engine: Engine): void {
  if (chosen && chosen !== engine) throw new Error(`tables were already defined for ${chosen}`);
  chosen = engine;
}

/** The engine of this process. Generators and tests, which do not call {@link chooseEngine}, set TRIVET_TEST_ENGINE. */
export function engine(): Engine {
  chosen ??= process.env['TRIVET_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';
  return chosen;
}
