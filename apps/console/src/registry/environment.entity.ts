import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, HASH, ID, TIME } from './columns';

/** Where agents run instances (contract 2.2). */
@Entity('environment')
export class Environment {
  @PrimaryColumn({ ...ID, name: 'environment_id' })
  id!: string;

  @Column({ ...ID, name: 'account_id' })
  accountID!: string;

  @Column({ ...ID, name: 'company_id' })
  companyID!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ type: 'varchar', length: 2000 })
  description!: string;

  @Column({ type: 'varchar', length: 40 })
  os!: string;

  @Column({ type: 'varchar', length: 40, name: 'env_type' })
  envType!: string;

  @Column({ ...FLAG, name: 'offline_flow' })
  offlineFlow!: boolean;

  @Column({ ...FLAG, name: 'cancel_queue_on_exception' })
  cancelQueueOnException!: boolean;

  @Column({ type: 'int' })
  capacity!: number;

  /** Belongs to a company administrator and is published to the whole company. */
  @Column(FLAG)
  shared!: boolean;

  @Column({ ...HASH, name: 'activation_key_hash' })
  activationKeyHash!: Buffer;

  @Column({ ...TIME, name: 'created_at' })
  createdAt!: Date;
}
