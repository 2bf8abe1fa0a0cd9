import { LargeAnswers } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import { tenantOf } from '../http/request';
import type { AuthorizationStep } from './authorization';

/**
 * Lets the request wait while there is no room for its answer, for example because its company leaves too many large answers unread. When that takes
 * too long, it is refused with RATE_LIMITED, or with UNAVAILABLE if the unread answers of all companies fill the memory; a request whose answer has
 * an unknown size goes on (see LargeAnswers).
 */
@Injectable()
export class LargeAnswersStep {
  constructor(private readonly answers: LargeAnswers) {}

  readonly check: AuthorizationStep = ({ response, caller }) => this.answers.roomFor(tenantOf(caller), response);
}
