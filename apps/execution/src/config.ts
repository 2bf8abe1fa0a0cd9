import { Integer, readSettings, Secret, SecretKeys, ServiceSettings, Url } from '@batuta/config';
import { IsIn, IsString, Matches } from 'class-validator';

class Settings extends ServiceSettings {
  /** The keys that seal stored secrets, `id:base64` of 32 bytes each: the first seals, all unseal. */
  @SecretKeys()
  SECRET_KEYS!: string;

  /**
   * Interval of the sweep that requeues or ends the instances of lost agents, and requeues offers that were not
   * granted.
   */
  @Integer(50, 60_000)
  SWEEP_MS = 2_000;

  /** An instance that was claimed and is not granted within this time is requeued. */
  @Integer(1, 600)
  CLAIM_SECONDS = 15;

  /** Retention of ended instances; the plan says the retention of their log lines, and an instance stays as long as these. */
  @Integer(1, 36_500)
  INSTANCE_RETENTION_DAYS = 400;

  /** Interval of the sweeps that delete rows whose retention has ended, and that clean up uploads and stores of pictures. */
  @Integer(50, 86_400_000)
  RETENTION_SWEEP_MS = 60_000;

  /** Maximum number of starts in one transaction. */
  @Integer(1, 1_000)
  START_BATCH = 100;

  /**
   * Maximum number of queued instances of one environment; further starts are refused with RATE_LIMITED (interpretation 55). At one start per
   * second the default is more than a day without an agent. Each replica may exceed it by about a tenth.
   */
  @Integer(1_000, 100_000_000)
  QUEUED_PER_ENVIRONMENT = 100_000;

  /**
   * With 1, instances with secret values run only on agents with a key, to which the values are sealed (interpretation
   * 58).
   */
  @Integer(0, 1)
  REQUIRE_SEALED_VALUES = 0;

  /**
   * Quota of a company's stored evidence pictures, in megabytes of 1,048,576 bytes; above it further pictures are refused and instances
   * run on.
   */
  @Integer(1, 100_000_000)
  QUOTA_EVIDENCE_MEGABYTES = 10_240;

  /** Where evidence pictures are stored once their upload is complete: in the database or in a bucket. */
  @IsIn(['database', 's3'], { message: 'must be database or s3' })
  EVIDENCE_STORE: 'database' | 's3' = 'database';

  /**
   * Address of S3, or of a service with the same protocol; the bucket's name is appended as the first part of the path.
   */
  @Url('http', 'https')
  @Matches(/^[^@?#]*$/, { message: 'must have no user name and no query; the access key has settings of its own' })
  EVIDENCE_S3_ENDPOINT = 'https://s3.us-east-1.amazonaws.com';

  /** Bucket of the pictures. Pictures that are already in it are also read while `EVIDENCE_STORE` is `database`. */
  @Matches(/^(?:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$/, { message: 'must be the name of a bucket' })
  EVIDENCE_S3_BUCKET = '';

  /** Prefix of the key of every object. */
  @Matches(/^(?:\w[\w.-]{0,39}\/){0,4}$/, { message: 'must be empty, or words that each end with a slash' })
  EVIDENCE_S3_PREFIX = 'evidence/';

  /** Region of the bucket; the signature of each request contains it. */
  @Matches(/^[\w-]{1,60}$/, { message: 'must be the name of a region' })
  EVIDENCE_S3_REGION = 'us-east-1';

  /** Id of the access key for the bucket; its secret is `EVIDENCE_S3_SECRET_ACCESS_KEY`. */
  @Secret()
  @IsString()
  EVIDENCE_S3_ACCESS_KEY_ID = '';

  /** The secret of the access key `EVIDENCE_S3_ACCESS_KEY_ID`. */
  @Secret()
  @IsString()
  EVIDENCE_S3_SECRET_ACCESS_KEY = '';
}

export type ExecutionConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting; missing settings of the bucket only when all others are right. */
export function readExecutionConfig(env: NodeJS.ProcessEnv): ExecutionConfig {
  const config = readSettings(Settings, env);
  const needed = ['EVIDENCE_S3_BUCKET', 'EVIDENCE_S3_ACCESS_KEY_ID', 'EVIDENCE_S3_SECRET_ACCESS_KEY'] as const;
  const missing = config.EVIDENCE_STORE === 's3' ? needed.filter((name) => config[name] === '') : [];
  if (missing.length === 0) return config;
  const complaints = missing.map((name) => `${name}: is missing, which EVIDENCE_STORE=s3 needs`);
  throw new Error(`Settings are wrong:\n  ${complaints.join('\n  ')}`);
}

/** Injection token of the settings, an ExecutionConfig. */
export const EXECUTION_CONFIG = Symbol('EXECUTION_CONFIG');
