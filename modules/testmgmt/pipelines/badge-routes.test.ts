import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, requireBuilt } from '../../../test/executable.ts';
import { startServed, type Served } from '../../../test/served.ts';
import { junitText } from '../testing/junit-text.ts';

let served: Served;

afterAll(() => served.running.stop());
beforeAll(async () => {
  requireBuilt();
  served = await startServed({ args: ['--badges', '1,3'], executable: compiled });
  for (const projectName of ['Shop', 'Secret', 'New'])
    await served.must('create-project', { orgId: 1, projectName });
  const upload = (projectId: number, branch: string, failed?: string) =>
    served.must('ingest-results', {
      projectId,
      branch,
      runKey: `${branch} ${failed}`,
      files: [
        { name: 'a.xml', content: junitText({ a: ['one', { name: 'two', ...(failed ? { failed } : {}) }] }) },
      ],
    });
  await upload(1, 'main');
  await upload(1, 'feature', 'no');
  await upload(2, 'main');
  // A failing case without a test: later uploads do not create tests.
  await served.must('ingest-results', {
    projectId: 1,
    branch: 'new test',
    files: [{ name: 'b.xml', content: junitText({ a: ['one', { name: 'third case', failed: 'no' }] }) }],
  });
});

const badgeOf = async (path: string) => {
  const response = await fetch(`${served.running.origin}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

describe('a badge', () => {
  test.each([
    ['/badges/1.svg', 'tests: 1 passed, 1 failed'],
    ['/badges/1.svg?branch=new%20test&label=new', 'new: 1 passed, 1 failed'],
    ['/badges/1.svg?branch=main', 'main: 2 passed'],
    ['/badges/1.svg?branch=main&label=unit', 'unit: 2 passed'],
    ['/badges/1.svg?branch=nothing', 'nothing: none'],
    ['/badges/1.svg?label=%3Cscript%3E', '&lt;script&gt;: 1 passed, 1 failed'],
    ['/badges/3.svg', 'tests: none'],
  ])('%s says %p', async (path, title) => {
    const { status, type, text } = await badgeOf(path);
    expect({ status, type }).toEqual({ status: 200, type: 'image/svg+xml; charset=utf-8' });
    expect(text).toContain(`<title>${title}</title>`);
    expect(text).not.toContain('<script');
  });

  test.each(['/badges/2.svg', '/badges/4711.svg', '/badges/1', '/badges/x.svg', '/badges/%2e%2e'])(
    '%s is none, whether there is such a project or not',
    async (path) => {
      const { status, text } = await badgeOf(path);
      expect({ status, text }).toEqual({
        status: 404,
        text: '{"error":{"code":"NOT_FOUND","message":"There is no GET route for this path."}}',
      });
    },
  );
});
