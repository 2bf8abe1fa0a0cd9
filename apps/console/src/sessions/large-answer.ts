import { LargeAnswers } from '@batuta/http';
import { applyDecorators, Injectable, UseInterceptors, type CallHandler, type ExecutionContext } from '@nestjs/common';
import type { NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { callerOf } from './caller';

@Injectable()
class LargeAnswerInterceptor implements NestInterceptor {
  constructor(private readonly answers: LargeAnswers) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { companyID, accountID } = callerOf(context);
    await this.answers.admit(companyID ?? accountID, context.switchToHttp().getResponse<Response>());
    return next.handle();
  }
}

/**
 * Marks a route with a large answer. The route runs once the byte budget of the answers in flight has room for another
 * one.
 */
export function LargeAnswer(): MethodDecorator {
  return applyDecorators(UseInterceptors(LargeAnswerInterceptor));
}
