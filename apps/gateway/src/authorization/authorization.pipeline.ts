import { Injectable } from '@nestjs/common';
import { accountStep } from './account.step';
import { AddressStep } from './address.step';
import { LargeAnswersStep } from './large-answers.step';
import type { AuthorizationState, AuthorizationStep } from './authorization';
import { BodyStep } from './body.step';
import { ConcurrencyStep } from './concurrency.step';
import { CredentialStep } from './credential.step';
import { keyStep, sentKeyStep } from './key.step';
import { permissionStep } from './permission.step';
import { planStep } from './plan.step';
import { ProcessStep } from './process.step';
import { RateStep } from './rate.step';
import { RepeatedRefusalStep } from './repeated-refusal.step';
import type { RouteAccess } from './route-access';
import { ScheduleStep } from './schedule.step';
import { RecheckAfterSlowBodyStep } from './recheck-after-slow-body.step';

/** The checks of every route of /v1 that needs an account credential. The first step that throws decides the answer. */
@Injectable()
export class AuthorizationPipeline {
  private readonly stepsOfRoutes = new Map<RouteAccess, AuthorizationStep[]>();

  constructor(
    private readonly address: AddressStep,
    private readonly repeatedRefusal: RepeatedRefusalStep,
    private readonly credential: CredentialStep,
    private readonly rate: RateStep,
    private readonly concurrency: ConcurrencyStep,
    private readonly process: ProcessStep,
    private readonly schedule: ScheduleStep,
    private readonly body: BodyStep,
    private readonly recheckAfterSlowBody: RecheckAfterSlowBodyStep,
    private readonly largeAnswers: LargeAnswersStep,
  ) {}

  async run(authorization: AuthorizationState): Promise<void> {
    for (const step of this.stepsOf(authorization.route)) {
      const pending = step(authorization);
      if (pending) await pending;
    }
  }

  /**
   * The order is part of the contract (interpretation 11): no field of a body is validated by its DTO before the sender
   * is authorized.
   */
  private orderOf(route: RouteAccess): AuthorizationStep[] {
    return [...this.checksOf(route), this.largeAnswers.check];
  }

  private checksOf(route: RouteAccess): AuthorizationStep[] {
    const caller = [
      this.address.check,
      this.repeatedRefusal.check,
      this.credential.check,
      accountStep,
      planStep,
      this.rate.check,
      this.concurrency.check,
    ];
    const process = [this.process.check, keyStep, permissionStep];
    const body = route.body ? [this.body.check, this.recheckAfterSlowBody.check] : [];
    if (route.process === 'path') return [...caller, sentKeyStep, ...process, ...body];
    if (route.process === 'body') return [...caller, sentKeyStep, this.body.check, ...process];
    return route.schedule ? [...caller, this.schedule.check, ...body] : [...caller, ...body];
  }

  private stepsOf(route: RouteAccess): AuthorizationStep[] {
    const known = this.stepsOfRoutes.get(route);
    if (known) return known;
    const steps = this.orderOf(route);
    this.stepsOfRoutes.set(route, steps);
    return steps;
  }
}
