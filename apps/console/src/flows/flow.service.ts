import { recordAction } from '@batuta/audit';
import { lockCompany, lockMappings, requireRoom } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { FLOW_LIMITS, needsOf, readShape, validateFlow, type FlowContext, type FlowProblem } from '@batuta/flow';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { entityTag, requireMatch } from '../http/entity-tag';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { FlowVersion, Process } from '../registry';
import { AllowedKeysService } from '../allowed-keys/allowed-keys.service';
import { MatrixService } from '../matrix/matrix.service';
import { ProcessAccessService } from '../access/process-access.service';
import type { CompanyCaller, SessionIdentity } from '../sessions/caller';
import type { VersionsQuery } from './flow.dto';
import { publishWarnings } from './publish-warnings';
import { deletedVariableProblems, refuseUnsavedMappings, toPublishedMappings } from './published-mappings';

/** A published version as one reader sees it. */
export interface PublishedVersion {
  version: number;
  /** The name that the publisher has now, or its e-mail address; empty where the reader may not see who published it (VERSION_COLUMNS). */
  publishedBy: string;
  publishedAt: Date;
}

/**
 * The publisher is named to its own company; everybody knows the owner by name (contract 2.3). The owner sees others by the e-mail
 * address with which the process is shared, and other readers see nothing of them.
 */
const VERSION_COLUMNS = `v.version, v.published_at AS publishedAt,
  COALESCE(IF(a.company_id = ? OR a.account_id = p.account_id, a.name, IF(p.account_id = ?, a.email, '')), '') AS publishedBy`;
const VERSIONS_WITH_PUBLISHERS = `process_version v JOIN process p ON p.process_id = v.process_id
  LEFT JOIN account a ON a.account_id = v.published_by`;

/** The parameters of VERSION_COLUMNS. */
const publisherParameters = ({ companyID, accountID }: CompanyCaller) => [companyID, accountID];

type CheckedFlow = ReturnType<typeof validateFlow>;

const MAX_LISTED_PROBLEMS = 5;
const NO_SAVED_FLOW_PROBLEM: FlowProblem = { path: '', message: 'no flow was saved' };

/**
 * The development version of a flow, its publication, and its published versions. Each change also throws what `ProcessAccessService.lock` throws.
 */
@Injectable()
export class FlowService {
  constructor(
    private readonly store: Store,
    private readonly matrix: MatrixService,
    private readonly allowedKeys: AllowedKeysService,
    private readonly access: ProcessAccessService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** The draft with its problems; `flow` is null while none was saved, which is a problem. */
  async read(processID: string): Promise<CheckedFlow & { flow: unknown; tag: string }> {
    const text = await draftTextOf(this.store, processID);
    const flow: unknown = JSON.parse(text);
    const checked = checkFlow(flow, await this.contextOf(processID));
    return { flow, ...checked, tag: entityTag(text, checked) };
  }

  /**
   * Stores the draft even if it has problems, and returns them. Throws PAYLOAD_TOO_LARGE, and PRECONDITION_FAILED when `ifMatch` is given and
   * is not the tag of the stored draft; the lock of the process prevents concurrent saves from passing the check together.
   */
  async save(
    caller: SessionIdentity,
    processID: string,
    flow: unknown,
    ifMatch?: string,
  ): Promise<CheckedFlow & { tag: string }> {
    const draftFlow = JSON.stringify(flow);
    if (Buffer.byteLength(draftFlow) > FLOW_LIMITS.bytes) throw new ApiError('PAYLOAD_TOO_LARGE');
    const context = await this.store.transaction(async (tx) => {
      const { process } = await this.access.lock(tx, caller, processID, 'edit');
      const { companyID } = process;
      if (ifMatch !== undefined) requireMatch(ifMatch, await draftTextOf(tx, processID));
      await tx.repository(Process).update({ id: processID }, { draftFlow });
      recordAction(tx, { action: 'flow.save', objectID: processID, companyID, processID });
      return this.contextOf(processID, tx);
    });
    const checked = checkFlow(flow, context);
    return { ...checked, tag: entityTag(draftFlow, checked) };
  }

  /** The problems of a flow that is not stored, with the Matrix and the vault keys that the process has now. */
  async check(processID: string, flow: unknown): Promise<CheckedFlow> {
    return checkFlow(flow, await this.contextOf(processID));
  }

  /** Throws BAD_REQUEST with the first problems of the draft, if it has any. */
  async requireRunnableDraft(processID: string): Promise<void> {
    const { problems } = await this.read(processID);
    refuseProblems(problems.map(problemText));
  }

  /**
   * Freezes the draft and the saved webhook mappings as the next version. Throws BAD_REQUEST for problems, MAPPING_UNSAVED and QUOTA_EXCEEDED.
   * The lock of the process prevents concurrent publications from taking the same number; origins are always locked after their process, which
   * avoids deadlocks. The warnings are read before the commit: after an error the caller publishes again, which would make another version.
   */
  async publish(
    { id: processID, companyID }: Pick<Process, 'id' | 'companyID'>,
    caller: SessionIdentity,
  ): Promise<{ version: number; warnings: string[] }> {
    return this.store.transaction(async (tx) => {
      await lockCompany(tx, companyID);
      const { process } = await this.access.lock(tx, caller, processID, 'edit');
      const { currentVersion } = process;
      const flow = await draftOf(tx, processID);
      const context = await this.contextOf(processID, tx);
      const origins = await lockMappings(tx, processID);
      const checked = checkFlow(flow, context);
      refuseUnsavedMappings(origins);
      refuseProblems([
        ...checked.problems.map(problemText),
        ...deletedVariableProblems(origins, new Set(context.matrix.map((variable) => variable.id))),
      ]);
      await this.requireRoomInProcess(tx, processID);
      await requireRoom(tx, companyID, 'versions', this.config.QUOTA_COMPANY_VERSIONS);
      const id = uuid();
      const version = currentVersion + 1;
      const mappings = JSON.stringify(toPublishedMappings(origins));
      const frozen = { flow: JSON.stringify(flow), mappings, needs: needsOfFlow(flow) };
      await tx
        .repository(FlowVersion)
        .insert({ id, processID, version, ...frozen, publishedBy: caller.accountID, publishedAt: new Date() });
      await tx.repository(Process).update({ id: processID }, { currentVersion: version, publishedVersionID: id });
      recordAction(tx, { action: 'flow.publish', objectID: processID, companyID, processID, detail: { version } });
      const warnings = checked.warnings.map((warning) => `${problemText(warning)}.`);
      return { version, warnings: [...(await publishWarnings(tx, processID, flow)), ...warnings] };
    });
  }

  /**
   * Throws QUOTA_EXCEEDED when the process already has QUOTA_VERSIONS versions (interpretation 55). The count is exact, because the process
   * is locked.
   */
  private async requireRoomInProcess(tx: Store, processID: string): Promise<void> {
    const { QUOTA_VERSIONS: limit } = this.config;
    if ((await tx.repository(FlowVersion).countBy({ processID })) < limit) return;
    throw new ApiError(
      'QUOTA_EXCEEDED',
      `A process has at most ${limit} versions (setting QUOTA_VERSIONS); continue in a new process.`,
    );
  }

  /** The variables and vault keys that a flow of the process may refer to. */
  private async contextOf(processID: string, store = this.store) {
    const matrix = await this.matrix.read(processID, store);
    return { matrix, vaultKeys: await this.allowedKeys.read(processID, store) };
  }

  /** A published version with its flow. Throws NOT_FOUND. */
  async version(
    reader: CompanyCaller,
    processID: string,
    version: number,
  ): Promise<PublishedVersion & { flow: unknown }> {
    const row = await this.store.row<PublishedVersion & { flow: string }>(
      `SELECT ${VERSION_COLUMNS}, v.flow FROM ${VERSIONS_WITH_PUBLISHERS} WHERE v.process_id = ? AND v.version = ?`,
      [...publisherParameters(reader), processID, version],
    );
    if (!row) throw new ApiError('NOT_FOUND', `The process has no version ${version}.`);
    const flow: unknown = JSON.parse(row.flow);
    return { ...row, flow };
  }

  /** The published versions, newest first. */
  async versions(
    reader: CompanyCaller,
    processID: string,
    { limit, before }: VersionsQuery,
  ): Promise<PublishedVersion[]> {
    return this.store.rows<PublishedVersion>(
      `SELECT ${VERSION_COLUMNS} FROM ${VERSIONS_WITH_PUBLISHERS}
        WHERE v.process_id = ? ${before === undefined ? '' : 'AND v.version < ?'} ORDER BY v.version DESC LIMIT ?`,
      [...publisherParameters(reader), processID, ...(before === undefined ? [] : [before]), limit],
    );
  }
}

/**
 * The needed abilities of a flow; null when its shape is not valid. `refuseProblems` refuses such a flow before it is
 * published.
 */
function needsOfFlow(flow: unknown): string | null {
  const read = readShape(flow);
  return 'flow' in read ? needsOf(read.flow) : null;
}

function checkFlow(flow: unknown, context: FlowContext): CheckedFlow {
  return flow === null ? { problems: [NO_SAVED_FLOW_PROBLEM], warnings: [], fields: [] } : validateFlow(flow, context);
}

async function draftOf(store: Store, id: string): Promise<unknown> {
  const flow: unknown = JSON.parse(await draftTextOf(store, id));
  return flow;
}

/** The JSON of the draft; `null` while none was saved. */
async function draftTextOf(store: Store, id: string): Promise<string> {
  const row = await store.row<{ draft_flow: string | null }>('SELECT draft_flow FROM process WHERE process_id = ?', [
    id,
  ]);
  return row?.draft_flow ?? 'null';
}

function problemText({ path, message }: FlowProblem): string {
  return `${path || 'flow'}: ${message}`;
}

function refuseProblems(problems: string[]): void {
  if (problems.length === 0) return;
  const listed = problems.slice(0, MAX_LISTED_PROBLEMS);
  const rest = problems.length > listed.length ? ` (and ${problems.length - listed.length} more)` : '';
  throw new ApiError('BAD_REQUEST', `${listed.join('; ')}${rest}`);
}
