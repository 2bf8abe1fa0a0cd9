import { refusalOfCaller, requireOwnedOrShared } from '@batuta/auth';
import { SLOW_BODY_MS } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import { GatewayClock } from '../common/gateway-clock';
import { AccessLookups } from './access-lookups';
import type { AuthorizationStep } from './authorization';
import { accessQuestionOf } from './credential.step';
import { keyStep } from './key.step';
import { permissionStep } from './permission.step';

/** After a slow body, refuses a credential, a process key or a share that was revoked while the body arrived. */
@Injectable()
export class RecheckAfterSlowBodyStep {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
  ) {}

  readonly check: AuthorizationStep = async (authorization) => {
    const { answeredAt = 0, request, route, caller } = authorization;
    if (this.clock.now() - answeredAt < SLOW_BODY_MS) return;
    const found = await this.lookups.access(accessQuestionOf(request, caller.credentialID));
    const refusal = refusalOfCaller(found?.caller);
    if (refusal) throw refusal;
    if (!route.process) return;
    authorization.linkedProcess = requireOwnedOrShared(found?.access);
    await keyStep(authorization);
    await permissionStep(authorization);
  };
}
