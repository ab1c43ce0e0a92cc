import type { Terminal } from './context.ts';

/** The terminal that a process reads from and writes to; `undefined` when either end is something else. */
export function terminalOf(theProcess: NodeJS.Process): Terminal | undefined {
  const { stdin, stdout } = theProcess;
  if (stdin.isTTY !== true || stdout.isTTY !== true) return undefined;
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    onResize(run) {
      stdout.on('resize', run);
      return () => stdout.off('resize', run);
    },
    setRaw: (on) => stdin.setRawMode(on),
    atExit(run) {
      theProcess.on('exit', run);
      return () => theProcess.off('exit', run);
    },
  };
}
