import { withTimeout } from '@batuta/async';

const CLOSE_TIME_LIMIT_MS = 5_000;

/** A resource such as a browser that a step keeps open for later steps of the same execution. */
export interface ExecutionResource {
  /** Frees everything; may be called while it is in use. */
  close(): Promise<void>;
}

/** The open resources of one execution. All are closed when the execution ends, however it ends. */
export class ExecutionResources {
  private readonly openResources: ExecutionResource[] = [];

  /** The resource of a class, if a step has made it. */
  find<Resource extends ExecutionResource>(type: abstract new (...args: never[]) => Resource): Resource | undefined {
    return this.openResources.find((resource): resource is Resource => resource instanceof type);
  }

  add<Resource extends ExecutionResource>(resource: Resource): Resource {
    this.openResources.push(resource);
    return resource;
  }

  /** Resolves in bounded time: a resource that does not close must not delay the end of the execution. */
  async close(): Promise<void> {
    const late = () => new Error('not closed in time');
    await Promise.allSettled(
      this.openResources.splice(0).map((resource) => withTimeout(resource.close(), CLOSE_TIME_LIMIT_MS, late)),
    );
  }
}
