import { treeOf, type Tree, type WrittenCase } from './written-case.ts';

/** Writes a report like a given tool. */
export interface ReportWriter {
  readonly dialect: string;
  readonly format: string;
  /** Which names the tool can write without losing distinctions. */
  readonly names: 'any' | 'titles' | 'identifiers' | 'one type' | 'one suite';
  readonly write: (cases: readonly WrittenCase[]) => string;
  /** Whether the format contains the time and the message. */
  readonly keepsTime: boolean;
}

const xml = (text: string): string =>
  text.replaceAll(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);

const inner = ({ status, message }: WrittenCase): string =>
  ({
    passed: '',
    failed: `<failure message="${xml(message)}"/>`,
    skipped: `<skipped><![CDATA[${message.replaceAll(']]>', ']]]]><![CDATA[>')}]]></skipped>`,
  })[status];

const testcase = (one: WrittenCase, classname: string | undefined): string =>
  `<testcase name="${xml(one.name)}"${classname === undefined ? '' : ` classname="${xml(classname)}"`} time="${one.durationMs / 1_000}">${inner(one)}</testcase>`;

function junitTree(
  tree: Tree,
  path: readonly string[],
  classnameOf: (path: readonly string[]) => string | undefined,
): string {
  const cases = tree.cases.map((one) => testcase(one, classnameOf(path)));
  const suites = [...tree.suites].map(
    ([name, below]) =>
      `<testsuite name="${xml(name)}">\n${junitTree(below, [...path, name], classnameOf)}</testsuite>\n`,
  );
  return [...cases, ...suites].join('\n');
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const junit = (root: string, body: string) => `${declaration}<testsuites${root}>${body}</testsuites>`;

const flat = (
  root: string,
  suite: string,
  cases: readonly WrittenCase[],
  classname: (one: WrittenCase) => string,
): string =>
  junit(
    root,
    `<testsuite name="${suite}">${cases.map((one) => testcase(one, classname(one))).join('\n')}</testsuite>`,
  );

const tapPoint = (one: WrittenCase, indent: string): string => {
  const directive = { passed: '', failed: '', skipped: ' # SKIP' }[one.status];
  const name = one.name.replaceAll(/[\\#]/g, String.raw`\$&`);
  return `${indent}${one.status === 'failed' ? 'not ok' : 'ok'} - ${name}${directive}\n`;
};

const anyFailed = (tree: Tree): boolean =>
  tree.cases.some(({ status }) => status === 'failed') || [...tree.suites.values()].some(anyFailed);

function tapTree(tree: Tree, indent: string, blocks: boolean): string {
  const suites = [...tree.suites].map(([name, below]) => {
    const point = `${indent}${anyFailed(below) ? 'not ok' : 'ok'} - ${name}`;
    const body = tapTree(below, `${indent}    `, blocks);
    return blocks ? `${point} {\n${body}${indent}}\n` : `${indent}# Subtest: ${name}\n${body}${point}\n`;
  });
  return [...tree.cases.map((one) => tapPoint(one, indent)), ...suites].join('');
}

const seconds = (one: WrittenCase) => one.durationMs / 1_000;

function playwrightSuite(title: string, tree: Tree): unknown {
  const status = { passed: 'expected', failed: 'unexpected', skipped: 'skipped' } as const;
  return {
    title,
    specs: tree.cases.map((one) => ({
      title: one.name,
      tests: [
        {
          expectedStatus: one.status === 'skipped' ? 'skipped' : 'passed',
          status: status[one.status],
          results: [{ status: one.status, duration: one.durationMs, errors: [{ message: one.message }] }],
        },
      ],
    })),
    suites: [...tree.suites].map(([name, below]) => playwrightSuite(name, below)),
  };
}

const goAction = { passed: 'pass', failed: 'fail', skipped: 'skip' } as const;
const nunitResult = { passed: 'Passed', failed: 'Failed', skipped: 'Skipped' } as const;
const xunitResult = { passed: 'Pass', failed: 'Fail', skipped: 'Skip' } as const;
const trxOutcome = { passed: 'Passed', failed: 'Failed', skipped: 'NotExecuted' } as const;

const timeSpan = (one: WrittenCase) => `00:00:${(one.durationMs / 1_000).toFixed(7).padStart(10, '0')}`;

const timed = { keepsTime: true } as const;

export const reportWriters: readonly ReportWriter[] = [
  {
    ...timed,
    dialect: 'nested suites',
    format: 'junit',
    names: 'any',
    write: (cases) =>
      junit(
        '',
        junitTree(treeOf(cases), [], () => undefined),
      ),
  },
  {
    ...timed,
    dialect: 'bun',
    format: 'junit',
    names: 'any',
    write: (cases) =>
      junit(
        ' name="bun test"',
        junitTree(treeOf(cases), [], (path) => path.toReversed().join(' > ')),
      ),
  },
  {
    ...timed,
    dialect: 'robot',
    format: 'junit',
    names: 'identifiers',
    write: (cases) =>
      junit(
        '',
        junitTree(treeOf(cases), [], (path) => path.join('.')),
      ),
  },
  {
    ...timed,
    dialect: 'vitest',
    format: 'junit',
    names: 'titles',
    write: (cases) =>
      junit(
        ' name="vitest tests"',
        cases
          .map(
            (one) =>
              `<testsuite name="${xml(one.suites[0] ?? '')}">${testcase({ ...one, name: [...one.suites.slice(1), one.name].join(' > ') }, one.suites[0])}</testsuite>`,
          )
          .join(''),
      ),
  },
  {
    ...timed,
    dialect: 'pytest',
    format: 'junit',
    names: 'one suite',
    write: (cases) => flat('', 'pytest', cases, (one) => one.suites.join('.')),
  },
  {
    ...timed,
    dialect: 'jest-junit',
    format: 'junit',
    names: 'one suite',
    write: (cases) => flat(' name="jest tests"', 'any title', cases, (one) => one.suites.join('')),
  },
  {
    keepsTime: false,
    dialect: 'subtests',
    format: 'tap',
    names: 'titles',
    write: (cases) => `TAP version 14\n${tapTree(treeOf(cases), '', false)}`,
  },
  {
    keepsTime: false,
    dialect: 'blocks',
    format: 'tap',
    names: 'titles',
    write: (cases) => `TAP version 13\n${tapTree(treeOf(cases), '', true)}`,
  },
  {
    ...timed,
    dialect: 'any',
    format: 'ctrf',
    names: 'any',
    write: (cases) =>
      JSON.stringify({
        results: {
          tool: { name: 'a' },
          tests: cases.map((one) => ({
            name: one.name,
            status: one.status,
            duration: one.durationMs,
            message: one.message,
            suite: one.suites,
          })),
        },
      }),
  },
  {
    ...timed,
    dialect: 'any',
    format: 'playwright',
    names: 'any',
    write: (cases) =>
      JSON.stringify(
        {
          config: {},
          suites: [...treeOf(cases).suites].map(([name, below]) => playwrightSuite(name, below)),
        },
        null,
        2,
      ),
  },
  {
    ...timed,
    dialect: 'any',
    format: 'allure',
    names: 'one suite',
    write: (cases) =>
      cases
        .map((one, index) =>
          JSON.stringify({
            uuid: `u${index}`,
            name: one.name,
            status: one.status,
            start: 1_000,
            stop: 1_000 + one.durationMs,
            statusDetails: { message: one.message },
            labels: one.suites.map((value) => ({ name: 'suite', value })),
          }),
        )
        .join('\n'),
  },
  {
    ...timed,
    dialect: 'any',
    format: 'go-test',
    names: 'one suite',
    write: (cases) =>
      cases
        .flatMap((one) =>
          [
            { Action: 'run' },
            { Action: 'output', Output: `${one.message}\n` },
            { Action: goAction[one.status], Elapsed: seconds(one) },
          ].map((event) => JSON.stringify({ ...event, Package: one.suites[0], Test: one.name })),
        )
        .join('\n'),
  },
  {
    ...timed,
    dialect: '3',
    format: 'nunit',
    names: 'one type',
    write: (cases) =>
      `${declaration}<test-run>${cases.map((one) => `<test-case name="${xml(one.name)}" classname="${xml(one.suites[0] ?? '')}" fullname="${xml(`${one.suites[0]}.${one.name}`)}" result="${nunitResult[one.status]}" duration="${seconds(one)}"><failure><message>${xml(one.message)}</message></failure><reason><message>${xml(one.message)}</message></reason></test-case>`).join('')}</test-run>`,
  },
  {
    ...timed,
    dialect: '2',
    format: 'xunit',
    names: 'one type',
    write: (cases) =>
      `<assemblies><assembly><collection>${cases.map((one) => `<test name="${xml(`${one.suites[0]}.${one.name}`)}" type="${xml(one.suites[0] ?? '')}" result="${xunitResult[one.status]}" time="${seconds(one)}"><failure><message>${xml(one.message)}</message></failure><reason>${xml(one.message)}</reason></test>`).join('')}</collection></assembly></assemblies>`,
  },
  {
    ...timed,
    dialect: 'vstest',
    format: 'trx',
    names: 'one type',
    write: (cases) =>
      `<TestRun><Results>${cases.map((one, index) => `<UnitTestResult testId="${index}" testName="${xml(one.name)}" outcome="${trxOutcome[one.status]}" duration="${timeSpan(one)}"><Output><ErrorInfo><Message>${xml(one.message)}</Message></ErrorInfo></Output></UnitTestResult>`).join('')}</Results><TestDefinitions>${cases.map((one, index) => `<UnitTest id="${index}"><TestMethod className="${xml(one.suites[0] ?? '')}"/></UnitTest>`).join('')}</TestDefinitions></TestRun>`,
  },
];
