import type { Preview } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { isMatrixType } from '@batuta/matrix';
import { Injectable } from '@nestjs/common';
import { CaptureService } from './capture.service';
import { previewMapping, type PreviewVariable } from './preview';

/**
 * The values that a start with a capture would have by the draft mapping (without a draft, by the saved one) and by the published one, converted by
 * the present types of the variables.
 */
@Injectable()
export class PreviewService {
  constructor(
    private readonly store: Store,
    private readonly captures: CaptureService,
  ) {}

  /** Throws what `findMappable` throws. A value that a start would refuse is in the preview with its refusal. */
  async preview(captureID: string): Promise<Preview> {
    const { payload, mapping } = await this.captures.findMappable(captureID);
    const variables = await this.variables(mapping.processID);
    return {
      draft: previewMapping(mapping.unsaved ?? mapping.saved, variables, payload),
      published: previewMapping(mapping.published, variables, payload),
    };
  }

  /** The variables of the process by their ids. */
  private async variables(processID: string): Promise<Map<string, PreviewVariable>> {
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
