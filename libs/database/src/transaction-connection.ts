import type { BoundedPool } from './bounded-pool';
import { asError, type DriverConnection } from './driver';

/** Maximum characters of one message: servers accept 16 MB by default, and a character has at most four bytes. */
const MAX_MESSAGE_CHARACTERS = 3 * 1024 * 1024;
/** Maximum characters of a compound COMMIT statement: preparing a longer one costs more than the results that it saves. */
const MAX_BLOCK_CHARACTERS = 16 * 1024;

interface TransactionOptions {
  pool: BoundedPool;
  pipelined: boolean;
  statementMs?: number;
}

interface Statement {
  /** The text with its values, which is sent. */
  text: string;
  /** The text with placeholders, which an error shows. */
  sql: string;
}

interface QueuedStatement extends Statement {
  /** The parameter is `never`, because the callbacks of statements with any type of result must fit here. */
  resolve(result: never): void;
  reject(error: unknown): void;
}

/**
 * The connection of one transaction. A `pipelined` connection sends the statements of one turn of the event loop in one
 * message, in their order; START TRANSACTION is in the first message, and COMMIT is in one message with the statements of
 * `atCommit`. This saves two thirds of a transaction's time on a loopback and more between machines. Any other connection sends each
 * statement as a message of its own.
 */
export class TransactionConnection {
  private begun = false;
  /** The last error of the database in this transaction. */
  private fault: unknown;
  private queued: QueuedStatement[] = [];
  private readonly statementsAtCommit: Statement[] = [];

  private constructor(
    private readonly pool: BoundedPool,
    private readonly connection: DriverConnection,
    private readonly pipelined: boolean,
  ) {}

  static open({ pool, pipelined, statementMs }: TransactionOptions): Promise<TransactionConnection> {
    return new Promise((resolve, reject) => {
      pool.getConnection((error, connection) => {
        if (error) reject(asError(error));
        else resolve(new TransactionConnection(pool, connection, pipelined));
      }, statementMs);
    });
  }

  query<Result>(sql: string, parameters: unknown[]): Promise<Result> {
    const text = this.connection.format(sql, parameters);
    return new Promise((resolve, reject) => {
      this.queued.push({ text, sql, resolve, reject });
      if (this.queued.length === 1) queueMicrotask(() => void this.sendQueued());
    });
  }

  /** Runs a statement right before the COMMIT and drops its result. */
  atCommit(sql: string, parameters: unknown[]): void {
    this.statementsAtCommit.push({ text: this.connection.format(sql, parameters), sql });
  }

  /** Runs the statements of `atCommit`, commits unless nothing was sent at all, and releases the connection. */
  async commit(): Promise<void> {
    const statements = this.statementsAtCommit.splice(0);
    if (this.begun || statements.length > 0) {
      for (const message of intoMessages([...statements, withoutParameters('COMMIT')]))
        await this.sendWithoutResults(message);
    }
    this.connection.release();
  }

  /** Rolls back, or destroys a connection that cannot roll back. */
  async rollback(): Promise<void> {
    try {
      if (this.begun) await this.send([withoutParameters('ROLLBACK')]);
      this.pool.release(this.connection, this.fault);
    } catch {
      this.pool.discard(this.connection);
    }
  }

  private async sendQueued(): Promise<void> {
    const queued = this.queued.splice(0);
    try {
      const results = await this.send(queued);
      for (const [index, result] of results.entries()) queued[index]?.resolve(result);
    } catch (error) {
      // Every statement of the message is rejected: the transaction is lost, whichever statement failed.
      for (const statement of queued) statement.reject(error);
    }
  }

  /** The results of the statements, in their order. */
  private async send(statements: Statement[]): Promise<never[]> {
    const openingStatements = this.takeOpeningStatements();
    const all = [...openingStatements, ...statements];
    const results = this.pipelined && all.length > 1 ? await this.sendTogether(all) : await this.sendOneByOne(all);
    return results.slice(openingStatements.length);
  }

  private async sendWithoutResults(statements: Statement[]): Promise<void> {
    const all = [...this.takeOpeningStatements(), ...statements];
    if (!this.pipelined || all.length === 1) await this.sendOneByOne(all);
    else await this.run(asBlock(joinStatements(all)));
  }

  /** START TRANSACTION for the first message; nothing for the others. */
  private takeOpeningStatements(): Statement[] {
    if (this.begun) return [];
    this.begun = true;
    return [withoutParameters('START TRANSACTION')];
  }

  private async sendTogether(statements: Statement[]): Promise<never[]> {
    return Array.from<never>(await this.run(joinStatements(statements)));
  }

  private async sendOneByOne(statements: Statement[]): Promise<never[]> {
    const results: never[] = [];
    for (const statement of statements) results.push(await this.run(statement));
    return results;
  }

  private run({ text, sql }: Statement): Promise<never> {
    return new Promise((resolve, reject) => {
      this.connection.query<never>(text, (error, result) => {
        if (!error) return resolve(result);
        this.fault = error;
        return reject(Object.assign(asError(error), { sql }));
      });
    });
  }
}

function withoutParameters(sql: string): Statement {
  return { text: sql, sql };
}

function joinStatements(statements: Statement[]): Statement {
  const joined = (form: keyof Statement) => statements.map((statement) => statement[form]).join(';\n');
  return { text: joined('text'), sql: joined('sql') };
}

/** MariaDB sends one result for a block instead of one per statement; MySQL reads the block's frame as comments. */
function asBlock({ text, sql }: Statement): Statement {
  return { text: text.length > MAX_BLOCK_CHARACTERS ? text : `/*M! BEGIN NOT ATOMIC */ ${text} /*M! ; END */`, sql };
}

/** Divides statements into as few messages as possible, in their order. */
function intoMessages(statements: Statement[]): Statement[][] {
  const messages: Statement[][] = [];
  let room = 0;
  for (const statement of statements) {
    const { length } = statement.text;
    const current = messages.at(-1);
    if (current && length <= room) current.push(statement);
    else messages.push([statement]);
    room = (current && length <= room ? room : MAX_MESSAGE_CHARACTERS) - length;
  }
  return messages;
}
