/** Tables of what the API lists. On a phone each row becomes a card. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Pages } from '../data/pages.ts'
import { Pager } from './pager.tsx'
import { Failed, Loading, Stale } from './states.tsx'

export interface Column<Item> {
  title: string
  cell: (item: Item) => ReactNode
  /** Numbers stand to the right. */
  align?: 'end'
}

export interface TableProps<Item> {
  /** What the table is of, for those who do not see it. */
  label: string
  items: readonly Item[]
  columns: Column<Item>[]
  keyOf: (item: Item) => string
  /** Where a row leads; its first column is the link. */
  href?: ((item: Item) => string) | undefined
}

export function Table<Item>({ label, items, columns, keyOf, href }: TableProps<Item>) {
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" className={align && `align-${align}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} className={href && 'row-link'}>
              {columns.map(({ title, cell, align }, place) => (
                <td key={title} data-title={title} className={align && `align-${align}`}>
                  {place === 0 && href ? <Link href={href(item)}>{cell(item)}</Link> : cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export interface DataTableProps<Item> extends Omit<TableProps<Item>, 'items'> {
  pages: Pages<Item>
  /** Shown when there is nothing at all. */
  empty: ReactNode
}

/** A list of the API in all its conditions: loading, empty, failed, forbidden, and page by page. */
export function DataTable<Item>({ pages, empty, ...table }: DataTableProps<Item>) {
  const { items, failure, refresh, refreshing, page } = pages
  if (failure && (items === undefined || failure.status === 403 || failure.status === 404)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (items === undefined) return <Loading label={`Loading ${table.label}`} />
  if (items.length === 0 && page === 1) return empty
  return (
    <div aria-busy={refreshing}>
      {failure && <Stale refresh={refresh} />}
      <Table {...table} items={items} />
      <Pager label={table.label} pages={pages} />
    </div>
  )
}
