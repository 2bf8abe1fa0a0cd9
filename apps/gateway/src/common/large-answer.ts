import { LargeAnswers } from '@batuta/http';
import { applyDecorators, Injectable, UseInterceptors, type CallHandler, type ExecutionContext } from '@nestjs/common';
import type { NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { requestOf } from '../http/request';

@Injectable()
class LargeAnswerInterceptor implements NestInterceptor {
  constructor(private readonly answers: LargeAnswers) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { caller } = requestOf(context);
    if (caller) await this.answers.admit(tenantOf(caller), context.switchToHttp().getResponse<Response>());
    return next.handle();
  }
}

/** Of a route whose answer may be a page of bytes: it waits until the bytes of answers in flight leave room. */
export function LargeAnswer(): MethodDecorator {
  return applyDecorators(UseInterceptors(LargeAnswerInterceptor));
}

/** Whose share of a budget of bytes a caller uses: that of its company. */
export function tenantOf({ companyID, accountID }: { companyID: string | null; accountID: string }): string {
  return companyID ?? accountID;
}
