import {
  MAX_EVIDENCE_BYTES,
  MAX_PICTURES,
  type EvidenceAckFrame,
  type EvidenceFrame,
  type WelcomeFrame,
} from '@batuta/agent-protocol';
import type { HeldInstance } from '@batuta/contracts';
import type { Logger } from '@batuta/logging';
import { v7 as uuid } from 'uuid';
import type { KeepPicture, Picture } from './evidence-sink';

/**
 * Maximum total bytes of the pictures that wait to be sent. A picture that would exceed it is not kept, because a flow
 * never waits for an upload.
 */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Pause before a part that the router refused for lack of room is sent again. */
const BUSY_PAUSE_MS = 2_000;

/** The code with which the router refuses a part that it may store later. */
const BUSY_CODE = 'BUSY';

interface Upload extends HeldInstance {
  evidenceID: string;
  picture: Picture;
  /** The number of the part to send. */
  part: number;
}

/** Sends one part; returns false when there is no session, or when the send buffer is too full. */
type SendEvidencePart = (frame: EvidenceFrame) => boolean;

/**
 * Uploads the pictures of all instances one after the other, one part at a time, beside the reports. A part that was
 * not acknowledged is sent again in the next session, even when its instance has ended.
 */
export class EvidenceUploads {
  private readonly queue: Upload[] = [];
  private queuedBytes = 0;
  /** The limits for pictures that the router of the last session announced; undefined before the first one, or when it takes no pictures. */
  private limits: WelcomeFrame['evidence'];
  private partInFlight = false;
  private busyTimer: NodeJS.Timeout | undefined;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly send: SendEvidencePart,
    private readonly logger: Logger,
    private readonly busyMs = BUSY_PAUSE_MS,
  ) {}

  /** The function with which the steps of one instance keep their pictures; it counts them, so it is made once for an instance. */
  keepFor({ instanceID, fence }: HeldInstance): KeepPicture {
    let [pictures, bytes] = [0, 0];
    return (picture) => {
      const reason = this.reasonNotToKeep(picture, { pictures, bytes });
      if (reason !== undefined) {
        this.logger.warn({ instanceID, bytes: picture.bytes.length, reason }, 'a picture is not kept');
        return undefined;
      }
      pictures += 1;
      bytes += picture.bytes.length;
      return this.add({ instanceID, fence, evidenceID: uuid(), picture, part: 1 });
    };
  }

  /** Begins a new session: the part that was in flight may be lost and is sent again. */
  onWelcome({ evidence }: WelcomeFrame): void {
    this.limits = evidence;
    this.partInFlight = false;
    this.sendNext();
  }

  onDisconnect(): void {
    this.partInFlight = false;
    clearTimeout(this.busyTimer);
    this.busyTimer = undefined;
  }

  onAck({ evidenceID, part, accepted, code, message }: EvidenceAckFrame): void {
    const [upload] = this.queue;
    // A late or repeated acknowledgement belongs to no part in flight.
    if (upload?.evidenceID !== evidenceID || upload.part !== part || !this.partInFlight) return;
    this.partInFlight = false;
    if (accepted) this.advance(upload);
    else if (code === BUSY_CODE) return this.sendLater();
    else {
      const { instanceID } = upload;
      this.logger.warn({ instanceID, evidenceID, code, reason: message }, 'the service does not keep a picture');
      this.removeFirst();
    }
    this.sendNext();
  }

  /**
   * Sends the next part unless one is in flight, the router takes none, or it was busy a moment ago. Also called when
   * the connection accepts frames again after its buffer was full.
   */
  sendNext(): void {
    const [upload] = this.queue;
    if (!upload || !this.limits || this.partInFlight || this.busyTimer) return;
    this.partInFlight = this.send(partOf(upload, this.limits.partBytes));
  }

  /** Resolves when no picture waits for its upload, when the signal aborts, or at once when the router takes no pictures. */
  async untilIdle(signal: AbortSignal): Promise<void> {
    if (this.queue.length === 0 || !this.limits || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.idleWaiters.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Discards the pictures that wait, because the agent ends. */
  close(): void {
    for (const { instanceID, evidenceID } of this.queue) {
      this.logger.warn({ instanceID, evidenceID }, 'a picture is lost, because the agent ends before its upload');
    }
    this.onDisconnect();
    while (this.queue.length > 0) this.removeFirst();
  }

  /**
   * The reason for not keeping a picture; undefined if it is kept. The limits per instance equal those of the execution
   * service, which would refuse the picture.
   */
  private reasonNotToKeep(
    { bytes: { length } }: Picture,
    kept: { pictures: number; bytes: number },
  ): string | undefined {
    if (!this.limits) return 'the router takes no pictures';
    if (length === 0) return 'it is empty';
    if (length > this.limits.pictureBytes) return `it has more than ${this.limits.pictureBytes} bytes`;
    if (kept.pictures >= MAX_PICTURES) return `the instance has ${MAX_PICTURES} pictures`;
    if (kept.bytes + length > MAX_EVIDENCE_BYTES) return `the instance has ${MAX_EVIDENCE_BYTES} bytes of pictures`;
    if (this.queuedBytes + length > MAX_QUEUED_BYTES) return 'too many pictures wait to be sent';
    return undefined;
  }

  private add(upload: Upload): string {
    this.queue.push(upload);
    this.queuedBytes += upload.picture.bytes.length;
    this.sendNext();
    return `/v1/instances/${upload.instanceID}/evidence/${upload.evidenceID}`;
  }

  private advance(upload: Upload): void {
    const sent = upload.part * (this.limits?.partBytes ?? 0);
    if (sent >= upload.picture.bytes.length) this.removeFirst();
    else upload.part += 1;
  }

  private removeFirst(): void {
    this.queuedBytes -= this.queue.shift()?.picture.bytes.length ?? 0;
    if (this.queue.length > 0) return;
    for (const wake of this.idleWaiters.splice(0)) wake();
  }

  private sendLater(): void {
    this.busyTimer = setTimeout(() => {
      this.busyTimer = undefined;
      this.sendNext();
    }, this.busyMs);
  }
}

function partOf({ instanceID, fence, evidenceID, picture, part }: Upload, partBytes: number): EvidenceFrame {
  const { bytes, mediaType } = picture;
  const data = bytes.toString('base64', (part - 1) * partBytes, part * partBytes);
  return { type: 'evidence', instanceID, fence, evidenceID, mediaType, bytes: bytes.length, part, data };
}
