import { isoTime } from '../../../core/base/clock.ts';
import type { audit } from '../base/schema.ts';

/** An audit entry as `list-audit` returns it and exports contain it: without texts that people typed. */
export const auditRecordOf = ({
  id,
  at,
  projectId: _p,
  runId: _r,
  changes: _c,
  writeId: _w,
  ...rest
}: typeof audit.$inferSelect) => ({ eventId: id, at: isoTime(at), ...rest });
