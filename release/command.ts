/** Runs a program until it ends. */
export async function outcomeOf(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string | undefined>> },
) {
  const child = Bun.spawn([...command], { ...options, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

/** Runs a program until it ends. @returns its stdout. @throws with its stderr. */
export async function run(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await outcomeOf(command, {
    ...options,
    env: { ...process.env, ...options.env },
  });
  if (exitCode !== 0) throw new Error(`${command.slice(0, 3).join(' ')} failed: ${stderr || stdout}`);
  return stdout;
}

/** Writes a line about the progress. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);
