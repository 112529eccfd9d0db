import { expect, test } from 'bun:test';
import type { OwnFields } from './tables/import-format.ts';
import { readTests, type ReadFile } from './import-file.ts';
import type { ImportFormatName } from './import-formats.ts';
import { workbook } from './testing/made-workbook.ts';
import type { ImportedTest } from './text/imported-test.ts';

/*
 * One made file of each format, by the forms that docs/decisions/importers.md names: counts, steps, priorities, own fields and ids.
 */

const known: OwnFields = new Map([
  ['severity', { key: 'severity', name: 'Severity', kind: 'text', options: [], required: false }],
  [
    'browsers',
    { key: 'browsers', name: 'Browsers', kind: 'choices', options: ['Chrome', 'Safari'], required: false },
  ],
]);

const read = (content: string, format: ImportFormatName): ReadFile => {
  const reading = readTests({ content, format, known });
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
};

const testrailXml = `<?xml version="1.0" encoding="UTF-8"?>
<suite><id>S2</id><name>Master</name><description></description><sections>
 <section><name>Account &amp; more</name><description>d</description><cases>
  <case><id>C1</id><title>Sign in</title><template>Test Case (Steps)</template><type>Functional</type><priority>High</priority>
   <estimate>1m 30s</estimate><references>SHOP-1, SHOP-2</references>
   <custom><severity><id>3</id><value> Major</value></severity>
    <browsers><item><id>1</id><value> Chrome</value></item><item><id>2</id><value> Safari</value></item></browsers>
    <automation_type><id>0</id><value> None</value></automation_type>
    <preconds>&lt;p&gt;A user&lt;/p&gt;</preconds>
    <steps_separated>
     <step><index>1</index><content>Open</content><expected>It opens</expected><additional_info>page 1</additional_info></step>
     <step><index>2</index><content>Sign in</content></step>
    </steps_separated></custom></case></cases>
  <sections><section><name>Deep</name><cases>
   <case><id>C2</id><title>Text</title><priority>Low</priority><custom><steps>1. One
2. Two</steps><expected>1. A
2. B</expected></custom></case></cases></section></sections>
 </section></sections></suite>`;

const testrailCsv = `"ID","Title","Estimate","Expected Result","Labels","Preconditions","Priority","References","Section","Section Hierarchy","Severity","Steps","Steps (Additional Info)","Steps (Expected Result)","Steps (Step)","Template","Type"
"C1","Sign in","1m 30s","","a, b","A user","High","SHOP-1, SHOP-2","Deep","Account > Deep","Major","","page 1","It opens","Open","Test Case (Steps)","Functional"
"","","","","","","","","","","","","","","Sign in","",""
"C2","Text","","1. A
2. B","","","Low","","Account","Account","","1. One
2. Two","","","","Test Case (Text)",""
`;

const qase = (
  first: string,
) => `${first},title,description,preconditions,postconditions,tags,priority,severity,type,behavior,automation,status,is_flaky,layer,steps_type,steps_actions,steps_result,steps_data,milestone_id,milestone,suite_id,suite_parent_id,suite,suite_without_cases,parameters
,,,,,,,,,,,,,,,,,,,,1,,Account,1,
,,,,,,,,,,,,,,,,,,,,2,1,Deep,1,
7,Sign in,About,A user,,"a,b",high,major,functional,positive,is-not-automated,actual,no,e2e,classic,STEPS,,,2,,Deep,,
8,Other,,,,,undefined,normal,undefined,undefined,to-be-automated,draft,no,unknown,classic,,,,,,,,,,
`;
const qaseV2 = qase('v2.id').replace(
  'STEPS',
  '"1. ""Open \\""it\\""\\nnow""\n2. ""Sign in""\n","1. ""It opens""\n2. """"\n","1. ""page 1""\n2. """"\n"',
);
const qaseV1 = qase('id').replace('STEPS', '"1. Open\n2. Sign in","1. It opens\n2. ","1. page 1"');

const qaseJson = JSON.stringify({
  suites: [
    {
      id: 1,
      title: 'Account',
      description: null,
      suites: [
        {
          id: 2,
          title: 'Deep',
          suites: [],
          cases: [
            {
              id: 7,
              title: 'Sign in',
              description: 'About',
              preconditions: 'A user',
              priority: 'high',
              severity: 'major',
              type: 'functional',
              behavior: 'positive',
              automation: 'is-not-automated',
              status: 'actual',
              is_flaky: 'no',
              layer: 'e2e',
              custom_fields: [{ title: 'Browsers', value: 'Chrome, Safari' }],
              steps_type: 'classic',
              steps: [
                {
                  position: 1,
                  action: 'Open',
                  expected_result: 'It opens',
                  data: 'page 1',
                  steps: [{ action: 'Nested' }],
                },
              ],
              tags: ['a', 'b', 'A'],
              params: [],
            },
          ],
        },
      ],
      cases: [{ id: 8, title: 'Other', priority: 'undefined', steps: [] }],
    },
  ],
});

const xrayCsv = `Issue ID;Issue Key;Test Type;Test Summary;Test Priority;Action;Data;Result;Test Repo;Precondition;Issue Type;Labels;Links
1;;;Needs a user;;;;;;;precondition;;
2;SHOP-7;Manual;Sign in;2;Open;page 1;It opens;Account/Deep;1;;a b;SHOP-1
2;;Manual;;2;Sign in;;;;;;;
3;SHOP-8;Cucumber;Other;5;;;;Account;;;;
`;
const jiraSteps = JSON.stringify([
  { index: 1, fields: { Action: 'Open', Data: 'page 1', 'Expected Result': 'It opens' } },
  { index: 2, fields: { Action: 'Sign in', Data: '' } },
]).replaceAll('"', '""');
const jiraCsv = `Summary,Issue key,Issue id,Issue Type,Priority,Labels,Labels,Custom field (Manual Test Steps),Custom field (Test Repository Path)
Sign in,SHOP-7,10007,Test,High,a,b,"${jiraSteps}",/Account/Deep
Story,SHOP-1,10001,Story,High,,,,
`;

const zephyrCsv = `Key,Name,Status,Precondition,Objective,Folder,Priority,Component,Labels,Owner,Estimated Time,Coverage (Issues),Coverage (Pages),Severity,Test Script (Step-by-Step) - Step,Test Script (Step-by-Step) - Test Data,Test Script (Step-by-Step) - Expected Result,Test Script (Plain Text),Test Script (BDD)
SHOP-T1,Sign in,Draft,A user,About,/Account/Deep,High,,a b,ann,00:01:30,"SHOP-1,SHOP-2",,Major,Open,page 1,It opens,,
,,,,,,,,,,,,,,Sign in,,,,
SHOP-T2,Other,Draft,,,/Account,Low,,,,,,,,,,,Do it all,
`;

const testmoCsv = `"Case ID","Case","Folder","Description","Steps (Step)","Steps (Expected)","Tags","Priority","Estimate","Test type","State"
"31","Sign in","Deep","<p>About</p>","<p>Open</p>","<p>It opens</p>","a,b","High","1m 30s","Functional","Active"
"","","","","<p>Sign in</p>","","","","","",""
"32","Other","Account","","","","","Low","","","Active"
`;

const testlinkXml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite id="" name=""><node_order><![CDATA[]]></node_order><details><![CDATA[]]></details>
<testsuite id="3" name="Account"><node_order><![CDATA[1]]></node_order><details><![CDATA[<p>x</p>]]></details>
<testcase internalid="4" name="Sign in"><node_order><![CDATA[1000]]></node_order><externalid><![CDATA[1]]></externalid><version><![CDATA[1]]></version>
<summary><![CDATA[<p>About&nbsp;it</p>
]]></summary><preconditions><![CDATA[<p>A user</p>]]></preconditions><execution_type><![CDATA[2]]></execution_type><importance><![CDATA[3]]></importance>
<estimated_exec_duration>1.50</estimated_exec_duration>
<steps><step><step_number><![CDATA[1]]></step_number><actions><![CDATA[<p>Open</p>]]></actions><expectedresults><![CDATA[<p>It opens</p>]]></expectedresults></step>
<step><step_number><![CDATA[2]]></step_number><actions><![CDATA[]]></actions><expectedresults><![CDATA[]]></expectedresults></step></steps>
<keywords><keyword name="a"><notes><![CDATA[]]></notes></keyword><keyword name="b"/></keywords>
<custom_fields><custom_field><name><![CDATA[Browsers]]></name><value><![CDATA[Chrome|Safari]]></value></custom_field></custom_fields>
<requirements><requirement><req_spec_title><![CDATA[r]]></req_spec_title><doc_id><![CDATA[SHOP-1]]></doc_id><title><![CDATA[t]]></title></requirement></requirements>
</testcase></testsuite></testsuite>`;

const xlsx = workbook(
  [
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Severity</t></is></c></row>',
    '<row r="2"/>',
    '<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" t="str"><f>HYPERLINK("x")</f><v>High</v></c><c r="D3" t="b"><v>1</v></c></row>',
  ],
  ['<t>Name</t>', '<r><t>Prio</t></r><r><t>rity</t></r><rPh><t>no</t></rPh>', '<t>Sign in_x000A_now</t>'],
);

const twoSteps = [{ action: 'Open', data: 'page 1', expected: 'It opens' }, { action: 'Sign in' }];
type Case = readonly [
  ImportFormatName,
  string,
  readonly ImportedTest[],
  ReadonlyArray<string | undefined>,
  readonly string[],
];
const cases: readonly Case[] = [
  [
    'testrail-xml',
    testrailXml,
    [
      {
        testName: 'Sign in',
        preconditions: 'A user',
        steps: twoSteps,
        sectionPath: ['Account & more'],
        priority: 'High',
        type: 'Functional',
        estimateSeconds: 90,
        refs: ['SHOP-1', 'SHOP-2'],
        fields: { severity: 'Major', browsers: ['Chrome', 'Safari'] },
      },
      {
        testName: 'Text',
        steps: [
          { action: 'One', expected: 'A' },
          { action: 'Two', expected: 'B' },
        ],
        sectionPath: ['Account & more', 'Deep'],
        priority: 'Low',
      },
    ],
    ['C1', 'C2'],
    ['template', 'automation_type'],
  ],
  [
    'testrail-csv',
    testrailCsv,
    [
      {
        testName: 'Sign in',
        preconditions: 'A user',
        steps: twoSteps,
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        type: 'Functional',
        estimateSeconds: 90,
        labels: ['a', 'b'],
        refs: ['SHOP-1', 'SHOP-2'],
        fields: { severity: 'Major' },
      },
      {
        testName: 'Text',
        steps: [
          { action: 'One', expected: 'A' },
          { action: 'Two', expected: 'B' },
        ],
        sectionPath: ['Account'],
        priority: 'Low',
      },
    ],
    ['C1', 'C2'],
    ['Section', 'Template'],
  ],
  ...[qaseV2, qaseV1].map((content): Case => [
    'qase-csv',
    content,
    [
      {
        testName: 'Sign in',
        testDescription: 'About',
        preconditions: 'A user',
        steps:
          content === qaseV2
            ? [{ action: 'Open "it"\nnow', data: 'page 1', expected: 'It opens' }, { action: 'Sign in' }]
            : twoSteps,
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        type: 'Functional',
        automationStatus: 'Manual',
        labels: ['a', 'b'],
        fields: { severity: 'major' },
      },
      { testName: 'Other', automationStatus: 'Automatable', fields: { severity: 'normal' } },
    ],
    ['7', '8'],
    [
      'postconditions',
      'behavior',
      'status',
      'is_flaky',
      'layer',
      'steps_type',
      'milestone_id',
      'milestone',
      'parameters',
    ],
  ]),
  [
    'qase-json',
    qaseJson,
    [
      {
        testName: 'Sign in',
        testDescription: 'About',
        preconditions: 'A user',
        steps: [{ action: 'Open', data: 'page 1', expected: 'It opens' }, { action: 'Nested' }],
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        type: 'Functional',
        automationStatus: 'Manual',
        labels: ['a', 'b'],
        fields: { severity: 'major', browsers: ['Chrome', 'Safari'] },
      },
      { testName: 'Other', sectionPath: ['Account'] },
    ],
    ['7', '8'],
    ['behavior', 'layer'],
  ],
  [
    'xray-csv',
    xrayCsv,
    [
      {
        testName: 'Sign in',
        preconditions: 'Needs a user',
        steps: twoSteps,
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        labels: ['a', 'b'],
        refs: ['SHOP-1'],
      },
      { testName: 'Other', sectionPath: ['Account'], priority: 'Lowest' },
    ],
    ['SHOP-7', 'SHOP-8'],
    ['Test Type'],
  ],
  [
    'xray-csv',
    jiraCsv,
    [
      {
        testName: 'Sign in',
        steps: twoSteps,
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        labels: ['a', 'b'],
      },
    ],
    ['SHOP-7'],
    [],
  ],
  [
    'zephyr-csv',
    zephyrCsv,
    [
      {
        testName: 'Sign in',
        testDescription: 'About',
        preconditions: 'A user',
        steps: twoSteps,
        sectionPath: ['Account', 'Deep'],
        priority: 'High',
        estimateSeconds: 90,
        labels: ['a', 'b'],
        refs: ['SHOP-1', 'SHOP-2'],
        fields: { severity: 'Major' },
      },
      { testName: 'Other', steps: [{ action: 'Do it all' }], sectionPath: ['Account'], priority: 'Low' },
    ],
    ['SHOP-T1', 'SHOP-T2'],
    ['Status', 'Component', 'Owner', 'Coverage (Pages)'],
  ],
  [
    'testmo-csv',
    testmoCsv,
    [
      {
        testName: 'Sign in',
        testDescription: 'About',
        steps: [{ action: 'Open', expected: 'It opens' }, { action: 'Sign in' }],
        sectionPath: ['Deep'],
        priority: 'High',
        type: 'Functional',
        estimateSeconds: 90,
        labels: ['a', 'b'],
      },
      { testName: 'Other', sectionPath: ['Account'], priority: 'Low' },
    ],
    ['31', '32'],
    ['State'],
  ],
  [
    'testlink-xml',
    testlinkXml,
    [
      {
        testName: 'Sign in',
        testDescription: 'About it',
        preconditions: 'A user',
        steps: [{ action: 'Open', expected: 'It opens' }],
        sectionPath: ['Account'],
        priority: 'High',
        automationStatus: 'Automated',
        estimateSeconds: 90,
        labels: ['a', 'b'],
        refs: ['SHOP-1'],
        fields: { browsers: ['Chrome', 'Safari'] },
      },
    ],
    ['4'],
    [],
  ],
  [
    'xlsx',
    xlsx,
    [{ testName: 'Sign in\nnow', priority: 'High', fields: { severity: 'true' } }],
    [undefined],
    [],
  ],
];

test.each(cases)('%s', (format, content, tests, ids, ignored) => {
  const found = read(content, format);
  expect(found.faults).toEqual([]);
  expect(found.tests).toEqual([...tests]);
  expect(found.externalIds).toEqual([...ids]);
  expect(found.ignored).toEqual([...ignored]);
});

test.each<[string, string, readonly string[], readonly string[], readonly string[]]>([
  [
    'two rows with one id and different names are two tests',
    'ID,Title\n9,Pay by card\n9,Refund\n',
    ['Pay by card'],
    ['has the id "9" of row 2'],
    [],
  ],
  [
    'two rows with one id and different types are two tests',
    'ID,Title,Type\n9,Pay,Functional\n9,Pay,Smoke\n',
    ['Pay'],
    ['has the id "9" of row 2'],
    [],
  ],
  [
    'a row that repeats the id and the name for its step is the same test',
    'ID,Title,Steps (Step)\n9,Pay,Open\n9,Pay,Pay\n9,,Leave\n',
    ['Pay'],
    [],
    [],
  ],
  /** @see The import of the whole file was refused, with "testName is required". */
  [
    'a row of a step that is only a picture is the same test',
    'ID,Title,Steps (Step)\n9,Pay,Open\n,,"<img src=""index.php?/attachments/get/3"">"\n,,<p></p>\n10,Leave,Go\n',
    ['Pay', 'Leave'],
    [],
    [],
  ],
  [
    'cells without a header are named',
    'ID,Title,,Priority\n9,Pay,lost,High,beyond\n10,Leave,,Low,\n',
    ['Pay', 'Leave'],
    [],
    ['column 3', 'column 5'],
  ],
  ['a column that stands twice', 'ID,Title,Title\n9,Pay,Other\n', ['Pay'], [], ['Title']],
])('%s', (_, content, names, faults, ignored) => {
  const file = read(content, 'testrail-csv');
  expect(file.tests.map(({ testName }) => testName)).toEqual([...names]);
  expect(file.faults.map(({ message }) => message)).toEqual(
    faults.map((one) => expect.stringContaining(one) as never),
  );
  expect(file.ignored).toEqual([...ignored]);
});
