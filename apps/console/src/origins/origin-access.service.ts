import { requireGranted, type Permission } from '@batuta/auth';
import { webhook, type Origin } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { ProcessAccessService } from '../access/process-access.service';
import { notFound } from '../http/not-found';

/** Decides what an account may do with origins and captures, by the permissions of their process. */
@Injectable()
export class OriginAccessService {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
  ) {}

  /** Throws NOT_FOUND when the account has no access to the process, as if the origin did not exist; FORBIDDEN without `edit`. */
  require(accountID: string, id: string): Promise<Origin> {
    return this.find(accountID, { id }, 'edit');
  }

  /** The origin of the capture. Throws as `require` does. */
  requireCapture(accountID: string, captureID: string, permission: Permission = 'edit'): Promise<Origin> {
    return this.find(accountID, { captureID }, permission);
  }

  private async find(
    accountID: string,
    by: { id: string } | { captureID: string },
    permission: Permission,
  ): Promise<Origin> {
    const origin = await this.rpc.call(webhook.origin, by).catch(undefinedIfNotFound);
    const accessible = origin && (await this.access.find(accountID, origin.processID));
    if (!origin || !accessible) throw notFound('id' in by ? 'webhook origin' : 'capture');
    requireGranted(accessible.permissions, permission);
    return origin;
  }
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
