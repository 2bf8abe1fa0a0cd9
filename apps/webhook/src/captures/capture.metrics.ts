import { Metrics } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

@Injectable()
export class CaptureMetrics {
  private readonly captures;

  constructor(metrics: Metrics) {
    this.captures = metrics.counter('batuta_hook_captures_total', 'Captures stored for development URLs.');
  }

  countCapture(): void {
    this.captures.inc();
  }
}
