import { IsString } from 'class-validator';
import { Integer, LogLevel, Url } from './decorators';

export class DatabaseSettings {
  /** `mysql://user:password@host:port/database` */
  @Url('mysql', 'mariadb')
  DATABASE_URL!: string;
}

/** Settings of every service. */
export class ServiceSettings extends DatabaseSettings {
  @IsString()
  HOST = '127.0.0.1';

  /** 0 takes a free port. */
  @Integer(0, 65_535)
  PORT = 0;

  @LogLevel()
  LOG_LEVEL = 'info';

  /** Maximum number of connections to the database. */
  @Integer(1, 500)
  DATABASE_POOL = 10;

  /** A statement fails, and its connection is destroyed, after this time without a byte from the database. */
  @Integer(500, 60_000)
  DATABASE_STATEMENT_MS = 4_000;

  /** `nats://user:password@host:port` */
  @Url('nats', 'tls')
  NATS_URL!: string;
}
