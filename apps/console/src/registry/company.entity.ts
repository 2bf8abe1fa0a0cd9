import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG_COLUMN, ID_COLUMN, TIME_COLUMN } from './columns';

/** A tenant. Its credits are in `credit_account`, which execution writes. */
@Entity('company')
export class Company {
  @PrimaryColumn({ ...ID_COLUMN, name: 'company_id' })
  id!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ ...ID_COLUMN, name: 'plan_id' })
  planId!: string;

  /** True: calls of its accounts and starts of their processes are refused with OWNER_INACTIVE. */
  @Column(FLAG_COLUMN)
  suspended!: boolean;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}
