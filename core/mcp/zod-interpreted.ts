import { config } from 'zod/v4/core';

// Imported before an SDK. Zod would compile each schema with `new Function` at its first use, which costs more than it saves in a
// process that reads a few messages (docs/decisions/start.md).
config({ jitless: true });
