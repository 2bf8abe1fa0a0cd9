import type { MatrixType } from '@batuta/matrix';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DECIMAL_COLUMN, FLAG_COLUMN, HASH_COLUMN, ID_COLUMN, TIME_COLUMN, TIME_OR_NULL_COLUMN } from './columns';

/** A row of `process`: what third parties start (contract 2.4). */
@Entity('process')
export class Process {
  @PrimaryColumn({ ...ID_COLUMN, name: 'process_id' })
  id!: string;

  /** The id of the owner's account. */
  @Column({ ...ID_COLUMN, name: 'account_id' })
  accountID!: string;

  /** The company of the owner. */
  @Column({ ...ID_COLUMN, name: 'company_id' })
  companyID!: string;

  /** Where a start runs that names no environment; null = such a start is refused with INVALID_ENVIRONMENT. */
  @Column({ ...ID_COLUMN, name: 'environment_id', nullable: true })
  environmentID!: string | null;

  @Column({ type: 'varchar', length: 120, name: 'process_name' })
  processName!: string;

  @Column({ type: 'varchar', length: 2000 })
  description!: string;

  /** False: every start but that of a debug run is refused with PROCESS_NOT_PUBLISHED (interpretation 16). */
  @Column(FLAG_COLUMN)
  active!: boolean;

  /** True: its schedules do not fire, and their times are recorded as skipped; other starts go on (interpretation 16). */
  @Column(FLAG_COLUMN)
  paused!: boolean;

  /** Whether third parties may call the process: LIBERADO if true, BLOQUEADO if false (contract 2.1). */
  @Column({ ...FLAG_COLUMN, name: 'api_enabled' })
  apiEnabled!: boolean;

  /** Time that a person needs for the work, as `HH:MM:SS` (interpretation 41). */
  @Column({ type: 'varchar', length: 9, name: 'avg_human_time' })
  avgHumanTime!: string;

  /** Money per hour of a person's work. */
  @Column({ ...DECIMAL_COLUMN, name: 'avg_operator_cost' })
  avgOperatorCost!: number;

  /** The development version as JSON text; only queries that name the column read it. */
  @Column({ type: 'longtext', name: 'draft_flow', nullable: true, select: false })
  draftFlow!: string | null;

  /** The number of the published version; 0 while nothing is published. */
  @Column({ type: 'int', name: 'current_version' })
  currentVersion!: number;

  /** The version that starts run, but for debug runs; null while nothing is published. */
  @Column({ ...ID_COLUMN, name: 'published_version_id', nullable: true })
  publishedVersionID!: string | null;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}

/** A published version: its flow, its webhook mappings and the abilities that it needs. Rows never change; they are deleted with their process. */
@Entity('process_version')
export class FlowVersion {
  @PrimaryColumn({ ...ID_COLUMN, name: 'version_id' })
  id!: string;

  @Column({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  @Column({ type: 'int' })
  version!: number;

  /** The flow definition as compact JSON. */
  @Column({ type: 'longtext', select: false })
  flow!: string;

  /** The saved webhook mappings as JSON. */
  @Column({ type: 'longtext', select: false })
  mappings!: string;

  /** The abilities that its instances need, separated by commas (interpretation 56); null = not known, of versions from an earlier release. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  needs!: string | null;

  /** The id of the account that published it. */
  @Column({ ...ID_COLUMN, name: 'published_by' })
  publishedBy!: string;

  @Column({ ...TIME_COLUMN, name: 'published_at' })
  publishedAt!: Date;
}

/** A registered Matrix variable (contract 2.5). A variable that is renamed keeps its id. */
@Entity('matrix_variable')
export class RegisteredVariable {
  @PrimaryColumn({ ...ID_COLUMN, name: 'variable_id' })
  id!: string;

  @Column({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  @Column({ type: 'int' })
  position!: number;

  @Column({ type: 'varchar', length: 80 })
  name!: string;

  @Column({ type: 'varchar', length: 20 })
  type!: MatrixType;

  /** The converted default as JSON. */
  @Column({ type: 'longtext', name: 'default_value' })
  defaultValue!: string;
}

/** A process key, which callers of the API send to use the process (contract 2.1). */
@Entity('process_key')
export class ProcessKey {
  @PrimaryColumn({ ...ID_COLUMN, name: 'key_id' })
  id!: string;

  @Column({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  /** The executor, in the audit trail, of what a call with the key starts or schedules. */
  @Column({ type: 'varchar', length: 120 })
  identifier!: string;

  @Column({ ...HASH_COLUMN, name: 'secret_hash' })
  secretHash!: Buffer;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;

  @Column({ ...TIME_OR_NULL_COLUMN, name: 'expires_at' })
  expiresAt!: Date | null;

  @Column({ ...TIME_OR_NULL_COLUMN, name: 'revoked_at' })
  revokedAt!: Date | null;
}

/** A row of `process_share`: the permissions of an account that is not the owner (contract 2.3, interpretation 12). */
@Entity('process_share')
export class ProcessShare {
  @PrimaryColumn({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ ...ID_COLUMN, name: 'account_id' })
  accountID!: string;

  /** May start the published version: by hand, over the API, and by the replay of a capture. */
  @Column({ ...FLAG_COLUMN, name: 'may_execute' })
  execute!: boolean;

  /**
   * May read and change the flow and the webhooks with their captures, change the Matrix and the settings, publish, start debug runs, and read of
   * the audit trail what the account itself did and started.
   */
  @Column({ ...FLAG_COLUMN, name: 'may_edit' })
  edit!: boolean;

  /** May list and revoke the process keys, which only the owner makes; calls of the API do not need it. */
  @Column({ ...FLAG_COLUMN, name: 'may_api' })
  api!: boolean;

  /** May create schedules of the process, which fire only while this holds, and read all its schedules. */
  @Column({ ...FLAG_COLUMN, name: 'may_schedule' })
  schedule!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_delete' })
  delete!: boolean;

  /** May read and change the shares of the process, and grant the permissions that the account has itself. */
  @Column({ ...FLAG_COLUMN, name: 'may_share' })
  share!: boolean;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}

/**
 * A share for an e-mail address without an account, with the permissions of `ProcessShare`; an account that gets this address gets the share at its
 * next login with a password, with the time of the invitation.
 */
@Entity('share_invitation')
export class ShareInvitation {
  @PrimaryColumn({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ type: 'varchar', length: 254 })
  email!: string;

  @Column({ ...FLAG_COLUMN, name: 'may_execute' })
  execute!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_edit' })
  edit!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_api' })
  api!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_schedule' })
  schedule!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_delete' })
  delete!: boolean;

  @Column({ ...FLAG_COLUMN, name: 'may_share' })
  share!: boolean;

  @Column({ ...TIME_COLUMN, name: 'created_at' })
  createdAt!: Date;
}

/** A key of the owner's vault that a process may use, also one that the vault does not have (interpretation 49). */
@Entity('process_vault_key')
export class AllowedVaultKey {
  @PrimaryColumn({ ...ID_COLUMN, name: 'process_id' })
  processID!: string;

  @PrimaryColumn({ type: 'varchar', length: 80, name: 'vault_key' })
  key!: string;
}
