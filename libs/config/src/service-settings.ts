import { readExporterHeaders, SAMPLERS, type Sampler, type TraceSettings } from '@batuta/tracing';
import { Transform } from 'class-transformer';
import { IsIn, IsNumber, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import { Integer, LogLevel, OptionalUrl, Url, UrlOfHosts } from './decorators';
import { PasswordOf, Secret, UserOf } from './secrets';

/**
 * The standard variables of OpenTelemetry. The service that a request enters decides whether it is sampled; a sampling
 * flag from the caller is ignored.
 */
export class TracingSettings implements TraceSettings {
  /** The collector to which traces go over OTLP/HTTP, such as `http://collector:4318`; without it nothing is traced. */
  @OptionalUrl('http', 'https')
  OTEL_EXPORTER_OTLP_ENDPOINT = '';

  /** Headers for the collector, `name=value`, separated by commas; values are percent-encoded. */
  @Secret()
  @ValidateBy({
    name: 'isExporterHeaders',
    validator: {
      validate: (text: string) => readExporterHeaders(text) !== undefined,
      defaultMessage: () => 'must be name=value, several separated by commas, with percent-encoded values',
    },
  })
  OTEL_EXPORTER_OTLP_HEADERS = '';

  /** The name under which the service's spans appear; `batuta-<service>` without it. */
  @IsString()
  OTEL_SERVICE_NAME = '';

  /**
   * Which requests are traced: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_` before it, which changes nothing.
   */
  @IsIn(SAMPLERS, { message: `must be one of ${SAMPLERS.join(', ')}` })
  OTEL_TRACES_SAMPLER: Sampler = 'parentbased_always_on';

  /** The fraction of requests that the samplers with `traceidratio` trace, from 0 to 1. */
  @Transform(({ value }) => Number(value))
  @IsNumber({}, { message: 'must be a number from 0 to 1' })
  @Min(0, { message: 'must be a number from 0 to 1' })
  @Max(1, { message: 'must be a number from 0 to 1' })
  OTEL_TRACES_SAMPLER_ARG = 1;

  /** Milliseconds between two messages to the collector. */
  @Integer(10, 60_000)
  OTEL_BSP_SCHEDULE_DELAY = 5_000;
}

/**
 * The parameter `ssl` of a database URL is a JSON object, false, or a profile of the driver. The driver's own error names no setting, and quotes that a shell
 * has removed are an easy mistake.
 */
function TlsOptions(): PropertyDecorator {
  const validator = {
    validate: (text: string) => !URL.canParse(text) || isTlsOptions(new URL(text).searchParams.get('ssl')),
    defaultMessage: () => 'ssl: must be a JSON object, as in ?ssl={"verifyIdentity":true}, or false',
  };
  return ValidateBy({ name: 'isTlsOptions', validator });
}

function isTlsOptions(text: string | null): boolean {
  if (text === null || text === 'Amazon RDS') return true;
  try {
    const options: unknown = JSON.parse(text);
    // The driver reads false as no TLS.
    return options === false || (typeof options === 'object' && options !== null);
  } catch {
    return false;
  }
}

/** Settings of every program that opens the database. */
export class DatabaseSettings extends TracingSettings {
  /** `mysql://user:password@host:port/database`, or without the password and with DATABASE_PASSWORD. */
  @Secret()
  // Servers accept a connection without a database, and then refuse every statement.
  @Matches(/^\w+:\/\/[^/]+\/[^/?#]/, {
    message: 'must name the database, as in mysql://user:password@host:3306/database',
  })
  @TlsOptions()
  @Url('mysql', 'mariadb')
  DATABASE_URL!: string;

  /** Replaces the user in DATABASE_URL, so that services with different users can share one URL. */
  @UserOf('DATABASE_URL')
  @IsString()
  DATABASE_USER = '';

  /** The password of DATABASE_URL, without percent-encoding. */
  @PasswordOf('DATABASE_URL')
  @IsString()
  DATABASE_PASSWORD = '';
}

/** Settings of the migration, which also creates a database user for each service when it has their passwords. */
export class MigrateSettings extends DatabaseSettings {
  /** The beginning of the names of the services' database users; the service's name follows, as in `batuta_gateway`. */
  @IsString()
  DATABASE_USER_PREFIX = 'batuta_';

  /** The password of the gateway's database user. */
  @Secret()
  @IsString()
  DATABASE_GATEWAY_PASSWORD = '';

  /** The password of execution's database user. */
  @Secret()
  @IsString()
  DATABASE_EXECUTION_PASSWORD = '';

  /** The password of the router's database user. */
  @Secret()
  @IsString()
  DATABASE_ROUTER_PASSWORD = '';

  /** The password of the schedule service's database user. */
  @Secret()
  @IsString()
  DATABASE_SCHEDULE_PASSWORD = '';

  /** The password of the webhook service's database user. */
  @Secret()
  @IsString()
  DATABASE_WEBHOOK_PASSWORD = '';

  /** The password of the console's database user. */
  @Secret()
  @IsString()
  DATABASE_CONSOLE_PASSWORD = '';
}

/** A password for the database user of each service. */
export type ServicePasswords = Record<'console' | 'execution' | 'gateway' | 'router' | 'schedule' | 'webhook', string>;

/**
 * The passwords for the services' database users, or undefined if none is given: all services then have the user of the migration.
 * Throws an Error that names the missing ones when only some are given.
 */
export function servicePasswords(settings: MigrateSettings): ServicePasswords | undefined {
  const passwords = {
    console: settings.DATABASE_CONSOLE_PASSWORD,
    execution: settings.DATABASE_EXECUTION_PASSWORD,
    gateway: settings.DATABASE_GATEWAY_PASSWORD,
    router: settings.DATABASE_ROUTER_PASSWORD,
    schedule: settings.DATABASE_SCHEDULE_PASSWORD,
    webhook: settings.DATABASE_WEBHOOK_PASSWORD,
  };
  const missing = Object.entries(passwords).flatMap(([service, password]) => (password === '' ? [service] : []));
  if (missing.length === Object.keys(passwords).length) return undefined;
  if (missing.length === 0) return passwords;
  const names = missing.map((service) => `DATABASE_${service.toUpperCase()}_PASSWORD`);
  throw new Error(`Settings are wrong:\n  ${names.join(', ')}: must be set, because other services have passwords`);
}

/** Settings of every service. */
export class ServiceSettings extends DatabaseSettings {
  /** The address on which the HTTP server listens. */
  @IsString()
  HOST = '127.0.0.1';

  /** The port of the HTTP server; 0 takes a free one. */
  @Integer(0, 65_535)
  PORT = 0;

  /**
   * Milliseconds for which a replica that was told to stop still serves while its readiness fails. Behind a load balancer
   * it must be longer than the balancer takes to notice the failed readiness and to send calls to other replicas; without
   * one it may be 0.
   */
  @Integer(0, 60_000)
  STOP_DELAY_MS = 0;

  /** Log lines below this level are not written: `trace`, `debug`, `info`, `warn`, `error`, or `silent` for none but why a start failed. */
  @LogLevel()
  LOG_LEVEL = 'info';

  /** Maximum number of connections of each replica to the database. */
  @Integer(1, 500)
  DATABASE_POOL = 10;

  /**
   * A statement fails, and its connection is destroyed, after this time without a byte from the database. Retention and the gauges of execution have
   * time limits of their own.
   */
  @Integer(500, 60_000)
  DATABASE_STATEMENT_MS = 4_000;

  /**
   * `nats://user:password@host:port`, or without the password and with NATS_PASSWORD. A cluster is `tls://user@host-1:4222,host-2:4222`: a
   * service whose node is lost connects to another one at once.
   */
  @Secret()
  @UrlOfHosts('nats', 'tls')
  NATS_URL!: string;

  /** The password of NATS_URL, without percent-encoding. */
  @PasswordOf('NATS_URL')
  @IsString()
  NATS_PASSWORD = '';
}
