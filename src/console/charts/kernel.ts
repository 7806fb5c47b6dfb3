/** The Eclipse Layout Kernel in its own worker: it is large and slow, and must not block the page. */
import Kernel, { type ELK } from 'elkjs/lib/elk-api.js'
// @ts-expect-error: imported as a file, it is its address; its types describe a module without exports
import address from 'elkjs/lib/elk-worker.min.js' with { type: 'file' }

let kernel: ELK | undefined

/** Loaded on first use. */
export function layoutKernel(): ELK {
  kernel ??= new Kernel({ workerFactory: () => new Worker(address) })
  return kernel
}
