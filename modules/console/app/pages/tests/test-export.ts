import { download } from '../../api/call.ts';
import { sayError } from '../../design/toast.tsx';

/** Saves the tests that a query chooses as a file. */
export async function exportTests(
  projectId: number,
  format: 'csv' | 'json',
  query: string | undefined,
): Promise<void> {
  try {
    await download('download-tests', { projectId, format, ...(query === undefined ? {} : { query }) });
  } catch (error) {
    sayError(error);
  }
}
