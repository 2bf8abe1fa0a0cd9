import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG_COLUMN, ID_COLUMN, TIME_COLUMN } from './columns';

/** A row of `plan`: what a company may do, and how much of it (contract 8). */
@Entity('plan')
export class Plan {
  @PrimaryColumn({ ...ID_COLUMN, name: 'plan_id' })
  id!: string;

  @Column({ type: 'varchar', length: 120 })
  name!: string;

  /** Whether accounts of the company may call the API, and third parties the production URLs of its processes. */
  @Column({ ...FLAG_COLUMN, name: 'api_access' })
  apiAccess!: boolean;

  /** Whether the processes of the company may be scheduled; while it is false, their schedules stay and do not fire. */
  @Column(FLAG_COLUMN)
  scheduling!: boolean;

  /** The balance with which a company begins each month; credits that are left from the month before are not added. */
  @Column({ type: 'int', name: 'monthly_credits' })
  monthlyCredits!: number;

  /** How many days after the end of an instance its log lines, pictures and kept values are deleted. */
  @Column({ type: 'int', name: 'log_retention_days' })
  logRetentionDays!: number;

  /** Maximum requests of one credential and calls of one webhook origin, over all replicas of the gateway. */
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
