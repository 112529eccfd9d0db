/** Runs a program until it ends. @returns its stdout. @throws with its stderr. */
export async function run(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`${command.slice(0, 3).join(' ')} failed: ${stderr || stdout}`);
  return stdout;
}

/** Writes a line about the progress. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);
