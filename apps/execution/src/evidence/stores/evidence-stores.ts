import type { Store } from '@batuta/database';
import type { ExecutionConfig } from '../../config';
import { DatabaseStore } from './database-store';
import type { Bucket, ObjectStore } from './object-store';
import { S3Bucket } from './s3-bucket';

/** The stores of pictures that the settings name. */
export class EvidenceStores {
  readonly database: DatabaseStore;
  /** The bucket for complete pictures; undefined when they stay in the database. */
  readonly target: Bucket | undefined;
  private readonly byLocation: Map<string, ObjectStore>;

  constructor(store: Store, settings: ExecutionConfig) {
    this.database = new DatabaseStore(store);
    const bucket = bucketOf(settings);
    this.target = settings.EVIDENCE_STORE === 's3' ? bucket : undefined;
    // A bucket that is no longer the target is still read while its settings exist.
    const stores: ObjectStore[] = bucket ? [this.database, bucket] : [this.database];
    this.byLocation = new Map(stores.map((one) => [one.location, one]));
  }

  /** The database and, if the settings name one, the bucket, also when new pictures no longer go there. */
  get all(): ObjectStore[] {
    return [...this.byLocation.values()];
  }

  /** The store with this location; undefined for a bucket that the settings no longer name. */
  at(location: string): ObjectStore | undefined {
    return this.byLocation.get(location);
  }
}

function bucketOf(settings: ExecutionConfig): Bucket | undefined {
  if (settings.EVIDENCE_S3_BUCKET === '') return undefined;
  return new S3Bucket({
    endpoint: settings.EVIDENCE_S3_ENDPOINT,
    bucket: settings.EVIDENCE_S3_BUCKET,
    prefix: settings.EVIDENCE_S3_PREFIX,
    region: settings.EVIDENCE_S3_REGION,
    accessKeyId: settings.EVIDENCE_S3_ACCESS_KEY_ID,
    secretAccessKey: settings.EVIDENCE_S3_SECRET_ACCESS_KEY,
  });
}
