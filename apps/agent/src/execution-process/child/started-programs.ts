import { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

/**
 * The programs that this process has started, such as a browser. They are tracked because they may have left its
 * process group, and killing the group would miss them.
 */
export class StartedPrograms {
  private readonly pids = new Set<number>();

  constructor(changed: (pid: number, runs: boolean) => void) {
    subscribe('child_process', (message) => {
      const program: unknown = Reflect.get(Object(message), 'process');
      if (!(program instanceof ChildProcess)) return;
      program.once('spawn', () => {
        const { pid } = program;
        if (pid === undefined) return;
        this.pids.add(pid);
        changed(pid, true);
        program.once('exit', () => {
          this.pids.delete(pid);
          changed(pid, false);
        });
      });
    });
  }

  list(): number[] {
    return [...this.pids];
  }
}
