import { sqlDialectOf, type SqlDialect } from '@batuta/flow';
import { StepError } from '../../step-error';

/** `verify` = encrypted, certificate and host name are checked; `unverified` = encrypted only. */
export type TlsMode = 'off' | 'unverified' | 'verify';

/** Where a database server is and how to log in. */
export interface ConnectionTarget {
  dialect: SqlDialect;
  host: string;
  port: number;
  user: string;
  password: string;
  /** Empty = none; PostgreSQL then takes the one with the name of the user. */
  database: string;
  tls: TlsMode;
}

const DEFAULT_PORTS: Record<SqlDialect, number> = { mysql: 3306, postgres: 5432, mssql: 1433 };
const TLS_VALUES: Readonly<Record<string, TlsMode>> = { off: 'off', unverified: 'unverified', verify: 'verify' };
/** The values of libpq's parameter `sslmode`, which connection URLs of PostgreSQL often have. */
const SSL_MODES: Readonly<Record<string, TlsMode>> = {
  disable: 'off',
  require: 'unverified',
  'verify-ca': 'verify',
  'verify-full': 'verify',
};
const EXPECTED_FORM =
  'the connection must be a URL such as mysql://user:password@host:3306/database (or mariadb, postgres, mssql)';

/** Reads a connection URL. Throws StepError; its message quotes nothing of the URL but the name of a parameter, because the URL contains a password. */
export function readConnection(text: string): ConnectionTarget {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const dialect = sqlDialectOf(text.trim());
  if (!url || !dialect || url.hostname === '') throw new StepError(EXPECTED_FORM);
  // A / ? or # of the password, if it is not encoded, ends the host for a parser of URLs: messages would quote parts of the password.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@'))
    throw new StepError('special characters of user, password and database in the connection must be percent-encoded');
  return {
    dialect,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORTS[dialect] : Number(url.port),
    user: percentDecoded(url.username, 'user'),
    password: percentDecoded(url.password, 'password'),
    database: percentDecoded(url.pathname.slice(1), 'database'),
    tls: tlsOf(url.searchParams),
  };
}

function tlsOf(parameters: URLSearchParams): TlsMode {
  let tls: TlsMode = 'off';
  for (const [name, value] of parameters) {
    const values = name === 'tls' ? TLS_VALUES : name === 'sslmode' ? SSL_MODES : undefined;
    if (!values) throw new StepError(`the connection has the parameter "${name}"; only "tls" and "sslmode" are known`);
    const read = Object.hasOwn(values, value) ? values[value] : undefined;
    if (!read) throw new StepError(`the connection's parameter "${name}" must be ${Object.keys(values).join(', ')}`);
    tls = read;
  }
  return tls;
}

function percentDecoded(part: string, what: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new StepError(`the ${what} in the connection has a % that is not written as %25`);
  }
}
