import { lockMappings } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { FLOW_LIMITS, needsOf, readShape, validateFlow, type FlowContext, type Problem } from '@batuta/flow';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Process, ProcessVersion } from '../registry';
import { AllowedKeysService } from '../allowed-keys/allowed-keys.service';
import { MatrixService } from '../matrix/matrix.service';
import { lockProcess } from '../access/process-access.service';
import { publishWarnings } from './publish-warnings';
import { mappingProblems, refuseUnsaved, toPublished } from './published-mappings';

export interface PublishedVersion {
  version: number;
  publishedBy: string;
  publishedAt: Date;
}

const MAX_LISTED_PROBLEMS = 5;
const NOTHING_SAVED: Problem = { path: '', message: 'no flow was saved' };

/** The development version of a flow, its publication, and its published versions. */
@Injectable()
export class FlowService {
  constructor(
    private readonly store: Store,
    private readonly matrix: MatrixService,
    private readonly allowedKeys: AllowedKeysService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  async read(processID: string): Promise<{ flow: unknown; problems: Problem[] }> {
    const flow = await draftOf(this.store, processID);
    return { flow, problems: problemsOf(flow, await this.contextOf(processID)) };
  }

  /** Stores the draft even if it has problems, which it returns. */
  async save(processID: string, flow: unknown): Promise<Problem[]> {
    const draftFlow = JSON.stringify(flow);
    if (Buffer.byteLength(draftFlow) > FLOW_LIMITS.bytes) throw new ApiError('PAYLOAD_TOO_LARGE');
    await this.store.repository(Process).update({ id: processID }, { draftFlow });
    return problemsOf(flow, await this.contextOf(processID));
  }

  /** Throws BAD_REQUEST with the first problems of the draft. */
  async requireSound(processID: string): Promise<void> {
    const { problems } = await this.read(processID);
    refuseProblems(problems.map(problemText));
  }

  /**
   * Freezes the draft and the saved webhook mappings as the next version. The lock of the process keeps concurrent
   * publications from taking one number; origins are always locked after their process, which avoids deadlocks.
   */
  async publish(processID: string, publishedBy: string): Promise<{ version: number; warnings: string[] }> {
    const published = await this.store.transaction(async (tx) => {
      const { currentVersion } = await lockProcess(tx, processID);
      const flow = await draftOf(tx, processID);
      const context = await this.contextOf(processID, tx);
      const origins = await lockMappings(tx, processID);
      refuseUnsaved(origins);
      refuseProblems([
        ...problemsOf(flow, context).map(problemText),
        ...mappingProblems(origins, new Set(context.matrix.map((variable) => variable.id))),
      ]);
      await this.requireRoom(tx, processID);
      const id = uuid();
      const version = currentVersion + 1;
      const mappings = JSON.stringify(toPublished(origins));
      const frozen = { flow: JSON.stringify(flow), mappings, needs: needsOfSound(flow) };
      await tx
        .repository(ProcessVersion)
        .insert({ id, processID, version, ...frozen, publishedBy, publishedAt: new Date() });
      await tx.repository(Process).update({ id: processID }, { currentVersion: version, publishedVersionID: id });
      return { version, flow };
    });
    const { version } = published;
    return { version, warnings: await publishWarnings(this.store, processID, published.flow) };
  }

  /** Exact, because the process is locked. Throws QUOTA_EXCEEDED (interpretation 55). */
  private async requireRoom(tx: Store, processID: string): Promise<void> {
    const { QUOTA_VERSIONS: limit } = this.config;
    if ((await tx.repository(ProcessVersion).countBy({ processID })) < limit) return;
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

  /** The published versions, newest first. */
  async versions(processID: string, limit: number): Promise<PublishedVersion[]> {
    const rows = await this.store.rows<{ version: number; name: string | null; published_at: Date }>(
      `SELECT v.version, a.name, v.published_at FROM process_version v
         LEFT JOIN account a ON a.account_id = v.published_by
        WHERE v.process_id = ? ORDER BY v.version DESC LIMIT ?`,
      [processID, limit],
    );
    return rows.map(({ version, name, published_at }) => ({
      version,
      publishedBy: name ?? '',
      publishedAt: published_at,
    }));
  }
}

/** Null for a flow without a valid shape, which `refuseProblems` has refused already. */
function needsOfSound(flow: unknown): string | null {
  const read = readShape(flow);
  return 'flow' in read ? needsOf(read.flow) : null;
}

function problemsOf(flow: unknown, context: FlowContext): Problem[] {
  return flow === null ? [NOTHING_SAVED] : validateFlow(flow, context).problems;
}

async function draftOf(store: Store, id: string): Promise<unknown> {
  const row = await store.row<{ draft_flow: string | null }>('SELECT draft_flow FROM process WHERE process_id = ?', [
    id,
  ]);
  const flow: unknown = row?.draft_flow ? JSON.parse(row.draft_flow) : null;
  return flow;
}

function problemText({ path, message }: Problem): string {
  return `${path || 'flow'}: ${message}`;
}

function refuseProblems(problems: string[]): void {
  if (problems.length === 0) return;
  const listed = problems.slice(0, MAX_LISTED_PROBLEMS);
  const rest = problems.length > listed.length ? ` (and ${problems.length - listed.length} more)` : '';
  throw new ApiError('BAD_REQUEST', `${listed.join('; ')}${rest}`);
}
