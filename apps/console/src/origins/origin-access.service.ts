import type { Permission } from '@batuta/auth';
import { webhook, type Origin } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { ProcessAccessService } from '../access/process-access.service';

/** Origins and captures as one account sees them: what it may do is a matter of their process. */
@Injectable()
export class OriginAccessService {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
  ) {}

  /** NOT_FOUND where the account has no link to the process, as if there were no such origin; FORBIDDEN without `edit`. */
  require(accountID: string, id: string): Promise<Origin> {
    return this.find(accountID, { id }, 'edit');
  }

  /** The origin of the capture, on the same terms. */
  requireCapture(accountID: string, captureID: string, permission: Permission = 'edit'): Promise<Origin> {
    return this.find(accountID, { captureID }, permission);
  }

  private async find(
    accountID: string,
    by: { id: string } | { captureID: string },
    permission: Permission,
  ): Promise<Origin> {
    const origin = await this.rpc.call(webhook.origin, by).catch(asMissing);
    const reached = origin && (await this.access.find(accountID, origin.processID));
    // In the words in which the path's pipe refuses what is no id.
    if (!origin || !reached) throw new ApiError('NOT_FOUND');
    if (!reached.permissions[permission]) {
      throw new ApiError('FORBIDDEN', `The share lacks the permission ${permission}.`);
    }
    return origin;
  }
}

function asMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
