import { expect } from 'bun:test';
import { build } from 'esbuild';
import { bundledEntry } from '../../release/sdk/sdk-bundle.ts';
import { pageEntry, type SdkEntry } from '../../release/sdk/sdk-entry.ts';
import { servedCases } from '../../release/sdk/served-files.ts';
import { root } from '../imports.ts';
import type { CaseResult, PublishedCase } from './case-runner.ts';

export const cases = (JSON.parse(servedCases()) as { readonly cases: readonly PublishedCase[] }).cases;

/** A built entry of the SDK as a script that leaves its exports in the global `sdk`. */
export async function sdkScript(entry: SdkEntry = pageEntry): Promise<string> {
  const code = new TextDecoder().decode(await bundledEntry(entry, { format: 'cjs', minify: false }));
  return `var sdk = (function (module) { var exports = module.exports;\n${code}\nreturn module.exports; })({ exports: {} });\n`;
}

/** The runner as a script that leaves `playCases` in the global `runner`. */
export async function runnerScript(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['test/sdk/case-runner.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'runner',
    target: 'es2017',
    platform: 'neutral',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Fails unless every case ended as it must. */
export function expectAsPublished(results: readonly CaseResult[]): void {
  expect(results.map(({ name }) => name)).toEqual(cases.map(({ name }) => name));
  const wrong = cases.flatMap(({ name, expected }, index) => {
    const { shown, resets, machines, errors } = results[index] ?? {};
    // A machine in "0" is never sent, so the server does not know it.
    const sent = Object.fromEntries(
      Object.entries(expected.machines).map(([ctaId, held]) => [
        ctaId,
        Object.fromEntries(
          Object.entries(held as CaseResult['machines'][string]).filter(
            ([key, { currentState }]) => currentState !== '0' || machines?.[ctaId]?.[key],
          ),
        ),
      ]),
    );
    const held = Object.fromEntries(
      Object.entries(machines ?? {}).map(([ctaId, of]) => [
        ctaId,
        Object.fromEntries(
          Object.entries(of).map(([key, { currentState, ...rest }]) => [
            key,
            { currentState, ...('context' in rest && { context: rest.context }) },
          ]),
        ),
      ]),
    );
    const is = { shown, machines: held, errors, ...('resets' in expected && { resets }) };
    const must = { ...expected, machines: sent, errors: [] };
    return Bun.deepEquals(is, must) ? [] : [{ name, is, must }];
  });
  expect(wrong).toEqual([]);
}
