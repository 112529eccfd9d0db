/**
 * The tests that failed, by file, from what `bun test` printed. It names the file again whenever its output goes on with another one, and
 * repeats all failures at the end of a long output.
 * @param report its stderr.
 */
export function failedFiles(report: string): ReadonlyMap<string, readonly string[]> {
  const failed = new Map<string, string[]>();
  let file = '';
  for (const line of report.split('\n')) {
    if (/^\d+ tests? failed:$/.test(line)) break;
    file = /^(\S+\.test\.tsx?):$/.exec(line)?.[1] ?? file;
    const name = /^\(fail\) (.*)$/.exec(line)?.[1];
    if (name === undefined) continue;
    failed.set(file, [...(failed.get(file) ?? []), name.replace(/ \[[\d.]+ms\]$/, '')]);
  }
  return failed;
}
