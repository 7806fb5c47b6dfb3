/** What another server commits between two steps of a request, without a race of the test's own. */
import type { Store } from '../../storage/store.ts'

type Method = (...given: unknown[]) => Promise<unknown>

/** The store for one reader: `work` is done once, right after it has read rows of `table`, which may be outdated then. */
export function readingBefore(store: Store, table: string, work: () => Promise<unknown>): Store {
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

function through(
  store: Store,
  names: readonly (string | symbol)[],
  call: (method: Method, given: unknown[]) => Promise<unknown>,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Method
      return names.includes(name) ? (...given: unknown[]) => call(method, given) : method
    },
  })
}
