/** The name of the service, and the beginning of the names of further ones on the same machine. */
export const SERVICE_NAME = 'batuta-agent';

/** The parameters of a service of the operating system. */
export interface OsServiceSettings {
  /** The name of the service, by which the services of several agents on a machine differ. */
  service: string;
  /** Path of the program node. */
  node: string;
  /** Path of the agent's program. */
  program: string;
  /** The agent's settings by variable, the key among them. */
  environment: Record<string, string>;
  /** The account that the agent runs as; undefined for the usual one of the platform. */
  user: string | undefined;
  /** How long the agent may take to stop before the system kills it. */
  stopSeconds: number;
}

/** Files and commands that install a service; creating a plan changes nothing. */
export interface ServicePlan {
  /** `mode` = the permission bits; Windows ignores them. */
  files: { path: string; text: string; mode: number }[];
  /** Commands that keep other users from the files. They run before `startCommands`, and each must succeed. */
  protectCommands?: string[][];
  /** Commands that run in this order after the files are written. Running all of them again leaves the same service. */
  startCommands: string[][];
  /** Commands that run in this order before the files are removed. */
  stopCommands: string[][];
  /** A file that must exist before the installation; `from` says to the user where it comes from. */
  needs?: { path: string; from: string };
}
