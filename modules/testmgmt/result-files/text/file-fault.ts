/** Why a file cannot be read: a sentence, and the place in the file where it is known. The caller adds the name of the file. */
export class FileFault extends Error {
  readonly place: TextPlace | undefined;

  constructor(sentence: string, place?: TextPlace) {
    super(sentence);
    this.place = place;
  }
}

/** Both from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}
