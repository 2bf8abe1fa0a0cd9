declare module 'pino-roll' {
  import type { SonicBoom, SonicBoomOpts } from 'sonic-boom';

  interface RollingFile extends SonicBoomOpts {
    file: string;
    /** A size such as `10m`. */
    size: string;
    limit: { count: number; removeOtherLogFiles: boolean };
  }

  export default function openRollingFile(options: RollingFile): Promise<SonicBoom>;
}
