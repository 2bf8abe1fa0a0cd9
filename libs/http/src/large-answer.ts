import { applyDecorators, Injectable, UseInterceptors, type CallHandler, type ExecutionContext } from '@nestjs/common';
import type { NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { LargeAnswers } from './large-answers';

/**
 * Makes the decorator `@LargeAnswer()` of a service: a route with it runs once the byte budget of the answers in flight has room for
 * another answer of the tenant. `tenantOf` returns undefined for a caller whose answers are not counted.
 */
export function largeAnswerDecorator(tenantOf: (context: ExecutionContext) => string | undefined) {
  @Injectable()
  class LargeAnswerInterceptor implements NestInterceptor {
    constructor(private readonly answers: LargeAnswers) {}

    async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
      const tenant = tenantOf(context);
      if (tenant !== undefined) await this.answers.admit(tenant, context.switchToHttp().getResponse<Response>());
      return next.handle();
    }
  }
  return (): MethodDecorator => applyDecorators(UseInterceptors(LargeAnswerInterceptor));
}
