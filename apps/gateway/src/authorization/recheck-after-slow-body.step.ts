import { refusalOfCaller, requireOwnedOrShared } from '@batuta/auth';
import { SLOW_BODY_MS } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import { GatewayClock } from '../common/gateway-clock';
import { AccessLookups } from './access-lookups';
import type { AuthorizationStep } from './authorization';
import { accessQuestionOf } from './credential.step';
import { keyStep } from './key.step';
import { permissionStep } from './permission.step';

/**
 * When SLOW_BODY_MS or more have passed since the caller was looked up, repeats the checks of caller, plan, process, key and permission, because
 * any of them may have been withdrawn while the body arrived.
 */
@Injectable()
export class RecheckAfterSlowBodyStep {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
  ) {}

  readonly check: AuthorizationStep = async (authorization) => {
    const { accessReadAt = 0, request, route, caller } = authorization;
    if (this.clock.now() - accessReadAt < SLOW_BODY_MS) return;
    const found = await this.lookups.findAccess(accessQuestionOf(request, caller.credentialID));
    const refusal = refusalOfCaller(found?.caller);
    if (refusal) throw refusal;
    if (!route.process) return;
    authorization.reachableProcess = requireOwnedOrShared(found?.access);
    await keyStep(authorization);
    await permissionStep(authorization);
  };
}
