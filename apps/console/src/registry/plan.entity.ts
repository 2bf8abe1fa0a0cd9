import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG_COLUMN, ID_COLUMN, TIME_COLUMN } from './columns';

/** A row of `plan`: what a company may do, and how much of it (contract 8). */
@Entity('plan')
export class Plan {
  @PrimaryColumn({ ...ID_COLUMN, name: 'plan_id' })
  id!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  @Column({ ...FLAG_COLUMN, name: 'api_access' })
  apiAccess!: boolean;

  @Column(FLAG_COLUMN)
  scheduling!: boolean;

  @Column({ type: 'int', name: 'monthly_credits' })
  monthlyCredits!: number;

  @Column({ type: 'int', name: 'log_retention_days' })
  logRetentionDays!: number;

  @Column({ type: 'int', name: 'requests_per_minute' })
  requestsPerMinute!: number;

  /** How many days audit events are kept; null = for ever. */
  @Column({ type: 'int', name: 'audit_days', nullable: true })
  auditDays!: number | null;

  /** How many days entries of the ledger are kept, before one entry with their sum replaces them; null = for ever. */
  @Column({ type: 'int', name: 'ledger_days', nullable: true })
  ledgerDays!: number | null;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}
