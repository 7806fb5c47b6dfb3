/** Commits between two steps of a request, without races of the test's own. */
import type { Store } from '../../storage/store.ts'

/**
 * The store, for one reader: before the next read of rows that mention `table`, `work` is done once, as by another
 * server.
 */
export function storeWith(store: Store, table: string, work: () => Promise<unknown>): Store {
  let left = true
  const readLate = async (statement: Parameters<Store['all']>[0], read: () => Promise<unknown>) => {
    if (left && statement.sql.includes(`"${table}"`)) {
      left = false
      await work()
    }
    return read()
  }
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...given: unknown[]) => Promise<unknown>
      if (name !== 'all' && name !== 'first') return method
      return (...given: [Parameters<Store['all']>[0]]) => readLate(given[0], () => method(...given))
    },
  })
}
