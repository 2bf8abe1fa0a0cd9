import { LargeAnswers } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import { tenantOf } from '../http/request';
import type { AuthorizationStep } from './authorization';

/** Lets the request wait while its company has too many large answers to read, and refuses it when that takes too long. */
@Injectable()
export class LargeAnswersStep {
  constructor(private readonly answers: LargeAnswers) {}

  readonly check: AuthorizationStep = ({ response, caller }) => this.answers.roomFor(tenantOf(caller), response);
}
