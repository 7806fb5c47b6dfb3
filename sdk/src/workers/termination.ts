/** Handles SIGTERM, if there are signals: listeners shut down first, and then the process ends as it would have. */

/** The used part of the process of Node and Bun; a browser has none. */
interface Signals {
  pid: number
  on(signal: 'SIGTERM', listener: () => void): void
  off(signal: 'SIGTERM', listener: () => void): void
  listenerCount(signal: 'SIGTERM'): number
  kill(pid: number, signal: 'SIGTERM'): void
}

/** Calls `stop` at SIGTERM. The returned function removes the listener, and lets a process that got SIGTERM end. */
export function onTermination(stop: () => void): () => void {
  const { process } = globalThis as { process?: Partial<Signals> }
  if (typeof process?.on !== 'function' || typeof process.kill !== 'function') return () => {}
  const signals = process as Signals
  let isTold = false
  const hear = () => {
    isTold = true
    stop()
  }
  signals.on('SIGTERM', hear)
  return () => {
    signals.off('SIGTERM', hear)
    // another listener decides how the process ends
    if (isTold && signals.listenerCount('SIGTERM') === 0) signals.kill(signals.pid, 'SIGTERM')
  }
}
