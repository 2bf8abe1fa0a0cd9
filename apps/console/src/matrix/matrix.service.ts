import { Store } from '@batuta/database';
import { publicDefinition } from '@batuta/matrix';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { RegisteredVariable } from '../registry';
import { lockProcess } from '../access/process-access.service';
import type { VariableAnswer, VariableInput } from './matrix.dto';
import { planMatrix } from './plan-matrix';

/** The registered Matrix of a process. A replacement takes effect with the next start (interpretation 31). */
@Injectable()
export class MatrixService {
  constructor(private readonly store: Store) {}

  async read(processID: string, store = this.store): Promise<VariableAnswer[]> {
    const rows = await store.repository(RegisteredVariable).find({ where: { processID }, order: { position: 'ASC' } });
    return rows.map(({ id, name, type, defaultValue }) => {
      const registered: unknown = JSON.parse(defaultValue);
      return { id, ...publicDefinition({ id, name, type, default: registered }) };
    });
  }

  async replace(processID: string, variables: VariableInput[]): Promise<VariableAnswer[]> {
    return this.store.transaction(async (tx) => {
      await lockProcess(tx, processID);
      const known = await tx.repository(RegisteredVariable).find({ where: { processID }, select: { id: true } });
      const rows = planMatrix(processID, variables, new Set(known.map(({ id }) => id)), uuid);
      const kept = new Set(rows.map(({ id }) => id));
      const removed = known.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      if (removed.length > 0) await tx.repository(RegisteredVariable).delete({ id: In(removed) });
      if (rows.length > 0) await tx.repository(RegisteredVariable).upsert(rows, ['id']);
      // Execution caches variables by this revision; the lock of the process makes it unique to each replacement.
      await tx.write('UPDATE process SET matrix_revision = matrix_revision + 1 WHERE process_id = ?', [processID]);
      return this.read(processID, tx);
    });
  }
}
