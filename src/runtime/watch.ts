/** Watches an actor for commits of any server. */
import type { Listening } from '../platform/bus/bus.ts'
import type { Actors } from './actors.ts'
import type { Actor, Address, AnyContext } from './kind.ts'

/**
 * Calls back after each commit of the actor at any server, with the actor as it is then (undefined: deleted). To know
 * the current state, read it once the watch is ready.
 */
export function watchActor<Row, Context = AnyContext>(
  actors: Actors,
  address: Address,
  listener: (actor: Actor<Row, Context> | undefined) => void,
): Listening {
  let ended = false
  let reading = false
  let again = false
  const look = async () => {
    again = reading
    if (reading) return
    reading = true
    try {
      do {
        again = false
        const actor = await actors.read<Row, Context>(address)
        if (!ended) listener(actor)
      } while (again && !ended)
    } catch {
      // the store is unavailable: the next read, within a few seconds, retries
    } finally {
      reading = false
    }
  }
  const unsubscribe = actors.subscribe(address, ({ actor }) => listener(actor as Actor<Row, Context>))
  const elsewhere = actors.subscribeElsewhere(address, () => void look())
  return {
    ready: elsewhere.ready,
    end() {
      ended = true
      unsubscribe()
      elsewhere.end()
    },
  }
}

/**
 * The actor once this holds; undefined once it is removed. Rejects with the signal's reason, and if the store cannot be
 * read.
 */
export function untilActor<Row, Context = AnyContext>(
  actors: Actors,
  address: Address,
  signal: AbortSignal,
  holds: (actor: Actor<Row, Context>) => boolean,
): Promise<Actor<Row, Context> | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      watch.end()
      signal.removeEventListener('abort', abort)
      finish()
    }
    const look = (actor: Actor<Row, Context> | undefined) => {
      if (!actor || holds(actor)) settle(() => resolve(actor))
    }
    const abort = () => settle(() => reject(signal.reason))
    const watch = watchActor(actors, address, look)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    else watch.ready.then(() => actors.read<Row, Context>(address)).then(look, (error) => settle(() => reject(error)))
  })
}
