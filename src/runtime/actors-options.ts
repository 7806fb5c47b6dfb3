/** Options of the actor runtime. */
import type { Store } from '../../storage/store.ts'
import type { Bus } from '../platform/bus/bus.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { AnyKind } from './kind.ts'
import type { WorkShare } from './work-share.ts'

export interface ActorsOptions {
  store: Store
  clock: Clock
  /** Omitted: no other server has the store. */
  bus?: Bus
  kinds?: readonly AnyKind[]
  /** Which work is this server's; omitted: all. */
  share?: WorkShare
  /** The maximum number of actors in memory. */
  cacheSize?: number
  /** Returns a random number in [0, 1) for each event. */
  random?: () => number
  onError?: (error: unknown, what: string) => void
}
