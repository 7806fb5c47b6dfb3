/** Options of the actor runtime. */
import type { Store } from '../../storage/store.ts'
import type { Bus } from '../platform/bus/bus.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { AnyKind } from './kind.ts'
import type { WorkShare } from './work-share.ts'

export interface ActorsOptions {
  store: Store
  clock: Clock
  /** Omitted: no other server uses the store. */
  bus?: Bus
  kinds?: readonly AnyKind[]
  /** This server's share of the work; omitted: all of it. */
  share?: WorkShare
  /** The maximum number of actors in memory. */
  cacheSize?: number
  /** Returns a random number in [0, 1) for each event. */
  random?: () => number
  onError?: (error: unknown, what: string) => void
}
