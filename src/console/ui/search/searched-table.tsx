/** A table of a list with a search by names above it. */

import { Button } from '../forms/button.tsx'
import { Empty } from '../states.tsx'
import { DataTable, type DataTableProps } from '../table.tsx'
import { SearchField } from './search-field.tsx'
import type { ListSearch } from './use-list-search.ts'

interface SearchedTableProps<Item> extends DataTableProps<Item> {
  narrowing: ListSearch
}

export function SearchedTable<Item>({ narrowing: { search, filter, change }, ...table }: SearchedTableProps<Item>) {
  const { label, pages } = table
  const isSearched = filter.search !== undefined
  // nothing is searched in a list that is empty
  const isSearchable = isSearched || pages.items === undefined || pages.items.length > 0 || pages.page > 1
  const none = (
    <Empty icon="search" title={`No ${label} found`} action={<Button onClick={() => change('')}>Show all</Button>}>
      No name has “{search}” in it.
    </Empty>
  )
  return (
    <div className="stack">
      {isSearchable && <SearchField label={`Search ${label}`} value={search} onChange={change} />}
      <DataTable {...table} empty={isSearched ? none : table.empty} />
    </div>
  )
}
