import { ownKeyOf } from '../tables/column-mapping.ts';
import type { DescribedTest } from '../text/described-test.ts';
import { distinct, fieldsOfForeign, foreignFields } from '../text/foreign-fields.ts';
import { stepOfTexts } from '../text/numbered-list.ts';
import { readableText } from '../text/readable-text.ts';
import {
  childOf,
  childrenOf,
  textInside,
  xmlRecords,
  type XmlElement,
  type XmlRecord,
  type XmlShape,
} from '../text/section-xml.ts';
import type { ImportFormat, Reading } from '../tables/import-format.ts';

const shape: XmlShape = {
  roots: ['testsuite', 'testcases', 'testcase', 'testproject'],
  section: 'testsuite',
  nameIs: 'attribute',
  record: 'testcase',
};

/** TestLink's constants (lib/functions/const.inc.php). */
const importances: Readonly<Record<string, string>> = { '1': 'Low', '2': 'Medium', '3': 'High' };
const executions: Readonly<Record<string, string>> = { '1': 'Manual', '2': 'Automated' };

const html = (element: XmlElement | undefined, name: string) => readableText(textInside(element, name));

/** Before version 1.9 all steps were one text, with the expected results beside it. */
function stepsOf(element: XmlElement): object[] {
  const steps = childrenOf(childOf(element, 'steps'), 'step');
  const rows =
    steps.length > 0
      ? steps.map((step) => stepOfTexts(html(step, 'actions'), '', html(step, 'expectedresults')))
      : [stepOfTexts(html(element, 'steps'), '', html(element, 'expectedresults'))];
  return rows.flatMap((step) => step ?? []);
}

/** Minutes, with a decimal point. */
function secondsOfMinutes(text: string): number | string | undefined {
  const minutes = Number(text);
  if (text === '' || minutes === 0) return undefined;
  return Number.isFinite(minutes) && minutes > 0 ? Math.round(minutes * 60) : text;
}

function testOf({ element, path }: XmlRecord, row: number, { known, ignore }: Reading): DescribedTest {
  const own: Record<string, string> = {};
  for (const field of childrenOf(childOf(element, 'custom_fields'), 'custom_field')) {
    const [name, value] = [textInside(field, 'name'), textInside(field, 'value')];
    const key = ownKeyOf(known, name);
    // TestLink separates several options by a bar.
    if (value !== '' && key !== undefined)
      own[key] = known.get(key)?.kind === 'choices' ? value.replaceAll('|', ', ') : value;
    else if (value !== '') ignore(name);
  }
  const keywords = childrenOf(childOf(element, 'keywords'), 'keyword');
  const requirements = childrenOf(childOf(element, 'requirements'), 'requirement');
  const fields = fieldsOfForeign({
    testName: element.attributes['name'] ?? '',
    testDescription: html(element, 'summary'),
    preconditions: html(element, 'preconditions'),
    steps: stepsOf(element),
    sectionPath: path,
    priority: importances[textInside(element, 'importance')] ?? null,
    automationStatus: executions[textInside(element, 'execution_type')] ?? null,
    estimateSeconds: secondsOfMinutes(textInside(element, 'estimated_exec_duration')),
    labels: distinct(keywords.map(({ attributes }) => attributes['name'] ?? '')),
    refs: distinct(requirements.map((requirement) => textInside(requirement, 'doc_id'))),
    fields: own,
  });
  const externalId = (element.attributes['internalid'] ?? '').trim() || textInside(element, 'externalid');
  return { row, fields, ...(externalId === '' ? {} : { externalId }) };
}

function* read(reading: Reading): Generator<DescribedTest | undefined, void> {
  for (const field of foreignFields('automationStatus', 'estimateSeconds', 'labels', 'refs'))
    reading.supply(field);
  let row = 0;
  for (const record of xmlRecords(reading.content, shape)) yield record && testOf(record, ++row, reading);
}

/** What TestLink exports of a project, a suite or a test case. JUnit has the same outermost element. */
export const testlinkXml: ImportFormat = {
  title: 'XML of TestLink',
  source: 'testlink',
  isTable: false,
  recognizes: (head) =>
    head.kind === 'xml' &&
    shape.roots.includes(head.root) &&
    (head.root === 'testcases' || /internalid=|<node_order>|<importance>/.test(head.text)),
  read,
};
