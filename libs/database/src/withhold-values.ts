import type { DriverConnection } from './driver';

/** Errors of the server whose messages quote only names of the schema and of users, never values of a row or parts of a statement. */
const QUOTES_ONLY_NAMES = new Set([
  'ER_BAD_DB_ERROR',
  'ER_BAD_FIELD_ERROR',
  'ER_BAD_NULL_ERROR',
  'ER_BAD_TABLE_ERROR',
  'ER_CANT_DROP_FIELD_OR_KEY',
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_DATA_TOO_LONG',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_KEY_DOES_NOT_EXITS',
  'ER_NON_UNIQ_ERROR',
  'ER_NO_DEFAULT_FOR_FIELD',
  'ER_NO_REFERENCED_ROW_2',
  'ER_NO_SUCH_TABLE',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_ROW_IS_REFERENCED_2',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_TABLE_EXISTS_ERROR',
  'ER_UNKNOWN_SYSTEM_VARIABLE',
  'ER_WARN_DATA_OUT_OF_RANGE',
]);
/** From the first quote to the last, because a value may have quotes itself; the name of the key of a duplicate stays. */
const QUOTED = /'.*?'(?= for key '[^']*'$)|'.*'/s;

/**
 * Makes the errors of the connection's statements free of values, which may be personal data or secrets, because errors are logged. Their `sql`
 * becomes the text with its placeholders, and is left out where the values are in the text already.
 */
export function withholdValues(connection: DriverConnection): void {
  const query = connection.query.bind(connection);
  const withoutValues = (sql: unknown, ...rest: unknown[]) => {
    const done = rest.pop();
    if (typeof done !== 'function') throw new TypeError('A statement needs a callback');
    const text = rest.length > 0 ? sql : undefined;
    return Reflect.apply(query, undefined, [
      sql,
      ...rest,
      (error: unknown, ...result: unknown[]) => done(error && valueFree(error, text), ...result),
    ]);
  };
  Object.assign(connection, { query: withoutValues });
}

function valueFree(error: unknown, sql: unknown): unknown {
  const { code, message, sqlMessage, stack } = Object(error);
  // The other errors are those of the driver itself, such as that of a lost connection.
  if (typeof sqlMessage !== 'string' || typeof message !== 'string') return error;
  const masked = QUOTES_ONLY_NAMES.has(code) ? message : message.replace(QUOTED, "'…'");
  return Object.assign(Object(error), {
    message: masked,
    sqlMessage: masked,
    sql,
    stack: String(stack).replace(message, () => masked),
  });
}
