/** Processor time of processes, from `/proc`: it shows the cost of work even if other programs use the machine. */
import { readdirSync, readFileSync } from 'node:fs'

/** `USER_HZ` of Linux, whatever the kernel. */
const ticksPerSecond = 100

interface Used {
  parent: number
  ms: number
}

/** Undefined for an ended process, and on systems other than Linux. */
function usedBy(pid: number): Used | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // after the name of the program, which may contain anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // its own, and that of ended child processes
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
    return { parent: Number(fields[1]), ms: (ticks * 1_000) / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** The processor time of these processes and their children so far, in milliseconds; 0 if unknown. */
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
