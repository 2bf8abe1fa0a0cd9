import { spawn } from 'node:child_process';
import { platform } from 'node:os';

/**
 * Kills a process at once, with its process group and all programs that it has started. Does nothing if the process is
 * gone.
 */
export function killGroup(pid: number, programs: Iterable<number> = []): void {
  for (const leader of [...programs, pid]) {
    if (platform() === 'win32')
      spawn('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore' }).on('error', () =>
        killIfAlive(leader),
      );
    // A started program may lead a process group of its own, as a browser does; one that leads none is killed alone.
    else if (!killIfAlive(-leader)) killIfAlive(leader);
  }
}

function killIfAlive(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
