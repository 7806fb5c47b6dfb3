/** The search of a list by names, in the address: `?search=clerk`. */
import { useAddressQuery } from '../../address-query.ts'

/** The longest text that the server accepts. */
const searchMax = 200

export function useListSearch() {
  const { values, change } = useAddressQuery('search')
  const search = values.search.slice(0, searchMax)
  return {
    search,
    /** The filter of the list, for its query. */
    filter: search.trim() === '' ? {} : { search },
    change: (search: string) => change({ search }),
  }
}

export type ListSearch = ReturnType<typeof useListSearch>
