/** The attacker in a separate thread: its own cost does not count as a wait. */
import { type Assault, type Attack, assault, type Manner } from './attack.ts'

declare const self: Worker

/** The messages to the thread. */
interface Order {
  port: number
  manner: Manner
  requests: readonly Uint8Array[]
  durationMs: number
}

/** `assault`, in a separate thread. */
export function assaultInThread(
  port: number,
  { clients, unfinished }: Attack,
  requests: readonly Uint8Array[],
  durationMs: number,
): Promise<Assault> {
  const worker = new Worker(import.meta.url)
  const order: Order = { port, manner: { clients, unfinished }, requests, durationMs }
  return new Promise<Assault>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(order)
  }).finally(() => worker.terminate())
}

if (!Bun.isMainThread) {
  self.onmessage = async ({ data }: MessageEvent<Order>) => {
    const { port, manner, requests, durationMs } = data
    self.postMessage(await assault(port, manner, requests, durationMs))
  }
}
