/** Processor time of processes, from `/proc`: it says what work costs also where other programs take the machine's time. */
import { readdirSync, readFileSync } from 'node:fs'

/** `USER_HZ` of Linux, whatever the kernel. */
const ticksPerSecond = 100

interface Used {
  parent: number
  ms: number
}

/** Undefined for a process that is gone, and everywhere but on Linux. */
function usedBy(pid: number): Used | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // behind the name of the program, which may have anything in it
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // of its own, and of the processes that it has waited for
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
    return { parent: Number(fields[1]), ms: (ticks * 1_000) / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** What these processes have used so far, with those that they have started, in milliseconds; 0 where it is not known. */
export function processorMs(pids: readonly number[]): number {
  let ms = 0
  let all: number[] = []
  try {
    all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return 0
  }
  const roots = new Set(pids)
  for (const pid of all) {
    const used = usedBy(pid)
    if (used && (roots.has(pid) || roots.has(used.parent))) ms += used.ms
  }
  return ms
}
