import { rateCounts } from '../../http/rate/rate-schema.ts';
import { outbox, refusedLetters } from '../../letters/letter-schema.ts';
import { keyedCalls } from '../../tools/idempotency-schema.ts';

/** The tables of the kernel itself. Modules declare theirs in their parts. */
export const coreTables = { keyedCalls, rateCounts, outbox, refusedLetters };
