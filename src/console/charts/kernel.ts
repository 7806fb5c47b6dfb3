/** The Eclipse Layout Kernel in a worker of its own: it is large and takes its time, and neither is to be felt. */
import Kernel, { type ELK } from 'elkjs/lib/elk-api.js'
// @ts-expect-error: as a file it is its address, and types know it only as a module without any
import address from 'elkjs/lib/elk-worker.min.js' with { type: 'file' }

let kernel: ELK | undefined

/** Loaded when it is first asked for. */
export function layoutKernel(): ELK {
  kernel ??= new Kernel({ workerFactory: () => new Worker(address) })
  return kernel
}
