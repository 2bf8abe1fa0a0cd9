import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG_COLUMN, HASH_COLUMN, ID_COLUMN, TIME_COLUMN } from './columns';

/** A row of `environment`: a place where agents run instances (contract 2.2). */
@Entity('environment')
export class Environment {
  @PrimaryColumn({ ...ID_COLUMN, name: 'environment_id' })
  id!: string;

  /** The id of the owner's account. Only the owner deletes the environment or changes it, except `shared`, which only an administrator changes. */
  @Column({ ...ID_COLUMN, name: 'account_id' })
  accountID!: string;

  /** The company of the owner. */
  @Column({ ...ID_COLUMN, name: 'company_id' })
  companyID!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ type: 'varchar', length: 2000 })
  description!: string;

  /** Only shown, like `envType`: which agents may connect does not depend on it. */
  @Column({ type: 'varchar', length: 40 })
  os!: string;

  @Column({ type: 'varchar', length: 40, name: 'env_type' })
  envType!: string;

  /** True: starts are queued while no connected agent can run them. False: they are refused with AGENT_OFFLINE. */
  @Column({ ...FLAG_COLUMN, name: 'offline_flow' })
  offlineFlow!: boolean;

  /**
   * True: when an instance of this environment, other than a debug run, ends with the status `error`, the instances that were queued here before
   * are cancelled (interpretation 46).
   */
  @Column({ ...FLAG_COLUMN, name: 'cancel_queue_on_exception' })
  cancelQueueOnException!: boolean;

  /** Maximum number of instances that each agent of the environment runs at the same time; an agent may have a lower limit of its own. */
  @Column({ type: 'int' })
  capacity!: number;

  /** True for an environment of an administrator that the whole company may use. */
  @Column(FLAG_COLUMN)
  shared!: boolean;

  /** SHA-256 of the one key with which agents connect; a rotation replaces it. */
  @Column({ ...HASH_COLUMN, name: 'activation_key_hash' })
  activationKeyHash!: Buffer;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}
