import type { Preview } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { isMatrixType } from '@batuta/matrix';
import { Injectable } from '@nestjs/common';
import { previewed, type Variable } from './preview';
import { StoredCaptures } from './stored-captures';

/** What a capture would give, by the mapping that is being worked on and by the published one. */
@Injectable()
export class PreviewService {
  constructor(
    private readonly store: Store,
    private readonly captures: StoredCaptures,
  ) {}

  async preview(captureID: string): Promise<Preview> {
    const { payload, mapping } = await this.captures.mappable(captureID);
    const variables = await this.variables(mapping.processID);
    return {
      draft: previewed(mapping.unsaved ?? mapping.saved, variables, payload),
      published: previewed(mapping.published, variables, payload),
    };
  }

  /** By their ids. */
  private async variables(processID: string): Promise<Map<string, Variable>> {
    const rows = await this.store.rows<{ variable_id: string; name: string; type: string }>(
      'SELECT variable_id, name, type FROM matrix_variable WHERE process_id = ?',
      [processID],
    );
    return new Map(
      rows.map(({ variable_id, name, type }) => {
        if (!isMatrixType(type)) throw new Error(`Variable ${variable_id} has the unknown type ${type}`);
        return [variable_id, { name, type }];
      }),
    );
  }
}
