import { recordAction } from '@batuta/audit';
import { Store } from '@batuta/database';
import { publicDefinition } from '@batuta/matrix';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { RegisteredVariable } from '../registry';
import { ProcessAccessService } from '../access/process-access.service';
import { entityTag, requireMatch } from '../http/entity-tag';
import type { SessionIdentity } from '../sessions/caller';
import type { VariableAnswer, VariableInput } from './matrix.dto';
import { planMatrix } from './plan-matrix';

/** The registered Matrix of a process. A replacement takes effect with the next start (interpretation 31). */
@Injectable()
export class MatrixService {
  constructor(
    private readonly store: Store,
    private readonly access: ProcessAccessService,
  ) {}

  /** The variables in their order; the default of a Secreto is shown as empty. */
  async read(processID: string, store = this.store): Promise<VariableAnswer[]> {
    const rows = await store.repository(RegisteredVariable).find({ where: { processID }, order: { position: 'ASC' } });
    return rows.map(({ id, name, type, defaultValue }) => {
      const registered: unknown = JSON.parse(defaultValue);
      return { id, ...publicDefinition({ id, name, type, default: registered }) };
    });
  }

  /**
   * Returns the new Matrix. Throws what `ProcessAccessService.lock` and `planMatrix` throw, and PRECONDITION_FAILED when `ifMatch` is given and is
   * not the tag of the stored Matrix; the lock of the process prevents concurrent saves from passing the check together.
   */
  async replace(
    caller: SessionIdentity,
    processID: string,
    variables: VariableInput[],
    ifMatch?: string,
  ): Promise<VariableAnswer[]> {
    return this.store.transaction(async (tx) => {
      const { process } = await this.access.lock(tx, caller, processID, 'edit');
      const { companyID } = process;
      if (ifMatch !== undefined) requireMatch(ifMatch, JSON.stringify(await this.read(processID, tx)));
      const known = await tx.repository(RegisteredVariable).find({ where: { processID }, select: { id: true } });
      const rows = planMatrix(processID, variables, new Set(known.map(({ id }) => id)), uuid);
      const kept = new Set(rows.map(({ id }) => id));
      const removed = known.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      if (removed.length > 0) await tx.repository(RegisteredVariable).delete({ id: In(removed) });
      if (rows.length > 0) await tx.repository(RegisteredVariable).upsert(rows, ['id']);
      // Increments the revision by which execution caches the variables; under the lock of the process each replacement
      // gets its own number.
      await tx.write('UPDATE process SET matrix_revision = matrix_revision + 1 WHERE process_id = ?', [processID]);
      const detail = { variables: rows.length, removed: removed.length };
      recordAction(tx, { action: 'matrix.replace', objectID: processID, companyID, processID, detail });
      return this.read(processID, tx);
    });
  }
}

/** The tag of a Matrix as it was read. */
export function matrixTag(matrix: VariableAnswer[]): string {
  return entityTag(JSON.stringify(matrix));
}
