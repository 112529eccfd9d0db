import { strToU8, zipSync } from 'fflate';
import { scaled } from '../verify/scale.ts';
import { range, type World } from './freeze-world.ts';

const count = scaled(20_000, 100_000);

const workbook = (rows: readonly string[], texts: readonly string[] = []) =>
  Buffer.from(
    zipSync({
      'xl/workbook.xml': strToU8('<workbook/>'),
      'xl/sharedStrings.xml': strToU8(`<sst>${texts.join('')}</sst>`),
      'xl/worksheets/sheet1.xml': strToU8(`<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`),
    }),
  ).toString('base64');
const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

const million = 1_000_000;

/** The worst accepted and refused files of each format of import-tests. */
const files: ReadonlyArray<readonly [name: string, format: string, content: () => string, status: number]> = [
  [
    'of many tests',
    'testrail-csv',
    () =>
      `ID,Title,Section,References\n${range(count, (n) => `C${n},Test ${n},A${n % 50},S-${n}`).join('\n')}`,
    200,
  ],
  [
    'of many tests',
    'testrail-xml',
    () =>
      `<suite><sections><section><name>A</name><cases>${range(count, (n) => `<case><id>C${n}</id><title>${n}</title></case>`).join('')}</cases></section></sections></suite>`,
    200,
  ],
  ['of empty elements', 'testrail-xml', () => `<suite>${'<a/>'.repeat(million)}</suite>`, 200],
  [
    'of many elements in a test',
    'testlink-xml',
    () => `<testcases><testcase name="x">${'<a/>'.repeat(million)}</testcase></testcases>`,
    400,
  ],
  [
    'of long HTML',
    'testlink-xml',
    () =>
      `<testcases>${range(10, (n) => `<testcase internalid="h${n}" name="x"><summary><![CDATA[${'<p>&amp;<a '.repeat(90_000)}]]></summary></testcase>`).join('')}</testcases>`,
    200,
  ],
  [
    'of many cases',
    'qase-json',
    () =>
      JSON.stringify({
        suites: [{ title: 'A', cases: range(count, (n) => ({ id: n, title: `${n}`, tags: ['a'] })) }],
      }),
    200,
  ],
  ['of brackets', 'qase-json', () => `{"suites":[${'{"cases":[]},'.repeat(million)}{}]}`, 200],
  [
    'of long lists',
    'qase-csv',
    () =>
      `v2.id,title,steps_actions\n${range(10, (n) => `${n},t,"${range(100_000, (m) => `${m + 1}. a`).join('\n')}"`).join('\n')}`,
    200,
  ],
  [
    'of steps of one test',
    'xray-csv',
    () => `Issue key,Summary,Action\nA-1,x,a\n${'A-1,,a\n'.repeat(million)}`,
    400,
  ],
  [
    'of preconditions',
    'xray-csv',
    () => `Issue key,Summary,Precondition\nA-1,x,"${';'.repeat(million)}"\n`,
    200,
  ],
  [
    'of cells of HTML',
    'zephyr-csv',
    () => `Key,Name,Objective\n${range(14, (n) => `A-${n},x,"${'<p '.repeat(330_000)}"`).join('\n')}`,
    200,
  ],
  [
    'of tags',
    'testmo-csv',
    () => `Case ID,Case,Tags\n${range(14, (n) => `${n},x,"${','.repeat(million)}"`).join('\n')}`,
    200,
  ],
  ['of columns', 'table', () => `Name${',x'.repeat(900)}\n${`a${',1'.repeat(900)}\n`.repeat(5_000)}`, 200],
  [
    'of rows',
    'xlsx',
    () => workbook([`<row>${cell('Name')}</row>`, ...range(count, (n) => `<row>${cell(`Test ${n}`)}</row>`)]),
    200,
  ],
  [
    'that is a bomb',
    'xlsx',
    () =>
      workbook(
        ['<row/>'],
        range(80, () => `<si><t>${'a'.repeat(million)}</t></si>`),
      ),
    400,
  ],
];

/** One request for each file. What is accepted is only tried: the write is in the table of operations. */
export const importRequests = ({ projectId }: World) =>
  files.map(([name, format, content, status]) => ({
    name: `${format} ${name}`,
    path: '/api/tools/import-tests',
    method: 'POST',
    body: JSON.stringify({ projectId, format, content: content(), preview: true }),
    headers: {},
    status,
  }));
