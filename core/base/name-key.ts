/**
 * Two names with the same key are the same name: case, the encoding of accents and the space around a name do not count.
 * Computed here and not in SQL, because SQLite lowers only ASCII.
 */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
