import { DumpFault, DumpLexer, type DumpToken } from './dump-lexer.ts';

export type DumpCell = string | number | null;

/** What a dump tells. */
interface DumpSink {
  /** Whether rows of this table are wanted. */
  readonly wants: (table: string) => boolean;
  /** A `CREATE TABLE` of a wanted table. */
  created(table: string, columns: readonly string[]): void;
  /** A row of a wanted table, by column. */
  row(table: string, cells: ReadonlyMap<string, DumpCell>): void;
}

/** Columns of a table, and cells of a row: MySQL allows 4,096. */
const mostColumns = 4_096;
/** Characters of a row. */
const longestRow = 32 * 1024 * 1024;

/** What begins a line of CREATE TABLE that is no column. */
const noColumn = new Set([
  'PRIMARY',
  'UNIQUE',
  'KEY',
  'INDEX',
  'CONSTRAINT',
  'FOREIGN',
  'FULLTEXT',
  'SPATIAL',
  'CHECK',
  'PERIOD',
]);

type State = (token: DumpToken) => State;

/**
 * Reads the rows of the INSERT statements of a dump; every other statement is passed over. Columns are those of the INSERT, or of the
 * CREATE TABLE before it.
 */
export class DumpStatements {
  readonly #lexer = new DumpLexer((token) => this.#take(token));
  readonly #columns = new Map<string, readonly string[]>();
  #state: State;
  #table = '';
  #insertColumns: string[] = [];
  #cells: DumpCell[] = [];
  #rowLength = 0;
  #depth = 0;
  #prefix = '';
  /** The comments of mysqldump: they frame a complete dump. */
  #isFramed = false;
  #isComplete = false;
  /** Whether the dump says that its times are in UTC. */
  isUtc = false;

  constructor(readonly sink: DumpSink) {
    this.#state = this.#start;
  }

  /** @throws DumpFault. */
  push(chunk: string): void {
    this.#lexer.push(chunk);
  }

  /** @throws DumpFault for a dump that is cut off. */
  end(): void {
    this.#lexer.end();
    if (this.#state !== this.#start && this.#state !== this.#skip)
      throw this.#lexer.fault('the file ends in the middle of a statement');
    if (this.#isFramed && !this.#isComplete)
      throw new DumpFault('Its last line "-- Dump completed" is missing, so the file was cut off.');
  }

  #take(token: DumpToken): void {
    if (token.kind === 'comment') this.#comment(token.text.trim());
    else this.#state = this.#state(token);
  }

  #comment(text: string): void {
    if (/^(?:MySQL|MariaDB) dump/.test(text)) this.#isFramed = true;
    if (text.startsWith('Dump completed')) this.#isComplete = true;
    if (/TIME_ZONE='\+00:00'/.test(text)) this.isUtc = true;
  }

  #start: State = (token) => {
    if (isSign(token, ';')) return this.#begin();
    const word = token.kind === 'word' ? token.text.toUpperCase() : '';
    if (word === 'INSERT' || word === 'REPLACE') return this.#insertInto;
    if (word === 'CREATE') return this.#create;
    if (word === 'SET') return this.#set;
    return this.#passOver();
  };

  #begin(): State {
    this.#lexer.nextStatement();
    return this.#start;
  }

  #passOver(): State {
    this.#lexer.isSkipping = true;
    return this.#skip;
  }

  #skip: State = (token) => (isSign(token, ';') ? this.#begin() : this.#skip);

  /** `SET TIME_ZONE='+00:00'`, outside of a comment in dumps of some programs. */
  #set: State = (token) => {
    if (isSign(token, ';')) return this.#begin();
    if (token.kind === 'word') this.#prefix = token.text.toUpperCase();
    if (token.kind === 'text' && this.#prefix === 'TIME_ZONE') this.isUtc = token.text === '+00:00';
    return this.#set;
  };

  #insertInto: State = (token) =>
    token.kind === 'word' && token.text.toUpperCase() === 'INTO'
      ? this.#insertNamed()
      : token.kind === 'word'
        ? this.#insertInto
        : this.#passOver();

  #insertNamed(): State {
    this.#table = '';
    return this.#insertTable;
  }

  /** The last of `database`.`table`. */
  #insertTable: State = (token) => {
    if (
      token.kind === 'name' ||
      (token.kind === 'word' && (this.#table === '' || token.text.startsWith('.')))
    ) {
      this.#table = nameOf(token) || this.#table;
      return this.#insertTable;
    }
    if (!this.sink.wants(this.#table)) return isSign(token, ';') ? this.#begin() : this.#passOver();
    this.#insertColumns = [];
    if (isSign(token, '(')) return this.#insertColumn;
    return this.#values(token);
  };

  #insertColumn: State = (token) => {
    if (isSign(token, ')')) return this.#values;
    if (token.kind === 'name' || token.kind === 'word') this.#insertColumns.push(token.text);
    if (this.#insertColumns.length > mostColumns) throw this.#lexer.fault('a list has too many columns');
    return this.#insertColumn;
  };

  #values: State = (token) => {
    if (token.kind === 'word' && /^VALUES?$/i.test(token.text)) return this.#betweenRows;
    throw this.#lexer.fault(`an INSERT into "${this.#table}" has no VALUES`);
  };

  #betweenRows: State = (token) => {
    if (isSign(token, ';')) return this.#begin();
    if (isSign(token, ',')) return this.#betweenRows;
    if (isSign(token, '(')) {
      this.#cells = [];
      this.#rowLength = 0;
      this.#prefix = '';
      return this.#cell;
    }
    throw this.#lexer.fault(`"${shown(token)}" is not expected between two rows`);
  };

  #cell: State = (token) => {
    if (token.kind === 'word' && /^(?:_\w+|[bnx])$/i.test(token.text)) {
      this.#prefix = token.text.toLowerCase();
      return this.#cell;
    }
    if (token.kind === 'sign' || token.kind === 'name')
      throw this.#lexer.fault(`"${shown(token)}" is not expected as a value`);
    this.#rowLength += token.text.length;
    if (this.#rowLength > longestRow || this.#cells.length >= mostColumns)
      throw this.#lexer.fault(`a row of "${this.#table}" is too long`);
    const cell = cellOfToken(token, this.#prefix);
    if (cell === undefined) throw this.#lexer.fault(`"${shown(token)}" is not a value`);
    this.#cells.push(cell);
    this.#prefix = '';
    return this.#afterCell;
  };

  #afterCell: State = (token) => {
    if (isSign(token, ',')) return this.#cell;
    if (!isSign(token, ')')) throw this.#lexer.fault(`"${shown(token)}" is not expected after a value`);
    this.#row();
    return this.#betweenRows;
  };

  #row(): void {
    const columns =
      this.#insertColumns.length > 0 ? this.#insertColumns : this.#columns.get(this.#table.toLowerCase());
    if (!columns)
      throw this.#lexer.fault(
        `the columns of "${this.#table}" are not known: dump with CREATE TABLE, or with --complete-insert`,
      );
    if (columns.length !== this.#cells.length)
      throw this.#lexer.fault(
        `a row of "${this.#table}" has ${this.#cells.length} values for ${columns.length} columns`,
      );
    this.sink.row(this.#table, new Map(columns.map((column, index) => [column, this.#cells[index] ?? null])));
  }

  #create: State = (token) => {
    if (token.kind === 'word' && token.text.toUpperCase() === 'TABLE') return this.#createTable;
    if (token.kind === 'word' && token.text.toUpperCase() === 'TEMPORARY') return this.#create;
    return isSign(token, ';') ? this.#begin() : this.#passOver();
  };

  #createTable: State = (token) => {
    if (token.kind === 'word' && /^(?:IF|NOT|EXISTS)$/i.test(token.text)) return this.#createTable;
    if (token.kind === 'name' || token.kind === 'word') {
      this.#table = nameOf(token) || this.#table;
      return this.#createTable;
    }
    if (!isSign(token, '(') || !this.sink.wants(this.#table))
      return isSign(token, ';') ? this.#begin() : this.#passOver();
    this.#insertColumns = [];
    this.#depth = 1;
    return this.#columnName;
  };

  #columnName: State = (token) => {
    const isColumn =
      token.kind === 'name' || (token.kind === 'word' && !noColumn.has(token.text.toUpperCase()));
    if (isColumn) this.#insertColumns.push(token.text);
    if (this.#insertColumns.length > mostColumns) throw this.#lexer.fault('a table has too many columns');
    return this.#columnRest(isColumn ? { kind: 'word', text: '' } : token);
  };

  #columnRest: State = (token) => {
    if (isSign(token, '(')) this.#depth++;
    if (isSign(token, ')')) this.#depth--;
    if (isSign(token, ',') && this.#depth === 1) return this.#columnName;
    if (isSign(token, ';')) throw this.#lexer.fault(`the CREATE TABLE of "${this.#table}" has no end`);
    if (this.#depth > 0) return this.#columnRest;
    const key = this.#table.toLowerCase();
    if (this.#columns.has(key))
      throw this.#lexer.fault(
        `table "${this.#table}" is created a second time: dump only the database of Checkmate`,
      );
    this.#columns.set(key, this.#insertColumns);
    this.sink.created(this.#table, this.#insertColumns);
    return this.#passOver();
  };
}

const isSign = (token: DumpToken, text: string): boolean => token.kind === 'sign' && token.text === text;

/** The last part of `database.table`, which is one word without quotes. */
const nameOf = ({ kind, text }: DumpToken): string =>
  kind === 'word' ? text.slice(text.lastIndexOf('.') + 1) : text;

const shown = ({ text }: DumpToken): string => text.slice(0, 40);

const textOfBytes = (hex: string): string | undefined =>
  hex.length % 2 === 0 ? Buffer.from(hex, 'hex').toString('utf8') : undefined;

/** The value of a token; undefined for one that is none, e.g. the name of a function. */
function cellOfToken({ kind, text }: DumpToken, prefix: string): DumpCell | undefined {
  if (kind === 'text') {
    if (prefix === 'x') return /^[\da-f]*$/i.test(text) ? textOfBytes(text) : undefined;
    if (prefix === 'b') return /^[01]{1,53}$/.test(text) ? Number.parseInt(text, 2) : undefined;
    return text;
  }
  if (kind === 'hex') return textOfBytes(text.slice(2));
  const word = text.toUpperCase();
  if (word === 'NULL') return null;
  if (word === 'TRUE' || word === 'FALSE') return word === 'TRUE' ? 1 : 0;
  return /^[-+]?\d{1,30}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : undefined;
}
