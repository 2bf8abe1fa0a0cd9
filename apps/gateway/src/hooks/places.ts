import { webhook } from '@batuta/contracts';
import type { Rpc } from '@batuta/messaging';
import { withRequestID } from '@batuta/observability';
import type { OnApplicationShutdown } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { ProcessPlaces, type Place } from './process-places';

/** A place that was spare from one look to the next goes back. */
const LOOK_MILLISECONDS = 250;
const KEEP_MILLISECONDS = 1_000;

/**
 * The places of waiting calls, of which a process has so many over all replicas (interpretation 29). This replica asks for what
 * its calls lack, hands places on from call to call, and tells every few seconds what it keeps: what is lost on the way
 * is made up for by the next word, or the end of the lease.
 */
export class Places implements OnApplicationShutdown {
  private readonly holder = uuid();
  private turn = 0;
  private readonly processes = new Map<string, ProcessPlaces>();
  private timer: NodeJS.Timeout | undefined;
  private keeping: Promise<void> | undefined;

  constructor(
    private readonly rpc: Pick<Rpc, 'call'>,
    /** How long it may take to get one. */
    private readonly milliseconds: number,
  ) {}

  /** undefined when all are taken. A webhook service that is away has none to give. */
  take(processID: string): Promise<Place | undefined> {
    const places = this.of(processID);
    const place = places.take();
    this.askFor(places);
    return place;
  }

  /** All calls are over: gives everything back. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.keeping;
    const all = [...this.processes.values()];
    for (const places of all) places.lose();
    if (all.length > 0) await this.keep(all);
  }

  private of(processID: string): ProcessPlaces {
    const known = this.processes.get(processID);
    if (known) return known;
    const places = new ProcessPlaces(processID);
    this.processes.set(processID, places);
    this.timer ??= withRequestID(undefined, () => setInterval(() => this.look(), LOOK_MILLISECONDS));
    return places;
  }

  // On behalf of all that wait by then, and not of the one that happens to be first.
  private askFor(places: ProcessPlaces): void {
    if (places.wanting && !places.busy) void withRequestID(undefined, () => this.ask(places));
  }

  /** One question at a time: who comes meanwhile is asked for with the next. */
  private async ask(places: ProcessPlaces): Promise<void> {
    const { processID } = places;
    places.busy = true;
    while (places.wanting) {
      const askedAt = performance.now();
      const request = { ...this.next(), processID, want: places.ask() };
      await this.rpc.call(webhook.wait, request, { timeout: this.milliseconds }).then(
        ({ granted }) => places.grant(granted, askedAt),
        () => places.fail(),
      );
    }
    places.busy = false;
  }

  private look(): void {
    if (this.keeping) return;
    const told: ProcessPlaces[] = [];
    for (const places of this.processes.values()) {
      if (places.needless) this.processes.delete(places.processID);
      else if (!places.busy && places.look()) told.push(places);
    }
    if (told.length > 0) {
      this.keeping = this.keep(told).finally(() => {
        this.keeping = undefined;
      });
    }
    if (this.processes.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async keep(told: ProcessPlaces[]): Promise<void> {
    const toldAt = performance.now();
    const places = told.map(({ processID, held }) => ({ processID, count: held }));
    for (const one of told) one.busy = true;
    await this.rpc.call(webhook.keep, { ...this.next(), places }, { timeout: KEEP_MILLISECONDS }).then(
      ({ gone }) => settle(told, new Set(gone), toldAt),
      () => {
        for (const one of told) one.doubt();
      },
    );
    for (const one of told) {
      one.busy = false;
      this.askFor(one);
    }
  }

  private next(): { holder: string; turn: number } {
    this.turn += 1;
    return { holder: this.holder, turn: this.turn };
  }
}

function settle(told: ProcessPlaces[], gone: ReadonlySet<string>, toldAt: number): void {
  for (const places of told) {
    if (gone.has(places.processID)) places.lose();
    else places.kept(toldAt);
  }
}
