/**
 * Names with the same key are equal. Case, the encoding of accents and surrounding space are ignored. Computed here and not in SQL, because
 * SQLite lowers only ASCII.
 */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
