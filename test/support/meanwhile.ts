/** What another server commits between two steps of a request, without a race of the test's own. */
import type { BackgroundStore, Store } from '../../storage/store.ts'

type AnyStore = Store | BackgroundStore
type Method = (...given: unknown[]) => Promise<unknown>

/** The store for one reader: `work` is done once, right after it has read rows of `table`, which may be outdated then. */
export function readingBefore<Read extends AnyStore>(store: Read, table: string, work: () => Promise<unknown>): Read {
  const reads = (given: unknown[]) => (given[0] as { sql: string }).sql.includes(`"${table}"`)
  let left = true
  return through(store, ['all', 'first'], async (method, given) => {
    const found = await method(...given)
    if (left && reads(given)) {
      left = false
      await work()
    }
    return found
  })
}

/** The store for one writer: `work` is done once, right before its first commit. */
export function committingAfter(store: Store, work: () => Promise<unknown>): Store {
  let left = true
  return through(store, ['commit'], async (method, given) => {
    if (left) {
      left = false
      await work()
    }
    return method(...given)
  })
}

function through<Through extends AnyStore>(
  store: Through,
  names: readonly (string | symbol)[],
  call: (method: Method, given: unknown[]) => Promise<unknown>,
): Through {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Method
      return names.includes(name) ? (...given: unknown[]) => call(method, given) : method
    },
  })
}
