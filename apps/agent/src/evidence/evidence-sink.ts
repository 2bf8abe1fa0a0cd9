/** A picture that a step keeps as evidence. */
export interface Picture {
  readonly bytes: Buffer;
  readonly mediaType: 'image/png' | 'image/jpeg';
}

/** A picture with its link; without a link the picture is not kept. */
export interface KeptPicture {
  readonly picture: Picture;
  readonly link: string | undefined;
}

/**
 * Hands a picture of an instance over for upload. Returns the link for the log line, `/v1/instances/:iid/evidence/:id`;
 * undefined for a picture that is not kept, for example because it is too large. The upload may still fail later.
 */
export type KeepPicture = (picture: Picture) => string | undefined;

/**
 * Keeps the pictures of a flow. In the process of an execution, the implementation sends them to the agent's process.
 */
export interface EvidenceSink {
  /** Resolves to the link, as KeepPicture returns it. */
  keep(picture: Picture): Promise<string | undefined>;
}
