import type { Source } from './source.ts';

/** An archive that Homebrew installs. */
export interface FormulaArchive {
  readonly target: string;
  readonly file: string;
  readonly sha256: string;
}

const places = [
  ['on_macos', 'on_arm', 'darwin-arm64'],
  ['on_macos', 'on_intel', 'darwin-x64'],
  ['on_linux', 'on_arm', 'linux-arm64'],
  ['on_linux', 'on_intel', 'linux-x64'],
] as const;

/**
 * The Homebrew formula, for a tap.
 * @param base the URL below which the files of this release are.
 * @throws when an archive that it names was not built.
 */
export function formulaText(
  { version }: Pick<Source, 'version'>,
  archives: readonly FormulaArchive[],
  base: string,
): string {
  const block = (os: 'on_macos' | 'on_linux') =>
    places
      .filter(([system]) => system === os)
      .flatMap(([, cpu, target]) => {
        const archive = archives.find((one) => one.target === target);
        if (!archive) throw new Error(`The formula needs the archive of ${target}, which was not built.`);
        return [
          `    ${cpu} do`,
          `      url ${JSON.stringify(`${base.replace(/\/+$/, '')}/${archive.file}`)}`,
          `      sha256 ${JSON.stringify(archive.sha256)}`,
          '    end',
        ];
      });
  return [
    'class Trivet < Formula',
    '  desc "Sign-in, call-to-action state and test management in one executable"',
    `  homepage ${JSON.stringify(base)}`,
    `  version ${JSON.stringify(version)}`,
    '  license "MIT"',
    '',
    '  on_macos do',
    ...block('on_macos'),
    '  end',
    '',
    '  on_linux do',
    ...block('on_linux'),
    '  end',
    '',
    '  def install',
    '    bin.install "trivet"',
    '    doc.install "THIRD-PARTY-LICENSES.txt"',
    '    generate_completions_from_executable(bin/"trivet", "completion")',
    '  end',
    '',
    '  service do',
    '    run [opt_bin/"trivet", "serve", "--data", var/"trivet"]',
    '    keep_alive true',
    '    log_path var/"log/trivet.log"',
    '    error_log_path var/"log/trivet.log"',
    '  end',
    '',
    '  test do',
    '    assert_match version.to_s, shell_output("#{bin}/trivet --version")',
    '  end',
    'end',
    '',
  ].join('\n');
}
